"""A small server over real sockets for the tests of this folder: it answers as it is told, well or badly.

Each path has a list of actions: bytes are sent, `WAIT` waits until the server is stopped (a stall), `PAUSE` waits a
moment, `CUT` closes the connection at once. What was asked is kept in `asked`, with headers.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

WAIT, PAUSE, CUT, RESET = "wait", "pause", "cut", "reset"
Action = bytes | str
Answer = Callable[["Asked"], list[Action]]
_PAUSE = 0.02


class Asked:
    """One request as it came in."""

    def __init__(self, line: str, headers: dict[str, str], body: bytes) -> None:
        self.method, self.path, _ = line.split(" ", 2)
        self.headers = headers
        self.json: Any = json.loads(body) if body else None


class Server:
    """Listens on a free loopback port until it is stopped."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._stopped = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self.asked: list[Asked] = []
        self.port = self._socket.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def stop(self) -> None:
        self._stopped.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._accepting.join(5)
        self._socket.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(5)
            try:
                asked = _request(connection)
                if asked is None:
                    return
                self.asked.append(asked)
                for action in self._answer(asked):
                    self._act(connection, action)
            except (OSError, _DoneError):
                return

    def _act(self, connection: socket.socket, action: Action) -> None:
        if isinstance(action, bytes):
            connection.sendall(action)
        elif action == PAUSE:
            self._stopped.wait(_PAUSE)
        elif action == WAIT:
            self._stopped.wait(20)
        elif action == RESET:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            raise _DoneError
        else:
            raise _DoneError


class _DoneError(Exception):
    """The connection is to be closed."""


def _request(connection: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return None
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65536)
    return Asked(first, headers, body)


@contextmanager
def serving(answer: Answer) -> Iterator[Server]:
    """A server for the length of a block."""
    server = Server(answer)
    try:
        yield server
    finally:
        server.stop()


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def head(kind: str = "application/x-ndjson", status: str = "200 OK", extra: str = "") -> bytes:
    """The head of a chunked answer that closes its connection."""
    return (
        f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n{extra}\r\n"
    ).encode()


def whole(body: bytes, status: str = "200 OK", kind: str = "application/json", extra: str = "") -> list[Action]:
    """A whole answer."""
    return [head(kind, status, extra), chunk(body), b"0\r\n\r\n"]


LINES = [
    b'{"message":{"content":"","tool_calls":[{"id":"call_1","function":{"index":0,"name":"get_weather","arguments":{"city":"Oslo"}}}]},"done":false}\n',
    b'{"model":"m","message":{"role":"assistant","content":"One moment."},"done":false}\n',
    b'{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":9}\n',
]
"""A native stream: one call, some text, the end."""


def native(asked: Asked) -> list[Action]:
    """A well-behaved server of the native protocol."""
    if asked.path == "/api/version":
        return whole(b'{"version":"9.9.9"}')
    if asked.path != "/api/chat":
        return whole(b"404 page not found", "404 Not Found", "text/plain")
    if asked.json.get("stream") is False:
        message = {"role": "assistant", "content": "Hello.", "tool_calls": []}
        return whole(json.dumps({"model": "m", "message": message, "done": True, "done_reason": "stop"}).encode())
    sent: list[Action] = [head()]
    for line in LINES:
        sent += [chunk(line), PAUSE]
    return [*sent, b"0\r\n\r\n"]
