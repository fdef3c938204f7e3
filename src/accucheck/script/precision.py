"""Where a training script asks for half precision: MindSpore's as the training steps know it, PyTorch's by its usual interfaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .analysis import Reading
from .training import role
from .training_steps import training
from .values import Call, KnownValue, NamedValue, Value, is_known, options, string_of, unseen

#: Arguments of trainers that ask for half precision, and what they say then.
_ASKING: dict[str, dict[object, str]] = {
    "precision": {
        16: "float16",
        "16": "float16",
        "16-mixed": "float16",
        "16-true": "float16",
        "bf16": "bfloat16",
        "bf16-mixed": "bfloat16",
    },
    "mixed_precision": {"fp16": "float16", "bf16": "bfloat16"},
    "fp16": {True: "float16"},
    "bf16": {True: "bfloat16"},
}
_TYPES = {"float16": "float16", "half": "float16", "bfloat16": "bfloat16", "BFloat16": "bfloat16"}


@dataclass(frozen=True)
class HalfPrecisionUse:
    """A place where half precision is asked for; `dtype` is "float16" or "bfloat16", "" where it is not known. `maybe`: an option or
    a condition decides."""

    made: Call
    text: str
    dtype: str
    maybe: bool

    @property
    def place(self) -> str:
        return f"{self.made.source.path}:{self.made.line}"


def here(reading: Reading) -> list[HalfPrecisionUse]:
    """Of a script of MindSpore, but for casts of single values."""
    found = []
    for half in training(reading).halves:
        if half.strong(True):
            given = half.made.keywords.get("dtype")
            dtype = next((named for option in options(given) if (named := _type(option))), "float16")
            found.append(HalfPrecisionUse(half.made, half.text, dtype, half.maybe or bool(half.made.tests)))
    for made in reading.trace.calls:
        dropped = made.discarded and made.name == ".to"
        if made.name in (".to_float", ".to") and not dropped and any(_type(arg) == "bfloat16" for arg in made.args):
            found.append(HalfPrecisionUse(made, f"{made.last}(bfloat16)", "bfloat16", bool(made.tests)))
    return found


def there(reading: Reading) -> list[HalfPrecisionUse]:
    """Of a script of PyTorch, in what it trains; what is said of a whole training before what is done to one object."""
    found: list[HalfPrecisionUse] = []
    copying = (call for call in reading.trace.calls if call.name == "copy.deepcopy")
    copies = {id(call.result or call) for call in copying}
    for made in reading.trace.calls:
        if role(list(made.functions[-1:])) == "eval":
            continue
        for use in _torch(made, copies):
            if all((use.place, use.text) != (other.place, other.text) for other in found):
                found.append(use)
    return sorted(found, key=lambda use: use.made.name.startswith("."))


def _apex(made: Call, maybe: bool) -> Iterator[HalfPrecisionUse]:
    level = made.keywords.get("opt_level")
    unsure = not isinstance(level, KnownValue) or bool(level.assumed)
    if unsure or string_of(level) != "O0":
        yield HalfPrecisionUse(made, "amp.initialize", "float16", maybe or unsure)


#: Methods of torch that turn weights or a tensor into half precision.
_METHODS = {".half": "float16", ".bfloat16": "bfloat16"}


def _torch(made: Call, copies: set[int]) -> Iterator[HalfPrecisionUse]:
    """`copies`: the ids of deep copies."""
    maybe = bool(made.tests) or unseen(made.frame)
    if made.last in ("autocast", "GradScaler") and made.name.startswith("torch."):
        yield from _autocast(made, maybe)
    elif made.name in _METHODS and not made.args:
        to_be_saved = any(id(option) in copies for option in options(made.base))
        if not to_be_saved:
            yield HalfPrecisionUse(made, f"{made.last}()", _METHODS[made.name], maybe)
    elif made.name in (".to", "torch.set_default_dtype"):
        for value in (*made.args, *made.keywords.values()):
            if dtype := _type(value):
                yield HalfPrecisionUse(made, f"{made.last}({dtype})", dtype, maybe)
    elif made.name.startswith("apex.amp.initialize"):
        yield from _apex(made, maybe)
    elif made.last in ("Trainer", "Accelerator", "Fabric") or made.last.endswith("TrainingArguments"):
        yield from _trainer(made, maybe)


def _autocast(made: Call, maybe: bool) -> Iterator[HalfPrecisionUse]:
    """autocast and GradScaler, which `enabled` turns off."""
    enabled = made.keywords.get("enabled")
    given = list(options(enabled))
    off = all(is_known(option, False) for option in given)
    if enabled is not None and off and not any(getattr(option, "assumed", None) for option in given):
        return
    dtype = next((named for option in options(made.keywords.get("dtype")) if (named := _type(option))), "")
    on = all(is_known(option, True) and not option.assumed for option in given)
    yield HalfPrecisionUse(made, made.last, dtype or "float16", maybe or not (enabled is None or on))


def _trainer(made: Call, maybe: bool) -> Iterator[HalfPrecisionUse]:
    """Arguments of a trainer that ask for half precision."""
    for name, says in _ASKING.items():
        for option in options(made.keywords.get(name)):
            kind = says.get(option.value) if isinstance(option, KnownValue) and _plain(option.value) else None
            if isinstance(option, KnownValue) and kind:
                text = f"{made.last}({name}={option.value!r})"
                yield HalfPrecisionUse(made, text, kind, maybe or bool(option.assumed))


def _plain(value: object) -> bool:
    """Whether it can be a key."""
    return isinstance(value, (str, int))


def _type(value: Value | None) -> str:
    """The half precision that a value names; "" for anything else."""
    if isinstance(value, NamedValue):
        return _TYPES.get(value.name.rpartition(".")[2], "")
    return _TYPES.get(value.value, "") if isinstance(value, KnownValue) and isinstance(value.value, str) else ""
