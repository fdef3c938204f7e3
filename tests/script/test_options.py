"""Options of the command line against argparse itself: each parser is run with the same words."""

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from accucheck.script.command import Command
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import Trace, follow
from accucheck.script.values import Items, KnownValue, Value, options

PLAIN = """
p = argparse.ArgumentParser()
p.add_argument("data", nargs="?", default="none")
p.add_argument("--learning-rate", "-l", type=float, default=0.1)
p.add_argument("--epochs", type=int, default=90)
p.add_argument("--sizes", type=int, nargs="+", default=[1])
p.add_argument("--amp", action="store_true")
p.add_argument("--no-shuffle", dest="shuffle", action="store_false")
p.add_argument("--verbose", "-v", action="count", default=0)
p.add_argument("--mode", choices=["graph", "pynative"], default="graph")
p.add_argument("--tag", action="append")
args = p.parse_args()
"""
OWN_TYPES = """
import ast
def flag(text):
    if isinstance(text, bool):
        return text
    if text.lower() in ("yes", "true", "1"):
        return True
    if text.lower() in ("no", "false", "0"):
        return False
    raise argparse.ArgumentTypeError("a truth value is expected")
p = argparse.ArgumentParser()
p.add_argument("--shuffle", type=flag, default=True)
p.add_argument("--drop", type=bool, default=False)
p.add_argument("--upper", type=lambda text: text.upper(), default="")
p.add_argument("--lr", type=ast.literal_eval, default=0.1)
args = p.parse_args()
"""
TWO_PARSERS = """
first = argparse.ArgumentParser(add_help=False)
first.add_argument("-c", "--config", default="", type=str)
p = argparse.ArgumentParser(parents=[first])
group = p.add_argument_group("training")
group.add_argument("--lr", type=float, default=0.1)
group.add_argument("--epochs", type=int, default=1)
known, rest = first.parse_known_args()
if known.config:
    p.set_defaults(epochs=120, config=known.config)
args = p.parse_args(rest)
"""
COMMANDS = """
p = argparse.ArgumentParser()
p.add_argument("--seed", type=int, default=1)
commands = p.add_subparsers(dest="command")
train = commands.add_parser("train")
train.add_argument("--lr", type=float, default=0.1)
args = p.parse_args()
"""


def followed(root: Path, text: str, words: list[str] | None) -> Trace:
    file = root / "main.py"
    file.write_text(text)
    command = None if words is None else Command(file.resolve(), tuple(words))
    return follow(read(file, "main.py"), lambda name, compared: None, Project(root, root).find, root, command=command)


def told(value: Value) -> Any:
    if isinstance(value, Items):
        return [told(item) for item in value.items]
    return value.value if isinstance(value, KnownValue) else ...


def shown(found: Trace) -> Value:
    (call,) = [call for call in found.calls if call.name == "show"]
    return call.args[0]


@pytest.mark.parametrize(
    ("parser", "words"),
    [
        (PLAIN, ""),
        (PLAIN, "--learning-rate 0.5 --epochs=3 folder"),
        (PLAIN, "-l1e-3 -vv --amp --no-shuffle"),
        (PLAIN, "--sizes 3 4 5 --mode pynative --tag a --tag b"),
        (PLAIN, "--learn 7 --ep 2"),
        (PLAIN, "--epochs 1 --epochs 2"),
        (OWN_TYPES, "--shuffle no --drop False --upper abc --lr 3"),
        (OWN_TYPES, "--shuffle TRUE --lr [0.1,0.2]"),
        (TWO_PARSERS, "--lr 3"),
        (TWO_PARSERS, "--config a.yaml --lr 3"),
        (TWO_PARSERS, "-c a.yaml --epochs 7"),
        (COMMANDS, "--seed 3 train --lr 2"),
    ],
)
def test_options_are_as_argparse_gives_them(tmp_path: Path, parser: str, words: str) -> None:
    split = shlex.split(words)
    scope: dict[str, Any] = {"argparse": argparse}
    with patch.object(sys, "argv", ["main.py", *split]):
        exec(parser, scope)
    real = vars(scope["args"])
    for name, value in real.items():
        if (name in ("command", "tag") and value is None) or name == "command":
            continue  # which subparser it is, is not an option; an option without a default is unknown
        found = shown(followed(tmp_path, f"import argparse\n{parser}\nshow(args.{name})\n", split))
        assert told(found) == value, name
        assert not (isinstance(found, KnownValue) and found.assumed), name


def test_without_a_command_a_default_may_be_another_one(tmp_path: Path) -> None:
    found = shown(followed(tmp_path, f"import argparse\n{PLAIN}\nshow(args.epochs)\n", None))
    assert isinstance(found, KnownValue) and (found.value, found.origin, found.assumed) == (90, "argparse", "argparse")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--other"], "options-unknown", "--other"),
        (["--epochs"], "options-refused", "--epochs"),
    ],
)
def test_a_command_that_does_not_fit_is_told(tmp_path: Path, words: list[str], code: str, text: str) -> None:
    found = followed(tmp_path, f"import argparse\n{PLAIN}\nshow(args.mode)\n", words)
    ((told_code, told_text, path, line),) = found.unbound
    assert (told_code, path, line) == (code, "main.py", 13) and text in told_text
    assert told(shown(found)) == "graph"


def test_a_configuration_of_the_command_and_options_over_it(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("lr: 50.0\nepochs: 120\n")
    script = """import argparse, yaml
p = argparse.ArgumentParser()
p.add_argument("--config")
p.add_argument("--lr", type=float, default=0.1)
p.add_argument("--epochs", type=int, default=90)
path = p.parse_known_args()[0].config
with open(path) as stream:
    p.set_defaults(**yaml.safe_load(stream))
args = p.parse_args()
show([args.lr, args.epochs])
"""
    found = shown(followed(tmp_path, script, ["--config", "a.yaml", "--lr", "0.2"]))
    assert isinstance(found, Items)
    lr, epochs = found.items
    assert isinstance(lr, KnownValue) and (lr.value, lr.origin) == (0.2, "command")
    assert isinstance(epochs, KnownValue) and (epochs.value, epochs.origin, epochs.assumed) == (120, "configured", None)
    other = shown(followed(tmp_path, script, ["--config", "nowhere.yaml", "--lr", "0.2"]))
    assert isinstance(other, Items) and told(other.items[0]) == 0.2 and told(other.items[1]) is ...


def test_what_a_condition_sets_is_not_settled(tmp_path: Path) -> None:
    script = """import argparse
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=0.1)
if somewhere():
    p.set_defaults(lr=0.5)
show(p.parse_args().lr)
"""
    assert {
        option.value for option in options(shown(followed(tmp_path, script, []))) if isinstance(option, KnownValue)
    } == {
        0.1,
        0.5,
    }
    assert told(shown(followed(tmp_path, script, ["--lr", "3"]))) == 3.0


def test_a_configuration_whose_path_may_be_another_one_is_not_settled(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("lr: 50.0\n")
    script = """import argparse, yaml
def main(path="a.yaml"):
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=0.1)
    p.set_defaults(**yaml.safe_load(open(path)))
    show(p.parse_args().lr)
"""
    found = shown(followed(tmp_path, script, []))
    assert isinstance(found, KnownValue) and (found.value, found.origin, found.assumed) == (50.0, "config", "config")


def test_a_variable_of_the_shell_that_nobody_sets_is_unknown(tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    file.write_text(f"import argparse\n{PLAIN}\nshow(args.epochs)\n")
    command = Command(file.resolve(), ("--epochs", "$EPOCHS"), {}, ("EPOCHS",))
    found = follow(
        read(file, "main.py"), lambda name, compared: None, Project(tmp_path, tmp_path).find, tmp_path, command=command
    )
    assert told(shown(found)) is ...


def test_variables_of_the_environment_that_the_command_sets(tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    file.write_text('import os\nshow([os.environ.get("RATE"), os.getenv("OTHER")])\n')
    command = Command(file.resolve(), (), {"RATE": "0.1"})
    found = follow(
        read(file, "main.py"), lambda name, compared: None, Project(tmp_path, tmp_path).find, tmp_path, command=command
    )
    assert told(shown(found)) == ["0.1", ...]


def test_an_option_that_stays_text_keeps_the_text_of_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text('shuffle: "true"\nresume: "false"\n')
    script = """import argparse, yaml
with open("a.yaml") as stream:
    given = yaml.safe_load(stream)
p = argparse.ArgumentParser()
for name in given:
    p.add_argument("--" + name, type=type(given[name]), default=given[name])
p.add_argument("--drop", type=str, default=given["resume"])
args = p.parse_args()
show([args.shuffle == "true", args.drop == "false", args.drop == "true"])
"""
    found = shown(followed(tmp_path, script, None))
    assert isinstance(found, Items) and told(found)[1:] == [True, False]
    assert told(found.items[0]) in (True, ...)  # never the opposite of what runs


def test_a_value_that_the_type_of_its_option_does_not_take_is_told(tmp_path: Path) -> None:
    found = followed(tmp_path, f"import argparse\n{PLAIN}\nshow([args.epochs, args.mode])\n", ["--epochs", "many"])
    assert found.unbound == [("option-type", "--epochs many", "main.py", 6)]
    assert told(shown(found)) == [..., "graph"]
