"""The short run of every target: its whole files, what was found once, and the same few hundred changes each time.

The long run is run.py, which finds its way by coverage; the guard and the table of targets are the same.
"""

import random
from pathlib import Path

import pytest
from fuzz_guard import Guard
from fuzz_mutations import mutated
from fuzz_targets import TARGETS

FOUND = Path(__file__).parent / "found"
#: Changed inputs a target; fewer where one takes long.
COUNT = 60
SLOW = {
    "script": 30,
    "notebook": 20,
    "config-yaml": 15,
    "config-json": 15,
    "template": 12,
    "session-report": 12,
    "parquet": 30,
}


#: Whose whole files MindSpore makes.
MINDSPORE = ("ckpt", "mindir", "mindrecord", "mindrecord-index")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.mindspore] if name in MINDSPORE else []) for name in TARGETS]
)
def test_no_input_harms(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    if name.startswith("pth"):
        pytest.importorskip("torch")
    (tmp_path / "seeds").mkdir()
    seeds = list(target.seeds(tmp_path / "seeds"))
    assert seeds
    chance = random.Random(name)
    inputs = [path.read_bytes() for path in sorted((FOUND / name).glob("*"))] + [b""]
    inputs += [mutated(chance.choice(seeds), seeds, chance) for _ in range(SLOW.get(name, COUNT))]
    with Guard(target, tmp_path / "guarded", seconds=60) as guard:
        for data in seeds[:10]:
            guard.run(data, bounded=False)
        for number, data in enumerate(inputs):
            try:
                guard.run(data)
            except BaseException:
                (tmp_path / "input").write_bytes(data)
                print(f"{name}, input {number}: {tmp_path / 'input'}")
                raise
