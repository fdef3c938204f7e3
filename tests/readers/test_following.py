"""A recording is followed while it grows, whatever stands in it."""

import json
import math
from pathlib import Path

from accucheck.readers.following import Following

HEAD = {"recording": 1, "accucheck": "0.1.0"}


def write(path: Path, *records: object) -> None:
    with path.open("ab") as stream:
        for record in records:
            stream.write(record if isinstance(record, bytes) else json.dumps(record).encode() + b"\n")


def test_steps_gradients_and_the_first_bad_tensor_come_as_they_are_written(tmp_path: Path) -> None:
    path, following = tmp_path / "pynative.rank0.11.jsonl", Following(tmp_path)
    assert following.seen is None and not following.read()
    write(path, HEAD, {"fact": "optimizer", "number": 0, "parameters": ["a.weight", "b.weight"]})
    write(path, {"fact": "gradients", "step": 1, "optimizer": 0, "norms": [0.5, None]})
    write(path, {"step": 1, "loss": 2.5, "lr": 0.1, "seconds": 0.5, "data_seconds": 0.25}, b'{"step": 2, "lo')
    assert following.read()
    seen = following.seen
    assert seen is not None
    assert (seen.steps, seen.losses, seen.layers) == (1, [(1, 2.5)], {"a.weight": 0.5, "b.weight": None})
    assert (seen.values["lr"], seen.seconds, seen.waited, seen.bad) == (0.1, 0.5, 0.25, None)
    write(
        path,
        b'ss": "nan"}\n',
        {"fact": "pass", "step": 3, "calls": [["net.b", "mindspore.nn.Dense", True, [{"bad": 0.5}]]]},
    )
    write(path, {"fact": "gradients", "step": 3, "optimizer": 0, "norms": ["inf", 1.0]})
    assert following.read() and not following.read()
    assert math.isnan(seen.losses[1][1])
    assert seen.bad == (3, "net.b", "Dense")
    assert seen.layers == {"a.weight": math.inf, "b.weight": 1.0}


def test_of_several_processes_the_lowest_rank_of_the_last_pass_is_shown(tmp_path: Path) -> None:
    write(tmp_path / "pynative.rank0.1.jsonl", HEAD, {"step": 9, "loss": 1})
    write(tmp_path / "user.rank1.3.jsonl", HEAD, {"step": 8, "loss": 1})
    write(tmp_path / "user.rank0.2.jsonl", HEAD, {"step": 2, "loss": 1})
    write(tmp_path / "user.rankx.2.jsonl", HEAD)
    following = Following(tmp_path)
    following.read()
    assert following.seen is not None
    assert (following.seen.mode, following.seen.rank, following.seen.steps) == ("user", 0, 2)


def test_what_is_no_record_is_passed_over_and_a_long_curve_is_thinned(tmp_path: Path) -> None:
    path, following = tmp_path / "user.rank0.1.jsonl", Following(tmp_path)
    write(
        path,
        b"\xff\n",
        b"[1]\n",
        b"{]\n",
        b"[" * 100_000 + b"\n",
        {"fact": "pass", "step": 1, "calls": [1, [2], ["a", "b", 1, [3]]]},
    )
    write(path, {"fact": "gradients", "step": 1, "norms": 5}, {"fact": 7, "step": 1}, {"step": "1"})
    write(path, *({"step": step, "loss": step} for step in range(1, 3001)))
    following.read()
    seen = following.seen
    assert seen is not None
    assert seen.steps == 3000
    assert 512 <= len(seen.losses) <= 1024


def test_norms_are_shown_without_the_loss_scale_that_the_optimizer_divides_by(tmp_path: Path) -> None:
    path, following = tmp_path / "user.rank0.1.jsonl", Following(tmp_path)
    write(path, HEAD, {"fact": "optimizer", "number": 0, "parameters": ["a.weight"], "loss_scale": 1024})
    write(path, {"fact": "optimizer", "number": 1, "parameters": ["b.weight"], "loss_scale": 1.0})
    write(path, {"fact": "gradients", "step": 1, "optimizer": 0, "norms": [512.0]})
    write(path, {"fact": "gradients", "step": 1, "optimizer": 1, "norms": [3.0]})
    write(path, {"step": 1, "loss": 2.5, "loss_scale": 1024, "grad_norm": 512.0, "opt1.grad_norm": 3.0})
    assert following.read() and following.seen is not None
    assert following.seen.layers == {"a.weight": 0.5, "b.weight": 3.0}
    assert (following.seen.values["grad_norm"], following.seen.values["opt1.grad_norm"]) == (0.5, 3.0)
