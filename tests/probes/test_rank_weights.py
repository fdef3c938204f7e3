"""rank_weights on the initial checkpoints of several devices."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probes import rank_weights
from accucheck.probes.rank_weights import Params
from findings import found_by, of_code, told

save_file = pytest.importorskip("safetensors.numpy").save_file


SCRIPT = """import mindspore as ms
from mindspore.communication import init

init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL)
"""


def examine(root: Path, *ranks: str, params: Params = Params(), script: str = SCRIPT) -> list[Finding]:
    (root / "train.py").write_text(script)
    given = {"checkpoints": {"ranks": list(ranks)}, "scripts": {"train": "train.py"} if script else {}}
    case = Case(root=str(root), spec=msgspec.convert(given, CaseFile))
    return found_by(rank_weights, case, params)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


WEIGHTS = {"fc.weight": normal(3, 4), "bn.moving_mean": np.zeros(3, np.float32), "global_step": np.zeros(1, np.int32)}


def two(root: Path, second: dict[str, np.ndarray], params: Params = Params()) -> list[Finding]:
    save_file(WEIGHTS, str(root / "r0.safetensors"))
    save_file(second, str(root / "r1.safetensors"))
    return examine(root, "r0.safetensors", "r1.safetensors", params=params)


def test_the_worst_difference_comes_first(tmp_path):
    changed = WEIGHTS["fc.weight"].copy()
    changed[1, 1] += 0.25
    finding = of_code(two(tmp_path, WEIGHTS | {"fc.weight": changed}), "weights-differ")
    assert (finding.where.path, finding.where.name) == ("r1.safetensors", "fc.weight")
    assert finding.data["largest"] == pytest.approx(0.25) and finding.level is Level.PROBLEM
    assert finding.evidence[0].rows[0][:4] == ["fc.weight", "3×4", "float32", 1 / 12]


@pytest.mark.parametrize(
    ("second", "codes", "verdict"),
    [
        ({}, set(), Verdict.OK),
        ({"bn.moving_mean": np.ones(3, np.float32)}, {"statistics-differ"}, Verdict.UNDECIDED),
        ({"bn.moving_mean": -np.zeros(3, np.float32)}, set(), Verdict.OK),
        ({"global_step": np.ones(1, np.int32)}, set(), Verdict.OK),
        ({"fc.weight": WEIGHTS["fc.weight"].astype(np.float16)}, {"types-differ"}, Verdict.UNDECIDED),
        ({"fc.weight": normal(3, 4, seed=1).astype(np.float16)}, {"weights-differ"}, Verdict.PROBLEM),
        ({"fc.weight": WEIGHTS["fc.weight"][:2]}, {"shapes-differ"}, Verdict.UNDECIDED),
        ({"more.weight": normal(2, 2)}, {"names-differ"}, Verdict.UNDECIDED),
        # Devices that hold different layers may hold different parts of the others.
        ({"more": normal(2), "fc.weight": normal(3, 4, seed=1)}, {"names-differ", "weights-differ"}, Verdict.UNDECIDED),
    ],
)
def test_what_is_told(tmp_path, second, codes, verdict):
    found = two(tmp_path, WEIGHTS | second)
    assert told(found) == codes and suggest(found) is verdict


def test_tensors_split_by_design_are_left_out(tmp_path):
    found = two(tmp_path, WEIGHTS | {"fc.weight": normal(3, 4, seed=1)}, Params(split=("fc.*",)))
    assert told(found) == set() and of_code(found, "split").data["names"] == ["fc.weight"]
    assert suggest(found) is Verdict.OK


def test_a_folder_of_ranks(tmp_path):
    for rank, weights in enumerate([WEIGHTS, WEIGHTS, WEIGHTS | {"fc.weight": normal(3, 4, seed=2)}]):
        (tmp_path / f"start/rank_{rank}").mkdir(parents=True)
        save_file(weights, str(tmp_path / f"start/rank_{rank}/init.safetensors"))
    found = examine(tmp_path, "start")
    assert of_code(found, "weights-differ").where.path == "start/rank_2/init.safetensors"
    assert of_code(found, "examined").evidence[0].rows == [
        ["start/rank_1/init.safetensors", 2, 0],
        ["start/rank_2/init.safetensors", 2, 1],
    ]
    # Parts of one checkpoint, without a name that repeats, are one rank.
    for rank, name in enumerate(("a", "b")):
        save_file({name: normal(2, 2)}, str(tmp_path / f"start/rank_{rank}/init.safetensors"))
    (tmp_path / "start/rank_2/init.safetensors").unlink()
    with pytest.raises(probe.Skip):
        examine(tmp_path, "start")


def test_one_file_twice_is_one_rank(tmp_path):
    save_file(WEIGHTS, str(tmp_path / "r0.safetensors"))
    for ranks in (["r0.safetensors"], ["r0.safetensors", "./r0.safetensors"]):
        with pytest.raises(probe.Skip) as caught:
            examine(tmp_path, *ranks)
        assert caught.value.reason.code == "one-rank"


def test_a_rank_that_cannot_be_read_leaves_the_others(tmp_path):
    two(tmp_path, WEIGHTS)
    (tmp_path / "bad.ckpt").write_bytes(b"\n\x7fcut")
    found = examine(tmp_path, "r0.safetensors", "bad.ckpt", "r1.safetensors")
    assert of_code(found, "unreadable").where.path == "bad.ckpt" and suggest(found) is Verdict.UNDECIDED
    assert of_code(found, "examined").data["ranks"] == 1
    for ranks in (["bad.ckpt", "r0.safetensors"], ["r0.safetensors", "bad.ckpt"]):
        with pytest.raises(ReadError):
            examine(tmp_path, *ranks)


def test_checkpoints_without_weights_in_common(tmp_path):
    found = two(tmp_path, {"global_step": np.zeros(1, np.int32)})
    assert of_code(found, "nothing-compared").incomplete and suggest(found) is Verdict.UNDECIDED


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("script", "level"),
    [
        (SCRIPT, Level.PROBLEM),
        (SCRIPT.replace("DATA_PARALLEL", "STAND_ALONE"), Level.PROBLEM),
        (SCRIPT.replace("DATA_PARALLEL", "SEMI_AUTO_PARALLEL"), Level.SUSPECT),
        (SCRIPT.replace("DATA_PARALLEL", "DATA_PARALLEL, parameter_broadcast=True"), Level.SUSPECT),
        (SCRIPT.replace("DATA_PARALLEL", "HYBRID_PARALLEL"), Level.SUSPECT),
        ("import mindspore as ms\n", Level.SUSPECT),
        ("", Level.SUSPECT),
    ],
)
def test_different_weights_are_a_problem_only_where_each_device_holds_all_of_them(tmp_path, script, level):
    for rank in range(2):
        save_file(WEIGHTS | {"fc.weight": normal(3, 4, seed=rank)}, str(tmp_path / f"r{rank}.safetensors"))
    found = examine(tmp_path, "r0.safetensors", "r1.safetensors", script=script)
    assert of_code(found, "weights-differ").level is level


def test_networks_of_mindspore(tmp_path):
    ms = pytest.importorskip("mindspore")
    nn = ms.nn
    for rank, seed in enumerate([7, 7, 8]):
        ms.set_seed(seed)
        net = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dense(4, 2))
        form = "safetensors" if rank == 1 else "ckpt"
        ms.save_checkpoint(net, str(tmp_path / f"r{rank}.{form}"), format=form)
    assert suggest(examine(tmp_path, "r0.ckpt", "r1.safetensors")) is Verdict.OK
    found = examine(tmp_path, "r0.ckpt", "r1.safetensors", "r2.ckpt")
    finding = of_code(found, "weights-differ")
    assert finding.where.path == "r2.ckpt" and suggest(found) is Verdict.PROBLEM
    assert {"0.weight", "2.weight"} <= set(finding.data["names"]) and "1.gamma" not in finding.data["names"]
