"""The mends of loss_function: what is written into the script is the script as it should be."""

import ast
from pathlib import Path

import pytest

from accucheck import mending
from accucheck.case import Case, CaseFile, Scripts
from accucheck.model import Finding
from accucheck.probes import loss_function
from findings import found_by

HEAD = """import mindspore as ms
from mindspore import nn, ops

net = nn.Dense(8, 4)
optimizer = nn.SGD(net.trainable_params(), 0.1)
"""
STEP = """
def forward_fn(x, y):
    logits = {logits}
    return {loss}(logits, y), logits

step = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)
for x, y in train_ds.create_tuple_iterator():
    (loss, _), grads = step(x, y)
    optimizer(grads)
"""


def mended(root: Path, text: str, code: str) -> list[str] | None:
    """The lines of the script after the mend of the finding of this code; None without a mend."""
    (root / "train.py").write_text(text)
    case = Case(root=str(root), spec=CaseFile(scripts=Scripts(train=["train.py"])))
    (finding,) = (one for one in found_by(loss_function, case, loss_function.Params()) if one.code == code)
    return lines(root, finding) if finding.fix and finding.fix.diff else None


def lines(root: Path, finding: Finding) -> list[str]:
    after = mending.prepare(root, finding).after.decode()
    ast.parse(after)
    return after.splitlines()


@pytest.mark.parametrize(
    ("logits", "left"),
    [
        ("net(x).softmax(-1)", "net(x)"),
        ("ops.softmax(net(x), axis=1)", "net(x)"),
        ("ops.softmax(net(x) + 1, axis=1).astype(ms.float32)", "(net(x) + 1).astype(ms.float32)"),
    ],
)
def test_a_softmax_is_taken_away_and_what_it_is_applied_to_stays(tmp_path: Path, logits: str, left: str) -> None:
    found = mended(tmp_path, HEAD + STEP.format(logits=logits, loss="ops.cross_entropy"), "double-softmax")
    assert found is not None and f"    logits = {left}" in found


NETWORK = """import mindspore as ms
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 4)
        self.softmax = nn.Softmax()

    def construct(self, x):
        {returned}

net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.1)
loss = nn.{loss}()
ms.Model(net, loss, optimizer).train(1, data)
"""


@pytest.mark.parametrize(
    ("returned", "loss", "code", "left"),
    [
        ("return self.softmax(self.fc(x))", "CrossEntropyLoss", "double-softmax", "return self.fc(x)"),
        ("return ops.softmax(self.fc(x), axis=-1)", "CrossEntropyLoss", "double-softmax", "return self.fc(x)"),
        # What it gives may be held against 0.5 elsewhere, and what goes on to something else may be wanted as it is.
        ("return ops.sigmoid(self.fc(x))", "BCEWithLogitsLoss", "double-sigmoid", None),
        ("p = self.softmax(self.fc(x)); return p if x is None else p + 0", "CrossEntropyLoss", "double-softmax", None),
    ],
)
def test_a_softmax_that_is_all_that_a_network_returns_is_taken_away(
    tmp_path: Path, returned: str, loss: str, code: str, left: str | None
) -> None:
    found = mended(tmp_path, NETWORK.format(returned=returned, loss=loss), code)
    assert found is None if left is None else found is not None and f"        {left}" in found


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("sparse=True)", '    sparse=True, reduction="mean")'),
        ("sparse=True, )", '    sparse=True, reduction="mean")'),
        ("sparse=True,\n)", None),  # the parenthesis stands alone: where the argument goes is a matter of taste
    ],
)
def test_a_reduction_is_added_where_it_stays_a_script(tmp_path: Path, made: str, expected: str | None) -> None:
    text = f"{HEAD}loss_fn = nn.SoftmaxCrossEntropyWithLogits(\n    {made}\nms.Model(net, loss_fn, optimizer).train(1, data)\n"
    found = mended(tmp_path, text, "none-reduction")
    assert found is None if expected is None else found is not None and expected in found
