"""Pictures in histories: every dialect has its own shape for them, and what is in one is the same."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from wirelab.model import Json
from wirelab.transcript import Dialect


class Picture(msgspec.Struct, frozen=True):
    """A picture: base64 `data` of a media type, or the `url` of one."""

    media_type: str
    data: str | None = None
    url: str | None = None


_BEGINNINGS: Final = {"/9j/": "image/jpeg", "R0lG": "image/gif", "UklG": "image/webp"}
"""The first characters of base64 data by media type; anything else is taken for a PNG (`iVBO`)."""


def picture_of(value: Mapping[str, Json]) -> Picture | None:
    """The picture in a content part of any dialect, None where there is none."""
    kind = value.get("type")
    if kind in ("image_url", "input_image"):
        holder: Any = value.get("image_url")
        return _of_url(holder.get("url") if isinstance(holder, Mapping) else holder)
    if kind == "image":
        return _of_source(value.get("source"))
    if "inlineData" in value or "fileData" in value:
        return _of_gemini(value.get("inlineData"), value.get("fileData"))
    image = value.get("image")
    return _of_data(image) if isinstance(image, str) else None


def _of_url(url: Any) -> Picture | None:
    if not isinstance(url, str) or not url:
        return None
    head, comma, data = url.partition(";base64,")
    inline = comma and head.startswith("data:")
    return Picture(head.removeprefix("data:"), data=data) if inline else Picture("", url=url)


def _of_data(data: str, media_type: Any = None) -> Picture:
    guess = _BEGINNINGS.get(data[:4], "image/png")
    return Picture(media_type if isinstance(media_type, str) else guess, data=data)


def _of_source(source: Any) -> Picture | None:
    if not isinstance(source, Mapping):
        return None
    if isinstance(source.get("data"), str):
        return _of_data(source["data"], source.get("media_type"))
    return _of_url(source.get("url"))


def _of_gemini(inline: Any, file: Any) -> Picture | None:
    """Gemini's data of any type; only pictures count."""
    if isinstance(inline, Mapping) and isinstance(inline.get("data"), str):
        found = _of_data(inline["data"], inline.get("mimeType"))
        return found if found.media_type.startswith("image/") else None
    if isinstance(file, Mapping) and str(file.get("mimeType", "")).startswith("image/"):
        return _of_url(file.get("fileUri"))
    return None


def picture_part(picture: Picture, dialect: Dialect) -> dict[str, Json] | None:
    """A picture as a content part; None where the dialect takes data only and there is a URL."""
    url = picture.url if picture.data is None else f"data:{picture.media_type};base64,{picture.data}"
    if dialect == "chat":
        return {"type": "image_url", "image_url": {"url": url}}
    if dialect == "responses":
        return {"type": "input_image", "image_url": url}
    if dialect == "native":
        return None if picture.data is None else {"image": picture.data}
    if dialect == "messages":
        inline = {"type": "base64", "media_type": picture.media_type, "data": picture.data}
        return {"type": "image", "source": inline if picture.data is not None else {"type": "url", "url": picture.url}}
    if picture.data is None:
        return {"fileData": {"mimeType": "image/*", "fileUri": picture.url}}
    return {"inlineData": {"mimeType": picture.media_type, "data": picture.data}}
