"""weight_sharing on checkpoints and graphs of real trainings: weights that are tied, copied, and apart."""

import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding, Level, Verdict
from accucheck.probe import Skip
from accucheck.probes import _checkpoints, weight_sharing
from accucheck.probes._checkpoints import ckpt, drawn
from accucheck.probes.weight_sharing import Params, suggest
from accucheck.readers.tensors import TensorInfo
from findings import found_by, of_code, told

TIED = [["embedding.embedding_table", "head.weight"]]


def examine(
    root: Path,
    shared: list[list[str]] | None = None,
    graphs: str | None = None,
    params: Params = Params(),
    **given: str,
) -> list[Finding]:
    spec = {"checkpoints": given, "graphs": {"path": graphs}, "design": {"shared": shared or []}}
    return found_by(weight_sharing, Case(root=str(root), spec=msgspec.convert(spec, CaseFile)), params)


def codes(found: list[Finding]) -> set[str]:
    return {finding.code for finding in found}


SCRIPT = """
import os, shutil, sys
from pathlib import Path

root = Path(sys.argv[1])
os.environ.update(MS_DEV_SAVE_GRAPHS="2", MS_DEV_SAVE_GRAPHS_PATH=str(root / "saved"))

import numpy as np
import mindspore as ms
import mindspore.dataset
from mindspore import Tensor, nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(1)

class Net(nn.Cell):
    def __init__(self, how):
        super().__init__()
        self.embedding = nn.Embedding(12, 6, embedding_table="normal")
        self.block = nn.Dense(6, 6)
        self.norm = nn.LayerNorm((6,))
        self.head = nn.Dense(6, 12, has_bias=False)
        if how == "tied":
            self.head.weight = self.embedding.embedding_table
        elif how == "copied":
            self.head.weight.set_data(self.embedding.embedding_table.value())
        self.twice = how == "twice"

    def construct(self, x):
        x = self.block(self.embedding(x))
        if self.twice:
            x = self.block(x)
        return self.head(self.norm(x))

for how in ("tied", "copied", "apart", "twice"):
    folder = root / how
    folder.mkdir()
    net = Net(how)
    ms.save_checkpoint(net, str(folder / "initial.ckpt"))
    rows = [(np.int32(i % 12), np.int32((i + 1) % 12)) for i in range(24)]
    data = ms.dataset.GeneratorDataset(rows, ["x", "y"]).batch(8)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Adam(net.trainable_params(), 1e-2)
    ms.Model(net, loss, optimizer).train(2, data, dataset_sink_mode=False)
    ms.save_checkpoint(optimizer, str(folder / "trained.ckpt"))
    net.set_train(False)
    ms.export(net, Tensor([1, 2], ms.int32), file_name=str(folder / "net"), file_format="MINDIR")
    (folder / "ir").mkdir()
    for path in (root / "saved").glob("*optimize*.pb"):
        shutil.move(path, folder / "ir")
    shutil.rmtree(root / "saved")
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sharing")
    script = folder / "train.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script), str(folder)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


class TestReal:
    pytestmark = [pytest.mark.slow, pytest.mark.mindspore]

    def test_tied_weights_are_as_declared(self, trained):
        found = examine(trained / "tied", TIED, "ir", initial="initial.ckpt", current="trained.ckpt")
        assert not told(found) and suggest(found) is Verdict.OK
        assert {"declared-one", "examined"} == codes(found)

    def test_a_tie_that_only_copies_values(self, trained):
        start = examine(trained / "copied", TIED, initial="initial.ckpt")
        assert codes(start) == {"declared-equal-at-start", "examined"} and suggest(start) is Verdict.UNDECIDED
        found = examine(trained / "copied", TIED, initial="initial.ckpt", current="trained.ckpt")
        assert told(found) == {"declared-apart"}
        apart = of_code(found, "declared-apart")
        assert apart.level is Level.PROBLEM and apart.where.name == "embedding.embedding_table"
        assert 0 < apart.evidence[0].rows[0][4] < 0.1

    @pytest.mark.parametrize("what", ["ir", "net.mindir"])
    def test_two_parameters_of_a_graph_that_are_declared_to_be_one(self, what, trained):
        found = examine(trained / "copied", TIED, what)
        assert told(found) == {"declared-two"}
        assert of_code(found, "declared-two").data["count"] == 2

    def test_two_weights_that_are_declared_and_apart(self, trained):
        assert told(examine(trained / "apart", TIED, initial="initial.ckpt")) == {"declared-apart"}

    @pytest.mark.parametrize("what", ["ir", "net.mindir"])
    def test_a_network_without_sharing(self, what, trained):
        found = examine(trained / "apart", None, what, current="trained.ckpt")
        assert codes(found) == {"nothing-shared", "examined"} and suggest(found) is Verdict.NOT_APPLICABLE
        assert of_code(found, "nothing-shared").data["weights"] == 6

    @pytest.mark.parametrize("what", ["ir", "net.mindir"])
    def test_what_is_shared_is_listed(self, what, trained):
        found = examine(trained / "tied", None, what)
        assert not told(found) and suggest(found) is Verdict.UNDECIDED
        (row,) = of_code(found, "several-uses").evidence[0].rows
        assert row[0] == "embedding.embedding_table" and row[1] == 2 and "head-Dense/MatMul" in row[2]

    @pytest.mark.parametrize("what", ["ir", "net.mindir"])
    def test_a_layer_that_is_called_twice(self, what, trained):
        rows = of_code(examine(trained / "twice", None, what), "several-uses").evidence[0].rows
        assert {row[0] for row in rows} == {"block.weight", "block.bias"}

    def test_a_checkpoint_alone_does_not_show_it(self, trained):
        found = examine(trained / "tied", None, current="trained.ckpt")
        assert codes(found) == {"not-visible", "examined"} and suggest(found) is Verdict.UNDECIDED


# --- files ------------------------------------------------------------------------------------------------------------


def saved(root: Path, name: str = "net.ckpt", **tensors: tuple[list[int], list[float]]) -> str:
    (root / name).write_bytes(ckpt({key.replace("__", "."): value for key, value in tensors.items()}))
    return name


def test_what_may_well_be_equal_is_not_told(tmp_path):
    table = drawn(6, 4)
    path = saved(
        *(tmp_path,),
        a__attn_mask=table,
        b__attn_mask=table,
        a__bn__moving_mean=drawn(6),
        b__bn__moving_mean=drawn(6),
        a__gamma=([4], [1.0] * 4),
        b__gamma=([4], [1.0] * 4),
        a__bias=([4], [0.0] * 4),
        b__bias=([4], [0.0] * 4),
        moments__a=table,
        one__scale=([1], [0.5]),
        other__scale=([1], [0.5]),
        wide__weight=table,
        flat__weight=([24], table[1]),
    )
    assert codes(examine(tmp_path, current=path)) == {"not-visible", "examined"}


def test_only_tensors_that_are_equal_to_their_end_count(tmp_path):
    size = 3 * 128 * 1024 + 5
    values = np.random.default_rng(1).standard_normal(size).astype(np.float32)
    others = [values.copy() for _ in range(4)]
    others[0][-1] += 1
    others[1][4096] = 7
    signs = np.zeros((2, size), np.float32)
    signs[0, -1], signs[1, -1] = 1, 2  # alike in the first elements, not constant
    rows = {f"layer{i}__weight": ([size], list(map(float, v))) for i, v in enumerate([values, *others, *signs])}
    found = examine(tmp_path, current=saved(tmp_path, **rows))
    (row,) = of_code(found, "equal-undeclared").evidence[0].rows
    assert row[0] == "layer0.weight, layer3.weight, layer4.weight"
    assert found == examine(tmp_path, current="net.ckpt", params=Params(threads=1))


def test_equal_at_the_start_is_no_suspicion(tmp_path):
    path = saved(tmp_path, a__weight=drawn(6, 4), b__weight=drawn(6, 4))
    found = examine(tmp_path, initial=path)
    assert not told(found) and "equal-at-start" in codes(found)
    assert told(examine(tmp_path, current=path)) == {"equal-undeclared"}
    assert not told(examine(tmp_path, [["a.weight", "b.weight"]], current=path))


def test_a_file_given_twice_counts_once(tmp_path):
    path = saved(tmp_path, a__weight=drawn(6, 4), b__weight=drawn(6, 4))
    assert of_code(examine(tmp_path, previous=path, current=path), "examined").data["checkpoints"] == 1


def test_other_shapes_and_other_zeros_are_different_tensors(tmp_path):
    path = saved(tmp_path, a__weight=([2, 2], [0.0, 1.0, 2.0, 3.0]), b__weight=([2, 2], [-0.0, 1.0, 2.0, 3.0]))
    assert told(examine(tmp_path, [["a.weight", "b.weight"]], current=path)) == {"declared-apart"}
    path = saved(tmp_path, a__weight=drawn(6, 4), b__weight=drawn(4, 6))
    found = examine(tmp_path, [["a.weight", "b.weight"]], current=path)
    assert of_code(found, "declared-apart").evidence[0].rows[0][:2] == ["b.weight", "4×6"]


def test_a_tie_in_a_file_of_torch_is_one_storage(tmp_path):
    torch = pytest.importorskip("torch")
    table = torch.randn(6, 4)
    torch.save({"embedding.weight": table, "head.weight": table}, tmp_path / "net.pth")
    found = examine(tmp_path, [["embedding.weight", "head.weight"]], initial="net.pth")
    assert "declared-equal" in codes(found) and suggest(found) is Verdict.OK


def test_names_that_nothing_has(tmp_path):
    found = examine(tmp_path, [["encoder.weight", "decoder.weight"]], current=saved(tmp_path, a__weight=drawn(6, 4)))
    assert told(found) == {"unmatched"}


def test_patterns_name_many_places(tmp_path):
    same = drawn(6, 4)
    path = saved(tmp_path, l0__weight=same, l1__weight=same, l2__weight=drawn(6, 4, seed=1))
    assert told(examine(tmp_path, [["l*.weight"]], current=path)) == {"declared-apart"}


def test_a_checkpoint_that_cannot_be_read_hides_no_other(tmp_path):
    (tmp_path / "bad.ckpt").write_bytes(b"\n\xff\xff")
    with pytest.raises(ReadError):
        examine(tmp_path, current="bad.ckpt")
    good = saved(tmp_path, a__weight=drawn(6, 4), b__weight=drawn(6, 4))
    found = examine(tmp_path, previous=good, current="bad.ckpt", graphs="nowhere")
    assert told(found) == {"equal-undeclared"} and [f.code for f in found].count("unreadable") == 2


def test_a_folder_without_graphs(tmp_path):
    (tmp_path / "graphs").mkdir()
    with pytest.raises(Skip):
        examine(tmp_path, graphs="graphs")


def test_what_cannot_be_read_is_told_by_its_reason_in_both_languages():
    unread = [
        TensorInfo(name, "int8", (2, 3), "net.pth", obstacle=obstacle)
        for name, obstacle in (("a", "quantized"), ("b", "sparse"), ("c", "dtype"), ("d", "view"), ("e", "sparse"))
    ]
    tables = _checkpoints.obstacles(unread)
    assert [(table.title, [row[0] for row in table.rows]) for table in tables] == [
        ("quantized", ["a"]),
        ("sparse", ["b", "e"]),
        ("unknown-type", ["c"]),
        ("view", ["d"]),
    ]
    assert {title for table in tables for title in (table.title, *table.columns)} <= weight_sharing.WORDS.keys()
