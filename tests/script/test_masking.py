"""What network code does with masks: which values they stand for, which way round they are, whether they are used."""

import textwrap
from pathlib import Path

import pytest

from accucheck.script import masking
from accucheck.script.masking import Masks
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption

HEAD = """
import mindspore as ms
from mindspore import nn, ops
from mindspore.ops import operations as P
PAD = 3
NAME = "x"

def make_pad_mask(ids):
    mask = ids == 0
    return mask

class Net(nn.Cell):
    def __init__(self, size):
        super().__init__()
        self.equal, self.size = P.Equal(), size
        self.not_equal = P.NotEqual()
        self.flip = P.LogicalNot()
        self.sub = P.Sub()
        self.mul = P.Mul()
        self.div = P.RealDiv()
        self.cast = P.Cast()
        self.select = P.Select()
        self.gather = ops.gather
        self.layer = build()
        self.low = ms.Tensor([-10000.0])
        self.pad = 7

    def construct(self, ids, mask, scores, labels, logits, total_loss):
"""


def masks(folder: Path, body: str) -> Masks:
    (folder / "net.py").write_text(HEAD + textwrap.indent(body, " " * 8) + "\n")
    return masking.read([read(folder / "net.py", "net.py")])


COMPARED = {
    "mask = ids == 0": [("ids", 0, True)],
    "mask = ids != PAD": [("ids", 3, False)],
    "mask = self.ids != self.pad": [("ids", 7, False)],
    "mask = self.not_equal(ids, 0)": [("ids", 0, False)],
    "mask = self.cast(self.equal(ids, 0), ms.float32)": [("ids", 0, True)],
    "mask = ids.ne(0).astype(ms.float32)": [("ids", 0, False)],
    "mask = ids.equal(0)": [("ids", 0, True)],
    "mask = ids != pad_id": [("ids", None, False)],
    "mask = 1 - (ids == 0)": [("ids", 0, True)],
    "mask = ids != 0\nmask = ids != 0": [("ids", 0, False)] * 2,
    "hidden = ids == 0": [],
    "mask = ids == other": [],
    "mask = ids < 0": [],
    "mask = mask == 0": [],
    "mask = valid == 1": [],
    "tril = ops.tril(ops.ones((4, 4)))\nmask = tril == 0": [],
}


@pytest.mark.parametrize("code", COMPARED)
def test_comparisons(code: str, tmp_path: Path) -> None:
    found = [one for one in masks(tmp_path, code).comparisons if one.function == "construct"]
    assert [(one.of, one.value, one.equal) for one in found] == COMPARED[code]


REAL = [  # masks that are 1 for real places
    "ids != 0",
    "ids > 0",
    "~(ids == 0)",
    "not (ids == 0)",
    "ops.logical_not(ids == 0)",
    "self.flip(self.equal(ids, 0))",
    "self.sub(1.0, ids == 0)",
    "1 - (ids == 0)",
    "(ids != 0) * (ids > 0)",
    "(ids != 0) & (labels != pad_id)",
    "(ids != 0)[:, None]",
    "(ids != 0).astype(ms.float32).expand_dims(1)",
    "ops.cast(ids != 0, ms.float32)",
    "self.cast(ids != pad_id, ms.int32)",
    "(ids == 0) == 0",
    "(ids == 0) != 1",
    "1 - make_pad_mask(ids)",
    "ids.data != pad_id",
]
HIDDEN = [
    "ids == 0",
    "ids == pad_id",
    "~(ids != 0)",
    "(ids == 0) > 0",
    "(ids != 0) == 0",
    "(ids == 0) != 0",
    "make_pad_mask(ids)",
]
UNKNOWN = [
    "mask",
    "self.layer(ids)",
    "ids < 0",
    "ops.triu(ops.ones((4, 4)), 1) > 0",
    "mask > 0",
    "(ids != 0) * (ids == 0)",
    "ids.float()",
    "self.size",
    "ops.ones_like(ids)",
    "ops.ones((4, 4))",
    "distance > 0",
    "region_diff != 0",
    "pattern == 0",
]

HIDES_ONES = [  # what is 1 vanishes
    "scores + a_mask * -10000.0",
    "scores + -1e4 * a_mask",
    "scores + a_mask * self.low",
    "scores + a_mask * (-2 ** 15)",
    "scores + self.mul(a_mask, self.low)",
    "scores + ops.mul(ms.Tensor(-1e9, ms.float32), a_mask)",
    "scores + a_mask * ops.cast(-1e9, ms.float16)",
    "scores + a_mask * ops.cast(self.low, ms.float16)",
    "scores.masked_fill(a_mask, -1e9)",
    "scores.masked_fill(a_mask, float('-inf'))",
    "ops.masked_fill(scores, a_mask, -ms.numpy.inf)",
    "ops.where(a_mask, -1e9, scores)",
    "self.select(a_mask, self.low, scores)",
    "ops.select(a_mask, ops.full_like(scores, -1e4).float(), scores)",
    "ops.where(a_mask, ops.full(scores.shape, fill_value=-1e9), scores)",
    "scores.masked_fill(a_mask, self.low.float())",
]
HIDES_ZEROS = [
    "scores + (1 - a_mask) * -1e9",
    "scores + (a_mask - 1) * 1e9",
    "ops.where(a_mask, scores, -1e9)",
    "scores.masked_fill(a_mask == 0, -1e9)",
]
NEITHER = [
    "scores * a_mask",
    "scores + a_mask * 2",
    "scores + a_mask * 1e9",
    "scores.masked_fill(a_mask, 0)",
    "scores.masked_fill(a_mask)",
    "scores.masked_fill(a_mask, float(self.size))",
    "ops.where(a_mask, scores, 0)",
    "ops.where(a_mask, ops.full_like(scores, 2), scores)",
    "ops.where(a_mask, -1e9, -1e9)",
    "scores + a_mask * float('nan')",
    "scores + a_mask * (2 ** 100000)",
]


@pytest.mark.parametrize("use", HIDES_ONES + HIDES_ZEROS + NEITHER)
def test_which_way_round_a_mask_is_used(use: str, tmp_path: Path) -> None:
    for made, real in (("ids != 0", True), ("ids == 0", False)):
        wrong = use in HIDES_ONES if real else use in HIDES_ZEROS
        found = masks(tmp_path, f"a_mask = {made}\nreturn {use}").said
        assert [said.code for said in found] == ["mask-inverted"] * wrong, made


@pytest.mark.parametrize("made", REAL + HIDDEN + UNKNOWN)
def test_which_way_round_a_mask_is_made(made: str, tmp_path: Path) -> None:
    def wrong(use: str) -> bool:
        return bool(masks(tmp_path, f"new_mask = {made}\nscores = scores + {use}\nreturn scores").said)

    found = wrong("new_mask * -1e9"), wrong("(1.0 - new_mask) * -1e9")
    assert found == (made in REAL, made in HIDDEN)


#: What becomes of a mask on the way, before 1 is made to vanish: whether that is seen to be wrong.
FLOW = {
    "a_mask = ids != 0": True,
    "a_mask = ids != 0\na_mask = a_mask.astype(ms.float32)": True,
    "a_mask = ids != 0\na_mask = self.layer(a_mask)": False,
    "a_mask = ids != 0\na_mask, n = self.layer(a_mask)": False,
    "a_mask = ids != 0\na_mask += 1": False,
    "if ids is None:\n    a_mask = ids != 0\nelse:\n    a_mask = ids == 0": False,
    "if self.size:\n    a_mask = ids != 0\nelse:\n    a_mask = ids > 0": True,
    "a_mask = ids != 0\nif a_mask is None:\n    a_mask = ops.ones_like(ids)": True,
    "own_mask = mask\nif own_mask is None:\n    own_mask = ops.ones_like(ids)\na_mask = own_mask": True,
    "for i in ids:\n    a_mask = i != 0": True,
    "with scope(ids):\n    a_mask = ids != 0": True,
    "def inner(ids):\n    a_mask = ids != 0\na_mask = mask": False,
    "a_mask = ops.ones((4, 4))\nfor i in ids:\n    a_mask[i, 0] = 0.0": False,
    "a_mask = mask\nif a_mask is None:\n    a_mask = ops.ones_like(ids)\n    a_mask[0] = 0": False,
    "a_mask = mask\nif a_mask is not None:\n    a_mask = a_mask.float()\nelse:\n    a_mask = ops.ones_like(ids)": True,
    "if ids is None:\n    a_mask = ops.ones_like(scores)\nelse:\n    a_mask = ops.ones_like(ids)": False,
    "if self.size:\n    a_mask = ids == 0\n    return a_mask\na_mask = ids != 0": True,
    "if self.size:\n    a_mask = ids != 0\n    return a_mask\na_mask = ids == 0": False,
    "if self.size:\n    a_mask = ids != 0\nelse:\n    raise ValueError": True,
    "cls_mask = ids != 101\na_mask = cls_mask": False,
}


@pytest.mark.parametrize("code", FLOW)
def test_what_becomes_of_a_mask(code: str, tmp_path: Path) -> None:
    assert bool(masks(tmp_path, code + "\nreturn scores + a_mask * -1e9").said) == FLOW[code]


SHIFTED = {
    "self.layer(labels[:, 1:], mask[:, :-1])": True,
    "self.layer(labels[:, 1:], mask[:, 1:])": False,
    "self.layer(labels[:, 1:], weight=mask[:, :-1])": True,
    "labels[:, 1:] * mask[:, :-1]": True,
    "labels[:, 1:].view(-1) * mask[:, :-1].view(-1)": True,
    "labels[:, 1:].view(-1) * mask[:, 1:].view(-1)": False,
    "self.cast(labels[:, 1:], ms.int32) * mask[:, :-1]": True,
    "self.layer(labels, mask[:, 1:])": False,
    "self.layer(labels[0], mask[:, 1:])": False,
    "self.layer(logits[:, :-1], labels[:, 1:], mask[:, 1:])": False,
    "self.gather(labels, 1, 0) * self.gather(mask, 0, 0)": True,
    "self.gather(labels, 1, 0) * self.gather(mask, 1, 0)": False,
    "self.gather(other, 1, 0) * self.gather(mask, 0, 0)": False,
}


@pytest.mark.parametrize("code", SHIFTED)
def test_labels_and_mask_are_cut_alike(code: str, tmp_path: Path) -> None:
    for text in (f"return {code}", f"if ids:\n    out = {code}\nreturn out"):
        assert [said.code for said in masks(tmp_path, text).said] == ["mask-shifted"] * SHIFTED[code]


def test_a_cut_before(tmp_path: Path) -> None:
    cut = "labels = labels[:, 1:]\nif ids:\n    mask = mask[:, {}]\nreturn self.layer(labels, mask)"
    assert [said.code for said in masks(tmp_path, cut.format(":-1")).said] == ["mask-shifted"]
    assert not masks(tmp_path, cut.format("1:")).said


CUT_ON_WAYS = {
    "if ids == 1:\n    labels = labels[:, 1:]\nif ids == 2:\n    mask = mask[:, :-1]": False,
    "if ids == 1:\n    labels = labels[:, 1:]\nif ids == 1:\n    mask = mask[:, :-1]": True,
    "if ids == 1:\n    labels = labels[:, 1:]\n    return labels\nmask = mask[:, :-1]": False,
    "if ids == 1:\n    pass\nelse:\n    return labels\nlabels = labels[:, 1:]\nmask = mask[:, :-1]": True,
}


@pytest.mark.parametrize("code", CUT_ON_WAYS)
def test_cuts_on_different_ways(code: str, tmp_path: Path) -> None:
    found = masks(tmp_path, code + "\nreturn self.layer(labels, mask)").said
    assert [said.code for said in found] == ["mask-shifted"] * CUT_ON_WAYS[code]


APPLIED = {
    "loss = logits - labels\nreturn loss.sum() / mask.sum()": True,
    "loss = (logits - labels) * mask\nreturn loss.sum() / mask.sum()": False,
    "loss = logits - labels\nreturn self.div(loss.sum(), mask.sum())": True,
    "loss = logits - labels\nreturn loss.mean() / mask.sum()": False,
    "loss = logits - labels\nreturn loss.sum() / len(mask)": False,
    "loss = logits - labels\nreturn loss.sum() / ids.sum()": False,
    "return total_loss.sum() / mask.sum()": False,
    "return ids.sum() / mask.sum()": False,
    "loss = logits * 0\nloss += labels.sum()\nreturn loss / mask.sum()": True,
    "loss = logits * 0\nloss += (labels * mask).sum()\nreturn loss / mask.sum()": False,
    "a, b = self.layer(logits)\nreturn a.sum() / mask.sum()": True,
    "if ids:\n    loss = logits * mask\nelse:\n    loss = logits\nreturn loss.sum() / mask.sum()": False,
    "if ids:\n    loss = logits * 2\nelse:\n    loss = logits\nreturn loss.sum() / mask.sum()": True,
}


@pytest.mark.parametrize("code", APPLIED)
def test_a_sum_leaves_out_what_its_divisor_does(code: str, tmp_path: Path) -> None:
    assert [said.code for said in masks(tmp_path, code).said] == ["mask-not-applied"] * APPLIED[code]


@pytest.mark.parametrize(
    ("code", "ignored", "hides"),
    [
        ("self.f = nn.CrossEntropyLoss()", {-100}, True),
        ("self.f = nn.CrossEntropyLoss(ignore_index=0)", {-100, 0}, True),
        ("self.f = build(ignore_label=-1)", {-1}, True),
        ("self.f = build(ignore_index=size)", set(), True),
        ("self.f = build()", set(), True),
    ],
)
def test_what_losses_leave_out(code: str, ignored: set[int], hides: bool, tmp_path: Path) -> None:
    found = masks(tmp_path, code)
    assert (found.ignored, found.hides) == (ignored, hides)


def test_only_code_with_mindspore_counts(tmp_path: Path) -> None:
    for first, expected in (("import numpy", []), ("import mindspore", [0]), ("from mindspore import ops", [0])):
        (tmp_path / "a.py").write_text(f"{first}\ndef f(ids):\n    mask = ids == 0\n    return mask\n")
        assert [one.value for one in masking.read([read(tmp_path / "a.py", "a.py")]).comparisons] == expected


OUTER = """
import mindspore as ms
from mindspore import nn

class Layer(nn.Cell):
    def construct(self, x, mask=None):
        return x

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = Layer()

    def construct(self, x, mask):
        {}

Net()(x, mask)
"""
DROPPED = {
    "return self.layer(x)": [("mask", "mask", "Layer")],
    "return self.layer(x, mask)": [],
    "masks = []\n        return self.layer(x * mask)": [],
    "masks = {}\n        return self.layer(x * mask)": [],
    "table = {'x': x}\n        mask = mask + 1\n        return self.layer(**table)": [],
    "return self.layer(x, mask=mask)": [],
    "return self.layer(x * mask)": [],
    "mask = mask[None]\n        return self.layer(x)": [("mask", "mask", "Layer")],
    "for y in x:\n            x = self.layer(y)\n            y = mask\n        return x": [],
    "return self.layer(x)[mask]": [],
    "mask = None\n        return self.layer(x, mask)": [],
    "if x:\n            return self.layer(x, mask)\n        mask = None\n        return self.layer(x)": [],
    "f = lambda y, mask: self.layer(y)\n        return f(x, mask)": [],
}


@pytest.mark.parametrize(("given", "told"), [("mask", True), ("None", False)])
def test_a_mask_that_nobody_has_is_not_left_out(given: str, told: bool, tmp_path: Path) -> None:
    text = OUTER.format("return self.layer(x)").replace("Net()(x, mask)", f"Net()(x, {given})")
    (tmp_path / "net.py").write_text(text)
    source, project = read(tmp_path / "net.py", "net.py"), Project(tmp_path, tmp_path)
    assert bool(masking.dropped(follow(source, assumption("train"), project.find, tmp_path))) == told


@pytest.mark.parametrize("code", DROPPED)
def test_masks_that_are_not_handed_on(code: str, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(OUTER.format(code))
    source, project = read(tmp_path / "net.py", "net.py"), Project(tmp_path, tmp_path)
    trace = follow(source, assumption("train"), project.find, tmp_path)
    assert [(s.data["mask"], s.data["parameter"], s.data["function"]) for s in masking.dropped(trace)] == DROPPED[code]
