"""WebDataset shards: tar archives whose consecutive members of one name, up to its first dot, make a sample. Read as a stream.

The headers are walked here: tarfile takes damage in the middle of an archive for its end, and reads an extended header of any
size. Nothing is unpacked to disk, so a member's path is only a name. Format: POSIX.1-1988 (ustar), pax, and GNU's long names.
"""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from ..errors import ReadError, from_os_error
from .places import File, opened

#: A longer member, a longer name or extended header is refused.
LONGEST, _LONGEST_NAME = 256 << 20, 1 << 20
_RECORD = 512
#: Members that settle whether an archive is a shard, and the bytes that are read for that.
_FIRST, _FIRST_BYTES = 24, 8 << 20
IMAGES = frozenset(("jpg", "jpeg", "png", "ppm", "pgm", "pbm", "bmp", "gif", "webp", "tif", "tiff"))
#: Fields of text; those of the second kind hold one label or number.
TEXTS = frozenset(("txt", "text", "transcript"))
VALUES = frozenset(("cls", "cls2", "id", "index", "inx", "count"))


class _Damage(Exception):
    """Damage at an offset of the archive, and what was expected there."""

    def __init__(self, code: str, offset: int, expected: str) -> None:
        super().__init__(code, offset, expected)
        self.code, self.offset, self.expected = code, offset, expected


def kind_of(field: str) -> str:
    """The last part of a field tells what it holds, as WebDataset's decoders take it."""
    return field.rpartition(".")[2]


def samples(path: File) -> Iterator[tuple[str, dict[str, bytes], int]]:
    """The samples in their order: key, content by field (lower case), and where the next one begins in the inflated archive.

    Raises ReadError: truncated, malformed, checksum, too-large.
    """
    key: str | None = None
    fields: dict[str, bytes] = {}
    end = held = 0
    with opened(path) as raw, _inflated(raw) as stream:
        try:
            for name, content, end in _members(stream, LONGEST):
                one, field = _split(name)
                if not field or one.rpartition("/")[2].startswith("__"):  # no sample's: as WebDataset has it
                    continue
                if one != key or field in fields:
                    if key is not None:
                        yield key, fields, end
                    key, fields, held = one, {}, 0
                held += len(content)
                if held > LONGEST:  # a small archive can inflate to any number of members of one sample
                    raise _Damage("too-large", held, "tar")
                fields[field] = content
            while stream.read(1 << 20):  # to the very end, where gzip compares its checksum
                pass
        except _Damage as bad:
            raise ReadError(
                bad.code,
                path=str(path),
                offset=bad.offset,
                format="tar",
                expected=bad.expected,
                size=bad.offset,
                limit=LONGEST,
            ) from None
        except EOFError:
            raise ReadError("truncated", path=str(path), offset=end, expected="gzip") from None
        except (zlib.error, gzip.BadGzipFile):
            raise ReadError("checksum", path=str(path)) from None
        except OSError as error:
            raise from_os_error(error, path) from None
    if key is not None:
        yield key, fields, end


def is_shard(raw: IO[bytes]) -> bool:
    """Whether the first members make samples: most have companions of the same name, or all are of one kind of field."""
    names = []
    read = 0
    try:
        with _inflated(raw) as stream:
            for name, _, read in _members(stream, _FIRST_BYTES):
                names.append(_split(name))
                if len(names) == _FIRST or read > _FIRST_BYTES:
                    break
    except (_Damage, EOFError, OSError, zlib.error):
        pass  # damaged, or large: what came before decides
    names = [(key, field) for key, field in names if field]
    if not names:
        return False
    together = sum(
        any(0 <= other < len(names) and names[other][0] == key for other in (place - 1, place + 1))
        for place, (key, _) in enumerate(names)
    )
    fields = {field for _, field in names}
    return together > len(names) / 2 or (len(fields) == 1 and (len(names) > 2 or fields <= IMAGES))


def _split(name: str) -> tuple[str, str]:
    folder, slash, last = name.rpartition("/")
    stem, _, field = last.partition(".")
    return (folder + slash + stem, field.lower()) if stem else (name, "")


@contextmanager
def _inflated(raw: IO[bytes]) -> Iterator[IO[bytes]]:
    """The archive itself, which may be compressed with gzip."""
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    if packed:
        with gzip.open(raw) as stream:
            yield stream  # type: ignore[misc]  # of bytes, as it is opened
    else:
        yield raw


def _members(stream: IO[bytes], longest: int) -> Iterator[tuple[str, bytes, int]]:
    """Name and content of every regular file, and the offset behind it; _Bad at damage."""
    at, long_name = 0, ""
    while True:
        header = stream.read(_RECORD)
        if header == bytes(_RECORD):
            return
        if len(header) < _RECORD:
            raise _Damage("truncated", at + len(header), "tar header or end of archive")
        try:
            info = tarfile.TarInfo.frombuf(header, "utf-8", "replace")
        except (tarfile.HeaderError, ValueError):
            raise _Damage("malformed", at, "tar header") from None
        at += _RECORD
        extended = info.type in (b"x", b"g", b"X", b"L", b"K")
        if info.size < 0 or info.size > (_LONGEST_NAME if extended else longest):
            raise _Damage("too-large", max(info.size, 0), "tar")
        padded = -(-info.size // _RECORD) * _RECORD
        content = stream.read(padded)
        if len(content) < padded:
            raise _Damage("truncated", at + len(content), f"{info.size:,} bytes of {info.name[:100]}")
        at += padded
        if info.type == b"L":
            long_name = content[: info.size].rstrip(b"\0").decode("utf-8", "replace")
        elif info.type in (b"x", b"X"):
            long_name = _pax_path(content[: info.size]) or long_name
        elif not extended:
            if info.type in (b"0", b"\0", b"7"):  # regular files; no links, devices or folders
                yield long_name or info.name, content[: info.size], at
            long_name = ""


def _pax_path(content: bytes) -> str:
    """The path in an extended header, a sequence of `length keyword=value` lines."""
    at = 0
    while at < len(content):
        digits = content[at : at + 20].partition(b" ")[0]
        if not digits.isdigit() or int(digits) < 5:
            break
        keyword, _, value = content[at + len(digits) + 1 : at + int(digits) - 1].partition(b"=")
        if keyword == b"path":
            return value.decode("utf-8", "replace")
        at += int(digits)
    return ""
