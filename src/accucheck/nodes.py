"""The manifests of several machines, compared with each other: what most of them hold counts as right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from .errors import UserError
from .language import Words, visible, word
from .manifest import Manifest, escaped, read
from .model import Language


class Node(msgspec.Struct, frozen=True):
    """One machine against the others, by path: `missing` here and held by most, `extra` here and held by few, `different` in
    content from most, or from all where no content is held by more machines than another; `unread` could not be read here."""

    name: str
    missing: list[str] = []
    extra: list[str] = []
    different: list[str] = []
    unread: list[str] = []

    @property
    def differs(self) -> bool:
        return bool(self.missing or self.extra or self.different)


class Nodes(msgspec.Struct, frozen=True):
    """All machines, and how many files are the same on each of them."""

    nodes: list[Node]
    same: int

    @property
    def differs(self) -> bool:
        return any(node.differs for node in self.nodes)


def compare(manifests: Sequence[tuple[str, Manifest]]) -> Nodes:
    """Compare the manifests of machines, each with the machine's name."""
    held = [{file.path: file.md5 for file in manifest.files} for _, manifest in manifests]
    unread = [{entry.path for entry in manifest.unread} for _, manifest in manifests]
    odd: set[str] = set().union(*unread)
    for other in held[1:]:
        odd.update(path for path, _ in held[0].items() ^ other.items())
    nodes = [Node(name, [], [], [], []) for name, _ in manifests]
    for path in sorted(odd):
        contents = [files.get(path) for files in held]
        votes = Counter(md5 for md5, lost in zip(contents, unread, strict=True) if path not in lost)
        most = max(votes.values(), default=0)
        winners = {md5 for md5, count in votes.items() if count == most}
        if len(winners) > 1:
            winners.discard(None)  # in doubt a file is meant to be there
        for node, md5, lost in zip(nodes, contents, unread, strict=True):
            if path in lost:
                node.unread.append(path)
            elif md5 is None:
                if winners != {None}:
                    node.missing.append(path)
            elif winners == {None}:
                node.extra.append(path)
            elif len(winners) > 1 or md5 not in winners:
                node.different.append(path)
    every = held[0].keys() | odd if held else set()
    return Nodes(nodes, len(every) - len(odd))


# --- the command accucheck manifest --compare ---------------------------------------------------------------------------

WORDS: Words = {
    "missing": {"en": "missing", "zh": "缺失"},
    "different": {"en": "different", "zh": "内容不同"},
    "extra": {"en": "extra", "zh": "多出"},
    "unread": {"en": "not read", "zh": "未能读取"},
    "node": {
        "en": "{name}: {missing:,} missing, {different:,} different, {extra:,} extra, {unread:,} not read",
        "zh": "{name}：缺失 {missing:,}，内容不同 {different:,}，多出 {extra:,}，未能读取 {unread:,}",
    },
    "verdict": {
        "en": "{same:,} files are the same on all {count:,} machines; {odd:,} machine(s) differ from most",
        "zh": "{same:,} 个文件在全部 {count:,} 台机器上一致，{odd:,} 台机器与多数不同",
    },
}


def command(paths: Sequence[str], *, as_json: bool, language: Language, echo: Callable[..., object]) -> int:
    """Compare the manifests at these paths; a machine is called as its file is.

    The exit code: 0; 1 when machines differ; 3 when files could not be read on some. Raises ReadError, and UserError for
    fewer than two.
    """
    if len(paths) < 2:
        raise UserError("too-few-manifests")
    names = _names(paths)
    result = compare([(name, read(Path(path))) for name, path in zip(names, paths, strict=True)])
    if as_json:
        plain = {
            "same": result.same,
            "nodes": [
                {"name": node.name} | {kind: [escaped(path) for path in getattr(node, kind)] for kind in _KINDS}
                for node in result.nodes
            ],
        }
        echo(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode())
    else:
        for line in _lines(result, language):
            echo(visible(line))
    return 1 if result.differs else 3 if any(node.unread for node in result.nodes) else 0


_KINDS = ("missing", "different", "extra", "unread")


def _names(paths: Sequence[str]) -> list[str]:
    """The names of the files without their ending; with their folders where two are named alike."""
    stems = [Path(path).stem for path in paths]
    return stems if len(set(stems)) == len(stems) else list(paths)


def _lines(result: Nodes, language: Language) -> Iterator[str]:
    for node in result.nodes:
        for kind in _KINDS:
            for path in getattr(node, kind):
                yield f"{escaped(node.name)}  {word(WORDS, kind, language)}  {escaped(path)}"
    for node in result.nodes:
        counts = {kind: len(getattr(node, kind)) for kind in _KINDS}
        yield word(WORDS, "node", language, name=escaped(node.name), **counts)
    odd = sum(node.differs for node in result.nodes)
    yield word(WORDS, "verdict", language, same=result.same, count=len(result.nodes), odd=odd)
