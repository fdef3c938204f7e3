"""What is said of how training data are divided among devices, in the ways people write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script.sharding import Observation, examine
from case_scripts import scripts

HEAD = """
import glob, os, random
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore.communication import init, get_rank, get_group_size
from sklearn.model_selection import train_test_split
from helpers import DistributedSampler, set_random_seed
files, others = ["a", "b"], ["c", [["d"]]]
"""


def said(folder: Path, code: str, devices: int | None = None) -> list[Observation]:
    found = scripts(folder, HEAD + code)
    return examine(found.training[0], found.sources, devices)


SHARDS = "num_shards=get_group_size(), shard_id=get_rank()"
FILES, ROWS = f"ds.MindDataset(files, {SHARDS})", f"ds.NumpySlicesDataset(rows, {SHARDS})"

TEXTS = f"ds.TFRecordDataset(files, {SHARDS})"

#: data, or the code that makes it -> what is said after init(), with the line within the code
DIVIDED = {
    "ds.MnistDataset('a')": "no-shards 1",
    "ds.MnistDataset(*given)": "unresolved 1",
    "ds.MnistDataset('a', **given)": "unresolved 1",
    f"ds.MnistDataset('a', {SHARDS})": "sharded 1",
    "ds.MnistDataset('a', num_shards=8, shard_id=0)": "constant-shard 1",
    "ds.MnistDataset('a', num_shards=get_group_size(), shard_id=get_rank() % 2)": "part-unclear 1",
    "ds.MnistDataset('a', num_shards=get_group_size(), shard_id=get_rank() % get_group_size())": "sharded 1",
    "ds.MnistDataset('a', num_shards=8, shard_id=get_rank() % 8)": "sharded 1",
    "ds.MnistDataset('a', num_shards=1, shard_id=0)": "no-shards 1",
    "ds.MnistDataset('a', num_shards=8, shard_id=int(os.environ['DEVICE_ID']))": "shard-by-device 1",
    "rank = get_rank() if several else int(os.environ['DEVICE_ID'])\n"
    "data = ds.MnistDataset('a', num_shards=get_group_size(), shard_id=rank // 2)": "parts-unread 2",
    "rank = get_rank() if several else int(os.environ['DEVICE_ID'])\n"
    "data = ds.MnistDataset('a', num_shards=get_group_size(), shard_id=rank)": "part-unclear 2",
    "ds.MnistDataset('a', sampler=ds.DistributedSampler(8, 3))": "constant-shard 1",
    "ds.MnistDataset('a', sampler=ds.DistributedSampler(8, get_rank()))": "sharded 1",
    "data = ds.MnistDataset('a')\ndata.add_sampler(ds.DistributedSampler(8, get_rank()))": "sharded 1",
    "data = ds.MnistDataset('a')\ndata.use_sampler(ds.DistributedSampler(8, get_rank()))": "sharded 1",
    "data = ds.MnistDataset('a')\ndata.use_sampler(ds.DistributedSampler(8, 3))": "constant-shard 1",
    "data = ds.MnistDataset('a')\ndata.use_sampler(ds.RandomSampler())": "no-shards 1",
    "data = ds.MnistDataset('a')\nif several:\n    data.use_sampler(ds.DistributedSampler(get_group_size(), get_rank()))": "sharded 1",
    "ds.MnistDataset('a', sampler=DistributedSampler(8))": "unresolved 1",
    "ds.MnistDataset(f'a/{get_rank()}')": "by-rank 1",
    "class OwnDistributedSampler(ds.Sampler):\n    pass\n"
    "data = ds.GeneratorDataset(source, ['a'], sampler=OwnDistributedSampler())": "unresolved 3",
    "class Part(ds.Sampler):\n    def __iter__(self):\n        return iter(range(get_rank(), 99, 8))\n"
    "data = ds.GeneratorDataset(source, ['a'], sampler=Part())": "by-rank 4",
    "class DistributedPart(ds.Sampler):\n    def __iter__(self):\n        return iter(range(99))\n"
    "data = ds.GeneratorDataset(source, ['a'], sampler=DistributedPart())": "no-shards 4",
    f"class Groups:\n    def __init__(self, rows):\n        self.rows = rows\n"
    f"    def __getitem__(self, at):\n        return self.held[at]\n"
    f"rows = ds.MnistDataset('a', {SHARDS})\ndata = ds.GeneratorDataset(Groups(rows), ['a'])": "sharded 6",
    "class Groups:\n    def __init__(self, rows):\n        self.rows = rows\n"
    "    def __getitem__(self, at):\n        return self.held[at]\n"
    "rows = ds.MnistDataset('a')\ndata = ds.GeneratorDataset(Groups(rows), ['a'])": "no-shards 6",
    "class Part(ds.Sampler):\n    def __init__(self, rank=0):\n        self.rank = rank\n"
    "    def __iter__(self):\n        return iter(range(self.rank, 99, 8))\n"
    "data = ds.GeneratorDataset(source, ['a'], sampler=Part())": "no-shards 6",
    "ds.PaddedDataset([1])": "no-dataset 0",
    "rows": "no-dataset 0",
    # the order of the files
    f"files = os.listdir('a')\ndata = {FILES}": "sharded 2, unsorted 1",
    f"files = sorted(os.listdir('a'))\ndata = {FILES}": "sharded 2",
    f"files = sorted(os.listdir('a'))[:10]\ndata = {FILES}": "sharded 2",
    f"files = glob.glob('a/*')\nfiles.sort()\ndata = {FILES}": "sharded 3",
    f"files = [name for _, _, names in os.walk('a') for name in names]\ndata = {FILES}": "sharded 2, unsorted 1",
    f"count = len(os.listdir('a'))\nfiles = [f'{{n}}.rec' for n in range(count)]\ndata = {FILES}": "sharded 3",
    # which puts its files in order itself
    f"files = os.listdir('a')\ndata = {TEXTS}": "sharded 2",
    f"files = os.listdir('a')[:10]\ndata = {TEXTS}": "sharded 2, unsorted 1",
    f"random.shuffle(files)\ndata = {TEXTS}": "sharded 2",
    f"files = random.sample(files, 10)\ndata = {TEXTS}": "sharded 2, shuffled-apart 1",
    # the order of what is cut
    f"random.shuffle(files)\ndata = {FILES}": "sharded 2, shuffled-apart 1",
    f"random.seed(1)\nrandom.shuffle(files)\ndata = {FILES}": "sharded 3",
    f"random.seed(get_rank())\nrandom.shuffle(files)\ndata = {FILES}": "sharded 3, shuffled-apart 2",
    f"np.random.seed(1)\nrandom.shuffle(files)\ndata = {FILES}": "sharded 3, shuffled-apart 2",
    f"set_random_seed(1)\nrandom.shuffle(files)\ndata = {FILES}": "sharded 3",
    f"random.shuffle(others)\ndata = {FILES}": "sharded 2",
    f"data = {FILES}\nrandom.shuffle(files)": "sharded 1",
    f"files = ['a', 3, ['b']]\nrandom.shuffle(files)\ndata = {FILES}": "sharded 3, shuffled-apart 2",
    f"rows = np.load('a')[np.random.permutation(9)]\ndata = {ROWS}": "sharded 2, shuffled-apart 1",
    f"np.random.seed(1)\nrows = np.load('a')[np.random.permutation(9)]\ndata = {ROWS}": "sharded 3",
    f"rows = random.sample(names, 9)\ndata = {ROWS}": "sharded 2, shuffled-apart 1",
    **{f"rows, rest = train_test_split(names{more})\ndata = {ROWS}": code for more, code in {
        "": "sharded 2, shuffled-apart 1",
        ", random_state=None": "sharded 2, shuffled-apart 1",
        ", random_state=3": "sharded 2",
        ", random_state=seed": "sharded 2",
        ", shuffle=False": "sharded 2",
    }.items()},
    f"ms.set_seed(get_rank())\ndata = ds.MnistDataset('a', {SHARDS})": "sharded 2, seed-by-rank 1",
    f"ms.set_seed(1)\ndata = ds.MnistDataset('a', {SHARDS})": "sharded 2",
    f"ms.set_seed(get_rank())\ndata = ds.MnistDataset('a', {SHARDS}, shuffle=False)": "sharded 2",
}  # fmt: skip


@pytest.mark.parametrize("code", DIVIDED)
def test_how_data_are_divided(code: str, tmp_path: Path) -> None:
    made = code if "data = " in code else f"data = {code}"
    found = said(tmp_path, f"init()\n{made}\nms.Model(net).train(1, data.batch(2))\n")
    start = HEAD.count("\n") + 1
    assert ", ".join(f"{one.code} {one.node.lineno - start}" for one in found) == DIVIDED[code]  # type: ignore[attr-defined]


TRAIN = "\nms.Model(net).train(1, data)"
GIVEN = (
    "import sys\nseveral = len(sys.argv) > 1\nif several:\n    init()\n"
    "parts = dict(num_shards=get_group_size(), shard_id={rank}) if several else {{}}\n"
    "data = ds.MnistDataset('a', **parts)"
)
SIZED = "init()\nn = {}\nif n > 1:\n    data = ds.MnistDataset({})\nelse:\n    data = ds.MnistDataset({})" + TRAIN
SWITCHED = (
    "DISTRIBUTED = False\nif DISTRIBUTED:\n    init()\n    data = ds.MnistDataset({})\nelse:\n    data = ds.MnistDataset('a')"
    + TRAIN
)


@pytest.mark.parametrize(
    ("code", "devices", "codes"),
    [
        ("data = ds.MnistDataset('a')" + TRAIN, None, ["single"]),
        ("data = ds.MnistDataset('a')" + TRAIN, 1, ["single"]),
        ("data = ds.MnistDataset('a')" + TRAIN, 8, ["no-shards-here"]),
        ("data = ds.MnistDataset('a', num_shards=8, shard_id=0)" + TRAIN, None, ["single"]),
        ("data = ds.MnistDataset('a', num_shards=get_group_size(), shard_id=0)" + TRAIN, None, ["constant-shard"]),
        (GIVEN.format(rank="0") + TRAIN, None, ["constant-shard"]),
        (GIVEN.format(rank="get_rank()") + TRAIN, None, ["sharded"]),
        (
            "init()\ndata = ds.MnistDataset('a')\nfor row in data.create_dict_iterator():\n    print(row)",
            None,
            ["aside"],
        ),
        (
            f"init()\ndata = ds.MnistDataset('a', {SHARDS}){TRAIN}\ncount = ds.MnistDataset('a').get_dataset_size()\n",
            None,
            ["sharded"],
        ),
        (SWITCHED.format("'a'"), None, ["no-shards-here", "single"]),
        (SWITCHED.format("'a', num_shards=8, shard_id=get_rank()"), None, ["single"]),
        (SWITCHED.format("'a', **options"), None, ["single"]),
        (SWITCHED.format("path_of(rank_id)"), None, ["single"]),
        (SIZED.format("get_group_size()", f"'a', {SHARDS}", "'a'"), None, ["sharded"]),
        (SIZED.format("get_group_size()", "'a'", f"'a', {SHARDS}"), None, ["no-shards"]),
        (SIZED.format("256 // get_group_size()", f"'a', {SHARDS}", "'a'"), None, ["sharded", "no-shards"]),
        # What evaluates may well see all of it on each device.
        (
            "if DISTRIBUTED:\n    if do_train:\n        data = ds.MnistDataset('a', num_shards=get_group_size(), shard_id=get_rank())\n"
            "    else:\n        data = ds.MnistDataset('a')\nelse:\n    data = ds.MnistDataset('a')" + TRAIN,
            None,
            ["sharded"],
        ),
        (
            "def fit(data, held_out):\n    ms.Model(net).train(1, data)\n    for row in held_out.create_dict_iterator():\n"
            "        print(row)\ndef get(usage):\n    return ds.MnistDataset('a', usage=usage).batch(2)\ninit()\n"
            "train(get('train'), {'a': get('test')})",
            None,
            ["no-shards"],
        ),
    ],
)
def test_how_many_devices_there_are(code: str, devices: int | None, codes: list[str], tmp_path: Path) -> None:
    assert [one.code for one in said(tmp_path, code, devices)] == codes


@pytest.mark.parametrize(
    ("visible", "code"),
    [
        ("os.environ['CUDA_VISIBLE_DEVICES'] = '7'", "single"),
        ("os.environ['CUDA_VISIBLE_DEVICES'] = '0,1'", "no-shards"),
        ("os.environ['CUDA_VISIBLE_DEVICES'] = chosen()", "no-shards"),
        ("if debug:\n    os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '0'", "no-shards"),
    ],
)
def test_a_script_that_hides_all_devices_but_one_runs_on_that_one(visible: str, code: str, tmp_path: Path) -> None:
    (found,) = said(tmp_path, f"{visible}\ninit()\ndata = ds.MnistDataset('a')" + TRAIN)
    assert found.code == code


@pytest.mark.parametrize(
    ("more", "likely"),
    [
        ("", True),  # one device can do so alone
        ("ms.set_auto_parallel_context(parallel_mode='data_parallel')\n", False),
        ("print(get_rank())\n", False),
        ("print(os.environ['RANK_SIZE'])\n", False),
    ],
)
def test_what_is_made_for_several_devices(more: str, likely: bool, tmp_path: Path) -> None:
    (found,) = said(tmp_path, f"init()\n{more}data = ds.MnistDataset('a')" + TRAIN)
    assert (found.code, found.likely) == ("no-shards", likely)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("data = ds.MnistDataset('a')", "data = ds.MnistDataset('a', num_shards=get_group_size(), shard_id=get_rank())"),
        ("data = ds.MnistDataset(\n    'a', shuffle=True\n)", "    'a', shuffle=True, num_shards=get_group_size(), shard_id=get_rank()"),
        ("data = ds.MnistDataset('a', shuffle=(mode == 'train'))",
         "data = ds.MnistDataset('a', shuffle=(mode == 'train'), num_shards=get_group_size(), shard_id=get_rank())"),
        ("data = ds.MnistDataset(\n    'a', shuffle=((\n        True)\n    ),  # always (so)\n)",
         "    ), num_shards=get_group_size(), shard_id=get_rank(),  # always (so)"),
        ("data = ds.MnistDataset(name for name in files)", None),
        ("data = ds.MnistDataset()", None),
        (f"files = ['数'] + os.listdir('数据')\ndata = {FILES}", "files = ['数'] + sorted(os.listdir('数据'))"),
        (f"files = os.listdir(\n    'a')\ndata = {FILES}", None),
        (f"files = [name for _, _, names in os.walk('a') for name in names]\ndata = {FILES}", None),
    ],
)  # fmt: skip
def test_the_line_is_mended(code: str, line: str | None, tmp_path: Path) -> None:
    found = said(tmp_path, f"init()\n{code}{TRAIN}")
    diffs = [one.diff for one in found if one.code in ("no-shards", "unsorted")]
    added = [line[1:] for line in (diffs[0] or "").splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert len(diffs) == 1
    assert added == ([] if line is None else [line])


KIND = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="Ascend")
parser.add_argument("--several", action="store_true")
args = parser.parse_args()
ms.set_context(device_target=args.device)
{start}
def read():
    if {test}:
        return ds.MnistDataset("a", num_shards=get_group_size(), shard_id=get_rank())
    return ds.MnistDataset("a")
data = read()
ms.Model(net).train(1, data)
"""
STARTED = "several = args.several\nif several:\n    init()"


@pytest.mark.parametrize(
    ("test", "start", "codes"),
    [
        ("args.device == 'Ascend' and several", STARTED, ["sharded", "no-shards"]),
        ("several and args.device == 'GPU'", STARTED, ["sharded", "no-shards"]),
        ("several", STARTED, ["sharded"]),
        ("several and args.device != 'CPU'", STARTED, ["sharded"]),
        ("several and use_shards", STARTED, ["sharded"]),
        (
            "args.device == 'Ascend' and several",
            "several = args.several\nif args.device == 'Ascend' and several:\n    init()",
            ["sharded"],
        ),
    ],
)
def test_shards_on_one_kind_of_device_only(test: str, start: str, codes: list[str], tmp_path: Path) -> None:
    assert [one.code for one in said(tmp_path, KIND.format(test=test, start=start))] == codes


ALONE = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--several", action="store_true")
args = parser.parse_args()
if args.several:
    init()
def asked():
    return (get_group_size(), get_rank()) if args.several else (1, 0)
def read(train):
    n, i = asked()
    if {}:
        return ds.MnistDataset("a")
    return ds.MnistDataset("a", num_shards=n, shard_id=i)
data = read(True).batch(8)
ms.Model(net).train(1, data)
"""


@pytest.mark.parametrize(
    ("test", "codes"),
    [
        ("n == 1 or not train", ["sharded"]),
        ("not train or n < 2", ["sharded"]),
        ("n == 1", ["sharded"]),
        ("n > 1 or not train", ["no-shards"]),
    ],
)
def test_data_for_one_device_alone(test: str, codes: list[str], tmp_path: Path) -> None:
    assert sorted(one.code for one in said(tmp_path, ALONE.format(test))) == codes


PICKED = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--several", action="store_true")
args = parser.parse_args()
if args.several:
    init()
size, rank = (get_group_size(), get_rank()) if args.several else (1, 0)
sampler = ds.DistributedSampler(size, rank) if {} else None
if {}:
    data = ds.MnistDataset("a", sampler=sampler)
else:
    data = ds.MnistDataset("a")
ms.Model(net).train(1, data.batch(8))
"""


@pytest.mark.parametrize(
    ("several", "asked", "codes"),
    [
        ("size > 1", "sampler", ["sharded"]),
        ("size > 1", "sampler is not None", ["sharded"]),
        ("size < 1", "sampler", ["no-shards", "sharded"]),
        ("fast", "sampler", ["no-shards", "sharded"]),
    ],
)
def test_a_condition_on_what_a_number_of_devices_chose(
    several: str, asked: str, codes: list[str], tmp_path: Path
) -> None:
    assert sorted(one.code for one in said(tmp_path, PICKED.format(several, asked))) == codes


COUNTED = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="Ascend")
parser.add_argument("--several", action="store_true")
args = parser.parse_args()
ms.set_context(device_target=args.device)
{}
data = ds.MnistDataset("a", num_shards=size, shard_id=rank)
ms.Model(net).train(1, data)
"""
ON_ASCEND = "    rank, size = get_rank(), get_group_size()\n"
ASKED = """def asked():
    if int(os.environ.get("RANK_SIZE", 1)) > 1:
        return get_rank(), get_group_size()
    return 0, 1
"""


@pytest.mark.parametrize(
    ("counted", "codes"),
    [
        (
            "rank, size = 0, 1\nif args.several:\n    init()\n    if args.device == 'Ascend':\n    " + ON_ASCEND,
            ["shards-on-one-kind", "sharded"],
        ),
        (
            "if args.several:\n    init()\nsize = get_group_size() if args.several and args.device == 'Ascend' else None\n"
            "rank = get_rank() if args.several and args.device == 'Ascend' else None\n",
            ["shards-on-one-kind", "sharded"],
        ),
        # On several devices of another kind there is no number to divide by: the script ends.
        (
            "if args.several:\n    init()\n    if args.device == 'Ascend':\n    "
            + ON_ASCEND
            + "else:\n    rank, size = 0, 1\n",
            ["sharded"],
        ),
        (
            "if args.several:\n    init()\n    if args.device == 'Ascend':\n    "
            + ON_ASCEND
            + "    else:\n        rank, size = 0, 1\nelse:\n    rank, size = 0, 1\n",
            ["shards-on-one-kind", "sharded"],
        ),
        ("rank, size = 0, 1\nif args.several:\n    init()\n" + ON_ASCEND, ["sharded"]),
        (
            "rank, size = 0, 1\nif args.several:\n    init()\n"
            + ASKED
            + "if args.device == 'Ascend':\n    rank, size = asked()\n",
            ["shards-on-one-kind", "sharded"],
        ),
        (
            "if args.several:\n    init()\n"
            + ASKED
            + "if args.device == 'Ascend':\n    rank, size = asked()\nelif args.several:\n"
            + ON_ASCEND
            + "else:\n    rank, size = 0, 1\n",
            ["sharded"],
        ),
        ("rank, size = 0, 1\nif args.several and args.device == 'Ascend':\n    init()\n" + ON_ASCEND, ["sharded"]),
        ("rank, size = 0, 1\nif args.device != 'CPU' and args.several:\n    init()\n" + ON_ASCEND, ["sharded"]),
        (
            "rank, size = 0, 1\nif args.several:\n    init()\n    if args.device == 'Ascend':\n    "
            + ON_ASCEND
            + "    elif args.device == 'GPU':\n    "
            + ON_ASCEND,
            ["sharded"],
        ),
        (
            "import cluster\nrank, size = 0, 1\nif args.several:\n    init()\n    if args.device == 'Ascend':\n    "
            + ON_ASCEND
            + "    else:\n        rank, size = cluster.current()\n",
            ["part-unclear"],
        ),
    ],
)
def test_a_number_of_shards_for_one_kind_of_device_only(counted: str, codes: list[str], tmp_path: Path) -> None:
    assert [one.code for one in said(tmp_path, COUNTED.format(counted))] == codes


STEPS = """
from mindspore import nn
init()
names = {}
picked = {}
def batch(names):
    return ms.Tensor(np.stack([np.load(name) for name in random.sample(names, 4)]))
net = nn.Dense(4, 1)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
for _ in range(9):
    step(batch(picked), batch(picked))
"""


@pytest.mark.parametrize(
    ("names", "picked", "codes"),
    [
        ("os.listdir('a')", "names[:90]", ["cut-unsorted", "no-dataset"]),
        ("[f'a/{name}' for name in glob.glob('a/*')]", "names[9:]", ["cut-unsorted", "no-dataset"]),
        ("list(os.listdir('a'))", "names[:-9]", ["cut-unsorted", "no-dataset"]),
        ("sorted(os.listdir('a'))", "names[:90]", ["no-dataset"]),
        ("os.listdir('a')\nnames.sort()", "names[:90]", ["no-dataset"]),
        ("os.listdir('a')", "names", ["no-dataset"]),
        ("os.listdir('a')", "[name[:-4] for name in names]", ["no-dataset"]),
        ("os.listdir('a')", "sorted(names)[:90]", ["no-dataset"]),
    ],
)
def test_files_that_are_taken_by_their_places(names: str, picked: str, codes: list[str], tmp_path: Path) -> None:
    assert [one.code for one in said(tmp_path, STEPS.format(names, picked))] == codes


#: A function that each batch goes through; `begin` and `end`: which part of it a device takes.
PARTED = """
RANK = SIZE = 0

def part(rows, labels):
    {seed}
    kept = []
    for row in rows[{begin}:{end}]:
        kept.append(row)
    return kept, labels

def read(rank, size):
    global RANK, SIZE
    RANK, SIZE = rank, size
    data = ds.MindDataset("a", columns_list=["image", "label"]).batch(32 * size)
    return data.map(operations={operations}, input_columns=["image", "label"])

init()
data = read(get_rank(), get_group_size())
"""


@pytest.mark.parametrize(
    ("begin", "end", "seed", "operations", "code"),
    [
        ("RANK * 32", "(RANK + 1) * 32", "pass", "part", "by-rank"),
        ("RANK * 32", "(RANK + 1) * 32", "pass", "[part]", "by-rank"),
        ("0", "32", "pass", "part", "no-shards"),
        ("0", "32", "np.random.seed(RANK)", "part", "no-shards"),
    ],
)
def test_a_function_that_takes_the_part_of_its_device(
    begin: str, end: str, seed: str, operations: str, code: str, tmp_path: Path
) -> None:
    found = said(tmp_path, PARTED.format(begin=begin, end=end, seed=seed, operations=operations))
    assert [one.code for one in found if one.code in ("by-rank", "no-shards")] == [code]


CONFIGURED = """
import argparse
from easydict import EasyDict

class Options:
    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)

class Part:
    def __init__(self, path, number):
        self.lines = open(path).read().split()[number::8]

class Rows:
    def __init__(self, opts):
        self.opts = opts
        self.lines = []
        {fill}

    def __getitem__(self, at):
        return load(self.lines[at])

    def __len__(self):
        return len(self.lines)

parser = argparse.ArgumentParser()
parser.add_argument("--path", default="a.txt")
init()
opts = {made}
opts.part = get_rank()
data = ds.GeneratorDataset(Rows(opts), ["a"]).batch(2)
ms.Model(net).train(1, data)
"""
TAKEN = (
    "for at, line in enumerate(open(opts.path)):\n            if at % 8 == {}:\n                self.lines.append(line)"
)
FILLS = {
    "self.lines = open(opts.path).read().split()": "no-shards",
    "self.lines = open(opts.path).read().split()[opts.part::8]": "by-rank",
    "self.lines = Part(opts.path, opts.part).lines": "by-rank",
    "self.lines += [line for at, line in enumerate(open(opts.path)) if at % 8 == get_rank()]": "by-rank",
    TAKEN.format("get_rank()"): "by-rank",
    TAKEN.format("self.opts.rank_id"): "by-rank",
}


@pytest.mark.parametrize("made", ["Options(path='a.txt')", "EasyDict(path='a.txt')", "parser.parse_args()"])
@pytest.mark.parametrize("fill", FILLS)
def test_a_configuration_that_holds_the_rank_divides_nothing_by_itself(tmp_path: Path, fill: str, made: str) -> None:
    found = said(tmp_path, CONFIGURED.format(fill=fill, made=made))
    assert [one.code for one in found if one.code in ("by-rank", "no-shards")] == [FILLS[fill]]


UNSEEN = """
import json
from unseen import Rows
init()
opts = json.load(open("a.json"))
opts["rank_id"] = get_rank()
data = ds.GeneratorDataset({rows}, ["a"]).batch(2)
ms.Model(net).train(1, data)
"""


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ("Rows(opts)", "unresolved"),
        ("eval(opts['class'])(opts)", "unresolved"),
        ("Rows(opts['rank_id'])", "by-rank"),
        ("Rows(opts['path'])", "no-shards"),
    ],
)
def test_what_is_out_of_sight_may_ask_a_configuration_for_the_rank(tmp_path: Path, rows: str, code: str) -> None:
    assert code in [one.code for one in said(tmp_path, UNSEEN.format(rows=rows))]


GENERATED = """
class Options:
    def __init__(self, path):
        self.path = path

def own(lines, opts):
    return [line for at, line in enumerate(lines) if {picked}]

def each(opts):
    for at, line in enumerate(own(open(opts.path), opts)):
        if {taken}:
            yield load(line)

init()
opts = Options("a.txt")
opts.rank = get_rank()
data = ds.GeneratorDataset({source}, ["a"]).batch(2)
ms.Model(net).train(1, data)
"""


@pytest.mark.parametrize("source", ["each(opts)", "lambda: each(opts)"])
@pytest.mark.parametrize(
    ("picked", "taken", "code"),
    [
        ("line", "line", "no-shards"),
        ("line", "at % 8 == opts.rank", "by-rank"),
        ("line", "at % 8 == get_rank()", "by-rank"),
        ("at % 8 == opts.rank", "line", "by-rank"),
    ],
)
def test_a_generator_that_takes_some_lines_by_the_rank(
    tmp_path: Path, source: str, picked: str, taken: str, code: str
) -> None:
    found = said(tmp_path, GENERATED.format(source=source, picked=picked, taken=taken))
    assert [one.code for one in found if one.code in ("by-rank", "no-shards")] == [code]


OPTION = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--count", type=int, default=1)
args = parser.parse_args()
args.wide = args.count > 1
if args.wide:
    init()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)

def rows(flag):
    if {}:
        made = ds.MnistDataset("a", num_shards=get_group_size(), shard_id=get_rank())
    else:
        made = ds.MnistDataset("a")
    return made.batch(8)

ms.Model(net).train(1, rows(args.wide))
"""


@pytest.mark.parametrize(("flag", "unshared"), [("flag", False), ("flag is not False", False), ("args.other", True)])
def test_what_communication_starts_under_decides_a_data_set_whatever_it_is_called(
    tmp_path: Path, flag: str, unshared: bool
) -> None:
    found = [one.code for one in said(tmp_path, OPTION.format(flag))]
    assert ("no-shards" in found) is unshared


CHOSEN = """
class Part:
    def __init__(self, size, count, own):
        self.size, self.count, self.own = size, count, own
    def __iter__(self):
        return iter(range(self.own, self.size, self.count))
init()
own = int(os.getenv("DEVICE_ID"))
data = ds.GeneratorDataset(source, ["a"], sampler=Part(800, get_group_size(), {}))
ms.Model(net).train(1, data.batch(8))
"""


@pytest.mark.parametrize(
    ("own", "expected"), [("own", "shard-by-device"), ("get_rank()", "by-rank"), ("0", "no-shards")]
)
def test_a_sampler_that_is_given_the_number_of_the_device(tmp_path: Path, own: str, expected: str) -> None:
    assert expected in [one.code for one in said(tmp_path, CHOSEN.format(own))]


BESIDE = """
def train():
    init()
    first = ds.MindDataset(files, num_shards=get_group_size(), shard_id=get_rank()).batch(8)
    second = ds.MindDataset(others).batch(8)
    print({}.get_dataset_size())
    ms.Model(net).train(1, {})
train()
"""


@pytest.mark.parametrize(("used", "expected"), [("first", ["sharded"]), ("second", ["no-shards"])])
def test_a_data_set_that_nothing_reads_beside_one_that_is_trained_with(
    tmp_path: Path, used: str, expected: list[str]
) -> None:
    assert [one.code for one in said(tmp_path, BESIDE.format("second", used))] == expected
