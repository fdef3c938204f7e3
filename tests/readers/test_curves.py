"""Curves: logs printed by MindSpore itself, event files by its SummaryRecord and by tensorboardX, and logs of other wordings."""

import json
import random
import struct

import google_crc32c
import numpy as np
import pytest
from tensorboardX import SummaryWriter
from tensorboardX.proto.event_pb2 import Event
from tensorboardX.proto.summary_pb2 import Summary
from tensorboardX.proto.tensor_pb2 import TensorProto

from accucheck.errors import ReadError
from accucheck.model import Language
from accucheck.readers import curves, training_log
from accucheck.recorder import Recorder


def read(tmp_path, text, name="train.log"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return curves.read(path)


def run(tmp_path, text, name="train.log"):
    """The only run of a log without problems."""
    found = read(tmp_path, text, name)
    assert not found.problems
    (only,) = found.runs
    return only


def points(column):
    return list(zip(column.steps.tolist(), column.epochs.tolist(), column.values.tolist(), strict=True))


def refused(path, code):
    with pytest.raises(ReadError) as error:
        curves.read(path)
    assert error.value.code == code
    for language in Language:
        assert str(path) in error.value.text(language)


def loss_lines(epochs, steps=3, first=1.0):
    return "".join(
        f"epoch: {epoch} step: {step}, loss is {first / (epoch * steps + step)}\n"
        for epoch in range(1, epochs + 1)
        for step in range(1, steps + 1)
    )


# text logs


def trained(folder, callbacks, epochs=2):
    """Really trains a small network with MindSpore, evaluates it each epoch, and returns the losses by step."""
    import mindspore as ms
    from mindspore import nn
    from mindspore.train import Callback, Model

    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    ms.set_seed(0)
    generator = np.random.default_rng(0)
    data = generator.standard_normal((32, 4)).astype(np.float32)
    labels = (data.sum(1) > 0).astype(np.int32)
    dataset = ms.dataset.NumpySlicesDataset((data, labels), shuffle=False).batch(8)
    network = nn.Dense(4, 2)

    class Losses(Callback):
        def __init__(self):
            self.values = []

        def on_train_step_end(self, run_context):
            self.values.append(float(run_context.original_args().net_outputs.asnumpy()))

    losses = Losses()
    model = Model(
        network, nn.CrossEntropyLoss(), nn.SGD(network.trainable_params(), 0.1), metrics={"accuracy": nn.Accuracy()}
    )
    model.fit(epochs, dataset, dataset, callbacks=[losses, *callbacks], dataset_sink_mode=False)
    return losses.values


@pytest.mark.mindspore
def test_what_mindspore_prints(tmp_path, capfd):
    from mindspore.train import LossMonitor, TimeMonitor

    losses = trained(tmp_path, [LossMonitor(1), TimeMonitor()])
    log = capfd.readouterr().out
    assert "per step time" in log
    found = run(tmp_path, log)
    assert set(found.columns) == {"loss", "eval_accuracy"}
    loss = found.columns["loss"]
    np.testing.assert_allclose(loss.values, losses, rtol=1e-6)
    assert loss.steps.tolist() == list(range(1, 9))
    assert loss.epochs.tolist() == [1] * 4 + [2] * 4
    accuracy = found.columns["eval_accuracy"]
    assert (accuracy.steps.tolist(), accuracy.epochs.tolist()) == ([4, 8], [1, 2])
    assert ((accuracy.values >= 0) & (accuracy.values <= 1)).all()


def test_mindspore_1_and_a_loss_that_ends_the_training(tmp_path):
    log = (
        "epoch: 1 step: 1, loss is 2.5\nepoch time: 1522.6 ms, per step time: 15.2 ms\n"
        "epoch: 2 step: 1, loss is 1.5\nTraceback (most recent call last):\n"
        "ValueError: epoch: 2 step: 2. Invalid loss, terminating training.\n"
        "ValueError: In epoch: 2 step: 2, loss is NAN or INF, training process cannot continue, terminating training.\n"
    )
    loss = run(tmp_path, log).columns["loss"]
    assert loss.values[:2].tolist() == [2.5, 1.5]
    assert np.isnan(loss.values[2])
    assert loss.epochs.tolist() == [1, 2, 2]


WORDINGS = {
    "mindcv": (
        "[2023-06-01 10:00:00] mindcv.utils INFO - Epoch: [1/2], batch: [100/200], loss: 6.5, lr: 0.1, time: 12.5s\n"
        "[2023-06-01 10:00:09] mindcv.utils INFO - Epoch: [1/2], batch: [200/200], loss: 6.0, lr: 0.1, time: 12.5s\n"
        "[2023-06-01 10:00:10] mindcv.utils INFO - Validation Top_1_Accuracy: 25.1%, Top_5_Accuracy: 50.2%, time: 3.1s\n"
        "[2023-06-01 10:00:19] mindcv.utils INFO - Epoch: [2/2], batch: [100/200], loss: 5.5, lr: 0.05, time: 12.5s\n",
        {
            "loss": [(100, 1, 6.5), (200, 1, 6.0), (300, 2, 5.5)],
            "lr": [(100, 1, 0.1), (200, 1, 0.1), (300, 2, 0.05)],
            "eval_top_1_accuracy": [(200, 1, 25.1)],
            "eval_top_5_accuracy": [(200, 1, 50.2)],
        },
    ),
    "mindyolo": (
        "2023-06-01 10:00:00,123 [INFO] Epoch 1/300, Step 100/1849, imgsize (640, 640), loss: 6.1, lbox: 0.5, cur_lr: 0.001\n"
        "2023-06-01 10:00:00,124 [INFO] Epoch 1/300, Step 100/1849, step time: 250.12 ms\n"
        "2023-06-01 10:09:00,124 [INFO] Epoch 1/300, eval accuracy: 0.031, run_eval time: 31.214 s.\n"
        "2023-06-01 10:09:10,123 [INFO] Epoch 2/300, Step 100/1849, imgsize (640, 640), loss: 5.1, lbox: 0.4, cur_lr: 0.002\n",
        {
            "loss": [(100, 1, 6.1), (1949, 2, 5.1)],
            "lbox": [(100, 1, 0.5), (1949, 2, 0.4)],
            "cur_lr": [(100, 1, 0.001), (1949, 2, 0.002)],
            "eval_accuracy": [(100, 1, 0.031)],
        },
    ),
    "mindformers": (
        "2024-01-01 00:00:00,000 - mindformers[mindformers/core/callback/callback.py:563] - INFO - { Epoch:[  1/  2], "
        "step:[    2/  100], loss: 7.9, per_step_time: 500ms, lr: 1e-05, overflow cond: False, loss_scale: 1024.0, "
        "global_norm: [2.5]\n"
        "2024-01-01 00:00:01,000 - mindformers[mindformers/core/callback/callback.py:563] - INFO - { Epoch:[  2/  2], "
        "step:[    2/  100], loss: 7.5, per_step_time: 490ms, lr: 2e-05, overflow cond: True, loss_scale: 512.0, "
        "global_norm: [inf]\n",
        {
            "loss": [(2, 1, 7.9), (102, 2, 7.5)],
            "lr": [(2, 1, 1e-05), (102, 2, 2e-05)],
            "loss_scale": [(2, 1, 1024.0), (102, 2, 512.0)],
            "global_norm": [(2, 1, 2.5), (102, 2, float("inf"))],
            "overflow_cond": [(2, 1, 0.0), (102, 2, 1.0)],
        },
    ),
    "mean of the losses": (
        "Epoch:[  0/  3], step:[   10/   20], loss:[6.500/7.000], time:12.500 ms, lr:0.1\n"
        "Epoch:[  1/  3], step:[   10/   20], loss:[5.500/6.000], time:12.500 ms, lr:0.1\n",
        {"loss": [(10, 0, 6.5), (30, 1, 5.5)], "lr": [(10, 0, 0.1), (30, 1, 0.1)]},
    ),
    "keras": (
        "Epoch 1/2\n60/60 - 2s - loss: 0.5 - accuracy: 0.8 - val_loss: 0.6 - val_accuracy: 0.7\n"
        "Epoch 2/2\n60/60 - 2s - loss: 0.4 - accuracy: 0.9 - val_loss: 0.5 - val_accuracy: 0.8\n",
        {
            "loss": [(-1, 1, 0.5), (-1, 2, 0.4)],
            "accuracy": [(-1, 1, 0.8), (-1, 2, 0.9)],
            "eval_loss": [(-1, 1, 0.6), (-1, 2, 0.5)],
            "eval_accuracy": [(-1, 1, 0.7), (-1, 2, 0.8)],
        },
    ),
    "train and validation in one line": (
        "Epoch 1 | Train Loss: 0.5, Val Loss: 0.6\nEpoch 2 | Train Loss: 0.4, Val Loss: 0.5\n",
        {"train_loss": [(-1, 1, 0.5), (-1, 2, 0.4)], "eval_loss": [(-1, 1, 0.6), (-1, 2, 0.5)]},
    ),
    "no step at all": ("loss: 3\nloss: nan\nloss: -inf\n", {"loss": [(1, -1, 3.0), (2, -1, None), (3, -1, -np.inf)]}),
    "colours and progress bars": (
        "\x1b[32mepoch: 1 step: 1, loss is 2.0\x1b[0m\repoch: 1 step: 2, loss is 1.0\r\n",
        {"loss": [(1, 1, 2.0), (2, 1, 1.0)]},
    ),
    "numpy and tensors": (
        "epoch 1 loss: np.float32(0.5)\nepoch 2 loss: Tensor(shape=[], dtype=Float32, value= 0.25)\n",
        {"loss": [(-1, 1, 0.5), (-1, 2, 0.25)]},
    ),
    "in Chinese": ("epoch 1 损失: 0.5 准确率: 0.6\n", {"损失": [(-1, 1, 0.5)], "准确率": [(-1, 1, 0.6)]}),
}


@pytest.mark.parametrize("wording", WORDINGS)
def test_wordings(tmp_path, wording):
    log, expected = WORDINGS[wording]
    found = {name: points(column) for name, column in run(tmp_path, log).columns.items()}
    told = {
        name: [(step, epoch, None if value != value else value) for step, epoch, value in column]
        for name, column in found.items()
    }
    assert told == expected


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings(tmp_path, encoding):
    found = run(tmp_path, loss_lines(1).encode(encoding))
    assert found.columns["loss"].steps.tolist() == [1, 2, 3]


def test_whole_blocks_say_what_single_lines_say(tmp_path, monkeypatch):
    generator = random.Random(1)
    lines = []
    for index in range(3000):
        value = generator.choice(["nan", "inf", "-inf", "1e-05", "3", ".5", f"{generator.random()}"])
        lines.append(
            generator.choice(
                [
                    f"epoch: {index // 100} step: {index}, loss is {value}",
                    f"epoch: {index // 100} step: {index}, lr: {value}, overflow cond: {index % 7 == 0}",
                    f"epoch: {index // 100} step: {index}, loss is nothing",
                    f"epoch: {index // 100} step: {index}, loss is ney",
                    f"eval loss: {value}",
                ]
            )
        )
    log = "\n".join(lines)
    monkeypatch.setattr(training_log, "_FIRST", 1 << 12)
    fast = run(tmp_path, log)
    monkeypatch.setattr(training_log, "_OFTEN", 1 << 60)
    slow = run(tmp_path, log)
    assert list(fast.columns) == list(slow.columns) == [*fast.columns]
    for name, column in fast.columns.items():
        for what in ("steps", "epochs", "values"):
            np.testing.assert_array_equal(getattr(column, what), getattr(slow.columns[name], what))


# runs


def test_several_runs_in_one_log(tmp_path):
    log = loss_lines(2) + "Eval result: epoch 2, metrics: {'acc': 0.5}\n" + loss_lines(3, first=2.0) + loss_lines(1)
    found = read(tmp_path, log).runs
    assert [len(run.columns["loss"].values) for run in found] == [6, 9, 3]
    assert [run.name for run in found] == ["train.log #1", "train.log #2", "train.log #3"]
    assert [set(run.columns) for run in found] == [{"loss", "eval_acc"}, {"loss"}, {"loss"}]
    assert found[1].columns["loss"].steps.tolist() == list(range(1, 10))


def test_steps_that_go_back_are_kept(tmp_path):
    log = loss_lines(2) + "epoch: 2 step: 1, loss is 9\nepoch: 2 step: 2, loss is 8\n"
    found = run(tmp_path, log)
    assert found.columns["loss"].steps.tolist() == [1, 2, 3, 4, 5, 6, 4, 5]


def test_evaluations_that_count_epochs_from_0_are_no_new_runs(tmp_path):
    log = "".join(
        f"Epoch {e}/3 Step 1/2 loss: 1\nEpoch {e}/3 Step 2/2 loss: 1\nEval epoch: {e - 1} acc: 0.5\n" for e in (1, 2, 3)
    )
    found = run(tmp_path, log)
    assert found.columns["loss"].steps.tolist() == [1, 2, 3, 4, 5, 6]
    assert found.columns["eval_acc"].epochs.tolist() == [0, 1, 2]


def test_epochs_in_headlines_of_their_own(tmp_path):
    once = "".join(f"Epoch {e}/2\n" + "".join(f"step {s}/3 loss: 1\n" for s in (1, 2, 3)) for e in (1, 2))
    found = read(tmp_path, once + once).runs
    assert [run.columns["loss"].steps.tolist() for run in found] == [[1, 2, 3, 4, 5, 6]] * 2
    assert found[0].columns["loss"].epochs.tolist() == [1, 1, 1, 2, 2, 2]


# tables and JSON Lines


def test_csv(tmp_path):
    found = run(tmp_path, "epoch,step,loss,name,acc\n1,1,nan,a,\n1,2,inf,b,0.5\n2,3,1e-3,c,\n", "curve.csv")
    assert list(found.columns) == ["loss", "acc"]
    np.testing.assert_array_equal(found.columns["loss"].values, [np.nan, np.inf, 0.001])
    assert points(found.columns["acc"]) == [(2, 1, 0.5)]
    assert found.columns["loss"].epochs.tolist() == [1, 1, 2]


def test_csv_without_steps_counts_its_rows(tmp_path):
    assert points(run(tmp_path, "loss\n3\n2\n", "c.csv").columns["loss"]) == [(1, -1, 3.0), (2, -1, 2.0)]


def test_csv_that_is_being_written_and_rows_too_long(tmp_path):
    found = read(tmp_path, "step,loss\n1,2\n2,5,3\n3,1\n4", "c.csv")
    assert points(found.runs[0].columns["loss"]) == [(1, -1, 2.0), (3, -1, 1.0)]
    assert [(problem.code, problem.data["line"]) for problem in found.problems] == [("ragged", 3)]


def test_json_lines(tmp_path):
    rows = [
        {"step": 1, "loss": 2.0, "note": "x"},
        {"step": 2, "loss": float("nan")},
        {"step": 2, "eval": {"acc": 0.5}},
        {"step": 1, "loss": 9},
    ]
    found = read(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "log.jsonl")
    first, second = found.runs
    np.testing.assert_array_equal(first.columns["loss"].values, [2.0, np.nan])
    assert points(first.columns["eval.acc"]) == [(2, -1, 0.5)]
    assert points(second.columns["loss"]) == [(1, -1, 9.0)]


def test_json_lines_that_are_damaged_are_told(tmp_path):
    found = read(
        tmp_path, '{"step": 1, "loss": 2}\n{"step": 2, "lo\n' + "[" * 100_000 + '\n{"step": 3, "loss": 1}', "a.jsonl"
    )
    assert found.runs[0].columns["loss"].steps.tolist() == [1, 3]
    (problem,) = found.problems
    assert problem.code == "curve-lines"
    assert problem.data["count"] == 2
    assert problem.data["line"] == 2


# recordings


def recorded(path, steps=3, **more):
    with Recorder(path, **more) as recorder:
        for step in range(1, steps + 1):
            recorder.step(epoch=(step + 1) // 2, loss=1 / step if step < steps else float("nan"), overflow=step == 2)
        recorder.metrics(accuracy=0.5)


def test_recordings(tmp_path):
    recorded(tmp_path / "run.jsonl")
    recorded(tmp_path / "run.jsonl", 2)
    with (tmp_path / "run.jsonl").open("ab") as file:
        file.write(b'{"step": 3, "lo')
    found = curves.read(tmp_path / "run.jsonl")
    assert not found.problems, "a last line that is cut off is no problem"
    first, second = found.runs
    assert (first.name, second.name, first.source) == ("run.jsonl #1", "run.jsonl #2", str(tmp_path / "run.jsonl"))
    assert set(first.columns) == {"seconds", "loss", "overflow", "metrics.accuracy"}
    assert points(first.columns["loss"])[:2] == [(1, 1, 1.0), (2, 1, 0.5)]
    assert np.isnan(first.columns["loss"].values[2])
    assert first.columns["overflow"].values.tolist() == [0, 1, 0]
    assert points(first.columns["metrics.accuracy"]) == [(3, 2, 0.5)]
    assert len(second.columns["loss"].values) == 2
    (tmp_path / "eval.csv").write_text("epoch,accuracy\n1,0.5\n")
    assert [run.name for run in curves.read(tmp_path).runs] == ["eval.csv", "run.jsonl #1", "run.jsonl #2"]


def test_a_recording_that_is_damaged_is_told(tmp_path):
    recorded(tmp_path / "run.jsonl")
    lines = (tmp_path / "run.jsonl").read_bytes().splitlines(keepends=True)
    found = read(
        tmp_path, b"".join([*lines[:2], b'{"step": "x"}\n', b'{"step": 1, "epoch": "one"}\n', *lines[2:]]), "b.jsonl"
    )
    assert len(found.runs[0].columns["loss"].values) == 3
    (problem,) = found.problems
    assert (problem.code, problem.data["count"], problem.data["line"]) == ("recording-lines", 2, 3)
    for language in Language:
        assert "b.jsonl" in problem.text(language)
    (tmp_path / "empty.jsonl").write_bytes(lines[0])
    refused(tmp_path / "empty.jsonl", "no-curve")


# event files


def framed(*payloads):
    def masked(data):
        crc = google_crc32c.value(data)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    made = b""
    for data in payloads:
        length = struct.pack("<Q", len(data))
        made += length + masked(length) + data + masked(data)
    return made


@pytest.mark.mindspore
def test_summary_of_mindspore(tmp_path):
    from mindspore.train import SummaryCollector

    folder = tmp_path / "summary"
    losses = trained(tmp_path, [SummaryCollector(str(folder), collect_freq=1)])
    found = curves.read(folder)
    assert not found.problems
    (only,) = found.runs
    loss = only.columns["loss/auto"]
    # after the last step of an epoch it is written twice
    assert loss.steps.tolist() == [1, 2, 3, 4, 4, 5, 6, 7, 8, 8]
    np.testing.assert_allclose(loss.values, np.array(losses)[loss.steps - 1], rtol=1e-6)


def test_tensorboard_scalars(tmp_path):
    for name in ("a", "b"):
        with SummaryWriter(str(tmp_path / name)) as writer:
            for step, value in enumerate([1.0, float("nan"), float("inf")]):
                writer.add_scalar("loss", value, step)
            writer.add_histogram("weights", np.ones(5), 1)
            writer.add_scalar("acc", 0.5, 2)
    found = curves.read(tmp_path)
    assert [run.name for run in found.runs] == ["a", "b"]
    for only in found.runs:
        assert set(only.columns) == {"loss", "acc"}
        assert only.columns["loss"].steps.tolist() == [0, 1, 2]
        np.testing.assert_array_equal(only.columns["loss"].values, [1, np.nan, np.inf])


def test_scalars_as_tensors(tmp_path):
    tensors = {
        "content": (TensorProto(dtype=1, tensor_content=struct.pack("<f", 0.5)), 0.5),
        "double": (TensorProto(dtype=2, tensor_content=struct.pack("<d", 0.1)), 0.1),
        "float_val": (TensorProto(dtype=1, float_val=[0.25]), 0.25),
        "double_val": (TensorProto(dtype=2, double_val=[0.1]), 0.1),
        "int64_val": (TensorProto(dtype=9, int64_val=[-3]), -3.0),
        "half_val": (TensorProto(dtype=19, half_val=[0x3C00]), 1.0),
    }
    events = [Event(wall_time=1, file_version="brain.Event:2")]
    for tag, (tensor, _) in tensors.items():
        events.append(Event(step=7, summary=Summary(value=[Summary.Value(tag=tag, tensor=tensor)])))
    several = TensorProto(dtype=1, float_val=[1, 2])
    events.append(Event(step=7, summary=Summary(value=[Summary.Value(tag="vector", tensor=several)])))
    path = tmp_path / "events.out.tfevents.1.host"
    path.write_bytes(framed(*(event.SerializeToString() for event in events)))
    (only,) = curves.read(path).runs
    assert {name: points(column) for name, column in only.columns.items()} == {
        tag: [(7, -1, value)] for tag, (_, value) in tensors.items()
    }


def scalars(count):
    return [
        Event(wall_time=1, file_version="brain.Event:2").SerializeToString(),
        *(
            Event(step=step, summary=Summary(value=[Summary.Value(tag="loss", simple_value=step)])).SerializeToString()
            for step in range(1, count + 1)
        ),
    ]


def test_an_event_file_cut_at_any_byte_is_an_error_or_a_part(tmp_path):
    whole = framed(*scalars(3))
    ends = {len(framed(*scalars(count))) for count in range(4)}
    path = tmp_path / "events.out.tfevents.1.host"
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        try:
            found = curves.read(path)
        except ReadError as error:
            assert error.code in ("empty", "truncated", "no-curve")
            continue
        assert bool(found.problems) == (size not in ends)
        assert found.runs[0].columns["loss"].values.tolist() == list(
            range(1, len(found.runs[0].columns["loss"].values) + 1)
        )


def test_an_event_file_with_a_wrong_byte_is_damaged(tmp_path):
    whole = bytearray(framed(*scalars(3)))
    whole[-10] ^= 1
    found = read(tmp_path, bytes(whole), "events.out.tfevents.1.host")
    assert found.runs[0].columns["loss"].values.tolist() == [1, 2]
    assert [problem.code for problem in found.problems] == ["record-checksum"]


@pytest.mark.parametrize(
    "payload", [b"\x2a\xff\xff\xff\xff\x0f", b"\x2a\x03\x0a\xff\x7f", b"\x10" + b"\xff" * 9 + b"\x7f", b"\x0b"]
)
def test_absurd_lengths_in_an_event_are_an_error(tmp_path, payload):
    found = read(tmp_path, framed(*scalars(1), payload), "events.out.tfevents.1.host")
    assert found.runs[0].columns["loss"].values.tolist() == [1]
    assert [problem.code for problem in found.problems] == ["malformed"]


def test_a_record_longer_than_its_file_is_not_allocated(tmp_path):
    length = struct.pack("<Q", (1 << 30) - 1)
    crc = google_crc32c.value(length)
    head = length + struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)
    path = tmp_path / "events.out.tfevents.1.host"
    path.write_bytes(head + b"\0" * 100)
    import tracemalloc

    tracemalloc.start()
    refused(path, "truncated")
    assert tracemalloc.get_traced_memory()[1] < 1 << 22
    tracemalloc.stop()


def test_a_second_event_file_of_a_folder_that_begins_again_is_a_second_run(tmp_path):
    for number in (1, 2):
        (tmp_path / f"events.out.events.summary.{number}.0.host_MS").write_bytes(framed(*scalars(3)))
    assert [run.columns["loss"].values.tolist() for run in curves.read(tmp_path).runs] == [[1, 2, 3]] * 2


# bad input


def test_folders_and_files_without_a_curve(tmp_path):
    refused(tmp_path / "none", "not-found")
    refused(tmp_path, "no-curve-files")
    (tmp_path / "config.txt").write_text("learning_rate: 0.1\nloss_scale: 1024\nbatch_size: 32\n")
    refused(tmp_path / "config.txt", "no-curve")
    refused(tmp_path, "no-curve-files")
    (tmp_path / "events.out.events.summary.1.0.host_MS").write_bytes(b"")
    refused(tmp_path / "events.out.events.summary.1.0.host_MS", "empty")
    (tmp_path / "train.log").write_text(loss_lines(1))
    found = curves.read(tmp_path)
    assert [run.name for run in found.runs] == ["train.log"]
    assert [problem.code for problem in found.problems] == ["empty"]


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(np.random.default_rng(0).bytes(1 << 20))
    refused(path, "no-curve")


def test_one_point_and_nan_only(tmp_path):
    assert points(run(tmp_path, "epoch: 1 step: 5, loss is 2\n").columns["loss"]) == [(5, 1, 2.0)]
    found = run(tmp_path, "epoch: 1 step: 1, loss is nan\nepoch: 1 step: 2, loss is nan\n")
    assert np.isnan(found.columns["loss"].values).all()


def test_absurd_numbers_and_lines(tmp_path):
    log = (
        f"epoch: 1e300 step: {10**40}, loss is 1\nepoch: 9007199254740991 step: 9007199254740991, loss is {10**400}\n"
        + "x" * (20 << 20)
    )
    found = run(tmp_path, log)
    assert found.columns["loss"].values.tolist() == [1, np.inf]


def test_lines_of_ever_new_kinds_are_bounded(tmp_path):
    log = "".join(f"epoch: 1 step: 1, k{'x' * (index % 50)}{'y' * (index // 50)}: 1\n" for index in range(1200))
    found = read(tmp_path, log)
    assert [problem.code for problem in found.problems] == ["curve-kinds"]
    assert len(found.runs[0].columns) == 1000


def test_json_lines_of_many_kinds_with_empty_lines_lists_and_words(tmp_path, monkeypatch):
    monkeypatch.setattr(curves, "_KINDS", 2)
    log = '{"step": 1, "loss": "-Infinity"}\n\n[1, 2]\n{"step": 2, "loss": "NaN"}\n{"step": 2, "acc": 1}\n{"step": 3, "other": 1}\n'
    found = read(tmp_path, log, "log.jsonl")
    assert {problem.code: problem.data["count"] for problem in found.problems} == {"curve-lines": 1, "curve-kinds": 1}
    np.testing.assert_array_equal(found.runs[0].columns["loss"].values, [-np.inf, np.nan])


def test_csv_that_is_refused_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(curves, "_LARGEST_RAGGED", 1)
    with pytest.raises(ReadError) as error:
        read(tmp_path, "step,loss\n1,2\n2,3\n3,4,5\n", "c.csv")
    assert error.value.code == "ragged"


def test_files_of_a_folder_without_a_curve_and_beyond_the_bound(tmp_path, monkeypatch):
    (tmp_path / "a.log").write_text("")
    (tmp_path / "b.log").write_text("nothing to see\n")
    (tmp_path / "c.log").write_text(loss_lines(1))
    found = curves.read(tmp_path)
    assert [run.name for run in found.runs] == ["c.log"] and not found.problems
    monkeypatch.setattr(curves, "_FILES", 2)
    with pytest.raises(ReadError) as error:
        curves.read(tmp_path)
    assert error.value.code == "curve-files" and error.value.data["count"] == 3


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.bin"])
def test_times_of_steps_are_told_by_logs_of_text_alone(tmp_path, name):
    content = {
        "a.csv": b"step,loss\n1,2\n",
        "a.jsonl": b'{"step": 1, "loss": 2}\n',
        "a.bin": b"\0\1\2\xff" * 100,
    }[name]
    (tmp_path / name).write_bytes(content)
    assert curves.step_times(tmp_path / name) is None
    assert curves.step_times(tmp_path) is None
    recorded(tmp_path / "recording")
    assert curves.step_times(tmp_path / "recording") is None
