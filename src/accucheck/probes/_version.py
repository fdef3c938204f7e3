"""The version of MindSpore that a case is about."""

from __future__ import annotations

from functools import cache

from ..case import Case


def of(case: Case) -> str:
    """What the case says, else what is installed here, else the newest that is known."""
    return case.spec.runtime.mindspore or _installed()


def is_known(case: Case) -> bool:
    """Whether the case says it."""
    return case.spec.runtime.mindspore is not None


@cache
def _installed() -> str:
    from importlib.metadata import PackageNotFoundError, version

    from ..knowledge import api

    try:
        return version("mindspore")
    except PackageNotFoundError:
        return api.load().mindspore
