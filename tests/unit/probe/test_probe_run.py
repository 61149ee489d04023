"""Running a plan without sockets: what is waited for, what stops a run, which server it is, and who may be admitted."""

from collections.abc import Callable
from pathlib import Path

import httpx
import msgspec
import pytest

from wirelab.capture.dump import save
from wirelab.capture.reader import load
from wirelab.capture.types import Capture, End, Source
from wirelab.errors import MisuseError, WirelabError
from wirelab.probe.admission import MAX_SIZE, admit, problems
from wirelab.probe.identify import identify
from wirelab.probe.plan import Wish, plan
from wirelab.probe.run import Outcome, Setting, attempts, file_of, run
from wirelab.probe.scenarios import load_book, select
from wirelab.probe.targets import Target
from wirelab.transport.client import open_client
from wirelab.transport.keys import Key
from wirelab.transport.record import RecordingTransport

Answer = Callable[[httpx.Request], httpx.Response]
BOOK = load_book()
ORIGIN = "http://server.test"
GOOD = b'{"model":"m","message":{"role":"assistant","content":"Hello."},"done":true,"done_reason":"stop"}'


class Clock:
    """Sleeps at once, and remembers for how long it should have been."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def setting(folder: Path, clock: Clock, pace: float = 0.0) -> Setting:
    source = Source("recorded", "local", "s", "1", "m", "a test")
    wish = Wish(model="m", protocols=("native", "discovery"), modes=("whole", "plain"))
    return Setting(Target("local", ORIGIN), folder, "s-1", source, BOOK, wish, None, pace, clock.sleep)


def ran(folder: Path, answer: Answer, *scenarios: str, clock: Clock | None = None, pace: float = 0.0) -> list[Outcome]:
    chosen = setting(folder, clock or Clock(), pace)
    with open_client(RecordingTransport(httpx.MockTransport(answer))) as client:
        return list(run(plan(select(BOOK.scenarios, scenarios), chosen.wish), chosen, client))


def good(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "application/json"}, stream=httpx.ByteStream(GOOD))


def refusing(status: int, body: bytes, **headers: str) -> Answer:
    return lambda _: httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))


def test_a_run_is_paced(tmp_path: Path) -> None:
    clock = Clock()
    outcomes = ran(tmp_path, good, "no_call", "single", clock=clock, pace=1.5)
    assert [outcome.kind for outcome in outcomes] == ["recorded", "recorded"]
    assert clock.slept == [1.5, 1.5]
    assert [outcome.kind for outcome in ran(tmp_path, good, "no_call", "single", clock=clock)] == ["kept", "kept"]
    assert clock.slept == [1.5, 1.5]


@pytest.mark.parametrize(
    ("headers", "waited"),
    [({"retry-after": "7"}, 7.0), ({}, 5.0), ({"retry-after": "soon"}, 5.0), ({"retry-after": "9000"}, 60.0)],
)
def test_a_server_that_asks_to_be_left_alone_is(tmp_path: Path, headers: dict[str, str], waited: float) -> None:
    clock = Clock()
    (outcome,) = ran(tmp_path, refusing(429, b'{"error":"slow down"}', **headers), "no_call", clock=clock)
    assert outcome.failure is not None
    assert outcome.failure.kind == "rate-limited"
    assert clock.slept == [0.0, waited]


def test_probes_of_keys_and_of_the_web_may_be_refused(tmp_path: Path) -> None:
    outcomes = ran(tmp_path, refusing(401, b'{"error":"unauthorized"}'), "web", "discovery")
    assert len(outcomes) > 10
    assert {outcome.status for outcome in outcomes} == {401}


def test_a_quota_that_is_used_up_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(WirelabError, match="usage quota is used up: quota exceeded"):
        ran(tmp_path, refusing(429, b'{"error":"quota exceeded"}'), "no_call")


def test_silence_stops_the_run(tmp_path: Path) -> None:
    asked = []

    def silent(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        raise httpx.ConnectError("nobody there")

    with pytest.raises(WirelabError, match=r"no answer 3 times in a row \(ConnectError: nobody there\)"):
        ran(tmp_path, silent, "calls")
    assert len(asked) == 3
    assert list(tmp_path.rglob("*.jsonl")) == []


def test_a_turn_whose_forerunner_failed_is_skipped(tmp_path: Path) -> None:
    outcomes = ran(tmp_path, refusing(500, b'{"error":"it broke"}'), "conversation")
    assert [outcome.kind for outcome in outcomes] == ["recorded", "skipped", "skipped"]


def test_what_can_not_be_read_is_asked_again(tmp_path: Path) -> None:
    name = "s-1/native/no_call.whole"
    for taken, content in ((name, b""), (f"{name}.again-2", b"no capture\n")):
        path = file_of(tmp_path, taken)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (outcome,) = ran(tmp_path, good, "no_call")
    assert (outcome.kind, outcome.name) == ("recorded", f"{name}.again-3")
    assert file_of(tmp_path, name).read_bytes() == b""


def test_a_step_that_never_ends_is_not_begun_for_ever(tmp_path: Path) -> None:
    for number in range(1, 30):
        path = file_of(tmp_path, "s-1/native/a.whole" + (f".again-{number}" if number > 1 else ""))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    with pytest.raises(MisuseError, match="begun 20 times"):
        attempts(tmp_path, "s-1/native/a.whole")


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        ({"/api/version": (200, b'{"version":"0.9.0"}')}, ("ollama", "0.9.0")),
        ({"/props": (200, b'{"build_info":"b1-abc"}')}, ("llama-server", "b1-abc")),
        ({"/api/version": (200, b"no json"), "/props": (200, b"[1]")}, ("acme", "")),
        ({"/api/version": (200, b'{"version":' + b"9" * 70_000)}, ("acme", "")),
        ({"/api/version": (200, b'{"version":7}')}, ("acme", "")),
        ({}, ("acme", "")),
    ],
)
def test_which_server_it_is(answers: dict[str, tuple[int, bytes]], wanted: tuple[str, str]) -> None:
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        status, body = answers.get(request.url.path, (404, b"not found"))
        return httpx.Response(status, headers={"server": "acme"}, stream=httpx.ByteStream(body))

    with open_client(httpx.MockTransport(answer)) as client:
        assert identify(client, ORIGIN, Key("a-secret-key", ORIGIN)) == wanted
    assert len(seen) <= 2
    assert all(request.headers["authorization"] == "Bearer a-secret-key" for request in seen)


def recorded(folder: Path, scenario: str = "no_call") -> Capture:
    (outcome,) = ran(folder, good, scenario)
    return load(file_of(folder, outcome.name))


def test_a_good_recording_joins_once(tmp_path: Path) -> None:
    capture = recorded(tmp_path / "runs")
    path = file_of(tmp_path / "runs", capture.name)
    assert problems(path, BOOK) == []
    admitted, refused = admit([path], tmp_path / "captures", BOOK)
    assert [each.relative_to(tmp_path).as_posix() for each in admitted] == [
        "captures/recorded/s-1/native/no_call.whole.jsonl"
    ]
    assert refused == []
    assert admit([path], tmp_path / "captures", BOOK) == (
        [],
        [f"{path.name}: {capture.name} is among the captures already"],
    )


def spoilt(capture: Capture, tmp_path: Path, **head: object) -> Path:
    path = tmp_path / "spoilt.jsonl"
    save(msgspec.structs.replace(capture, head=msgspec.structs.replace(capture.head, **head)), path)
    return path


def test_what_may_not_join(tmp_path: Path) -> None:
    capture = recorded(tmp_path)
    path = spoilt(capture, tmp_path, scenario="single", name="s-1/native/single.whole")
    assert "fails its check 'ask:What is the weather in Oslo?'" in problems(path, BOOK)[0]
    path.unlink()
    path = spoilt(capture, tmp_path, scenario="made_up")
    assert problems(path, BOOK) == ["s-1/native/no_call.whole: there is no scenario 'made_up'"]
    path.unlink()
    path = spoilt(capture, tmp_path, name="s-1/native/no_call.sideways")
    assert "Invalid enum value" in problems(path, BOOK)[0]
    path.write_bytes(b"nothing\n")
    assert "no head" in problems(path, BOOK)[0]


def test_an_end_a_key_and_a_size_are_looked_at(tmp_path: Path) -> None:
    capture = recorded(tmp_path)
    path = tmp_path / "a.jsonl"
    save(msgspec.structs.replace(capture, end=End("error", 1.0, by="recorder")), path)
    assert problems(path, BOOK) == ["a.jsonl: the recording did not come to its end"]
    path.unlink()
    save(capture, path)
    assert problems(path, BOOK, ["Hello."]) == ["a.jsonl: a key of this run stands in it"]
    path.unlink()
    large = msgspec.structs.replace(capture.reads[0], data=b" " * (MAX_SIZE + 1))
    save(msgspec.structs.replace(capture, reads=(large,)), path)
    assert f"are more than {MAX_SIZE}" in problems(path, BOOK)[0]
