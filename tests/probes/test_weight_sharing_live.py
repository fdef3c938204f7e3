"""weight_sharing_live on networks that are built: the same object in several places, and several of one name."""

from pathlib import Path

import pytest

import networks
from accucheck.errors import UserError
from accucheck.model import Finding, Level, Verdict
from accucheck.probes.weight_sharing_live import suggest
from findings import of_code, told

pytestmark = pytest.mark.mindspore


def run(
    root: Path, init: str, shared: list[list[str]] | None = None, head: str = "super().__init__()"
) -> list[Finding]:
    lines = "".join(f"        {line}\n" for line in (head + "\n" + init).splitlines())
    body = f"\nclass Net(nn.Cell):\n    def __init__(self):\n{lines}\n    def construct(self, x):\n        return x\n"
    return networks.run("weight_sharing_live", root, body, design={"shared": shared or []})


def test_cells_under_two_names_are_seen_at_both(tmp_path: Path) -> None:
    found = run(tmp_path, "self.stem = nn.Dense(8, 8)\nself.stages = nn.CellList([self.stem, nn.Dense(8, 8)])")
    assert not told(found) and suggest(found) is Verdict.OK
    rows = of_code(found, "shared").evidence[0].rows
    assert [row[2] for row in rows] == ["stem.weight, stages.0.weight", "stem.bias, stages.0.bias"]
    assert [row[0] for row in rows] == ["stages.0.weight", "stages.0.bias"]  # the last one to hold it names it


def test_parameters_of_one_name(tmp_path: Path) -> None:
    found = run(tmp_path, "self.a, self.b = nn.Dense(8, 8), nn.Dense(8, 8)", head="super().__init__(auto_prefix=False)")
    same = of_code(found, "same-name")
    assert same.level is Level.PROBLEM and same.data["names"] == ["weight", "bias"]


def test_one_parameter_under_two_names_of_siblings(tmp_path: Path) -> None:
    found = run(tmp_path, "self.q = Parameter(Tensor(np.ones((4, 4), np.float32)), name='q')\nself.k = self.q")
    assert told(found) == {"siblings-are-one"} and of_code(found, "siblings-are-one").data["what"] == "Parameter"


@pytest.mark.parametrize(
    ("init", "codes"),
    [
        ("self.first = nn.ReLU()\nself.second = self.first", set()),
        ("self.layers = nn.CellList([nn.ReLU()] * 3)", set()),
        ("self.layers = nn.CellList([nn.Dense(8, 8)] * 3)", {"repeated"}),
        ("self.net = nn.Dense(8, 8)\nself.backbone = self.net", set()),
        ("self.fc1 = nn.Dense(8, 8)\nself.fc2 = self.fc1", {"siblings-are-one"}),
        ("self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 3)", set()),
        ("self.again = [self]", set()),
    ],
)
def test_what_is_held_several_times(init: str, codes: set[str], tmp_path: Path) -> None:
    assert told(run(tmp_path, "self.fc = nn.Dense(8, 2)\n" + init)) == codes


def test_part_of_a_group_is_there(tmp_path: Path) -> None:
    init = "self.one, self.two = nn.Dense(8, 8), nn.Dense(8, 8)\nself.two.weight = self.one.weight"
    assert not told(run(tmp_path, init, [["one.weight", "two.weight"]]))
    assert told(run(tmp_path, init, [["one.weight", "two.weight", "three.weight"]])) == {"unmatched"}
    assert told(run(tmp_path, init, [["one.*", "two.*"]])) == {"declared-apart"}  # the biases are two


def test_names_in_full_win_over_ends_of_names(tmp_path: Path) -> None:
    init = "self.fc, self.head = nn.Dense(8, 8), nn.Dense(8, 8)\nself.head.weight = self.fc.weight\n"
    init += "self.block = nn.SequentialCell([nn.Dense(8, 8)])\nself.block.fc = nn.Dense(8, 8)"
    found = run(tmp_path, init, [["fc.weight", "head.weight"]])
    assert told(found) == {"same-name"}  # a cell that is added later does not get its owner's name
    assert of_code(found, "declared-shared").where.name == "fc.weight"


def test_names_with_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    found = run(tmp_path, "self.fc = nn.Dense(8, 2)\nself.insert_child_to_cell('[bold]x', self.fc)")
    assert "[bold]x.weight" in of_code(found, "shared").evidence[0].rows[0][2]


def test_what_is_no_network(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        networks.run("weight_sharing_live", tmp_path, "def Net():\n    return 3\n")
    assert {f.code for f in run(tmp_path, "self.relu = nn.ReLU()")} == {"no-parameters"}
