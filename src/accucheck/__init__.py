"""accucheck: locate why a MindSpore model does not reach its accuracy."""

# Nothing is imported here: `python -m accucheck` has the current folder on its path until __main__ has taken it off.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .recorder import Recorder as Recorder

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Recorder is imported by the training that uses it, not by every command."""
    if name != "Recorder":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return import_module(".recorder", __name__).Recorder
