"""Rates by name, size and comment; what is left to a default that differs from PyTorch's; calls told by a file alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from accucheck.model import Verdict
from accucheck.probes import api_differences
from accucheck.script import imported_calls
from accucheck.script.analysis import Reading
from accucheck.script.differences import Differences, meaning, numbers
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption
from accucheck.script.values import KnownValue, Many, UnknownValue, Value
from findings import found_by

HEAD = "import mindspore as ms\nfrom mindspore import nn, ops, mint\nfrom mindspore.common import initializer\n"


def examined(folder: Path, text: str, version: str = "2.10.0") -> Differences:
    (folder / "train.py").write_text(HEAD + text)
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return Differences([Reading("train", "train", source, trace, project)], version)


def codes(folder: Path, text: str) -> list[str]:
    return [wrong.code for wrong in examined(folder, text).wrong()]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("keep_prob", "keep"),
        ("config.dropout_keep_prob", "keep"),
        ("cfg['keep_rate']", "keep"),
        ("hidden_dropout_prob", "drop"),
        ("self.drop", "drop"),
        ("float(args.dropout)", "drop"),
        ("1 - keep_prob", "drop"),
        ("1.0 - self.drop_rate", "keep"),
        ("1 - (1 - keep)", "keep"),
        ("p", None),
        ("0.1", None),
        ("2 - keep", None),
        ("rates[0]", None),
    ],
)
def test_what_names_say_about_a_rate(expression: str, expected: str | None) -> None:
    assert meaning(ast.parse(expression, mode="eval").body, UnknownValue()) == expected


def test_a_name_that_came_with_the_value_counts() -> None:
    node = ast.parse("rate", mode="eval").body
    assert meaning(node, KnownValue(0.9, None, "keep_prob")) == "keep"
    assert meaning(node, UnknownValue("dropout")) == "drop"


def test_the_numbers_a_rate_may_be() -> None:
    assert numbers(KnownValue(0.1)) == {0.1}
    assert numbers(Many((KnownValue(0.1), KnownValue(1)))) == {0.1, 1}
    for unknown in (UnknownValue(), None, KnownValue(True), KnownValue("0.1"), Many((KnownValue(0.1), UnknownValue()))):
        value: Value | None = unknown
        assert numbers(value) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nn.Dropout(0.1)", ["keeps-little"]),
        ("nn.Dropout(0.4)", ["keeps-little"]),
        ("nn.Dropout(0.5)", []),
        ("nn.Dropout(0.6)", []),
        ("nn.Dropout(1.0)", []),
        ("nn.Dropout(keep_prob=0.1)", ["keeps-little"]),
        ("nn.Dropout(keep_prob=0.4)", ["rate-unclear"]),
        ("nn.Dropout(p=0.4)", []),
        ("nn.Dropout(p=0.0)", []),
        ("nn.Dropout(p=0.85)", ["rate-unclear"]),
        ("nn.Dropout(p=0.9)", ["drops-a-keep-rate"]),
        ("ops.dropout(x, p=0.95)", ["drops-a-keep-rate"]),
        ("rate = 0.9\nnn.Dropout3d(p=rate)", ["drops-a-keep-rate"]),
        ("nn.Dropout(p=0.7)", []),
        ("nn.Dropout(keep_prob=0.9)", []),
        ("nn.Dropout(p=1 - 0.9)", []),
        ("nn.Dropout(p=None)", []),
        ("nn.Dropout()", []),
        ("nn.Dropout(*rates)", []),
        ("nn.Dropout(0.9)  # dropout 0.9", ["keeps-a-drop-rate"]),
        ("nn.Dropout(0.7)  # 舍弃率为0.7", ["keeps-a-drop-rate"]),
        ("nn.Dropout(p=0.9)  # keep 90 %", ["drops-a-keep-rate"]),
        ("nn.Dropout(0.9)  # see chapter 3.1", []),
        ("nn.Dropout(dropout)", ["keeps-a-drop-rate"]),
        ("dropout = 0.9 if deep else 0.0\nnn.Dropout(dropout)", []),
        ("dropout = 0.1 if deep else 0.0\nnn.Dropout(dropout)", ["keeps-a-drop-rate"]),
        ("nn.Dropout(keep_prob=1 - dropout)", []),
        ("nn.Dropout(p=keep_prob)", ["rate-unclear"]),  # its name alone: it may hold what is dropped
        ("keep_prob = 0.9\nnn.Dropout(p=keep_prob)", ["drops-a-keep-rate"]),
        ("keep_prob = 0.1\nnn.Dropout(p=keep_prob)", []),
        ("nn.Dropout2d(0.1)", []),
        ("nn.Dropout2d(keep_prob)", ["rate-unclear"]),
        # What is not followed, beside what the script gives that name elsewhere.
        ("nn.Dropout(load().dropout)", ["keeps-a-drop-rate"]),
        ("def small(dropout=0.1):\n    return dropout\nnn.Dropout(load().dropout)", ["keeps-a-drop-rate"]),
        ("def large(dropout=0.9):\n    return dropout\nnn.Dropout(load().dropout)", ["rate-unclear"]),
        ("def half(dropout=0.5):\n    return dropout\nnn.Dropout(load().dropout)", ["rate-unclear"]),
        ("given = {'dropout': 0.9}\nnn.Dropout(load().dropout)", ["rate-unclear"]),
        ("keep_prob = 0.9\nops.dropout(x, keep_prob)", ["drops-a-keep-rate"]),
        ("ops.dropout(x, dropout)", []),
        ("ops.Dropout(0.1)", ["keeps-little"]),
        ("mint.nn.Dropout(0.1)", []),
        ("nn.BatchNorm2d(8, momentum=0.1)", ["momentum-reversed"]),
        ("nn.BatchNorm2d(8, 1e-5, 0.1)", ["momentum-reversed"]),
        ("nn.BatchNorm2d(8, momentum=1 - 0.9)", ["momentum-reversed"]),
        ("nn.BatchNorm2d(8, momentum=0.9)", []),
        ("nn.BatchNorm2d(8, 0.9)", ["momentum-as-epsilon"]),
        ("nn.BatchNorm2d(8, eps=0.1)", ["large-epsilon"]),
        ("nn.BatchNorm2d(8, momentum=0.1, use_batch_statistics=True)", []),
        ("mint.nn.BatchNorm2d(8, momentum=0.1)", []),
        ("nn.Dense(8, 8, True)", ["bias-in-third-place"]),
        ("nn.Dense(8, 8, 'normal')", []),
        ("rate = 1 - keep_prob\nnn.Dropout(p=rate)", []),
        ("rate = 1 - keep_prob\nnn.Dropout(keep_prob=rate)", ["keeps-a-drop-rate"]),
        ("rate = 1 - dropout\nnn.Dropout(p=rate)", ["rate-unclear"]),
        ("class Own:\n    pass\nown = Own()\nown.drop = 1 - drop_rate\nnn.Dropout(keep_prob=own.drop)", []),
        (
            "class Own:\n    pass\nown = Own()\nown.keep = 1 - keep_prob\nnn.Dropout(keep_prob=own.keep)",
            ["keeps-a-drop-rate"],
        ),
        ("drop = 0.35\nnn.Dropout(p=1 - drop)", ["rate-unclear"]),  # may have been a rate to keep
        ("drop = 0.3\nnn.Dropout(p=1 - drop)", ["drops-a-keep-rate"]),
        ("other = 0.2\nnn.Dropout(p=1 - other)", ["drops-a-keep-rate"]),
        (
            "import numpy as np\nfor rate in np.linspace(0, 0.2, 4):\n    nn.Dropout(p=1 - float(rate))",
            ["drops-a-keep-rate"],
        ),
        ("rates = [r.item() for r in ops.linspace(0.05, 0.25, 4)]\nnn.Dropout(p=1 - rates[2])", ["drops-a-keep-rate"]),
        ("import numpy as np\nfor drop in np.linspace(0, 0.6, 4):\n    nn.Dropout(p=1 - drop)", ["rate-unclear"]),
        ("import numpy as np\nfor drop in np.linspace(0, 0.2, 4):\n    nn.Dropout(p=float(drop))", []),
        ("import numpy as np\nkeeps = np.linspace(0.8, 1, 4)\nnn.Dropout(p=1 - keeps[1])", []),
        ("other = 0.5\nnn.Dropout(p=1 - other)", []),
        ("other = 0.8\nnn.Dropout(p=1 - other)", []),
        ("keep = 0.2\nnn.Dropout(p=1 - keep)", []),
        ("other = 0.2 if flag else 0.8\nnn.Dropout(p=1 - other)", []),
        ("nn.Dropout(p=1 - other)", []),
        ("rate = 1 - other\nnn.Dropout(p=rate)", []),
        ("rate = 2 - dropout\nnn.Dropout(p=rate)", []),
        ("keep = 0.9 if flag else 0.8\nnn.Dropout(keep_prob=1 - keep)", ["keeps-a-drop-rate"]),
        ("drop = 0.9 if flag else 0.8\nnn.Dropout(p=1 - drop)", []),
        ("initializer.Normal(0.02)", ["initializer-dropped"]),
        ("ms.common.initializer.initializer('normal', (2, 2))", ["initializer-dropped"]),
        ("w = initializer.Normal(0.02)", []),
    ],
)
def test_uses_the_wrong_way_round(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert codes(tmp_path, text + "\n") == expected


@pytest.mark.parametrize(
    ("construct", "expected"),
    [("return self.drop(x)", ["keeps-little"]), ("return x", []), ("return self.rest(x)", ["keeps-little"])],
)
def test_the_rate_of_a_dropout_that_nothing_asks_for(construct: str, expected: list[str], tmp_path: Path) -> None:
    text = "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.drop = nn.Dropout(0.1)\n"
    rest = "    def rest(self, x):\n        return self.drop(x)\n" if "rest" in construct else ""
    assert (
        codes(tmp_path, f"{text}{rest}    def construct(self, x):\n        {construct}\nnet = Net()\nnet(x)\n")
        == expected
    )


def rows(made: Differences) -> dict[tuple[str, str | None], bool]:
    return {(row.name, row.difference.parameter): row.counts for row in made.rows()}


def test_what_is_left_to_a_default(tmp_path: Path) -> None:
    found = rows(examined(tmp_path, "net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.LeakyReLU(), nn.GELU())\nnet(x)\n"))
    assert found == {
        ("nn.Conv2d", "has_bias"): True,
        ("nn.Conv2d", "pad_mode"): True,
        ("nn.LeakyReLU", "alpha"): True,
        ("nn.GELU", "approximate"): False,
    }


@pytest.mark.parametrize(
    ("layer", "setting", "counts"),
    [
        ("nn.MaxPool2d(2)", "stride", True),
        ("nn.MaxPool2d(1)", "stride", False),
        ("nn.AvgPool2d((1, 1))", "stride", False),
        ("nn.MaxPool2d(size)", "stride", True),
        ("nn.Conv2d(3, 8, 1)", "pad_mode", False),
        ("nn.Conv2d(3, 8, (1, 1))", "pad_mode", False),
        ("nn.Conv2d(3, 8, (1, 3))", "pad_mode", True),
    ],
)
def test_a_kernel_of_one_pads_and_skips_nothing(tmp_path: Path, layer: str, setting: str, counts: bool) -> None:
    found = rows(examined(tmp_path, layer + "\n"))
    assert {counted for (_, name), counted in found.items() if name == setting} == {counts}


@pytest.mark.parametrize(
    ("line", "edit"),
    [
        ("nn.Dropout(dropout)", "nn.Dropout(p=dropout)"),
        ("nn.Dropout(keep_prob=dropout)", "nn.Dropout(p=dropout)"),
        ("nn.Dropout(keep_prob = dropout)", "nn.Dropout(p=dropout)"),
        ("nn.Dropout(keep_prob=(dropout))", None),
        ("keep = 0.9; nn.Dropout(p=keep)", "keep = 0.9; nn.Dropout(p=1 - keep)"),
        ("nn.Dropout(p=0.9)", "nn.Dropout(p=0.1)"),  # only if a share to keep was meant: the finding is a suspect
        ("nn.Dropout(p=0.5)", None),
        ("nn.Dropout(p=keep_prob * keep)", None),
        ("nn.Dropout2d(keep_prob)", None),
    ],
)
def test_the_edit_that_turns_a_rate_round(tmp_path: Path, line: str, edit: str | None) -> None:
    edits = [wrong.edit for wrong in examined(tmp_path, line + "\n").wrong() if wrong.edit is not None]
    assert [line[:first] + new + line[last:] for _, first, last, new in edits] == ([] if edit is None else [edit])


@pytest.mark.parametrize(
    ("call", "codes_"),
    [
        ("Net(width)", ["misplaced-perhaps"]),
        ("Net(cfg.dropout)", ["misplaced"]),
        ("Net(width, depth)", []),
        ("Net(depth, width)", []),
        ("Net(depth=depth, width=width)", []),
        ("Net(width, **more)", []),
        ("Net(*sizes)", []),
    ],
)
def test_an_argument_in_the_place_of_another(tmp_path: Path, call: str, codes_: list[str]) -> None:
    text = "class Net(nn.Cell):\n    def __init__(self, depth=3, width=8, dropout=0.1):\n        super().__init__()\n"
    assert codes(tmp_path, text + call + "\n") == codes_


def test_a_bias_before_a_normalization_changes_nothing(tmp_path: Path) -> None:
    text = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, pad_mode="same")
        self.bn = nn.BatchNorm2d(8)

    def construct(self, x):
        x = self.conv(x)
        print(x.shape)
        return self.bn(x){after}

Net()(x)
"""
    assert not any(rows(examined(tmp_path, text.replace("{after}", ""))).values())
    assert any(rows(examined(tmp_path, text.replace("{after}", " + self.conv(x)"))).values())


def test_versions_differ(tmp_path: Path) -> None:
    assert not any(rows(examined(tmp_path, "nn.Dense(8, 8)\n")).values())
    assert any(rows(examined(tmp_path, "nn.Dense(8, 8)\n", "1.8.1")).values())
    assert any(rows(examined(tmp_path, "nn.Dense(8, 8)\n", "2.0.0rc1")).values())


def test_one_place_counts_once_however_often_it_runs(tmp_path: Path) -> None:
    (row,) = examined(tmp_path, "def f():\n    return nn.Embedding(8, 8)\n\nf()\nf()\n").rows()
    assert len(row.places) == 1


def test_calls_that_a_file_tells_by_itself(tmp_path: Path) -> None:
    text = """
import mindspore.nn as layers
from mindspore.nn import BatchNorm2d as Norm
from other import Dropout

def build(n, momentum):
    return [layers.Conv2d(3, n, 3), Norm(n, -1, momentum=momentum), Dropout(0.1), unknown.Dense(1)]
"""
    (tmp_path / "nets.py").write_text(text)
    found = {call.api: call for call in imported_calls.calls(read(tmp_path / "nets.py", "nets.py"))}
    assert list(found) == ["nn.Conv2d", "nn.BatchNorm2d"]
    norm = found["nn.BatchNorm2d"]
    assert isinstance(norm.args[1], KnownValue) and norm.args[1].value == -1
    assert isinstance(norm.keywords["momentum"], UnknownValue) and norm.keywords["momentum"].name == "momentum"


def test_layers_of_a_file_that_is_not_followed_count(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(HEAD + "def build():\n    return nn.Conv2d(3, 8, 3)\n")
    found = rows(examined(tmp_path, "import nets\nrun(getattr(nets, load())())\n"))
    assert found == {("nn.Conv2d", "has_bias"): True, ("nn.Conv2d", "pad_mode"): True}


def test_differences_on_one_line_are_told_one_by_one(tmp_path: Path) -> None:
    for here, there, expected in (
        ("nn.Dropout(p=0.5), nn.Dropout(p=0.4)", "nn.Dropout(0.1), nn.Dropout(0.2)", [("p", "0.5"), ("p", "0.4")]),
        (
            "nn.BatchNorm2d(8, eps=1e-3, momentum=0.5)",
            "nn.BatchNorm2d(8, eps=1e-5, momentum=0.1)",
            [("eps", "0.001"), ("momentum", "0.5")],
        ),
    ):
        example = api_differences._beside("", here, there, Verdict.OK)
        found = found_by(api_differences, example.lay_out(tmp_path), api_differences.Params())
        told = [(f.data["setting"], f.data["here"]) for f in found if f.code.startswith("unlike-benchmark")]
        assert told == expected


def test_momentum_counts_where_something_is_trained(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    training = examined(
        tmp_path / "one",
        "net = nn.SequentialCell(nn.Dense(8, 8), nn.BatchNorm1d(8, momentum=1.0))\n"
        "ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)\n",
    )
    judging = examined(
        tmp_path / "two",
        "\n\nnet = nn.SequentialCell(nn.Dense(8, 8), nn.BatchNorm1d(8, momentum=1.0))\nprint(net(x))\n",
    )
    both = Differences([*training.readings, *judging.readings], "2.10.0")
    assert [(one.code, one.place.line) for one in both.wrong()] == [("momentum-one", 4)]
    assert [one.code for one in judging.wrong()] == ["momentum-one"]  # which is trained is not known then
