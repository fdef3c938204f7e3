"""A ratchet on the complexity of what reads scripts: branches and boolean operators of each function, as radon counts them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from radon.complexity import cc_visit
from radon.visitors import Class, Function

SOURCES = Path(__file__).resolve().parents[2] / "src" / "accucheck"
#: What a function may have at most; how many have more today, and the most. Both numbers may only fall.
MOST = 15
ABOVE = {"script": 92, "probes": 61}
HIGHEST = {"script": 29, "probes": 30}


def functions(folder: str) -> Iterator[tuple[int, str]]:
    for path in sorted((SOURCES / folder).glob("*.py")):
        for block in cc_visit(path.read_text(encoding="utf-8"), no_assert=True):
            parts: list[Function] = block.methods if isinstance(block, Class) else [block]
            yield from ((part.complexity, f"{path.name}: {part.fullname}") for part in parts)


@pytest.mark.parametrize("folder", ABOVE)
def test_no_more_functions_are_complex(folder: str) -> None:
    found = sorted(set(functions(folder)), reverse=True)
    above = [(complexity, name) for complexity, name in found if complexity > MOST]
    assert len(above) <= ABOVE[folder], above
    assert above[0][0] <= HIGHEST[folder], above[:5]
