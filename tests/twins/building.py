"""Twins: one network in MindSpore and in PyTorch with the same weights, each trained by a script of its own on the same batches.

`build` writes a project as a user has it who compares with a benchmark: both scripts, accucheck.yaml, and what the scripts collect
(losses, first batches, outputs and gradients of the layers in the first step, weights before and after it, results of inference).
A fault is an edit of a script, or of the weights on their way.
"""

import os
import runpy
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from pairs import pairs

HERE = Path(__file__).parent
#: Samples for training, 8 steps of 32, and held out.
TRAIN, EVAL = 256, 128
#: What a network is fed with.
DATA = {
    "mlp": "flat",
    "lnmlp": "flat",
    "cnn": "images",
    "resnet": "images",
    "lstm": "rows",
    "gru": "rows",
    "transformer": "tokens",
    "embedding": "tokens",
    "textcnn": "tokens",
    "decoder": "themselves",
}
#: The optimizer here and in the benchmark, and a learning rate for it.
OPTIMIZERS = {
    "sgd": (
        "nn.SGD(net.trainable_params(), learning_rate=LEARNING_RATE)",
        "torch.optim.SGD(net.parameters(), lr=LEARNING_RATE)",
        0.05,
    ),
    "momentum": (
        "nn.Momentum(net.trainable_params(), learning_rate=LEARNING_RATE, momentum=0.9)",
        "torch.optim.SGD(net.parameters(), lr=LEARNING_RATE, momentum=0.9)",
        0.02,
    ),
    "decayed": (
        'nn.SGD([{"params": net.trainable_params(), "weight_decay": 0.01}], learning_rate=LEARNING_RATE, momentum=0.9)',
        "torch.optim.SGD(net.parameters(), lr=LEARNING_RATE, momentum=0.9, weight_decay=0.01)",
        0.02,
    ),
    "adam": (
        "nn.Adam(net.trainable_params(), learning_rate=LEARNING_RATE)",
        "torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)",
        0.002,
    ),
    "adamw": (
        "optim.AdamW(net.trainable_params(), lr=LEARNING_RATE, weight_decay=0.05)",
        "torch.optim.AdamW(net.parameters(), lr=LEARNING_RATE, weight_decay=0.05)",
        0.002,
    ),
}
_OPTIMIZER, _REFERENCE_OPTIMIZER, _RATE = OPTIMIZERS["sgd"]
LOSS, MEAN_SQUARES = "loss_fn = nn.CrossEntropyLoss()", "loss_fn = nn.MSELoss()"


@dataclass(frozen=True)
class Edit:
    """A change of a script: `old` stands in it exactly once, unless `every`. Paths as in the project: train.py, ref/network.py."""

    path: str
    old: str
    new: str
    every: bool = False


@dataclass(frozen=True)
class Twin:
    """One experiment.

    `edits` make the fault, `weights` is one of those on their way here ("transpose NAME", "swap NAME NAME", "draw NAME"). `rerun`:
    both scripts ran twice, PyTorch with another number of threads. What is to be found, of a twin with a fault: `item` is where the
    path of the comparison checklist first says what is wrong; `curve` is how the losses part ("forward", "backward", "fork",
    "evaluation", "agrees"); `place` is the layer, parameter, setting or step that must be named.
    """

    name: str
    network: str
    optimizer: str = "sgd"
    seed: int = 1
    edits: tuple[Edit, ...] = ()
    weights: str = ""
    rerun: bool = False
    item: str = ""
    curve: str = "agrees"
    place: str = ""

    @property
    def clean(self) -> bool:
        return not self.item


def build(twin: Twin, folder: Path) -> Path:
    """Writes both sides of a twin below `folder`, and runs them; the project. What was there is removed."""
    import torch

    if folder.exists():
        shutil.rmtree(folder)
    write(twin, folder)
    torch.set_num_threads(1)  # networks as small as these gain nothing from more
    reference = folder / "ref"
    _torch_weights(twin, reference / "init.pth")
    _convert(twin, reference / "init.pth", folder / "init.ckpt", twin.weights)
    _run(reference)
    _convert(twin, reference / "final.pth", folder / "converted.ckpt")
    _run(folder)
    if twin.rerun:
        _run_again(folder)
    return folder


def write(twin: Twin, folder: Path) -> None:
    """The scripts, the data and the case of a twin."""
    reference = folder / "ref"
    for side, scripts, networks in (
        (folder, HERE / "scripts", HERE / "networks"),
        (reference, HERE / "scripts/reference", HERE / "networks/reference"),
    ):
        side.mkdir(parents=True)
        (side / "data").mkdir()
        for script in scripts.glob("*.py"):
            shutil.copy(script, side)
        shutil.copy(networks / f"{twin.network}.py", side / "network.py")
        for name, array in _data(DATA[twin.network]).items():
            np.save(side / "data" / name, array)
    for edit in (*_settings(twin), *twin.edits):
        _edit(folder / edit.path, edit)
    _case(twin, folder)


def _settings(twin: Twin) -> Iterator[Edit]:
    ours, theirs, rate = OPTIMIZERS[twin.optimizer]
    yield Edit("train.py", _OPTIMIZER, ours)
    yield Edit("ref/train.py", _REFERENCE_OPTIMIZER, theirs)
    if ours.startswith("optim."):
        yield Edit(
            "train.py",
            "from mindspore import nn\n",
            "from mindspore import nn\nfrom mindspore.experimental import optim\n",
        )
    for path in ("train.py", "ref/train.py"):
        yield Edit(path, f"LEARNING_RATE = {_RATE}", f"LEARNING_RATE = {rate}")
        if DATA[twin.network] == "themselves":
            yield Edit(path, LOSS, MEAN_SQUARES)


def _edit(path: Path, edit: Edit) -> None:
    text = path.read_text()
    found = text.count(edit.old)
    assert found == 1 or (edit.every and found), f"{path}: {edit.old!r} stands there {found} times"
    path.write_text(text.replace(edit.old, edit.new))


@cache
def _data(kind: str) -> dict[str, np.ndarray[Any, Any]]:
    """Handwritten digits of 8 x 8 pixels, 0 to 16, as a network wants them, by the name of the file."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.int32)
    tokens = images.reshape(-1, 4, 2, 4, 2).max((2, 4)).reshape(-1, 16).astype(np.int32)
    x = {
        "flat": images.reshape(-1, 64),
        "images": images[:, None],
        "rows": images,
        "tokens": tokens,
        "themselves": images.reshape(-1, 64),
    }[kind]
    y = images[:, None].astype(np.float32) / 8 - 1 if kind == "themselves" else labels
    return {
        "train_x.npy": x[:TRAIN],
        "train_y.npy": y[:TRAIN],
        "eval_x.npy": x[-EVAL:],
        "eval_y.npy": y[-EVAL:],
    }


# --- weights ----------------------------------------------------------------------------------------------------------


def _torch_weights(twin: Twin, path: Path) -> None:
    """The weights as PyTorch draws them, those that it leaves at 0 and 1 a little off, as after some training."""
    import torch

    torch.manual_seed(twin.seed)
    with _imports(path.parent):
        net = runpy.run_path(str(path.parent / "network.py"))["Net"]()
    with torch.no_grad():
        for name, value in net.named_parameters():
            if value.dim() == 1 and bool((value == value[0]).all()):
                value += 0.1 * torch.randn_like(value)
    torch.save(net.state_dict(), path)


def _convert(twin: Twin, source: Path, target: Path, fault: str = "") -> None:
    """The weights of PyTorch as MindSpore names and shapes them; those that the network here lacks are left out."""
    import mindspore as ms
    import torch

    found = torch.load(source, weights_only=True)
    with _imports(target.parent):
        wanted = {p.name: p.shape for p in runpy.run_path(str(target.parent / "network.py"))["Net"]().get_parameters()}
    values = {}
    for here, there, kind in pairs(twin.network):
        if there not in found or here not in wanted:
            continue
        value = found[there].numpy()
        values[here] = value[:, :, None] if kind == "conv1d" and value.ndim == 3 else value
    what, *names = fault.split() or [""]
    if what == "transpose":
        values[names[0]] = values[names[0]].T
    elif what == "swap":
        values[names[0]], values[names[1]] = values[names[1]], values[names[0]]
    elif what == "draw":
        drawn = np.random.default_rng(twin.seed).standard_normal(values[names[0]].shape)
        values[names[0]] = (drawn * values[names[0]].std()).astype(np.float32)
    assert values.keys() == wanted.keys(), values.keys() ^ wanted.keys()
    assert all(values[name].shape == tuple(shape) for name, shape in wanted.items())
    saved = [{"name": name, "data": ms.Tensor(np.ascontiguousarray(value))} for name, value in values.items()]
    ms.save_checkpoint(saved, str(target))


# --- running ----------------------------------------------------------------------------------------------------------


@contextmanager
def _imports(folder: Path) -> Iterator[None]:
    """Within the folder, whose modules are the ones that are imported, and are forgotten afterwards."""
    here, path = os.getcwd(), list(sys.path)
    own = {file.stem for file in folder.glob("*.py")}
    taken = {name: sys.modules.pop(name) for name in own if name in sys.modules}
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        os.chdir(here)
        sys.path[:] = path
        for name in own:
            sys.modules.pop(name, None)
        sys.modules.update(taken)


def _run(folder: Path) -> None:
    with _imports(folder):
        runpy.run_path(str(folder / "train.py"), run_name="__main__")


def _run_again(folder: Path) -> None:
    """Both scripts once more, in a copy: their losses, put beside the first."""
    import torch

    copy = folder.with_name(folder.name + ".again")
    if copy.exists():
        shutil.rmtree(copy)
    shutil.copytree(folder, copy)
    (copy / "logs/run.jsonl").unlink()
    torch.set_num_threads(2)
    _run(copy / "ref")
    _run(copy)
    shutil.copy(copy / "logs/run.jsonl", folder / "logs/run_again.jsonl")
    shutil.copy(copy / "ref/train.csv", folder / "ref/train_again.csv")
    shutil.rmtree(copy)


def _case(twin: Twin, folder: Path) -> None:
    case: dict[str, Any] = {
        "name": twin.name,
        "runtime": {"device": "CPU", "mindspore": "2.10.0", "mode": "pynative"},
        "scripts": {"train": "train.py"},
        "checkpoints": {
            "initial": "init.ckpt",
            "current": "final.ckpt",
            "reference": "ref/init.pth",
            "after_step": "step1.ckpt",
            "reference_after_step": "ref/step1.pth",
        },
        "curves": {
            "train": "logs/run.jsonl",
            "eval": "logs/run.jsonl",
            "reference": {"path": "ref/train.csv"},
        },
        "dumps": {"path": "layers", "reference": "ref/layers"},
        "batches": {"path": "batches", "reference": "ref/batches"},
        "outputs": {"path": "outputs", "reference": "ref/outputs"},
        "benchmark": {"framework": "pytorch", "scripts": {"train": "ref/train.py"}},
    }
    if twin.rerun:
        case["curves"]["rerun"] = "logs/run_again.jsonl"
        case["curves"]["reference"]["rerun"] = "ref/train_again.csv"
    (folder / "accucheck.yaml").write_text(yaml.safe_dump(case, sort_keys=False))
