"""Compares the files of the training data with a standard by MD5, by name and by content.

The standard is another copy of the folder, a list of MD5s (ours, md5sum, BSD md5, hashdeep), or a known public data set.
Catches missing, extra, changed, truncated and renamed files. Cannot tell whether the standard itself is right, nor what a
training reads out of equal files. Without a standard nothing is decided; the tree's own MD5 is given to compare by eye. Data at
an fsspec address are read whole in each run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from ..case import Case, redacted
from ..errors import ReadError, from_os_error
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example, Skip
from . import _files

if TYPE_CHECKING:
    from ..knowledge.known_datasets import KnownFile
    from ..manifest import Comparison, File, Manifest

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("data.train.path",)
USES = ("data.reference.path", "data.reference.manifest", "data.reference.known", "data.reference.files")


class Params(msgspec.Struct, frozen=True):
    full: Annotated[
        bool,
        Meta(
            description="hash every file, even when its size and time are those of the last run",
            extra={
                "unit": "-",
                "source": "own choice: size and times show every change but a decaying disk",
            },
        ),
    ] = False


MESSAGES: Words = {
    "tree": {
        "en": "The training data: {files:,} {files:file|files}, {bytes:,} bytes, MD5 of the whole {digest} "
        "({hashed:,} {hashed:file|files} hashed{reused:, 1 unchanged since the last run|, {reused:,} unchanged since the last run|}).",
        "zh": "训练数据共 {files:,} 个文件、{bytes:,} 字节，整体 MD5 为 {digest}"
        "（本次计算 {hashed:,} 个，自上次运行未变而复用 {reused:,} 个）。",
    },
    "empty": {
        "en": "There is no file in {path}; there is nothing to train on, or the path is wrong.",
        "zh": "{path} 下没有任何文件：没有可训练的数据，或路径有误。",
    },
    "restricted": {
        "en": "Limited to {used:,} of the {listed:,} files in {list} ({outside:,} lie outside the training data, "
        "{absent:,} do not exist).",
        "zh": "仅检查 {list} 所列 {listed:,} 个文件中的 {used:,} 个（{outside:,} 个不在训练数据目录内，{absent:,} 个不存在）。",
    },
    "recorded-partly": {
        "en": "The recording {list} may not name all files that were opened: the recorder was not closed, or missed some.",
        "zh": "训练记录 {list} 可能未列全打开过的文件：Recorder 未正常关闭，或有遗漏。",
    },
    "listed-absent": {
        "en": "{count:,} of the {listed:,} names in {list} belong to no file, the first is {first}. Give them relative to the training "
        "data or to the project, or record the list again.",
        "zh": "{list} 所列 {listed:,} 个名称中有 {count:,} 个没有对应文件，首个为 {first}。"
        "请使用相对训练数据目录或项目目录的路径，或重新记录列表。",
    },
    "no-reference": {
        "en": "No reference given; nothing to compare the data with. MD5 of the whole: {digest} "
        "({files:,} {files:file|files}, {bytes:,} bytes); compare it with that of a known-good copy.",
        "zh": "未给出标准数据集，因此没有比对。整体 MD5 为 {digest}（{files:,} 个文件，{bytes:,} 字节），可与确认无误的副本比对。",
    },
    "give-reference": {
        "en": "Set data.reference.path (another copy), data.reference.manifest (made with accucheck manifest or md5sum on a "
        "good copy) or data.reference.known (a public data set) in accucheck.yaml.",
        "zh": "请在 accucheck.yaml 中设置 data.reference.path（另一份副本）、data.reference.manifest"
        "（在正确副本上用 accucheck manifest 或 md5sum 生成）或 data.reference.known（公开数据集名称）。",
    },
    "address-alone": {
        "en": "{path} is an address: it can only be compared alone, without other paths and without data.reference.files.",
        "zh": "{path} 是远程地址：只能单独比对，不能与其他路径或 data.reference.files 一起使用。",
    },
    "same-folder": {
        "en": "{reference} is the training data itself; comparing it with itself proves nothing.",
        "zh": "{reference} 就是训练数据本身，与自身比对没有意义。",
    },
    "equal": {
        "en": "{same:The one file has|All {same:,} files have} the name and content of the reference {reference}.",
        "zh": "全部 {same:,} 个文件的名称与内容均与标准 {reference} 一致。",
    },
    "missing": {
        "en": "Missing files of the reference {reference}: {count:,}, the first: {first}.",
        "zh": "与标准 {reference} 相比缺少 {count:,} 个文件，首个为 {first}。",
    },
    "different": {
        "en": "{count:,} {count:file differs|files differ} from {reference} in content{resized: (1 of them also in size)| ({resized} of "
        "them also in size)|}, the first: {first}.",
        "zh": "{count:,} 个文件的内容与 {reference} 不一致"
        "{resized:（其中 1 个大小也不同）|（其中 {resized} 个大小也不同）|}，首个为 {first}。",
    },
    "extra": {
        "en": "Files that the reference {reference} does not have: {count:,}, the first: {first}. A loader may read them.",
        "zh": "多出 {count:,} 个标准 {reference} 中没有的文件，首个为 {first}，数据加载时可能会读入。",
    },
    "renamed": {
        "en": "Files with the content of the reference {reference} but a different name: {count:,}, the first: {first} is {old} there. "
        "If folder or file names carry the label, the labels change.",
        "zh": "{count:,} 个文件的内容与标准 {reference} 一致但名称不同，首个为 {first}（标准中为 {old}）。"
        "若以目录或文件名作为标签，标签会随之改变。",
    },
    "no-data": {
        "en": "Files that are not data (hidden files, checksums, a README) and differ from the reference {reference}: {count:,}.",
        "zh": "{count:,} 个非数据文件（隐藏文件、校验码、README 等）与标准 {reference} 有差异。",
    },
    "copy-again": {
        "en": "Copy the listed files again from the reference and check once more.",
        "zh": "请从标准数据集重新拷贝所列文件，然后再次检查。",
    },
    "outside": {
        "en": "Files of the reference {reference} that lie outside the training data and were left out: {count:,}.",
        "zh": "标准 {reference} 中有 {count:,} 个文件不在训练数据目录内，未参与比对。",
    },
    "uncovered": {
        "en": "The standard {reference} describes only a part of the training data; files compared with nothing: {count:,}.",
        "zh": "标准 {reference} 只覆盖训练数据的一部分，有 {count:,} 个文件没有比对。",
    },
    "uncompared": {
        "en": "Files not compared with {reference}, because one side could not be read: {count:,}, the first: {first}.",
        "zh": "{count:,} 个文件有一侧无法读取，未能与 {reference} 比对，首个为 {first}。",
    },
    "unreadable": {
        "en": "Files or folders of {tree} that could not be hashed: {count:,}, the first: {first}.",
        "zh": "{tree} 中有 {count:,} 个文件或目录无法计算，首个为 {first}。",
    },
    "not-files": {
        "en": "Entries of {tree} passed over, being pipes, sockets, devices or links in a circle: {count:,}.",
        "zh": "{tree} 中有 {count:,} 项是管道、套接字、设备或循环链接，已跳过。",
    },
    "duplicates": {
        "en": "Contents that occur more than once: {groups:,}, in {files:,} files altogether.",
        "zh": "有 {groups:,} 份内容重复出现，共涉及 {files:,} 个文件。",
    },
    "recognised": {
        "en": "Files recognised as part of the public data set {dataset}: {count:,}.",
        "zh": "{count:,} 个文件与公开数据集 {dataset} 一致。",
    },
    "known-different": {
        "en": "Files named as in the public data set {dataset} but with different content: {count:,}, the first: {first} ({size:,} "
        "bytes, published: {expected} bytes).",
        "zh": "{count:,} 个文件与公开数据集 {dataset} 同名但内容不同，首个为 {first}（{size:,} 字节，公布值为 {expected} 字节）。",
    },
    "known-missing": {
        "en": "Missing training files of the public data set {dataset}: {count:,}, the first: {first}.",
        "zh": "缺少公开数据集 {dataset} 的 {count:,} 个训练文件，首个为 {first}。",
    },
    "known-undecided": {
        "en": "None of the files that a training on {dataset} reads has a published MD5 (only archives, or other files, are "
        "listed); give a folder or a list of MD5s to compare with.",
        "zh": "训练 {dataset} 时读取的文件没有公布的 MD5（只有压缩包或其他文件的），请给出用于比对的目录或 MD5 清单。",
    },
}

WORDS: Words = {
    "missing": {"en": "missing files", "zh": "缺少的文件"},
    "listed-absent": {"en": "listed names without a file", "zh": "列表中没有对应文件的名称"},
    "different": {"en": "files that differ", "zh": "内容不同的文件"},
    "extra": {"en": "extra files", "zh": "多出的文件"},
    "renamed": {"en": "renamed files", "zh": "改名的文件"},
    "uncompared": {"en": "files not compared", "zh": "未比对的文件"},
    "duplicates": {"en": "files with the same content", "zh": "内容相同的文件"},
    "recognised": {"en": "files of public data sets", "zh": "公开数据集文件"},
    "no-permission": {"en": "permission denied", "zh": "没有权限"},
    "not-found": {"en": "links to nothing, or gone while they were read", "zh": "失效的链接，或读取期间被删除"},
    "changed": {"en": "changed while they were read", "zh": "读取期间被修改"},
    "io": {"en": "read errors", "zh": "读取出错"},
    "not-a-directory": {"en": "replaced while they were read", "zh": "读取期间被替换"},
    "is-directory": {"en": "replaced while they were read", "zh": "读取期间被替换"},
    "not-regular": {"en": "pipes, sockets, devices", "zh": "管道、套接字、设备"},
    "link-loop": {"en": "links in a circle", "zh": "循环链接"},
    "file": {"en": "file", "zh": "文件"},
    "size": {"en": "bytes", "zh": "字节数"},
    "size-here": {"en": "bytes here", "zh": "此处字节数"},
    "size-standard": {"en": "bytes in the reference", "zh": "标准字节数"},
    "md5": {"en": "MD5", "zh": "MD5"},
    "md5-here": {"en": "MD5 here", "zh": "此处 MD5"},
    "md5-standard": {"en": "MD5 in the reference", "zh": "标准 MD5"},
    "name-standard": {"en": "name in the reference", "zh": "标准中的名称"},
    "dataset": {"en": "data set", "zh": "数据集"},
    "copies": {"en": "copies", "zh": "份数"},
    "problem": {"en": "problem", "zh": "问题"},
}

_ROWS = 200
#: The list of files a training opened: a longer one is refused.
_LIST_BYTES = 256 << 20
_NO_DATA = re.compile(
    r"(^|/)\.|(^|/)(__macosx|__pycache__)/|\.(md5|md5sum|sha1|sha256|sha512|db-journal|log|lock|pyc)$|-journal$"
    r"|(^|/)(readme|licen[cs]e|copying|notice|authors|citation|changelog)(\.[a-z]+)?$"
    r"|(^|/)(thumbs\.db|desktop\.ini|md5sums?(\.txt)?|sha256sums?(\.txt)?)$",
    re.I,
)
#: Parts of a public data set that a training need not have.
_NOT_TRAINING = re.compile(r"t10k|test|val|dev|meta|extra|unlabeled", re.I)


# --- the training data --------------------------------------------------------------------------------------------------


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from .. import manifest as manifests
    from ..knowledge.known_datasets import of_dataset

    named = _files.addresses(case, "data.train.path")
    lists = case.paths("data.reference.files") + case.paths("data.reference.manifest")
    if remote := [address for address in named if "://" in address]:
        if len(named) > 1 or case.get("data.reference.files") is not None:
            raise Skip("address-alone", path=redacted(remote[0]))
        yield from _at_address(case, remote[0], lists)
        return
    base, starts = _where([case.path(address) for address in named])
    folder = base if os.path.isdir(base) else os.path.dirname(base)  # noqa: PTH112
    shown = case.relative(base)
    only: set[str] | None = None
    if listing := case.paths("data.reference.files"):
        only, said = _listed(listing[0], folder, case)
        yield from said
        starts = sorted(only)
    actual = yield from _hash(case, base, starts, params, skip=lists)
    yield from _unread(actual, shown)
    numbers = {"files": len(actual.files), "bytes": actual.bytes, "digest": manifests.tree_digest(actual)}
    where = Where(path=shown)
    yield Finding("tree", Level.INFO, where, {**numbers, "hashed": actual.hashed, "reused": actual.reused})
    if not actual.files and only is None:
        yield Finding("empty", Level.SUSPECT, where, {"path": shown}, incomplete=True)
    if finding := _duplicates(actual, where):
        yield finding

    given = False
    for address in _files.addresses(case, "data.reference.path"):
        given = True
        if "://" in address:
            reference = yield from _streamed(case, address)
            yield from _unread(reference, reference.root)
            yield from _differences(manifests.compare(actual, reference, only=only), reference.root, where)
            continue
        path = case.path(address)
        if os.path.realpath(path) == os.path.realpath(base):
            yield Finding("same-folder", Level.INFO, where, {"reference": case.relative(path)}, incomplete=True)
            continue
        alike = only is not None and any(os.path.lexists(os.path.join(path, name)) for name in islice(only, 100))
        reference = yield from _hash(case, os.path.abspath(path), starts if alike else None, params, skip=lists)
        yield from _unread(reference, case.relative(path))
        if path.is_file() and len(actual.files) == len(reference.files) == 1:  # then the name does not matter
            renamed = msgspec.structs.replace(reference.files[0], path=actual.files[0].path)
            reference = msgspec.structs.replace(reference, files=[renamed])
        yield from _differences(
            manifests.compare(actual, reference, only=only, root=folder), case.relative(path), where
        )
    # `md5sum * > list` also sums the list while it is still empty
    own = {os.path.relpath(path, folder) for path in lists}
    for path in case.paths("data.reference.manifest"):
        given = True
        result = manifests.compare(actual, manifests.read(path), only=only, root=folder, without=own)
        yield from _differences(result, case.relative(path), where)
    known = case.get("data.reference.known")
    if known is not None:
        yield from _against_known(actual, of_dataset(known), where)
    elif not (yield from _recognise(actual, base, where, judge=not given)) and not given:
        yield Finding("no-reference", Level.INFO, where, numbers, fix=Fix("give-reference"), incomplete=True)


def _at_address(case: Case, address: str, lists: list[Path]) -> Iterator[Finding | Progress]:
    """The same for data at an address: every file is read in each run, as no file system tells the MD5 of all that it holds."""
    from .. import manifest as manifests
    from ..knowledge.known_datasets import of_dataset

    actual = yield from _streamed(case, address)
    yield from _unread(actual, actual.root)
    where = Where(path=actual.root)
    numbers = {"files": len(actual.files), "bytes": actual.bytes, "digest": manifests.tree_digest(actual)}
    yield Finding("tree", Level.INFO, where, {**numbers, "hashed": actual.hashed, "reused": 0})
    if not actual.files:
        yield Finding("empty", Level.SUSPECT, where, {"path": actual.root}, incomplete=True)
    if finding := _duplicates(actual, where):
        yield finding
    references = []
    for other in _files.addresses(case, "data.reference.path"):
        if "://" in other:
            references.append((yield from _streamed(case, other)))
        else:
            references.append((yield from manifests.scan(os.path.abspath(case.path(other)), skip=lists)))
    references += [manifests.read(path) for path in case.paths("data.reference.manifest")]
    for reference in references:
        yield from _unread(reference, reference.root)
        yield from _differences(manifests.compare(actual, reference), case.relative(reference.root), where)
    known = case.get("data.reference.known")
    if known is not None:
        yield from _against_known(actual, of_dataset(known), where)
    elif not (yield from _recognise(actual, actual.root, where, judge=not references)) and not references:
        yield Finding("no-reference", Level.INFO, where, numbers, fix=Fix("give-reference"), incomplete=True)


def _streamed(case: Case, address: str) -> Generator[Progress, None, Manifest]:
    """The manifest of what lies at an address. Raises ReadError when that cannot be listed."""
    import hashlib

    from ..hashing import UnreadEntry
    from ..manifest import File, Manifest
    from ..readers.detect import files
    from ..readers.places import RemotePath, at, below, listed, opened, size_of

    root = at(address, case.agreed)
    refused: list[ReadError] = []
    paths = sorted(listed(root) if isinstance(root, RemotePath) else files(root, refused.append), key=str)
    total, done = sum(map(size_of, paths)), 0
    hashed: list[File] = []
    unread = [UnreadEntry(str(error.data["path"]), error.code, str(error.data.get("problem", ""))) for error in refused]
    for path in paths:
        made = hashlib.md5(usedforsecurity=False)
        name, size = "/".join(below(root, path)), 0
        try:
            with opened(path) as stream:
                while block := stream.read(1 << 20):
                    made.update(block)
                    size += len(block)
                    yield Progress(min(done + size, total), total, "bytes")
            hashed.append(File(name, made.hexdigest(), size))
        except ReadError as error:
            unread.append(UnreadEntry(name, error.code, str(error.data.get("problem", ""))))
        done += size_of(path)
    return Manifest(redacted(address).rstrip("/"), hashed, unread=unread, hashed=len(hashed))


def _where(paths: list[Path]) -> tuple[str, list[str] | None]:
    """The folder (or file) to hash, and where to start within it when several paths were given."""
    for path in paths:
        try:
            path.stat()
        except OSError as error:
            raise from_os_error(error, path) from None
    absolute = [os.path.abspath(path) for path in paths]
    if len(absolute) == 1:
        return absolute[0], None
    base = os.path.commonpath(absolute)
    if not os.path.isdir(base):  # noqa: PTH112
        base = os.path.dirname(base)
    return base, [os.path.relpath(path, base) for path in absolute]


def _hash(
    case: Case, base: str, within: list[str] | None, params: Params, skip: Iterable[Path]
) -> Generator[Progress, None, Manifest]:
    """The manifest of a tree, kept in .accucheck/ so that the next run reads only what changed."""
    import hashlib

    from .. import manifest as manifests
    from ..store import FOLDER

    folder = Path(case.root, FOLDER)
    try:
        folder.mkdir(exist_ok=True)
        keep = os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        keep = False
    if not keep:
        return (yield from manifests.scan(base, full=params.full, within=within, skip=skip))
    tree = "\0".join([base, *(within or ())]).encode("utf-8", "surrogateescape")
    target = folder / f"manifest-{hashlib.blake2b(tree, digest_size=8).hexdigest()}.json"
    steps = manifests.update(base, target, full=params.full, within=within, skip=skip, must_save=False)
    return (yield from steps)


def _listed(path: Path, folder: str, case: Case) -> tuple[set[str], list[Finding]]:
    """The files below `folder` that a list names, a line each: absolute, or relative to the data or to the project.

    A recording of a training is such a list too, where it names the files that were opened.
    """
    from ..manifest import escaped
    from ..readers import recordings

    try:
        if path.is_dir():
            raise ReadError("is-directory", path=str(path))
        if path.exists() and not path.is_file():
            raise ReadError("not-regular", path=str(path))
        size = path.stat().st_size
        if size > _LIST_BYTES:
            raise ReadError("too-large", path=str(path), size=size, limit=_LIST_BYTES)
        data = path.read_bytes()
    except OSError as error:
        raise from_os_error(error, path) from None
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError:
            raise ReadError("encoding", path=str(path), offset=0, expected="UTF-16") from None
    whole = True
    if recordings.looks_like(data):
        recording = recordings.read(path)
        watched = [run for run in recording.runs if run.opened]
        whole = not recording.passed_over and all(run.opened_whole for run in watched)
        lines = list({name: None for run in watched for name in run.opened})
        if not lines:
            raise ReadError("nothing-opened", path=str(path))
    else:
        lines = [
            os.fsdecode(line.rstrip(b"\r")) for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()
        ]
    if not lines:
        raise ReadError("empty", path=str(path))
    real = os.path.realpath(folder)
    only: set[str] = set()
    outside = 0
    absent: list[list[Plain]] = []
    for line in lines:
        found = next((full for root in (folder, case.root) if os.path.lexists(full := os.path.join(root, line))), None)
        full = os.path.normpath(found or os.path.join(folder, line))
        name = os.path.relpath(full, folder)
        if name.startswith("../"):
            name = os.path.relpath(os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full)), real)  # noqa: PTH119
        if name.startswith("../"):
            outside += 1
        elif not os.path.isdir(full):  # noqa: PTH112
            only.add(name)
            if not os.path.isfile(full):  # noqa: PTH113
                absent.append([escaped(line)])
    shown = case.relative(path)
    numbers = {"list": shown, "listed": len(lines), "used": len(only), "outside": outside, "absent": len(absent)}
    where = Where(path=shown)
    said = [Finding("restricted", Level.INFO, where, numbers, incomplete=not only)]
    if not whole:
        said.append(Finding("recorded-partly", Level.SUSPECT, where, {"list": shown}, incomplete=True))
    if absent:
        gone = {"list": shown, "listed": len(lines), "count": len(absent), "first": absent[0][0]}
        table = _table("listed-absent", ["file"], absent)
        said.append(Finding("listed-absent", Level.SUSPECT, where, gone, [table], incomplete=True))
    return only, said


def _table(title: str, columns: list[str], rows: list[list[Plain]]) -> Evidence:
    return Table(title, columns, rows[:_ROWS], total=len(rows))


def _unread(tree: Manifest, shown: str) -> Iterator[Finding]:
    from .. import hashing
    from ..manifest import escaped

    for code, harmless in (("unreadable", False), ("not-files", True)):
        entries = [entry for entry in tree.unread if (entry.reason in hashing.NO_FILES) is harmless]
        if not entries:
            continue
        reasons = sorted({entry.reason for entry in entries})
        tables = [
            _table(reason, ["file", "problem"], [[escaped(e.path), e.problem] for e in entries if e.reason == reason])
            for reason in reasons
        ]
        data = {"count": len(entries), "first": escaped(entries[0].path), "tree": shown, "reasons": reasons}
        level = Level.INFO if harmless else Level.SUSPECT
        yield Finding(code, level, Where(path=shown), data, tables, incomplete=not harmless)


def _duplicates(tree: Manifest, where: Where) -> Finding | None:
    from ..manifest import duplicates, escaped

    groups = duplicates(tree)
    if not groups:
        return None
    rows: list[list[Plain]] = [
        [group[0].md5, len(group), group[0].size, escaped(file.path)] for group in groups for file in group
    ]
    data = {"groups": len(groups), "files": len(rows)}
    return Finding(
        "duplicates", Level.INFO, where, data, [_table("duplicates", ["md5", "copies", "size", "file"], rows)]
    )


# --- against a folder or a list -----------------------------------------------------------------------------------------


def _differences(result: Comparison, reference: str, where: Where) -> Iterator[Finding]:
    """Findings for what differs; files that are not data are listed separately, and are never a problem."""
    from ..manifest import UNKNOWN, escaped

    trivial: dict[str, list[list[Plain]]] = {}

    def count(kind: str, files: list[File]) -> list[File]:
        if paths := [file.path for file in files if _NO_DATA.search(file.path)]:
            trivial[kind] = [[escaped(path)] for path in paths]
        return [file for file in files if not _NO_DATA.search(file.path)]

    def finding(
        code: str, level: Level, first: str, columns: list[str], rows: list[list[Plain]], **more: Plain
    ) -> Finding:
        data: dict[str, Plain] = {"count": len(rows), "first": escaped(first), "reference": reference, **more}
        fix = Fix("copy-again") if level is Level.PROBLEM and code != "extra" else None
        return Finding(code, level, where, data, [_table(code, columns, rows)], fix)

    if missing := count("missing", result.missing):
        rows: list[list[Plain]] = [[escaped(file.path), _size(file), file.md5] for file in missing]
        yield finding("missing", Level.PROBLEM, missing[0].path, ["file", "size-standard", "md5-standard"], rows)
    kept = {file.path for file in count("different", [ours for ours, _ in result.different])}
    if different := [pair for pair in result.different if pair[0].path in kept]:
        rows = [[escaped(a.path), _size(a), _size(r), a.md5, r.md5] for a, r in different]
        resized = sum(r.size not in (a.size, UNKNOWN) for a, r in different)
        columns = ["file", "size-here", "size-standard", "md5-here", "md5-standard"]
        first = different[0][0]
        yield finding("different", Level.PROBLEM, first.path, columns, rows, resized=resized, size=first.size)
    if extra := count("extra", result.extra):
        rows = [[escaped(file.path), _size(file), file.md5] for file in extra]
        yield finding("extra", Level.PROBLEM, extra[0].path, ["file", "size-here", "md5-here"], rows)
    kept = {file.path for file in count("renamed", [ours for ours, _ in result.renamed])}
    if renamed := [pair for pair in result.renamed if pair[0].path in kept]:
        rows = [[escaped(a.path), escaped(r.path), a.md5] for a, r in renamed]
        first, old = renamed[0]
        yield finding(
            "renamed", Level.SUSPECT, first.path, ["file", "name-standard", "md5"], rows, old=escaped(old.path)
        )
    if trivial:
        data = {"count": sum(map(len, trivial.values())), "reference": reference}
        tables = [_table(kind, ["file"], paths) for kind, paths in trivial.items()]
        yield Finding("no-data", Level.INFO, where, data, tables)
    if result.uncompared:
        rows = [[escaped(path)] for path in result.uncompared]
        data = {"count": len(rows), "first": escaped(result.uncompared[0]), "reference": reference}
        yield Finding("uncompared", Level.SUSPECT, where, data, [_table("uncompared", ["file"], rows)], incomplete=True)
    if result.outside:
        yield Finding("outside", Level.INFO, where, {"count": result.outside, "reference": reference})
    if result.uncovered:
        yield Finding(
            "uncovered", Level.INFO, where, {"count": result.uncovered, "reference": reference}, incomplete=True
        )
    if not (missing or different or extra or renamed or result.uncompared or result.uncovered):
        # With no file in common nothing was confirmed: an empty list, or a restriction that leaves nothing.
        yield Finding(
            "equal", Level.INFO, where, {"same": result.same, "reference": reference}, incomplete=not result.same
        )


def _size(file: File) -> int | None:
    return file.size if file.size >= 0 else None


# --- against the known public data sets ---------------------------------------------------------------------------------


def _recognised(found: list[tuple[File, KnownFile]], where: Where) -> Finding:
    from ..manifest import escaped

    rows: list[list[Plain]] = [[escaped(file.path), entry.dataset, file.md5] for file, entry in found]
    data = {"count": len(found), "dataset": sorted({entry.dataset for _, entry in found})}
    return Finding("recognised", Level.INFO, where, data, [_table("recognised", ["file", "dataset", "md5"], rows)])


def _unlike(found: list[tuple[File, KnownFile]], level: Level, where: Where) -> Finding:
    from ..manifest import escaped

    file, entry = found[0]
    rows: list[list[Plain]] = [[escaped(f.path), f.size, e.size, f.md5, e.md5] for f, e in found]
    columns = ["file", "size-here", "size-standard", "md5-here", "md5-standard"]
    data = {
        "count": len(found),
        "dataset": sorted({e.dataset for _, e in found}),
        "first": escaped(file.path),
        "size": file.size,
        "expected": "?" if entry.size is None else f"{entry.size:,}",
    }
    return Finding("known-different", level, where, data, [_table("different", columns, rows)])


def _lacking(entries: list[KnownFile], present: set[KnownFile]) -> tuple[list[KnownFile], bool]:
    """Training files that lack in the groups of which some are present, and whether such a group is whole."""
    groups = {entry.group for entry in present if entry.kind != "archive" and not _NOT_TRAINING.search(entry.file)}
    needed = [e for e in entries if e.kind != "archive" and e.group in groups and not _NOT_TRAINING.search(e.file)]
    lacking = [entry for entry in needed if entry not in present]
    return lacking, bool(groups) and not lacking


def _against_known(actual: Manifest, entries: list[KnownFile], where: Where) -> Iterator[Finding]:
    """Findings for a data set that the case declares to be a known one."""
    by_md5 = {entry.md5: entry for entry in entries}
    equal = [(file, by_md5[file.md5]) for file in actual.files if file.md5 in by_md5]
    by_name = {entry.name: entry for entry in entries}
    named = [(file, by_name.get(file.path.rpartition("/")[2])) for file in actual.files if file.md5 not in by_md5]
    different = [(file, entry) for file, entry in named if entry is not None]
    present = {entry for _, entry in equal}
    lacking, whole = _lacking(entries, present | {entry for _, entry in different})
    whole = whole and not any(entry.kind != "archive" for _, entry in different)
    if equal:
        yield _recognised(equal, where)
    if different:
        # Beside a whole extracted copy, an archive that was packed anew changes nothing.
        yield _unlike(different, Level.SUSPECT if whole else Level.PROBLEM, where)
    if lacking:
        data = {"count": len(lacking), "dataset": sorted({e.dataset for e in lacking}), "first": lacking[0].file}
        rows: list[list[Plain]] = [[entry.file, entry.size, entry.md5] for entry in lacking]
        table = _table("missing", ["file", "size-standard", "md5-standard"], rows)
        yield Finding("known-missing", Level.PROBLEM, where, data, [table], Fix("copy-again"))
    if not (whole or different or lacking):
        data = {"dataset": sorted({entry.dataset for entry in entries})}
        yield Finding("known-undecided", Level.INFO, where, data, fix=Fix("give-reference"), incomplete=True)


def _recognise(actual: Manifest, base: str, where: Where, *, judge: bool) -> Generator[Finding, None, bool]:
    """Findings for known files among undeclared data. True when every file is known and the training part is whole.

    With `judge`, a file that only bears the name of a known one is suspect.
    """
    from ..knowledge import known_datasets

    known = known_datasets.load()
    by_md5 = {entry.md5: entry for entry in known}
    found = [(file, by_md5[file.md5]) for file in actual.files if file.md5 in by_md5]
    if found:
        yield _recognised(found, where)
    if not judge:
        return False
    folder = os.path.basename(base)  # noqa: PTH119
    distinct = [entry for entry in known if not entry.generic]
    names = {entry.name for entry in distinct}
    unlike = []
    for file in actual.files:
        if file.md5 not in by_md5 and file.path.rpartition("/")[2] in names:
            same_name = [entry for entry in distinct if f"/{folder}/{file.path}".endswith("/" + entry.file)]
            unlike += [(file, entry) for entry in same_name[:1]]
    if unlike:
        yield _unlike(unlike, Level.SUSPECT, where)
    strangers = [file for file in actual.files if file.md5 not in by_md5 and not _NO_DATA.search(file.path)]
    _, whole = _lacking(known, {entry for _, entry in found})
    return whole and not strangers


# --- examples -----------------------------------------------------------------------------------------------------------

_CATS: dict[str, str | bytes | Callable[[Path], None]] = {
    f"data/cat/{number}.txt": f"cat {number}\n" for number in range(3)
}
_COPY = {name.replace("data/", "good/"): content for name, content in _CATS.items()}
_TO_FOLDER = {"data": {"train": {"path": "data"}, "reference": {"path": "good"}}}
#: What md5sum prints for data/cat/0.txt and so on.
_LIST = (
    "ac55125084a0d638015ef0274e825e6b  cat/0.txt\n"
    "92dcfc0f183818e23e745bc517db1929 *cat/1.txt\n"
    "1a17784a1701db832634c99eb9c4c9b8  ./cat/2.txt\n"
)
EXAMPLES: list[Example] = [
    Example("equal-folder", files={**_CATS, **_COPY}, case=_TO_FOLDER, verdict=Verdict.OK),
    Example(
        "equal-list",
        files={**_CATS, "cats.md5": _LIST},
        case={"data": {"train": {"path": "data"}, "reference": {"manifest": "cats.md5"}}},
        verdict=Verdict.OK,
    ),
    Example(
        "readme-and-hidden-files",
        files={**_CATS, **_COPY, "data/README.md": "cats", "data/.DS_Store": b"\0", "good/LICENSE": "free"},
        case=_TO_FOLDER,
        verdict=Verdict.OK,
    ),
    Example(
        "truncated-file",
        files={**_CATS, **_COPY, "data/cat/1.txt": "cat"},
        case=_TO_FOLDER,
        codes=["different"],
        verdict=Verdict.PROBLEM,
    ),
    Example(
        "missing-and-extra-files",
        files={**_CATS, **_COPY, "good/dog/0.txt": "dog 0\n", "data/cat/9.txt": "cat 9\n"},
        case=_TO_FOLDER,
        codes=["missing", "extra"],
        verdict=Verdict.PROBLEM,
    ),
    Example(
        "file-in-another-class",
        files={**_CATS, **_COPY, "data/dog/0.txt": "dog 0\n", "good/cat/7.txt": "dog 0\n"},
        case=_TO_FOLDER,
        codes=["renamed"],
        verdict=Verdict.UNDECIDED,
    ),
    Example(
        "other-files-of-a-known-name",
        files={"mnist/train-images-idx3-ubyte": b"\0\0\x08\x03", "mnist/train-labels-idx1-ubyte": b"\0\0\x08\x01"},
        case={"data": {"train": {"path": "mnist"}, "reference": {"known": "mnist"}}},
        codes=["known-different"],
        verdict=Verdict.PROBLEM,
    ),
    Example("no-standard", files=_CATS, case={"data": {"train": {"path": "data"}}}, verdict=Verdict.UNDECIDED),
]
