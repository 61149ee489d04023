"""The client: one origin, one key, no surprises from the environment."""

from collections.abc import Iterator, Mapping

import httpx

from wirelab.transport.keys import Key

Client = httpx.Client
"""What requests are sent with; the rooms above know it by this name, since only this one imports httpx."""

TransportError = httpx.TransportError
"""No answer, or one that broke off."""


class OriginAuth(httpx.Auth):
    """Sends a key to the origin it belongs to, and to nobody else, whatever a redirect says.

    `style` is `bearer`, `x-api-key`, `wrong-bearer` (a key that nobody issued) or `none`.
    """

    def __init__(self, key: Key | None, style: str = "bearer") -> None:
        self._key = key
        self._style = style

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]
        """Put the header on the request, if the request goes where the key belongs."""
        for name, value in self._headers(origin_of(request.url)).items():
            request.headers[name] = value
        yield request

    def _headers(self, origin: str) -> Mapping[str, str]:
        if self._style == "wrong-bearer":
            return {"authorization": "Bearer nobody-issued-this-key"}
        if self._key is None or self._key.origin != origin or self._style == "none":
            return {}
        if self._style == "x-api-key":
            return {"x-api-key": self._key.secret}
        return {"authorization": f"Bearer {self._key.secret}"}


def origin_of(url: httpx.URL) -> str:
    """Scheme, host and port of a URL as targets spell them."""
    usual = {"http": 80, "https": 443}.get(url.scheme)
    port = "" if url.port in {None, usual} else f":{url.port}"
    host = f"[{url.host}]" if ":" in url.host else url.host
    return f"{url.scheme}://{host}{port}"


def open_client(transport: httpx.BaseTransport, *, connect: float = 10.0, read: float = 300.0) -> httpx.Client:
    """A client that follows no redirects (an answer is evidence as it is) and takes nothing from the environment:
    no proxy, no .netrc with somebody's password.

    `connect` and `read` are seconds: for a connection, and between two reads (a model may think before the first).
    """
    timeout = httpx.Timeout(connect, read=read)
    return httpx.Client(transport=transport, timeout=timeout, follow_redirects=False, trust_env=False)


def open_transport() -> httpx.HTTPTransport:
    """The transport over real sockets: HTTP/1.1, so that the reads are the server's, and no retries.

    Every request has a connection of its own: a kept one can be closed by the server just when it is used again, and
    that would look like a server that does not answer.
    """
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.HTTPTransport(http1=True, http2=False, retries=0, trust_env=False, limits=limits)
