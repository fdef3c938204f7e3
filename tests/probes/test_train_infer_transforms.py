"""Masks of sound are drawn for each sample only where they are asked to be."""

from pathlib import Path

import pytest

from accucheck import probe
from accucheck.model import Finding, Verdict

SCRIPT = """import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.audio as audio
from mindspore import nn

net = nn.Dense(8, 2)
data = ds.YesNoDataset("sounds").map([audio.Spectrogram(), audio.FrequencyMasking({mask}, 10)], "waveform").batch(4)
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
"""


@pytest.mark.parametrize("mask", [True, False])
def test_a_mask_drawn_for_each_sample_is_random_in_evaluation(tmp_path: Path, mask: bool) -> None:
    example = probe.Example(
        "a mask",
        files={
            "train.py": SCRIPT.format(mask=True) + "model.train(1, data)\n",
            "eval.py": SCRIPT.format(mask=mask) + "model.eval(data)\n",
        },
        case={"scripts": {"train": "train.py", "eval": "eval.py"}},
        verdict=Verdict.UNDECIDED,
    )
    module = probe.load("train_infer_transforms")
    events = module.run(example.lay_out(tmp_path), probe.params(module, {}))
    places = [
        (f.where.path, f.where.line) for f in events if isinstance(f, Finding) and f.code == "random-in-evaluation"
    ]
    assert places == ([("eval.py", 7)] if mask else [])


NUMBERED = """import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

def create(path):
    return ds.TFRecordDataset(path, columns_list=["0", "1"], shuffle=True).map(lambda x: x / 255, "0").batch(4)

net = nn.Dense(8, 2)
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
model.train(1, create("train.tfrecord"))
model.eval(create("test.tfrecord"))
"""


@pytest.mark.parametrize(("name", "code"), [("train_infer_transforms", "agree"), ("input_normalization", "normalised")])
def test_columns_that_are_only_numbered_are_told_apart(tmp_path: Path, name: str, code: str) -> None:
    scripts = {"scripts": {"train": "train.py"}}
    example = probe.Example("numbered", files={"train.py": NUMBERED}, case=scripts, verdict=Verdict.OK)
    module = probe.load(name)
    events = list(module.run(example.lay_out(tmp_path), probe.params(module, {})))
    told = [event.data["input"] for event in events if isinstance(event, Finding) and event.code == code]
    assert {"en": "column 0", "zh": "第 0 列"} in told
