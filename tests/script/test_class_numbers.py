"""Labels that are the numbers of classes where a loss takes a distribution over the classes, and what looks like them."""

from pathlib import Path

import pytest

from accucheck.knowledge import dataset_classes
from accucheck.script import class_numbers
from accucheck.script.losses import Losses
from case_scripts import scripts

HEAD = """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import transforms

net = nn.SequentialCell(nn.Flatten(), nn.Dense(16, 5))
optimizer = nn.Adam(net.trainable_params(), 1e-3)
"""
ROWS = """
class Birds:
    def __init__(self, names):
        self.names = names
        self.kinds = sorted({name.split("-")[0] for name in names})

    def __len__(self):
        return len(self.names)

    def __getitem__(self, row):
        name = self.names[row]
        return np.load(name), LABEL

birds = ds.GeneratorDataset(Birds(open("birds.txt").read().split()), ["wing", "kind"], shuffle=True).batch(8)
"""
MODEL = "ms.Model(net, nn.SoftmaxCrossEntropyWithLogits(reduction='mean'), optimizer).train(3, birds)\n"
LOOP = """
dense = nn.SoftmaxCrossEntropyWithLogits()

def forward(wing, kind):
    return dense(net(wing), KIND).mean()

step = ms.value_and_grad(forward, None, optimizer.parameters)
for batch in birds.create_dict_iterator():
    loss, grads = step(batch["wing"], batch["kind"])
    optimizer(grads)
"""
JUDGED = """
held = ds.MindDataset("birds.mindrecord", ["wing", "kind"])
birds, rest = held.split([0.8, 0.2])
birds, rest = birds.batch(8), rest.batch(8)
"""
WRITTEN = """
from mindspore.mindrecord import FileWriter

def convert(rows):
    writer = FileWriter("birds.mindrecord")
    writer.add_schema({"wing": {"type": "float32", "shape": [-1]}, "kind": {'type': 'TYPE'}}, "birds")
    writer.write_raw_data(rows)
"""
TWINS = """
def stored(part):
    return ds.TFRecordDataset(part + ".tfrecord", columns_list=["wing", "kind"]).batch(8)

birds, rest = stored("train"), stored("rest")
"""
FOLDERS = """
def of(folder, name):
    return ds.ImageFolderDataset(folder, shuffle=True).batch(8)

if len(open("kinds.txt").read()) > 3:
    birds = of('crows', 'a')
else:
    birds = of('birds', 'b')
"""
COMPARED = """
for batch in rest.create_dict_iterator():
    right = ops.argmax(net(batch["wing"]), dim=-1) == batch["kind"].reshape(-1)
"""
SPARSE = "ms.Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True), metrics={'accuracy'}).eval(rest)\n"


def found(root: Path, script: str) -> list[int]:
    (reading,) = scripts(root, HEAD + script).training
    return [one.place.line for one in class_numbers.examine(Losses(reading))]


def rows(label: str) -> str:
    return ROWS.replace("LABEL", label)


WHOLE = {
    "a place in a list": rows("self.kinds.index(name.split('-')[0])") + MODEL,
    "an integer of numpy": rows("np.int32(name[-1])") + MODEL,
    "an array of integers": rows("np.array(int(name[-1]) - 1)") + MODEL,
    "one of two constants": rows("1 if name.startswith('owl') else 0") + MODEL,
    "in a loop": rows("int(name[-1])") + LOOP.replace("KIND", "kind"),
    "made integers in the step": rows("name") + LOOP.replace("KIND", "ops.cast(kind, ms.int32).reshape(-1)"),
    "a folder for each class": "birds = ds.ImageFolderDataset('birds').batch(8)\n" + MODEL,
    "one of two data sets": FOLDERS + MODEL,
    "a type of the pipeline": JUDGED + "birds = birds.map(transforms.TypeCast(ms.int32), 'kind')\n" + MODEL,
    "left one axis": JUDGED + LOOP.replace("KIND", "kind.view(-1)"),
    "left one axis and cast": JUDGED + LOOP.replace("KIND", "ops.cast(ops.reshape(kind, (-1,)), ms.float32)"),
    "of a type in the schema that the project writes": WRITTEN.replace("TYPE", "int32") + JUDGED + MODEL,
    "another loss takes them as classes": JUDGED + MODEL + SPARSE,
    "another loss takes those of a twin as classes": TWINS + MODEL + SPARSE,
    "compared with the largest score": TWINS + MODEL + COMPARED,
}
FINE = {
    "a distribution": rows("np.eye(5, dtype=np.float32)[int(name[-1])]") + MODEL,
    "encoded in the step": rows("int(name[-1])") + LOOP.replace("KIND", "ops.one_hot(kind, 5).astype(ms.float32)"),
    "encoded in the pipeline": "birds = ds.ImageFolderDataset('birds')\n"
    "birds = birds.map([transforms.OneHot(5), transforms.TypeCast(ms.float32)], 'label').batch(8)\n" + MODEL,
    "numbers that are not whole": rows("np.float32(name[-1])") + MODEL,
    "one way only": rows("int(name[-1]) if name else np.load(name)") + MODEL,
    "not seen": JUDGED + MODEL,
    "another type in the schema": WRITTEN.replace("TYPE", "float32") + JUDGED + MODEL,
    "several whole numbers in the schema": WRITTEN.replace("'TYPE'", "'int32', 'shape': [5]") + JUDGED + MODEL,
    "left two axes": JUDGED + LOOP.replace("KIND", "kind.view(-1, 5)"),
    "left one axis and given another": JUDGED + LOOP.replace("KIND", "kind.view(-1).reshape(-1, 5)"),
    "both left one axis": JUDGED + LOOP.replace("dense(net(wing), KIND)", "dense(net(wing).view(-1), kind.view(-1))"),
    "whole in one of two data sets": JUDGED + FOLDERS.replace("birds = of('birds', 'b')", "pass") + MODEL,
    "the sparse loss": rows("int(name[-1])") + MODEL.replace("(reduction", "(sparse=True, reduction"),
    "a setting": "import sys\n" + rows("int(name[-1])") + MODEL.replace("(reduction", "('x' in sys.argv, reduction"),
    "distributions by their largest": TWINS + MODEL + COMPARED.replace('batch["kind"]', 'batch["kind"].argmax(1)'),
    "encoded for training alone": JUDGED
    + "birds = birds.map([transforms.OneHot(5), transforms.TypeCast(ms.float32)], 'kind')\n"
    + MODEL
    + SPARSE,
}


@pytest.mark.parametrize("name", WHOLE)
def test_the_numbers_of_classes_are_no_distribution(name: str, tmp_path: Path) -> None:
    assert len(found(tmp_path, WHOLE[name])) == 1


@pytest.mark.parametrize("name", FINE)
def test_what_is_not_seen_to_be_whole_is_left_alone(name: str, tmp_path: Path) -> None:
    assert found(tmp_path, FINE[name]) == []


@pytest.mark.mindspore
def test_mindspore_refuses_whole_numbers() -> None:
    import mindspore as ms
    import numpy as np
    from mindspore import nn

    loss = nn.SoftmaxCrossEntropyWithLogits()
    logits = ms.Tensor(np.ones((4, 3)), ms.float32)
    classes = np.array([0, 1, 2, 0])
    for labels in (classes, np.eye(3)[classes]):
        with pytest.raises(TypeError):
            loss(logits, ms.Tensor(labels, ms.int32))
    with pytest.raises(ValueError, match="labels"):
        loss(logits, ms.Tensor(classes, ms.float32))
    assert loss(logits, ms.Tensor(np.eye(3)[classes], ms.float32)).shape == (4,)


@pytest.mark.mindspore
def test_columns_of_whole_numbers_are_those_that_mindspore_says() -> None:
    import mindspore
    import mindspore.dataset as ds

    known = dataset_classes.load()
    if known.mindspore != mindspore.__version__:
        pytest.skip(f"written down from {known.mindspore}")
    whole = {name: source.whole for name, source in known.sources.items() if source.whole and name not in known.former}
    for name, columns in whole.items():
        said = [line for line in (getattr(ds, name).__doc__ or "").splitlines() if "uint32" in line or "uint64" in line]
        assert all(any(column in line for line in said) for column in columns), name
    assert whole["MnistDataset"] == ["label"]


_MARKS = """
class Masks:
    def __init__(self):
        self.held = np.load("masks.npy")

    def __getitem__(self, place):
        mask = self.held[place].astype(np.int32)
        {line}
        return np.load(f"{place}.npy"), mask

    def __len__(self):
        return len(self.held)

masks = ds.GeneratorDataset(Masks(), ["picture", "mask"], shuffle=True).batch(4)
head = nn.Conv2d(3, 21, 3)
"""
_BY_MODEL = "ms.Model(head, nn.CrossEntropyLoss({given}), nn.SGD(head.trainable_params())).train(3, masks)\n"
_BY_STEP = """
opt = nn.SGD(head.trainable_params())

def forward(picture, mask):
    return ops.cross_entropy(head(picture), mask{given}).mean()

step = ms.value_and_grad(forward, None, opt.parameters)
for picture, mask in masks.create_tuple_iterator():
    loss, grads = step(picture, mask)
    opt(grads)
"""


@pytest.mark.parametrize("style", [_BY_MODEL, _BY_STEP])
@pytest.mark.parametrize(
    ("line", "given", "told"),
    [
        ("mask[mask > 20] = 255", "", True),
        ("mask[mask == 0] = -1", "", True),
        ("mask[mask > 20] = 255", "ignore_index=255", False),
        ("mask[mask > 20] = 20", "", False),
        ("mask[mask == 255] = 0", "", False),
        ("mask[mask > 20] = 255; mask[mask == 255] = 0", "", False),
        ("mask[mask > 20] = 255", "reduction='none'", False),
    ],
)
def test_labels_that_are_marked_with_no_class(tmp_path: Path, line: str, given: str, told: bool, style: str) -> None:
    more = given and (", " + given if style is _BY_STEP else given)
    text = HEAD + _MARKS.replace("{line}", line) + style.format(given=more)
    (reading,) = scripts(tmp_path, text).training
    found = [one.code for one in class_numbers.examine(Losses(reading))]
    assert found == ["class-out-of-range"] * told
