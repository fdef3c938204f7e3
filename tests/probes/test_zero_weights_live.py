"""zero_weights_live on networks that are built: the rules of zero_weights, and nothing left on the disk."""

import tempfile
from pathlib import Path

import pytest

import networks
from accucheck.errors import UserError
from accucheck.model import Finding, Verdict, suggest
from findings import of_code, told

pytestmark = pytest.mark.mindspore


def run(root: Path, init: str) -> list[Finding]:
    lines = "".join(f"        {line}\n" for line in init.splitlines())
    body = f"\nclass Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n{lines}\n"
    return networks.run("zero_weights_live", root, body)


def test_layers_as_mindspore_initialises_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    init = "self.conv, self.norm, self.fc = nn.Conv1d(3, 4, 3, has_bias=True), nn.BatchNorm1d(4), nn.Dense(4, 2)\n"
    init += "self.lstm, self.words = nn.LSTM(4, 4), nn.Embedding(9, 4)\n"
    init += "self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)\nself.half = nn.Dense(4, 4, dtype=ms.float16)"
    found = run(tmp_path, init)
    assert not told(found) and suggest(found) is Verdict.OK
    assert not list(temporary.glob("accucheck-*"))
    examined = of_code(found, "examined")
    assert examined.where.path is None and examined.data["weights"] > 30


@pytest.mark.parametrize(
    ("init", "code", "name"),
    [
        ("self.fc = nn.Dense(4, 3, weight_init='zeros')", "all-zero", "fc.weight"),
        ("self.fc = nn.Dense(4, 3, weight_init='ones')", "constant", "fc.weight"),
        (
            "self.fc = nn.Dense(4, 3)\nself.fc.weight.set_data(Tensor([[0.1, 0.2, 0.3, 0.4]] * 3))",
            "same-units",
            "fc.weight",
        ),
        (
            "self.fc = nn.Dense(4, 3)\nself.fc.weight.set_data(Tensor([[np.nan] * 4] * 3))",
            "non-finite",
            "fc.weight",
        ),
        (
            "self.a = nn.Dense(4, 3, weight_init='zeros')\nself.b = nn.Dense(4, 3)\nself.b.weight = self.a.weight",
            "all-zero",
            "a.weight",
        ),
    ],
)
def test_weights_that_cannot_learn(init: str, code: str, name: str, tmp_path: Path) -> None:
    found = run(tmp_path, init)
    assert told(found) == {code} and of_code(found, code).where.name == name


def test_without_weights(tmp_path: Path) -> None:
    assert suggest(run(tmp_path, "self.relu = nn.ReLU()")) is Verdict.UNDECIDED
    with pytest.raises(UserError):
        networks.run("zero_weights_live", tmp_path, "Net = dict\n")
