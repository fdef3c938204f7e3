"""Which files of a data set are data, and of which format: by content, with the name as tie-breaker. Reads no values."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from ..errors import ReadError, from_os_error

#: Folders that hold no data.
_IGNORED_FOLDERS = frozenset({"__pycache__", "node_modules", "venv", "rank_0"})
#: Files that accompany data without holding samples.
_COMPANIONS = re.compile(
    r"\.(py|pyc|ipynb|md|rst|sh|bat|ya?ml|toml|cfg|ini|html?|pdf|log|lock|md5|md5sum|sha\d+|db|db-journal|xml|xsd|proto)$"
    r"|^(readme|licen[cs]e|notice|copying|citation|changelog|_success|thumbs\.db|desktop\.ini)\b"
    r"|^(dataset_infos?|metadata|config)\.json$",
    re.I,
)
_IMAGE_NAME = re.compile(r"\.(jpe?g|png|bmp|gif|tiff?|webp|ppm|pgm)$", re.I)
_TABLE_NAME = re.compile(r"\.(csv|tsv|tab)$", re.I)
_IMAGE_MAGIC = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*")
#: Compressed TFRecord, which is not examined.
_COMPRESSED = (b"\x1f\x8b", b"x\x01", b"x\x9c", b"x\xda")
#: CIFAR's binary files: 1 (CIFAR-10) or 2 (CIFAR-100) label bytes and 3072 pixels a row; nothing can be missing in them.
_CIFAR_NAME = re.compile(r"^(data_batch_\d|test_batch|train|test)\.bin$")

#: The formats whose values can be examined; "text" and "other" are data of formats that cannot.
FORMATS = ("csv", "parquet", "ndjson", "npy", "npz", "idx", "cifar", "mindrecord", "tfrecord", "image")


def files(path: Path) -> Iterator[Path]:
    """The file itself, or all files below a folder in a stable order, without hidden ones. Loops of links end.

    Raises ReadError when the path does not exist, is neither file nor folder, or the folder cannot be listed.
    """
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
        raise from_os_error(error, error.filename) from None

    for folder, folders, names in os.walk(path, followlinks=True, onerror=refuse):
        status = Path(folder).stat()
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _IGNORED_FOLDERS)
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(folder, name)


def named(path: Path) -> str | None:
    """What the name alone settles: "image", "" for a file that is no data, else None."""
    if _IMAGE_NAME.search(path.name):
        return "image"
    return "" if _COMPANIONS.search(path.name) else None


def detect(path: Path) -> str:
    """A member of FORMATS, "text" or "other" for data that is not examined, or "" for a file that is no data.

    Raises ReadError for a file that cannot be opened, and for an empty file that is named as data.
    """
    known = named(path)
    if known is not None:
        return known
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return ""
        with path.open("rb") as file:
            head = file.read(1 << 16)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise from_os_error(error, path) from None
    if not head:
        if re.search(r"\.(csv|tsv|tab|parquet|jsonl|ndjson|npy|npz|mindrecord\d*|tfrecords?\d*)$", path.name, re.I):
            raise ReadError("empty", path=str(path))
        return ""
    return _by_content(path.name, head, size)


def _by_content(name: str, head: bytes, size: int) -> str:
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK\x03\x04"):
        return "npz" if name.lower().endswith(".npz") else "other"
    if head.startswith(_IMAGE_MAGIC):
        return "image"
    if head[8:9] == b"{" and b'"shard_addresses"' in head:
        return "mindrecord"
    if head[5:8] == b"\0\0\0":  # a length below 2**40
        from .tfrecord import starts

        if starts(head, size):
            return "tfrecord"
    if head[:2] == b"\0\0" and head[2:3] in b"\x08\x09\x0b\x0c\x0d\x0e" and 1 <= head[3] <= 4 and "idx" in name.lower():
        return "idx"
    if _CIFAR_NAME.match(name):
        return "cifar"
    for ending, kind in ((".npy", "npy"), (".npz", "npz"), (".parquet", "parquet")):
        if name.lower().endswith(ending):
            return kind  # damaged or something else: its reader says which
    if re.search(r"\.mindrecord\d*$", name):
        return "mindrecord"
    if re.search(r"\.tfrecords?\d*$", name):
        return "other" if head.startswith(_COMPRESSED) else "tfrecord"
    return _by_text(name, head, size)


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
    if _TABLE_NAME.search(name):
        return "csv"
    if re.search(r"\.(txt|data|dat)$", name, re.I) or "." not in name:
        for separator, least in ((b"\t", 1), (b",", 2), (b";", 2)):
            counts = {line.count(separator) for line in lines}
            if len(lines) >= 3 and len(counts) == 1 and min(counts) >= least:
                return "csv"
        return "text"
    return "other"
