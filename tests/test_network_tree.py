"""A network to look at, from what really lies on disk: recordings of watched trainings, graphs that MindSpore wrote, checkpoints."""

from pathlib import Path

import pytest

from accucheck.errors import ReadError, UserError
from accucheck.language import Language
from accucheck.network import dumped, matching, sources, stored, telling, tree
from accucheck.network.tree import Network, SearchHit, abbreviates
from accucheck.readers import recordings
from accucheck.readers.graphs import Graph, Node, Parameter
from accucheck.readers.tensors import TensorInfo
from made_once import MadeOnce
from watched_runs import watched


def marked(network: Network) -> dict[str, list[str]]:
    return {
        mark: [telling.name_of(network, hit) for hit in hits]
        for mark in telling.ALL_MARKS
        if (hits := list(tree.each_marked(network, mark)))
    }


def weight(network: Network, name: str) -> tree.Weight:
    hit = network.at(name)
    assert hit is not None and hit.weight
    return network.weights[hit.number]


def told(network: Network, name: str, language: Language = Language.EN) -> dict[str, str]:
    hit = network.at(name)
    assert hit is not None
    return dict(telling.details(network, hit, language))


# --- recordings ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def remarkable(watched_runs: MadeOnce) -> Network:
    folder = recordings.latest(watched_runs["remarkable"])
    assert folder is not None
    return sources.read(folder, "watched")


@pytest.mark.mindspore
def test_a_recording_tells_of_cells_weights_and_what_is_remarkable(remarkable: Network) -> None:
    assert marked(remarkable) == {
        "never-called": ["spare"],
        "no-gradient": ["spare.weight", "spare.bias"],
        "shared": ["second.weight"],
        "frozen": ["first"],
    }
    assert (remarkable.title, remarkable.cells[0].kind) == ("Net", "__main__.Net")
    assert [remarkable.cells[user].name for user in weight(remarkable, "second.weight").users] == ["second", "third"]
    assert (
        weight(remarkable, "head.weight").optimizers == ["Momentum"] and not weight(remarkable, "first.bias").optimizers
    )
    assert weight(remarkable, "norm.moving_mean").state
    assert remarkable.first_bad is None


@pytest.mark.mindspore
def test_what_goes_in_and_comes_out_is_told_once_of_training_and_of_inference(remarkable: Network) -> None:
    found = told(remarkable, "head")
    assert found["In (training)"].startswith("16×16 float32 [0, ") and found["Out (training)"].startswith(
        "16×2 float32 ["
    )
    assert found["Called"] == "1× in a training step, 1× in a pass of inference"
    assert found["In (inference)"].startswith("16×16") and found["Made at"] == "train.py:21"
    assert told(remarkable, "spare", Language.ZH)["调用"] == "从未"
    (loss,) = (cell for cell in remarkable.cells if cell.label == "(CrossEntropyLoss)")
    assert [each.size for each in loss.traffic[0].given or ()] == ["16×2", "16"]


TOLD_APART = """
    import numpy as np
    import mindspore as ms
    from mindspore import Tensor, nn, ops

    class Encoder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.words, self.kinds, self.head = nn.Embedding(9, 4), nn.Embedding(2, 4), nn.Dense(4, 2)

        def construct(self, ids, kinds, mask, places, weight=None):
            held = (self.words(ids) + self.kinds(kinds)) * mask.expand_dims(-1) * weight
            return self.head(held.sum(1)) + places.astype(ms.float32).mean()

    net = Encoder()
    optimizer = nn.Adam(net.trainable_params())
    step = ms.value_and_grad(lambda *given: net(*given[:4], weight=given[4]).sum(), None, optimizer.parameters)
    ids, kinds = Tensor(np.ones((2, 7), np.int32)), Tensor(np.zeros((2, 7), np.int32))
    mask, places = Tensor(np.ones((2, 7), np.float32)), Tensor(np.arange(7, dtype=np.int32))
    for _ in range(3):
        optimizer(step(ids, kinds, mask, places, Tensor(np.float32(0.5)))[1])
"""


@pytest.mark.mindspore
def test_all_that_goes_into_a_network_is_shown(tmp_path: Path) -> None:
    """Of the inputs of BERT two were shown."""
    case = watched(tmp_path, TOLD_APART)
    network = sources.read(case.paths("watched")[0], "watch")
    top = next(cell for cell in network.cells if cell.kind.endswith("Encoder"))
    assert telling.flow(top).startswith("2×7, 2×7, 2×7, 7, +1 → 2×2 float32")
    told = dict(telling.details(network, SearchHit(False, top.number), Language.EN))
    (given,) = [value for key, value in told.items() if value.count(";") == 4]
    assert given.startswith("2×7 int32 [1, 1]") and given.endswith("- float32 [0.5, 0.5] 0.5±0")


MADE_ANEW = """
    import numpy as np
    import mindspore as ms
    from mindspore import Tensor, nn

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.head = nn.Dense(4, 2)

        def construct(self, x, y):
            return nn.CrossEntropyLoss()(self.head(x), y)

    net, beside, other = Net(), nn.MSELoss(), nn.MSELoss("sum")
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    x, y = Tensor(np.ones((2, 4), np.float32)), Tensor(np.zeros(2, np.int32))
    step = ms.value_and_grad(lambda x, y: net(x, y) + beside(x, x) + other(x, x), None, optimizer.parameters)
    for _ in range(12):
        optimizer(step(x, y)[1])
"""


SAME_CLASS = """
    import numpy as np
    import mindspore as ms
    from mindspore import Tensor, nn, ops

    class Net(nn.Cell):
        def __init__(self, wide):
            super().__init__()
            self.first, self.last = nn.Dense(4, wide), nn.Dense(wide, 2)

        def construct(self, x):
            return self.last(self.first(x))

    student, teacher, critic = Net(3), Net(5), Net(7)
    for one in teacher.get_parameters():
        one.requires_grad = False
    optimizer = nn.SGD(student.trainable_params(), 0.1)
    x = Tensor(np.ones((2, 4), np.float32))
    step = ms.value_and_grad(
        lambda x: ((student(x) - ops.stop_gradient(teacher(x))) ** 2).mean() + critic(x).mean(), None, optimizer.parameters
    )
    for _ in range(3):
        optimizer(step(x)[1])
"""


@pytest.mark.mindspore
def test_networks_of_one_class_are_told_apart(tmp_path: Path) -> None:
    """Student, teacher and critic: the calls of the third were taken for the second's, and it was said to be never called."""
    network = sources.read(watched(tmp_path, SAME_CLASS).paths("watched")[0], "watch")
    assert not any("never-called" in cell.marks for cell in network.cells)
    nets = [cell for cell in network.cells if cell.kind.endswith("Net")]
    assert len(nets) == 3 and sum("frozen" in net.marks for net in nets) == 1
    for net in nets:
        first = next(cell for cell in network.cells if cell.name == f"{net.name}.first")
        wide = next(
            weight.shape[0] for weight in network.weights if weight.cell == first.number and len(weight.shape) == 2
        )
        assert first.traffic[0].gave[0].shape == (2, wide) and first.traffic[0].times == 1


@pytest.mark.mindspore
def test_a_loss_that_each_call_makes_anew_is_one_cell(tmp_path: Path) -> None:
    """Each step had a loss of its own in the tree, and those of steps that were not looked at closely were said to be never called."""
    network = sources.read(watched(tmp_path, MADE_ANEW).paths("watched")[0], "watch")
    losses = [cell for cell in network.cells if cell.kind.endswith("Loss")]
    assert sorted(cell.kind.rpartition(".")[2] for cell in losses) == ["CrossEntropyLoss", "MSELoss", "MSELoss"]
    assert all(cell.traffic and not cell.marks for cell in losses)


@pytest.mark.mindspore
def test_nan_is_shown_where_it_begins(watched_runs: MadeOnce) -> None:
    folder = recordings.latest(watched_runs["nan"])
    assert folder is not None
    network = sources.read(folder, "watched")
    assert network.first_bad is not None
    assert telling.summary(network, Language.EN)[0].startswith("The first tensor with NaN or Inf: step 2, output of ")
    assert set(marked(network)) >= {"bad", "not-finite-gradient"}
    assert network.first_bad == tree.FirstBad(
        next(cell.number for cell in network.cells if "bad" in cell.marks), 2, True
    )


# --- graphs and checkpoints ---------------------------------------------------------------------------------------------


@pytest.mark.mindspore
@pytest.mark.parametrize("part", ["ir", "summary", "net.mindir"])
def test_a_dumped_graph_has_layers_operations_and_weights_with_their_users(real_graphs: MadeOnce, part: str) -> None:
    network = sources.read(real_graphs["left_out"] / part, part)
    assert marked(network).get("unused", []) == ([] if part == "net.mindir" else ["block.shortcut.weight"])
    kernel = weight(network, "block.conv1.weight")
    assert (kernel.shape, kernel.type) == ((4, 1, 3, 3), "float32")
    users = [network.cells[user] for user in kernel.users]
    assert any(user.kind == "Conv2D" and user.name.startswith("block.conv1.") for user in users)
    convolution = next(user for user in users if user.kind == "Conv2D")
    assert convolution.gave is not None and convolution.gave.size == "2×4×8×8"
    assert "block.conv1.weight" in convolution.inputs
    assert network.at("block.bn2") is not None and network.cells[0].held == (227 if part == "net.mindir" else 231)


@pytest.mark.mindspore
def test_a_checkpoint_has_weights_alone_and_their_ranges(real_graphs: MadeOnce) -> None:
    network = sources.read(real_graphs["residual"] / "initial.ckpt", "initial.ckpt")
    assert network.at("block.shortcut") == SearchHit(
        False, network.cells[weight(network, "block.shortcut.weight").cell].number
    )
    assert weight(network, "block.bn1.gamma").values == tree.Tensor((4,), "float32", 1.0, 1.0, 1.0, 0.0, 0.0)
    assert [note.code for note in network.notes] == ["graph-weights-only"]


def infos(*weights: tuple[str, tuple[int, ...]]) -> Network:
    return stored.of_tensors([TensorInfo(name, "float32", shape, "x") for name, shape in weights], "x", "ckpt")


def test_beside_the_benchmark_each_cell_has_its_counterpart() -> None:
    own = infos(
        ("net.conv1.weight", (4, 3, 3, 3)), ("net.bn1.gamma", (4,)), ("net.head.weight", (2, 9)), ("net.own.bias", (7,))
    )
    other = infos(
        ("conv1.weight", (4, 3, 3, 3)), ("bn1.weight", (4,)), ("head.weight", (3, 8)), ("extra.weight", (5, 5))
    )
    found = matching.put(own, other)
    assert marked(own) == {"other-shape": ["net.head.weight"], "only-here": ["net.own.bias"]}
    cells = {own.cells[one].name: other.cells[there].name for one, there in found.cells.items()}
    assert cells["net.bn1"] == "bn1" and cells["net.conv1"] == "conv1" and cells["net"] == ""
    assert [other.weights[number].name for number in found.only_there] == ["extra.weight"]
    assert dict(telling.details(own, own.at("net.bn1.gamma"), Language.EN, found))["In the benchmark"].startswith(
        "bn1.weight"
    )  # type: ignore[arg-type]


def test_what_is_not_known_of_the_benchmark_is_told_as_of_it() -> None:
    own, other = infos(("a.weight", (4,))), infos(("a.weight", (4,)))
    own.notes, other.notes = [], [tree.Note("graph-no-calls", {})]
    other.source = "there"
    for language in Language:
        lines = telling.summary(own, language, matching.put(own, other))
        assert lines[-1].startswith("there") and "--mode pynative" in lines[-1]
    own.notes = list(other.notes)
    assert sum("--mode pynative" in line for line in telling.summary(own, Language.EN, matching.put(own, other))) == 1


# --- search -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "name", "holds"),
    [
        ("3bg", "layer3.0.bn1.gamma", True),
        ("30bg", "layer3.0.bn1.gamma", True),
        ("11q", "encoder.layer.11.attention.self.query.weight", True),
        ("lnw", "output.LayerNorm.weight", True),
        ("ayg", "layer3.0.bn1.gamma", False),
        ("gb", "bn1.gamma", False),
        ("11", "layer.1", False),
        ("", "a", True),
    ],
)
def test_letters_begin_parts_of_a_name(word: str, name: str, holds: bool) -> None:
    assert abbreviates(word, name) is holds


def deep() -> Network:
    """The parameters of a ResNet-50 and of a BERT-base, by their usual names."""
    names = ["conv1.weight", *(f"bn1.{leaf}" for leaf in ("gamma", "beta", "moving_mean", "moving_variance"))]
    for layer, blocks in enumerate((3, 4, 6, 3), 1):
        for block in range(blocks):
            for at in (1, 2, 3):
                names += [f"layer{layer}.{block}.conv{at}.weight"]
                names += [
                    f"layer{layer}.{block}.bn{at}.{leaf}"
                    for leaf in ("gamma", "beta", "moving_mean", "moving_variance")
                ]
    for layer in range(12):
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            names += [f"bert.encoder.layer.{layer}.{part}.{leaf}" for leaf in ("weight", "bias")]
        for part in ("attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"):
            names += [f"bert.encoder.layer.{layer}.{part}.{leaf}" for leaf in ("weight", "bias")]
    return infos(*((name, (1,)) for name in names))


def test_three_keys_lead_to_every_parameter() -> None:
    """Some three letters put each of 437 among the ten that a screen shows first."""
    network = deep()
    found: set[int] = set()
    asked: set[str] = set()
    for number, one in enumerate(network.weights):
        starts = [one.name.lower()[match.start() :] for match in tree._WORD.finditer(one.name)]
        for at, first in enumerate(starts):
            for second in range(at + 1, len(starts)):
                for third in range(second + 1, len(starts)):
                    query = first[0] + starts[second][0] + starts[third][0]
                    if number not in found and query not in asked:
                        asked.add(query)
                        found |= {hit.number for hit in network.find(query, 10) if hit.weight}
                query = first[:2] + starts[second][0] if len(first) > 1 and first[1].isdigit() else ""
                if query and number not in found and query not in asked:
                    asked.add(query)
                    found |= {hit.number for hit in network.find(query, 10) if hit.weight}
    assert len(network.weights) == 437
    assert [network.weights[number].name for number in range(437) if number not in found] == []


def test_a_class_is_found_too(tmp_path: Path) -> None:
    graph = Graph("g", "IR", "g", [Node("1", "MatMul", "Default/net-Net/fc-Dense", ("fc.weight",))], [], ["1"])
    network = dumped.of_graph(graph, "g")
    assert [telling.name_of(network, hit) for hit in network.find("dense")] == ["net.fc"]
    assert [telling.name_of(network, hit) for hit in network.find("net matmul")] == ["net.fc.MatMul:1"]


# --- bad input ----------------------------------------------------------------------------------------------------------


def test_names_that_lead_in_a_circle_end() -> None:
    nodes = [
        Node("1", "Load", "Default/a-A/b-B/a-A", ("2",)),
        Node("2", "Load", "Default/a-A", ("1",)),
        Node("3", "Add", "Default/a-A", ("1", "3", "w.weight")),
    ]
    network = dumped.of_graph(Graph("g", "IR", "g", nodes, [Parameter("w.weight", "float32", (1,))], ["3"]), "g")
    (added,) = (cell for cell in network.cells if cell.kind == "Add")
    assert added.inputs == [added.name, "w.weight"]
    assert [cell.name for cell in network.cells] == ["", "a", "a.Add:3"]


def test_a_graph_of_very_many_operations_has_them_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumped, "LISTED", 10)
    nodes = [Node(str(number), "Add", f"Default/l{number % 2}-Layer", ()) for number in range(20)]
    network = dumped.of_graph(Graph("g", "IR", "g", nodes, [], []), "g")
    assert [telling.row(network, SearchHit(False, number), Language.EN)[:2] for number in (1, 2)] == [
        ["l0", "Layer ×10"],
        ["l1", "Layer ×10"],
    ]
    assert [note.code for note in network.notes] == ["graph-counted"]
    monkeypatch.setattr(tree, "MAX_CELLS", 2)
    with pytest.raises(ReadError) as caught:
        dumped.of_graph(Graph("g", "IR", "g", nodes, [], []), "g")
    assert caught.value.code == "graph-too-large"


def test_names_without_end_are_cut() -> None:
    network = infos((".".join("a" * 5000), (1,)))
    assert max(cell.depth for cell in network.cells) == tree.DEEPEST


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (b"not a network", "unknown-format"),
        (b'{"recording": 1}\n', "graph-no-network"),
        (b'{"recording": 1}\n{"fact": "network", "number": 0, "class": 3, "cells": []}\n', "malformed"),
    ],
)
def test_what_is_no_network_says_so(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "user.jsonl"
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        sources.read(path, "user.jsonl")
    assert caught.value.code == code, caught.value


def test_a_recording_is_called_so_in_the_language_of_the_reader() -> None:
    network = infos(("a.weight", (4,)))
    network.format = "recording"
    assert "（运行记录：x）" in telling.head(network, Language.ZH) and "(recording: x)" in telling.head(
        network, Language.EN
    )
    network.format = "MindIR"
    assert "（MindIR：x）" in telling.head(network, Language.ZH)
