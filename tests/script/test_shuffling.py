"""What is said about the order of training data, in the ways people write data sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script.project import Project
from accucheck.script.shuffling import Observation, examine
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption

HEAD = """
import random
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
model = ms.Model(net)
"""


def said(folder: Path, code: str) -> list[Observation]:
    (folder / "train.py").write_text(HEAD + code)
    source = read(folder / "train.py", "train.py")
    return examine(follow(source, assumption("train"), Project(folder, folder).find, folder))


GENERATOR = "def rows():\n    for row in {}:\n        yield row\n"
ITEMS = "class Rows:\n    def __getitem__(self, n):\n        return {}\n"
STORE = """import numpy as np
class Store:
    def order(self):
        {}
    def rows(self):
        for n in self.order():
            yield n
store = Store()
def rows():
    held = store.rows()
    for _ in range(9):
        yield next(held)
"""
OWN = "class Own(ds.Sampler):\n    def __iter__(self):\n        yield from {}\n"
OPTION = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--mix', {})\nargs = p.parse_args()\n"
MNIST, TEXTS = "ds.MnistDataset('a', {})", "ds.TFRecordDataset('a', {})"
ORDERED = MNIST.format("shuffle=False")

#: data, or the code that makes it -> what is said when it is trained with
ORDERS = {
    "ds.MnistDataset('a')": "shuffled",
    ORDERED: "shuffle-off",
    "ds.MnistDataset('a', **options)": "unresolved",
    "ds.RandomDataset(10)": "shuffled",
    "ds.PaddedDataset([1])": "no-dataset",
    "rows": "no-dataset",
    **{MNIST.format(f"shuffle={value}"): code for value, code in {
        "is_training": "shuffled",
        "not is_training": "shuffle-off",
        "bool(is_training)": "shuffled",
        "bool(other)": "unresolved",
        "other": "unresolved",
        "True if a else None": "shuffled",
        "False if a else True": "sometimes-off",
        "False if a else other": "unresolved",
        "bool(1 if a else True)": "shuffled",
        "bool(1 if a else other)": "unresolved",
    }.items()},
    **{TEXTS.format(f"shuffle={value}"): code for value, code in {
        "ds.Shuffle.FILES": "files-only",
        "ds.Shuffle.GLOBAL": "shuffled",
        "'files'": "files-only",
        "'global'": "shuffled",
        "'strange'": "unresolved",
    }.items()},
    "from missing import MIX\ndata = " + MNIST.format("shuffle=MIX"): "unresolved",
    **{OPTION.format(option) + "data = " + MNIST.format("shuffle=args.mix"): code for option, code in {
        "type=bool, default=False": "off-by-default",
        "type=str, default='false'": "off-by-default",
        "type=str, default='global'": "unresolved",
        "type=bool, default=True": "shuffled",
        "default=None": "shuffled",
    }.items()},
    **{MNIST.format(f"sampler={sampler}"): code for sampler, code in {
        "sampler": "unresolved",
        "[1, 2, 3]": "sampler-in-order",
        "ds.RandomSampler()": "shuffled",
        "ds.SequentialSampler()": "sampler-in-order",
        "ds.SequentialSampler() if a else ds.RandomSampler()": "sometimes-off",
        "ds.DistributedSampler(2, 0)": "shuffled",
        "ds.DistributedSampler(2, 0, shuffle=False)": "sampler-in-order",
        "ds.DistributedSampler(2, 0, is_training)": "shuffled",
        "ds.DistributedSampler(2, 0, shuffle=False if a else not is_training)": "sampler-in-order",
        "ds.DistributedSampler(2, 0, shuffle=other)": "unresolved",
    }.items()},
    OPTION.format("type=bool, default=False")
    + "data = " + MNIST.format("sampler=ds.DistributedSampler(2, 0, shuffle=args.mix)"): "off-by-default",
    OWN.format("np.random.permutation(9)") + "data = " + MNIST.format("sampler=Own()"): "shuffled",
    OWN.format("range(9)") + "data = " + MNIST.format("sampler=Own()"): "sampler-in-order",
    # what becomes of it
    f"{ORDERED}.shuffle(100)": "shuffled",
    "ds.TFRecordDataset('a', shuffle=False).shuffle(100)": "buffer-alone",
    "ds.TFRecordDataset('a', shuffle=False).shuffle(20000)": "shuffled",
    f"{ORDERED}.shuffle(20000)": "shuffled",
    "ds.GeneratorDataset([1, 2], ['a'], shuffle=False).shuffle(100)": "shuffled",
    f"{ORDERED}.shuffle(1)": "buffer-one",
    "ds.MnistDataset('a').shuffle(1)": "shuffled",
    f"{ORDERED}.shuffle(16).batch(32)": "small-buffer",
    f"{ORDERED}.shuffle(4).batch(32)": "buffer-nearby",
    "ds.NumpySlicesDataset([1, 2], shuffle=False).shuffle(4).batch(32)": "small-buffer",
    f"{ORDERED}.batch(32).shuffle(100)": "batches-shuffled",
    f"{ORDERED}.batch(32).repeat(2).shuffle(100)": "batches-shuffled",
    f"{ORDERED}.batch(1).shuffle(100)": "shuffled",
    "ds.GeneratorDataset(source, ['a'], shuffle=False).batch(32).shuffle(100)": "source-may-shuffle",
    "ds.GeneratorDataset(source, ['a'], shuffle=False).shuffle(100).batch(32)": "shuffled",
    f"{ORDERED}.shuffle(16).batch(32).shuffle(100)": "small-buffer",
    f"{ORDERED}.shuffle(100).batch(32).shuffle(100)": "shuffled",
    "ds.MnistDataset('a').batch(32).shuffle(100)": "shuffled",
    f"{ORDERED}.shuffle(4).batch(size)": "buffer-nearby",
    "ds.NumpySlicesDataset([1, 2], shuffle=False).shuffle(4)": "buffer-alone",
    f"{ORDERED}.shuffle(100).batch(32)": "shuffled",
    f"data = {ORDERED}\ndata = data.shuffle(data.get_dataset_size() // 20)": "buffer-of-a-part",
    f"data = {ORDERED}\ndata = data.shuffle(int(data.get_dataset_size() * 0.8))": "shuffled",
    f"data, _ = {ORDERED}.split([0.5, 0.5])": "split-in-order",
    f"data, _ = {ORDERED}.split([0.5, 0.5], randomize=False)": "shuffle-off",
    f"data = {ORDERED}\ndata.shuffle(100)": "shuffle-dropped",
    f"data = {ORDERED}\nif cond:\n    data = data.shuffle(100)": "sometimes-off",
    f"if do_shuffle:\n    data = {ORDERED}": "unresolved",
    f"if quick:\n    data = {ORDERED}\nelse:\n    data = ds.Cifar10Dataset('a')": "sometimes-off shuffled",
    f"if device_num > 1:\n    data = {ORDERED}\nelse:\n    data = ds.Cifar10Dataset('a')": "shuffle-off shuffled",
    f"{ORDERED} + ds.MnistDataset('b')": "shuffled",
    f"ds.zip(({ORDERED}, {ORDERED}))": "shuffle-off",
    f"from helpers import rows\ndata = rows('a').zip({ORDERED})": "handed-on",
    f"from helpers import process_data\ndata = process_data({ORDERED})": "handed-on",
    f"from helpers import finish\ndata = finish({ORDERED})": "handed-on",
    "from helpers import finish\ndata = finish(ds.MnistDataset('a'))": "shuffled",
    f"data = {ORDERED}\nsize = data.get_dataset_size()": "shuffle-off",
    "s = ds.RandomSampler()\ns.reshuffle_each_epoch = False\ndata = " + MNIST.format("sampler=s"): "reshuffle-off shuffled",
    "s = ds.RandomSampler()\ns.reshuffle_each_epoch = True\ndata = " + MNIST.format("sampler=s"): "shuffled",
    # generators
    "ds.GeneratorDataset(source, ['a'])": "unresolved",
    "ds.GeneratorDataset(source, ['a'], shuffle=False)": "source-may-shuffle",
    "ds.GeneratorDataset([1, 2], ['a'])": "shuffled",
    "ds.GeneratorDataset([1, 2], ['a'], shuffle=False)": "shuffle-off",
    "ds.GeneratorDataset(list(rows), ['a'], shuffle=False)": "shuffle-off",
    "ds.GeneratorDataset([1, 2], ['a'], batch_sampler=own)": "unresolved",
    "ds.GeneratorDataset((row for row in rows), ['a'])": "unresolved",
    "ds.GeneratorDataset(lambda: iter(rows), ['a'])": "unresolved",
    GENERATOR.format("range(9)") + "data = ds.GeneratorDataset(rows, ['a'])": "generator-in-order",
    GENERATOR.format("range(9)") + "data = ds.GeneratorDataset(rows(), ['a'])": "generator-in-order",
    GENERATOR.format("np.random.permutation(9)") + "data = ds.GeneratorDataset(rows, ['a'])": "unresolved",
    GENERATOR.format("read('a')") + "data = ds.GeneratorDataset(rows, ['a'])": "unresolved",
    # functions of the project that a generator goes over, or calls in each turn
    **{f"def lines(path):\n    with open(path) as file:\n        {read}\ndef made(tokens):\n    def of(row):\n"
       f"        return tokens({row})\n"
       f"    return of\none = made(tokenizer)\n{source}data = ds.GeneratorDataset(rows, ['a'])": code for read, row, source, code in [
        ("yield from file", "row", "def rows():\n    for row in lines('a'):\n        yield one(row)\n", "generator-in-order"),
        ("return file.readlines()", "row", "def rows():\n    held = lines('a')\n    for row in held:\n        yield one(row)\n",
         "generator-in-order"),
        ("held = file.readlines()\n        random.shuffle(held)\n        return held", "row",
         "def rows():\n    for row in lines('a'):\n        yield one(row)\n", "unresolved"),
        ("return ordered(file)", "row", "def rows():\n    for row in lines('a'):\n        yield one(row)\n", "unresolved"),
        ("yield from file", "row if random.random() < 0.5 else other", "def rows():\n    for row in lines('a'):\n        yield one(row)\n",
         "unresolved"),
        ("yield from file", "row", "def rows():\n    for number in range(9):\n        yield drawn()\n", "unresolved"),
        ("yield from file", "row", "def rows():\n    while True:\n        yield drawn('a')\n", "unresolved"),
    ]},
    **{f"class Rows:\n    {body}\ndata = ds.GeneratorDataset(Rows(), ['a'])": code for body, code in {
        "def __iter__(self):\n        return iter(range(3))": "generator-in-order",
        "def __next__(self):\n        return 3": "generator-in-order",
        "def __getitem__(self, n):\n        return n": "shuffled",
        "def __getitem__(self, n):\n        return n\n    def __len__(self):\n        return 1": "shuffled",
        "rows = 3": "unresolved",
    }.items()},
    # loops over what others order, and over what is as it is stored
    **{f"{loop}\n" + GENERATOR.format("rows_") + "data = ds.GeneratorDataset(rows, ['a'])": code for loop, code in {
        "from torch.utils.data import DataLoader\nrows_ = DataLoader(own, shuffle=True)": "unresolved",
        "from helpers import batches\nrows_ = batches('a')": "unresolved",
        "rows_ = ds.MnistDataset('a').create_tuple_iterator()": "shuffled unresolved",
        "rows_ = np.load('a.npy')": "generator-in-order",
        "import csv\nrows_ = csv.reader(open('a.csv'))": "generator-in-order",
        "import pandas as pd\nrows_ = pd.read_csv('a.csv').itertuples()": "generator-in-order",
        "rows_ = open('a').readlines()": "generator-in-order",
    }.items()},
    # what a base does
    **{f"from other import Base as Outside\nclass Base:\n    def reset(self):\n        self.order = {order}\n"
    f"class Rows({base}):\n    def __iter__(self):\n        self.reset()\n        return iter(self.order)\n"
    "data = ds.GeneratorDataset(Rows(), ['a'])": code for order, base, code in [
        ("np.random.permutation(9)", "Base", "unresolved"),
        ("range(9)", "Base", "generator-in-order"),
        ("range(9)", "Outside", "unresolved"),
    ]},
    # rows that a method of something else gives
    **{STORE.format(order) + "data = ds.GeneratorDataset(rows, ['a'])": code for order, code in {
        "return range(9)": "generator-in-order",
        "return np.random.permutation(9)": "unresolved",
        "listed = list(range(9))\n        np.random.shuffle(listed)\n        return listed": "unresolved",
    }.items()},
    # attributes that are computed
    **{f"import functools\nclass Own:\n    {body}\ndata = ds.GeneratorDataset(Own().rows, ['a'])": code for body, code in {
        "@functools.cached_property\n    def rows(self):\n        return [1, 2]": "shuffled",
        "@property\n    def rows(self):\n        return [1, 2]\n    @rows.setter\n    def rows(self, value):\n        self.held = value":
            "shuffled",
        "def rows(self):\n        yield from [1, 2]": "generator-in-order",
    }.items()},
    **{ITEMS.format(item) + "data = ds.GeneratorDataset(Rows(), ['a'], shuffle=False)": code for item, code in {
        "self.rows[n]": "shuffle-off",
        "crop(self.rows[n], random.random())": "shuffle-off",
        "random.choice(self.rows)": "source-may-shuffle",
        "self.rows[random.randint(0, len(self.rows) - 1)]": "source-may-shuffle",
        "self.rows[np.random.permutation(9)[n]]": "source-may-shuffle",
        "cut(self.rows[n % len(self.rows)], random.randint(0, len(self.rows) - 1))": "shuffle-off",
        "self.rows[n][random.randint(0, len(self.rows) - 1)]": "source-may-shuffle",
        "random.choice(self.rows[n])": "source-may-shuffle",
        "random.sample(self.rows, len(self.rows))[n]": "source-may-shuffle",
    }.items()},
    **{f"from {module} import Dataset as Base\n" + ITEMS.replace("Rows", "Rows(Base)").format("self.rows[n]")
       + "data = ds.GeneratorDataset(Rows(), ['a'], shuffle=False)": code for module, code in {
        "mindspore.dataset": "shuffle-off",
        "torch.utils.data": "shuffle-off",
        "other": "source-may-shuffle",
    }.items()},
    # a method that shuffles on a way that is not taken, is, or may be
    **{ITEMS.format("self.rows[n]") + "    def __init__(self, part=None):\n        self.rows = list(range(9))\n        self.load(part)\n"
       "    def load(self, part):\n        if part is not None:\n            random.shuffle(self.rows)\n"
       f"data = ds.GeneratorDataset(Rows({part}), ['a'], shuffle=False)": code for part, code in {
        "": "shuffle-off",
        "3": "source-may-shuffle",
        "several": "source-may-shuffle",
    }.items()},
    ITEMS.format("np.random.permutation(9)[n]")
    + "data = ds.GeneratorDataset([1] if a else Rows(), ['a'], shuffle=False)": "source-may-shuffle",
    # a sampler that replaces it
    f"data = {ORDERED}\ndata.use_sampler(ds.RandomSampler())": "shuffled",
    "data = ds.MnistDataset('a')\ndata.use_sampler(ds.SequentialSampler())": "sampler-in-order",
    f"data = {ORDERED}\ndata.add_sampler(ds.RandomSampler())": "shuffled",
    "data = ds.MnistDataset('a')\ndata.add_sampler(ds.SequentialSampler())": "shuffled",
    "data = ds.MnistDataset('a', sampler=ds.RandomSampler())\ndata.add_sampler(ds.DistributedSampler(2, 0, shuffle=False))": "shuffled",
    f"data = {ORDERED}\ndata.add_sampler(ds.SubsetSampler([1]))": "shuffle-off",
    f"data = {ORDERED}\nif several:\n    data.use_sampler(ds.DistributedSampler(2, 0))": "sometimes-off",
    "data = ds.MnistDataset('a')\nif several:\n    data.use_sampler(ds.DistributedSampler(2, 0))": "shuffled",
    # what a source is made of
    ITEMS.format("self.rows[n]") + "    def __init__(self, rows):\n        self.rows = rows\nrows = list(range(9))\neach = []\n"
    "for _ in range(3):\n    random.shuffle(rows)\n    each.extend(rows)\n"
    "data = ds.GeneratorDataset(Rows(each), ['a'], shuffle=False)": "source-may-shuffle",
    ITEMS.format("self.rows[n]") + "    def __init__(self, rows):\n        self.rows = rows\nrows, rest = list(range(9)), [1, 2]\n"
    "for _ in range(3):\n    random.shuffle(rest)\n"
    "data = ds.GeneratorDataset(Rows(rows), ['a'], shuffle=False)": "shuffle-off",
    ITEMS.format("self.rows[n]") + "    def __init__(self, path):\n"
    "        stored = ds.TFRecordDataset(path, shuffle=False)\n        self.size = stored.get_dataset_size()\n"
    "        self.rows = [row for row in stored.create_dict_iterator()]\n"
    "data = ds.GeneratorDataset(Rows('a'), ['a'], shuffle=True)": "shuffled",
    # made elsewhere
    "from missing import load\ndata = load('a')": "elsewhere",
    "from missing import make_dataset\neval_data = make_dataset('a')\ndata = make_dataset('b')": "elsewhere",
    "from missing import make_dataset\nz = make_dataset('a', training=False)\ndata = rows": "no-dataset",
    "from missing import Dataset, load\ny, z = Dataset('a'), load('b')\ndata = rows": "no-dataset",
    "from missing import make_dataset\nrows = make_dataset('a')\ndata = ds.GeneratorDataset(rows, ['a'])": "unresolved",
}  # fmt: skip


@pytest.mark.parametrize("code", ORDERS)
def test_the_order_of_training_data(code: str, tmp_path: Path) -> None:
    made = code if "data = " in code or "data, _ = " in code else f"data = {code}"
    assert " ".join(one.code for one in said(tmp_path, f"{made}\nmodel.train(1, data)")) == ORDERS[code]


@pytest.mark.parametrize(
    ("default", "condition", "code"),
    [
        ("'true'", "args.mix == 'true'", "shuffled"),
        ("'True'", "args.mix == 'True'", "shuffled"),
        ("'false'", "args.mix != 'true'", "shuffled"),
        ("'false'", "args.mix == 'true'", "off-by-default"),
        ("'false'", "args.mix != 'false'", "off-by-default"),
        ("'true'", "args.mix == 'yes'", "off-by-default"),
    ],
)
def test_an_option_that_is_compared_with_a_text(default: str, condition: str, code: str, tmp_path: Path) -> None:
    text = OPTION.format(f"type=str, default={default}") + f"data = {MNIST.format(f'shuffle={condition}')}"
    (one,) = said(tmp_path, f"{text}\nmodel.train(1, data)")
    assert one.code == code
    assert code != "off-by-default" or one.data["name"] == condition


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"data = {ORDERED}", ["shuffle-off"]),
        (f"data = {ORDERED}\nmodel.eval(data)", ["no-dataset"]),
        (
            f"data = {ORDERED}\nfrom missing import make_dataset\nother = make_dataset('a')",
            ["role-unknown", "elsewhere"],
        ),
    ],
)
def test_data_that_nothing_is_seen_to_train_with(code: str, expected: list[str], tmp_path: Path) -> None:
    found = said(tmp_path, code)
    assert [one.code for one in found] == expected
    assert all(one.assumed for one in found if one.code == "shuffle-off")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("features = [net(row) for row in train_data.create_tuple_iterator()]", "role-unknown"),
        ("for row in train_data:\n    features.append(net(row))", "role-unknown"),
        (
            "for parameter in net.trainable_params():\n    parameter.requires_grad = False\nfor row in train_data:\n    net(row)",
            "role-unknown",
        ),
        ("optimizer = ms.nn.SGD(net.trainable_params())\nfor row in train_data:\n    step(row)", "shuffle-off"),
        (
            "from sklearn.svm import SVC\nfor row in train_data:\n    rows.append(net(row))\nSVC().fit(rows)",
            "role-unknown",
        ),
        ("from other import train_step\nfor row in train_data:\n    train_step(row)", "shuffle-off"),
        ("from other import value_and_grad\nfor row in train_data:\n    value_and_grad(net)(row)", "shuffle-off"),
        ("def later(optimizer):\n    optimizer.step()\nfor row in train_data:\n    net(row)", "shuffle-off"),
    ],
)
def test_data_that_are_read_where_nothing_learns(code: str, expected: str, tmp_path: Path) -> None:
    """As methods do that collect features of every sample, whatever their order."""
    text = f"import mindspore as ms\nimport mindspore.dataset as ds\ntrain_data = {ORDERED}\n{code}\n"
    (tmp_path / "train.py").write_text(text)
    source = read(tmp_path / "train.py", "train.py")
    (one,) = examine(follow(source, assumption("train"), Project(tmp_path, tmp_path).find, tmp_path))
    assert one.code == expected


@pytest.mark.parametrize(
    ("written", "edit"),
    [
        ("data = ds.MnistDataset('a', shuffle=False)", (7, "data = ds.MnistDataset('a', shuffle=True)")),
        ("data = ds.MnistDataset('数', \n    shuffle=False)  # 顺序", (8, "    shuffle=True)  # 顺序")),
        ("data = ds.MnistDataset('数', 5, shuffle=False)", (7, "data = ds.MnistDataset('数', 5, shuffle=True)")),
        ("data = ds.MnistDataset('a', shuffle=not True)", None),
    ],
)
def test_the_line_is_mended_where_it_says_false(written: str, edit: tuple[int, str] | None, tmp_path: Path) -> None:
    (one,) = said(tmp_path, f"{written}\nmodel.train(1, data)")
    assert (one.code, one.edit) == ("shuffle-off", edit)


STAGES = """
net = nn.Dense(8, 1)
opt = nn.SGD(net.trainable_params(), 0.1)
grad_fn = ms.value_and_grad(lambda x, y: nn.MSELoss()(net(x), y), None, opt.parameters)

def learn(data):
    for x, y in data.create_tuple_iterator():
        opt(grad_fn(x, y)[1])

def mark(data):
    for x, y in data:
        keep(LINE)

learn(ds.NumpySlicesDataset(table, ["x", "y"], shuffle=True).batch(4))
mark(ds.NumpySlicesDataset(table, ["x", "y"], shuffle=False).batch(4))
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [("net(x)", ["role-unknown", "shuffled"]), ("opt(grad_fn(x, y)[1])", ["shuffle-off", "shuffled"])],
)
def test_a_loop_that_trains_nothing_reads_no_training_data(tmp_path: Path, line: str, expected: list[str]) -> None:
    found = said(tmp_path, "from mindspore import nn\n" + STAGES.replace("LINE", line))
    assert sorted(one.code for one in found) == expected


BY_COUNT = """
from mindspore.communication import get_group_size, get_rank
n = {}
if n == 1:
    data = ds.MnistDataset("a", shuffle=True)
else:
    data = ds.MnistDataset("a", shuffle=False, num_shards=8, shard_id=get_rank())
model.train(1, data.batch(8))
"""


@pytest.mark.parametrize(("n", "code"), [("get_group_size()", "shuffle-off"), ("asked()", "sometimes-off")])
def test_both_ways_that_the_number_of_devices_decides_are_taken(tmp_path: Path, n: str, code: str) -> None:
    assert code in [one.code for one in said(tmp_path, BY_COUNT.format(n))]
