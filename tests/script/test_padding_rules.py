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

HEAD = "import numpy as np\nimport mindspore as ms\nimport mindspore.dataset as ds\nfrom mindspore import nn, ops\n"
TRAIN = "\ndata = ds.GeneratorDataset(f, ['ids'])\nms.Model(net).train(1, data)\n"
NET = "class Net(nn.Cell):\n    def construct(self, ids):\n        mask = {}\n        return self.layer(ids, mask)\n"


def result(folder: Path, code: str, design: Padding | None = None) -> Result:
    (folder / "train.py").write_text(HEAD + code + TRAIN)
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


def test_padding_by_the_data_set(tmp_path: Path) -> None:
    made = result(
        tmp_path,
        "import mindspore.dataset.text as text\n"
        "d = ds.GeneratorDataset(g, ['x']).map(ds.transforms.PadEnd([9], 0))\n"
        "d.padded_batch(4, True, pad_info={})\nd.batch(4)\n",
    )
    assert [call.last for call in made.pipelines] == ["PadEnd", "padded_batch"]


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


def test_so_many_files_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zz.py").write_text(WRITER.format("", "{'ids': ids, 'len': len(ids)}"))
    reads = "d = ds.MindDataset('a', ['ids', 'len'])\n"
    assert codes(result(tmp_path, reads)) == ["length-padded"]
    monkeypatch.setattr(padding_rules, "FILES", 1)
    assert codes(result(tmp_path, reads)) == []
