"""accucheck: locate why a MindSpore model does not reach its accuracy."""

# Nothing is imported here: `python -m accucheck` has the current folder on its path until __main__ has taken it off.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .notebooks import load_ipython_extension as load_ipython_extension
    from .recorder import Recorder as Recorder
    from .watched_loop import watch as watch

__version__ = "0.1.0"

#: What a training or a notebook uses, and the module of each.
_USED = {
    "Recorder": ".recorder",
    "watch": ".watched_loop",
    "load_ipython_extension": ".notebooks",
}


def __getattr__(name: str) -> object:
    """What a training or a notebook uses is imported by it, not by every command."""
    from importlib import import_module

    if name == "report":  # the package, which is called in a notebook
        return import_module(".report", __name__)
    if name not in _USED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_USED[name], __name__), name)
