"""The page on wheels for aarch64 stands on an answer of the package index that fits what pyproject.toml asks for today."""

from __future__ import annotations

import json
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.tags import compatible_tags, cpython_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

KEPT = json.loads((Path(__file__).parents[1] / "docs/generator/wheels.json").read_text("utf-8"))
EXTRAS = ("mindspore", "labels", "remote", "dask", "serve")
NEEDED = [
    requirement
    for requirement in map(Requirement, requires("accucheck") or [])
    if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in EXTRAS)
]


def platforms(glibc: str) -> list[str]:
    """As packaging.tags orders them on such a machine: the newest first."""
    newest = int(glibc.split(".")[1])
    return [
        *(f"manylinux_2_{minor}_aarch64" for minor in range(newest, 16, -1)),
        "manylinux2014_aarch64",
        "linux_aarch64",
    ]


@pytest.mark.parametrize("glibc", ["2.17", "2.28"])
@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12"])
def test_each_dependency_has_a_wheel_that_fits(version: str, glibc: str) -> None:
    python = (3, int(version.split(".")[1]))
    fitting = {
        *cpython_tags(python, platforms=platforms(glibc)),
        *compatible_tags(python, f"cp3{python[1]}", platforms(glibc)),
    }
    taken = {}
    for name in KEPT["wheels"][version][glibc]:
        package, release, _, tags = parse_wheel_filename(name)
        assert tags & fitting, f"{name} is for another machine"
        assert KEPT["code"].get(name, ["aarch64"]) == ["aarch64"], f"{name} holds code of another machine"
        taken[package] = release
    assert len(NEEDED) > 15
    for requirement in NEEDED:
        assert requirement.specifier.contains(taken[canonicalize_name(requirement.name)]), str(requirement)


def test_it_tells_apart_what_is_for_any_machine_by_name_alone() -> None:
    assert any(name.startswith("mindspore-") for name in KEPT["code"])
