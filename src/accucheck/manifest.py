"""Manifests: the path, size, mtime and MD5 of every file of a tree; making, reading and comparing them.

Says what differs, not what that means for a training: see probes/dataset_digest.py.
"""

from __future__ import annotations

import operator
import os
import stat
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from . import hasher, hashing, system
from .errors import ReadError, SaveError, from_os_error
from .hashing import UnreadEntry
from .language import Words, visible, word
from .model import Language, Progress, now
from .store import FOLDER, require_outside_links, write_atomically

T = TypeVar("T")

VERSION = 1
UNKNOWN = -1
#: A list longer than this is refused; ten million files make about 1 GB.
MAX_BYTES = 2 << 30
#: Seconds between two reports of the progress.
_TELL_EVERY = 0.1


class File(msgspec.Struct, frozen=True, gc=False):
    """One file. `path` is relative to the tree, with "/"; size in bytes and the times are UNKNOWN where a list lacks them.

    ctime_ns is what a change cannot hide from: unlike mtime it cannot be set back. UNKNOWN also where the file was written
    so short a time before that a later change might not show.
    """

    path: str
    md5: str
    size: int = UNKNOWN
    mtime_ns: int = UNKNOWN
    ctime_ns: int = UNKNOWN


class Manifest(msgspec.Struct, frozen=True):
    """The files of one tree, in the order of their paths.

    `root` is the tree's name, only to be shown. `hashed` and `reused` count the files of the run that made it.
    """

    root: str
    files: list[File]
    created: str = ""
    unread: list[UnreadEntry] = []
    format: Literal["accucheck-manifest"] = "accucheck-manifest"
    version: int = VERSION
    hashed: int = 0
    reused: int = 0

    @property
    def bytes(self) -> int:
        return sum(file.size for file in self.files)


class Comparison(msgspec.Struct, frozen=True):
    """A tree against a reference; pairs are (actual, reference).

    `uncompared` are paths that could not be read on one side. `outside` counts files of the reference that lie outside
    the tree, `uncovered` files of the tree outside the folder that the reference describes.
    """

    same: int
    missing: list[File]
    extra: list[File]
    different: list[tuple[File, File]]
    renamed: list[tuple[File, File]]
    uncompared: list[str]
    outside: int = 0
    uncovered: int = 0

    @property
    def differs(self) -> bool:
        return bool(self.missing or self.extra or self.different or self.renamed)


# --- names: any bytes the file system allows, in JSON and on one line ---------------------------------------------------


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def escaped(path: str) -> str:
    """`path` as valid text: a byte that is not UTF-8 becomes \\xNN, a backslash is doubled. unescaped() reverses it."""
    if path.isascii() and "\\" not in path:
        return path
    return _bytes(path.replace("\\", "\\\\")).decode("utf-8", "backslashreplace")


def unescaped(text: str) -> str:
    """The path that escaped() wrote."""
    if "\\" not in text:
        return text
    import re

    return re.sub(
        r"\\(\\|x([89a-f][0-9a-f]))", lambda match: chr(0xDC00 + int(match[2], 16)) if match[2] else "\\", text
    )


def md5sum_line(file: File) -> bytes:
    """The line that md5sum prints for this file, with its escapes."""
    name, mark = _bytes(file.path), b""
    if b"\\" in name or b"\n" in name or b"\r" in name:
        mark = b"\\"
        name = name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\r", b"\\r")
    return b"%s%s  %s\n" % (mark, file.md5.encode(), name)


def tree_digest(manifest: Manifest) -> str:
    """One MD5 for the tree: that of its md5sum lines in the order of their names.

    The same as: find -L . -type f -printf '%P\\0' | LC_ALL=C sort -z | xargs -0 md5sum | md5sum
    """
    import hashlib

    if _plain_names(manifest.files):  # a fifth of the time
        lines = "".join([f"{file.md5}  {file.path}\n" for file in manifest.files]).encode()
    else:
        lines = b"".join([md5sum_line(file) for file in manifest.files])
    return hashlib.md5(lines, usedforsecurity=False).hexdigest()


def _plain_names(entries: Sequence[File | UnreadEntry]) -> bool:
    """Whether no name needs an escape, told for all at once."""
    names = "".join([entry.path for entry in entries])
    return names.isascii() and names.isprintable() and "\\" not in names


def duplicates(manifest: Manifest) -> list[list[File]]:
    """Groups of files with the same content, largest groups first. Empty files do not count."""
    groups: dict[str, list[File]] = defaultdict(list)
    for file in manifest.files:
        if file.size != 0:
            groups[file.md5].append(file)
    return sorted((group for group in groups.values() if len(group) > 1), key=lambda group: -len(group))


# --- making -------------------------------------------------------------------------------------------------------------


class _Journal:
    """What an interrupted run had hashed: a head line naming the tree, then what hasher.record() gives, appended by the
    hashing processes file by file, so that a kill costs at most the files they are at.

    An aid, so it never fails: where it cannot be written, or another run holds it, the run goes on without, and `path` is None.
    """

    def __init__(self, path: Path | None, base: str, full: bool) -> None:
        self.files: dict[str, File] = {}
        self.path: Path | None = None
        self._descriptor: int | None = None
        if path is None:
            return
        head = msgspec.json.encode({"version": VERSION, "root": escaped(base)}) + b"\n"
        try:
            descriptor = os.open(
                path, os.O_RDWR | os.O_CREAT | os.O_APPEND | system.CLOEXEC | system.NOFOLLOW | system.BINARY, 0o666
            )
        except OSError:
            return
        try:
            system.lock(descriptor)
            with open(descriptor, "rb", closefd=False) as stream:
                if not full and stream.readline(len(head)) == head:
                    self._read(stream.read())
            if self.files:
                os.write(descriptor, b"\0")  # the last line may be torn
            else:
                os.ftruncate(descriptor, 0)
                os.write(descriptor, head)
        except OSError:
            if os.fstat(descriptor).st_size == 0:  # a full disk
                with suppress(OSError):
                    path.unlink()
            os.close(descriptor)
            return
        self._descriptor, self.path = descriptor, path

    def _read(self, data: bytes) -> None:
        for line in data.split(b"\0"):
            fields = line.split(b" ", 4)
            if len(fields) < 5 or not all(field.isdigit() for field in fields[:4]):
                continue
            size, mtime, ctime, length = (int(field) for field in fields[:4])
            name, space, md5 = fields[4][:length], fields[4][length : length + 1], fields[4][length + 1 :]
            if space == b" " and md5.isascii() and _is_md5(md5.decode()):
                path = os.fsdecode(name)
                self.files[path] = File(path, md5.decode(), size, mtime, ctime)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def scan(
    root: str | os.PathLike[str],
    *,
    previous: Manifest | None = None,
    full: bool = False,
    journal: Path | None = None,
    workers: int = 2,
    within: Iterable[str] | None = None,
    skip: Iterable[str | os.PathLike[str]] = (),
) -> Generator[Progress, None, Manifest]:
    """Hash a tree (or a single file), telling the progress in bytes; the manifest is the generator's return value.

    Files whose size and times equal those in `previous`, or in the `journal` of an interrupted run, are not read
    again, unless `full`. `within` limits the tree to these relative paths, `skip` leaves files out; folders named
    .accucheck always are. Closing the generator ends the hashing processes. Raises ReadError when root cannot be read.
    """
    base, starts = os.path.abspath(root), [""] if within is None else _outermost(within)
    try:
        mode = Path(base).stat().st_mode
        if stat.S_ISDIR(mode):
            os.scandir(base).close()
    except OSError as error:
        raise from_os_error(error, root) from None
    if stat.S_ISREG(mode):
        base, name = os.path.split(base)
        starts = [name]
    elif not stat.S_ISDIR(mode):
        raise ReadError("not-regular", path=os.fspath(root))
    known = {file.path: file for file in previous.files} if previous is not None and not full else {}
    files: list[File] = []
    done = total = 0
    record = _Journal(journal, base, full)
    pool = hashing.Pool(base, min(workers, os.cpu_count() or 1), record.path)
    known.update(record.files)
    skipped = {os.path.relpath(os.path.abspath(path), base) for path in skip}
    walk = hashing.FileWalk(base, starts, skipped, FOLDER, known)

    def settle(answers: Iterable[hashing.Answer]) -> int:
        """Sort finished files into `files` and unread; returns their bytes."""
        size_done = 0
        for (path, size, mtime, ctime), status, md5 in answers:
            size_done += size
            if status in (hasher.OK, hasher.FRESH):
                files.append(File(path, md5.hex(), size, mtime, ctime if status == hasher.OK else UNKNOWN))
            elif status == hasher.CHANGED:
                walk.unread.append(UnreadEntry(path, "changed"))
            elif status == hasher.NOT_REGULAR:
                walk.unread.append(UnreadEntry(path, "not-regular"))
            else:
                walk.unread.append(hashing.unread(path, OSError(status, os.strerror(status))))
        return size_done

    told = time.monotonic()
    try:
        for seen in walk:
            total += seen[1]
            if pool.add(seen):
                done += settle(pool.turn(0))
                if time.monotonic() - told >= _TELL_EVERY:
                    told = time.monotonic()
                    yield Progress(done, None, "bytes")
        pool.all_known()
        while pool.busy:
            done += settle(pool.turn(100))
            if time.monotonic() - told >= _TELL_EVERY:
                told = time.monotonic()
                yield Progress(min(total, done + pool.under_way), total, "bytes")
        yield Progress(total, total, "bytes")
    finally:
        pool.end()
        record.close()
    reused = len(walk.unchanged)
    if previous is not None and not files and reused == len(previous.files) and not record.files:
        files = previous.files  # the same, and in order
    else:
        files += walk.unchanged
        files.sort(key=lambda file: file.path)
    walk.unread.sort(key=lambda entry: entry.path)
    name = os.path.basename(base) or base  # noqa: PTH119
    return Manifest(name, files, created=now(), unread=walk.unread, hashed=len(files) - reused, reused=reused)


def _outermost(paths: Iterable[str]) -> list[str]:
    """Relative paths in order, without those outside and those that lie below another one."""
    kept: list[str] = []
    for path in sorted({os.path.normpath(path) for path in paths}, key=lambda path: path.split("/")):
        if path == ".":
            return [""]
        if not path.startswith(("../", "/")) and path != ".." and not (kept and path.startswith(kept[-1] + "/")):
            kept.append(path)
    return kept


def build(
    root: str | os.PathLike[str], *, progress: Callable[[Progress], object] | None = None, **options: Any
) -> Manifest:
    """scan() with a callback; previous, full, journal, workers, within and skip are its options."""
    return finish(scan(root, **options), progress)


def finish(steps: Generator[Progress, None, T], progress: Callable[[Progress], object] | None = None) -> T:
    """Run what tells its progress, as scan() and update() do, to its end, and return what comes of it."""
    try:
        while True:
            step = next(steps)
            if progress is not None:
                progress(step)
    except StopIteration as stop:
        made: T = stop.value
        return made
    finally:
        steps.close()


def update(
    root: str | os.PathLike[str],
    target: Path,
    *,
    full: bool = False,
    workers: int = 2,
    within: Iterable[str] | None = None,
    skip: Iterable[str | os.PathLike[str]] = (),
    must_save: bool = True,
) -> Generator[Progress, None, Manifest]:
    """scan(), starting from the manifest in `target` if there is one, and saved there unless it says the same already; an
    interrupted run resumes.

    Raises what scan() raises, and SaveError when the manifest cannot be written and `must_save`.
    """
    journal = target.with_name(target.name + ".journal")
    previous = None
    if not full:
        try:
            previous = read(target)
        except ReadError:
            pass  # none yet, or a damaged one: that only costs the time to hash again
    made = yield from scan(
        root,
        previous=previous,
        full=full,
        journal=journal,
        workers=workers,
        within=within,
        skip=(target, journal, *skip),
    )
    unchanged = previous is not None and made.files is previous.files and made.unread == previous.unread
    try:
        if not unchanged or previous is None or previous.root != made.root:
            write(made, target)
        journal.unlink(missing_ok=True)
    except (SaveError, OSError):
        if must_save:
            raise
    return made


# --- writing and reading ------------------------------------------------------------------------------------------------

_ENCODER = msgspec.json.Encoder()


def _line(entry: File | UnreadEntry) -> bytes:
    path = escaped(entry.path)
    return _ENCODER.encode(entry if path is entry.path else msgspec.structs.replace(entry, path=path))


def _rows(entries: Sequence[File | UnreadEntry]) -> bytes:
    if _plain_names(entries):
        return _ENCODER.encode_lines(entries).replace(b"}\n{", b"},\n{")  # no line feed stands within a row
    return b",\n".join([_line(entry) for entry in entries]) + b"\n"


def encode(manifest: Manifest) -> bytes:
    """The manifest as JSON, one file a line."""
    head = {
        "format": manifest.format,
        "version": manifest.version,
        "root": escaped(manifest.root),
        "created": manifest.created,
    }
    return _ENCODER.encode(head)[:-1] + b',"files":[\n%s],"unread":[\n%s]}\n' % (
        _rows(manifest.files),
        _rows(manifest.unread),
    )


def listing(manifest: Manifest, form: str) -> bytes:
    """The manifest as a list of "md5sum" or "hashdeep". hashdeep knows no escapes: there a line break in a name becomes
    \\n, as md5sum has it.
    """
    if form == "md5sum":
        return b"".join([md5sum_line(file) for file in manifest.files])
    rows = [
        b"%d,%s,%s\n" % (file.size, file.md5.encode(), _bytes(file.path).replace(b"\n", b"\\n").replace(b"\r", b"\\r"))
        for file in manifest.files
    ]
    return b"%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n" + b"".join(rows)


def write(manifest: Manifest, path: Path) -> None:
    """Store a manifest, whole or not at all. Raises SaveError."""
    write_atomically(path, encode(manifest))


def read(path: Path) -> Manifest:
    """A manifest of ours, or a list of md5sum, md5deep, BSD md5 or hashdeep, told apart by content. Raises ReadError."""
    try:
        info = path.stat()
        if stat.S_ISDIR(info.st_mode):
            raise ReadError("is-directory", path=str(path))
        if not stat.S_ISREG(info.st_mode):
            raise ReadError("not-regular", path=str(path))
        if info.st_size > MAX_BYTES:
            raise ReadError("too-large", path=str(path), size=info.st_size, limit=MAX_BYTES)
        data = path.read_bytes()
    except OSError as error:
        raise from_os_error(error, path) from None
    if not data:
        raise ReadError("empty", path=str(path))
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):  # what > of PowerShell writes
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError as error:
            offset = error.start if isinstance(error, UnicodeDecodeError) else 0
            raise ReadError("encoding", path=str(path), offset=offset, expected="UTF-16") from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.lstrip()[:1] == b"{":
        return decode(data, path)
    from .readers import md5_lists

    found = md5_lists.parse(data, path)
    files = [File(name, md5, UNKNOWN if size is None else size) for name, (md5, size) in sorted(found.items())]
    return Manifest(path.name, files)


def _is_md5(text: str) -> bool:
    return len(text) == 32 and not text.strip("0123456789abcdef")


def decode(data: bytes, path: Path) -> Manifest:
    """What encode() wrote; `path` is the name for errors. Raises ReadError."""

    def malformed(expected: str, offset: int = 0) -> ReadError:
        return ReadError("malformed", path=str(path), format="accucheck manifest", offset=offset, expected=expected)

    try:
        found = msgspec.json.decode(data, type=Manifest)
    except msgspec.MsgspecError as error:
        if "truncated" in str(error):
            raise ReadError("truncated", path=str(path), offset=len(data), expected="]}") from None
        offset = str(error).partition("(byte ")[2].rstrip(")")
        raise malformed(str(error), int(offset or 0)) from None
    except UnicodeDecodeError as error:
        raise ReadError("encoding", path=str(path), offset=error.start, expected="UTF-8") from None
    except RecursionError:
        raise malformed('{"files": [...]}') from None
    if found.version > VERSION:
        raise malformed(f'"version": {VERSION}')
    unread = [msgspec.structs.replace(entry, path=unescaped(entry.path)) for entry in found.unread]
    names = [file.path for file in found.files]
    plain = "\\" not in "".join(names)
    sums = [file.md5 for file in found.files]
    sound = set(map(len, sums)) <= {32} and not "".join(sums).encode().translate(None, b"0123456789abcdef")
    if plain and sound and all(map(operator.lt, names, islice(names, 1, None))):  # as we write it: seen at once
        return msgspec.structs.replace(found, root=unescaped(found.root), unread=unread)
    files: dict[str, File] = {}
    for file in found.files:
        if not _is_md5(file.md5):
            raise malformed(f'{file.path}: "md5"')
        if "\\" in file.path:
            file = msgspec.structs.replace(file, path=unescaped(file.path))
        files[file.path] = file
    ordered = [files[name] for name in sorted(files)]
    return msgspec.structs.replace(found, root=unescaped(found.root), files=ordered, unread=unread)


# --- comparing ----------------------------------------------------------------------------------------------------------


def compare(
    actual: Manifest,
    reference: Manifest,
    *,
    only: set[str] | None = None,
    root: str | os.PathLike[str] | None = None,
    without: Collection[str] = (),
) -> Comparison:
    """What differs between a tree and its reference; `only` limits both to these paths of the tree, those `without` are left out.

    With `root`, the folder that `actual` describes, the names of a list that was made from a folder above or below it,
    or with absolute names, are brought into line first.
    """
    strip, add = _alignment(actual, reference, os.path.abspath(root)) if root is not None else ("", "")
    theirs = {add + file.path[len(strip) :]: file for file in reference.files if file.path.startswith(strip)}
    ours = {file.path: file for file in actual.files if file.path.startswith(add)}
    if not ours.keys().isdisjoint(theirs):
        theirs = {path: file for path, file in theirs.items() if not path.startswith(("/", "../"))}
    outside, uncovered = len(reference.files) - len(theirs), len(actual.files) - len(ours)
    for path in without:
        theirs.pop(path, None)
        ours.pop(path, None)
    hidden = {add + entry.path[len(strip) :]: entry for entry in reference.unread if entry.path.startswith(strip)}
    not_read = hidden.keys() | {entry.path for entry in actual.unread}
    if only is not None:
        theirs = {path: theirs[path] for path in only & theirs.keys()}
        ours = {path: ours[path] for path in only & ours.keys()}
    closed = tuple(path for path in not_read if path.endswith("/"))
    alone = ours.keys() ^ theirs.keys()
    uncompared = {path for path in alone if path in not_read or path.startswith(closed)}
    alone -= uncompared
    # What the reference could not read, and the tree does not have, stands in neither list of files.
    gaps = {path for path, entry in hidden.items() if entry.reason not in hashing.NO_FILES}
    uncompared |= gaps if only is None else gaps & only
    missing = [theirs[path] for path in sorted(alone) if path in theirs]
    extra = [ours[path] for path in sorted(alone) if path in ours]
    both, changed = 0, []
    for path, file in ours.items():
        other = theirs.get(path)
        if other is not None:
            both += 1
            if other.md5 != file.md5:
                changed.append(path)
    different = [(ours[path], theirs[path]) for path in sorted(changed)]
    elsewhere: dict[str, list[File]] = defaultdict(list)
    for file in reversed(extra):
        if file.size != 0:
            elsewhere[file.md5].append(file)
    renamed = [(elsewhere[file.md5].pop(), file) for file in missing if elsewhere.get(file.md5)]
    moved_to, moved_from = {pair[0].path for pair in renamed}, {pair[1].path for pair in renamed}
    return Comparison(
        same=both - len(different),
        missing=[file for file in missing if file.path not in moved_from],
        extra=[file for file in extra if file.path not in moved_to],
        different=different,
        renamed=renamed,
        uncompared=sorted(uncompared),
        outside=outside,
        uncovered=uncovered,
    )


def _alignment(actual: Manifest, reference: Manifest, root: str) -> tuple[str, str]:
    """(strip, add): the prefix to take from the reference's names, and the one to put before them, for most to match."""
    if not actual.files or not reference.files:
        return "", ""
    parts = root.strip("/").split("/")
    strips = ["/".join(parts[-count:]) + "/" for count in range(1, len(parts) + 1)] + [root.rstrip("/") + "/"]
    first, last = reference.files[0].path, reference.files[-1].path  # in order: what these two share, all share
    shared = os.path.commonpath([first, last]) if first.startswith("/") == last.startswith("/") else ""
    while shared.strip("/"):
        strips.append(shared + "/")
        shared = os.path.dirname(shared)
    adds: dict[str, None] = {}
    for file in actual.files:
        folders = file.path.split("/")[:-1][:3]
        for depth in range(1, len(folders) + 1):
            adds["/".join(folders[:depth]) + "/"] = None
        if len(adds) > 300:
            break
    names = {file.path for file in actual.files}
    sample = [file.path for file in islice(reference.files, 0, None, max(1, len(reference.files) // 2000))]
    best, most = ("", ""), sum(name in names for name in sample)
    for strip, add in [*((strip, "") for strip in strips), *(("", add) for add in adds)]:
        if most == len(sample):
            break
        matches = sum(name.startswith(strip) and add + name[len(strip) :] in names for name in sample)
        if matches > most:
            best, most = (strip, add), matches
    return best


# --- the command accucheck manifest -------------------------------------------------------------------------------------

WORDS: Words = {
    "summary": {
        "en": "{files:,} {files:file|files}, {bytes:,} {bytes:byte|bytes}, MD5 of the whole {digest} ({hashed:,} hashed, "
        "{reused:,} reused)",
        "zh": "共 {files:,} 个文件，{bytes:,} 字节，整体 MD5 为 {digest}（计算 {hashed:,} 个，复用 {reused:,} 个）",
    },
    "verdict": {
        "en": "{same:,} equal, {missing:,} missing, {different:,} different, {extra:,} extra, {renamed:,} renamed, "
        "{uncompared:,} not compared",
        "zh": "一致 {same:,}，缺失 {missing:,}，内容不同 {different:,}，多出 {extra:,}，改名 {renamed:,}，未比对 {uncompared:,}",
    },
    "missing": {"en": "missing", "zh": "缺失"},
    "different": {"en": "different", "zh": "内容不同"},
    "extra": {"en": "extra", "zh": "多出"},
    "renamed": {"en": "renamed", "zh": "改名"},
    "uncompared": {"en": "not compared", "zh": "未比对"},
}


def _refuse_foreign(target: Path) -> None:
    """Raise SaveError when a file stands there that is no manifest: `manifest data.csv -o data.csv` must cost nothing."""
    try:
        with target.open("rb") as stream:
            head = stream.read(64)
    except OSError:
        return  # none yet, or update() will say what is wrong
    if head and not head.lstrip().startswith(b'{"format":"accucheck-manifest"'):
        raise SaveError("not-a-manifest", path=str(target))


def command(
    folder: str,
    output: str | None,
    check: str | None,
    *,
    full: bool,
    as_json: bool,
    form: str | None = None,
    language: Language,
    echo: Callable[..., object],
    progress: Callable[[Progress], object] | None = None,
) -> int:
    """Hash `folder`; write the manifest to `output`, or to stdout in the format `form` ("json", "md5sum", "hashdeep"), or both
    when both are given; or compare it with `check` (a list, or a folder).

    The exit code: 0; 1 when there are differences; 3 when something could not be read. Raises ReadError and SaveError.
    """
    reference = None if check is None or Path(check).is_dir() else read(Path(check))
    if output is not None:
        require_outside_links(Path(output))
        _refuse_foreign(Path(output))
        made = finish(update(folder, Path(output), full=full), progress)
    else:
        made = build(folder, full=full, skip=() if check is None else (check,), progress=progress)
    for entry in made.unread:
        problem = ReadError(entry.reason, path=escaped(entry.path), problem=entry.problem)
        echo(visible(problem.text(language)), err=True)
    incomplete = any(entry.reason not in hashing.NO_FILES for entry in made.unread)
    if check is None:
        if output is None or form is not None:
            echo(encode(made) if form in (None, "json") else listing(made, form), nl=False)
        numbers = {"files": len(made.files), "bytes": made.bytes, "hashed": made.hashed, "reused": made.reused}
        echo(word(WORDS, "summary", language, digest=tree_digest(made), **numbers), err=True)
        return 3 if incomplete else 0
    result = compare(made, reference or build(check, progress=progress), root=folder)
    if as_json:
        echo(msgspec.json.format(_ENCODER.encode(_plain(result)), indent=1))
    else:
        for line in _lines(result, language):
            echo(visible(line))
    return 1 if result.differs else 3 if incomplete or result.uncompared else 0


def _plain(result: Comparison) -> dict[str, Any]:
    """A comparison as plain JSON values, its names escaped."""

    def plain(value: Any) -> Any:
        if isinstance(value, File):
            return {"path": escaped(value.path), "md5": value.md5, "size": value.size}
        if isinstance(value, tuple):
            return {"actual": plain(value[0]), "reference": plain(value[1])}
        if isinstance(value, list):
            return [plain(entry) for entry in value]
        return escaped(value) if isinstance(value, str) else value

    return {name: plain(getattr(result, name)) for name in result.__struct_fields__}


def _lines(result: Comparison, language: Language) -> Iterator[str]:
    """A comparison as text: a line a difference, then the counts."""
    rows = [("missing", escaped(file.path)) for file in result.missing]
    for actual, reference in result.different:
        sizes = f" ({actual.size:,} / {reference.size:,} B)" if actual.size != reference.size != UNKNOWN else ""
        rows.append(("different", escaped(actual.path) + sizes))
    rows += [("extra", escaped(file.path)) for file in result.extra]
    rows += [
        ("renamed", f"{escaped(reference.path)} -> {escaped(actual.path)}") for actual, reference in result.renamed
    ]
    rows += [("uncompared", escaped(path)) for path in result.uncompared]
    for key, text in rows:
        yield f"{word(WORDS, key, language)}  {text}"
    names = ("missing", "different", "extra", "renamed", "uncompared")
    yield word(WORDS, "verdict", language, same=result.same, **{name: len(getattr(result, name)) for name in names})
