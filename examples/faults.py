"""Plants a fault into a copy of digits/ and really trains it, so that each probe has a run in which to find it.

    python faults.py                                lists the faults
    python faults.py frozen-moves FOLDER            makes FOLDER: the project with this fault, trained where its finding needs it
    python faults.py frozen-moves FOLDER --clean    the same project without the fault

Then: accucheck run FOLDER --live --checklist accuracy --checklist sanity
"""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

DIGITS = Path(__file__).resolve().parent / "digits"
#: File, text, and what stands there instead; a file of its own where the text is empty.
Edit = tuple[str, str, str]


class Fault(NamedTuple):
    """`wrong` is the fault itself, `right` what stands in its place in the clean project, `given` is in both.

    `steps`: lines of Python's arguments, or `cp A B`. `found`: the probes that find it, each with the code of its finding.
    """

    item: str
    what: str
    found: dict[str, str]
    wrong: tuple[Edit, ...] = ()
    right: tuple[Edit, ...] = ()
    given: tuple[Edit, ...] = ()
    steps: tuple[str, ...] = ()


# --- lines of the project that faults change

SEED = "    ms.set_seed(1)\n"
BUILD = "    network = DigitNet()\n"
RATES = "    rates = nn.cosine_decay_lr(0.0, args.learning_rate, args.epochs * steps, steps, args.epochs)\n"
CONSTANT = "    rates = args.learning_rate\n"
READ = "    images, labels = load(path)\n"
LAST = "        self.fc2 = nn.Dense(64, num_classes)\n"
BEGIN = "    def construct(self, x):\n"
FLATTEN = "self.flatten(x)"
FIRST = "self.conv1(x)"
HIDDEN = "        self.fc1 = nn.Dense(32 * 2 * 2, 64)\n"
OUTPUT = "        return self.fc2(x)\n"
LOSS = 'nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")'
LOSS_IN_CASE = '{call: "mindspore.nn:SoftmaxCrossEntropyWithLogits", args: {sparse: true, reduction: mean}}'


def case(text: str) -> Edit:
    """More keys of accucheck.yaml."""
    first = "checkpoints: {"
    return ("accucheck.yaml", first, text + first)


def checkpoint(text: str) -> Edit:
    """One more of the checkpoints in accucheck.yaml."""
    last = "current: checkpoints/digits.ckpt"
    return ("accucheck.yaml", last, f"{last}, {text}")


# What a data parallel training adds to train.py; it is asked for only where there are several devices.
DISTRIBUTED = """    if int(os.environ.get("RANK_SIZE", "1")) > 1:
        init()
        ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
"""
SHARD = """# The part of the data that this process reads.
SHARD = {"num_shards": int(os.environ.get("RANK_SIZE", "1")), "shard_id": int(os.environ.get("RANK_ID", "0"))}


"""
LOAD = """    held = ms.load_checkpoint("checkpoints/pretrained.ckpt")
    ms.load_param_into_net(network, RENAMED)
"""
# A network that begins with pretrained weights, for train.py and for live probes.
PRETRAINED = (
    ("network.py", "from mindspore import nn\n", "import mindspore as ms\nfrom mindspore import nn\n"),
    (
        "network.py",
        "class DigitNet(nn.Cell):\n",
        "def pretrained():\n    network = DigitNet()\n"
        "    ms.load_checkpoint('checkpoints/pretrained.ckpt', network, strict_load=True)\n    return network\n\n\n"
        "class DigitNet(nn.Cell):\n",
    ),
    ("train.py", "from network import DigitNet\n", "from network import pretrained\n"),
    ("train.py", BUILD, "    network = pretrained()\n"),
    ("accucheck.yaml", '{call: "network:DigitNet", args: {num_classes: 10}}', '{call: "network:pretrained"}'),
)
FREEZE = """    for one in network.conv1.get_parameters():
        one.requires_grad = False
    return network
"""
# A cross entropy of the project's own.
OWN_LOSS = """from mindspore import nn, ops


class CrossEntropy(nn.Cell):
    def construct(self, logits, label):
        right = ops.LOGARITHM(logits, -1).gather_elements(1, label.reshape(-1, 1))
        return -right.mean()
"""
# A layer that sees the mirror image, with the weights of conv1.
FLIPPED = """        self.flipped = nn.Conv2d(1, 16, 3, pad_mode="same")
        TIE
"""
# Eight more layers; the gradient of a sigmoid is at most a quarter.
SIGMOIDS = """        layers = [layer for _ in range(8) for layer in (nn.Dense(64, 64), nn.Sigmoid())]
        self.deep = nn.SequentialCell(layers)
"""
INPUT_LOST = (("network.py", BEGIN, BEGIN + "        x = x * 0\n"),)
# The first two steps with all that the operators took and gave, in MindSpore's own way.
DUMP = """import json, os, sys
folder = os.path.abspath("dump")
common = {"op_debug_mode": 0, "dump_mode": 0, "path": folder, "net_name": "digits", "iteration": "0-1", "saved_data": "tensor"}
common.update(input_output=0, kernels=[], support_device=[0])
with open("dump.json", "w") as file:
    json.dump({"common_dump_settings": common, "e2e_dump_settings": {"enable": True, "trans_flag": True}}, file)
os.environ["MINDSPORE_DUMP_CONFIG"] = os.path.abspath("dump.json")
import train
sys.argv = ["train.py", "--epochs", "1"]
train.main()
"""
# A training in mixed precision with a dynamic loss scale, which tells of itself.
AMP = """import mindspore as ms
from mindspore import amp, nn

import accucheck
from dataset import create_dataset
from network import DigitNet


def main():
    ms.set_seed(1)
    network = amp.auto_mixed_precision(DigitNet(), "O2")
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(network.trainable_params(), 0.05, 0.9)
    scaler = amp.DynamicLossScaler(2.0**16, 2, 50)

    def forward(image, label):
        loss = loss_fn(network(image), label)
        return scaler.scale(loss), loss

    step = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
    network.set_train(True)
    with accucheck.Recorder("logs/run.jsonl") as recorder:
        for image, label in create_dataset("data/train", 32, training=True).create_tuple_iterator():
            (_, loss), grads = step(image, label)
            grads = scaler.unscale(grads)
            finite = amp.all_finite(grads)
            if finite:
                optimizer(grads)
            recorder.step(loss=loss, loss_scale=scaler.scale_value, overflow=not finite)
            scaler.adjust(finite)


if __name__ == "__main__":
    main()
"""
# MindSpore's own way to write the graph of a network.
EXPORT = shlex.join(
    [
        "-c",
        "import mindspore as ms, numpy as np, network; ms.export(network.DigitNet(), "
        "ms.Tensor(np.zeros((1, 1, 8, 8), np.float32)), file_name='digits', file_format='MINDIR')",
    ]
)

FAULTS = {
    "frozen-moves": Fault(
        "cg.02",
        "conv1 comes from a pretrained network and is to be frozen, but is trained",
        {"frozen_weights": "frozen-moved", "frozen_weights_live": "frozen-moves"},
        right=(("network.py", "    return network\n", FREEZE),),
        given=(
            *PRETRAINED,
            case('design: {frozen: ["conv1.*"]}\n'),
        ),
        steps=("cp checkpoints/digits.ckpt checkpoints/pretrained.ckpt", "train.py --epochs 1"),
    ),
    "rate-too-high": Fault(
        "hp.01",
        "a learning rate of 1, which a range test has shown to be far too high",
        {"lr_range": "too-high"},
        wrong=(("train.py", RATES, "    rates = 1.0\n"),),
        right=(("train.py", RATES, "    rates = 0.05\n"),),
    ),
    "weights-copied": Fault(
        "cg.01",
        "a layer is to share the weights of another one, but gets a copy of them",
        {"weight_sharing": "declared-apart", "weight_sharing_live": "declared-apart"},
        wrong=(
            (
                "network.py",
                LAST,
                LAST + FLIPPED.replace("TIE", "self.flipped.weight.set_data(self.conv1.weight.copy())"),
            ),
        ),
        right=(("network.py", LAST, LAST + FLIPPED.replace("TIE", "self.flipped.weight = self.conv1.weight")),),
        given=(
            ("network.py", FIRST, f"{FIRST} + self.flipped(x.flip((3,)))"),
            case("design: {shared: [[conv1.weight, flipped.weight]]}\n"),
        ),
        steps=("train.py --epochs 1",),
    ),
    "loss-without-log": Fault(
        "cg.04",
        "a cross entropy of the project's own that forgets the logarithm",
        {"loss_reference": "value-differs"},
        wrong=(("losses.py", "", OWN_LOSS.replace("LOGARITHM", "softmax")),),
        right=(("losses.py", "", OWN_LOSS.replace("LOGARITHM", "log_softmax")),),
        given=(
            (
                "train.py",
                "from dataset import create_dataset\n",
                "from dataset import create_dataset\nfrom losses import CrossEntropy\n",
            ),
            ("train.py", LOSS, "CrossEntropy()"),
            ("accucheck.yaml", LOSS_IN_CASE, '{call: "losses:CrossEntropy"}'),
            case("design: {loss: cross_entropy}\n"),
        ),
    ),
    "weights-zero": Fault(
        "wi.01",
        "a layer that starts at zero and stays there",
        {"zero_weights_script": "zero-weights", "zero_weights": "all-zero", "zero_weights_live": "all-zero"},
        wrong=(("network.py", HIDDEN, HIDDEN.replace("64)", '64, weight_init="zeros")')),),
        steps=("train.py --epochs 1",),
    ),
    "last-layer-large": Fault(
        "san.04",
        "a last layer that starts far too large",
        {"first_loss": "first-high", "first_loss_live": "first-high"},
        wrong=(("network.py", LAST, LAST.replace("classes)", "classes, weight_init=Normal(50.0))")),),
        given=(
            (
                "network.py",
                "from mindspore import nn\n",
                "from mindspore import nn\nfrom mindspore.common.initializer import Normal\n",
            ),
        ),
        steps=("train.py --epochs 1",),
    ),
    "input-lost": Fault(
        "san.05",
        "the network multiplies its input by 0, so that not even one batch can be learnt by heart",
        {"overfit_batch": "same-output"},
        wrong=INPUT_LOST,
    ),
    "input-without-use": Fault(
        "san.06",
        "the network multiplies its input by 0: all pictures get the same output",
        {"input_dependence": "independent"},
        wrong=INPUT_LOST,
    ),
    "samples-mixed": Fault(
        "san.06",
        "a transpose before flatten mixes the pictures of a batch",
        {"input_dependence": "mixing"},
        wrong=(("network.py", FLATTEN, "self.flatten(x.transpose(1, 0, 2, 3).reshape(x.shape))"),),
    ),
    "statistics-lag": Fault(
        "san.07",
        "the statistics of a BatchNorm follow so slowly that they are not there when training ends",
        {"mode_switch": "inference-worse"},
        wrong=(("network.py", LAST, LAST + "        self.norm = nn.BatchNorm2d(16, momentum=0.999)\n"),),
        right=(("network.py", LAST, LAST + "        self.norm = nn.BatchNorm2d(16, momentum=0.9)\n"),),
        given=(("network.py", FIRST, f"self.norm({FIRST})"),),
        steps=("train.py --epochs 2",),
    ),
    "rate-tiny": Fault(
        "san.08",
        "a learning rate of 1e-7: the weights hardly move",
        {"update_ratio": "too-small"},
        wrong=(
            ("train.py", "default=0.05", "default=1e-7"),
            ("accucheck.yaml", "learning_rate: 0.05", "learning_rate: 1.0e-7"),
        ),
    ),
    "relus-dead": Fault(
        "san.09",
        "a layer starts with biases of -20, and its ReLU lets nothing pass",
        {"activations": "all-dead", "gradients": "zero"},
        wrong=(("network.py", HIDDEN, HIDDEN.replace("64)", "64, bias_init=-20.0)")),),
        given=(("accucheck.yaml", ", current: checkpoints/digits.ckpt", ""),),
    ),
    "eight-sigmoids": Fault(
        "san.09",
        "eight layers with sigmoids: next to no gradient gets to the first ones",
        {"gradients": "vanishing"},
        wrong=(
            ("network.py", LAST, LAST + SIGMOIDS),
            ("network.py", OUTPUT, "        return self.fc2(self.deep(x))\n"),
        ),
    ),
    "ranks-differ": Fault(
        "san.02",
        "no seed: each device starts from weights of its own",
        {"rank_seeds": "no-seed", "rank_weights": "weights-differ"},
        wrong=(("train.py", SEED, DISTRIBUTED),),
        right=(("train.py", SEED, SEED + DISTRIBUTED),),
        given=(
            ("train.py", "import argparse\n", "import argparse\nimport os\n"),
            (
                "train.py",
                "from mindspore import nn\n",
                "from mindspore import nn\nfrom mindspore.communication import init\n",
            ),
            ("dataset.py", "from pathlib import Path\n", "import os\nfrom pathlib import Path\n"),
            ("dataset.py", "shuffle=training)", "shuffle=training, **SHARD)"),
            ("dataset.py", "def create_dataset", SHARD + "def create_dataset"),
            ("accucheck.yaml", "{devices: 1}", "{devices: 2}"),
            checkpoint("ranks: [checkpoints/rank0.ckpt, checkpoints/rank1.ckpt]"),
        ),
        steps=(
            "train.py --epochs 1",
            "cp checkpoints/init.ckpt checkpoints/rank0.ckpt",
            "train.py --epochs 1",
            "cp checkpoints/init.ckpt checkpoints/rank1.ckpt",
        ),
    ),
    "pretrained-lost": Fault(
        "wi.02",
        "pretrained weights are loaded under names that the network does not have",
        {"pretrained_weights": "values-differ"},
        wrong=(
            (
                "train.py",
                BUILD,
                BUILD + LOAD.replace("RENAMED", "{name.replace('conv', 'features.'): held[name] for name in held}"),
            ),
        ),
        right=(("train.py", BUILD, BUILD + LOAD.replace("RENAMED", "held")),),
        given=(checkpoint("pretrained: checkpoints/pretrained.ckpt"),),
        steps=("cp checkpoints/digits.ckpt checkpoints/pretrained.ckpt", "train.py --epochs 1"),
    ),
    "layer-unused": Fault(
        "cg.03",
        "a layer that construct() never calls",
        {"graph_connectivity_script": "unused-layer", "graph_connectivity": "not-in-graph"},
        wrong=(("network.py", LAST, LAST + "        self.fc3 = nn.Dense(64, 64)\n"),),
        given=(case("graphs: {path: digits.mindir}\n"),),
        steps=("train.py --epochs 1", EXPORT),
    ),
    "too-few-epochs": Fault(
        "hp.02",
        "training ends while the validation loss falls steeply",
        {"epoch_curve": "too-few"},
        wrong=(
            ("train.py", RATES, CONSTANT),
            ("train.py", "default=12", "default=5"),
            ("train.py", "default=0.05", "default=0.01"),
        ),
        steps=("train.py",),
    ),
    "too-many-epochs": Fault(
        "hp.02",
        "80 epochs on 64 pictures: the validation loss has long risen again",
        {"epoch_curve": "accuracy-holds"},
        wrong=(
            ("train.py", RATES, CONSTANT),
            ("train.py", "default=12", "default=80"),
            ("dataset.py", READ, READ + "    if training:\n        images, labels = images[:64], labels[:64]\n"),
        ),
        steps=("train.py",),
    ),
    "batch-too-large": Fault(
        "hp.03",
        "batches of 512 with the learning rate of 32",
        {"batch_size": "below-baseline"},
        wrong=(("train.py", "default=32", "default=512"),),
        right=(("train.py", SEED, "    ms.set_seed(2)\n"),),
        given=(("accucheck.yaml", "eval: logs/eval.csv,", "eval: logs/eval.csv, baseline: logs/batch32.csv,"),),
        steps=("cp logs/eval.csv logs/batch32.csv", "train.py"),
    ),
    "log-of-zero": Fault(
        "mp.01",
        "the logarithm of an activation that is 0 for some pictures",
        {"overflow": "dump-origin"},
        wrong=(
            ("network.py", "from mindspore import nn\n", "from mindspore import nn, ops\n"),
            ("network.py", OUTPUT, "        return self.fc2(ops.log(x))\n"),
        ),
        given=(case("dumps: {path: dump}\n"), ("dump.py", "", DUMP)),
        steps=("dump.py",),
    ),
    "scale-collapses": Fault(
        "mp.02",
        "inputs so large that float16 overflows at every loss scale",
        {"loss_scale": "collapsed"},
        wrong=(("dataset.py", "vision.Rescale(1 / 16, 0.0)", "vision.Rescale(4096.0, 0.0)"),),
        given=(
            ("train_amp.py", "", AMP),
            ("accucheck.yaml", "train: train.py", "train: train_amp.py"),
            ("accucheck.yaml", "amp: O0", "amp: O2"),
            ("accucheck.yaml", "{train: logs/train.log, eval: logs/eval.csv,", "{train: logs/run.jsonl,"),
        ),
        steps=("train_amp.py",),
    ),
}


def plant(fault: Fault, target: Path, *, clean: bool = False) -> None:
    """Make the project `target` with the fault, or without it, and run its steps there."""
    shutil.copytree(DIGITS, target, ignore=shutil.ignore_patterns(".accucheck", "__pycache__", "README.md"))
    for name, old, new in (*fault.given, *(fault.right if clean else fault.wrong)):
        path = target / name
        text = path.read_text(encoding="utf-8") if old else ""
        if old not in text:
            raise SystemExit(f"{name} has no {old!r}")
        path.write_text(text.replace(old, new, 1) if old else new, encoding="utf-8")
    for step in fault.steps:
        words = shlex.split(step)
        if words[0] == "cp":
            (target / words[2]).unlink(missing_ok=True)  # MindSpore's checkpoints are read-only
            shutil.copyfile(target / words[1], target / words[2])
        else:
            subprocess.run([sys.executable, "-B", *words], cwd=target, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--clean"]
    if len(arguments) != 2 or arguments[0] not in FAULTS:
        for name, fault in FAULTS.items():
            print(f"{name:20} {fault.item:7} {fault.what}")
        raise SystemExit("usage: python faults.py FAULT FOLDER [--clean]" if arguments else 0)
    plant(FAULTS[arguments[0]], Path(arguments[1]), clean="--clean" in sys.argv)


if __name__ == "__main__":
    main()
