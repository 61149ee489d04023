"""Pictures: from every dialect's shape to every other's."""

from typing import Any

import pytest

from wirelab.history.replay import Replay, next_request
from wirelab.protocols.dialects import DIALECTS
from wirelab.protocols.pictures import Picture, picture_of

ADDRESS = "https://example.org/cat.png"
SHAPES: dict[str, Any] = {
    "chat": {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}}]},
    "native": {"role": "user", "content": "", "images": ["iVBO"]},
    "responses": {"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,iVBO"}]},
    "messages": {
        "role": "user",
        "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}],
    },
    "gemini": {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": "iVBO"}}]},
}
LINKS: dict[str, Any] = {
    "chat": {"role": "user", "content": [{"type": "image_url", "image_url": {"url": ADDRESS}}]},
    "responses": {"role": "user", "content": [{"type": "input_image", "image_url": ADDRESS}]},
    "messages": {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": ADDRESS}}]},
    "gemini": {"role": "user", "parts": [{"fileData": {"mimeType": "image/*", "fileUri": ADDRESS}}]},
}


@pytest.mark.parametrize("target", DIALECTS)
@pytest.mark.parametrize("source", DIALECTS)
def test_a_picture_goes_everywhere(source: str, target: str) -> None:
    request = next_request([SHAPES[source]], Replay(source=source, to=target))
    assert request.messages == [SHAPES[target]]
    assert request.findings == ()


@pytest.mark.parametrize("target", LINKS)
@pytest.mark.parametrize("source", LINKS)
def test_so_does_the_address_of_one(source: str, target: str) -> None:
    assert next_request([LINKS[source]], Replay(source=source, to=target)).messages == [LINKS[target]]


@pytest.mark.parametrize("source", LINKS)
def test_but_not_to_the_native_wire(source: str) -> None:
    request = next_request([LINKS[source]], Replay(source=source, to="native"))
    assert request.messages == [{"role": "user", "content": ""}]
    assert [finding.code for finding in request.findings] == ["part-left-out"]


@pytest.mark.parametrize(
    ("value", "picture"),
    [
        ({"type": "image_url", "image_url": ADDRESS}, Picture("", url=ADDRESS)),
        ({"type": "image_url"}, None),
        ({"type": "image_url", "image_url": {"url": ""}}, None),
        ({"type": "image", "source": None}, None),
        ({"type": "image", "source": {"type": "base64", "data": "/9j/x"}}, Picture("image/jpeg", data="/9j/x")),
        ({"type": "image", "source": {}}, None),
        ({"inlineData": {"mimeType": "audio/wav", "data": "UklG"}}, None),
        ({"inlineData": {"data": "UklGx"}}, Picture("image/webp", data="UklGx")),
        ({"fileData": {"mimeType": "application/pdf", "fileUri": ADDRESS}}, None),
        ({"inlineData": 5}, None),
        ({"image": 5}, None),
        ({"type": "video"}, None),
    ],
)
def test_shapes(value: Any, picture: Picture | None) -> None:
    assert picture_of(value) == picture


@pytest.mark.parametrize("images", [[], [5], "iVBO"])
def test_a_native_list_that_holds_no_pictures_stays_as_it_is(images: Any) -> None:
    message = {"role": "user", "content": "q", "images": images}
    assert next_request([message], Replay(source="native")).messages == [message]
