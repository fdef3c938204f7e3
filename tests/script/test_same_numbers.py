"""What changes no number is followed, whatever its spelling: a fault stays one behind it, and a healthy twin stays clean."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

from accucheck.script.analysis import Reading, Scripts
from accucheck.script.initial_weights import examine
from accucheck.script.losses import Losses
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption

#: Of a tensor x of two axes.
TENSORS = """
x.clone() | x.copy() | copy.deepcopy(x) | mint.clone(x) | mnp.copy(x) | x.contiguous() | nn.Identity()(x) | P.Identity()(x)
mint.nn.Identity()(x) | ops.stop_gradient(x) | ops.depend(x, x) | P.Depend()(x, x) | x.astype(x.dtype) | x.astype(ms.float32)
ops.cast(x, ms.float32) | P.Cast()(x, ms.float32) | x.to(ms.float32) | x.float() | x.type_as(x) | Tensor(x) | Tensor(x.asnumpy())
x.view(x.shape) | x.view(-1, 8) | x.view_as(x) | x.reshape(x.shape) | x.reshape_as(x) | ops.reshape(x, x.shape)
P.Reshape()(x, x.shape) | mint.reshape(x, x.shape) | mnp.reshape(x, x.shape) | x.flatten().reshape(-1, 8) | ops.flatten(x)
nn.Flatten()(x) | P.Flatten()(x) | mint.flatten(x, 1) | x.ravel().view(-1, 8) | ops.atleast_2d(x) | x.expand_dims(0).squeeze(0)
x.unsqueeze(0).squeeze(0) | ops.squeeze(ops.expand_dims(x, 0), 0) | mint.squeeze(mint.unsqueeze(x, 0), 0)
P.Squeeze(0)(P.ExpandDims()(x, 0)) | x[None].squeeze(0) | x.transpose(1, 0).transpose(1, 0) | x.swapaxes(0, 1).swapaxes(0, 1)
x.permute(1, 0).permute(1, 0) | x.T.T | x.t().t() | ops.transpose(ops.transpose(x, (1, 0)), (1, 0))
P.Transpose()(P.Transpose()(x, (1, 0)), (1, 0)) | ops.movedim(ops.movedim(x, 0, 1), 1, 0)
mint.transpose(mint.transpose(x, 0, 1), 0, 1) | mint.permute(mint.permute(x, (1, 0)), (1, 0))
ops.swapaxes(ops.swapaxes(x, 0, 1), 0, 1) | ops.flip(ops.flip(x, (0,)), (0,)) | ops.roll(x, 0, 0) | x + 0 | 0 + x | x - 0 | x * 1
1.0 * x | x / 1 | x ** 1 | +x | x[:] | x[...] | x[:, :] | x[None][0] | ops.add(x, 0) | ops.sub(x, 0) | ops.mul(x, 1) | ops.div(x, 1)
P.Add()(x, 0) | P.Mul()(x, 1) | P.Sub()(x, 0) | P.RealDiv()(x, 1) | mint.add(x, 0) | mint.mul(x, 1) | mint.sub(x, 0) | x.add(0)
x.mul(1) | x.sub(0) | x.div(1) | x.pow(1) | mnp.add(x, 0) | ops.pow(x, 1) | ops.concat([x]) | ops.concat((x,), 0) | ops.cat([x])
P.Concat()((x,)) | mint.concat([x]) | ops.stack([x])[0] | P.Stack()([x])[0] | ops.unbind(ops.stack([x]))[0]
ops.split(x, x.shape[0])[0] | mint.split(x, x.shape[0])[0] | ops.chunk(x, 1)[0] | ops.tile(x, (1, 1)) | ops.broadcast_to(x, x.shape)
x.broadcast_to(x.shape) | x.expand_as(x) | P.Tile()(x, (1, 1)) | P.BroadcastTo((-1, -1))(x) | x.tile((1, 1))
x.narrow(0, 0, x.shape[0]) | ops.vstack([x]) | ops.hstack([x]) | ops.permute(ops.permute(x, (1, 0)), (1, 0))
"""
#: Of an array of numpy.
ARRAYS = """
x.copy() | copy.copy(x) | np.copy(x) | np.array(x) | np.asarray(x) | np.asanyarray(x) | np.ascontiguousarray(x) | x.astype(x.dtype)
x.astype(np.float32) | np.float32(x) | x.reshape(x.shape) | np.reshape(x, x.shape) | x.view() | x.ravel().reshape(x.shape) | x.T.T
np.ravel(x).reshape(x.shape) | x.flatten().reshape(x.shape) | np.expand_dims(x, 0).squeeze(0) | np.squeeze(np.expand_dims(x, 0), 0)
x.transpose(1, 0).transpose(1, 0) | np.transpose(np.transpose(x)) | x.swapaxes(0, 1).swapaxes(0, 1)
np.moveaxis(np.moveaxis(x, 0, 1), 0, 1) | np.flip(np.flip(x)) | np.fliplr(np.fliplr(x)) | np.roll(x, 0) | np.atleast_2d(x)
np.concatenate([x]) | np.stack([x])[0] | np.vstack([x]) | np.hstack([x]) | np.tile(x, (1, 1)) | np.repeat(x, 1, 0)
np.broadcast_to(x, x.shape) | x[:] | x[...] | x[None][0] | +x | x + 0 | x * 1 | 1 * x | x - 0 | x / 1 | x ** 1 | np.add(x, 0)
np.multiply(x, 1) | np.split(x, 1)[0] | np.take(x, range(8), 0)
"""
HEAD = """
import copy
import numpy as np
import mindspore as ms
import mindspore.numpy as mnp
from mindspore import nn, ops, mint, Tensor
from mindspore.ops import operations as P

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        x = {start}
        self.first = nn.Dense(8, 8, weight_init={weight})
        self.last = nn.Dense(8, 8)

    def construct(self, inputs):
        x = {scores}
        return {prediction}

net = Net()
ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params())).train(1, load())
"""


def spellings(table: str) -> list[str]:
    return [one.strip() for line in table.strip().splitlines() for one in line.split("|")]


def codes(folder: Path, **parts: str) -> set[str]:
    """What the rules of losses and of initial weights say of a network."""
    usual = {"start": "'normal'", "weight": "x", "scores": "self.last(self.first(inputs))", "prediction": "x"}
    (folder / "train.py").write_text(HEAD.format(**usual | parts))
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    reading = Reading("train", "train", source, follow(source, assumption("train"), project.find, folder), project)
    return {said.code for said in (*Losses(reading).examine(), *examine(Scripts([reading])))}


@pytest.mark.parametrize("spelling", spellings(TENSORS))
def test_a_second_softmax_is_seen_behind_what_changes_no_number(tmp_path: Path, spelling: str) -> None:
    softmax = "ops.softmax(self.last(self.first(inputs)))"
    assert codes(tmp_path, scores=softmax, prediction=spelling) == {"double-softmax"}
    assert codes(tmp_path, prediction=spelling) == {"fits"}


@pytest.mark.parametrize("spelling", spellings(TENSORS))
def test_weights_of_zero_are_seen_behind_what_changes_no_number(tmp_path: Path, spelling: str) -> None:
    assert codes(tmp_path, start="ops.zeros((8, 8))", weight=spelling) == {"fits", "zero-weights"}
    assert codes(tmp_path, start="ops.randn((8, 8))", weight=spelling) <= {"fits", "unresolved"}


@pytest.mark.parametrize("spelling", spellings(ARRAYS))
def test_arrays_of_zero_are_seen_behind_what_changes_no_number(tmp_path: Path, spelling: str) -> None:
    weight = f"Tensor({spelling}, ms.float32)"
    assert codes(tmp_path, start="np.zeros((8, 8))", weight=weight) == {"fits", "zero-weights"}
    assert codes(tmp_path, start="np.random.randn(8, 8)", weight=weight) <= {"fits", "unresolved"}


@pytest.mark.mindspore
def test_the_spellings_change_no_number() -> None:
    import mindspore as ms
    import mindspore.numpy as mnp
    from mindspore import Tensor, mint, nn, ops
    from mindspore.ops import operations as P

    ms.set_context(mode=ms.PYNATIVE_MODE, pynative_synchronize=True)
    names = {"ms": ms, "mnp": mnp, "mint": mint, "nn": nn, "ops": ops, "P": P, "Tensor": Tensor, "np": np, "copy": copy}
    x = np.random.default_rng(1).standard_normal((8, 8)).astype(np.float32)
    unrun = set()
    for spelling in spellings(TENSORS):
        try:
            assert (eval(spelling, {**names, "x": Tensor(x)}).asnumpy() == x).all(), spelling
        except RuntimeError as error:
            assert "unregistered" in str(error), spelling
            unrun.add(spelling)
    assert unrun == {"x.clone()", "mint.clone(x)", "ops.roll(x, 0, 0)"}  # no kernel for CPUs
    for spelling in spellings(ARRAYS):
        assert (eval(spelling, {**names, "x": x}) == x).all(), spelling
    assert len(spellings(TENSORS)) + len(spellings(ARRAYS)) > 150
