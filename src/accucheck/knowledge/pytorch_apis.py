"""What MindSpore has for each API of PyTorch: pytorch_apis.json.

The rows are those of MindSpore's own table of both frameworks, of today (`now`, most of it mindspore.mint) and of 2.4.10 (`then`,
mindspore.ops and nn), the kinds of difference read from the pages behind it. `same` is what the table lacks though MindSpore
2.10 has it by the same name. Where a run of both showed something else than the table, the row says what was seen. The ways to
do what has no row are our own. Tests repeat that every MindSpore name is there, and run what differs.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from pathlib import Path

import msgspec

from .api import number

#: Modules in the middle of a full name that the short one leaves out.
_INNER = re.compile(
    r"^(torch\.nn)\.(?:modules|parameter)(?:\.[a-z_]\w*)?(?=\.[A-Z])"
    r"|^(torch\.optim)\.(?!lr_scheduler\b)[a-z_]\w*(?=\.[A-Z])"
    r"|^(torch\.utils\.data)\.(?:dataset|dataloader|sampler|_utils\.\w+)(?=\.\w)"
    r"|^(torchvision\.(?:transforms|datasets|ops))\.[a-z_]\w*(?=\.[A-Z])"
)
#: What is no call of anything: types of elements, layouts, versions.
_CONSTANTS = re.compile(
    r"^torch\.(?:b?float(?:\d+\w*)?|double|half|u?int\d+|short|int|long|bool|complex\d+|cfloat|cdouble|char|byte|strided"
    r"|sparse_co[ol]|sparse_csr|jagged|\w+_format|dtype|layout|Size|inf|nan|pi|e|newaxis|__\w+__|version(?:\.\w+)*|typing\S*"
    r"|types\S*|_six\S*)$|^(?:torchvision|torchaudio|torchtext)(?:\.__\w+__|\.datasets\.[a-z]\w*\.[A-Z\d_]+)$"
)


#: Parts of a name that are told; nothing of PyTorch has as many.
LONGEST = 8
_ALIASES = {
    "torch.trapezoid": "torch.trapz",
    "torch.concatenate": "torch.cat",
    "torch.special.expit": "torch.sigmoid",
    "torch.special.gammaln": "torch.lgamma",
    "torch.special.psi": "torch.digamma",
    "torch.nn.functional.tanh": "torch.tanh",
    "torch.linalg.det": "torch.det",
    "torch.linalg.matmul": "torch.matmul",
    "torch.linalg.matrix_exp": "torch.matrix_exp",
    "torch.linalg.matrix_power": "torch.matrix_power",
    "torch.linalg.slogdet": "torch.slogdet",
    "torch.utils.data.DistributedSampler": "torch.utils.data.distributed.DistributedSampler",
}


class Counterpart(msgspec.Struct, frozen=True):
    """An API of MindSpore, without "mindspore."; `differs`: kinds of difference, keys of `kinds`; None when there is none."""

    api: str
    differs: list[str] | None = None


class Row(msgspec.Struct, frozen=True):
    now: list[Counterpart] = []
    then: list[Counterpart] = []
    same: str | None = None


class Replacement(msgspec.Struct, frozen=True):
    """What to do about APIs, by name or by the module they are in; `missing` when it takes writing something anew."""

    torch: list[str]
    api: list[str]
    says: dict[str, str]
    missing: bool = False


class ApiTable(msgspec.Struct, frozen=True, dict=True):
    """`mindspore` and `torch` are the versions that names were checked with; `coarse` kinds are told where nothing exact is."""

    commits: dict[str, str]
    mindspore: str
    torch: str
    table: dict[str, Row]
    ways: list[Replacement]
    tensor_methods: str
    module_methods: str
    kinds: dict[str, dict[str, str]]
    coarse: list[str]

    @cached_property
    def ways_by_name(self) -> dict[str, Replacement]:
        return {name: way for way in self.ways for name in way.torch}

    @cached_property
    def methods(self) -> dict[str, frozenset[str]]:
        """The methods that a tensor and a module really have."""
        return {
            "torch.Tensor": frozenset(self.tensor_methods.split()),
            "torch.nn.Module": frozenset(self.module_methods.split()),
        }


class Status(msgspec.Struct, frozen=True):
    """What there is for an API. `status`:

    consistent  an API of the same meaning, parameters and defaults: the first of `counterparts`
    differs     one that differs, in kinds of `known().kinds`
    otherwise   something else does it, as `way` says, or (`way` is None) an API of this name that the table does not describe
    missing     nothing does
    """

    name: str
    status: str
    counterparts: list[Counterpart] = []
    way: Replacement | None = None


@cache
def known() -> ApiTable:
    return msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=ApiTable)


@cache
def look_up(api: str, version: str) -> Status | None:
    """What MindSpore of a version has for an API of PyTorch, given by its full name; None for what is no API."""
    data = known()
    name = _short(api)
    if _CONSTANTS.match(name):
        return None
    owner, _, method = name.rpartition(".")
    if owner in data.methods and method not in data.methods[owner]:
        return None  # of the user's own class
    older = number(version)[:2] < (2, 5)
    rows = [row for candidate in _names(name) if (row := data.table.get(candidate)) is not None]
    for row in rows:
        listed = row.then if older else [*row.now, *(one for one in row.then if one not in row.now)]
        exact = [one for one in listed if one.differs is None]
        if exact:
            return Status(name, "consistent", [*exact, *(one for one in listed if one.differs is not None)])
        if listed:
            return Status(name, "differs", [*listed, *([] if older else _unlisted(row))])
    if not older and (same := [one for row in rows for one in _unlisted(row)]):
        return Status(name, "otherwise", same)
    if name not in data.ways_by_name and (above := _above(name)):
        return look_up(above, version)
    if way := _way(name):
        return Status(_group(name, way), "missing" if way.missing else "otherwise", [], way)
    if owner in _FUNCTIONS and method.endswith("_") and (found := look_up(name[:-1], version)) and found.counterparts:
        return Status(name, "otherwise", [], _IN_PLACE)
    if owner == "torch.Tensor" and (found := look_up(f"torch.{method}", version)) and found.counterparts:
        return Status(name, "otherwise", [_as_function(one) for one in found.counterparts[:1]])
    return Status(".".join(name.split(".")[:LONGEST]), "missing") if _callable(name) else None


#: Where functions have a form that works in place, with "_" behind its name.
_FUNCTIONS = ("torch.Tensor", "torch", "torch.nn.functional")
_IN_PLACE = Replacement(
    torch=[],
    api=[],
    says={
        "en": "There is no in-place form: assign the result of the form without _.",
        "zh": "没有原地修改的形式：改用不带下划线的形式，并使用其返回值。",
    },
)


def _unlisted(row: Row) -> list[Counterpart]:
    return [Counterpart(row.same, ["unlisted"])] if row.same else []


def _as_function(one: Counterpart) -> Counterpart:
    return Counterpart(one.api, ["function", *(kind for kind in one.differs or () if kind != "unlisted")])


def _short(api: str) -> str:
    """The name that documentation calls it by."""
    short = _INNER.sub(lambda match: next(part for part in match.groups() if part), api)
    short = re.sub(
        r"^torch\.optim\.lr_scheduler\.(?:_?[A-Z]\w*)\.(?=[a-z])", "torch.optim.lr_scheduler.LRScheduler.", short
    )
    return re.sub(r"^torch\.optim\.[A-Z]\w*\.(?=[a-z])", "torch.optim.Optimizer.", short)


def _names(name: str) -> list[str]:
    """The name, and where the same function is found beside: torch.relu is torch.nn.functional.relu."""
    space, _, last = name.rpartition(".")
    if name in _ALIASES:
        return [_ALIASES[name]]
    if space == "torch" and last.islower():
        return [name, f"torch.nn.functional.{last}"]
    if space in ("torch.nn.functional", "torch.special", "torch.random"):
        return [name, f"torch.{last}"]
    return [name]


def _way(name: str) -> Replacement | None:
    ways = known().ways_by_name
    while name not in ways and "." in name:
        above = name.rpartition(".")[0]
        if above in known().methods:
            return None
        name = above
    return ways.get(name)


def _above(name: str) -> str | None:
    """The function or class that something is an attribute of: torch.abs.__name__ is about torch.abs."""
    parts = name.split(".")[:LONGEST]
    return next((up for n in range(len(parts) - 1, 1, -1) if (up := ".".join(parts[:n])) in known().table), None)


def _group(name: str, way: Replacement) -> str:
    """A class for all that is used of it."""
    parts = name.split(".")
    place = next((n for n, part in enumerate(parts) if part.lstrip("_")[:1].isupper()), len(parts) - 1)
    short = ".".join(parts[: place + 1])
    return name if name in way.torch else short


def _callable(name: str) -> bool:
    """Whether it is more than a module: torch.nn itself is none."""
    return name.count(".") > 0 and name not in (
        "torch.nn",
        "torch.nn.functional",
        "torch.optim",
        "torch.utils.data",
        "torch.utils",
    )
