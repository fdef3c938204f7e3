"""Changes to real files as damage and malice make them: the same ones for the same random numbers."""

import random
import re

#: Numbers on which lengths, offsets, counts and types break.
_NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
_LONG = (*_NUMBERS, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
_WORDS = (
    b"nan", b"-inf", b"1e999", b"-1", b"0", b"9" * 30, b"1" + b"0" * 5000, b"null", b"true", b"[]", b"{}", b'""', b"\\ud800",
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n", b"\xe2\x80\xae", b"\xf0\x9f\x98\x80", b"../../x", b"/etc/passwd", b"%s", b"{0}",
    b"{{x}}", b"[" * 300, b"(" * 300, b"- " * 300, b"&a [*a]", b"!!python/object/apply:os.system ['x']", b'"', b"'", b"\\", b",", b";",
    b"\xa3\xba", b"\xd0\xc2", b"1_0", b"0x10", b"\xd9\xa3", b"2020-02-30", b"__class__", b"<script>",
)  # fmt: skip
_NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][+-]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_][\w.]*")


def mutated(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """`data` with one to five changes; `others` are files to take pieces from."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        at = chance.randrange(len(out) + 1)
        end = min(len(out), at + chance.choice((1, 1, 2, 4, 8, 16, 64, 512)))
        kind = chance.randrange(12)
        if kind == 0:
            del out[at:]
        elif kind == 1:
            del out[at:end]
        elif kind == 2:
            out[at:at] = out[at:end] * chance.choice((1, 1, 2, 50))
        elif kind == 3 and end > at:
            out[at] ^= 1 << chance.randrange(8)
        elif kind == 4 and end > at:
            out[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        elif kind == 5:
            width = chance.choice((1, 2, 4, 8))
            number = chance.choice(_LONG) % (1 << 8 * width)
            out[at : at + width] = number.to_bytes(width, chance.choice(("little", "big")))
        elif kind in (6, 7):
            found = list((_NUMBER if kind == 6 else _WORD).finditer(out))
            if found:
                start, stop = chance.choice(found).span()
                out[start:stop] = chance.choice(_WORDS)
        elif kind == 8:
            out[at:at] = chance.choice(_WORDS)
        elif kind == 9:
            lines = bytes(out).split(b"\n")
            one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
            lines[one], lines[two] = chance.choice(
                ((lines[two], lines[one]), (lines[one], lines[one]), (b"", lines[two]))
            )
            out = bytearray(b"\n".join(lines))
        elif others:
            other = chance.choice(others)
            begin = chance.randrange(len(other) + 1)
            piece = other[begin : begin + chance.choice((4, 32, 256, 4096))]
            out[at : chance.choice((at, end, len(out)))] = piece
    return bytes(out)
