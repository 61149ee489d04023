"""The store, its index, verifying it, and importing into it."""

import gzip
import json
from pathlib import Path

import msgspec
import pytest

from wirelab.capture import Capture, End, Head, Observed, Read, Response, Source, dumps, save
from wirelab.capture.importing import import_files, read_any, sources_below
from wirelab.capture.index import INDEX, Entry, entry_of, family_of, read_index, write_index
from wirelab.capture.names import path_of
from wirelab.capture.store import Store, find_root
from wirelab.capture.types import Evidence
from wirelab.capture.verify import verify_files, verify_store
from wirelab.errors import UnreadableInputError

KEY = "sk-" + "a1B2" * 8


def capture(name: str, kind: Evidence = "recorded", body: bytes = b'{"a":1}\n', said: bool = False) -> Capture:
    target, protocol, last = name.split("/")
    head = Head(
        name=name,
        scenario=last.partition(".")[0],
        protocol=protocol,
        framing="ndjson",
        recorded_at="2026-11-30T12:00:00Z",
        source=Source(kind, "local", target.partition("-")[0], target.partition("-")[2], "scripted-gemma4"),
        response=Response(200, {"content-type": "application/x-ndjson"}),
        observed=Observed(model_said={"calls": []}) if said else None,
    )
    return Capture(head, (Read(0.1, body),), End("complete", 0.2))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "captures"
    for exchange in (
        capture("ollama-1/native/single.stream.a", said=True),
        capture("ollama-1/chat/single.stream.a"),
        capture("ollama-2/native/parallel.stream.a"),
        capture("reports/chat/odd.br-001", "documented"),
        capture("battery/chat/t1.stream", "synthetic"),
    ):
        save(exchange, path_of(root / exchange.source.kind, exchange.name))
    write_index(root, verify_store(root).entries)
    return root


def test_finding_the_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WIRELAB_CAPTURES", raising=False)
    inside = root.parent / "notebooks" / "deep"
    inside.mkdir(parents=True)
    assert find_root(inside) == root
    monkeypatch.chdir(inside)
    assert Store().root == root
    monkeypatch.setenv("WIRELAB_CAPTURES", str(root / "recorded"))
    assert find_root() == root / "recorded"
    monkeypatch.delenv("WIRELAB_CAPTURES")
    (root / INDEX).unlink()
    with pytest.raises(UnreadableInputError, match="no captures found"):
        find_root(inside)


def test_iterating_loading_selecting(root: Path) -> None:
    store = Store(root)
    assert [found.name for found in store] == [
        "ollama-1/chat/single.stream.a",
        "ollama-1/native/single.stream.a",
        "ollama-2/native/parallel.stream.a",
        "reports/chat/odd.br-001",
        "battery/chat/t1.stream",
    ]
    assert len(store) == 5
    assert store.load("battery/chat/t1.stream").source.kind == "synthetic"
    assert [entry.name for entry in store.select("ollama-*/native/*")] == [
        "ollama-1/native/single.stream.a",
        "ollama-2/native/parallel.stream.a",
    ]
    assert [entry.path for entry in store.select("documented/*")] == ["documented/reports/chat/odd.br-001.jsonl"]
    assert [entry.target for entry in store.select(protocol="native", version="2")] == ["ollama-2"]
    assert len(store.select(evidence="recorded", server="ollama", scenario="single", family="gemma4")) == 2
    assert store.select(target="ollama-3") == []
    assert [found.body for found in store.captures("*", protocol="native")] == [b'{"a":1}\n'] * 2


def test_an_unknown_or_impossible_name(root: Path) -> None:
    with pytest.raises(UnreadableInputError, match=r"no capture is named a/b/c\.d"):
        Store(root).load("a/b/c.d")
    with pytest.raises(UnreadableInputError, match="is no name"):
        Store(root).load("../../etc/passwd")


def test_without_an_index_the_captures_tell(root: Path) -> None:
    indexed = Store(root).entries
    (root / INDEX).unlink()
    assert sorted(Store(root).entries, key=lambda entry: entry.path) == list(indexed)
    assert Store(root / "nowhere").entries == ()


def test_the_index_line_of_a_capture() -> None:
    entry = entry_of(capture("ollama-1/native/single.stream.a", said=True))
    assert msgspec.to_builtins(entry) == {
        "name": "ollama-1/native/single.stream.a",
        "evidence": "recorded",
        "protocol": "native",
        "scenario": "single",
        "framing": "ndjson",
        "server": "ollama",
        "version": "1",
        "family": "gemma4",
        "status": 200,
        "end": "complete",
        "reads": 1,
        "bytes": 8,
        "sha256": capture("ollama-1/native/single.stream.a").sha256,
        "recorded_at": "2026-11-30T12:00:00Z",
        "said": True,
    }


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("scripted-gemma4", "gemma4"),
        ("new/scripted-gemma4:latest", "gemma4"),
        ("scripted-qwen3-coder:cloud", "qwen3-coder"),
        ("native-old-olmo3", "olmo3"),
        ("chat-gemma4", "gemma4"),
        ("smollm2-135m", "smollm2-135m"),
        (None, None),
    ],
)
def test_families(model: str | None, family: str | None) -> None:
    assert family_of(model) == family


@pytest.mark.parametrize("line", [b"oops", b"[]", b'{"name":"../x/y"}', b"\xff"])
def test_a_broken_index(root: Path, line: bytes) -> None:
    (root / INDEX).write_bytes(b"\n" + line + b"\n")
    with pytest.raises(UnreadableInputError, match=r"index\.jsonl, line 2"):
        read_index(root)


def test_an_index_with_a_path_as_a_name(root: Path) -> None:
    entry = msgspec.structs.replace(entry_of(capture("a/b/c.d")), name="../../x")
    (root / INDEX).write_bytes(msgspec.json.encode(entry))
    with pytest.raises(UnreadableInputError, match="is no name"):
        read_index(root)


def test_errors_name_a_capture_from_the_root_on(root: Path) -> None:
    path = root / "recorded" / "ollama-1" / "chat" / "single.stream.a.jsonl"
    path.write_bytes(b"oops")
    with pytest.raises(UnreadableInputError, match=r"^recorded/ollama-1/chat/single\.stream\.a\.jsonl, line 1"):
        Store(root).load("ollama-1/chat/single.stream.a")
    with pytest.raises(UnreadableInputError, match=r"^recorded/ollama-1/chat"):
        list(Store(root))


def problems(root: Path) -> list[str]:
    return verify_store(root).problems


def test_a_sound_store_has_no_problems(root: Path) -> None:
    report = verify_store(root)
    assert report.problems == []
    assert report.counts == {"recorded": 3, "documented": 1, "synthetic": 1}


def test_what_verifying_finds(root: Path) -> None:
    first = root / "recorded" / "ollama-1" / "chat" / "single.stream.a.jsonl"
    data = first.read_bytes()
    label = "recorded/ollama-1/chat/single.stream.a.jsonl"
    first.write_bytes(data.replace(b'{"a":1}', b'{"a":2}'))
    assert problems(root) == [f"{label}: the body is not the one its SHA-256 was taken of: edited?", f"{label}: in {INDEX}, but there is no such capture"]  # fmt: skip
    first.write_bytes(data.replace(b"[0.1,", b"[0.1, "))
    assert problems(root) == [f"{label}: not written as the format writes it"]
    first.write_bytes(data.replace(b'"local"', b'"elsewhere"'))
    assert problems(root) == []
    first.write_bytes(data.replace(b'"version":"1"', b'"version":"9"'))
    assert problems(root) == [f"{label}: {INDEX} says something else than the capture"]
    first.write_bytes(data.replace(b'"headers":{}', b'"headers":{"x-host":"a"}'))
    assert problems(root) == [f"{label}, line 1: a header, a token or a key that must not be kept"]
    first.write_bytes(data.replace(b'"note":""', f'"note":"{KEY}"'.encode()))
    assert problems(root) == [
        f"{label}, line 1: a header, a token or a key that must not be kept",
        f"{label}, line 1: looks like a key: sk-a1B…",
    ]


def test_misplaced_strange_and_missing_files(root: Path) -> None:
    folder = root / "recorded" / "ollama-1" / "chat"
    (folder / "single.stream.a.jsonl").rename(folder / "single.stream.b.jsonl")
    (folder / "notes.txt").write_text("x")
    (folder / "link.x.jsonl").symlink_to(root / INDEX)
    (folder / "Upper.x.jsonl").write_bytes(dumps(capture("ollama-1/chat/single.stream.a", said=True)))
    found = problems(root)
    assert "recorded/ollama-1/chat/single.stream.a.jsonl: this is the place of a capture that is not there" in found
    assert "recorded/ollama-1/chat/notes.txt: no capture; it does not belong here" in found
    assert "recorded/ollama-1/chat/link.x.jsonl: no capture; it does not belong here" in found
    assert any(
        line.startswith("recorded/ollama-1/chat/Upper.x.jsonl: 'ollama-1/chat/Upper.x' is no name") for line in found
    )
    assert "ollama-1/chat/single.stream.a: two captures have this name" in found


def test_an_index_that_lacks_something(root: Path) -> None:
    extra = capture("ollama-9/chat/new.stream")
    save(extra, path_of(root / "recorded", extra.name))
    assert problems(root) == ["recorded/ollama-9/chat/new.stream.jsonl: not in index.jsonl"]
    (root / INDEX).unlink()
    assert problems(root) == ["index.jsonl: no such file (`wirelab verify --write-index` writes it)"]


def test_nothing_to_verify(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="no captures below it"):
        verify_store(tmp_path)


def test_single_files_are_verified_wherever_they_are(tmp_path: Path) -> None:
    good, torn, bad = tmp_path / "good", tmp_path / "torn", tmp_path / "bad"
    data = dumps(capture("a/native/c.d", body=b'{"a":1}\n{"b":2}\n'))
    good.write_bytes(data)
    without_end = data[: data.rindex(b'{"end"')]
    torn.write_bytes(without_end)
    bad.write_bytes(b"oops")
    report = verify_files([good, torn, bad])
    assert report.counts == {"recorded": 2, "unreadable": 1}
    assert len(report.problems) == 1
    for cut in range(len(without_end) - 20, len(without_end)):
        torn.write_bytes(without_end[:cut])
        assert verify_files([torn]).problems == [], cut
    torn.write_bytes(without_end.replace(b"[0.1,", b"[ 0.1,"))
    assert verify_files([torn]).problems == [f"{torn}: not written as the format writes it"]


@pytest.mark.parametrize("body", [b'{"a":"' + KEY.encode() + b'","b":"\xff"}\n', f'{{"a":"{KEY}"}}\n'.encode()])
def test_a_key_is_found_behind_base64_and_over_several_reads(tmp_path: Path, body: bytes) -> None:
    exchange = capture("a/native/c.d")
    split = (Read(0.1, body[:15]), Read(0.2, body[15:]))
    path = tmp_path / "c.jsonl"
    path.write_bytes(dumps(msgspec.structs.replace(exchange, reads=split)))
    assert verify_files([path]).problems == [f"{path}: looks like a key, over several reads or as base64: sk-a1B…"]


def test_a_recording_log_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(log())
    assert (
        "a recording log, no capture: `wirelab import` makes it one" in verify_files([tmp_path / "a.jsonl"]).problems[0]
    )


def log(name: str = "ollama-1/native/logged.stream", text: str = '{"a":1}\n') -> bytes:
    head = {
        "capture": name, "scenario": "logged", "protocol": "native", "recorded_at": "2026-11-30T12:00:00Z",
        "source": {"kind": "recorded", "target": "local"},
        "request": {"method": "POST", "path": "/api/chat", "headers": {"cookie": "a"}},
        "response": {"status": 200, "headers": {"content-type": "application/x-ndjson"}},
    }  # fmt: skip
    rows = [head, {"t": 0.1, "text": text}, {"end": "complete", "t": 0.2}]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_importing_logs_and_captures(root: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.log.jsonl").write_bytes(log())
    (source / "b.jsonl.gz").write_bytes(gzip.compress(dumps(capture("ollama-3/chat/other.stream"))))
    (source / "c.jsonl").write_bytes(b"oops\n")
    (source / "d.jsonl").write_bytes(dumps(capture("x/chat/doc.x", "documented")))
    (source / "e.txt").write_bytes(b"not looked at")
    steps: list[None] = []
    report = import_files(sources_below(source), root / "recorded", done=lambda: steps.append(None))
    assert (report.written, report.present, report.redacted, len(steps)) == (2, 0, 1, 4)
    assert [line.partition(": ")[2] for line in report.problems] == [
        "neither a recording log nor a capture",
        "its evidence is documented, so it does not belong into recorded/",
    ]
    assert problems(root) == []
    assert Store(root).load("ollama-1/native/logged.stream").request.headers == {"cookie": "[redacted]"}
    again = import_files([source / "a.log.jsonl"], root / "recorded")
    assert (again.written, again.present, again.problems) == (0, 1, [])
    (source / "a.log.jsonl").write_bytes(log(text='{"a":2}\n'))
    changed = import_files([source / "a.log.jsonl"], root / "recorded")
    assert "is there already and differs; a capture is never overwritten" in changed.problems[0]
    assert Store(root).load("ollama-1/native/logged.stream").body == b'{"a":1}\n'


def test_importing_redacts_bodies_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(log(text=f'{{"error":"{KEY}"}}\n{{"k":"sk-abc'))
    (tmp_path / "b.jsonl").write_bytes(log("ollama-1/native/b.stream", text='{"k":"my own secret"}\n'))
    place = tmp_path / "elsewhere"
    report = import_files([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], place, secrets=["my own secret"])
    assert (report.written, report.redacted, report.problems) == (2, 2, [])
    first = read_any(path_of(place, "ollama-1/native/logged.stream"))
    assert first.body == b'{"error":"[redacted]"}\n{"k":"sk-abc'
    assert first.end.redacted == 1
    assert read_any(path_of(place, "ollama-1/native/b.stream")).body == b'{"k":"[redacted]"}\n'
    assert not (tmp_path / INDEX).exists()


def test_sources(tmp_path: Path) -> None:
    assert sources_below(tmp_path / "a") == [tmp_path / "a"]
    with pytest.raises(UnreadableInputError, match=r"no \.jsonl file below it"):
        sources_below(tmp_path)


def test_an_import_without_a_written_index_makes_one(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(log())
    import_files([tmp_path / "a.jsonl"], tmp_path / "captures" / "recorded")
    assert [entry.name for entry in read_index(tmp_path / "captures")] == ["ollama-1/native/logged.stream"]


def test_links_are_not_followed(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside" / "chat"
    outside.mkdir(parents=True)
    (outside / "c.d.jsonl").write_bytes(dumps(capture("outside/chat/c.d")))
    (root / "recorded" / "outside").symlink_to(tmp_path / "outside")
    assert len(Store(root)) == 5
    assert problems(root)[0] == "recorded/outside: no capture; it does not belong here"


def test_entries_are_frozen(root: Path) -> None:
    entry: Entry = Store(root).entries[0]
    with pytest.raises(AttributeError):
        entry.name = "x"  # type: ignore[misc]
