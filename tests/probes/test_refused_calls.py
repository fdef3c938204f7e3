"""Calls that MindSpore refuses: what the probe says of them, and what the installed MindSpore does with them."""

from pathlib import Path

import pytest

from accucheck import case as cases
from accucheck.model import Finding, Level, Sure
from accucheck.probes import refused_calls

HEAD = """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.amp import auto_mixed_precision as amp

net = nn.SequentialCell(nn.Dense(8, 8), nn.ReLU(), nn.Dense(8, 2))
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
data = ds.NumpySlicesDataset({"x": np.ones((8, 8), np.float32), "y": np.zeros(8, np.int32)}).batch(4)
x = ms.ops.ones((2, 3))
"""
REFUSED = {
    "amp(net, level='O2')": "keyword",
    "model.train(1, data, sink_mode=False)": "keyword",
    "nn.BatchNorm2d(8, track_running_stats=True)": "keyword",
    "nn.Dropout(p=0.5, inplace=True)": "keyword",
    "ops.clip_by_global_norm([x], max_norm=1.0)": "keyword",
    "ds.Cifar10Dataset('.', train=True)": "keyword",
    "ds.vision.Normalize([0.5], [0.5], channels_first=True)": "keyword",
    "nn.SGD(net.trainable_params(), lr=0.1)": "keyword",
    "nn.Adam(net.trainable_params(), lr=0.1)": "keyword",
    "nn.Adam(net.trainable_params(), 0.1, betas=(0.9, 0.999))": "keyword",
    "nn.ReLU(True, True)": "positional",
    "nn.Dense(8, 2, in_channels=8)": "twice",
    "nn.BatchNorm2D(8)": "gone",
}
TAKEN = [
    "made = [each() if isinstance(each, type) else each for each in (nn.Tanh, nn.ReLU())]\nmade[0](x)",
    "def layer(kind):\n    return kind() if isinstance(kind, type) else kind\n\nlayer(nn.Tanh)(x)",
    "ops.HyperMap()(ops.partial(ops.add), (x, x), (x, x))",
    "amp(net, amp_level='O2')",
    "nn.Dense(8, 2, has_bias=True)",
    "nn.Adam(net.trainable_params(), learning_rate=0.1, use_lazy=True)",
    "nn.Adam(net.trainable_params(), 0.1, use_offload=False)",
    "nn.Dropout(p=0.5)",
    "model.train(1, data, dataset_sink_mode=False)",
    "ms.ParameterTuple(net.trainable_params())",
    "nn.LSTM(8, 8, num_layers=2, batch_first=True)",
    "ops.softmax(x, axis=-1)",
    "nn.SequentialCell(nn.ReLU(), nn.ReLU(), nn.ReLU())",
    "ops.ReduceSum(keep_dims=True)(x, 1)",
    "ms.Tensor(np.ones(3), dtype=ms.float32)",
    "ms.set_context(mode=ms.PYNATIVE_MODE)",
    "ds.GeneratorDataset(lambda: iter([(1,)]), ['x'], shuffle=False)",
    "nn.cosine_decay_lr(0.0, 0.1, 10, 2, 5)",
    "ops.composite.GradOperation(get_by_list=True)",
    "ms.common.initializer.initializer('ones', [2, 2], ms.float32)",
]


def examine(tmp_path: Path, script: str, version: str | None = "2.10.0") -> list[Finding]:
    (tmp_path / "train.py").write_text(script, encoding="utf-8")
    settings = ["scripts.train=train.py", *([f"runtime.mindspore='{version}'"] if version else [])]
    case = cases.load(tmp_path, settings)
    return [one for one in refused_calls.run(case, refused_calls.Params()) if isinstance(one, Finding)]


@pytest.mark.mindspore
@pytest.mark.parametrize("call", REFUSED)
def test_what_is_refused_is_refused_by_mindspore_too(tmp_path, call):
    script = f"{HEAD}{call}\n"
    found = [one for one in examine(tmp_path, script) if one.level is not Level.INFO]
    assert [(one.code, one.level, one.sure) for one in found] == [(REFUSED[call], Level.PROBLEM, Sure.CERTAIN)]
    assert found[0].where.line == script.count("\n")
    with pytest.raises((TypeError, AttributeError, KeyError)):
        exec(script, {})


@pytest.mark.mindspore
@pytest.mark.parametrize("call", TAKEN)
def test_what_mindspore_takes_is_no_finding(tmp_path, call):
    script = f"{HEAD}{call}\n"
    exec(script, {})
    assert [one.code for one in examine(tmp_path, script) if one.level is not Level.INFO] == []


def test_where_the_case_names_no_version_what_an_older_one_takes_is_only_told(tmp_path):
    script = f"{HEAD}nn.SoftmaxCrossEntropyWithLogits(is_grad=False, sparse=True)\n"
    (told,) = [one for one in examine(tmp_path, script, None) if one.code != "fit"]
    assert (told.code, told.level, told.data["until"]) == ("older", Level.INFO, "0.7")
    (wrong,) = [one for one in examine(tmp_path, script) if one.code != "fit"]
    assert (wrong.code, wrong.level, wrong.sure) == ("keyword", Level.PROBLEM, Sure.CERTAIN)
    assert [one.code for one in examine(tmp_path, script, "0.7.0")] == ["fit"]


@pytest.mark.parametrize(
    ("call", "refused"),
    [
        ("ops.interpolate(x, scales=(1.0, 1.0, 2.0, 2.0), mode='bilinear')", False),
        ("ops.argmax(x, axis=1)", False),
        ("ops.avg_pool2d(x, kernel_size=3, strides=1, pad_mode='same')", False),
        ("ops.concat((x, x), dim=1)", True),  # which no version takes
        ("ops.interpolate(x, ratio=2, mode='bilinear')", True),
    ],
)
def test_functions_that_took_something_else_before(tmp_path, call, refused):
    script = f"{HEAD}x = net(data)\n{call}\n"
    (told,) = [one for one in examine(tmp_path, script, None) if one.code != "fit"]
    assert (told.code, told.level) == (("keyword", Level.PROBLEM) if refused else ("older", Level.INFO))
    assert refused or told.data["until"] == "1.10"
    (wrong,) = [one for one in examine(tmp_path, script) if one.code != "fit"]
    assert (wrong.code, wrong.sure) == ("keyword", Sure.CERTAIN)
    assert [one.code for one in examine(tmp_path, script, "1.10.0") if one.level is Level.PROBLEM] == []


def test_only_what_is_certainly_refused_is_a_problem(tmp_path):
    def said(script: str, version: str | None = "2.10.0") -> list[tuple[str, Level, Sure | None]]:
        found = examine(tmp_path, HEAD + script, version)
        return [(one.code, one.level, one.sure) for one in found if one.code != "fit"]

    bad = "amp(net, level='O2')"
    assert said(f"try:\n    {bad}\nexcept TypeError:\n    amp(net, 'O2')\n") == [
        ("keyword", Level.SUSPECT, Sure.POSSIBLE)
    ]
    assert said(f"import os\nif os.environ['OLD']:\n    {bad}\n") == [("keyword", Level.SUSPECT, Sure.POSSIBLE)]
    assert said(bad, None) == [("keyword", Level.PROBLEM, Sure.LIKELY)]
    assert said("nn.BatchNorm2D(8)", None) == [("gone", Level.SUSPECT, Sure.LIKELY)]
    more = "kind = {'beta1': 0.9} if input() else {}\nnn.SGD(net.trainable_params(), 0.1, **kind)"
    assert said(more) == [], "what is unpacked is not written in the call"
    assert said("from functools import partial\nmake = partial(nn.Dense, has_bias=False)\nmake(8, 2)") == []
    assert (
        said(
            "class Dense(nn.Dense):\n    def __init__(self, bias):\n        super().__init__(8, 2, has_bias=bias)\nDense(bias=True)"
        )
        == []
    )
    for asked in (
        "hasattr(nn, 'BatchNorm2D')",
        "'BatchNorm2D' in dir(nn)",
        "getattr(nn, 'BatchNorm2D', None) is not None",
    ):
        assert said(f"if {asked}:\n    nn.BatchNorm2D(8)\nelse:\n    nn.BatchNorm2d(8)\n") == [], "asked for before"
        assert said(f"norm = nn.BatchNorm2D(8) if {asked} else nn.BatchNorm2d(8)\n") == []
    assert said("if hasattr(nn, 'Dense'):\n    nn.BatchNorm2D(8)\n") != []
    assert said("nn.BatchNorm2D(8)\nnn.BatchNorm2D(9)") == [("gone", Level.PROBLEM, Sure.CERTAIN)], "once for a name"


def test_of_another_version_only_what_is_written_down_is_judged(tmp_path):
    assert [one.code for one in examine(tmp_path, f"{HEAD}amp(net, level='O2')\n", "2.4.0")] == ["keyword", "fit"]
    assert "gone" not in {one.code for one in examine(tmp_path, f"{HEAD}nn.BatchNorm2D(8)\n", "2.4.0")}


def test_what_takes_no_parameter_is_said_to_take_none(tmp_path: Path) -> None:
    (found,) = [
        one for one in examine(tmp_path, HEAD + "ops.Zeros((2, 3), dtype=ms.float32)\n") if one.code == "keyword"
    ]
    assert found.data["accepted"] == {"en": "none", "zh": "无"}
