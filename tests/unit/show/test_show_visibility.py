"""What reaches the model, and what was lost on the way, as tables."""

import pytest

from wirelab.capture import Capture, Store
from wirelab.show.fidelity import blames, fidelities, losses, losses_table, only, shares_table
from wirelab.show.visibility import cures_table, incurable, incurable_table, matrix_table, parts_table, ties, views

LOST = "ollama-0.32.15/native/rendered-commentary_between.whole.gemma4"
SETTLED = "ollama-0.32.15/native/rendered-settled-commentary_between.whole.gemma4"
SWAPPED = "ollama-0.32.15/native/rendered-replay_same_tool_reversed.whole.qwen3-coder"
MOVED = "ollama-0.32.15/native/rendered-text_and_call.whole.gemma4"
MERGED = "opencodex-2.63.0/messages/parallel.stream.chat-old-gemma4"
KEPT = "ollama-0.20.4/messages/parallel.stream.gemma4"


@pytest.fixture(scope="module")
def store() -> Store:
    return Store()


def load(store: Store, *names: str) -> list[Capture]:
    return [store.load(name) for name in names]


def test_views_and_their_words(store: Store) -> None:
    found = views(load(store, LOST, SETTLED, SWAPPED, KEPT))
    assert [view.word for view in found] == ["result lost", "all arrive", "2 result swapped"]
    assert [view.settled for view in found] == [False, True, False]
    assert "14:05" in parts_table(found[0]).text()
    assert ties(found) == {"id": 0, "name": 3, "position": 2}


def test_tables_of_views(store: Store) -> None:
    found = views(load(store, LOST, SETTLED, MOVED))
    assert "result lost" in matrix_table([view for view in found if not view.settled]).text()
    cures = cures_table(found)
    assert cures.rows[0] == ("commentary_between", "1", "1", "result lost", "1", "0")
    assert [view.capture for view in incurable(found)] == [MOVED]
    assert "text moved" in incurable_table(incurable(found)).text()


def test_fidelity_says_who_lost_what(store: Store) -> None:
    found = fidelities(load(store, MERGED, KEPT, LOST))
    assert [one.faithful for one in found] == [False, True]
    assert blames(found) == {"server": 0, "gateway": 1, "reader": 0}
    (loss,) = losses(found)
    assert (loss.part, loss.how, loss.blame, loss.captures) == ("calls", "merged", "gateway", (MERGED,))
    assert loss.keepers == ("ollama 0.20.4 messages",)
    assert only([loss], "opencodex") == [loss]
    assert only([loss], "ollama") == []
    assert "merged" in losses_table([loss]).text()
    assert shares_table(found).rows[0][:5] == ("ollama 0.20.4", "messages", "1", "1", "100 %")


def test_a_loss_that_nobody_keeps(store: Store) -> None:
    (loss,) = losses(fidelities(load(store, MERGED)))
    assert "nobody recorded" in losses_table([loss]).text()
    assert only([loss], "opencodex") == []
