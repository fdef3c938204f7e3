"""Compares the training data of several machines with each other by MD5, and names the machine whose copy differs, and its files.

The machines are the hosts of a Dask cluster (--scheduler), each of which hashes its own copy, or the manifests that each of
them wrote (data.nodes). What most of them hold counts as right. Cannot tell whether what all machines hold is right (see
dataset_digest), nor anything of machines that are not in the cluster or the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case, redacted
from ..errors import ReadError, UserError
from ..language import Words
from ..model import Finding, Fix, Kind, Language, Level, Progress, Table, Verdict, Where
from ..probe import Example, Skip
from . import _files

if TYPE_CHECKING:
    from ..manifest import Manifest
    from ..nodes import Node

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (("data.nodes", "data.train.path"),)


class Params(msgspec.Struct, frozen=True):
    full: Annotated[
        bool,
        Meta(
            description="have each machine hash every file, even when its size and times are those of its last run",
            extra={"unit": "-", "source": "own choice: size and times show every change but a decaying disk"},
        ),
    ] = False


MESSAGES: Words = {
    "needs-nodes": {
        "en": "There is one machine only. Give the scheduler of a Dask cluster (accucheck run --scheduler tcp://host:8786), or the "
        "manifests of the machines in data.nodes (made on each with accucheck manifest).",
        "zh": "只有一台机器。请给出 Dask 集群的 scheduler（accucheck run --scheduler tcp://host:8786），或在 data.nodes 中列出各机器的清单"
        "（在每台机器上用 accucheck manifest 生成）。",
    },
    "address-alone": {
        "en": "{path} is an address: each machine would read the same data there, so there are no copies to compare.",
        "zh": "{path} 是远程地址：各机器读取的是同一份数据，没有各自的副本可比对。",
    },
    "one-node": {
        "en": "There is only one machine to look at, so nothing can be compared.",
        "zh": "只有一台机器可查，无从比对。",
    },
    "node-differs": {
        "en": "The machine {node} differs from most: {missing:,} {missing:file|files} missing, {different:,} different, "
        "{extra:,} extra, the first is {first}.",
        "zh": "机器 {node} 与多数机器不同：缺失 {missing:,} 个文件，内容不同 {different:,} 个，多出 {extra:,} 个，首个为 {first}。",
    },
    "node-unread": {
        "en": "The machine {node} could not read {count:,} {count:file|files}, the first is {first}; nothing is known of {count:it|them}.",
        "zh": "机器 {node} 有 {count:,} 个文件无法读取，首个为 {first}，这些文件没有结果。",
    },
    "node-failed": {
        "en": "Nothing is known of the machine {node}: {problem}",
        "zh": "机器 {node} 没有结果：{problem}",
    },
    "nodes": {
        "en": "{same:,} {same:file is|files are} the same on all {count:,} machines that answered ({names}).",
        "zh": "{count:,} 台有结果的机器（{names}）上有 {same:,} 个文件一致。",
    },
    "no-file": {
        "en": "The machines hold no file there, so nothing was compared.",
        "zh": "各机器上该处都没有文件，因此没有比对。",
    },
    "copy-again": {
        "en": "Copy the listed files to this machine again from one that is intact, and check once more.",
        "zh": "请从正常的机器重新拷贝所列文件到该机器，然后再次检查。",
    },
}
WHY: Words = {
    "node-differs": {
        "en": "The devices of this machine train on different samples from the rest, or on a different number of them: gradients are "
        "averaged over unintended data, and shards overlap or leave gaps.",
        "zh": "该机器上的卡用不同的样本或不同数量的样本训练：梯度在非预期的数据上平均，各分片会重叠或遗漏。",
    }
}
PROOF: Words = {
    "node-differs": {
        "en": "On that machine and another, run md5sum on a listed file.",
        "zh": "在该机器与另一台机器上分别对所列文件运行 md5sum。",
    }
}
WORDS: Words = {
    "unread": {"en": "Files that could not be read", "zh": "无法读取的文件"},
    "file": {"en": "file", "zh": "文件"},
    "missing": {"en": "Missing files", "zh": "缺少的文件"},
    "different": {"en": "Files that differ", "zh": "内容不同的文件"},
    "extra": {"en": "Extra files", "zh": "多出的文件"},
}

_ROWS = 200


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from .. import scan
    from ..manifest import read
    from ..nodes import gather, names_of

    made: list[tuple[str, Manifest]] = []
    failed: list[tuple[str, UserError]] = []
    if lists := case.paths("data.nodes"):
        names = names_of([case.relative(path) for path in lists])
        for done, (name, path) in enumerate(zip(names, lists, strict=True), 1):
            try:
                made.append((name, read(path)))
            except ReadError as error:
                failed.append((name, error))
            yield Progress(done, len(lists), "files")
        yield from _findings(made, failed, Where())
        return
    cluster = scan.cluster()
    if cluster is None:
        raise Skip("needs-nodes")
    for address in _files.addresses(case, "data.train.path"):
        if "://" in address:
            raise Skip("address-alone", path=redacted(address))
    for path in case.paths("data.train.path"):
        made, failed = [], []
        for name, outcome in gather(cluster, str(path), full=params.full):
            if isinstance(outcome, UserError):
                failed.append((name, outcome))
            else:
                made.append((name, outcome))
        yield from _findings(made, failed, Where(path=case.relative(path)))


def _of_node(node: Node, where: Where) -> Iterator[Finding]:
    from ..manifest import escaped

    kinds: dict[str, list[str]] = {kind: getattr(node, kind) for kind in ("missing", "different", "extra")}
    if tables := [_table(kind, paths) for kind, paths in kinds.items() if paths]:
        counts = {kind: len(paths) for kind, paths in kinds.items()}
        data: dict[str, Any] = {"node": node.name, "first": tables[0].rows[0][0], **counts}
        yield Finding("node-differs", Level.PROBLEM, where, data, [*tables], Fix("copy-again"))
    if node.unread:
        data = {"node": node.name, "count": len(node.unread), "first": escaped(node.unread[0])}
        yield Finding("node-unread", Level.SUSPECT, where, data, [_table("unread", node.unread)], incomplete=True)


def _findings(made: list[tuple[str, Manifest]], failed: list[tuple[str, UserError]], where: Where) -> Iterator[Finding]:
    from ..nodes import compare

    if len(made) + len(failed) < 2:
        raise Skip("one-node")
    for name, error in sorted(failed, key=lambda entry: entry[0]):
        problem = {language.value: error.text(language) for language in Language}
        yield Finding("node-failed", Level.SUSPECT, where, {"node": name, "problem": problem}, incomplete=True)
    result = compare(sorted(made, key=lambda entry: entry[0]))
    for node in result.nodes:
        yield from _of_node(node, where)
    if len(made) < 2:
        return
    if not any(manifest.files for _, manifest in made):
        yield Finding("no-file", Level.SUSPECT, where, incomplete=True)
    names = ", ".join(node.name for node in result.nodes[:8]) + (" ..." if len(result.nodes) > 8 else "")
    yield Finding("nodes", Level.INFO, where, {"same": result.same, "count": len(made), "names": names})


def _table(title: str, paths: list[str]) -> Table:
    from ..manifest import escaped

    return Table(title, ["file"], [[escaped(path)] for path in paths[:_ROWS]], len(paths))


# --- examples -----------------------------------------------------------------------------------------------------------

_A, _B, _C = "0cc175b9c0f1b6a831c399e269772661", "92eb5ffee6ae2fec3ad71c777531578f", "4a8a08f09d37b73795649038408b5f33"


def _example(name: str, lists: list[str], verdict: Verdict, *codes: str) -> Example:
    files: dict[str, Any] = {f"node{number}.md5": text for number, text in enumerate(lists, 1)}
    return Example(name, files=files, case={"data": {"nodes": list(files)}}, verdict=verdict, codes=codes)


_WHOLE = f"{_A}  cat/1.jpg\n{_B}  dog/1.jpg\n"
EXAMPLES = [
    _example("three machines with the same files", [_WHOLE] * 3, Verdict.OK),
    _example("one of three lost a file", [_WHOLE, _WHOLE, f"{_A}  cat/1.jpg\n"], Verdict.PROBLEM, "node-differs"),
    _example(
        "one of three has an old version and a file too many",
        [_WHOLE, f"{_A}  cat/1.jpg\n{_C}  dog/1.jpg\n{_C}  dog/2.jpg\n", _WHOLE],
        Verdict.PROBLEM,
        "node-differs",
    ),
    _example("the list of one machine is damaged", [_WHOLE, _WHOLE, "not a list\n"], Verdict.UNDECIDED, "node-failed"),
]
