"""signatures.json is what the installed MindSpore has; `python tests/knowledge/test_signatures.py` writes it anew."""

import importlib
import inspect
import pkgutil
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from mindspore_apis import signature

from accucheck.knowledge import api, signatures
from accucheck.knowledge.names import canonical

pytestmark = pytest.mark.part(1)

#: The public modules, by the documentation of 2.10.
MODULES = [
    f"mindspore{name}"
    for name in (
        *("", ".amp", ".boost", ".common.initializer", ".communication", ".dataset", ".dataset.audio", ".dataset.text"),
        *(".dataset.transforms", ".dataset.vision", ".experimental.optim", ".experimental.optim.lr_scheduler"),
        *(".mint", ".mint.linalg", ".mint.nn", ".mint.nn.functional", ".mint.optim", ".mint.special", ".nn", ".numpy"),
        *(".ops", ".parallel", ".train", ".train.callback", ".train.serialization"),
    )
]
#: Signatures that Python cannot tell.
OPAQUE = {"mint.clamp", "mint.clip", "mint.nn.functional.gelu", "nn.GRU", "nn.LSTM", "nn.RNN"}


def read() -> dict[str, Any]:
    """The content of signatures.json, from the installed MindSpore."""
    import mindspore

    modules: dict[str, list[str]] = {}
    parameters: dict[str, list[str]] = {}
    several: set[str] = set()
    for module in MODULES:
        found = importlib.import_module(module)
        submodules = [one.name for one in pkgutil.iter_modules(getattr(found, "__path__", []))]
        modules[module] = sorted({*dir(found), *submodules})
        for name in dir(found):
            short, value = canonical(f"{module}.{name}"), getattr(found, name)
            if name[0] == "_" or inspect.ismodule(value) or not callable(value) or (own := taken(value)) is None:
                continue
            if parameters.setdefault(short, own) != own:
                several.add(short)
    kept = {name: own for name, own in sorted(parameters.items()) if name not in several | OPAQUE}
    return {"mindspore": mindspore.__version__, "modules": modules, "parameters": kept}


def taken(value: Any) -> list[str] | None:
    """The parameters of what is called; None where it hides them."""
    from mindspore import nn

    inherits = isinstance(value, type) and issubclass(value, nn.Cell) and value.__init__ is nn.Cell.__init__
    if inherits and value is not nn.Cell:
        return []
    if isinstance(value, type) and value.__new__ is not object.__new__ and value.__init__ is object.__init__:
        return None
    try:
        if hidden(value.__init__ if isinstance(value, type) else value) > 1:
            return None
        names, _ = signature(value)
    except (TypeError, ValueError, AttributeError):
        return None
    return None if any(name[0] == "*" and len(name) > 1 for name in names) else names


def hidden(function: Any) -> int:
    """How many functions a decorator that takes anything may stand for."""
    kinds = [one.kind for one in inspect.signature(function).parameters.values() if one.name != "self"]
    if kinds != [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        return 0
    return sum(inspect.isfunction(cell.cell_contents) for cell in function.__closure__ or ())


@pytest.mark.mindspore
def test_the_installed_mindspore_has_these_names_and_takes_these_parameters() -> None:
    known = msgspec.to_builtins(signatures.load())
    now = read()
    assert known["mindspore"] == now["mindspore"]
    assert known["parameters"] == now["parameters"]
    # what a module shows may grow by what others import of it
    for module, names in known["modules"].items():
        assert {*names} <= {*now["modules"][module]}, module


@pytest.mark.mindspore
@pytest.mark.parametrize(
    "call",
    [
        "ms.amp.auto_mixed_precision(net, level='O2')",
        "nn.Dense(4, 2, bias=True)",
        "nn.LayerNorm((4,), eps=1e-5)",
        "nn.Conv2d(3, 8, 3, groups=1)",
        "ops.clip_by_norm(ms.ops.ones(3), clip_value=1.0)",
        "ms.set_seed(1, 2)",
        "nn.NoSuchLayer(3)",
    ],
)
def test_mindspore_refuses_what_this_refuses(call: str) -> None:
    import mindspore as ms
    from mindspore import nn, ops

    with pytest.raises((TypeError, AttributeError)):
        eval(call, {"ms": ms, "nn": nn, "ops": ops, "net": nn.Dense(2, 2)})


def test_a_name_is_followed_as_far_as_modules_are_known() -> None:
    known = signatures.load()
    assert known.lacks("mindspore.nn.Dense") == ""
    assert known.lacks("mindspore.nn.NoSuchLayer") == "mindspore.nn.NoSuchLayer"
    assert known.lacks("mindspore.dataset.vision.c_transforms.Resize") == "mindspore.dataset.vision.c_transforms"
    assert known.lacks("mindspore.nn.layer.basic.NoSuchLayer") == "", "what lies deeper is not known"
    assert known.lacks("mindspore.Tensor.no_such_method") == ""
    assert known.is_of("2.10.1") and not known.is_of("2.1.0")


def test_both_files_agree() -> None:
    known = signatures.load()
    for name, own in known.parameters.items():
        entry = api.find(name)
        if entry is not None and not entry.gone:
            assert entry.parameters == own, name


def test_earlier_signatures_take_what_today_s_do_not() -> None:
    known = signatures.load()
    for name, earlier in signatures.former().items():
        today = api.Signature(known.parameters[name])
        limits = [api.number(one.until) for one in earlier]
        assert limits == sorted(limits) and limits[-1] < api.number(known.mindspore), name
        for one in earlier:
            assert {*one.parameters} - {*today.parameters} or len(one.positional) > len(today.positional), name


if __name__ == "__main__":
    path = Path(signatures.__file__).with_suffix(".json")
    found = read()
    lines = [f' "mindspore": {msgspec.json.encode(found["mindspore"]).decode()}']
    for part in ("modules", "parameters"):
        rows = [
            f"  {msgspec.json.encode(name).decode()}: {msgspec.json.encode(own).decode()}"
            for name, own in found[part].items()
        ]
        lines.append(f' "{part}": {{\n' + ",\n".join(rows) + "\n }")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
