"""What is said of padding: where value, side, mask and length contradict each other, and where they agree."""

import textwrap
from pathlib import Path

import pytest

from accucheck.case import Padding
from accucheck.script import padding_rules
from accucheck.script.analysis import Reading, Scripts
from accucheck.script.padding_rules import Result
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption
from accucheck.script.values import Call

HEAD = "import numpy as np\nimport mindspore as ms\nimport mindspore.dataset as ds\nfrom mindspore import nn, ops\n"
TRAIN = "\ndata = ds.GeneratorDataset(f, ['ids'])\nms.Model(net).train(1, data)\n"
NET = "class Net(nn.Cell):\n    def construct(self, ids):\n        mask = {}\n        return self.layer(ids, mask)\n"


def result(folder: Path, code: str, design: Padding | None = None, train: str = TRAIN) -> Result:
    (folder / "train.py").write_text(HEAD + code + train)
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return padding_rules.examine(Scripts([Reading("train", "train", source, trace, project)]), folder, design)


def codes(made: Result) -> list[str]:
    return sorted(said.code for said in made.said)


def function(body: str) -> str:
    return "def f(ids, tags, max_len, m):\n" + textwrap.indent(body, "    ") + "\n"


SHORT = "ids = ids + [0] * (max_len - k)\n"
SAID = {
    "the mask is at the side of the data": ("k = len(ids)\n" + SHORT + "mask = [1] * k + [0] * (max_len - k)", []),
    "the mask is at the other side": ("k = len(ids)\n" + SHORT + "mask = [0] * (max_len - k) + [1] * k", ["mask-side"]),
    "ones are the padding": ("k = len(ids)\n" + SHORT + "mask = np.ones(max_len)\nmask[:k] = 0", []),
    "the mask is made afterwards": (
        "k = len(ids)\n" + SHORT + "mask = [1] * len(ids)",
        ["mask-everywhere"],
    ),
    "a mask of ones of that size": (
        "k = len(ids)\n" + SHORT + "return dict(mask=np.ones(max_len))",
        ["mask-everywhere"],
    ),
    "a mask of ones of another size": ("k = len(ids)\n" + SHORT + "return dict(mask=np.ones(m))", []),
    "the mask of another": (
        "k, l = len(ids), len(tags)\n" + SHORT + "tags = tags + [0] * (m - l)\nmask = [1] * l + [0] * (max_len - l)",
        ["mask-of-another"],
    ),
    "each its mask": (
        "k, l = len(ids), len(tags)\n" + SHORT + "tags = tags + [0] * (m - l)\nmask = [1] * l + [0] * (m - l)",
        [],
    ),
    "what goes along is at the other side": (
        SHORT.replace("k", "len(ids)") + "token_type_ids = [0] * (max_len - len(tags)) + tags",
        ["sides-differ"],
    ),
    "ids at the other side": (
        "ids = [0] * (max_len - len(ids)) + ids\ntoken_type_ids = tags + [0] * (max_len - len(tags))",
        ["sides-differ"],
    ),
    "what goes along is at the same side": (
        SHORT.replace("k", "len(ids)") + "segment = tags + [0] * (max_len - len(tags))",
        [],
    ),
    "the length before": ("k = len(ids)\n" + SHORT + "return dict(length=k)", []),
    "the length afterwards": ("k = len(ids)\n" + SHORT + "return dict(length=len(ids))", ["length-padded"]),
    "the length between": ("ids = ids + [1] * (m - len(ids))\nk = len(ids)\n" + SHORT + "return dict(length=k)", []),
    "a comparison with the value": ("k = len(ids)\n" + SHORT + "mask = np.array(ids) != 0", []),
    "a comparison with another value": ("k = len(ids)\n" + SHORT + "mask = np.array(ids) != 1", ["mask-value"]),
    "an image": (
        "image = np.zeros((max_len, max_len))\nimage[:ids.shape[0]] = ids\nreturn dict(length=len(image))",
        [],
    ),
    "scores": ("ids = ids + [-100000] * (max_len - len(ids))\nreturn dict(length=len(ids))", []),
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(name: str, tmp_path: Path) -> None:
    code, expected = SAID[name]
    assert codes(result(tmp_path, function(code))) == expected


ENDS = "ids = ids + [0] * (n - k)\nmask = [1] * k + [0] * (n - k)\ntoken_type = tags + [0] * (n - k)\n"
STARTS = "ids = [0] * (n - k) + ids\nmask = [0] * (n - k) + [1] * k\ntoken_type = [0] * (n - k) + tags\n"
TURNED = ENDS.replace("mask = [1] * k + [0] * (n - k)", "mask = [0] * (n - k) + [1] * k")


def ways(text: str, first: str = ENDS, second: str = STARTS) -> str:
    """Both in the places A and B of a text, as far indented as these."""
    lines = []
    for line in text.splitlines():
        body = {"A": first, "B": second}.get(line.strip(), line.strip())
        lines.append(textwrap.indent(body.rstrip(), line[: len(line) - len(line.lstrip())]))
    return "k = len(ids)\n" + "\n".join(lines)


DECISIONS = [
    "if side == 'right':\n    A\nelse:\n    B",
    "if side == 'right':\n    A\nelif side == 'left':\n    B\nelse:\n    raise ValueError",
    "if side == 'right':\n    A\nif side == 'left':\n    B",
    "if side == 'right':\n    A\nif side != 'right':\n    B",
    "if 'right' == side:\n    A\nif side in ('left', 'start'):\n    B",
    "if side is Side.RIGHT:\n    A\nif side is Side.LEFT:\n    B",
    "if side == 'right' and ids:\n    A\nif side == 'left' and tags:\n    B",
    "if not (m or side):\n    A\nif m:\n    B",
    "if isinstance(ids, list):\n    A\nif isinstance(ids, tuple):\n    B",
    "if side is None:\n    A\nif side:\n    B",
    "if k < m:\n    A\nif m <= k:\n    B",
    "if 'a' in side:\n    A\nif 'a' not in side:\n    B",
    "if side == 'right':\n    A\n    return ids\nB",
    "if side == 'right':\n    if m:\n        A\n        return ids, mask\n    return ids\nB",
    "for _ in tags:\n    if side == 'right':\n        A\n        continue\n    B",
    "while tags:\n    if side == 'right':\n        A\n        break\n    B",
    "match side:\n    case 'right':\n        A\n    case 'left' | 'start':\n        B",
    "match side:\n    case 'right':\n        A\n    case _:\n        B",
    "match side:\n    case 'right' if m:\n        A\n    case other:\n        pass\nif side == 'left':\n    B",
    "try:\n    A\nexcept TypeError:\n    B",
    "A\nif side == 'left':\n    B",
]


@pytest.mark.parametrize("text", DECISIONS)
def test_only_what_one_run_can_bring_together(text: str, tmp_path: Path) -> None:
    assert codes(result(tmp_path, "side = use()\n" + function("n = max_len\n" + ways(text)))) == []
    wrong = result(tmp_path, "side = use()\n" + function("n = max_len\n" + ways(text, TURNED)))
    assert set(codes(wrong)) == {"mask-side"}


NO_DECISIONS = [  # one run may take both ways
    "if m:\n    A\nif side:\n    B",
    "if m == 1:\n    A\nif side == 2:\n    B",
    "if m > 1:\n    A\nif m > 1:\n    B",
    "if m != 1:\n    A\nif m == 2:\n    B",
    "if side in use():\n    A\nif side in m:\n    B",
    "A\nB",
]


@pytest.mark.parametrize("text", NO_DECISIONS)
def test_what_one_run_may_bring_together(text: str, tmp_path: Path) -> None:
    first, second = "ids = ids + [0] * (max_len - k)\n", "mask = [0] * (max_len - k) + [1] * k\n"
    assert codes(result(tmp_path, function(ways(text, first, second)))) == ["mask-side"]


def test_conditional_expressions(tmp_path: Path) -> None:
    made = "k = len(ids)\nids = ids + [0] * (n - k) if {} else [0] * (n - k) + ids\n"
    mask = "mask = [1] * k + [0] * (n - k) if {} else [0] * (n - k) + [1] * k\n"
    called = "use(mask=[1] * k + [0] * (n - k) if {} else [0] * (n - k) + [1] * k)\n"
    for use in (mask, called):
        for test, expected in (("m", []), ("not m", ["mask-side"])):
            code = function("n = max_len\n" + made.format("m") + use.format(test))
            assert sorted(set(codes(result(tmp_path, code)))) == expected


#: What is near to a fault of a mask or a side, and is none.
NEAR = {
    "the mask is turned with the ids": (
        "k = len(ids)\nmask = [1] * k + [0] * (max_len - k)\nids = [0] * (max_len - k) + ids\n{}",
        ["mask = mask[::-1]", "mask = np.flip(mask)", "mask.reverse()", "mask = np.array([mask])[:, ::-1]"],
        ["mask = mask[:max_len]", "mask = np.array(mask)"],
        "mask-side",
    ),
    "places are taken out of the mask": (
        "ids = ids + [0] * (max_len - len(ids))\nmask = {}\nreturn dict(mask=mask)",
        [
            "np.ones(max_len)\nfor i in tags:\n    mask[i] = 0",
            "np.ones_like(ids)\nmask[m:] = 0",
            "[1] * len(ids)\nfor i in tags:\n    mask[i] = 0",
            "np.ones_like(ids)\nmask *= tags",
            "np.ones_like(ids)\nmask = mask * tags",
            "np.ones_like(ids)\nmask = np.multiply(mask, tags)",
            "np.zeros(max_len)\nmask[:] = 1\nmask[tags] = 0",
        ],
        ["np.ones(max_len)", "np.ones_like(ids)", "[1] * len(ids)", "np.zeros(max_len)\nmask[:] = 1"],
        "mask-everywhere",
    ),
    "a pair, each with its own": (
        "a = ids + [0] * (max_len - len(ids))\nb = [0] * (max_len - len(tags)) + tags\n"
        "a_segment = m + [0] * (max_len - len(m))\nb_segment = {}",
        ["[0] * (max_len - len(m)) + m"],
        [],
        "sides-differ",
    ),
    "another mask than that of padding": (
        "ids = ids + [0] * (max_len - len(ids))\n{} = np.array(ids) != 101",
        ["cls_mask", "mlm_mask", "mask_index"],
        ["mask", "attention_mask", "input_mask"],
        "mask-value",
    ),
    "what is above the value": (
        "ids = ids + [{}] * (max_len - len(ids))\nmask = np.array(ids) > 0",
        ["-1"],
        ["1"],
        "mask-value",
    ),
    "a value of one way only": (
        "pad = 0\n{}\nids = ids + [pad] * (max_len - len(ids))\nmask = np.array(ids) != 1",
        ["if m:\n    pad = 1", "pad = 0 if m else 1", "for pad in tags:\n    pass", "pad = 0 if m else m.get('pad')"],
        ["pass", "if m:\n    pad = 0"],
        "mask-value",
    ),
}


@pytest.mark.parametrize("name", NEAR)
def test_what_is_near_to_a_fault(name: str, tmp_path: Path) -> None:
    code, right, wrong, expected = NEAR[name]
    for part in right:
        assert codes(result(tmp_path, function(code.replace("{}", part)))) == [], part
    for part in wrong:
        assert codes(result(tmp_path, function(code.replace("{}", part)))) == [expected], part


def test_ones_beside_a_mask_of_its_own(tmp_path: Path) -> None:
    code = "k = len(ids)\n" + SHORT + "{}return dict(page_mask=np.ones(max_len))"
    assert codes(result(tmp_path, function(code.format("")))) == ["mask-everywhere"]
    assert codes(result(tmp_path, function(code.format("mask = [1] * k + [0] * (max_len - k)\n")))) == []
    assert codes(result(tmp_path, function(code.format("").replace("page_mask", "head_mask")))) == []


#: What a length of padded ids is used for: whether it is taken for the number of what is real.
USES = {
    "return np.tril(np.ones((seq_length, seq_length)))": False,
    "return ids.reshape(seq_length, 1)": False,
    "return np.reshape(ids, (1, seq_length))": False,
    "return np.arange(seq_length)": False,
    "return np.arange(seq_length) * 2, np.zeros(seq_length)": False,
    "mask = np.full(seq_length, 7)\nreturn np.equal(ids, mask)": False,
    "for i in range(seq_length):\n    use(i)": False,
    "return positions(length=seq_length), seq_length": False,
    "return Config(seq_length=seq_length, size=m)": False,
    "return ids, tags[:seq_length]": False,
    "self.seq_length = seq_length": False,
    "return seq_length": False,
    "return np.tile(ids, seq_length)": False,
    "return np.resize(ids, new_length=seq_length)": False,
    "return ids, seq_length": True,
    "yield np.array(ids), np.array([seq_length])": True,
    "tags.append((ids, seq_length))\nreturn tags": True,
    "return {'ids': ids, 'valid_length': seq_length}": True,
    "item['seq_length'] = seq_length\nreturn item": True,
    "item.seq_length = seq_length\nreturn item": True,
    "return Features(ids=ids, seq_length=seq_length)": True,
    "return self.rnn(ids, None, seq_length)": True,
    "return self.layer(ids, valid_length=ms.Tensor(seq_length))": True,
    "return use(sequence_mask(seq_length, max_len))": True,
    "return ids, np.arange(max_len) < seq_length": True,
    "return ids, np.arange(max_len)[None, :] < seq_length": True,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("taken", ["len(ids)", "ids.shape[0]"])
def test_what_a_length_is_used_for(use: str, taken: str, tmp_path: Path) -> None:
    code = f"ids = np.array(ids + [0] * (max_len - len(ids)))\nseq_length = {taken}\n{use}"
    assert codes(result(tmp_path, function(code))) == ["length-padded"] * USES[use]
    code = f"seq_length = {taken}\nids = np.array(ids + [0] * (max_len - len(ids)))\n{use}"
    assert codes(result(tmp_path, function(code))) == []


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("return np.zeros(seq_length), ids", []),
        ("return ids, seq_length", ["length-padded"]),
    ],
)
def test_a_length_that_is_returned_is_for_who_called(use: str, expected: list[str], tmp_path: Path) -> None:
    code = function("ids = ids + [0] * (max_len - len(ids))\nseq_length = len(ids)\nreturn ids, seq_length")
    caller = "def rows(ids, tags):\n    ids, seq_length = f(ids, tags, 9, 1)\n    " + use + "\n"
    assert codes(result(tmp_path, code + caller)) == expected


def test_lengths_that_are_gathered_are_those_of_samples(tmp_path: Path) -> None:
    code = function("ids = ids + [0] * (max_len - len(ids))\nseq_length = len(ids)\nreturn ids, seq_length")
    caller = "def rows(ids, tags):\n    {0} = []\n    ids, seq_length = f(ids, tags, 9, 1)\n    {0}.append(seq_length)\n    return {0}\n"
    assert codes(result(tmp_path, code + caller.format("lengths"))) == ["length-padded"]
    assert codes(result(tmp_path, code + caller.format("rest"))) == []


def test_the_length_of_something_else_leaves_no_word_out(tmp_path: Path) -> None:
    code = "V = {'O': 0, 'b': 1}\n" + function(
        "item.seq_length = len(tags)\nother = tags + [0] * (SIZE - len(tags))\n"
        "ids = [V[w] for w in ids]\nids = ids + [0] * (max_len - len(ids))"
    )
    assert codes(result(tmp_path, code.replace("SIZE", "m") + NET.format("seq_length"))) == ["pad-is-real"]
    assert codes(result(tmp_path, code.replace("SIZE", "max_len") + NET.format("seq_length"))) == []


def test_what_goes_along_with_ids_is_told_by_name_and_place(tmp_path: Path) -> None:
    code = function(
        "context_ids = {} + ids\ncontext_pos_ids = ids + {}\nsegment_ids = tags + {}\nother_ids = m + {}".replace(
            "{}", "[0] * (max_len - len(ids))"
        )
    )
    assert codes(result(tmp_path, code)) == ["sides-differ"]
    assert codes(result(tmp_path, code.replace("context_pos_ids", "other_pos_ids"))) == []


def test_a_length_on_another_way_than_the_padding(tmp_path: Path) -> None:
    code = "if {}:\n    ids = ids + [0] * (max_len - len(ids))\nif {}:\n    tags = dict(ids=ids, length=len(ids))"
    assert codes(result(tmp_path, function(code.format("m == 1", "m == 2")))) == []
    assert codes(result(tmp_path, function(code.format("m == 1", "m == 1")))) == ["length-padded"]


WORDS = {
    "{'a': 0, 'b': 1}": ["pad-is-real"],
    "{'<pad>': 0, 'b': 1}": [],
    "{'_': 0, 'b': 1}": [],
    "{'[SEP]': 0, 'b': 1}": ["pad-is-mark"],
    "{'a': 1, 'b': 2}": [],
}


@pytest.mark.parametrize("words", WORDS)
def test_a_value_that_is_a_word(words: str, tmp_path: Path) -> None:
    code = f"V = {words}\n" + function("ids = [V[w] for w in ids]\nids = ids + [0] * (max_len - len(ids))")
    assert codes(result(tmp_path, code)) == WORDS[words]
    masked = result(tmp_path, code + NET.format("ids != 0"))
    assert codes(masked) == []
    assert [pad.value for pad in masked.hidden] == [0]
    with_lengths = result(tmp_path, code + NET.format("valid_length"))
    assert codes(with_lengths) == [code for code in WORDS[words] if code == "pad-is-real"]


@pytest.mark.parametrize("kept", ["item.seq_length = len(tags)", "mask = [1] * len(tags) + [0] * (m - len(tags))"])
def test_a_word_that_a_length_leaves_out(kept: str, tmp_path: Path) -> None:
    code = "V = {'O': 0, 'b': 1}\n" + function(
        kept + "\nids = [V[w] for w in tags]\nids = ids + [0] * (max_len - len(ids))"
    )
    assert codes(result(tmp_path, code + NET.format("seq_length"))) == []
    assert codes(result(tmp_path, code + NET.format("ids").replace("mask", "other"))) == ["pad-is-real"]
    assert codes(result(tmp_path, code.replace(kept, "pass") + NET.format("seq_length"))) == ["pad-is-real"]


@pytest.mark.parametrize(
    ("compared", "fills", "expected"),
    [
        ("ids != 0", [0], []),
        ("ids != 1", [0], ["network-mask-value"]),
        ("ids != 1", [0, 1], ["unmasked-value"]),
        ("ids != pad", [0], []),
        ("ids != 1", ["self.pad"], []),
        ("ids != 1", [], []),
        ("labels != -100", [0], []),
        ("valid == 1", [0], []),
    ],
)
def test_what_the_network_masks(compared: str, fills: list[object], expected: list[str], tmp_path: Path) -> None:
    body = "".join(
        f"ids{k} = tags[{k}]\nids{k} = ids{k} + [{v}] * (max_len - len(ids{k}))\n" for k, v in enumerate(fills)
    )
    assert codes(result(tmp_path, function(body + "pass") + NET.format(compared))) == expected


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        ("(ids[:, 0] == row[0]).long() + (ids[:, 1] == row[1]).long()", []),
        ("(ids == row).sum(-1)", []),
        ("ids.reshape(-1)", ["network-mask-value"]),
    ],
)
def test_how_many_comparisons_hold_is_no_value_of_padding(hits: str, expected: list[str], tmp_path: Path) -> None:
    net = NET.replace("mask = {}", f"hits = {hits}\n        mask = hits == 3")
    filled = function("ids = tags\nids = ids + [0] * (max_len - len(ids))")
    assert codes(result(tmp_path, filled + net)) == expected


def test_arrays_that_are_filled_apart_need_no_common_value(tmp_path: Path) -> None:
    first = "ids = ids + [1] * (max_len - len(ids))"
    second = "words = m\nwords = words + [0] * (max_len - len(words))"
    together = function(f"{first}\n{second}")
    assert codes(result(tmp_path, together + NET.format("ids != 1"))) == ["unmasked-value"]
    apart = function(first) + function(second).replace("def f", "def other", 1)
    assert codes(result(tmp_path, apart + NET.format("ids != 1"))) == []


@pytest.mark.parametrize(
    ("design", "expected"),
    [
        (Padding(value=0, side="right", mask="mask"), []),
        (Padding(value=1), ["design-value"]),
        (Padding(side="left"), ["design-side"]),
        (Padding(mask="attention_mask"), ["design-mask"]),
        (Padding(), []),
    ],
)
def test_what_the_case_declares(design: Padding, expected: list[str], tmp_path: Path) -> None:
    code = function("k = len(ids)\n" + SHORT + "mask = [1] * k + [0] * (max_len - k)")
    assert codes(result(tmp_path, code, design)) == expected


MAPPED = "data = ds.GeneratorDataset(f, ['ids']).map(fill, ['ids'], ['ids', 'kept'])\n"


@pytest.mark.parametrize(("mask", "expected"), [("kept", []), ("hidden", ["design-mask"])])
def test_a_mask_may_be_a_column(mask: str, expected: list[str], tmp_path: Path) -> None:
    assert codes(result(tmp_path, function("k = len(ids)\n" + SHORT + "pass") + MAPPED, Padding(mask=mask))) == expected


@pytest.mark.parametrize(
    ("value", "loss", "expected"),
    [
        ("-100", "", []),
        ("-1", "loss = nn.CrossEntropyLoss(ignore_index=-1)\n", []),
        ("-1", "loss = nn.CrossEntropyLoss()\n", ["design-value"]),
    ],
)
def test_what_a_loss_leaves_out_may_fill_labels_up(value: str, loss: str, expected: list[str], tmp_path: Path) -> None:
    code = function(f"k = len(ids)\nids = ids + [{value}] * (max_len - k)") + loss
    assert codes(result(tmp_path, code, Padding(value=0))) == expected


BOTH = "k = len(ids)\nif m:\n    ids = ids + [0] * (max_len - k)\nelse:\n    ids = [{}] * (max_len - k) + ids\n"


def test_of_two_ways_one_is_as_declared_or_masked(tmp_path: Path) -> None:
    code = function(BOTH.replace("{}", "1"))
    assert codes(result(tmp_path, code, Padding(side="left"))) == []
    assert codes(result(tmp_path, code, Padding(value=1))) == []
    assert codes(result(tmp_path, code, Padding(value=2))) == ["design-value", "design-value"]
    assert codes(result(tmp_path, code + NET.format("ids != 0"))) == []
    network = (
        "class Net(nn.Cell):\n    def construct(self, ids, side):\n        if side:\n            mask = ids != {}\n"
    )
    network += "        else:\n            mask = ids != {}\n        return self.layer(ids, mask)\n"
    same = function(BOTH.replace("{}", "0"))
    assert codes(result(tmp_path, same + network.format(0, 3))) == []
    assert codes(result(tmp_path, same + network.format(2, 3))) == ["network-mask-value", "network-mask-value"]


def test_a_network_that_also_looks_for_words(tmp_path: Path) -> None:
    code, network = function("k = len(ids)\n" + SHORT), NET.format("(ids != 0) * (ids != 101)")
    assert codes(result(tmp_path, code + network)) == []
    assert codes(result(tmp_path, code + NET.format("ids != 101").replace("mask", "cls_mask"))) == []
    assert codes(result(tmp_path, code + NET.format("ids != 101"))) == ["network-mask-value"]


def test_padding_by_the_data_set(tmp_path: Path) -> None:
    made = result(
        tmp_path,
        "import mindspore.dataset.text as text\n"
        "d = ds.GeneratorDataset(g, ['x']).map(ds.transforms.PadEnd([9], 0))\n"
        "d.padded_batch(4, True, pad_info={})\nd.batch(4)\n",
    )
    assert [call.last for call in made.pipelines] == ["padded_batch"]  # without a column that it fills up
    assert [column.form.at.line for column in made.columns if isinstance(column.form.at, Call)] == [6]


def test_scripts_that_neither_fill_nor_feed(tmp_path: Path) -> None:
    assert result(tmp_path, "def f(x):\n    return x\n") == Result()


WRITER = (
    HEAD
    + "from mindspore.mindrecord import FileWriter\n"
    + function("{}ids = ids + [0] * (max_len - len(ids))\nreturn {}")
)


@pytest.mark.parametrize(
    ("reads", "place", "expected"),
    [
        ("ds.MindDataset('a', ['ids', 'len'])", "make.py", ["length-padded"]),
        ("ds.MindDataset('a', columns_list=['ids', 'len'])", "tools/make.py", ["length-padded"]),
        ("ds.TFRecordDataset('a', 'schema.json', ['ids', 'len'])", "make.py", ["length-padded"]),
        ("ds.MindDataset('a', ['image', 'label', 'box'])", "make.py", []),
        ("ds.MindDataset('a', ['ids'])", "infer/make.py", []),
        ("ds.MindDataset('a', ['ids'])", "a/b/c/d/make.py", []),
        ("ds.MindDataset('a', ['ids'])", "make.txt", []),
        ("ds.MindDataset('a', columns)", "make.py", []),
        ("ds.MindDataset('a')", "make.py", []),
    ],
)
def test_code_that_prepared_the_data(reads: str, place: str, expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(WRITER.format("", "{'ids': ids, 'len': len(ids)}"))
    (tmp_path / "other.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("FileWriter('ids', 'len'\n")
    made = result(tmp_path, f"d = {reads}\n")
    assert codes(made) == expected


WITH_MASK = """
from mindspore.mindrecord import FileWriter

def convert(tokens, size):
    ids = tokenizer.convert(tokens)
    mask = [1] * len(ids)
    while len(ids) < size:
        ids.append(0)
        mask.append(0)
    return ids, mask

FileWriter("a").write_raw_data([{"ids": 1, "mask": 2}])
"""


@pytest.mark.parametrize(("network", "hidden"), [("", []), (NET.format("ids != 0"), ["make.py"])])
def test_a_mask_in_records_hides_nothing_where_the_training_masks_nothing(
    network: str, hidden: list[str], tmp_path: Path
) -> None:
    (tmp_path / "make.py").write_text(WITH_MASK)
    made = result(tmp_path, network + "d = ds.MindDataset('a', ['ids', 'mask'])\n")
    assert [pad.source.path for pad in made.pads] == ["make.py"]
    assert [pad.source.path for pad in made.hidden] == hidden


def test_so_many_files_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zz.py").write_text(WRITER.format("", "{'ids': ids, 'len': len(ids)}"))
    reads = "d = ds.MindDataset('a', ['ids', 'len'])\n"
    assert codes(result(tmp_path, reads)) == ["length-padded"]
    monkeypatch.setattr(padding_rules, "FILES", 1)
    assert codes(result(tmp_path, reads)) == []


PICTURES = """
import mindspore.dataset.vision as vision

max_len = 8

class Net(nn.Cell):
    def construct(self, x, {given}):
        return (x * {given}).mean()

net = Net()
rows = {rows}
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, rows)
"""
FOLDER = "ds.ImageFolderDataset('d', decode=True).map([vision.Resize((8, 8)), vision.HWC2CHW()], 'image').batch(2)"
RECORDS = "ds.MindDataset('d', ['ids', 'label']).batch(2)"


@pytest.mark.parametrize(
    ("rows", "given", "masks", "pictures"),
    [
        (FOLDER, "window_mask", True, ["image", "label"]),
        (RECORDS, "input_mask", True, []),
        (RECORDS, "token_weights", True, []),
        (RECORDS, "own", False, []),
    ],
)
def test_masks_are_of_padding_only_where_the_data_may_hold_sequences(
    tmp_path: Path, rows: str, given: str, masks: bool, pictures: list[str]
) -> None:
    made = result(tmp_path, PICTURES.format(rows=rows, given=given), train="")
    assert (bool(made.masks), made.pictures) == (masks, pictures)


@pytest.mark.parametrize(("rows", "masks"), [(RECORDS, False), ("load()", True)])
def test_weights_count_as_a_mask_only_where_no_data_are_seen(tmp_path: Path, rows: str, masks: bool) -> None:
    text = PICTURES.format(rows=rows, given="own").replace("x * own", "x * self.weight")
    assert bool(result(tmp_path, text, train="").masks) is masks


#: What a function that fills up is given for the mask of some ids -> what is said.
HELPED = {
    "fill(mask, max_len)": [],
    "fill(mask, max_len, 1)": ["mask-everywhere"],
    "fill(mask, m, 1)": [],  # of another size
    "fill(mask, size=max_len, value=1)": ["mask-everywhere"],
    "front(mask, max_len)": ["mask-side"],
    "mask[:max_len] + [0] * (max_len - len(mask))": [],
    "mask[:max_len] + [1] * (max_len - len(mask))": ["mask-everywhere"],
}


@pytest.mark.parametrize("name", ["fill", "pad"])
@pytest.mark.parametrize("made", HELPED)
def test_what_functions_fill_up_is_held_together_where_they_are_called(made: str, name: str, tmp_path: Path) -> None:
    helpers = """
def fill(row, size, value=0):
    return row[:size] + [value] * (size - len(row))

def front(row, size):
    return [0] * (size - len(row)) + row[:size]

def f(ids, tags, max_len, m):
    mask = [1] * len(ids)
    ids = fill(ids, max_len)
    mask = MADE
    return ids, mask
"""
    code = helpers.replace("MADE", made).replace("fill(", f"{name}(")
    made_of = result(tmp_path, code)
    assert codes(made_of) == HELPED[made]


CELL = """
class {name}(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(8, 8)

    def construct(self, ids):
        {padded}
        return self.layer(ids)

"""
SPREAD = "ids = ops.cat((ids, ops.zeros((self.length - len(ids),))))"


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("net = {}()", {"Plain": 0, "Padding": 1}),
        ("import gone\nnet = gone.build({}())", {"Plain": 1, "Padding": 1}),
    ],
    ids=["followed", "not followed"],
)
@pytest.mark.parametrize(
    "builders", ["", "\ndef plain():\n    return Plain()\n\ndef padding():\n    return Padding()\n"]
)
@pytest.mark.parametrize("trained", ["Plain", "Padding"])
def test_padding_in_a_cell_that_nobody_makes_is_in_no_run(
    tmp_path: Path, trained: str, builders: str, step: str, expected: dict[str, int]
) -> None:
    code = CELL.format(name="Plain", padded="pass") + CELL.format(name="Padding", padded=SPREAD) + builders
    train = "\ndata = ds.GeneratorDataset([], ['ids'])\n" + step.format(trained)
    train += "\nms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)\n"
    assert len(result(tmp_path, code, train=train).pads) == expected[trained]


def test_a_cell_that_a_training_makes_which_nobody_calls_still_pads(tmp_path: Path) -> None:
    code = CELL.format(name="Padding", padded=SPREAD)
    train = "\ndef fit(data):\n    net = Padding()\n"
    train += "    ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)\n"
    assert len(result(tmp_path, code, train=train).pads) == 1


@pytest.mark.parametrize(("filled", "expected"), [("-1", []), ("0", ["network-mask-value"])])
def test_a_function_that_pads_with_what_it_is_given(filled: str, expected: list[str], tmp_path: Path) -> None:
    code = "def padded(ids, size, fill):\n    out = np.full((size,), fill)\n    out[: len(ids)] = ids\n    return out\n"
    code += function(f"first = padded(ids, m, fill=0)\nsecond = padded(tags, m, fill={filled})")
    assert codes(result(tmp_path, code + NET.format("ids != -1"))) == expected
