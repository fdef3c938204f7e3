"""accucheck: locate why a MindSpore model does not reach its accuracy."""

# Nothing is imported here: `python -m accucheck` has the current folder on its path until __main__ has taken it off.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .recorder import Recorder as Recorder
    from .watched_loop import watch as watch

__version__ = "0.1.0"

#: What a training uses, and the module of each.
_USED = {"Recorder": ".recorder", "watch": ".watched_loop"}


def __getattr__(name: str) -> object:
    """What a training uses is imported by it, not by every command."""
    if name not in _USED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_USED[name], __name__), name)
