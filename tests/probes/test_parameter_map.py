"""Structure of real networks side by side, and what the map says when the two are not one network."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from accucheck import probe
from accucheck.case import load
from accucheck.model import Finding, Level

LISTS = Path(__file__).parents[1] / "parameter_maps"


def header(rows: list[tuple[str, list[int], str]]) -> bytes:
    """A safetensors file with these tensors, all zero."""
    sizes = {"float32": ("F32", 4), "int64": ("I64", 8)}
    at, entries = 0, {}
    for name, shape, dtype in rows:
        short, width = sizes[dtype]
        length = width
        for size in shape:
            length *= size
        entries[name] = {"dtype": short, "shape": shape, "data_offsets": [at, at + length]}
        at += length
    text = json.dumps(entries).encode()
    return len(text).to_bytes(8, "little") + text


def findings(tmp_path: Path, ours: list, theirs: list) -> dict[str, Finding]:  # type: ignore[type-arg]
    for name, rows in (("w.safetensors", ours), ("r.safetensors", theirs)):
        content = header(rows)
        with (tmp_path / name).open("wb") as stream:
            stream.write(content)
            entries = json.loads(content[8:])
            stream.truncate(len(content) + max(entry["data_offsets"][1] for entry in entries.values()))  # a hole
    module = probe.load("parameter_map")
    case = load(tmp_path, ["checkpoints.current=w.safetensors", "checkpoints.reference=r.safetensors"])
    found = [event for event in module.run(case, probe.params(module, {})) if isinstance(event, Finding)]
    return {finding.code: finding for finding in found}


def lists(name: str) -> tuple[list, list]:  # type: ignore[type-arg]
    content = json.loads(gzip.decompress((LISTS / f"{name}.json.gz").read_bytes()))
    return content["mindspore"], content["pytorch"]


@pytest.mark.parametrize("name", ["resnet50", "mobilenet_v2", "densenet121", "bert_base", "vit_s", "yolo", "unet"])
def test_real_networks_are_clean(name: str, tmp_path: Path) -> None:
    found = findings(tmp_path, *lists(name))
    assert {code for code, finding in found.items() if finding.level is not Level.INFO} == set()
    data = found["mapped"].data
    assert data["trainable_numbers"] == data["other_trainable_numbers"]


def test_the_biases_that_a_convolution_lacks_are_named(tmp_path: Path) -> None:
    """Conv2d of MindSpore has no bias unless asked for: MindCV's VGG has none, torchvision's has."""
    found = findings(tmp_path, *lists("vgg16"))
    assert found["lacking"].level is Level.PROBLEM
    assert found["lacking"].data["count"] == 13


def test_two_networks_that_have_nothing_in_common(tmp_path: Path) -> None:
    found = findings(tmp_path, lists("lstm_tagger")[0], lists("dcgan_generator")[1])
    assert found["nothing-paired"].level is Level.SUSPECT


def test_another_depth(tmp_path: Path) -> None:
    ours, theirs = lists("bert_base")
    found = findings(tmp_path, [row for row in ours if ".layers.11." not in row[0]], theirs)
    # The pooler could be one of the square layers of the block that is missing: told, not guessed.
    assert found["layers-lacking"].data["count"] == 8
    assert found["ambiguous"].data["names"] == ["bert.dense.weight", "bert.dense.bias"]
