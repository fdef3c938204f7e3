"""Calls of MindSpore that a version of it refuses: a parameter that is not there, too many arguments, a name that is gone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from ..knowledge import api, names, signatures
from ..knowledge.api import Signature
from .analysis import Reading
from .ranks import tests_of
from .source import Source
from .syntax import walk
from .values import Call


@dataclass(frozen=True, eq=False)
class RefusedCall:
    """A call that is refused. `code` says how; `until` is the last version that is known to take it, "" for none; `former`: earlier ones
    had what is gone. `guarded`: a condition or a handler of exceptions may keep the script from it, or from stopping there."""

    code: str
    place: Call
    data: dict[str, Any] = field(default_factory=dict)
    until: str = ""
    former: bool = False

    @property
    def guarded(self) -> bool:
        call = self.place
        return bool(call.tests or call.left) or _is_tried(call.source, call.line)


@dataclass(eq=False)
class Refusals:
    """What of the calls in these scripts a version refuses; `fit` counts those that it takes, by canonical name."""

    readings: Sequence[Reading]
    version: str
    fit: dict[str, int] = field(default_factory=dict)

    def examine(self) -> Iterator[RefusedCall]:
        """Each place once, and each name that is gone once, in the order of the scripts."""
        seen: set[tuple[str, int, int]] = set()
        gone: set[str] = set()
        for call in (call for reading in self.readings for call in reading.trace.calls):
            name, node = _known_as(call), call.node
            if not name or not isinstance(node, ast.Call) or not _written_there(call, node):
                continue
            place = call.source.path, node.lineno, node.col_offset
            if place in seen:
                continue
            seen.add(place)
            found = self._of(call, node, name)
            if found is not None and not (found.code == "gone" and found.data["api"] in gone):
                gone.add(found.data["api"] if found.code == "gone" else "")
                yield found

    def _of(self, call: Call, node: ast.Call, name: str) -> RefusedCall | None:
        known = signatures.load()
        if known.is_of(self.version) and (gone := known.lacks(call.name)):
            return (
                None if _is_asked_for(call) else RefusedCall("gone", call, {"api": gone}, former=gone in names.FORMER)
            )
        signature = self._signature(name)
        if signature is None:
            return None
        found = _misfit(signature, call, node)
        if found is None:
            self.fit[name] = self.fit.get(name, 0) + 1
            return None
        code, data = found
        return RefusedCall(code, call, {"api": name, **data}, _older(name, call))

    def _signature(self, name: str) -> Signature | None:
        """What it takes in this version, where that is known for certain: no `*args` and no `**kwargs`."""
        known, written = signatures.load(), api.find(name)
        own = known.signature(name)
        # What hides its signature has none in signatures.json; methods are in api.json alone.
        whole = written is not None and (own is not None or written.further or name.rpartition(".")[2][:1].islower())
        if written is not None and whole:
            own = own if known.is_of(self.version) and own is not None else written.at(self.version)
        elif not known.is_of(self.version):
            return None
        if not known.is_of(self.version) and name in signatures.former():
            return None  # from which version on it takes what today's does is not known
        vague = own is None or any(one.startswith("*") and len(one) > 1 for one in own.parameters)
        return None if vague else own


def _known_as(call: Call) -> str:
    """The canonical name of what is called, of a method too where its object is one of MindSpore's; "" for anything else.

    What lies in a private module may be another thing than what is called so in public.
    """
    if call.name.startswith("mindspore."):
        return "" if any(part[:1] == "_" for part in call.name.split(".")) else call.api
    base = call.base
    if call.name.startswith(".") and isinstance(base, Call) and base.name.startswith("mindspore."):
        return base.api + call.name if api.find(base.api + call.name) is not None else ""
    return ""


def _is_asked_for(call: Call) -> bool:
    """Whether a condition around a call asks for its name: hasattr(nn, "Name"), "Name" in dir(nn)."""
    words = (node for test in tests_of(call) for node in walk(test.node) if isinstance(node, ast.Constant))
    return any(node.value == call.last for node in words)


def _is_tried(source: Source, line: int) -> bool:
    """Whether a line stands in the body of a try that handles something."""
    return any(
        node.handlers and node.body[0].lineno <= line <= (node.body[-1].end_lineno or node.body[-1].lineno)
        for node in source.nodes_of(ast.Try)
    )


def _written_there(call: Call, node: ast.Call) -> bool:
    """False for what the framework calls in turn, such as a function that is mapped: the arguments of the node are not its own."""
    return call.unpacked or (len(call.args), len(call.keywords)) == (len(node.args), len(node.keywords))


def _nearest(keyword: str, accepted: list[str]) -> str:
    """The parameter that a keyword may have been meant for."""
    near = [one for one in accepted if keyword in one] or get_close_matches(keyword, accepted, 1)
    return near[0] if near else ""


def _misfit(signature: Signature, call: Call, node: ast.Call) -> tuple[str, dict[str, Any]] | None:
    """How what is written in a call does not fit a signature, with what tells it; None where it fits, or may."""
    positional = signature.positional
    accepted = [one for one in signature.parameters if one != "*"]
    starred = call.unpacked or any(isinstance(one, ast.Starred) for one in node.args)
    for keyword in (one.arg for one in node.keywords if one.arg is not None):
        if keyword not in accepted:
            shown = accepted or {"en": "none", "zh": "无"}
            return "keyword", {"name": keyword, "accepted": shown, "near": _nearest(keyword, accepted)}
        if not starred and keyword in positional[: len(node.args)]:
            return "twice", {"name": keyword}
    if not starred and len(node.args) > len(positional):
        return "positional", {"count": len(node.args), "most": len(positional)}
    return None


def _older(name: str, call: Call) -> str:
    """The last version whose signature takes a call that today's refuses."""
    written = api.find(name)
    older = [*signatures.former().get(name, ()), *(written.older if written is not None else ())]
    return next((one.until for one in reversed(older) if one.bind(call.args, call.keywords) is not None), "")
