"""accucheck curves: runs of several formats laid over each other, as a table, JSON and a page, and what it cannot read."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from tensorboardX import SummaryWriter

from accucheck import board
from accucheck import case as cases
from accucheck.errors import ReadError
from accucheck.language import Language
from accucheck.model import Curve
from accucheck.network import matching, sources, stored
from accucheck.readers.tensors import TensorInfo
from browser import CHROMIUM, browser
from command_line import accucheck
from made_once import MadeOnce
from watched_runs import watched

LOG = "".join(f"step: {step}, loss is {2 / step:.4f}\n" for step in range(1, 41))


def logs(folder: Path) -> None:
    (folder / "a.log").write_text(LOG)
    rows = "".join(f"{step},{'nan' if step == 7 else 3 / step},{0.1 / step}\n" for step in range(1, 21))
    (folder / "b.csv").write_text(f"step,loss,lr\n{rows}")


def test_runs_of_logs_are_laid_over_each_other(tmp_path: Path) -> None:
    logs(tmp_path)
    ran = accucheck("curves", "a.log", "b.csv", cwd=tmp_path)
    assert ran.code == 0, ran
    assert [line.split() for line in ran.out.splitlines()] == [
        ["Curve", "Run", "Points", "First", "Last", "Lowest", "Highest", "NaN/Inf"],
        ["loss", "a.log", "40", "2", "0.05", "0.05", "2"],
        ["loss", "b.csv", "20", "3", "0.15", "0.15", "3", "1"],
        ["lr", "b.csv", "20", "0.1", "0.005", "0.005", "0.1"],
    ]
    only = accucheck("curves", "b.csv", "--only", "LR", "--json", cwd=tmp_path)
    (run,) = json.loads(only.out)["runs"]
    assert list(run["curves"]) == ["lr"] and run["curves"]["lr"]["steps"] == list(range(1, 21))
    loss = json.loads(accucheck("curves", "b.csv", "--json", cwd=tmp_path).out)["runs"][0]["curves"]["loss"]
    assert loss["values"][6] == "nan"


@pytest.mark.mindspore
def test_a_watched_project_has_gradients_by_layer_and_its_optimizer(watched_runs: MadeOnce, tmp_path: Path) -> None:
    root = watched_runs["nan"]
    ran = accucheck("curves", "-p", str(root), "--lang", "zh", "-o", str(tmp_path / "c.html"))
    assert ran.code == 0 and "已写出" in ran.err, ran
    (folder,) = (root / ".accucheck/watch").iterdir()
    found = board.gather([(folder, "watch")])
    assert [run.name for run in found.runs] == ["watch: pynative"] and {"loss", "lr"} <= set(found.runs[0].columns)
    heat = found.heat["heat", "watch: pynative"]
    assert "head.weight" in heat.rows and heat.marked
    assert [each.optimizer for each in found.settings] == ["Momentum"] and "train.py" in found.settings[0].command


def test_a_recording_that_is_named_twice_is_shown_once(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    logs(tmp_path / "runs")
    logs(tmp_path)
    of = cases.load(tmp_path, ["watched=runs", "curves.train=runs/a.log", "curves.eval=b.csv"])
    assert [path.relative_to(tmp_path).as_posix() for path in board.of_case(of)] == ["runs", "b.csv"]


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.mindspore
def test_the_page_in_a_browser(watched_runs: MadeOnce, tmp_path: Path) -> None:
    logs(tmp_path)
    (tmp_path / "wild.csv").write_text("step,</script><img src=x>\n1,2\n2,3\n")
    (folder,) = (watched_runs["nan"] / ".accucheck/watch").iterdir()
    names = ("a.log", "b.csv", "wild.csv")
    found = board.gather([*((tmp_path / name, name) for name in names), (folder, "watch")])
    (tmp_path / "page.html").write_bytes(board.write(found, Language.EN))
    with browser() as opened:
        opened.open(tmp_path / "page.html")
        assert opened.evaluate("document.body.dataset.ready") == "yes" and not opened.complaints
        assert len(opened.requests) == 1 and opened.evaluate("document.images.length") == 0
        lines = "document.querySelectorAll('figure[data-name=loss] path').length"
        assert opened.evaluate(lines) == 3
        assert opened.evaluate("document.querySelectorAll('figure[data-name=loss] text.bad').length") >= 1
        opened.evaluate("document.querySelector('#runs label input').click()")
        assert opened.evaluate(lines) == 2
        opened.evaluate("document.querySelector('figure[data-name=loss] input').click()")
        assert opened.evaluate(lines) == 2
        assert opened.evaluate("document.querySelectorAll('figure.wide rect').length") > 10
        heat = "document.querySelector('figure.wide svg')"
        assert 0 < opened.evaluate(f"{heat}.getBoundingClientRect().width - {heat}.viewBox.baseVal.width + 1") <= 1.5
        assert "Momentum" in opened.evaluate("document.querySelector('table').textContent")


def test_runs_by_epoch_are_not_drawn_among_those_by_step(tmp_path: Path) -> None:
    logs(tmp_path)
    (tmp_path / "epochs.csv").write_text("epoch,loss,acc\n1,2,0.1\n2,1,0.3\n")
    names = ("a.log", "epochs.csv")
    found = board.gather([(tmp_path / name, name) for name in names])
    laid = {
        title: (axis, [names[number] for number, _ in lines])
        for title, axis, lines in board.laid_over(found, Language.EN)
    }
    assert laid["loss (step)"] == ("step", ["a.log"]) and laid["loss (epoch)"] == ("epoch", ["epochs.csv"])
    assert laid["acc"] == ("epoch", ["epochs.csv"])
    titles = [title for title, _ in board.charts(found, Language.ZH)]
    assert titles[:2] == ["loss (step)", "loss (epoch)"]


def test_the_folder_of_all_runs_is_not_told_beside_each(tmp_path: Path) -> None:
    (tmp_path / "runs/deep").mkdir(parents=True)
    for name in ("runs/a.csv", "runs/deep/a.csv"):
        (tmp_path / name).write_text("step,loss\n1,2\n2,1\n")
    found = board.gather([(tmp_path / name, name) for name in ("runs/a.csv", "runs/deep/a.csv")])
    ((_, chart),) = board.charts(found, Language.EN)
    assert isinstance(chart, Curve) and [*chart.series] == ["a.csv", "deep/a.csv"]
    assert [run.name for run in found.runs] == ["runs/a.csv", "runs/deep/a.csv"]


def test_layers_and_histograms_are_drawn_as_maps(tmp_path: Path) -> None:
    """Of each layer that a monitor kept, with NaN marked; and of the numbers of a tensor, the share that lies where, step by step."""
    rows = [
        f"0,layers.{at}.weight,{step},{'nan' if (step, at) == (4, 1) else 10.0**-at},-2"
        for step in range(6)
        for at in range(9)
    ]
    (tmp_path / "grad_reduced_0-5.csv").write_text("\n".join(["vpp_stage,name,step,norm,min", *rows]) + "\n")
    with SummaryWriter(str(tmp_path / "board")) as writer:
        for step in range(5):
            writer.add_histogram("weight", np.linspace(step, step + 1, 200), step)
    shutil.copy(Path(__file__).parent / "trackers/run.wandb", tmp_path / "run.wandb")
    found = board.gather([(tmp_path, "all")])
    kinds = {of: (kind, heat) for (kind, of), heat in found.heat.items()}
    kind, norms = next(told for of, told in kinds.items() if of.endswith("grad_reduced/norm"))
    assert kind == "by-layer" and norms.rows == [f"layers.{at}.weight" for at in range(9)] and norms.marked == [[1, 4]]
    minimum = next(heat for of, (_, heat) in kinds.items() if of.endswith("grad_reduced/min"))
    assert minimum.values[0] == [2.0] * 6
    weight = next(heat for of, (kind, heat) in kinds.items() if kind == "histogram" and of.endswith("board/weight"))
    assert weight.columns == ["0", "1", "2", "3", "4"]
    shares = np.array([[one or 0.0 for one in row] for row in weight.values])
    np.testing.assert_allclose(shares.sum(axis=0), 1)
    middles = (shares * np.arange(len(shares))[:, None]).sum(axis=0)
    assert (np.diff(middles) < -3).all()  # the numbers grow: rows go from the highest down
    assert any(kind == "histogram" and of.endswith("weights") for of, (kind, _) in kinds.items())
    assert not any("layers" in title for title, _, _ in board.laid_over(found, Language.EN))
    ran = accucheck("curves", ".", "--lang", "zh", cwd=tmp_path)
    assert (
        ran.code == 0 and f"另有 {len(found.heat)} 张" in ran.err and "grad_reduced/norm/layers.8.weight" in ran.out
    ), ran
    (given,) = (each for each in found.settings if "lr=0.1" in each.arguments)
    assert "batch=16" in given.arguments and "optimizer={" in given.arguments
    page = board.write(found, Language.ZH).decode()
    assert "直方图随时间的变化" in page and "lr=0.1" in page


def test_thinning_loses_no_extreme_and_no_nan() -> None:
    values = [math.sin(step) for step in range(100_000)]
    values[31_415], values[27_182], values[99_000] = 9.0, -9.0, math.nan
    places, kept = board.thinned(list(range(100_000)), values)
    assert len(kept) <= board.POINTS + 2 and {9.0, -9.0, "nan"} <= set(kept)
    assert places == sorted(places) and places[0] == 0 and places[-1] == 99_999


def test_what_cannot_be_read_is_said_and_the_rest_shown(tmp_path: Path) -> None:
    logs(tmp_path)
    (tmp_path / "text.log").write_text("no curve here\n")
    ran = accucheck("curves", "a.log", "text.log", "gone.log", cwd=tmp_path)
    assert ran.code == 0 and "a.log" in ran.out and "gone.log" in ran.err and "text.log" in ran.err, ran
    for arguments, said in ((("gone.log",), "gone.log"), (("a.log", "--only", "nothing"), "nothing")):
        ran = accucheck("curves", *arguments, cwd=tmp_path)
        assert ran.code == 2 and said in ran.err and "Traceback" not in ran.err, ran
    (tmp_path / "bare").mkdir()
    ran = accucheck("curves", "-p", str(tmp_path / "bare"))
    assert ran.code == 2 and "names no curves" in ran.err, ran


def test_a_board_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs(tmp_path)
    monkeypatch.setattr(board, "RUNS", 1)
    monkeypatch.setattr(board, "CURVES", 1)
    found = board.gather([(tmp_path / "b.csv", "b"), (tmp_path / "a.log", "a")])
    assert len(found.runs) == 1 and len(found.runs[0].columns) == 1 and found.left == (1, 1, 0)
    assert board.notes(found, Language.EN)[0].startswith("1 more curves are left out")
    with pytest.raises(ReadError):
        board.gather([(tmp_path / "gone", "gone")])


@pytest.mark.mindspore
def test_networks_that_take_turns_are_told_apart(tmp_path: Path) -> None:
    """Two networks of one form and with the same names, each with an optimizer of its own: in curves, map, graph and beside."""
    script = """
        import mindspore as ms
        import numpy as np
        from mindspore import nn, ops

        class Maker(nn.Cell):
            def __init__(self):
                super().__init__()
                self.layer = nn.Dense(4, 4)

            def construct(self, x):
                return self.layer(x)

        class Judge(Maker):
            pass

        maker, judge = Maker(), Judge()
        of_judge = nn.SGD(judge.trainable_params(), 0.1)
        of_maker = nn.SGD(maker.trainable_params(), 0.01)
        judged = ms.value_and_grad(lambda x, z: judge(ops.stop_gradient(maker(z))).mean() - judge(x).mean(), None, of_judge.parameters)
        made = ms.value_and_grad(lambda z: -judge(maker(z)).mean(), None, of_maker.parameters)
        for step in range(3):
            x, z = (ms.Tensor(np.random.randn(8, 4), ms.float32) for _ in range(2))
            of_judge(judged(x, z)[1])
            of_maker(made(z)[1])
        """
    (folder,) = watched(tmp_path, script).paths("watched")
    found = board.gather([(folder, "now")])
    names = set(found.runs[0].columns)
    assert {"Judge.loss", "Maker.loss", "Judge.lr", "Maker.lr", "seconds"} <= names
    assert not any(name.startswith("opt") for name in names)
    assert set(found.runs[0].columns["Maker.lr"].values.round(6).tolist()) == {0.01}
    (heat,) = found.heat.values()
    assert {row.partition(".")[0] for row in heat.rows} == {"Judge", "Maker"} and len(set(heat.rows)) == 4
    assert {one.optimizer for one in found.settings} == {"SGD (Judge)", "SGD (Maker)"}
    network = sources.read(folder, "now")
    there = [
        TensorInfo(f"{cell}.layer.{leaf}", "float32", shape, "there")
        for cell in ("Judge", "Maker")
        for leaf, shape in (("weight", (4, 4)), ("bias", (4,)))
    ]
    for order in (there, there[::-1]):
        other = stored.of_tensors(order, "there", "ckpt")
        match = matching.put(network, other)
        paired = {network.weights[one].name: other.weights[at].name for one, at in match.weights.items()}
        assert paired == {name: name for name in paired} and len(paired) == 4
