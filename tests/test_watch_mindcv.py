"""A training that mindcv puts together from a YAML file, watched: every layer of it is seen, and its losses and weights stay the same."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from accucheck.readers import recordings
from accucheck.watching import OUTPUT, Plan, watch

pytest.importorskip("mindcv")
pytestmark = pytest.mark.mindspore

#: As the library's own scripts do it: options, a YAML file that gives their defaults, and a factory for each part.
TRAIN = """
import argparse
import hashlib

import mindspore as ms
import yaml
from mindcv.data import create_dataset, create_loader, create_transforms
from mindcv.loss import create_loss
from mindcv.models import create_model
from mindcv.optim import create_optimizer
from mindcv.scheduler import create_scheduler
from mindcv.utils import create_trainer, set_seed
from mindspore.train import Callback


class Tell(Callback):
    def on_train_step_end(self, run_context):
        loss = run_context.original_args().net_outputs
        print("loss", repr(float(loss[0] if isinstance(loss, tuple) else loss)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-c", "--config", required=True)
    parser.add_argument("--lr", type=float, default=0.1)
    for name in ("model", "scheduler", "opt", "loss", "data_dir", "amp_level"):
        parser.add_argument(f"--{name}")
    for name in ("mode", "batch_size", "num_classes", "image_resize", "epoch_size", "loss_scale"):
        parser.add_argument(f"--{name}", type=int)
    given, _ = parser.parse_known_args()
    with open(given.config) as file:
        parser.set_defaults(**yaml.safe_load(file))
    args = parser.parse_args()
    ms.set_context(mode=args.mode)
    set_seed(7)

    def loader(split, is_training):
        dataset = create_dataset("imagenet", root=args.data_dir, split=split, shuffle=is_training, num_parallel_workers=1)
        transform = create_transforms("imagenet", image_resize=args.image_resize, is_training=is_training)
        return create_loader(
            dataset, args.batch_size, drop_remainder=is_training, is_training=is_training, transform=transform,
            num_parallel_workers=1, num_classes=args.num_classes,
        )

    train, val = loader("train", True), loader("val", False)
    network = create_model(args.model, num_classes=args.num_classes)
    loss = create_loss(args.loss, label_smoothing=0.1)
    steps = train.get_dataset_size()
    lr = create_scheduler(steps, args.scheduler, lr=args.lr, min_lr=0.0, warmup_epochs=1, decay_epochs=args.epoch_size - 1)
    optimizer = create_optimizer(
        network.trainable_params(), args.opt, lr=lr, weight_decay=1e-4, momentum=0.9, loss_scale=args.loss_scale
    )
    trainer = create_trainer(
        network, loss, optimizer, {"accuracy"}, amp_level=args.amp_level, amp_cast_list=None, loss_scale_type="fixed",
        loss_scale=args.loss_scale,
    )
    trainer.train(args.epoch_size, train, callbacks=[Tell()], dataset_sink_mode=args.dataset_sink_mode)
    held = b"".join(one.asnumpy().tobytes() for one in network.get_parameters())
    print("weights", hashlib.blake2b(held, digest_size=8).hexdigest())
    print("right", trainer.eval(val, dataset_sink_mode=False)["accuracy"])


main()
"""
CONFIG = """
# system
mode: 1
# dataset
data_dir: ./pictures
batch_size: 4
image_resize: 32
# model
model: mobilenet_v1_025
num_classes: 3
# training
epoch_size: 2
dataset_sink_mode: True
amp_level: O0
loss: CE
loss_scale: 1024
scheduler: cosine_decay
lr: 0.02
opt: momentum
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    folder.joinpath("train.py").write_text(TRAIN)
    folder.joinpath("tiny.yaml").write_text(CONFIG)
    for split, count in (("train", 8), ("val", 2)):
        for number, colour in enumerate(("red", "green", "blue")):
            below = folder / "pictures" / split / colour
            below.mkdir(parents=True)
            for copy in range(count):
                shade = [25 * copy] * 3
                shade[number] = 255
                Image.new("RGB", (40, 40), tuple(shade)).save(below / f"{copy}.png")
    return folder


def said(text: str) -> list[str]:
    return re.findall(r"^(?:loss|weights|right) .*$", text, re.M)


def test_a_training_of_mindcv_is_seen_in_every_layer_and_stays_the_same(project: Path) -> None:
    command = [sys.executable, "train.py", "-c", "tiny.yaml", "--lr", "0.01"]
    alone = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=500)
    assert alone.returncode == 0, alone.stderr[-2000:]
    found = watch(Plan(command, project, steps=0, mode="pynative", cwd=project, kept=True))
    output = found.folder.joinpath(OUTPUT).read_text()
    (one,) = found.passes
    assert one.code == 0 and not one.failed and not one.missing, output[-2000:]
    assert said(output) == said(alone.stdout) and len(said(output)) == 14
    run = recordings.read(one.recordings[0]).runs[-1]
    network = run.facts["network"][0]
    (first, *_) = [told for told in run.facts["pass"] if told["training"]]
    called = {call[0] for call in first["calls"]}
    assert {name for name, *_ in network["cells"]} <= called
    assert network["class"].startswith("mindcv.models.")
    assert run.series["lr"].values[-1] < 0.01
    assert run.facts["options"][-1]["values"]["lr"] == 0.01
    assert run.facts["sink"][0]["place"][0] == "train.py"
    assert [told for told in run.facts["pass"] if not told["training"] and told["calls"]]
    assert len(run.facts["gradients"]) == 10 and all(run.facts["gradients"][0]["norms"])
