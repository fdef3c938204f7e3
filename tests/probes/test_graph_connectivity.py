"""graph_connectivity on graphs that MindSpore wrote, of networks that are connected and that are not."""

import shutil
from pathlib import Path

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding, Language, Level, Verdict, suggest
from accucheck.probe import Skip
from accucheck.probes import graph_connectivity
from accucheck.probes._checkpoints import ckpt
from accucheck.probes._graphs import ir
from accucheck.probes.graph_connectivity import EXAMPLES, Params, _step
from graph_files import CONNECTED

real = [pytest.mark.slow, pytest.mark.mindspore]


def examine(root: Path, path: str, params: Params = Params(), **checkpoints: str) -> list[Finding]:
    spec = msgspec.convert({"graphs": {"path": path}, "checkpoints": checkpoints}, CaseFile)
    events = graph_connectivity.run(Case(root=str(root), spec=spec), params)
    found = [event for event in events if isinstance(event, Finding)]
    for finding in found:
        for language in Language:
            assert "{" not in probe.message(graph_connectivity, finding.code, finding.data, language)
    return found


def told(found: list[Finding]) -> list[tuple[str, Level, str | None]]:
    return [(event.code, event.level, event.where.name) for event in found if event.level is not Level.INFO]


def codes(found: list[Finding]) -> set[str]:
    return {finding.code for finding in found}


class TestReal:
    pytestmark = real

    @pytest.mark.parametrize("name", CONNECTED)
    @pytest.mark.parametrize("what", ["ir", "summary", "ir/ms_output_optimize.pb"])
    def test_a_training_graph_of_a_connected_network_is_ok(self, name, what, real_graphs):
        found = examine(real_graphs[name], what)
        assert suggest(found) is Verdict.OK and codes(found) == {"examined"}
        data = found[-1].data
        assert data["weights"] == data["used"] >= 9

    @pytest.mark.parametrize("name", CONNECTED)
    def test_mindir_of_a_connected_network_is_ok_beside_its_checkpoint(self, name, real_graphs):
        folder = real_graphs[name]
        assert suggest(examine(folder, "net.mindir", initial="initial.ckpt")) is Verdict.OK
        alone = examine(folder, "net.mindir")
        assert suggest(alone) is Verdict.UNDECIDED and codes(alone) == {"removed", "examined"}

    @pytest.mark.parametrize("what", ["ir", "summary"])
    def test_a_layer_that_is_never_called(self, what, real_graphs):
        found = examine(real_graphs["left_out"], what)
        assert told(found) == [("unused-layer", Level.PROBLEM, "block.shortcut")]
        assert found[0].data["updates"] == "AdamWeightDecay" and found[0].data["names"] == ["block.shortcut.weight"]

    def test_a_layer_that_is_never_called_is_missing_in_mindir(self, real_graphs):
        found = examine(real_graphs["left_out"], "net.mindir", initial="initial.ckpt")
        assert told(found) == [("not-in-graph", Level.SUSPECT, "block.shortcut")]

    @pytest.mark.parametrize("what", ["ir", "summary"])
    def test_a_result_that_is_thrown_away(self, what, real_graphs):
        found = examine(real_graphs["thrown_away"], what)
        assert told(found) == [("result-unused", Level.PROBLEM, "block.bn2")]
        assert found[0].data["operation"] == "BatchNorm"

    def test_what_is_seen_in_part_is_no_problem(self, real_graphs):
        found = examine(real_graphs["loop"], "ir")
        assert told(found) == [("maybe-unused-layer", Level.SUSPECT, "unused")]
        assert "partial" in codes(found)
        found = examine(real_graphs["loop"], "summary")
        assert not told(found) and {"partial", "nothing-reaches"} <= codes(found)
        assert suggest(found) is Verdict.UNDECIDED

    def test_the_table_of_layers(self, real_graphs):
        table = examine(real_graphs["residual"], "net.mindir")[-1].evidence[0]
        rows = {row[0]: row[1:] for row in table.rows}
        assert rows["block-Block/conv1-Conv2d"] == ["Conv2D", "block.conv1.weight"]
        assert rows["fc-Dense"] == ["MatMul, BiasAdd", "fc.weight, fc.bias"]
        assert rows["block-Block"] == ["ReLU ×2, Add", ""]

    def test_a_checkpoint_of_another_network_is_not_compared(self, real_graphs):
        found = examine(real_graphs["residual"], "net.mindir", initial=str(real_graphs["transformer"] / "initial.ckpt"))
        assert not told(found) and {"other-network", "removed"} <= codes(found)


@pytest.fixture
def healthy(tmp_path: Path) -> Path:
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "a.pb").write_bytes(_step("fc2.weight"))
    return tmp_path


def test_what_cannot_be_read_is_told_and_the_rest_examined(healthy):
    (healthy / "graphs" / "b.pb").write_bytes(_step("fc2.weight")[:-9])
    (healthy / "graphs" / "c.mindir").write_text("no graph at all")
    (healthy / "graphs" / "notes.txt").write_text("not looked at")
    found = examine(healthy, "graphs")
    assert suggest(found) is Verdict.UNDECIDED
    assert [finding.where.path for finding in found if finding.code == "unreadable"] == [
        "graphs/b.pb",
        "graphs/c.mindir",
    ]
    assert found[-1].data["graphs"] == 1


def test_a_checkpoint_that_cannot_be_read_is_told(healthy):
    (healthy / "net.ckpt").write_text("no checkpoint")
    found = examine(healthy, "graphs", initial="net.ckpt", current="none.ckpt")
    assert [finding.where.path for finding in found if finding.code == "unreadable"] == ["net.ckpt", "none.ckpt"]
    assert suggest(found) is Verdict.UNDECIDED


def test_nothing_to_read_is_never_ok(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(Skip):
        examine(tmp_path, "empty")
    with pytest.raises(ReadError, match="does not exist"):
        examine(tmp_path, "none")
    (tmp_path / "cut.pb").write_bytes(_step("fc2.weight")[:40])
    with pytest.raises(ReadError, match="truncated"):
        examine(tmp_path, "cut.pb")


def test_a_weight_that_another_graph_uses_is_not_unused(healthy):
    (healthy / "graphs" / "b.pb").write_bytes(_step("fc1.weight"))
    assert suggest(examine(healthy, "graphs")) is Verdict.OK


def test_weight_decay_alone_is_no_use(tmp_path):
    nodes = [
        ("Default/fc-Dense", "MatMul", ["x", "fc.weight"]),
        ("Gradients/Default/fc-Dense/Grad_MatMul", "MatMul", ["1", "x"]),
        ("Default", "Load", ["spare.weight"]),
        ("Default", "Mul", ["3", "3"]),
        ("Default", "ApplyMomentum", ["spare.weight", "moments.spare.weight", "4"]),
        ("Default", "ApplyMomentum", ["fc.weight", "moments.fc.weight", "2"]),
        ("Default", "UpdateState", ["5", "6"]),
        ("Default", "Depend", ["1", "7"]),
    ]
    names = ["fc.weight", "spare.weight", "moments.fc.weight", "moments.spare.weight"]
    (tmp_path / "net.pb").write_bytes(ir(nodes, names))
    assert told(examine(tmp_path, "net.pb")) == [("unused-layer", Level.PROBLEM, "spare")]


def test_hostile_names_and_circles_do_no_harm(tmp_path):
    nodes = [
        ("[red]Default/\x1b[2J", "Load", ["2"]),
        ("", "Depend", ["1"]),
        ("", "MatMul", ["4", "a.[b]w\x1b"]),
        ("", "MatMul", ["3", "1"]),
    ]
    (tmp_path / "net.pb").write_bytes(ir(nodes, ["a.[b]w\x1b", "b." * 50 + "w"]))
    found = examine(tmp_path, "net.pb")
    assert told(found)[0][:2] == ("maybe-unused-layer", Level.SUSPECT)
    msgspec.json.encode(found)


def test_many_layers_are_bounded(tmp_path):
    nodes = [("Default", "MatMul", ["x", "fc.weight"])]
    nodes += [("Default", "SGD", [f"layer{n}.w", "x"]) for n in range(300)]
    nodes += [("Default", "Depend", ["1", "2"])]
    (tmp_path / "net.pb").write_bytes(ir(nodes, ["fc.weight", *(f"layer{n}.w" for n in range(300))]))
    found = told(examine(tmp_path, "net.pb"))
    assert len(found) == 101 and found[-1] == ("more", Level.PROBLEM, None)


def test_a_fresh_result_is_asked_for_when_a_checkpoint_changes():
    keys = {key for need in graph_connectivity.NEEDS for key in ((need,) if isinstance(need, str) else need)}
    assert {"checkpoints.initial", "checkpoints.current"} < keys
    spec = msgspec.convert({"graphs": {"path": "graphs"}}, CaseFile)
    assert not probe.missing(graph_connectivity, Case(root=".", spec=spec))


def test_examples_are_read_from_a_folder_or_a_file(tmp_path):
    EXAMPLES[1].lay_out(tmp_path)
    shutil.copy(tmp_path / "graphs" / "ms_output_optimize.pb", tmp_path / "one")
    assert told(examine(tmp_path, "graphs")) == told(examine(tmp_path, "one"))


def graph(tmp_path: Path, nodes: list[tuple[str, str, list[str]]], *names: str, **checkpoints: str) -> list[Finding]:
    (tmp_path / "net.pb").write_bytes(ir(nodes, [*names]))
    return examine(tmp_path, "net.pb", **checkpoints)


def test_many_layers_that_nothing_updates_are_suspects(tmp_path):
    nodes = [("Default", "MatMul", ["x", "fc.weight"])]
    found = graph(tmp_path, nodes, "fc.weight", *(f"layer{n}.w" for n in range(101)))
    assert [level for _, level, _ in told(found)] == [Level.SUSPECT] * 101
    assert told(found)[-1][0] == "more" and found[100].data == {"count": 1}
    assert "more" not in codes(graph(tmp_path, nodes, "fc.weight", *(f"layer{n}.w" for n in range(100))))


def test_a_result_that_goes_nowhere(tmp_path):
    """What leads to it is told with the operation at its end, also where several operations are between."""
    nodes = [
        ("Default/fc", "MatMul", ["x", "fc.weight"]),
        ("Default/aux", "MatMul", ["x", "aux.conv.weight"]),
        ("Default/aux", "BiasAdd", ["2", "aux.conv.bias"]),
        ("Default/aux", "ReLU", ["3"]),
        ("Default", "Depend", ["1", "x"]),
    ]
    names = ["fc.weight", "aux.conv.weight", "aux.conv.bias"]
    found = graph(tmp_path, nodes, *names)
    assert told(found) == [("result-unused", Level.SUSPECT, "aux")]
    assert found[0].data["operation"] == "ReLU" and found[0].data["names"] == names[1:]
    nodes.insert(-1, ("Default", "ApplyMomentum", ["aux.conv.weight", "moments.aux.conv.weight", "x"]))
    nodes[-1] = ("Default", "Depend", ["1", "5"])
    assert told(graph(tmp_path, nodes, *names, "moments.aux.conv.weight")) == [("result-unused", Level.PROBLEM, "aux")]


@pytest.mark.parametrize("op", ["ScalarSummary", "Print", "TensorDump"])
def test_what_is_only_printed_does_not_go_nowhere(tmp_path, op):
    nodes = [
        ("Default/fc", "MatMul", ["x", "fc.weight"]),
        ("Default/aux", "MatMul", ["x", "aux.weight"]),
        ("Default/aux", op, ["2"]),
        ("Default", "Depend", ["1", "3"]),
    ]
    assert told(graph(tmp_path, nodes, "fc.weight", "aux.weight")) == [("maybe-unused-layer", Level.SUSPECT, "aux")]


@pytest.mark.parametrize("op", ["Shape", "ZerosLike", "MatMul"])
def test_a_weight_of_which_only_the_shape_is_used_is_not_used(tmp_path, op):
    nodes = [
        ("Default/fc", "MatMul", ["x", "fc.weight"]),
        ("Default/aux", op, ["aux.weight"]),
        ("Default/fc", "Add", ["1", "2"]),
    ]
    found = told(graph(tmp_path, nodes, "fc.weight", "aux.weight"))
    assert [name for _, _, name in found] == ([] if op == "MatMul" else ["aux"])


def test_only_the_first_input_of_depend_is_handed_on(tmp_path):
    for inputs, unused in ((["1", "2"], ["aux"]), (["2", "1"], ["fc"])):
        nodes = [
            ("Default/fc", "MatMul", ["x", "fc.weight"]),
            ("Default/aux", "MatMul", ["x", "aux.weight"]),
            ("Default", "Depend", inputs),
        ]
        found = told(graph(tmp_path, nodes, "fc.weight", "aux.weight"))
        assert [name for _, _, name in found] == unused


@pytest.mark.parametrize(
    "name", ["bn.moving_mean", "bn.running_var", "bn.num_batches_tracked", "net.ema.weight", "a.step"]
)
def test_what_is_kept_beside_the_weights_need_not_lead_anywhere(tmp_path, name):
    found = graph(tmp_path, [("Default/fc", "MatMul", ["x", "fc.weight"])], "fc.weight", name)
    assert not told(found) and found[-1].data["weights"] == 1


def test_a_graph_in_which_no_weight_leads_anywhere_is_not_judged(tmp_path):
    found = graph(tmp_path, [("Default", "ReLU", ["x"])], "fc.weight", "conv.weight")
    assert not told(found) and codes(found) == {"nothing-reaches", "removed", "examined"}
    assert "nothing-reaches" not in codes(graph(tmp_path, [("Default", "ReLU", ["x"])]))


def test_what_a_checkpoint_has_and_the_graph_has_not(tmp_path):
    """Of a checkpoint with half of the graph's weights at least; what is kept beside weights, or known, does not count."""
    weights = {
        name: ([2], [1.0, 2.0]) for name in ("a.weight", "gone.weight", "gone.bias", "gone.moving_mean", "aux.weight")
    }
    (tmp_path / "net.ckpt").write_bytes(ckpt(weights))
    nodes = [("Default/a", "MatMul", ["x", "a.weight"]), ("Default/b", "MatMul", ["1", "b.weight"])]
    found = graph(tmp_path, nodes, "a.weight", "b.weight", current="net.ckpt")
    assert told(found) == [("not-in-graph", Level.SUSPECT, "gone"), ("not-in-graph", Level.SUSPECT, "aux")]
    assert found[0].data["names"] == ["gone.weight", "gone.bias"] and "removed" not in codes(found)
    known = examine(tmp_path, "net.pb", Params(known=("GONE.*",)), current="net.ckpt")
    assert told(known) == [("not-in-graph", Level.SUSPECT, "aux")]

    more = [*nodes, ("Default/c", "MatMul", ["2", "c.weight"])]
    found = graph(tmp_path, more, "a.weight", "b.weight", "c.weight", current="net.ckpt")
    assert not told(found) and {"other-network", "removed"} < codes(found)
    other = next(finding for finding in found if finding.code == "other-network")
    assert (other.data["shared"], other.data["count"], other.incomplete) == (1, 3, True)
