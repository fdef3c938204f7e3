"""Looks for labels that cannot be right: the same sample under two labels, and label files that name samples that are not there.

Catches: identical pictures in the folders of two classes, identical rows of tables, lines of text, arrays, CIFAR, MindRecord,
TFRecord and WebDataset files with different labels, rows of a label file or COCO annotations whose picture is missing, pictures
that a label file leaves out.
Cannot tell: whether a label that contradicts nothing is right; that takes a look at samples, as label_sample counts it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example
from . import _declared_padding, _files, _labelled

if TYPE_CHECKING:
    import numpy as np

    from ..readers.frames import pl
    from ..readers.places import File

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("data.train.path",)
USES = ("loss", "phases", "design.padding")


class Params(msgspec.Struct, frozen=True):
    samples: Annotated[
        int,
        Meta(
            ge=1,
            le=100_000_000,
            description="samples of a role that are compared with each other, 20 bytes of memory each",
            extra={"unit": "samples", "source": "own choice"},
        ),
    ] = 20_000_000


MESSAGES: Words = {
    "conflict": {
        "en": "{role} data: {groups:,} {groups:sample occurs|samples occur} under more than one label, {count:,} "
        "times in all, for instance {first}.",
        "zh": "{role}数据：有 {groups:,} 个样本以不同标签重复出现，共 {count:,} 次，例如 {first}。",
    },
    "rows-conflict": {
        "en": "{role} data: {groups:,} {groups:row occurs|rows occur}, otherwise equal, with more than one "
        "label, {count:,} times in all ({share:.2%} "
        "of the rows), for instance {first}.",
        "zh": "{role}数据：有 {groups:,} 种行除标签外完全相同而标签不同，共 {count:,} 行（占 {share:.2%}），例如 {first}。",
    },
    "sample-missing": {
        "en": "{role} data: {count:,} of {rows:,} {rows:name|names} in {path} {count:belongs|belong} to no file, the first is {first}.",
        "zh": "{role}数据：{path} 的 {rows:,} 个文件名中有 {count:,} 个找不到对应文件，第一个是 {first}。",
    },
    "sample-unnamed": {
        "en": "{role} data: {count:,} of {files:,} {files:picture|pictures} {count:is|are} not named in {path}, the first is {first}.",
        "zh": "{role}数据：{files:,} 张图片中有 {count:,} 张未出现在 {path} 中，第一张是 {first}。",
    },
    "repeated": {
        "en": "{role} data: {count:,} of {samples:,} {samples:sample|samples} {count:duplicates|duplicate} another one with the same "
        "label.",
        "zh": "{role}数据：{samples:,} 个样本中有 {count:,} 个与其他样本重复且标签相同。",
    },
    "compared": {
        "en": "{role} data: {samples:,} labelled {samples:sample was|samples were} compared. Whether labels that contradict no "
        "other are right, only a human looking at samples can tell.",
        "zh": "{role}数据：已比较 {samples:,} 个带标签样本。标签之间没有矛盾不等于标签正确，是否正确只能人工抽查。",
    },
    "not-compared": {
        "en": "{role} data: only the first {samples:,} samples were compared.",
        "zh": "{role}数据：仅比较了前 {samples:,} 个样本。",
    },
    **_labelled.MESSAGES,
    "mend-conflict": {
        "en": "Look at these samples, keep the right label, and drop the others; then ask how the wrong ones came about.",
        "zh": "请查看这些样本，保留正确的标签并删除其余，同时查明错误来源。",
    },
    "mend-names": {
        "en": "Check paths, letter case and file extensions, and whether the data were copied whole.",
        "zh": "请检查路径、大小写和扩展名，以及数据是否拷贝完整。",
    },
}

WORDS: Words = {
    "conflicts": {"en": "Samples with several labels", "zh": "标签矛盾的样本"},
    "group": {"en": "group", "zh": "组"},
    "label": {"en": "label", "zh": "标签"},
    "place": {"en": "place", "zh": "位置"},
    "names": {"en": "Names without a file", "zh": "没有对应文件的名称"},
    "name": {"en": "name", "zh": "名称"},
}

_CONTRADICTION = {
    "en": "At least one of the labels is wrong: the network is pulled both ways, and the loss cannot reach zero.",
    "zh": "至少有一个标签是错的：网络被拉向两个方向，loss 无法降到 0。",
}
_SHIFTED = {
    "en": "If such rows are skipped, there is less training data; if labels and files are matched by order, all following ones are "
    "shifted.",
    "zh": "若跳过这些行，训练样本会变少；若按顺序配对标签与文件，其后的标签会全部错位。",
}
WHY: Words = {
    "conflict": _CONTRADICTION,
    "rows-conflict": {
        "en": "Some of these labels may be wrong; if the columns do not determine the label, no network can avoid this error.",
        "zh": "其中可能有标注错误；若这些列本就不足以决定标签，则这是任何网络都无法避免的误差。",
    },
    "sample-missing": _SHIFTED,
    "sample-unnamed": _SHIFTED,
}
_LOOK = {"en": "Open the samples that are named here.", "zh": "打开此处列出的样本查看。"}
PROOF: Words = dict.fromkeys(WHY, _LOOK)

_ROWS = 200
#: A list in which more pictures than this share have several labels gives them on purpose: objects, attributes.
_SEVERAL = 0.01


@dataclass
class _RoleSamples:
    """The samples of a role so far: digests, label codes and where each file's samples begin. `nothing`: labels that are not classes."""

    nothing: frozenset[str] = frozenset()
    digests: list[np.ndarray[Any, Any]] = field(default_factory=list)
    codes: list[np.ndarray[Any, Any]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    files: list[tuple[int, str, bool]] = field(default_factory=list)  # first sample, shown, one sample a file
    count: int = 0
    cut: bool = False
    rows: bool = False  # of tables, where equal rows need not be the same sample

    def add(self, digests: np.ndarray[Any, Any], labels: list[str | None], limit: int) -> None:
        import numpy as np

        room = limit - self.count
        self.cut |= len(labels) > room
        codes = [
            -1 if label is None or label in self.nothing else self.labels.setdefault(label, len(self.labels))
            for label in labels[:room]
        ]
        self.digests.append(digests[:room])
        self.codes.append(np.array(codes, np.int32))
        self.count += len(codes)

    def place(self, sample: int) -> str:
        from bisect import bisect_right

        first, shown, alone = self.files[bisect_right(self.files, sample, key=lambda one: one[0]) - 1]
        return shown if alone else f"{shown} [{sample - first}]"


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    for role in _labelled.ROLES:
        if case.get(f"data.{role}.path") is not None:
            files = _labelled.files_of(case, role)
            seen = yield from _read(case, files, params)
            if role == "train" or seen.count:
                yield from files.gaps(bool(seen.count))
            yield from _conflicts(role, seen)
            yield from _names(case, files)


# --- the same sample under two labels ---------------------------------------------------------------------------------


def _read(case: Case, files: _labelled.Files, params: Params) -> Generator[Progress, None, _RoleSamples]:
    from ..readers.detect import TABLES
    from ..readers.labels import NoLabelField
    from ..readers.samples import batches

    seen = _RoleSamples(_declared_padding.of_case(case, files.role).no_classes())
    total = files.size + sum(len(paths) for _, paths in files.images)
    done = 0
    ends = _ends(files) if files.todo else {}
    for path, kind, size in files.todo:
        seen.files.append((seen.count, case.relative(path), False))
        try:
            with _files.readable(path, kind) as (copy, form):
                pairs = _listed(copy, kind, files.label) if ends else []
                # a list of names alone tells no labels; those of the folders count
                if any(label is not None for _, label in pairs):
                    yield from _labelled_pictures(case, pairs, ends, seen, params)
                    continue
                for digests, labels in batches(copy, form, files.label):
                    seen.add(digests, labels, params.samples)
                    seen.rows |= kind in TABLES
                    yield Progress(done, total, "bytes")
        except NoLabelField as error:
            if kind in ("npy", "idx"):  # samples and labels in files of their own, which are not brought together here
                files.others.append((case.relative(path), kind))
            files.without(error.fields)
        except ReadError as error:
            files.errors.append(error)
        done += size
        yield Progress(done, total, "bytes")
    if not seen.count:
        seen.nothing = frozenset()  # a folder is a class, whatever it is called
        yield from _pictures(case, files, seen, params)
    return seen


def _pictures(case: Case, files: _labelled.Files, seen: _RoleSamples, params: Params) -> Iterator[Progress]:
    """Pictures in folders by class."""
    import numpy as np

    from ..readers.labels import class_folders

    for root, paths in files.images:
        found = class_folders(root, paths)
        if found is None:
            continue
        for done, path in enumerate(paths):
            try:
                digest = _digest(path)
            except ReadError as error:
                files.errors.append(error)
                continue
            seen.files.append((seen.count, case.relative(path), True))
            seen.add(np.array([digest], np.uint64), [found[1](path)], params.samples)
            if done % 200 == 0:
                yield Progress(done, len(paths), "files")


def _labelled_pictures(
    case: Case, pairs: list[tuple[str, str | None]], ends: dict[str, File], seen: _RoleSamples, params: Params
) -> Iterator[Progress]:
    """Pictures with the labels of a list that names them; a list that gives many of them several labels does so on purpose."""
    import numpy as np

    labels: dict[str, set[str | None]] = {}
    for name, label in pairs:
        labels.setdefault(name, set()).add(label)
    several = sum(len(given) > 1 for given in labels.values())
    many = several > _SEVERAL * len(labels)
    seen.rows |= bool(several) and not many
    for done, (name, label) in enumerate(dict.fromkeys(pairs)):
        path = ends.get(_end(name))
        if path is None or (many and len(labels[name]) > 1):
            continue  # names without a file are told by _names
        seen.files.append((seen.count, case.relative(path), True))
        seen.add(np.array([_digest(path)], np.uint64), [label], params.samples)
        if done % 200 == 0:
            yield Progress(done, len(pairs), "files")


def _digest(path: File) -> int:
    import hashlib

    from ..readers.places import opened

    made = hashlib.blake2b(digest_size=8)
    with opened(path) as file:
        while block := file.read(1 << 20):
            made.update(block)
    return int.from_bytes(made.digest(), "little")


def _conflicts(role: str, seen: _RoleSamples) -> Iterator[Finding]:
    import numpy as np

    if not seen.count:
        return
    said = {"role": _labelled.ROLES[role], "samples": seen.count}
    digests, codes = np.concatenate(seen.digests), np.concatenate(seen.codes)
    order = np.lexsort((codes, digests))
    order = order[codes[order] >= 0]
    same = digests[order[1:]] == digests[order[:-1]]
    other = codes[order[1:]] != codes[order[:-1]]
    group = np.concatenate(([0], np.cumsum(~same)))
    odd = np.unique(group[1:][same & other])
    if len(odd):
        bounds = np.searchsorted(group, [odd, odd + 1])
        names = list(seen.labels)
        rows: list[list[Plain]] = []
        for number, (start, stop) in enumerate(zip(*bounds.tolist(), strict=True)):
            members = order[start:stop].tolist()
            chosen = {codes[member]: member for member in reversed(members)}  # the first of each label
            rows += [
                [number + 1, names[code], seen.place(member)]
                for code, member in sorted(chosen.items(), key=lambda one: one[1])
            ]
            if len(rows) >= _ROWS:
                break
        count = int((bounds[1] - bounds[0]).sum())
        first = " / ".join(f"{label}: {place}" for _, label, place in rows[:2])
        data = {**said, "groups": len(odd), "count": count, "share": count / seen.count, "first": first}
        total = None if len(rows) < _ROWS else count
        table = Table("conflicts", ["group", "label", "place"], rows[:_ROWS], total, samples=True)
        code, level = ("rows-conflict", Level.SUSPECT) if seen.rows else ("conflict", Level.PROBLEM)
        sure = Sure.POSSIBLE if seen.rows else Sure.CERTAIN
        yield Finding(code, level, Where(), data, [table], Fix("mend-conflict"), sure=sure)
    repeated = int((same & ~other).sum())
    if repeated:
        yield Finding("repeated", Level.INFO, data={**said, "count": repeated})
    if seen.cut:
        yield Finding("not-compared", Level.INFO, data=said, incomplete=True)
    yield Finding("compared", Level.INFO, data={**said, "samples": len(order)}, incomplete=not len(order))


# --- label files and pictures -----------------------------------------------------------------------------------------


def _names(case: Case, files: _labelled.Files) -> Iterator[Finding]:
    """Label files beside pictures: names without a file, pictures without a name."""
    from ..readers.places import plain

    pictures = [path for _, paths in files.images for path in paths] if files.todo else []
    if not pictures:
        return
    known = {path.name: path for path in pictures}
    ends = _ends(files)
    for path, kind, _ in files.todo:
        try:
            with plain(path, kind) as copy:
                listed = _listed(copy, kind, files.label)
                named = _coco(copy) if kind == "json" else list(dict.fromkeys(name for name, _ in listed))
        except ReadError:
            continue  # told already
        if not named:
            continue
        shown = case.relative(path)
        said = {"role": _labelled.ROLES[files.role], "path": shown, "rows": len(named), "files": len(pictures)}
        lost = [name for name in named if _end(name) not in ends]
        if lost and len(lost) < len(named):
            rows: list[list[Plain]] = [[name] for name in lost[:_ROWS]]
            data = {**said, "count": len(lost), "first": lost[0]}
            table = Table("names", ["name"], rows, len(lost))
            place = Where(path=shown)
            yield Finding("sample-missing", Level.PROBLEM, place, data, [table], Fix("mend-names"), sure=Sure.CERTAIN)
        used = {Path(name).name for name in named}
        unnamed = [name for name in known if name not in used]
        if unnamed and len(unnamed) < len(known):
            data = {**said, "count": len(unnamed), "first": case.relative(known[unnamed[0]])}
            yield Finding("sample-unnamed", Level.INFO, Where(path=shown), data)


def _ends(files: _labelled.Files) -> dict[str, File]:
    """The pictures by the last one, two and three parts of their paths: as a label file may name them."""
    return {
        "/".join(path.parts[-depth:]): path
        for depth in (3, 2, 1)
        for _, paths in files.images
        for path in reversed(paths)
    }


def _end(name: str) -> str:
    return "/".join(Path(name).parts[-3:]).lstrip("./")


def _picture_column(batch: pl.DataFrame) -> str | None:
    """The column of a table that holds names of pictures, in nearly all its rows."""
    from ..readers.detect import PICTURE
    from ..readers.frames import pl

    texts = [name for name, dtype in batch.schema.items() if dtype == pl.String]
    shares = [(float(batch[name].str.contains(f"(?i){PICTURE.pattern}").mean() or 0), name) for name in texts]
    share, column = max(shares, key=itemgetter(0), default=(0.0, None))
    return column if share >= 0.9 else None


def _listed(path: Path, kind: str, label: str | None) -> list[tuple[str, str | None]]:
    """The pictures that a label file names in the one column that holds such names, each with its label where there is one."""
    from ..readers import tables
    from ..readers.detect import TABLES
    from ..readers.labels import NoLabelField, field_of, said

    if kind not in TABLES:
        return []
    found: list[tuple[str, str | None]] = []
    column = None
    for mode in tables.MODES[1:]:
        found.clear()
        try:
            for batch in tables.batches(path, kind, mode):
                if column is None:
                    column = _picture_column(batch)
                    if column is None:
                        return []
                    try:
                        target = field_of(batch.columns, label)
                    except NoLabelField:
                        target = ""
                labels = batch[target].to_list() if target in batch.columns else [None] * batch.height
                names = batch[column].to_list() if column in batch.columns else []
                found += [(name, said(label)) for name, label in zip(names, labels, strict=False) if name]
            break
        except tables.RereadNeeded:
            continue
    return found


def _coco(path: Path) -> list[str]:
    """The pictures that annotations name; none in other JSON."""
    from ..readers.coco import read
    from ..readers.labels import NoLabelField

    try:
        return list(dict.fromkeys(image.file_name for image in read(path).images if image.file_name))
    except NoLabelField:
        return []


# --- examples ---------------------------------------------------------------------------------------------------------


def _picture(number: int) -> Any:
    def write(path: Path) -> None:
        from PIL import Image

        Image.new("L", (8, 8), number).save(path, "PNG")

    return write


def _folders(**classes: str) -> dict[str, Any]:
    return {
        f"train/{name}/{place}.png": _picture(int(number))
        for name, numbers in classes.items()
        for place, number in enumerate(numbers.split())
    }


def _arrays(wrong: int) -> Any:
    def write(path: Path) -> None:
        import numpy as np

        x = np.random.default_rng(0).integers(0, 255, (60, 8, 8)).astype(np.uint8)
        y = np.arange(60) % 3
        x[59], y[59] = x[4], wrong
        np.savez(path, x=x, y=y)

    return write


def _example(name: str, files: dict[str, Any], verdict: Verdict, *codes: str) -> Example:
    path = "train" if any(file.startswith("train/") for file in files) else next(iter(files))
    return Example(name, files=files, case={"data": {"train": {"path": path}}}, verdict=verdict, codes=codes)


_LIST = "".join(f"{n}.png,{'ab'[n % 2]}\n" for n in range(6))

EXAMPLES = [
    _example("pictures by class", _folders(cat="1 2 3", dog="4 5 6"), Verdict.OK, "compared"),
    _example("one picture in two classes", _folders(cat="1 2 3", dog="4 2 6"), Verdict.PROBLEM, "conflict"),
    _example("one picture twice in its class", _folders(cat="1 2 2", dog="4 5 6"), Verdict.OK, "repeated"),
    _example("an array with one sample under two labels", {"train.npz": _arrays(2)}, Verdict.PROBLEM, "conflict"),
    _example("an array with a sample repeated", {"train.npz": _arrays(1)}, Verdict.OK, "repeated"),
    _example(
        "equal rows with different labels",
        {"train.csv": "a,b,label\n" + "".join(f"{n},{n * 2},x\n" for n in range(40)) + "3,6,y\n"},
        Verdict.UNDECIDED,
        "rows-conflict",
    ),
    _example(
        "a label file that fits",
        {"train/labels.csv": "file,label\n" + _LIST, **{f"train/{n}.png": _picture(n) for n in range(6)}},
        Verdict.OK,
        "compared",
    ),
    _example(
        "a list that names one picture twice over, under two labels",
        {
            "train/list.txt": _LIST.replace(",", " "),
            **{f"train/{n}.png": _picture(n if n != 5 else 2) for n in range(6)},
        },
        Verdict.PROBLEM,
        "conflict",
    ),
    _example(
        "a label file with a picture that is not there",
        {"train/labels.csv": "file,label\n" + _LIST, **{f"train/{n}.png": _picture(n) for n in range(5)}},
        Verdict.PROBLEM,
        "sample-missing",
    ),
    _example(
        "a picture that the label file leaves out",
        {"train/labels.csv": "file,label\n" + _LIST, **{f"train/{n}.png": _picture(n) for n in range(8)}},
        Verdict.OK,
        "sample-unnamed",
    ),
]
