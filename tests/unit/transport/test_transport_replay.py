"""Answering from captures: the reads and the end as they were, and a miss that says what differs."""

import httpx
import pytest

from wirelab.capture.types import Capture, End, Head, Read, Request, Response, Source
from wirelab.transport.client import open_client
from wirelab.transport.replay import ReplayMissError, ReplayTransport

BASE = "http://replay.test"


def capture(name: str, body: object, *reads: bytes, end: str = "complete", path: str = "/api/chat") -> Capture:
    head = Head(
        name=f"t/native/{name}",
        scenario=name.partition(".")[0],
        protocol="native",
        framing="ndjson",
        recorded_at="2026-01-01T00:00:00Z",
        source=Source("synthetic"),
        request=Request("POST", path, {}, body),
        response=Response(200, {"content-type": "application/x-ndjson", "content-length": "999"}),
    )
    parts = tuple(Read(float(position), data) for position, data in enumerate(reads))
    return Capture(head, parts, End(end, 9.0))  # type: ignore[arg-type]


def test_the_reads_come_back_as_they_were() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    with open_client(ReplayTransport([capture("a.stream", body, b'{"a"', b":1}\n", b'{"b":2}\n')])) as client:
        reordered = {"messages": body["messages"], "model": "m"}
        with client.stream("POST", f"{BASE}/api/chat", json=reordered) as response:
            assert response.status_code == 200
            assert list(response.iter_raw()) == [b'{"a"', b":1}\n", b'{"b":2}\n']


def test_a_recording_that_was_cut_is_cut_again() -> None:
    with open_client(ReplayTransport([capture("a.stream", {}, b"one", end="cut")])) as client:
        request = client.build_request("POST", f"{BASE}/api/chat", json={})
        reads = client.send(request, stream=True).iter_raw()
        assert next(reads) == b"one"
        with pytest.raises(httpx.ReadError, match=r"t/native/a\.stream ends here: cut"):
            next(reads)


def test_several_recordings_of_one_request_are_given_in_turn() -> None:
    transport = ReplayTransport([capture("a.stream", {}, b"1"), capture("a.stream.x2", {}, b"2")])
    with open_client(transport) as client:
        assert [client.post(f"{BASE}/api/chat", json={}).content for _ in range(3)] == [b"1", b"2", b"1"]


def test_a_miss_names_the_nearest_and_what_differs() -> None:
    near = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    far = {"model": "x", "messages": [], "stream": False, "tools": [{"a": 1}]}
    captures = [capture("far.stream", far), capture("near.stream", near), capture("else.stream", near, path="/v1/x")]
    asked = {"model": "m", "messages": [{"role": "user", "content": "Ho"}], "stream": True, "think": False}
    with open_client(ReplayTransport(captures)) as client, pytest.raises(ReplayMissError) as caught:
        client.post(f"{BASE}/api/chat", json=asked)
    message = str(caught.value)
    assert message.startswith("POST /api/chat: no capture answers this request. Nearest: ")
    first, second, third = message.split("Nearest: ")[1].split("; ")
    assert first == "t/native/near.stream differs in messages[0].content, think"
    assert second.startswith("t/native/far.stream differs in model, messages[0].role")
    assert third.startswith("t/native/else.stream differs in method or path, messages[0].content")


def test_bodies_that_are_no_json_can_miss_too() -> None:
    with open_client(ReplayTransport([capture("a.stream", None)])) as client:
        assert client.request("POST", f"{BASE}/api/chat").status_code == 200
        with pytest.raises(ReplayMissError, match="differs in body"):
            client.post(f"{BASE}/api/chat", content=b"\xff")


def test_no_captures_at_all() -> None:
    with open_client(ReplayTransport([])) as client, pytest.raises(ReplayMissError, match="no captures"):
        client.get(BASE)
