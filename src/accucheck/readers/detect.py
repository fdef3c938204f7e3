"""Which files of a data set are data, and of which format: by content, with the name as tie-breaker. Reads no values."""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import ReadError, from_os_error
from .places import HEAD, File, RemotePath, below, compressed, head_of, inflated, listed, opened, size_of

#: Folders that hold no data.
_IGNORED_FOLDERS = frozenset({"__pycache__", "node_modules", "venv", "rank_0"})
#: Files that accompany data without holding samples.
_COMPANIONS = re.compile(
    r"\.(py|pyc|ipynb|md|rst|sh|bat|ya?ml|toml|cfg|ini|html?|pdf|log|lock|md5|md5sum|sha\d+|db|db-journal|xml|xsd|proto)$"
    r"|^requirements[\w.-]*\.txt$"
    r"|^(readme|licen[cs]e|notice|copying|citation|changelog|_success|thumbs\.db|desktop\.ini)\b"
    r"|^(dataset_infos?|metadata|config)\.json$",
    re.I,
)
PICTURE = re.compile(r"\.(jpe?g|png|bmp|gif|tiff?|webp|ppm|pgm)$", re.I)
_TABLE_NAME = re.compile(r"\.(csv|tsv|tab)$", re.I)
_IMAGE_MAGIC = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*")
#: CIFAR's binary files: 1 (CIFAR-10) or 2 (CIFAR-100) label bytes and 3072 pixels a row; nothing can be missing in them.
_CIFAR_NAME = re.compile(r"^(data_batch_\d|test_batch|train|test)\.bin$")

#: The formats whose values can be examined; "other" is data of a format that cannot. "jsonarray" is an array of objects, "text"
#: has a sample a line, "tar" is a WebDataset shard.
TABLES = ("csv", "parquet", "ndjson", "jsonarray", "text")
FORMATS = (*TABLES, "npy", "npz", "idx", "cifar", "mindrecord", "tfrecord", "tar", "image")


def files(place: File, refused: Callable[[ReadError], object]) -> Iterator[File]:
    """The file itself, or all files below a folder in a stable order, without hidden ones. Loops of links end.

    Raises ReadError when the path does not exist, is neither file nor folder, or the folder cannot be listed; of a folder
    below that cannot, or is gone meanwhile, it goes to `refused`.
    """
    if isinstance(place, RemotePath):
        for file in listed(place):
            *folders, name = below(place, file)
            if not any(part.startswith(".") or part in _IGNORED_FOLDERS for part in folders) and name[0] != ".":
                yield file
        return
    path = place
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise from_os_error(error, path) from None
    if stat.S_ISREG(mode):
        yield path
        return
    if not stat.S_ISDIR(mode):
        raise ReadError("not-regular", path=str(path))
    seen: set[tuple[int, int]] = set()

    def refuse(error: OSError) -> None:
        problem = from_os_error(error, error.filename)
        assert isinstance(problem, ReadError)
        if error.filename == str(path):
            raise problem from None
        refused(problem)

    for folder, folders, names in os.walk(path, followlinks=True, onerror=refuse):
        try:
            status = os.stat(folder)  # noqa: PTH116
        except OSError as error:
            refuse(error)
            folders.clear()
            continue
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _IGNORED_FOLDERS)
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(folder, name)


def named(path: File) -> str | None:
    """What the name alone settles: "image", "" for a file that is no data, else None."""
    if PICTURE.search(path.name):
        return "image"
    return "" if _COMPANIONS.search(path.name) else None


def detect(file: File) -> str:
    """A member of FORMATS, "other" for data that is not examined, or "" for a file that is no data.

    Raises ReadError for a file that cannot be opened, and for an empty file that is named as data.
    """
    known = named(file)
    if known is not None:
        return known
    if isinstance(file, Path):
        try:
            if not stat.S_ISREG(file.stat().st_mode):
                return ""
        except OSError as error:
            raise from_os_error(error, file) from None
    head, size = head_of(file), size_of(file)
    if not head:
        if re.search(r"\.(csv|tsv|tab|parquet|jsonl|ndjson|npy|npz|tar|mindrecord\d*|tfrecords?\d*)$", file.name, re.I):
            raise ReadError("empty", path=str(file))
        return ""
    name = file.name
    if compressed(name, head, size):
        head, name = inflated(head), re.sub(r"\.(gz|tgz)$", "", name, flags=re.I)
        if (known := named(Path(name))) == "":
            return ""
        size = 1 << 62 if len(head) == HEAD else len(head)
        if known or head.startswith((b"PK\x03\x04", b"PAR1")):  # compressed twice: nobody does that to train on it
            return "other"
    if head[257:262] == b"ustar":
        from .webdataset import is_shard

        with opened(file) as stream:
            return "tar" if is_shard(stream) else "other"
    return _by_content(name, head, size)


def _by_content(name: str, head: bytes, size: int) -> str:
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK\x03\x04"):
        first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
        return "npz" if name.lower().endswith(".npz") or first.endswith(b".npy") else "other"
    if head.startswith(_IMAGE_MAGIC) or head[:4] + head[8:12] == b"RIFFWEBP":
        return "image"
    if head.startswith(b"BM") and int.from_bytes(head[2:6], "little") == size:
        return "image"
    if head[8:9] == b"{" and b'"shard_addresses"' in head:
        return "mindrecord"
    if head[5:8] == b"\0\0\0":  # a length below 2**40
        from .tfrecord import starts

        if starts(head, size):
            return "tfrecord"
    if _is_idx(name, head, size):
        return "idx"
    if _CIFAR_NAME.match(name):
        return "cifar"
    for ending, kind in ((".npy", "npy"), (".npz", "npz"), (".parquet", "parquet")):
        if name.lower().endswith(ending):
            return kind  # damaged or something else: its reader says which
    if re.search(r"\.mindrecord\d*$", name):
        return "mindrecord"
    if re.search(r"\.tfrecords?\d*$", name):
        return "tfrecord"
    return _by_text(name, head, size)


def _is_idx(name: str, head: bytes, size: int) -> bool:
    """By the size that its header gives; a damaged one by its name."""
    if len(head) < 8 or head[:2] != b"\0\0" or head[2] not in b"\x08\x09\x0b\x0c\x0d\x0e" or not 1 <= head[3] <= 4:
        return False
    width = {8: 1, 9: 1, 11: 2, 14: 8}.get(head[2], 4)
    sides = [int.from_bytes(head[4 * axis : 4 * axis + 4], "big") for axis in range(1, 1 + head[3])]
    return "idx" in name.lower() or 4 + 4 * head[3] + width * math.prod(sides) == size


def _by_text(name: str, head: bytes, size: int) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode()
    if b"\0" in head:
        return "csv" if _TABLE_NAME.search(name) else "other"
    whole = len(head) == size
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()]
    if len(lines) > 1 and not whole:
        lines.pop()
    if re.search(r"\.(jsonl|ndjson)$", name, re.I):
        return "ndjson"
    # One object a line; a single object over a single line is rather a configuration.
    if len(lines) > 1 and all(line.startswith(b"{") and line.rstrip().endswith(b"}") for line in lines[:50]):
        return "ndjson"
    if re.match(rb"(\xef\xbb\xbf)?\s*\[\s*\{", head):
        return "jsonarray"
    table, text = _TABLE_NAME.search(name), re.search(r"\.(txt|text|data|dat|lst|train|valid|test)$", name, re.I)
    if table or text or "." not in name:
        from .texts import layout

        labels = layout(head).labels
        if labels == "listed" or (labels and not table):
            return "text"
    if table:
        return "csv"
    if text or "." not in name:
        for separator, least in ((b"\t", 1), (b",", 2), (b";", 2)):
            counts = {line.count(separator) for line in lines}
            if len(lines) >= 3 and len(counts) == 1 and min(counts) >= least:
                return "csv"
        return "text"
    return "other"
