"""The code that a checklist gives to collect what its items live on: each piece is run in a real training, and read back."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accucheck import case as cases
from accucheck import checklist, probe
from accucheck.case import path_keys
from accucheck.readers import curves
from accucheck.readers.checkpoints import open_checkpoint
from accucheck.readers.dumps import examine, open_dump
from accucheck.readers.tensors import read
from command_line import accucheck

SNIPPETS = {key: one for name in checklist.shipped() for key, one in checklist.load(name).snippets.items()}
COMPARISON = checklist.load("comparison").snippets
#: Items that live on what snippets collect.
FED = {"cmp.02", "cmp.04", "cmp.05", "cmp.06", "cmp.08", "cmp.09", "cmp.10", "cmp.11"}
STEPS = 4
random = np.random.default_rng(7)
X = random.normal(size=(STEPS, 8, 1, 6, 6)).astype(np.float32)
Y = random.integers(0, 3, size=(STEPS, 8)).astype(np.int32)
#: What both networks start from, under the names of PyTorch.
WEIGHTS = {
    "conv.weight": random.normal(size=(4, 1, 3, 3)).astype(np.float32) / 3,
    "head.weight": random.normal(size=(3, 64)).astype(np.float32) / 8,
}


def define(key: str, names: dict[str, Any]) -> Callable[..., Any]:
    """Run a snippet where `names` are known, as a script would; what it gives calls what the snippet defined, by name."""
    exec(compile(COMPARISON[key].code, key, "exec"), names)
    return lambda name, *given, **more: names[name](*given, **more)


def keys_of(framework: str, *starts: str) -> list[str]:
    return [key for key, one in COMPARISON.items() if one.framework == framework and key.startswith(starts)]


def train_mindspore(again: str = "curves.train") -> None:
    import mindspore as ms
    from mindspore import nn

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid", has_bias=False)
            self.act = nn.ReLU()
            self.flat = nn.Flatten()
            self.head = nn.Dense(64, 3, has_bias=False)

        def construct(self, x: Any) -> Any:
            return self.head(self.flat(self.act(self.conv(x))))

    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = Net()
    ms.load_param_into_net(net, {name: ms.Parameter(value, name=name) for name, value in WEIGHTS.items()})
    loss_fn, optimizer = nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), learning_rate=0.1)
    step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    names = {"net": net}
    define("checkpoints.initial", names)
    layers, losses = define("dumps.path", dict(names)), define(again, {})
    batches, outputs = define("batches.path", {}), define("outputs.path", {})
    net.set_train()
    for number in range(1, STEPS + 1):
        x, y = ms.Tensor(X[number - 1]), ms.Tensor(Y[number - 1])
        batches("keep_batch", number, x, y)
        loss, grads = step(x, y)
        if number == 1:
            layers("save_layers")
        optimizer(grads)
        if number == 1:
            define("checkpoints.after_step", names)
        losses("keep_loss", number, loss)
    net.set_train(False)
    output = net(ms.Tensor(X[0]))
    outputs("keep_outputs", output, accuracy=(output.asnumpy().argmax(1) == Y[0]).mean())


def train_torch(again: str = "curves.reference.path") -> None:
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(1, 4, 3, bias=False)
            self.act = nn.ReLU()
            self.flat = nn.Flatten()
            self.head = nn.Linear(64, 3, bias=False)

        def forward(self, x: Any) -> Any:
            return self.head(self.flat(self.act(self.conv(x))))

    net = Net()
    net.load_state_dict({name: torch.from_numpy(value) for name, value in WEIGHTS.items()})
    loss_fn, optimizer = nn.CrossEntropyLoss(), torch.optim.SGD(net.parameters(), lr=0.1)
    names = {"net": net}
    define("checkpoints.reference", names)
    layers, losses = define("dumps.reference", dict(names)), define(again, {})
    batches, outputs = define("batches.reference", {}), define("outputs.reference", {})
    for number in range(1, STEPS + 1):
        x, y = torch.from_numpy(X[number - 1]), torch.from_numpy(Y[number - 1])
        batches("keep_batch", number, x, y)
        optimizer.zero_grad()
        loss = loss_fn(net(x), y.long())
        loss.backward()
        if number == 1:
            layers("save_layers")
        optimizer.step()
        if number == 1:
            define("checkpoints.reference_after_step", names)
        losses("keep_loss", number, loss)
    net.eval()
    output = net(torch.from_numpy(X[0]))
    outputs("keep_outputs", output, accuracy=(output.detach().numpy().argmax(1) == Y[0]).mean())


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every snippet has been run by a training of its framework."""
    pytest.importorskip("mindspore")
    pytest.importorskip("torch")
    folder, before = tmp_path_factory.mktemp("collected"), Path.cwd()
    os.chdir(folder)
    try:
        for key in keys_of("mindspore", "curves."):
            train_mindspore(key)
        for key in keys_of("pytorch", "curves."):
            train_torch(key)
    finally:
        os.chdir(before)
    return folder


def tensors(folder: Path, key: str) -> dict[str, np.ndarray]:
    found = open_checkpoint(folder / COMPARISON[key].path)
    return {info.name: read(info) for info in found.tensors}


def layers_of(folder: Path, key: str) -> dict[str, np.ndarray]:
    dump = open_dump(folder / COMPARISON[key].path)
    found = [tensor for operation in dump.operations for tensor in [*operation.inputs, *operation.outputs]]
    assert all(examine(tensor) for tensor in found)
    return {Path(tensor.path).stem: np.load(tensor.path, allow_pickle=False) for tensor in found}


def test_each_names_a_key_of_the_case_and_writes_below_one_folder() -> None:
    assert set(COMPARISON) <= set(SNIPPETS) <= set(path_keys())
    paths = [one.path for one in SNIPPETS.values()]
    assert len(set(paths)) == len(paths)
    for key, one in SNIPPETS.items():
        assert one.path.startswith("collect/") and one.path in one.code, key
        compile(one.code, key, "exec")
        other = {"mindspore": "torch", "pytorch": "mindspore"}[one.framework]
        assert other not in one.code.replace("_torch", ""), key
        assert max(len(line) for line in one.code.splitlines()) <= 79, key  # it fits a narrow screen


@pytest.mark.mindspore
@pytest.mark.slow
def test_every_path_is_written(collected: Path) -> None:
    assert [key for key, one in COMPARISON.items() if not (collected / one.path).exists()] == []


@pytest.mark.mindspore
@pytest.mark.slow
def test_losses_are_curves_in_full_precision(collected: Path) -> None:
    losses = {}
    for key in COMPARISON:
        if key.startswith("curves."):
            (run,) = curves.read(collected / COMPARISON[key].path).runs
            column = run.columns["loss"]
            assert column.steps.tolist() == list(range(1, STEPS + 1)), key
            losses[key] = column.values
    assert np.allclose(losses["curves.train"], losses["curves.reference.path"], rtol=1e-5)
    assert (losses["curves.train"] == losses["curves.rerun"]).all()  # nothing here is random, and no digit was lost
    assert len(set(losses["curves.train"])) == STEPS


@pytest.mark.mindspore
@pytest.mark.slow
def test_weights_of_both_sides_are_read_and_agree(collected: Path) -> None:
    ours, theirs = tensors(collected, "checkpoints.initial"), tensors(collected, "checkpoints.reference")
    assert set(ours) == set(theirs) == set(WEIGHTS)
    assert all((ours[name] == theirs[name]).all() and (ours[name] == WEIGHTS[name]).all() for name in WEIGHTS)
    after, reference = (
        tensors(collected, "checkpoints.after_step"),
        tensors(collected, "checkpoints.reference_after_step"),
    )
    assert all(np.allclose(after[name], reference[name], atol=1e-6) for name in WEIGHTS)
    assert all((after[name] != ours[name]).any() for name in WEIGHTS)


@pytest.mark.mindspore
@pytest.mark.slow
def test_layers_of_both_sides_have_the_same_names_order_and_values(collected: Path) -> None:
    ours, theirs = layers_of(collected, "dumps.path"), layers_of(collected, "dumps.reference")
    assert list(ours) == list(theirs)
    names = [name.partition("_")[2] for name in ours]
    assert names[:4] == ["conv", "act", "flat", "head"] and "head.grad" in names and "conv.grad" in names
    for name in ours:
        assert np.allclose(ours[name], theirs[name], atol=1e-5), name


@pytest.mark.mindspore
@pytest.mark.slow
def test_batches_and_outputs_are_what_was_fed_and_given(collected: Path) -> None:
    for key in ("batches.path", "batches.reference"):
        folder = collected / COMPARISON[key].path
        assert len(list(folder.iterdir())) == 6  # three batches of x and y, and no more
        for step in range(3):
            assert (np.load(folder / f"step{step + 1}_0.npy") == X[step]).all()
            assert (np.load(folder / f"step{step + 1}_1.npy") == Y[step]).all()
    ours, theirs = (collected / COMPARISON[key].path for key in ("outputs.path", "outputs.reference"))
    assert np.allclose(np.load(ours / "output.npy"), np.load(theirs / "output.npy"), atol=1e-5)
    metrics = [json.loads((folder / "metrics.json").read_text()) for folder in (ours, theirs)]
    assert metrics[0] == metrics[1] and 0 <= metrics[0]["accuracy"] <= 1


@pytest.mark.mindspore
@pytest.mark.slow
def test_each_probe_of_the_path_reads_what_was_collected_for_it(collected: Path, tmp_path: Path) -> None:
    """Equal trainings on both sides: every probe whose inputs the snippets write runs, and calls nothing a problem."""
    values = {"name": "collected", "runtime.device": "CPU", "runtime.mindspore": "2.10.0"}
    values |= {key: str(collected / one.path) for key, one in COMPARISON.items()}
    cases.write(values, tmp_path / "accucheck.yaml")
    case = cases.load(tmp_path)
    ready = {
        (item.id, use.name)
        for item in checklist.load("comparison").items
        for use in item.uses
        if item.id in FED and not probe.missing(probe.load(use.name), case)
    }
    assert {name for name, _ in ready} == FED
    ran = accucheck("run", tmp_path, "--checklist", "comparison", "--json", "--no-session", timeout=120)
    results = {
        (item["id"], result["probe"]): (result["status"], item["suggestion"])
        for item in json.loads(ran.stdout)["items"]
        for result in item["results"]
    }
    assert {results[pair] for pair in ready} == {("done", "ok")}


@pytest.mark.mindspore
@pytest.mark.slow
def test_what_the_code_says_of_model_train_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ms = pytest.importorskip("mindspore")
    from mindspore import nn

    monkeypatch.chdir(tmp_path)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    told = [key for key, one in COMPARISON.items() if "Model.train" in one.code]
    assert told == ["curves.train", "curves.rerun", "curves.previous_version"]
    for key in told:
        lines = [line.removeprefix("#   ") for line in COMPARISON[key].code.splitlines() if line.startswith("#   ")]
        names: dict[str, Any] = {}
        exec("\n".join(lines), names)
        net = nn.Dense(36, 3)
        model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), learning_rate=0.1))
        data = ms.dataset.NumpySlicesDataset((X.reshape(-1, 36), Y.reshape(-1)), shuffle=False).batch(8)
        model.train(1, data, callbacks=names["callbacks"], dataset_sink_mode=False)
        (run,) = curves.read(tmp_path / COMPARISON[key].path).runs
        assert run.columns["loss"].steps.tolist() == list(range(1, STEPS + 1)), key
