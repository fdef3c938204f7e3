"""Reads MindSpore's and PyTorch's own signatures, in the form in which api.json writes them down."""

import enum
import importlib
import inspect
from typing import Any

#: Short namespace -> where it is imported from.
PLACES = {
    "initializer": "mindspore.common.initializer",
    "mnp": "mindspore.numpy",
    **{f"{name}": f"mindspore.dataset.{name}" for name in ("audio", "text", "transforms", "vision")},
}


def find(name: str) -> Any:
    """The API of a canonical name, None when this MindSpore has none."""
    if name == "initializer":
        return importlib.import_module(PLACES[name]).initializer
    parts = name.split(".")
    for count in range(len(parts) - 1, -1, -1):
        space = ".".join(parts[:count])
        try:
            found = importlib.import_module(PLACES.get(space, f"mindspore.{space}".rstrip(".")))
        except ImportError:
            continue
        for part in parts[count:]:
            found = getattr(found, part, None)
        return found
    return None


def find_torch(name: str) -> Any:
    import torch

    found: Any = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def plain(value: Any) -> Any:
    """A default as JSON has it."""
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return getattr(value, "__name__", None) or str(value).lower().rpartition(".")[2]


def signature(api: Any) -> tuple[list[str], dict[str, Any]]:
    """Parameters and defaults of a function, or of a class's constructor, behind decorators that hide them."""
    function = api.__init__ if isinstance(api, type) else api
    if function is object.__init__:
        return [], {}
    found = inspect.signature(function)
    while [p.kind for p in found.parameters.values() if p.name != "self"] == [
        inspect.Parameter.VAR_POSITIONAL,
        inspect.Parameter.VAR_KEYWORD,
    ]:
        hidden = [cell.cell_contents for cell in function.__closure__ or () if inspect.isfunction(cell.cell_contents)]
        if not hidden:
            break
        function = hidden[0]
        found = inspect.signature(function)
    names: list[str] = []
    defaults = {}
    for parameter in found.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not any(name[0] == "*" for name in names):
            names.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        names.append(stars + parameter.name)
        if parameter.default is not parameter.empty:
            defaults[parameter.name] = plain(parameter.default)
    return names, defaults
