"""What was examined, file by file, with digests: so that somebody else can tell whether he has the same.

Bounded in bytes and time. What is too large for that gets a weaker digest, which says so, or none.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from .. import manifest
from ..case import IGNORED, Case, path_keys
from ..engine import SCRIPT_FILES
from ..errors import UserError
from ..hashing import FileWalk
from ..language import Words
from ..model import Status
from ..session import Record
from ..store import FOLDER

MOST_BYTES = 200 << 20  # hashed for one report
SECONDS = 2.0
MOST_FILES = 20_000  # of one folder that is listed
ENDS = 1 << 20  # bytes at each end of a file, for the digest of its ends
CODE = "code"  # stands for the scripts and settings of the project, which no key names one by one

WORDS: Words = {
    "whole": {"en": "whole content", "zh": "全部内容"},
    "tree": {"en": "md5sum lines of all files", "zh": "全部文件的 md5sum 列表"},
    "probe": {
        "en": "md5sum lines of all files, as probe dataset_digest took it",
        "zh": "全部文件的 md5sum 列表（取自探针 dataset_digest）",
    },
    "ends": {
        "en": "weaker: size, first and last 1 MiB only",
        "zh": "较弱：仅含大小和首尾各 1 MiB",
    },
    "listing": {"en": "weaker: names and sizes only", "zh": "较弱：仅含文件名和大小"},
    "size": {"en": "too large: not counted", "zh": "过大，未统计"},
    "address": {"en": "at an address: not read", "zh": "位于远程地址，未读取"},
    "absent": {"en": "does not exist", "zh": "不存在"},
    "unreadable": {"en": "cannot be read", "zh": "无法读取"},
    "code": {"en": "scripts and settings of the project", "zh": "项目的脚本和配置文件"},
}


def collect(
    case: Case,
    record: Record,
    stale: Collection[tuple[str, str]] = (),
    seconds: float = SECONDS,
    most: int = MOST_BYTES,
) -> list[dict[str, Any]]:
    """What the keys of a case name, and the code of the project, as plain values. `stale` as in build.build.

    Each has `key`, `path` (relative to the project where it lies there), `files`, `bytes`, `md5` and `method`, a key of WORDS: what the
    digest covers, or why there is none. The MD5 of a folder is that of accucheck manifest.
    """
    hasher = _Hasher(time.monotonic() + seconds, most)
    found = [_code(case, hasher)]
    known = _digested(record, stale) if isinstance(case.get("data.train.path"), str) else None
    for key in path_keys():
        if key == "runtime.python":
            continue
        value = case.get(key)
        for text in [value] if isinstance(value, str) else value or []:
            found.append(_input(case, key, text, known if key == "data.train.path" else None, hasher))
    return found


class _Hasher:
    """MD5s until the time or the bytes are used up."""

    def __init__(self, deadline: float, most: int) -> None:
        self.deadline, self.left = deadline, most

    def has_room(self, size: int) -> bool:
        return size <= self.left and time.monotonic() < self.deadline

    def whole(self, path: str | Path) -> str | None:
        """The MD5 of a file; None when time or bytes ran out. Raises OSError."""
        digest = hashlib.md5(usedforsecurity=False)
        with open(path, "rb") as file:
            while data := file.read(1 << 20):
                digest.update(data)
                self.left -= len(data)
                if self.left < 0 or time.monotonic() > self.deadline:
                    return None
        return digest.hexdigest()

    def ends(self, path: Path, size: int) -> str:
        """The MD5 of a file's size and ends. Raises OSError."""
        digest = hashlib.md5(str(size).encode(), usedforsecurity=False)
        with path.open("rb") as file:
            digest.update(file.read(ENDS))
            file.seek(max(ENDS, size - ENDS))
            digest.update(file.read(ENDS))
        return digest.hexdigest()


def _input(case: Case, key: str, text: str, known: tuple[int, int, str] | None, hasher: _Hasher) -> dict[str, Any]:
    shown = case.relative(text)
    if "://" in text:
        return _row(key, shown, "address")
    path = case.path(text)
    try:
        info = path.stat()
        if stat.S_ISREG(info.st_mode):
            md5 = hasher.whole(path) if hasher.has_room(info.st_size) else None
            method = "whole" if md5 else "ends"
            return _row(key, shown, method, 1, info.st_size, md5 or hasher.ends(path, info.st_size))
        if not stat.S_ISDIR(info.st_mode):
            return _row(key, shown, "unreadable")
        if known is not None:
            return _row(key, shown, "probe", *known)
        return _folder(key, shown, path, hasher)
    except FileNotFoundError:
        return _row(key, shown, "absent")
    except (OSError, ValueError, UserError):
        return _row(key, shown, "unreadable")


def _row(
    key: str, path: str, method: str, files: int | None = None, size: int | None = None, md5: str | None = None
) -> dict[str, Any]:
    return {"key": key, "path": path, "files": files, "bytes": size, "md5": md5, "method": method}


def _folder(key: str, shown: str, path: Path, hasher: _Hasher) -> dict[str, Any]:
    seen: list[tuple[str, int]] = []
    size = 0
    walk = FileWalk(str(path), [""], set(), FOLDER)
    for name, length, _, _ in walk:
        if len(seen) == MOST_FILES or time.monotonic() > hasher.deadline:
            return _row(key, shown, "size")
        seen.append((name, length))
        size += length
    return _files(key, shown, path, sorted(seen), size, hasher)


def _files(key: str, shown: str, path: Path, seen: list[tuple[str, int]], size: int, hasher: _Hasher) -> dict[str, Any]:
    """One digest for many files: that of their contents, or, where these are too many, of their names and sizes."""
    files = []
    if hasher.has_room(size):
        for name, length in seen:
            md5 = hasher.whole(path / name)
            if md5 is None:
                break
            files.append(manifest.File(name, md5, length))
    if len(files) == len(seen):
        return _row(key, shown, "tree", len(seen), size, manifest.tree_digest(manifest.Manifest(shown, files)))
    listing = "".join(f"{length} {name}\n" for name, length in seen).encode("utf-8", "surrogateescape")
    return _row(key, shown, "listing", len(seen), size, hashlib.md5(listing, usedforsecurity=False).hexdigest())


def _code(case: Case, hasher: _Hasher) -> dict[str, Any]:
    """The scripts and settings below the project's folder; links are not followed."""
    seen: list[tuple[str, int]] = []
    size = 0
    try:
        for name, length in _scripts(case.root, ""):
            if len(seen) == MOST_FILES or time.monotonic() > hasher.deadline:
                return _row(CODE, ".", "size")
            seen.append((name, length))
            size += length
        return _files(CODE, ".", Path(case.root), sorted(seen), size, hasher)
    except OSError:
        return _row(CODE, ".", "unreadable")


def _scripts(root: str, prefix: str) -> Iterator[tuple[str, int]]:
    with os.scandir(os.path.join(root, prefix)) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in IGNORED and not entry.name.startswith("."):
                    yield from _scripts(root, f"{prefix}{entry.name}/")
            elif entry.name.endswith(SCRIPT_FILES) and entry.is_file(follow_symlinks=False):
                yield prefix + entry.name, entry.stat(follow_symlinks=False).st_size


def _digested(record: Record, stale: Collection[tuple[str, str]]) -> tuple[int, int, str] | None:
    """Files, bytes and MD5 of the training data as the probe dataset_digest took them, while that still holds."""
    for item, entry in record.entries.items():
        result = entry.results.get("dataset_digest")
        if result is None or result.status is not Status.DONE or (item, result.probe) in stale:
            continue
        for finding in result.findings:
            data = finding.data
            if finding.code == "tree" and isinstance(data.get("digest"), str) and isinstance(data.get("files"), int):
                return data["files"], data.get("bytes", 0), data["digest"]
    return None
