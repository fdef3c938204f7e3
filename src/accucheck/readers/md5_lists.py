"""Lists of MD5s as other tools write them: md5sum, md5deep, BSD md5, openssl, hashdeep."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import ReadError

#: md5sum and md5deep: [\\]<md5>  <name>, or <md5> *<name>; md5deep -z puts the size before.
_SUM = re.compile(rb"(\\?)(?:\s*(\d{1,19})\s+)?([0-9a-fA-F]{32})(?: [ *]|[ \t]+\*?)(.+)", re.S)
#: BSD md5, md5sum --tag: MD5 (<name>) = <md5>; openssl md5: MD5(<name>)= <md5>
_BSD = re.compile(rb"(\\?)MD5 ?\((.+)\) ?= ?([0-9a-fA-F]{32})", re.S)
_MD5 = re.compile(rb"[0-9a-fA-F]{32}")
_OTHER = re.compile(rb"\\?(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{56,128})\s|\\?SHA\d+ ?\(")
_ESCAPE = re.compile(rb"\\([\\nr])")
_ESCAPED = {b"\\": b"\\", b"n": b"\n", b"r": b"\r"}


def parse(data: bytes, path: Path) -> dict[str, tuple[str, int | None]]:
    """{name: (md5, size in bytes or None)}; names as the file system has them. Raises ReadError with the byte offset."""
    found: dict[str, tuple[str, int | None]] = {}
    columns: list[bytes] | None = None
    offset = 0
    for line in data.split(b"\n"):
        begin, offset = offset, offset + len(line) + 1
        line = line.removesuffix(b"\r")
        if line.startswith(b"%%%% ") and not line.startswith(b"%%%% HASHDEEP"):
            columns = line[5:].split(b",")
            if b"md5" not in columns:
                raise _malformed(path, "hashdeep", begin, "md5")
        if not line.strip() or line.startswith((b"#", b";", b"%%%% ")):
            continue
        mark, size = b"", b""
        if columns is not None:
            row = dict(zip(columns, line.split(b",", len(columns) - 1), strict=False))
            md5, size, name = row.get(b"md5", b""), row.get(b"size", b""), row.get(b"filename", b"")
            if not _MD5.fullmatch(md5) or not name:
                raise _malformed(path, "hashdeep", begin, b",".join(columns).decode("latin-1"))
        elif match := _SUM.fullmatch(line):
            mark, size, md5, name = match.groups(b"")
        elif match := _BSD.fullmatch(line):
            mark, name, md5 = match.groups()
        else:
            raise _malformed(path, "md5sum", begin, "MD5 (not SHA)" if _OTHER.match(line) else "<md5>  <file>")
        key, digest = _name(name, bool(mark)), md5.decode().lower()
        if found.setdefault(key, (digest, int(size) if size.isdigit() and len(size) < 20 else None))[0] != digest:
            raise _malformed(path, "md5sum", begin, found[key][0])
    if not found:
        raise ReadError(
            "unknown-format", path=str(path), expected="accucheck manifest, md5sum, md5deep, BSD md5, hashdeep"
        )
    return found


def _malformed(path: Path, form: str, offset: int, expected: str) -> ReadError:
    return ReadError("malformed", path=str(path), format=form, offset=offset, expected=expected)


def _name(name: bytes, marked: bool) -> str:
    """The escapes of md5sum undone, or the separators of Windows turned; no "./" in it."""
    if marked:
        name = _ESCAPE.sub(lambda match: _ESCAPED[match[1]], name)
    elif b"/" not in name:
        name = name.replace(b"\\", b"/")
    return os.path.normpath(os.fsdecode(name))
