"""Faults that only the command or the configuration of a run sets, in each way a script may take its options."""

import json
import shlex
from pathlib import Path

import pytest

from command_line import accucheck

WORK = """import mindspore as ms
from mindspore import dataset, nn
from mindspore.dataset import vision


def train(lr, shuffle, level, mean, std):
    data = dataset.ImageFolderDataset("images", shuffle=shuffle)
    steps = [vision.Decode(), vision.Normalize([mean, mean, mean], [std, std, std]), vision.HWC2CHW()]
    data = data.map(steps, "image").batch(32)
    network = nn.SequentialCell(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.Dense(1024, 10))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), lr, 0.9)
    ms.Model(network, loss, optimizer, amp_level=level).train(90, data)
"""
ARGPARSE = """import argparse
from work import train
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--no-shuffle", dest="shuffle", action="store_false")
parser.add_argument("--level", default="O0")
parser.add_argument("--mean", type=float, default=123.7)
parser.add_argument("--std", type=float, default=58.4)
train(**vars(parser.parse_args()))
"""
CLICK = """import click
from work import train
@click.command()
@click.option("--lr", default=0.01)
@click.option("--shuffle/--no-shuffle", default=True)
@click.option("--level", default="O0")
@click.option("--mean", default=123.7)
@click.option("--std", default=58.4)
def main(**options):
    train(**options)
if __name__ == "__main__":
    main()
"""
ABSL = """from absl import app, flags
from work import train
FLAGS = flags.FLAGS
flags.DEFINE_float("lr", 0.01, "rate")
flags.DEFINE_bool("shuffle", True, "order")
flags.DEFINE_string("level", "O0", "precision")
flags.DEFINE_float("mean", 123.7, "mean")
flags.DEFINE_float("std", 58.4, "deviation")
def main(argv):
    train(FLAGS.lr, FLAGS.shuffle, FLAGS.level, FLAGS.mean, FLAGS.std)
if __name__ == "__main__":
    app.run(main)
"""
FIRE = """import fire
from work import train
def main(lr=0.01, shuffle=True, level="O0", mean=123.7, std=58.4):
    train(lr, shuffle, level, mean, std)
if __name__ == "__main__":
    fire.Fire(main)
"""
TYRO = """from dataclasses import dataclass
import tyro
from work import train
@dataclass
class Options:
    lr: float = 0.01
    shuffle: bool = True
    level: str = "O0"
    mean: float = 123.7
    std: float = 58.4
given = tyro.cli(Options)
train(given.lr, given.shuffle, given.level, given.mean, given.std)
"""
TYPER = """import typer
from work import train
app = typer.Typer()
@app.command()
def main(lr: float = 0.01, shuffle: bool = True, level: str = "O0", mean: float = 123.7, std: float = 58.4):
    train(lr, shuffle, level, mean, std)
if __name__ == "__main__":
    app()
"""
GETOPT = """import getopt
import sys
from work import train
given = dict(lr=0.01, shuffle=True, level="O0", mean=123.7, std=58.4)
for flag, text in getopt.getopt(sys.argv[1:], "", ["lr=", "no-shuffle", "level=", "mean=", "std="])[0]:
    if flag == "--no-shuffle":
        given["shuffle"] = False
    elif flag == "--level":
        given["level"] = text
    else:
        given[flag[2:]] = float(text)
train(**given)
"""
WORDS = """import sys
from work import train
lr, shuffle, level, mean, std = 0.01, True, "O0", 123.7, 58.4
if len(sys.argv) > 1:
    lr = float(sys.argv[1])
    shuffle = sys.argv[2] == "shuffle"
    level, mean, std = sys.argv[3], float(sys.argv[4]), float(sys.argv[5])
train(lr, shuffle, level, mean, std)
"""
REGISTRY = """import argparse
import yaml
import work
RUNNERS = {}
def runner(made):
    RUNNERS[made.__name__] = made
    return made
@runner
def images(**given):
    work.train(**given)
parser = argparse.ArgumentParser()
parser.add_argument("--config")
with open(parser.parse_args().config) as stream:
    settings = yaml.safe_load(stream)
RUNNERS[settings.pop("type")](**settings)
"""
GOOD = "type: images\nlr: 0.01\nshuffle: true\nlevel: O0\nmean: 123.7\nstd: 58.4\n"
BAD = "type: images\nlr: 50.0\nshuffle: false\nlevel: O3\nmean: 0.485\nstd: 0.229\n"
FAULTS = "--lr 50 {} --level O3 --mean 0.485 --std 0.229"
ITEMS = {"hp.01", "dp.03", "mp.01", "dp.01"}


def accused(root: Path, words: str) -> tuple[set[str], str]:
    """The items that a run finds fault with, and all that it says."""
    only = [part for item in sorted(ITEMS) for part in ("--only", item)]
    ran = accucheck(
        "run", "--json", "--no-session", "--kind", "static", "--lang", "en", *only, "--", "python", "main.py",
        *shlex.split(words), cwd=root,
    )  # fmt: skip
    found = {
        item["id"]
        for item in json.loads(ran.stdout)["items"]
        for result in item["results"]
        for finding in result["findings"]
        if finding["level"] in ("problem", "suspect")
    }
    return found, ran.out


@pytest.mark.part(5)
@pytest.mark.parametrize(
    ("script", "healthy", "faulty", "origin"),
    [
        (ARGPARSE, "", FAULTS.format("--no-shuffle"), "given on the command line, option lr"),
        (CLICK, "", FAULTS.format("--no-shuffle"), "given on the command line, option lr"),
        (ABSL, "", FAULTS.format("--noshuffle"), "given on the command line, option lr"),
        (FIRE, "", FAULTS.format("--shuffle=False"), "given on the command line, option lr"),
        (TYRO, "", FAULTS.format("--no-shuffle"), "given on the command line, option lr"),
        (TYPER, "", FAULTS.format("--no-shuffle"), "given on the command line, option lr"),
        (GETOPT, "", FAULTS.format("--no-shuffle"), "given on the command line, option lr"),
        (WORDS, "", "50 plain O3 0.485 0.229", "given on the command line, option lr"),
        (REGISTRY, "--config good.yaml", "--config bad.yaml", "bad.yaml:2"),
    ],
    ids=["argparse", "click", "absl", "fire", "tyro", "typer", "getopt", "words", "registry"],
)
def test_faults_of_the_command_are_found_and_a_healthy_one_is_not_accused(
    tmp_path: Path, script: str, healthy: str, faulty: str, origin: str
) -> None:
    for name, text in (("work.py", WORK), ("main.py", script), ("good.yaml", GOOD), ("bad.yaml", BAD)):
        (tmp_path / name).write_text(text)
    assert accused(tmp_path, healthy)[0] == set()
    found, told = accused(tmp_path, faulty)
    assert found == ITEMS
    assert origin in told
