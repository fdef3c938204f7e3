"""Which columns of the pipeline go to network and loss: by what they are, or as the case names them."""

from pathlib import Path

import pytest

import networks
from accucheck.errors import UserError
from accucheck.language import Language
from accucheck.model import Finding

pytestmark = pytest.mark.mindspore

BODY = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Dense(4, 3), nn.Dense(4, 2)

    def construct(self, x, mask):
        x = x * mask
        return self.one(x), self.two(x)


class Weighted(nn.Cell):
    \"\"\"Three inputs: an output, labels, and how much each sample counts.\"\"\"

    def construct(self, output, kind, weight):
        return (ops.cross_entropy(output, kind, reduction="none") * weight).mean()


def both(first, second, kind, other):
    return ops.cross_entropy(first, kind) + ops.cross_entropy(second, other)


def create():
    random = np.random.RandomState(0)
    columns = {
        "weight": random.rand(64).astype(np.float32),
        "kind": random.randint(0, 3, 64).astype(np.int32),
        "mask": np.ones((64, 4), np.float32),
        "other": random.randint(0, 2, 64).astype(np.int32),
        "x": random.randn(64, 4).astype(np.float32),
    }
    return ds.NumpySlicesDataset(columns, shuffle=False).batch(16)
"""


def run(root: Path, loss: str, network: list[str], inputs: list[str]) -> list[Finding]:
    spec = {
        "network": {"call": "net:Net", "inputs": network},
        "loss": {"call": loss if ":" in loss else f"net:{loss}", "inputs": inputs},
        "optimizer": {"call": "mindspore.nn:Momentum", "args": {"learning_rate": 0.1, "momentum": 0.9}},
    }
    return networks.run("frozen_weights_live", root, BODY.replace("def both(", "def loss_of(") + AFTER, **spec)


AFTER = """

def both():
    return loss_of
"""


def moved(findings: list[Finding]) -> int:
    return int(next(finding for finding in findings if finding.code == "examined").data["moved"])


def test_a_loss_of_three_inputs_and_columns_in_any_order(tmp_path: Path) -> None:
    assert moved(run(tmp_path, "Weighted", ["x", "mask"], ["network.0", "kind", "weight"])) == 2


def test_a_loss_of_several_outputs_and_labels(tmp_path: Path) -> None:
    assert moved(run(tmp_path, "both", ["x", "mask"], ["network.0", "network.1", "kind", "other"])) == 4


@pytest.mark.parametrize(
    ("network", "inputs", "said"),
    [
        (["x", "mask"], [], ["net:Weighted", "loss.inputs: [network, weight, kind, mask, other, x]"]),
        (["x"], ["network.0", "kind", "weight"], ["net:Net", "network.inputs: [weight, kind, mask, other, x]"]),
        (["x", "masks"], ["network.0", "kind", "weight"], ["network.inputs", "masks", "weight, kind, mask, other, x"]),
        (["x", "mask"], ["network.7", "kind", "weight"], ["loss.inputs", "network.7", "network, network.0, network.1"]),
    ],
)
def test_what_does_not_fit_names_the_key(
    tmp_path: Path, network: list[str], inputs: list[str], said: list[str]
) -> None:
    with pytest.raises(UserError) as raised:
        run(tmp_path, "Weighted", network, inputs)
    for language in Language:
        text = raised.value.text(language)
        assert all(part in text for part in said), text
