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
LAST = "        self.fc2 = nn.Dense(64, num_classes)\n"
BEGIN = "    def construct(self, x):\n"
FLATTEN = "self.flatten(x)"
OUTPUT = "        return self.fc2(x)\n"


def case(text: str) -> Edit:
    """More keys of accucheck.yaml."""
    last = "curves: {train: logs/train.log, eval: logs/eval.csv}\n"
    return ("accucheck.yaml", last, last + text)


def checkpoint(text: str) -> Edit:
    """One more of the checkpoints in accucheck.yaml."""
    last = "current: checkpoints/digits.ckpt"
    return ("accucheck.yaml", last, f"{last}, {text}")


# What a data parallel training adds to train.py; it is asked for only where there are several devices.
DISTRIBUTED = """    if int(os.environ.get("RANK_SIZE", "1")) > 1:
        init()
        ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
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
        {"frozen_weights": "frozen-moved"},
        right=(("network.py", "    return network\n", FREEZE),),
        given=(
            *PRETRAINED,
            case('design: {frozen: ["conv1.*"]}\n'),
        ),
        steps=("cp checkpoints/digits.ckpt checkpoints/pretrained.ckpt", "train.py --epochs 1"),
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
