"""Whether an image file can be decoded. Returns no pixels."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import IO

from PIL import Image, UnidentifiedImageError

from ..errors import from_os_error

#: Decoders that may see a stranger's bytes: the common formats of data sets.
DECODERS = ("JPEG", "PNG", "BMP", "GIF", "TIFF", "WEBP", "PPM")
#: Bytes that a picture may take while it is decoded: Pillow keeps 4 a pixel and 8 a line.
_ROOM = 400_000_000
#: Common formats of which the usual libraries decode every variant, so that a refusal means damage.
_SURE = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"BM", b"GIF8")
_SURE_NAMES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".gif"})


def check(path: Path) -> tuple[str, str]:
    """("ok", ""), or ("empty" | "truncated" | "undecodable" | "unsupported", why).

    "unsupported" is an image that this decoder does not know or refuses for its size; it may be sound. The whole file is
    decoded, JPEG at an eighth of its size. Raises ReadError when the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            return check_stream(file, path.suffix)
    except OSError as error:
        raise from_os_error(error, path) from None


def check_stream(file: IO[bytes], suffix: str) -> tuple[str, str]:
    """The same for an image that is open; `suffix` is that of its name. Raises OSError when it cannot be read."""
    head = file.read(16)
    if not head:
        return "empty", ""
    file.seek(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(file, formats=DECODERS) as image:
                image.draft(image.mode, (1, 1))
                if too_large(image):
                    return "unsupported", f"{image.width:,} x {image.height:,}"
                image.load()
    except Image.DecompressionBombError as error:
        return "unsupported", str(error)
    except UnidentifiedImageError:
        if head.startswith(_SURE):
            return _damaged(file, head), ""
        known = head.startswith((b"II", b"MM", b"RIFF", b"\0\0\0")) or suffix.lower() not in _SURE_NAMES
        return ("unsupported" if known else "undecodable"), f"{head[:8]!r}"
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, OverflowError, MemoryError) as error:
        why = str(error)[:200]
        if isinstance(error, OSError) and error.errno:
            raise
        if "truncated" in why.lower():
            return "truncated", why
        return (_damaged(file, head) if head.startswith(_SURE) else "unsupported"), why
    except Exception as error:  # struct.error, zlib.error, ...: a decoder lost in a stranger's bytes
        return (_damaged(file, head) if head.startswith(_SURE) else "unsupported"), str(error)[:200]
    return "ok", ""


def too_large(image: Image.Image) -> bool:
    """Whether an image that is open would take more memory than is given to one."""
    return bool(image.height * (8 + 4 * image.width) > _ROOM)


def _damaged(file: IO[bytes], head: bytes) -> str:
    """truncated when the end that JPEG and PNG must have is not there, else undecodable."""
    file.seek(max(0, file.seek(0, 2) - 64))
    tail = file.read()
    end = b"\xff\xd9" if head.startswith(b"\xff\xd8") else b"IEND" if head.startswith(b"\x89PNG") else b""
    return "undecodable" if end in tail else "truncated"
