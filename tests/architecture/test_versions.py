"""The code means the same on every Python that it runs on."""

import symtable
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "accucheck"
COMPREHENSIONS = {"listcomp", "setcomp", "dictcomp"}


def tables(above: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for table in above.get_children():
        yield table
        yield from tables(table)


def taken_for_local(text: str) -> Iterator[tuple[str, str]]:
    """Functions, and the names that one comprehension of theirs binds and another takes from the module."""
    for function in tables(symtable.symtable(text, "", "exec")):
        if function.get_type() == "function" and function.get_name() not in COMPREHENSIONS:
            within = [table for table in tables(function) if table.get_name() in COMPREHENSIONS]
            bound = {symbol.get_name() for table in within for symbol in table.get_symbols() if symbol.is_local()}
            taken = {symbol.get_name() for table in within for symbol in table.get_symbols() if symbol.is_global()}
            yield from ((function.get_name(), name) for name in sorted(bound & taken))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="comprehensions are no scopes of their own from Python 3.12 on")
def test_no_comprehension_hides_a_name_from_another() -> None:
    """Python 3.12.1 makes the comprehensions of a function a part of it, and then takes such a name for an unset local one."""
    wrong = "def length(): pass\ndef all(x):\n    a = [length for length in x]\n    return a, [length(y) for y in x]\n"
    assert list(taken_for_local(wrong)) == [("all", "length")]
    found = {path.name: list(taken_for_local(path.read_text("utf-8"))) for path in SOURCE.rglob("*.py")}
    assert len(found) > 100 and not {name: pairs for name, pairs in found.items() if pairs}
