"""The attachment of an issue: files -> zips, each with a manifest that `md5sum -c` reads. The same files give the same bytes.

Files that a person adds are looked into first: text goes through the redaction, what is no text goes in only when it is named itself.
"""

from __future__ import annotations

import glob
import hashlib
import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..errors import ReadError, from_os_error
from ..language import Words
from ..manifest import File, md5sum_line
from .redact import encoding_of

#: Files of one folder, or that one pattern matches, that are added.
MAX_FILES = 1000
#: What was left out that a manifest names.
MAX_NAMED = 50
#: What stands of a log that is too long: its beginning and its end.
LOGS = (".log", ".out", ".err", ".txt")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment a zip knows
#: Bytes a zip needs for a member beside content and twice its name, and for itself.
_RECORDS, _END = 76, 22

WORDS: Words = {
    "manifest": {
        "en": "Files of {name}; check them with: md5sum -c {file}",
        "zh": "{name} 的文件清单，校验命令：md5sum -c {file}",
    },
    "redacted": {"en": "redacted", "zh": "已脱敏"},
    "unseen": {"en": "not looked into: not text", "zh": "非文本文件，未检查其内容"},
    "cut": {
        "en": "cut: beginning and end of {size:,} bytes",
        "zh": "已截断：原文件 {size:,} 字节，只保留开头和末尾",
    },
    "gap": {"en": "[... {bytes:,} bytes left out here ...]", "zh": "[…… 此处略去 {bytes:,} 字节 ……]"},
    "left-out": {"en": "left out: {path} ({why})", "zh": "未收入：{path}（{why}）"},
    "left-out-more": {"en": "left out: {count:,} more", "zh": "另有 {count:,} 个文件未收入"},
    # why a file is left out
    "too-large": {
        "en": "{size:,} bytes; the limit is {limit:,}, see --limit",
        "zh": "{size:,} 字节，超过单个文件上限 {limit:,}，见 --limit",
    },
    "zip-too-large": {
        "en": "does not fit into an attachment of {limit:,} bytes, see --zip-limit",
        "zh": "放不进 {limit:,} 字节的附件，见 --zip-limit",
    },
    "not-text": {
        "en": "not text; name the file itself if it may go out",
        "zh": "非文本文件；如确认可以外发，请直接指定该文件",
    },
    "leads-out": {
        "en": "a link that leads out of the folder; name its target",
        "zh": "指向目录之外的链接；请直接指定目标文件",
    },
    "not-regular": {"en": "no regular file", "zh": "不是普通文件"},
    "too-many": {
        "en": "there are more than {limit:,} files; name those that matter",
        "zh": "文件超过 {limit:,} 个，请指定其中必要的文件",
    },
    "unread": {"en": "{problem}", "zh": "{problem}"},
}

#: A redaction: `hide(text, whole_path=False)` is the text without what must not go out.
Hide = Callable[..., str]


class Note(msgspec.Struct, frozen=True):
    """Something to be said of a file: a key of WORDS, and what fills it."""

    code: str
    data: dict[str, Any] = {}


class Member(msgspec.Struct, frozen=True):
    """A file of the attachment. `name` is relative, with "/"; `notes` say in what it differs from the file itself."""

    name: str
    content: bytes
    notes: list[Note] = []


class LeftOut(msgspec.Struct, frozen=True):
    """A file that was asked for and is not there, and why."""

    path: str
    why: Note


# --- what a person adds -----------------------------------------------------------------------------------------------


def collect(
    root: Path, paths: Sequence[Path], hide: Hide, limit: int, gap: Callable[[int], str]
) -> tuple[list[Member], list[LeftOut]]:
    """The files, those that patterns such as `dumps/*.npy` match, and those of the folders, that a person added, below `include/`, each
    once; of each at most `limit` bytes.

    A link leads nowhere outside the project (or, of a folder elsewhere, outside of it); hidden files of a folder stay at home. `gap` is
    the line that stands for so many bytes left out of a log. Raises ReadError where a path does not exist.
    """
    root = Path(os.path.realpath(root))
    wanted, left = _wanted(root, paths, hide)
    members: list[Member] = []
    taken: set[str] = set()
    for file, (name, base, named) in wanted.items():
        where = hide(_printable(str(name)))
        within = None if named and not file.is_relative_to(root) else base
        got = _read(file, within, where, named, hide, limit, gap)
        if isinstance(got, LeftOut):
            left.append(got)
        else:
            own = _unique("include/" + "/".join(_safe(step) for step in hide(str(name)).split("/")), taken)
            members.append(msgspec.structs.replace(got, name=own))
    return members, left


def _wanted(root: Path, paths: Sequence[Path], hide: Hide) -> tuple[dict[Path, tuple[Path, Path, bool]], list[LeftOut]]:
    """Each file with its name in the attachment, the folder that it must not lead out of, and whether it is named itself rather than found
    in a folder; and what was too much. Raises ReadError."""
    wanted: dict[Path, tuple[Path, Path, bool]] = {}
    left: list[LeftOut] = []
    for path in paths:
        matches = _matches(path)
        if len(matches) > MAX_FILES:
            left.append(LeftOut(hide(_printable(str(path))), Note("too-many", {"limit": MAX_FILES})))
        for match in matches[:MAX_FILES]:
            named = Path(os.path.abspath(match))
            mode = _mode(named)
            if not named.is_relative_to(root):  # by a link to the project?
                by_link = Path(os.path.realpath(named.parent), named.name)
                named = by_link if by_link.is_relative_to(root) else named
            inside = named.is_relative_to(root)
            leads_out = inside and not Path(os.path.realpath(named)).is_relative_to(root)
            is_folder = stat.S_ISDIR(mode) and not leads_out  # else it is not told what lies there
            base = root if inside else named if is_folder else named.parent
            files: list[Path] = [named]
            if is_folder:
                found = _files(named)
                files = [file for _, file in zip(range(MAX_FILES), found, strict=False)]
                if next(found, None):
                    left.append(LeftOut(hide(_printable(str(match))), Note("too-many", {"limit": MAX_FILES})))
            for file in files:
                shown = file.relative_to(base)
                name = Path(named.name, shown) if is_folder and not inside else shown
                first = wanted.get(file, (name, base, False))
                wanted[file] = (*first[:2], first[2] or not is_folder)
    return wanted, left


def _matches(path: Path) -> list[Path]:
    """What a pattern stands for; a file of just that name comes first."""
    if os.path.lexists(path) or not glob.has_magic(str(path)) or "\0" in str(path):
        return [path]
    return [Path(match) for match in sorted(glob.glob(str(path), recursive=True))] or [path]


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError as error:
        raise from_os_error(error, path) from None
    except ValueError:  # a NUL in a name
        raise ReadError("not-found", path=str(path)) from None


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder in the order of their names, without hidden ones and what Python and accucheck keep."""
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__pycache__")
        yield from (Path(path, name) for name in sorted(names) if not name.startswith("."))


def _read(
    path: Path, within: Path | None, where: str, named: bool, hide: Hide, limit: int, gap: Callable[[int], str]
) -> Member | LeftOut:
    """A file as it may go out; its place in the attachment is not known yet."""
    try:
        real = Path(os.path.realpath(path))
        if within is not None and not real.is_relative_to(os.path.realpath(within)):
            return LeftOut(where, Note("leads-out"))
        status = real.stat()
        if not stat.S_ISREG(status.st_mode):
            return LeftOut(where, Note("not-regular"))
        is_log, size = path.suffix.lower() in LOGS, status.st_size
        if size > limit and not is_log:
            return LeftOut(where, Note("too-large", {"size": size, "limit": limit}))
        with real.open("rb") as stream:
            head = stream.read(limit if size <= limit else limit // 2)
            tail = b""
            if size > limit:
                stream.seek(size - limit // 2)
                tail = stream.read(limit // 2)
    except OSError as error:
        return LeftOut(where, Note("unread", {"problem": error.strerror or str(error)}))
    if tail:  # whole lines
        head, tail = head[: head.rfind(b"\n") + 1], tail[tail.find(b"\n") + 1 :]
    encoding = encoding_of(head + tail)
    if encoding is None or (tail and encoding == "utf-16"):
        if tail:
            return LeftOut(where, Note("too-large", {"size": size, "limit": limit}))
        return Member("", head, [Note("unseen")]) if named else LeftOut(where, Note("not-text"))
    texts = [part.decode(encoding) for part in (head, tail)]
    hidden = [hide(text, whole_path=False) for text in texts]
    notes = [Note("redacted")] if hidden != texts else []
    if not tail:
        content = hidden[0].encode(encoding, "replace") if notes else head
        if len(content) > limit:
            return LeftOut(where, Note("too-large", {"size": len(content), "limit": limit}))
        return Member("", content, notes)
    line = gap(size - len(head) - len(tail)).replace("\n", " ")
    beginning, end = (text.encode(encoding, "replace") for text in hidden)
    room = limit - len(end) - len(line.encode()) - 2
    if len(beginning) > room:  # the pseudonyms may be longer than what they stand for
        beginning = beginning[: max(0, room)]
        beginning = beginning[: beginning.rfind(b"\n") + 1]
    content = beginning + f"{line}\n".encode(encoding, "replace") + end
    return Member("", content[-limit:], [*notes, Note("cut", {"size": size})])


# --- names ------------------------------------------------------------------------------------------------------------


def _printable(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _safe(step: str) -> str:
    """A part of a path that every file system takes."""
    step = re.sub(r'[<>:"|?*\\/]', "_", _printable(step))
    step = "".join(character if character.isprintable() else "_" for character in step)
    return step.encode()[:120].decode(errors="ignore").rstrip(". ").lstrip(" ") or "_"


def _unique(name: str, taken: set[str]) -> str:
    stem, dot, ending = name.rpartition(".")
    if not stem or "/" in ending:
        stem, dot, ending = name, "", ""
    number, own = 1, name
    while own.casefold() in taken:
        number += 1
        own = f"{stem}-{number}{dot}{ending}"
    taken.add(own.casefold())
    return own


# --- zips -------------------------------------------------------------------------------------------------------------


def pack(
    stem: str, members: Sequence[Member], left: Sequence[LeftOut], limit: int, say: Callable[..., str]
) -> tuple[dict[str, bytes], list[LeftOut]]:
    """The zips, {name: content}, each of at most `limit` bytes: `<stem>.zip`, then `<stem>.2.zip` and so on, all with the one folder
    `<stem>`. A member that alone is too large is left out. `say` speaks of WORDS."""
    parts: list[list[Member]] = []
    lacking: list[LeftOut] = []
    head = len(_head(stem, 99, left, say)) + 2 * len(f"{stem}/manifest-99.md5".encode()) + _RECORDS + _END
    room = 0
    for member in members:
        name = f"{stem}/{member.name}".encode()
        size = len(_deflated(member.content)) + 2 * len(name) + _RECORDS + len(_lines([member], say))
        if size > limit - head:
            lacking.append(LeftOut(member.name, Note("zip-too-large", {"limit": limit})))
            continue
        if not parts or size > room:
            parts.append([])
            room = limit - head
        parts[-1].append(member)
        room -= size
    if lacking:  # which the manifest names too
        names = {each.path for each in lacking}
        return pack(stem, [member for member in members if member.name not in names], [*left, *lacking], limit, say)
    files = {}
    for number, part in enumerate(parts or [[]], start=1):
        mark = f"-{number}" if number > 1 else ""
        listed = _head(stem, number, left if number == 1 else [], say) + _lines(part, say)
        zipped = f"{stem}{'.' + str(number) if number > 1 else ''}.zip"
        files[zipped] = _zip([(f"{stem}/manifest{mark}.md5", listed), *((f"{stem}/{m.name}", m.content) for m in part)])
    return files, list(left)


def _head(stem: str, number: int, left: Sequence[LeftOut], say: Callable[..., str]) -> bytes:
    mark = f"-{number}" if number > 1 else ""
    said = [say("manifest", name=stem, file=f"manifest{mark}.md5")]
    said += [
        say("left-out", path=each.path[:200], why=say(each.why.code, **each.why.data)) for each in left[:MAX_NAMED]
    ]
    if len(left) > MAX_NAMED:
        said.append(say("left-out-more", count=len(left) - MAX_NAMED))
    return _comment(said)


def _lines(members: Sequence[Member], say: Callable[..., str]) -> bytes:
    """Lines of md5sum, each after what is to be said of its file."""
    lines = b""
    for member in members:
        lines += _comment([f"{member.name}: {say(note.code, **note.data)}" for note in member.notes])
        lines += md5sum_line(File(member.name, hashlib.md5(member.content, usedforsecurity=False).hexdigest()))
    return lines


def _comment(said: list[str]) -> bytes:
    """Lines that md5sum passes over."""
    return "".join(f"# {' '.join(text.split())}\n" for text in said).encode("utf-8", "backslashreplace")


def _deflated(content: bytes) -> bytes:
    engine = zlib.compressobj(6, zlib.DEFLATED, -15)
    return engine.compress(content) + engine.flush()


def _zip(files: Sequence[tuple[str, bytes]]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in files:
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            entry.create_system = 3  # where the line above counts
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return stream.getvalue()
