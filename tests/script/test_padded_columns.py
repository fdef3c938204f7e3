"""Padding that is followed from where a row is filled up, through the columns, into the loss: by values, whatever things are called."""

from __future__ import annotations

import ast
import builtins
import keyword
from pathlib import Path

import pytest

from accucheck.script.padded_columns import PaddingFound, examine
from accucheck.script.pipelines import Pipelines
from case_scripts import scripts

HEAD = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as T
from mindspore import nn, ops

SIZE = 24
"""
ROWS = """
{helpers}
class Rows:
    def __init__(self, rows):
        self.rows = rows
    def __getitem__(self, i):
        row, tags = self.rows[i]
        row = row[:SIZE]
        {body}
    def __len__(self):
        return len(self.rows)

data = ds.GeneratorDataset(Rows(rows), {columns}, shuffle=True).batch(20)
"""
TAGGER = """
class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(500, 32, padding_idx=0)
        self.rnn = nn.LSTM(32, 32, batch_first=True)
        self.out = nn.Dense(32, 9)
    def construct(self, ids):
        return self.out(self.rnn(self.table(ids))[0]).swapaxes(1, 2)

net = Tagger()
opt = nn.Adam(net.trainable_params())
"""
#: The labels and their loss.
FUNCTIONAL = """
loss_fn = {loss}
def forward(ids, tags):
    return loss_fn(net(ids), tags)
grad = ms.value_and_grad(forward, None, opt.parameters)
for ids, tags in data.create_tuple_iterator():
    value, grads = grad(ids, tags)
    opt(grads)
"""
DICTIONARY = FUNCTIONAL.replace(
    "ids, tags in data.create_tuple_iterator()", "batch in data.create_dict_iterator()"
).replace("grad(ids, tags)", 'grad(batch["ids"], batch["tags"])')
MODEL = "\nms.Model(net, {loss}, opt).train(3, data)\n"
WITH_LOSS = "\nms.Model(nn.TrainOneStepCell(nn.WithLossCell(net, {loss}), opt)).train(3, data)\n"
OWN_CELL = """
class Loss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.each = {loss}
    def construct(self, ids, tags):
        return self.each(self.net(ids), tags)
ms.Model(nn.TrainOneStepCell(Loss(net), opt)).train(3, data)
"""
FILLS = {
    "a buffer": "out = np.{new}\n        out[:len(tags)] = tags\n        return ids, out",
    "a buffer of ones": "out = np.ones(SIZE, np.int32) * {value}\n        out[:len(tags)] = tags\n        return ids, out",
    "a buffer less zeros": "out = {value} - np.zeros(SIZE, np.int32)\n        out[:len(tags)] = tags\n        return ids, out",
    "a list": "return ids, np.array(tags + [{value}] * (SIZE - len(tags)), np.int32)",
    "a prefilled list": "out = [{value}] * SIZE\n        for k, tag in enumerate(tags):\n            out[k] = tag\n"
    "        return ids, np.array(out)",
    "np.pad": "return ids, np.pad(tags, (0, SIZE - len(tags)), constant_values={value})",
    "np.concatenate": "return ids, np.concatenate([tags, np.full(SIZE - len(tags), {value})])",
    "a loop": "out = list(tags)\n        while len(out) < SIZE:\n            out.append({value})\n        return ids, np.array(out)",
    "a loop over the rest": "out = list(tags)\n        for _ in range(SIZE - len(out)):\n            out.append({value})\n"
    "        return ids, np.array(out)",
    "a helper": "return ids, filled(tags, {value})",
    "a method": "return ids, self.filled(tags, {value})",
    "on one way only": "if len(tags) < SIZE:\n            tags = tags + [{value}] * (SIZE - len(tags))\n"
    "        return ids, np.array(tags[:SIZE])",
}
HELPER = """
def filled(some, value):
    out = np.full(SIZE, value)
    out[:len(some)] = some
    return out
"""


def found(folder: Path, code: str) -> PaddingFound:
    (reading,) = scripts(folder, HEAD + code).training
    return examine(Pipelines(reading))


def codes(folder: Path, code: str) -> list[str]:
    return [said.code for said in found(folder, code).said]


def labels(fill: str, value: int, step: str, loss: str) -> str:
    """A script that trains a tagger, whose tags are filled up."""
    new = {0: "zeros(SIZE, np.int32)"}.get(value, f"full(SIZE, {value})")
    body = "ids = np.zeros(SIZE, np.int32)\n        ids[:len(row)] = row\n        " + FILLS[fill].format(
        new=new, value=value
    )
    rows = ROWS.format(body=body, columns='["ids", "tags"]', helpers=HELPER)
    method = "    def filled(self, some, value):\n        return filled(some, value)\n    def __len__"
    return rows.replace("    def __len__", method, 1) + TAGGER + step.format(loss=loss)


@pytest.mark.parametrize(
    ("size", "expected"),
    [("(SIZE, len(row))", []), ("(SIZE, 16)", ["pad-counted"])],
)
def test_a_table_that_is_written_column_by_column(size: str, expected: list[str], tmp_path: Path) -> None:
    body = f"ids = np.array(row)\n        tags = np.zeros({size}, np.int32)\n        "
    body += "for k in range(len(row)):\n            tags[:, k] = self.read(row[k])\n        return ids, tags"
    rows = ROWS.format(body=body, columns='["ids", "tags"]', helpers="")
    code = rows + TAGGER + MODEL.format(loss="nn.CrossEntropyLoss()")
    assert [each for each in codes(tmp_path, code) if each == "pad-counted"] == expected


def renamed(code: str) -> str:
    """The same with every name of its own replaced."""
    tree = ast.parse(code)
    own: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own[node.id] = ""
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("__"):
            own[node.name] = ""
        elif isinstance(node, ast.arg):
            own[node.arg] = ""
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            own[node.attr] = ""
    kept = {"self", "construct", "parameters", "trainable_params", "rows", "net", *dir(builtins), *keyword.kwlist}
    own = {name: f"v{place}" for place, name in enumerate(own) if name not in kept}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = own.get(node.id, node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            node.name = own.get(node.name, node.name)
        elif isinstance(node, ast.arg):
            node.arg = own.get(node.arg, node.arg)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            node.attr = own.get(node.attr, node.attr)
    return ast.unparse(tree)


STEPS = {"functional": FUNCTIONAL, "a dict": DICTIONARY, "Model": MODEL, "WithLossCell": WITH_LOSS, "a cell": OWN_CELL}


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("rename", [False, True])
def test_labels_filled_up_with_a_class_count_in_the_loss(tmp_path: Path, fill: str, rename: bool) -> None:
    code = labels(fill, 0, FUNCTIONAL, "nn.CrossEntropyLoss()")
    assert codes(tmp_path, renamed(code) if rename else code) == ["pad-counted"]


@pytest.mark.parametrize("fill", FILLS)
def test_labels_that_the_loss_ignores_are_left_out(tmp_path: Path, fill: str) -> None:
    result = found(tmp_path, labels(fill, -1, FUNCTIONAL, "nn.CrossEntropyLoss(ignore_index=-1)"))
    assert not result.said
    assert [column.hidden is not None for column in result.columns if column.name == "tags"] == [True]


@pytest.mark.parametrize("step", STEPS)
def test_each_way_to_train_is_followed(tmp_path: Path, step: str) -> None:
    assert codes(tmp_path, labels("a buffer", 0, STEPS[step], "nn.CrossEntropyLoss()")) == ["pad-counted"]
    assert not codes(tmp_path, labels("a buffer", -100, STEPS[step], "nn.CrossEntropyLoss()"))
    assert not codes(tmp_path, labels("a buffer", 0, STEPS[step], "nn.CrossEntropyLoss(ignore_index=0)"))


def test_another_number_than_the_one_that_is_ignored(tmp_path: Path) -> None:
    assert codes(tmp_path, labels("a buffer", -1, MODEL, "nn.CrossEntropyLoss()")) == ["pad-counted"]
    sparse = "nn.SoftmaxCrossEntropyWithLogits(sparse=True)"
    assert not codes(tmp_path, labels("a buffer", -1, MODEL, sparse))  # no class, and none that is ignored
    assert codes(tmp_path, labels("a buffer", 0, MODEL, sparse)) == ["pad-counted"]


# --- masks ------------------------------------------------------------------------------------------------------------

MASKED = """
class Loss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.each = nn.CrossEntropyLoss(reduction="none")
    def construct(self, ids, tags, weight):
        {loss}
ms.Model(nn.TrainOneStepCell(Loss(net), opt)).train(3, data)
"""
PER_PLACE = "each = self.each(self.net(ids), tags).reshape(-1)\n        "
BODY = "{mask}\n        return ids, tags, weight"
START = "ids = np.zeros(SIZE, np.int32)\n        ids[:len(row)] = row\n        tags = np.roll(ids, -1)\n        "
BEFORE = "weight = np.zeros(SIZE)\n        weight[:len(row)] = 1"
MASKS = {
    "written": (BEFORE, []),
    "ones and zeros": ("weight = np.array([1] * len(row) + [0] * (SIZE - len(row)))", []),
    "in a loop": ("weight = np.zeros(SIZE)\n        for k in range(len(row)):\n            weight[k] = 1", []),
    "by value": ("weight = (ids != 0).astype(np.float32)", []),
    "above": ("weight = (ids > 0).astype(np.float32)", []),
    "by place": ("weight = (np.arange(SIZE) < len(row)).astype(np.float32)", []),
    "the rest is set": ("weight = np.ones(SIZE)\n        weight[len(row):] = 0", []),
    "inverted by value": ("weight = (ids == 0).astype(np.float32)", ["mask-inverted"]),
    "inverted": ("weight = np.ones(SIZE)\n        weight[:len(row)] = 0", ["mask-inverted"]),
    "inverted by place": ("weight = np.arange(SIZE) >= len(row)", ["mask-inverted"]),
    "for another value": ("weight = (ids != 1).astype(np.float32)", ["mask-value"]),
    "ones everywhere": ("weight = np.array([1] * len(row) + [1] * (SIZE - len(row)))", ["mask-everywhere"]),
    "at the other side": ("weight = np.zeros(SIZE)\n        weight[SIZE - len(row):] = 1", ["mask-side"]),
    "as long as all that was filled up": (
        "count = len(ids)\n        weight = np.array([1] * count + [0] * (SIZE - count))",
        ["mask-everywhere"],
    ),
}


def masked(mask: str, loss: str) -> str:
    body = START + BODY.format(mask=mask)
    rows = ROWS.format(body=body, columns='["ids", "tags", "weight"]', helpers="")
    return rows + TAGGER + MASKED.format(loss=loss)


@pytest.mark.parametrize(("factor", "expected"), [("", ["mask-loss-only"]), (" * here.expand_dims(-1)", [])])
@pytest.mark.parametrize("rename", [False, True])
def test_a_mask_that_the_network_does_not_read(tmp_path: Path, factor: str, expected: list[str], rename: bool) -> None:
    code = ROWS.format(
        body=START + BODY.format(mask=BEFORE), columns='["ids", "tags", "weight"]', helpers=""
    ) + TAGGER.replace("construct(self, ids)", "construct(self, ids, here)").replace(
        "self.table(ids)", f"self.table(ids){factor}"
    )
    code += (
        FUNCTIONAL.format(loss='nn.CrossEntropyLoss(reduction="none")')
        .replace("ids, tags", "ids, tags, weight")
        .replace("net(ids), tags", "net(ids, weight), tags")
        .replace("loss_fn(net(ids, weight), tags)", "(loss_fn(net(ids, weight), tags) * weight).sum() / weight.sum()")
    )
    assert codes(tmp_path, renamed(code) if rename else code) == expected


SUM = PER_PLACE + "return (each * weight.reshape(-1)).sum() / weight.sum()"


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("rename", [False, True])
def test_masks_of_the_loss(tmp_path: Path, name: str, rename: bool) -> None:
    mask, expected = MASKS[name]
    code = masked(mask, SUM)
    assert codes(tmp_path, renamed(code) if rename else code) == expected


USES = {
    "multiplied": (SUM, []),
    "averaged over all": (PER_PLACE + "return (each * weight.reshape(-1)).mean()", ["padding-averaged"]),
    "averaged, in its form": (
        PER_PLACE + "return ops.ReduceMean()((each * weight.reshape(-1)).reshape(20, -1))",
        ["padding-averaged"],
    ),
    "averaged and made up for": (PER_PLACE + "return (each * weight.reshape(-1)).mean() / weight.mean()", []),
    "averaged along an axis": (PER_PLACE + "return (each * weight.reshape(-1)).reshape(20, -1).mean(1).sum()", []),
    "not used": (PER_PLACE + "return each.mean()", ["pad-counted", "mask-unused"]),
    "divides only": (PER_PLACE + "return each.sum() / weight.sum()", ["pad-counted", "mask-not-applied"]),
    "chosen by": (PER_PLACE + "return ops.masked_select(each, weight.reshape(-1) > 0).mean()", []),
    "turned": (PER_PLACE + "return (each * (1 - weight.reshape(-1))).sum()", ["mask-inverted"]),
    "turned back": (PER_PLACE + "left = 1 - weight.reshape(-1)\n        return (each * (1 - left)).sum()", []),
    "shifted": (
        "each = self.each(self.net(ids[:, :-1]), tags[:, 1:])\n        return (each * weight[:, :-1]).sum()",
        ["mask-shifted"],
    ),
    "cut alike": (
        "each = self.each(self.net(ids[:, :-1]), tags[:, 1:])\n        return (each * weight[:, 1:]).sum()",
        [],
    ),
}


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("rename", [False, True])
def test_uses_of_a_mask(tmp_path: Path, name: str, rename: bool) -> None:
    loss, expected = USES[name]
    code = masked(BEFORE, loss)
    assert sorted(codes(tmp_path, renamed(code) if rename else code)) == sorted(expected)


# --- twins: the first code is wrong, the second in order --------------------------------------------------------------

POOLED = """
class Pooled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(500, 32)
        self.score = nn.Dense(32, 1)
        self.rnn = nn.GRU(32, 32, batch_first=True)
        self.both = nn.GRU(32, 16, batch_first=True, bidirectional=True)
        self.out = nn.Dense(32, 2)
        self.each = nn.CrossEntropyLoss()
    def construct(self, ids, beside, kind):
        x = self.table(ids)
        {body}
        return self.each(self.out(x), kind)
net = Pooled()
ms.Model(nn.TrainOneStepCell(net, nn.Adam(net.trainable_params()))).train(3, data)
"""
ATTENTION = (
    "s = self.score(x).squeeze(-1)\n        {masked}\n        x = (x * ops.softmax(s, -1).expand_dims(-1)).sum(1)"
)
FILLED = "ids = np.zeros(SIZE, np.int32)\n        ids[:len(row)] = row\n        "
LED = FILLED.replace("ids[:len(row)]", "ids[SIZE - len(row):]")
PLACES = "s = s.masked_fill(ops.arange(SIZE).expand_dims(0) >= beside.expand_dims(1), -1e9)"
KEPT = "beside = np.zeros(SIZE)\n        beside[:len(row)] = 1"


def pooled(data: str, body: str, helpers: str = "") -> str:
    rows = ROWS.format(
        body=data + "\n        return ids, beside, tags", columns='["ids", "beside", "kind"]', helpers=helpers
    )
    return rows + POOLED.format(body=body)


def spelled(length: str, loss: str = "ops.ctc_loss(scores, tags, ops.full((20,), SIZE), lengths, blank=8)") -> str:
    """A network that spells rows, with a loss of whole sequences that is given the lengths of their tags."""
    body = (
        "ids, out = np.zeros(SIZE, np.int32), np.zeros(SIZE, np.int32)\n        ids[:len(row)] = row\n"
        f"        out[:len(tags)] = tags\n        return ids, out, np.int32({length})"
    )
    trained = """
def forward(ids, tags, lengths):
    scores = ops.log_softmax(net(ids).swapaxes(1, 2), -1).swapaxes(0, 1)
    return LOSS
grad = ms.value_and_grad(forward, None, opt.parameters)
for ids, tags, lengths in data.create_tuple_iterator():
    value, grads = grad(ids, tags, lengths)
    opt(grads)
"""
    rows = ROWS.format(body=body, columns='["ids", "tags", "lengths"]', helpers="")
    return rows + TAGGER + trained.replace("LOSS", loss)


def collated(loss: str) -> str:
    helper = """
def together(rows, tags, info):
    width = max(len(row) for row in rows)
    ids, all_tags = np.zeros((len(rows), width), np.int32), np.zeros((len(rows), width), np.int32)
    for place, (row, some) in enumerate(zip(rows, tags)):
        ids[place, :len(row)] = row
        all_tags[place, :len(some)] = some
    return ids, all_tags
"""
    rows = ROWS.format(body="return np.array(row), np.array(tags)", columns='["ids", "tags"]', helpers=helper)
    step = FUNCTIONAL.replace("for ids, tags in", "for batch in").replace("grad(ids, tags)", "grad(*batch)")
    return rows.replace(".batch(20)", ".batch(20, per_batch_map=together)") + TAGGER + step.format(loss=loss)


def numbered(table: str) -> str:
    body = (
        "ids = [words[word] for word in row]\n        ids = np.array(ids + [0] * (SIZE - len(ids)))\n        beside = 1"
    )
    return pooled(body, "x = x.mean(1)", table)


def special(fill: str) -> str:
    """Ids that are filled up with the number of one of the special words that a vocabulary begins with."""
    table = "words = {word: k for k, word in enumerate(['<pad>', '<unk>'] + sorted(set(open('a.txt').read().split())))}"
    body = f"ids = np.array([words[word] for word in row] + [{fill}] * (SIZE - len(row)))\n        beside = 1"
    return pooled(body, ATTENTION.format(masked="s = s.masked_fill(ids == words['<pad>'], -1e9)"), table)


LATER = "n = ids.shape[1]\n        s = s.masked_fill(ops.logical_and((ids {} 0).expand_dims(1), ops.tril(ops.ones((n, n))) > 0) == 0, -1e9)"
GROWING = "words = {{}}\nfor line in open('a.txt'):\n    for word in line.split():\n        {}\n"
GROUPED = (
    "if word[0] not in words:\n            words[word[0]] = {}\n"
    "        if word not in words[word[0]]:\n            words[word[0]][word] = len(words[word[0]])"
)


def test_a_mask_that_later_places_open_again_leaves_nothing_out(tmp_path: Path) -> None:
    """Padding is 0 in the one mask and 1 at some places of the other: joined by "or" it is seen there, by "and" it is not."""
    joined = (
        "n = ids.shape[1]\n        seen = ops.logical_{}((ids != 0).expand_dims(1), ops.tril(ops.ones((n, n))) > 0)\n"
    )
    joined += "        s = s.masked_fill(seen == 0, -1e9)"
    hidden = {}
    for how in ("and", "or"):
        (tmp_path / how).mkdir()
        result = found(tmp_path / how, pooled(FILLED + "beside = 1", ATTENTION.format(masked=joined.format(how))))
        assert not result.said
        hidden[how] = [column.hidden is not None for column in result.columns if column.name == "ids"]
    assert hidden == {"and": [True], "or": [False]}


TWINS = {
    "rows that a batch fills up": (
        "pad-counted",
        collated("nn.CrossEntropyLoss()"),
        collated("nn.CrossEntropyLoss(ignore_index=0)"),
    ),
    "a length after padding": (
        "length-padded",
        pooled(FILLED + "beside = len(ids)", "_, x = self.rnn(x, None, beside)\n        x = x[0]"),
        pooled(FILLED + "beside = len(row)", "_, x = self.rnn(x, None, beside)\n        x = x[0]"),
    ),
    "steps that a stride leaves of a length after padding": (
        "length-padded",
        pooled(FILLED + "beside = (len(ids) + 1) // 2", "_, x = self.rnn(x, None, beside)\n        x = x[0]"),
        pooled(FILLED + "beside = (len(row) + 1) // 2", "_, x = self.rnn(x, None, beside)\n        x = x[0]"),
    ),
    "lengths of filled tags for a loss of whole sequences": (
        "length-padded",
        spelled("len(out)"),
        spelled("len(tags)"),
    ),
    "lengths of filled tags for an operator of whole sequences": (
        "length-padded",
        spelled("out.shape[0]", "ops.CTCLossV2(blank=8)(scores, tags, ops.full((20,), SIZE), lengths)[0].mean()"),
        spelled("len(tags)", "ops.CTCLossV2(blank=8)(scores, tags, ops.full((20,), SIZE), lengths)[0].mean()"),
    ),
    "a mask of a length after padding": (
        "length-padded",
        pooled(FILLED + "beside = len(ids)", ATTENTION.format(masked=PLACES)),
        pooled(FILLED + "beside = len(row)", ATTENTION.format(masked=PLACES)),
    ),
    "a mask that counts from the start of what is filled up there": (
        "mask-side",
        pooled(LED + "beside = len(row)", ATTENTION.format(masked=PLACES)),
        pooled(FILLED + "beside = len(row)", ATTENTION.format(masked=PLACES)),
    ),
    "a length that is not given": (
        "length-unused",
        pooled(FILLED + "beside = len(row)", "_, x = self.rnn(x)\n        x = x[0]"),
        pooled(FILLED + "beside = len(row)", "_, x = self.rnn(x, seq_length=beside)\n        x = x[0]"),
    ),
    "an average over all steps of a recurrent layer": (
        "places-averaged",
        pooled(FILLED + "beside = len(row)", "x, _ = self.rnn(x, seq_length=beside)\n        x = x.mean(1)"),
        pooled(
            FILLED + "beside = len(row)",
            "x, _ = self.rnn(x, seq_length=beside)\n        real = ops.arange(SIZE).expand_dims(0) < beside.expand_dims(1)\n"
            "        x = (x * real.expand_dims(2)).sum(1) / beside.expand_dims(1)",
        ),
    ),
    "an average over all words": (
        "places-averaged",
        pooled(
            FILLED + KEPT, "real = beside.sum(1)\n        x = ops.mean(x, axis=1) * real.expand_dims(1) / real.sum()"
        ),
        pooled(FILLED + KEPT, "x = (x * beside.expand_dims(2)).sum(1) / beside.sum(1).expand_dims(1)"),
    ),
    "a backward layer that starts in the padding": (
        "backward-from-padding",
        pooled(
            FILLED + "beside = len(row)",
            "x, _ = self.both(x)\n        real = ops.arange(SIZE).expand_dims(0) < beside.expand_dims(1)\n"
            "        x = (x * real.expand_dims(2)).sum(1) / beside.expand_dims(1)",
        ),
        pooled(
            FILLED + "beside = len(row)",
            "x, _ = self.rnn(x)\n        real = ops.arange(SIZE).expand_dims(0) < beside.expand_dims(1)\n"
            "        x = (x * real.expand_dims(2)).sum(1) / beside.expand_dims(1)",
        ),
    ),
    "attention adds the mask": (
        "mask-inverted",
        pooled(FILLED + KEPT, ATTENTION.format(masked="s = s + beside * -1e9")),
        pooled(FILLED + KEPT, ATTENTION.format(masked="s = s + (1 - beside) * -1e9")),
    ),
    "attention adds the mask times a number that is not seen": (
        "mask-inverted",
        pooled(FILLED + KEPT, ATTENTION.format(masked="s = s + beside * np.finfo(np.float32).min")),
        pooled(FILLED + KEPT, ATTENTION.format(masked="s = s + (1 - beside) * settings.smallest")),
    ),
    "attention adds the smallest number": (
        "mask-inverted",
        pooled(FILLED + KEPT, ATTENTION.format(masked="s = s + beside * np.finfo(np.float32).min")),
        pooled(FILLED + KEPT, ATTENTION.format(masked="s = s + (1 - beside) * np.finfo('float32').min")),
    ),
    "attention fills by value": (
        "mask-inverted",
        pooled(FILLED + "beside = 1", ATTENTION.format(masked="s = s.masked_fill(ids != 0, -1e9)")),
        pooled(FILLED + "beside = 1", ATTENTION.format(masked="s = s.masked_fill(ids == 0, -1e9)")),
    ),
    "attention chooses by value": (
        "mask-inverted",
        pooled(FILLED + "beside = 1", ATTENTION.format(masked="s = ops.where(ids != 0, ops.full_like(s, -1e9), s)")),
        pooled(FILLED + "beside = 1", ATTENTION.format(masked="s = ops.where(ids == 0, ops.full_like(s, -1e9), s)")),
    ),
    "attention chooses between large and nothing": (
        "mask-inverted",
        pooled(
            FILLED + KEPT,
            ATTENTION.format(masked="s = s + ops.select(beside > 0, ops.full_like(s, -1e9), ops.zeros_like(s))"),
        ),
        pooled(
            FILLED + KEPT,
            ATTENTION.format(masked="s = s + ops.select(beside > 0, ops.zeros_like(s), ops.full_like(s, -1e9))"),
        ),
    ),
    "attention chooses by another value": (
        "mask-value",
        pooled(FILLED + "beside = 1", ATTENTION.format(masked="s = ops.where(ids == 3, ops.full_like(s, -1e9), s)")),
        pooled(FILLED + "beside = 1", ATTENTION.format(masked="s = ops.where(ids == 0, ops.full_like(s, -1e9), s)")),
    ),
    "attention fills places with another value": (
        "mask-value",
        pooled(FILLED + "beside = 1", ATTENTION.format(masked="s = s.masked_fill(ids == 3, -1e9)")),
        pooled(
            FILLED + "beside = 1",
            ATTENTION.format(masked="s = s.masked_fill(ids == 3, -1e9).masked_fill(ids == 0, -1e9)"),
        ),
    ),
    "a mask of what is padded already": (
        "mask-everywhere",
        pooled(
            "ids = row + [0] * (SIZE - len(row))\n        beside = np.array([1] * len(ids))",
            "x = (x * beside.expand_dims(-1)).sum(1)",
        ),
        pooled(
            "ids = row + [0] * (SIZE - len(row))\n        beside = np.array([1] * len(row) + [0] * (SIZE - len(row)))",
            "x = (x * beside.expand_dims(-1)).sum(1)",
        ),
    ),
    "words numbered as they come": (
        "word-is-pad",
        numbered(GROWING.format("if word not in words:\n            words[word] = len(words)")),
        numbered(GROWING.format("if word not in words:\n            words[word] = len(words) + 1")),
    ),
    "words numbered by setdefault": (
        "word-is-pad",
        numbered(GROWING.format("words.setdefault(word, len(words))")),
        numbered(GROWING.format("words.setdefault(word, len(words) + 1)")),
    ),
    "a table that begins with padding": (
        "word-is-pad",
        numbered(GROWING.format("words.setdefault(word, len(words))")),
        numbered(GROWING.format("words.setdefault(word, len(words))").replace("{}\n", "{'.': 0}\n", 1)),
    ),
    "words numbered within groups": (
        "word-is-pad",
        numbered(GROWING.format("words.setdefault(word, len(words))")),
        numbered(GROWING.format(GROUPED)).replace("words[word] for", "words[word[0]][word] for"),
    ),
    "padding numbered as another word": (
        "mask-value",
        special("words['<unk>']"),
        special("words['<pad>']"),
    ),
    "a mask of padding and of later places": (
        "mask-inverted",
        pooled(FILLED + "beside = 1", ATTENTION.format(masked=LATER.format("=="))),
        pooled(FILLED + "beside = 1", ATTENTION.format(masked=LATER.format("!="))),
    ),
    "words in their order": (
        "word-is-pad",
        numbered("words = {word: k for k, word in enumerate(sorted(set(open('a.txt').read().split())))}"),
        numbered("words = {word: k + 1 for k, word in enumerate(sorted(set(open('a.txt').read().split())))}"),
    ),
}


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("rename", [False, True])
def test_twins(tmp_path: Path, name: str, rename: bool) -> None:
    code, wrong, fine = TWINS[name]
    assert codes(tmp_path, renamed(wrong) if rename else wrong) == [code]
    assert codes(tmp_path, renamed(fine) if rename else fine) == []


#: A network that is handed a mask, in a training cell that returns its loss with the update it awaits.
AWAITED = """
class Rated(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.out = nn.Embedding(500, 32), nn.Dense(32, 1)
        self.loss = nn.MSELoss()
    def construct(self, ids, mask, rate):
        x = self.table(ids){hidden}
        return self.loss(self.out(x.sum(1)), rate)

class Step(nn.TrainOneStepCell):
    def construct(self, ids, mask, rate):
        loss = self.network(ids, mask, rate)
        grads = self.grad(self.network, self.weights)(ids, mask, rate, ops.ones_like(loss))
        return ops.depend(loss, self.optimizer(grads))

net = Rated()
ms.Model(Step(net, nn.Adam(net.trainable_params()))).train(3, data)
"""


@pytest.mark.parametrize(("hidden", "expected"), [(" * mask.expand_dims(-1)", []), ("", ["mask-unused"])])
def test_what_a_loss_awaits_is_no_part_of_it(tmp_path: Path, hidden: str, expected: list[str]) -> None:
    body = "pad = SIZE - len(row)\n        return row + [0] * pad, [1.0] * len(row) + [0.0] * pad, tags"
    rows = ROWS.format(body=body, columns='["ids", "mask", "rate"]', helpers="")
    assert codes(tmp_path, rows + AWAITED.format(hidden=hidden)) == expected


OTHER_TASK = """
class Windows:
    def __init__(self, rows):
        self.rows = rows
    def __getitem__(self, i):
        return self.rows[i], read_times(i), self.rows[i + 1]
    def __len__(self):
        return len(self.rows)

data = ds.GeneratorDataset({source}, ["ids", "mask", "rate"], shuffle=True).batch(20)
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [("Rows(rows)", ["mask-unused"]), ("Rows(rows) if task == 'rate' else Windows(rows)", [])],
)
def test_a_mask_of_one_of_two_data_sets_may_belong_to_another_loss(
    tmp_path: Path, source: str, expected: list[str]
) -> None:
    body = "pad = SIZE - len(row)\n        return row + [0] * pad, [1.0] * len(row) + [0.0] * pad, tags"
    rows = ROWS.format(body=body, columns='["ids", "mask", "rate"]', helpers="")
    assert codes(tmp_path, rows + OTHER_TASK.format(source=source) + AWAITED.format(hidden="")) == expected
