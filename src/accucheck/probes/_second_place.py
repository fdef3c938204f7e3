"""How a message names a second place: by its line alone in the same file, by file and line in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..script.source import Source


class LayerPlace(Protocol):
    @property
    def source(self) -> Source: ...
    @property
    def line(self) -> int: ...


def beside(place: LayerPlace, other: LayerPlace) -> dict[str, str]:
    """What to call another place where a finding stands at `place`, in both languages."""
    return at(other.source.path, other.line, place.source.path)


def at(path: str, line: int, here: str) -> dict[str, str]:
    """What to call a line of a file in a finding about the file `here`, in both languages."""
    if path == here:
        return {"en": f"line {line}", "zh": f"第 {line} 行"}
    return {"en": f"{path}:{line}", "zh": f"{path}:{line}"}
