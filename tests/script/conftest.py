"""Fixtures of the tests of script/."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture
def usual_recursion() -> Iterator[None]:
    """The recursion limit of a fresh interpreter: libraries that other tests import raise it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)
