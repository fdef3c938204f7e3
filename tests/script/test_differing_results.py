"""Results that are used as if they were PyTorch's."""

from pathlib import Path

import pytest

from accucheck.script.analysis import Reading
from accucheck.script.differing_results import wrong
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption

HEAD = """
import mindspore as ms
from mindspore import nn, ops, mint, Tensor

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 8)

    def construct(self, x):
        return self.fc(x)

net = Net()
out = net(x)
"""


def found(folder: Path, text: str) -> list[str]:
    (folder / "train.py").write_text(HEAD + text + "\n")
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return [one.code for one in wrong(Reading("train", "train", source, trace, project))]


#: What becomes of an extreme -> what is wrong with it.
EXTREMES = {
    "print(ops.max(out)[1])": ["extreme-without-place"],
    "print(ops.min(out, None)[1])": ["extreme-without-place"],
    "best, at = ops.max(input=out)\nprint(best, at)": ["extreme-without-place"],
    "best, _ = ops.max(out)\nprint(best)": [],
    "print(ops.max(out, 1)[1])": [],
    "print(ops.max(out, axis=-1)[1])": [],
    "print(ops.argmax(out, 1))": [],
    "print(mint.max(out))": [],
    "print(names[int(ops.max(out)[0].asnumpy())])": ["extreme-for-place"],
    "print(names[int(ops.max(out.reshape(-1))[0])])": ["extreme-for-place"],
    "print(ops.max(out)[0].astype(ms.int32) == label)": ["extreme-for-place"],
    "print(Tensor([[int(ops.max(out)[0]) % 3]], ms.int32))": ["extreme-for-place"],
    "print(int(ops.max(out)[0]))": ["extreme-as-whole"],
    "print(float(ops.max(out)[0].asnumpy()))": [],
    "print(int(out.max().asnumpy()))": ["extreme-as-whole"],
    "print(names[int(mint.amax(out).item())])": ["extreme-for-place"],
    "print(names[int(out.max(1)[0])])": [],
    "print(names[int(out.argmax(1)[0])])": [],
    "print(float(out.max()))": [],
    "print(int(lengths.max()))": [],
    "print(names[int(ops.max(lengths)[0])])": [],  # the longest of some lengths
}


@pytest.mark.parametrize("text", EXTREMES)
def test_the_largest_value_for_its_place(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) == EXTREMES[text]


#: What is compared with labels -> what is said of its axis.
GUESSES = {
    "out.argmax(0) == label": ["argmax-elsewhere-perhaps"],
    "mint.eq(mint.argmax(out, dim=0), label)": ["argmax-elsewhere-perhaps"],
    "ops.Argmax(axis=0)(out / 2).astype(ms.int32) == label": ["argmax-elsewhere-perhaps"],
    "ops.argmax(ops.softmax(out), 1) == label": [],
    "ops.argmax(out, dim=-1) == label": [],
    "ops.argmax(out[0], 0) == label": [],
    "ops.argmax(out, 0) == ops.argmax(other, 0)": [],
    "nn.Conv2d(3, 5, 3)(x).argmax(1) == label": [],
    "nn.Dense(8, 5)(nn.Flatten()(x)).argmax(0) == label": ["argmax-elsewhere"],
    "nn.Dense(8, 5)(nn.Flatten()(x)).argmax(1) == label": [],
    "nn.Dense(8, 5)(nn.Flatten(2)(x)).argmax(2) == label": [],
    "nn.Conv2d(3, 5, 3)(x).argmax(-1) == label": ["argmax-elsewhere"],
    "nn.Dense(8, 5)(nn.LSTM(3, 8, batch_first=True)(x)[0]).argmax(1) == label": ["argmax-elsewhere"],
    "nn.Dense(8, 5)(nn.GRU(3, 8)(x)[0]).asnumpy().argmax(0) == label": ["argmax-elsewhere"],
    "nn.Dense(8, 5)(nn.LSTM(3, 8, batch_first=True)(x)[0]).argmax(2) == label": [],
    "nn.Dense(8, 5)(nn.LSTMCell(3, 8)(x)[0]).argmax(1) == label": [],
    "nn.Conv2d(3, 5, 3)(x).transpose(0, 2, 3, 1).argmax(-1) == label": [],
    "nn.Conv2d(3, 2, 3)(x).argmax(-1) == label": [],  # two numbers for each place are no classes for sure
    "nn.Dense(8, 5)(nn.Conv2d(3, 8, 3)(x).mean((2, 3))).argmax(0) == label": ["argmax-elsewhere"],
}


@pytest.mark.parametrize("text", GUESSES)
def test_the_place_of_the_largest_along_another_axis_than_the_classes(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, f"right = {text}") == GUESSES[text]


#: What is made and how its output is used -> whether samples are taken for moments.
READERS = {
    ("nn.LSTM(8, 8)", "states[:, -1]"): True,
    ("nn.GRU(8, 8, batch_first=False)", "states[:, -1, :]"): True,
    ("nn.RNN(8, 8, 2)", "ops.relu(states[:, -1])"): True,
    ("nn.LSTM(8, 8, batch_first=True)", "states[:, -1]"): False,
    ("nn.LSTM(8, 8, 1, True, True)", "states[:, -1]"): False,
    ("nn.LSTM(8, 8, batch_first=chosen)", "states[:, -1]"): False,
    ("nn.LSTM(8, 8)", "states[-1]"): False,
    ("nn.LSTM(8, 8)", "states[:, 0]"): False,
    ("nn.LSTM(8, 8)", "states.swapaxes(0, 1)[:, -1]"): False,
    ("nn.LSTM(8, 8)", "state[0][:, -1]"): False,
}


@pytest.mark.parametrize(("made", "used"), READERS)
def test_the_last_sample_for_the_last_step(tmp_path: Path, made: str, used: str) -> None:
    text = f"reader = {made}\nstates, state = reader(x)\nprint({used})"
    assert found(tmp_path, text) == ["last-sample"] * READERS[made, used]
