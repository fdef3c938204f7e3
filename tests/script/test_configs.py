"""Configuration files as values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accucheck.script.configs import LIMIT, load
from accucheck.script.values import Items, KnownValue, Mapping, Value


def told(value: Value | None) -> Any:
    """The value as data, each constant with its name."""
    if isinstance(value, Mapping):
        return {key: told(item) for key, item in value.items.items()}
    if isinstance(value, Items):
        return [told(item) for item in value.items]
    if isinstance(value, KnownValue):
        assert value.assumed == "config"
        return (value.name, value.value) if value.name else value.value
    return None


@pytest.mark.parametrize(
    ("name", "text", "several", "expected"),
    [
        ("a.yaml", "lr: 0.1\nsizes: [1, 2]\nnet: {depth: 50}", False, {
            "lr": ("lr", 0.1), "sizes": [1, 2], "net": {"depth": ("depth", 50)}
        }),
        ("a.json", '{"lr": 0.1, "sizes": [1, null]}', False, {"lr": ("lr", 0.1), "sizes": [1, None]}),
        ("a.yml", "lr: 1\n---\nlr: 2", True, [{"lr": ("lr", 1)}, {"lr": ("lr", 2)}]),
        ("a.yml", "lr: 1\n---\nlr: 2", False, {"lr": ("lr", 1)}),
        ("a.yaml", "start: !!timestamp 2024-01-02\n1: 2", False, {"start": ("start", "2024-01-02"), 1: ("1", 2)}),
        ("a.yaml", "", False, None),
        ("a.yaml", "lr: [1", False, None),
        ("a.yaml", "base: &b {lr: 1}\nnet: *b", False, {"base": {"lr": ("lr", 1)}, "net": {"lr": ("lr", 1)}}),
        ("a.yaml", "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)), False, None),
        ("a.yaml", "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 90)), False, None),
        ("a.yaml", "a: &a [*a, *a]", False, None),
        ("a.json", '{"lr": ', False, None),
        ("a.txt", "lr: 1", False, None),
        ("a.yaml", "lr: " + "1" * LIMIT, False, None),
    ],
)  # fmt: skip
def test_what_a_file_says(name: str, text: str, several: bool, expected: Any, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    found = load(tmp_path, tmp_path, tmp_path / "train.py", name, several)
    assert (found and told(found[1])) == expected


@pytest.mark.parametrize("name", ["a.yaml", "a" * 300 + ".yaml", "a\0.yaml"])
def test_what_is_not_there(name: str, tmp_path: Path) -> None:
    assert load(tmp_path, tmp_path, tmp_path / "train.py", name, several=False) is None


def test_where_it_is_looked_for(tmp_path: Path) -> None:
    root, entry, importer = tmp_path / "project", tmp_path / "project/run", tmp_path / "project/src/config.py"
    places = [entry, root, importer.parent]
    for number, place in enumerate(places):
        place.mkdir(parents=True, exist_ok=True)
        (place / "a.yaml").write_text(f"{number}")
    (tmp_path / "b.yaml").write_text("lr: 1")
    for number, place in enumerate(places):
        found = load(root, entry, importer, "a.yaml", False)
        assert found == (place.resolve() / "a.yaml", found and found[1]) and told(found and found[1]) == number
        (place / "a.yaml").unlink()
    assert load(root, entry, importer, "a.yaml", False) is None
    assert load(root, entry, importer, "../../b.yaml", False) is None  # beyond the project
