"""accucheck: locate why a MindSpore model does not reach its accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .recorder import Recorder as Recorder

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Recorder is imported by the training that uses it, not by every command."""
    if name != "Recorder":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return import_module(".recorder", __name__).Recorder
