"""The manifests of several machines, compared with each other: what most of them hold counts as right.

They come as files, one a machine, or from a Dask cluster, each of whose hosts hashes its own copy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from . import manifest as manifests
from .errors import UserError
from .hashing import NO_FILES
from .language import Words, visible, word
from .manifest import Manifest, escaped, read
from .model import Language
from .settings import personal

if TYPE_CHECKING:
    from .cluster import Cluster


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
    unread = [{entry.path for entry in manifest.unread if entry.reason not in NO_FILES} for _, manifest in manifests]
    closed = [tuple(path for path in lost if path.endswith("/")) for lost in unread]
    odd: set[str] = set().union(*unread)
    for other in held[1:]:
        odd.update(path for path, _ in held[0].items() ^ other.items())
    nodes = [Node(name, [], [], [], []) for name, _ in manifests]
    for path in sorted(odd):
        contents = [files.get(path) for files in held]
        hidden = [path in lost or path.startswith(below) for lost, below in zip(unread, closed, strict=True)]
        votes = Counter(md5 for md5, unknown in zip(contents, hidden, strict=True) if not unknown)
        most = max(votes.values(), default=0)
        winners = {md5 for md5, count in votes.items() if count == most}
        if len(winners) > 1:
            winners.discard(None)  # in doubt a file is meant to be there
        for node, md5, unknown in zip(nodes, contents, hidden, strict=True):
            if unknown:
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


def against(made: Sequence[tuple[str, Manifest]], reference: Manifest, root: str) -> Nodes:
    """Compare the manifests of machines, all of the folder `root`, with a reference; a renamed file is missing and extra."""
    nodes, same = [], []
    for name, manifest in made:
        found = manifests.compare(manifest, reference, root=root)
        missing = [file.path for file in found.missing] + [theirs.path for _, theirs in found.renamed]
        extra = [file.path for file in found.extra] + [ours.path for ours, _ in found.renamed]
        different = [ours.path for ours, _ in found.different]
        unread = sorted({*found.uncompared, *(entry.path for entry in manifest.unread if entry.reason not in NO_FILES)})
        nodes.append(Node(name, sorted(missing), sorted(extra), different, unread))
        same.append(found.same)
    return Nodes(nodes, min(same, default=0))


# --- on a cluster -------------------------------------------------------------------------------------------------------


def gather(cluster: Cluster, folder: str, *, full: bool = False) -> Iterator[tuple[str, Manifest | UserError]]:
    """The manifest of `folder` (an absolute path) on each host, as they come; a UserError where there is none.

    A host is named as it calls itself, with its address, for several may call themselves alike.
    """
    for host, outcome in cluster.on_each_host(partial(_hash_here, folder, full)):
        if isinstance(outcome, UserError):
            yield host, outcome
        else:
            name, text = outcome
            yield (host if name == host else f"{name} ({host})"), manifests.decode(text, Path(f"{host}:{folder}"))


def _hash_here(folder: str, full: bool, threads: int) -> tuple[str, bytes]:
    """On a worker: this machine's name and its manifest of `folder`. What it hashed is kept in its cache folder."""
    import hashlib
    import socket

    name = socket.gethostname()
    cache = personal("XDG_CACHE_HOME", "~/.cache")
    key = hashlib.blake2b(f"{name}\0{folder}".encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        steps = manifests.update(folder, cache / f"manifest-{key}.json", full=full, workers=threads, must_save=False)
    except OSError:
        steps = manifests.scan(folder, full=full, workers=threads)
    return name, manifests.encode(manifests.finish(steps))


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
    "failed": {"en": "{name}: {problem}", "zh": "{name}：{problem}"},
    "to-reference": {
        "en": "{same:,} {same:file is|files are} as in {reference} on all {count:,} machines; "
        "{odd:,} {odd:machine differs|machines differ} from it",
        "zh": "全部 {count:,} 台机器上有 {same:,} 个文件与 {reference} 一致，{odd:,} 台机器与之不同",
    },
    "partial": {
        "en": "the result is partial: nothing is known of {count:,} {count:machine|machines}: {names}",
        "zh": "结果不完整：有 {count:,} 台机器没有结果：{names}",
    },
    "verdict": {
        "en": "{same:,} {same:file is|files are} the same on all {count:,} machines; "
        "{odd:,} {odd:machine differs|machines differ} from most",
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
    names = names_of(paths)
    result = compare([(name, read(Path(path))) for name, path in zip(names, paths, strict=True)])
    _tell(result, {}, None, as_json=as_json, language=language, echo=echo)
    return 1 if result.differs else 3 if any(node.unread for node in result.nodes) else 0


def cluster_command(
    folder: str,
    scheduler: str,
    check: str | None,
    *,
    full: bool,
    as_json: bool,
    language: Language,
    echo: Callable[..., object],
) -> int:
    """Have each host of the Dask cluster hash its own `folder`, and compare them with each other, or with the list `check`.

    The exit code: 0; 1 when machines differ; 3 when files or machines could not be read. Raises ReadError, and UserError
    where no cluster is, or one of a single host and nothing to compare with.
    """
    import os

    from .cluster import connect

    reference = None if check is None else manifests.build(check) if Path(check).is_dir() else read(Path(check))
    folder = os.path.abspath(folder)
    made: list[tuple[str, Manifest]] = []
    failed: dict[str, UserError] = {}
    cluster = connect(scheduler)
    try:
        if reference is None and len(cluster.hosts) + len(cluster.unusable) < 2:
            raise UserError("one-host")
        for name, outcome in gather(cluster, folder, full=full):
            if isinstance(outcome, UserError):
                failed[name] = outcome
            else:
                made.append((name, outcome))
    finally:
        cluster.close()
    made.sort(key=lambda entry: entry[0])
    result = compare(made) if reference is None else against(made, reference, folder)
    _tell(result, failed, check, as_json=as_json, language=language, echo=echo)
    return 1 if result.differs else 3 if failed or any(node.unread for node in result.nodes) else 0


def _tell(
    result: Nodes,
    failed: dict[str, UserError],
    reference: str | None,
    *,
    as_json: bool,
    language: Language,
    echo: Callable[..., object],
) -> None:
    """Print a comparison; why machines have no manifest goes to stderr."""
    for name, error in failed.items():
        echo(visible(word(WORDS, "failed", language, name=escaped(name), problem=error.text(language))), err=True)
    if failed:
        names = ", ".join(escaped(name) for name in failed)
        echo(visible(word(WORDS, "partial", language, count=len(failed), names=names)), err=True)
    if as_json:
        plain = {
            "same": result.same,
            "nodes": [
                {"name": escaped(node.name)}
                | {kind: [escaped(path) for path in getattr(node, kind)] for kind in _KINDS}
                for node in result.nodes
            ],
        }
        if failed:
            plain["failed"] = [
                {"name": escaped(name), "problem": error.text(language)} for name, error in failed.items()
            ]
        echo(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode())
    elif result.nodes:
        for line in _lines(result, reference, language):
            echo(visible(line))


_KINDS = ("missing", "different", "extra", "unread")


def names_of(paths: Sequence[str]) -> list[str]:
    """The names of the files without their ending; with their folders where two are named alike."""
    stems = [Path(path).stem for path in paths]
    return stems if len(set(stems)) == len(stems) else list(paths)


def _lines(result: Nodes, reference: str | None, language: Language) -> Iterator[str]:
    for node in result.nodes:
        for kind in _KINDS:
            for path in getattr(node, kind):
                yield f"{escaped(node.name)}  {word(WORDS, kind, language)}  {escaped(path)}"
    for node in result.nodes:
        counts = {kind: len(getattr(node, kind)) for kind in _KINDS}
        yield word(WORDS, "node", language, name=escaped(node.name), **counts)
    odd = sum(node.differs for node in result.nodes)
    key = "verdict" if reference is None else "to-reference"
    yield word(WORDS, key, language, same=result.same, count=len(result.nodes), odd=odd, reference=reference)
