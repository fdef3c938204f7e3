"""The Recorder in real trainings of MindSpore, in both modes, and what it makes of full disks, crashes and wrong values."""

import json
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import accucheck
from accucheck.errors import SaveError, UserError
from accucheck.readers import curves
from accucheck.readers.recordings import Recording, Run, read
from accucheck.recorder import Recorder, gradient_norm, identities

MODES = pytest.mark.parametrize("mode", ["GRAPH_MODE", "PYNATIVE_MODE"])

TRAINING = """
import sys
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
from accucheck import Recorder

ms.set_device("CPU")
ms.set_context(mode=getattr(ms, sys.argv[1]))
ms.set_seed(1)
x = np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32)
y = (x.sum(1) > 0).astype(np.int32)

def data(*extra):
    return ds.NumpySlicesDataset((x, y, *extra), ["x", "y", "z"][:2 + len(extra)], shuffle=False).batch(16)

def network():
    return nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 2))

loss = nn.CrossEntropyLoss()

def model(rate, groups=False):
    net = network()
    parameters = list(net.trainable_params())
    if groups:
        parameters = [{"params": parameters[:2], "lr": 0.05}, {"params": parameters[2:]}]
    optimizer = nn.Momentum(parameters, rate, 0.9)
    return ms.Model(net, loss, optimizer, metrics={"accuracy", "loss", "recall"})

"""


def train(mode: str, code: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the code after TRAINING in `folder`, in a process of its own."""
    script = folder / "training.py"
    script.write_text(TRAINING + code)
    return subprocess.run(
        [sys.executable, str(script), mode],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def trained(mode: str, code: str, folder: Path, name: str = "run.jsonl") -> Run:
    process = train(mode, code, folder)
    assert process.returncode == 0, process.stderr
    recording = read(folder / name, samples=True)
    assert (recording.passed_over, recording.torn) == (0, False)
    (run,) = recording.runs
    return run


def one_run(recording: Recording) -> Run:
    (run,) = recording.runs
    return run


# --- real trainings -----------------------------------------------------------------------------------------------------


@pytest.mark.mindspore
@MODES
def test_fit_is_recorded_as_mindspore_itself_reports_it(mode: str, tmp_path: Path) -> None:
    """The losses are those that LossMonitor prints, the metrics those of the evaluation after each epoch."""
    code = """
recorder = Recorder("logs/run.jsonl")
model([0.1 - 0.01 * i for i in range(8)]).fit(
    2, data(), data(), callbacks=[ms.LossMonitor(), recorder.callback(samples=1)], dataset_sink_mode=False)
recorder.close()
"""
    process = train(mode, code, tmp_path)
    assert process.returncode == 0, process.stderr
    run = one_run(read(tmp_path / "logs/run.jsonl", samples=True))
    printed = [float(line.rpartition(" ")[2]) for line in process.stdout.splitlines() if "loss is" in line]
    assert len(printed) == 8
    series = run.series
    assert series["loss"].values == pytest.approx(printed, rel=1e-6)
    assert series["loss"].steps.tolist() == list(range(1, 9))
    assert series["loss"].epochs.tolist() == [1] * 4 + [2] * 4
    assert series["lr"].values == pytest.approx([0.1 - 0.01 * i for i in range(8)], abs=1e-7)
    assert (series["seconds"].values > 0).all()
    (same,) = curves.read(tmp_path / "logs/run.jsonl").runs
    assert set(same.columns) == set(series) and same.columns["loss"].values == pytest.approx(printed, rel=1e-6)
    evaluated = [line for line in process.stdout.splitlines() if "Eval result" in line]
    for name in ("accuracy", "loss"):
        found = series[f"metrics.{name}"]
        assert found.steps.tolist() == [4, 8]
        told = [float(line.partition(f"'{name}': ")[2].partition(",")[0].rstrip("}")) for line in evaluated]
        assert found.values == pytest.approx(told)
    assert series["metrics.recall.1"].steps.tolist() == [4, 8]  # a value for each class
    x = np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32)
    labels = (x.sum(1) > 0).astype(int).tolist()
    assert run.samples == [(step, labels[at * 16 : at * 16 + 16]) for step, at in zip(range(1, 9), [0, 1, 2, 3] * 2)]
    assert run.mindspore and run.mindspore.startswith("2.")


@pytest.mark.mindspore
@MODES
def test_rates_of_schedules_and_groups(mode: str, tmp_path: Path) -> None:
    """What MindSpore must compute is read as often as is cheap, and is that of its own step."""
    code = """
schedule = nn.CosineDecayLR(0.0, 0.1, 8)
with Recorder("run.jsonl") as recorder:
    model(schedule).train(8, data(), callbacks=recorder.callback(), dataset_sink_mode=False)
with Recorder("groups.jsonl") as recorder:
    model(0.1, groups=True).train(1, data(), callbacks=recorder.callback(), dataset_sink_mode=False)
"""
    wanted = [0.05 * (1 + np.cos(np.pi * min(step, 8) / 8)) for step in range(32)]
    series = trained(mode, code, tmp_path).series
    assert series["loss"].steps.tolist() == list(range(1, 33))
    assert series["lr"].steps[:2].tolist() == [1, 2]  # the first reading compiles and sets no measure
    assert series["lr"].values == pytest.approx([wanted[step - 1] for step in series["lr"].steps], abs=1e-6)
    assert len(series["lr"].steps) >= 8 and series["lr"].steps[-1] >= 31, "those between are computed at the end"
    groups = one_run(read(tmp_path / "groups.jsonl")).series
    assert groups["lr.0"].values == pytest.approx([0.05] * 4)
    assert groups["lr.1"].values == pytest.approx([0.1] * 4)


@pytest.mark.mindspore
@MODES
def test_loss_scale_and_overflow_of_mindspores_training_cell(mode: str, tmp_path: Path) -> None:
    """A scale that float32 cannot hold overflows until it was halved often enough; the record says when."""
    code = """
class OnCPU(nn.TrainOneStepWithLossScaleCell):
    def get_overflow_status(self, status, grads):
        return ops.logical_not(ms.amp.all_finite(grads))  # MindSpore's own needs an Ascend or a GPU
net = network()
cell = OnCPU(
    nn.WithLossCell(net, nn.CrossEntropyLoss(reduction="sum")), nn.Momentum(net.trainable_params(), 0.001, 0.9),
    nn.DynamicLossScaleUpdateCell(2.0 ** 127, 2, 1000))
cell.set_train()
with Recorder("run.jsonl") as recorder:
    ms.Model(cell).train(3, data(), callbacks=recorder.callback(), dataset_sink_mode=False)
"""
    series = trained(mode, code, tmp_path).series
    overflow, scale = series["overflow"].values, series["loss_scale"].values
    assert overflow[0] == 1 and overflow[-1] == 0
    assert set(overflow) == {0, 1}
    steps = len(overflow)
    assert steps == 12
    for at in range(steps - 1):
        # What the cell returns is updated already.
        assert scale[at + 1] == pytest.approx(scale[at] / 2 if overflow[at + 1] else scale[at])
    assert series["lr"].values == pytest.approx([0.001] * 12)  # from the cell, as Model knows no optimizer
    assert np.isfinite(series["loss"].values).all()


@pytest.mark.mindspore
@MODES
def test_a_loop_of_ones_own(mode: str, tmp_path: Path) -> None:
    code = """
net = network()
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
def forward(a, b):
    return loss(net(a), b)
step = ms.value_and_grad(forward, None, optimizer.parameters)
if sys.argv[1] == "GRAPH_MODE":
    step = ms.jit(step)
norms = []
with Recorder("run.jsonl") as recorder:
    for epoch in (1, 2):
        for number, (images, labels) in enumerate(data().create_tuple_iterator(num_epochs=1)):
            lr = optimizer.get_lr()
            if epoch == 2 and number == 3:
                images = images / 0.0
            value, grads = step(images, labels)
            optimizer(grads)
            norms.append(float(np.sqrt(sum((g.asnumpy().astype(np.float64) ** 2).sum() for g in grads))))
            recorder.step(loss=value, lr=lr, grads=grads, epoch=epoch, overflow=ms.amp.all_finite(grads).logical_not(),
                          samples=images, half=ms.Tensor(0.5, ms.bfloat16))
        recorder.metrics({"top 1": ms.Tensor(0.5)}, loss=1)
print(*norms)
"""
    process = train(mode, code, tmp_path)
    assert process.returncode == 0, process.stderr
    run = one_run(read(tmp_path / "run.jsonl", samples=True))
    assert run.series["grad_norm"].values == pytest.approx([float(n) for n in process.stdout.split()], nan_ok=True)
    assert np.isfinite(run.series["loss"].values[:-1]).all() and np.isnan(run.series["loss"].values[-1])
    assert np.isnan(run.series["grad_norm"].values[-1])
    assert run.series["overflow"].values.tolist() == [0] * 7 + [1]
    assert run.series["half"].values.tolist() == [0.5] * 8
    assert run.series["metrics.top 1"].steps.tolist() == [4, 8]
    digests = [one for _, one in run.samples]
    assert digests[:3] == digests[4:7]  # the same rows in the second epoch
    assert len({one for batch in digests[:4] for one in batch}) == 64


@pytest.mark.mindspore
def test_outputs_by_name_and_what_cannot_be_read_stops_nothing(tmp_path: Path) -> None:
    code = """
class Cell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = network()
        self.loss = nn.CrossEntropyLoss(reduction="none")
    def construct(self, x, y):
        value = self.loss(self.net(x), y)
        return value, value.max(), ops.tile(self.net(x), (1, 4))
class Means(ms.Callback):
    def on_train_step_end(self, run_context):
        print(float(run_context.original_args().net_outputs[0].asnumpy().mean()))
with Recorder("run.jsonl") as recorder:
    ms.Model(Cell()).train(1, data(), dataset_sink_mode=False,
        callbacks=[recorder.callback(outputs=["loss", "worst"]), Means()])
with Recorder("wrong.jsonl") as recorder:
    ms.Model(Cell()).train(1, data(), dataset_sink_mode=False,
        callbacks=recorder.callback(outputs=["loss", "worst", "logits"], samples=7))
ms.Model(Cell()).train(1, data(), dataset_sink_mode=False, callbacks=recorder.callback())
"""
    process = train("GRAPH_MODE", code, tmp_path, ACCUCHECK_LANG="zh", PYTHONIOENCODING="utf-8")
    assert process.returncode == 0, process.stderr
    series = one_run(read(tmp_path / "run.jsonl")).series
    means = [float(line) for line in process.stdout.splitlines()]
    assert series["loss"].values == pytest.approx(means, rel=1e-6)
    assert (series["worst"].values >= series["loss"].values).all()
    assert process.stderr.count("已关闭") == 1
    wrong = one_run(read(tmp_path / "wrong.jsonl", samples=True))
    assert wrong.series["seconds"].steps.tolist() == [1, 2, 3, 4] and not wrong.samples
    assert process.stderr.count("未能记录 samples") == 1
    assert process.stderr.count("未能记录 net_outputs") == 1


@pytest.mark.mindspore
def test_a_killed_training_keeps_every_step_and_its_next_start_goes_on(tmp_path: Path) -> None:
    code = """
import os
class Die(ms.Callback):
    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num == 3 and not os.path.exists("died"):
            open("died", "w").close()
            os.kill(os.getpid(), 9)
recorder = Recorder("run.jsonl")
model(0.1).train(1, data(), callbacks=[recorder.callback(), Die()], dataset_sink_mode=False)
"""
    assert train("GRAPH_MODE", code, tmp_path).returncode == -signal.SIGKILL
    assert one_run(read(tmp_path / "run.jsonl")).series["loss"].steps.tolist() == [1, 2, 3]
    with (tmp_path / "run.jsonl").open("ab") as stream:
        stream.write(b'{"step": 4, "los')  # as a power cut leaves it
    torn = read(tmp_path / "run.jsonl")
    assert (torn.torn, torn.passed_over, torn.first) == (True, 1, 5)
    process = train("GRAPH_MODE", code, tmp_path)
    assert process.returncode == 0, process.stderr
    again = read(tmp_path / "run.jsonl")
    assert [len(run.series["loss"].steps) for run in again.runs] == [3, 4]
    assert (again.torn, again.passed_over, again.first) == (False, 1, 5)


@pytest.mark.mindspore
def test_opened_files_of_a_mindspore_pipeline(tmp_path: Path) -> None:
    from PIL import Image

    for kind in "ab":
        (tmp_path / "data" / kind).mkdir(parents=True)
        for number in range(3):
            Image.new("RGB", (4, 4)).save(tmp_path / "data" / kind / f"{number}.png")
    code = """
with Recorder("run.jsonl", opened="data") as recorder:
    pictures = ds.ImageFolderDataset("data", extensions=[".png"], class_indexing={"b": 0}, shuffle=False)
    for image, label in pictures.create_tuple_iterator(num_epochs=1):
        recorder.step(loss=0.0)
"""
    run = trained("GRAPH_MODE", code, tmp_path)
    assert sorted(run.opened) == ["b/0.png", "b/1.png", "b/2.png"]
    assert run.opened_whole


# --- without MindSpore --------------------------------------------------------------------------------------------------


def test_importing_accucheck_stays_cheap() -> None:
    code = "import sys, accucheck; print(*sys.modules); accucheck.Recorder; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    before, after = (set(line.split()) for line in out.splitlines())
    assert not before & {"accucheck.recorder", "msgspec", "numpy", "json", "mindspore"}
    assert "accucheck.recorder" in after and not after & {"numpy", "mindspore"}
    with pytest.raises(AttributeError):
        accucheck.Recording


def test_lines_are_strict_json_with_nan_and_inf_as_words(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with Recorder(path) as recorder:
        recorder.step(
            loss=float("nan"), a=np.float32("inf"), b=np.array([-np.inf]), c=np.float16(0.1), n=None, big=10**18
        )
        recorder.step(loss=True, step=7, seconds=0.25, epoch=3)

    def refuse(word: str) -> None:
        raise AssertionError(word)

    records = [json.loads(line, parse_constant=refuse) for line in path.read_text().splitlines()]
    seconds = records[1].pop("seconds")
    assert 0 <= seconds < 10
    assert records[1] == {"step": 1, "loss": "nan", "a": "inf", "b": "-inf", "c": 0.1, "big": 10**18}
    assert records[2] == {"step": 7, "epoch": 3, "seconds": 0.25, "loss": True}
    assert {"recording": 1, "rank": 0, "accucheck": accucheck.__version__}.items() <= records[0].items()
    series = one_run(read(path)).series
    assert np.isnan(series["loss"].values[0]) and series["loss"].steps.tolist() == [1, 7]
    assert (series["a"].values[0], series["b"].values[0]) == (np.inf, -np.inf)


def test_each_rank_writes_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Recorder(tmp_path / "run.jsonl", rank=2).close()
    monkeypatch.setenv("RANK_ID", "3")
    Recorder(tmp_path / "run.jsonl").close()
    monkeypatch.setenv("RANK_ID", "0")
    Recorder(tmp_path / "run.jsonl").close()
    ranks = {path.name: one_run(read(path)).rank for path in tmp_path.iterdir()}
    assert ranks == {"run.jsonl": 0, "run.rank2.jsonl": 2, "run.rank3.jsonl": 3}


def test_a_file_that_is_no_recording_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text('{"loss": 1}\n')
    with pytest.raises(SaveError) as caught:
        Recorder(tmp_path / "run.jsonl")
    assert caught.value.code == "not-a-recording"
    assert (tmp_path / "run.jsonl").read_text() == '{"loss": 1}\n'
    with pytest.raises(SaveError) as caught:
        Recorder(tmp_path)
    assert caught.value.code == "is-directory"
    with pytest.raises(SaveError) as caught:
        Recorder("/dev/full")
    assert caught.value.code == "not-regular"
    with pytest.raises(SaveError):
        Recorder(tmp_path / "run.jsonl" / "below.jsonl")


def test_a_head_that_was_cut_off_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    Recorder(path).close()
    head = path.read_bytes()
    for size in range(len(head)):
        path.write_bytes(head[:size])
        with Recorder(path) as recorder:
            recorder.step(loss=1)
        recording = read(path)
        assert len(recording.runs) == 1 and not recording.passed_over


def test_a_full_disk_costs_records_and_not_the_training(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk; when it is lifted, recording goes on after the torn line."""
    code = """
import os, resource, signal
from accucheck import Recorder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
recorder = Recorder("run.jsonl")
for step in range(5):
    recorder.step(loss=step)
# Room for a few bytes of the next line: it is torn in the middle, whatever the lengths of the lines before.
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize("run.jsonl") + 5, resource.RLIM_INFINITY))
for step in range(5, 20):
    recorder.step(loss=step)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
recorder.step(loss=20)
"""
    process = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert process.stderr.count("a record could not be written") == 1
    recording = read(tmp_path / "run.jsonl")
    steps = one_run(recording).series["loss"].steps.tolist()
    assert steps == [*range(1, 6), 21]
    assert recording.passed_over == 1 and not recording.torn


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"loss": "0.5"}, "recorded-value"),
        ({"loss": np.zeros(65)}, "recorded-value"),
        ({"loss": []}, "recorded-value"),
        ({"loss": object()}, "recorded-value"),
        ({"loss": 1j}, "recorded-value"),
        ({"metrics": 1}, "recorded-name"),
        ({"samples": 5}, "recorded-samples"),
        ({"samples": [object()]}, "recorded-samples"),
        ({"samples": [[1], [1, 2]]}, "recorded-samples"),
        ({"loss": 10**400}, "recorded-value"),
        ({"grads": [np.ones(2), "x"]}, "recorded-grads"),
        ({"step": -1}, "recorded-step"),
    ],
)
def test_wrong_values_are_told_and_nothing_is_written(values: dict[str, object], code: str, tmp_path: Path) -> None:
    with Recorder(tmp_path / "run.jsonl") as recorder:
        with pytest.raises(UserError) as caught:
            recorder.step(**values)
        assert caught.value.code == code
        recorder.step(loss=1)
    assert one_run(read(tmp_path / "run.jsonl")).series["loss"].steps.tolist() == [1]
    with pytest.raises(UserError) as caught:
        recorder.step(loss=1)
    assert caught.value.code == "recorder-closed"
    recorder.close()


def test_the_time_of_an_evaluation_is_not_that_of_a_step(tmp_path: Path) -> None:
    import time

    with Recorder(tmp_path / "run.jsonl") as recorder:
        recorder.step(loss=1)
        time.sleep(0.5)
        recorder.metrics(accuracy=1)
        recorder.step(loss=1)
        time.sleep(0.2)
        recorder.step(loss=1)
    seconds = one_run(read(tmp_path / "run.jsonl")).series["seconds"].values
    assert seconds[1] < 0.2 <= seconds[2]


def test_several_rates_at_once(tmp_path: Path) -> None:
    with Recorder(tmp_path / "run.jsonl") as recorder:
        recorder.step(lr=(np.float32(0.1), np.array([0.2])))
        recorder.step(lr=[0.3])
    series = one_run(read(tmp_path / "run.jsonl")).series
    assert {name: series[name].values.tolist() for name in ("lr.0", "lr.1", "lr")} == {
        "lr.0": [0.1],
        "lr.1": [0.2],
        "lr": [0.3],
    }


def test_gradient_norm() -> None:
    random = np.random.default_rng(0)
    parts = [random.normal(size=(30, 7)).astype(np.float32), random.normal(size=5).astype(np.float16), np.float64(2)]
    wanted = np.sqrt(sum((part.astype(np.float64) ** 2).sum() for part in parts))
    assert gradient_norm((parts[0], None, [parts[1], parts[2]])) == pytest.approx(wanted, rel=1e-5)
    assert gradient_norm(np.full(4, 6e4, np.float16)) == pytest.approx(1.2e5, rel=1e-3)
    assert gradient_norm(np.full(4, 1e30, np.float32)) == pytest.approx(2e30)  # its squares are beyond float32
    assert gradient_norm(np.array([1, np.inf])) == np.inf
    assert np.isnan(gradient_norm(np.array([1, np.nan, np.inf])))
    assert gradient_norm(()) == 0


def test_identities() -> None:
    assert identities([3, 1]) == [3, 1]
    assert identities(np.array([b"a\xff", b"b"])) == ["a\ufffd", "b"]
    rows = identities(np.arange(6.0).reshape(3, 2))
    assert len(set(rows)) == 3 and all(len(row) == 16 for row in rows)
    assert identities(np.arange(6.0).reshape(3, 2)[::-1]) == rows[::-1]


def test_no_warning_in_a_usual_run(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Recorder(tmp_path / "run.jsonl", opened=tmp_path) as recorder:
            recorder.step(loss=1)


def test_rates_that_were_computed_later_stand_where_they_belong(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with Recorder(path) as recorder:
        recorder.step(lr=0.1, epoch=1)
        recorder.step(epoch=1)
        recorder.step(lr=0.2, epoch=2)
    rows = [[[2, 1, 0.15], [4, 2, "nan"]], [[5, 2]], [[6, -1, 0.3, 0.4]], "none", [[-1, 1, 0.1]], [[7, 1, [0.1]]]]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"rates": row}) + "\n" for row in rows)
    recording = read(path)
    series = one_run(recording).series
    assert series["lr"].steps.tolist() == [1, 2, 3, 4]
    assert series["lr"].values.tolist()[:3] == [0.1, 0.15, 0.2] and np.isnan(series["lr"].values[3])
    assert series["lr"].epochs.tolist() == [1, 1, 2, 2]
    assert series["lr.1"].values.tolist() == [0.4] and series["lr.1"].epochs.tolist() == [-1]
    assert (recording.passed_over, recording.first) == (4, 6)
