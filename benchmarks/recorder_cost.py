"""What recording adds to a training step of 50 ms: the same real training of MindSpore, every other step recorded.

The network is made as large as a step of about 50 ms on this machine needs; a step is the update and the recording of it. Measured in
both modes: Model.train's callback (called as Model.train calls it), and the loop with loss, learning rate, scale and overflow; with
the gradients' norm too, which is a pass over all gradients, printed apart. Also the time of the call itself, which is steadier.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from _measuring import Row, report, row

TARGET, STEP = 0.01, 0.050


def measure(mode: str, steps: int) -> list[Row]:
    import mindspore as ms
    import numpy as np
    from mindspore import nn

    from accucheck import Recorder

    ms.set_device("CPU")
    ms.set_context(mode=getattr(ms, mode))
    ms.set_seed(1)
    random = np.random.default_rng(0)
    images = ms.Tensor(random.normal(size=(64, 256)).astype(np.float32))
    labels = ms.Tensor(random.integers(0, 10, 64).astype(np.int32))
    layers = 1
    while True:  # until a step takes about as long as wanted
        parts = [nn.Dense(256, 1024), nn.ReLU()]
        for _ in range(layers):
            parts += [nn.Dense(1024, 1024), nn.ReLU()]
        network = nn.SequentialCell(*parts, nn.Dense(1024, 10))
        optimizer = nn.Momentum(network.trainable_params(), [0.01] * 1_000_000, 0.9)
        cell = nn.TrainOneStepCell(nn.WithLossCell(network, nn.CrossEntropyLoss()), optimizer)
        cell.set_train()
        for _ in range(2):
            cell(images, labels).asnumpy()
        taken = []
        for _ in range(5):
            begin = time.perf_counter()
            cell(images, labels).asnumpy()
            taken.append(time.perf_counter() - begin)
        usual = statistics.median(taken)
        if usual > 0.8 * STEP or layers > 60:
            break
        layers = min(61, max(layers + 1, int(layers * STEP / usual)))
    grads = tuple(ms.Tensor(random.normal(size=one.shape).astype(np.float32)) for one in optimizer.parameters)
    size = sum(one.size for one in grads) / 1e6
    overflow, scale = ms.Tensor(False), ms.Tensor(1024.0)

    with tempfile.TemporaryDirectory() as folder, Recorder(Path(folder, "run.jsonl")) as recorder:
        callback = recorder.callback()
        state = {"optimizer": optimizer, "cur_step_num": 0, "cur_epoch_num": 1, "batch_num": steps, "mode": "train"}
        context = ms.train.RunContext(state)

        def in_model(value: object) -> None:
            state["cur_step_num"] += 1
            state["net_outputs"] = value
            callback.on_train_step_begin(context)
            callback.on_train_step_end(context)

        def in_loop(value: object) -> None:
            recorder.step(loss=value, lr=0.01, loss_scale=scale, overflow=overflow, epoch=1)

        def with_norm(value: object) -> None:
            recorder.step(loss=value, lr=0.01, loss_scale=scale, overflow=overflow, epoch=1, grads=grads)

        ways = {"Model.train": in_model, "loop": in_loop, f"loop, norm of {size:.0f} M gradients": with_norm}
        for record in ways.values():
            record(cell(images, labels))
        times: dict[str, list[float]] = {"": [], **{name: [] for name in ways}}
        calls: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(steps):
            for name in times:
                begin = time.perf_counter()
                value = cell(images, labels)
                value.asnumpy()  # wait for the step, so that it is not counted to the record
                middle = time.perf_counter()
                if name:
                    ways[name](value)
                    calls[name].append(time.perf_counter() - middle)
                times[name].append(time.perf_counter() - begin)
    plain = statistics.median(times[""])
    print(f"{mode}: a step takes {plain * 1000:.1f} ms (median of {steps}, interleaved)")
    rows = []
    for name in ways:
        call, whole = statistics.median(calls[name]), statistics.median(times[name])
        aim = f"  {'within' if call < TARGET * STEP else 'ABOVE'} {TARGET:.0%}" if "norm" not in name else ""
        print(
            f"  {name:32} {call * 1e6:7.0f} us a record = {call / STEP:6.2%} of {STEP * 1000:.0f} ms{aim};"
            f"  whole step {whole / plain - 1:+.2%}"
        )
        share = [each / STEP for each in calls[name]]
        note = f"the step itself {plain * 1000:.1f} ms, with the record {whole / plain - 1:+.2%}"
        rows.append(
            row(f"{mode}, {name}: share of a step of 50 ms", share, "%", most=TARGET if aim else None, note=note)
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--mode", choices=["GRAPH_MODE", "PYNATIVE_MODE"], help="one mode, in this process")
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.mode:
        rows = measure(options.mode, options.steps)
        if options.rows:
            options.rows.write_bytes(msgspec.json.encode(rows))
        return 0
    rows = []
    for mode in ("GRAPH_MODE", "PYNATIVE_MODE"):
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder, "rows.json")
            command = [sys.executable, __file__, "--mode", mode, "--steps", str(options.steps), "--rows", str(told)]
            subprocess.run(command, check=True)
            rows += msgspec.json.decode(told.read_bytes(), type=list[Row])
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
