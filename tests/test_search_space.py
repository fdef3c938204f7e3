"""What a search varies: how it is written, where it stands in a command, and how the command and its files are changed."""

import json
import sys
from pathlib import Path

import pytest
import yaml

from accucheck import case as cases
from accucheck.errors import UserError
from accucheck.search_space import Flag, Key, Search, Word, bind, of_values, parse

PYTHON = sys.executable
#: A script whose options are declared in each of the ways, and what is appended for lr.
SCRIPTS = {
    "argparse": """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", "--learning-rate", type=float, default=0.05)
parser.add_argument("-b", "--batch_size", type=int, default=32)
parser.add_argument("--nesterov", action="store_true")
parser.add_argument("--config", default="base.yaml")
args = parser.parse_args()
""",
    "click": """
import click

@click.command()
@click.option("--lr", type=float, default=0.05)
@click.option("--batch-size", default=32)
@click.option("--nesterov/--no-nesterov", default=False)
def main(lr, batch_size, nesterov):
    pass

main()
""",
    "absl": """
from absl import app, flags
flags.DEFINE_float("lr", 0.05, "")
flags.DEFINE_integer("batch_size", 32, "")
flags.DEFINE_bool("nesterov", False, "")

def main(_):
    pass

app.run(main)
""",
    "fire": """
import fire

def main(lr=0.05, batch_size=32, nesterov=False):
    pass

fire.Fire(main)
""",
}
YAML = """# the settings
optimizer:
  lr: 5.0e-02   # tuned by hand
  name: "adam"
train: {batch_size: 32, 'epochs': 4}
stages:
  - {lr: 0.1}
"""


def searched(root: Path, command: list[str], *texts: str) -> Search:
    return bind(cases.load(root, []), command, [parse(text) for text in texts], root)


def refused(root: Path, command: list[str], *texts: str) -> UserError:
    with pytest.raises(UserError) as error:
        searched(root, command, *texts)
    return error.value


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("lr=1e-4..1e-1:log", ["1e-4", "0.05"], ["1e-5", "1", "x"]),
        ("lr=0.0..1", ["0", "0.3"], ["-1"]),
        ("layers=2..8", ["2", "8"], ["2.5", "9"]),
        ("batch=16..256:log", ["16", "100"], ["8"]),
        ("dropout=0..0.5:step=0.1", ["0.1", "0.3"], ["0.15"]),
        ("width=32..128:step=32", ["64"], ["65"]),
        ("batch=16,32,64", ["16", "32.0"], ["8"]),
        ("opt=adam, sgd", ["adam", "SGD"], ["lamb"]),
        ("--x=-1.0..1", ["-0.5"], ["2"]),
    ],
)
def test_a_space_holds_what_lies_in_it(text: str, inside: list[str], outside: list[str]) -> None:
    space = parse(text)
    assert all(space.held(value) is not None for value in inside), space
    assert all(space.held(value) is None for value in outside), space


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("lr", "tune-space"),
        ("=1,2", "tune-space"),
        ("lr=1e-4..x", "tune-space"),
        ("lr=1..2:lag", "tune-space"),
        ("lr=1..2:step=-1", "tune-space"),
        ("lr=nan..1", "tune-space"),
        ("lr=", "tune-empty-space"),
        ("lr=,", "tune-empty-space"),
        ("lr=2..1", "tune-empty-space"),
        ("lr=1..1", "tune-empty-space"),
        ("lr=0..1:log", "tune-log-space"),
        ("lr=1..2:log:step=1", "tune-log-space"),
        ("n=" + ",".join(map(str, range(300))), "tune-empty-space"),
    ],
)
def test_what_is_no_space_is_refused(text: str, code: str) -> None:
    with pytest.raises(UserError) as error:
        parse(text)
    assert error.value.code == code


def test_a_list_of_a_case_file_is_a_choice() -> None:
    assert of_values("x", [16, 0.5, True, None, "adam"]).choices == ("16", "0.5", "true", "null", "adam")


@pytest.mark.parametrize("style", SCRIPTS)
def test_options_are_found_however_they_are_declared(tmp_path: Path, style: str) -> None:
    (tmp_path / "train.py").write_text(SCRIPTS[style])
    search = searched(
        tmp_path, [PYTHON, "train.py", "--lr=0.2"], "lr=1e-3..1:log", "batch-size=16,32", "nesterov=true,false"
    )
    assert [knob.own for knob in search.knobs] == ["0.2", "32", "False"]
    words, files = search.put({"lr": "0.1", "batch-size": "16"})
    assert words[:3] == [PYTHON, "train.py", "--lr=0.1"] and words[3] in ("--batch_size=16", "--batch-size=16"), words
    assert not files and search.put({})[0] == [PYTHON, "train.py", "--lr=0.2"]
    if style in ("argparse", "click"):
        assert search.put({"nesterov": "true"})[0][-1] == "--nesterov"
        assert "--nesterov" not in search.put({"nesterov": "false"})[0]


@pytest.mark.parametrize(
    ("given", "put"),
    [
        ([], ["--lr=0.1"]),
        (["--lr", "0.3"], ["--lr", "0.1"]),
        (["--learning-rate=0.3", "-b", "8"], ["--learning-rate=0.1", "-b", "8"]),
        (["--lr", "0.3", "--lr", "0.4"], ["--lr", "0.1"]),
    ],
)
def test_an_option_is_changed_where_it_stands(tmp_path: Path, given: list[str], put: list[str]) -> None:
    (tmp_path / "train.py").write_text(SCRIPTS["argparse"])
    search = searched(tmp_path, [PYTHON, "train.py", *given], "lr=0.1,0.2,0.3,0.4")
    assert search.put({"lr": "0.1"})[0] == [PYTHON, "train.py", *put]
    assert search.own == (None if not given else {"lr": given[-1] if given[-1] in ("0.3", "0.4") else "0.3"})


def test_keys_of_a_configuration_are_changed_in_place(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import sys, yaml\nyaml.safe_load(open(sys.argv[1]))\n")
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "base.yaml").write_text(YAML)
    command = [PYTHON, "train.py", "conf/base.yaml"]
    search = searched(tmp_path, command, "optimizer.lr=1e-6..1:log", "batch_size=16,32", "name=adam,sgd with")
    assert search.own == {"optimizer.lr": "0.05", "batch_size": "32", "name": "adam"}
    assert [type(knob.place) for knob in search.knobs] == [Key] * 3
    words, files = search.put({"optimizer.lr": "1e-05", "batch_size": "16", "name": "sgd with"})
    assert words == command and files.keys() == {"conf/base.yaml"}
    text = files["conf/base.yaml"].decode()
    assert "# tuned by hand" in text and text.startswith("# the settings")
    made = yaml.safe_load(text)
    assert made["optimizer"] == {"lr": 1e-05, "name": "sgd with"} and made["train"] == {"batch_size": 16, "epochs": 4}
    assert made["stages"] == [{"lr": 0.1}]
    assert search.keys({"batch_size": "16"}) == {"conf/base.yaml": {"train.batch_size": "16"}}
    assert refused(tmp_path, command, "lr=1,2").code == "tune-several-keys"
    assert searched(tmp_path, command, "stages.0.lr=1,2").knobs[0].own == "0.1"


def test_an_option_that_a_configuration_sets_too_is_what_that_says(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPTS["argparse"])
    (tmp_path / "run.yaml").write_text("lr: 0.4\nbatch_size: 8\nother: {batch_size: 16}\n")
    for command, own in ((["--config", "run.yaml"], ["0.4", None]), (["--config=run.yaml", "--lr=0.3"], ["0.3", None])):
        search = searched(tmp_path, [PYTHON, "train.py", *command], "lr=0.1..0.5", "batch_size=8,16")
        assert [knob.own for knob in search.knobs] == own and [type(knob.place) for knob in search.knobs] == [
            Flag,
            Flag,
        ]
        assert search.own is None, "what the command has is not guessed"


def test_json_and_the_file_that_an_option_names_by_default(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPTS["argparse"].replace("base.yaml", "base.json"))
    (tmp_path / "base.json").write_text('{"optim": {"rate": 0.1, "name": "adam", "on": true}}')
    search = searched(tmp_path, [PYTHON, "train.py"], "rate=1e-7..1:log", "name=adam,sgd", "on=true,false")
    _, files = search.put({"rate": "1e-07", "name": "sgd", "on": "false"})
    assert json.loads(files["base.json"]) == {"optim": {"rate": 1e-07, "name": "sgd", "on": False}}


def test_a_word_of_the_command_is_changed(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import sys\n")
    search = searched(tmp_path, [PYTHON, "train.py", "optim.lr=0.1"], "optim.lr=0.1,0.2")
    assert isinstance(search.knobs[0].place, Word) and search.put({"optim.lr": "0.2"})[0][-1] == "optim.lr=0.2"


def test_what_stands_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPTS["argparse"])
    (tmp_path / "run.sh").write_text("python train.py\n")
    (tmp_path / "all.sh").write_text('python train.py "$@"\n')
    error = refused(tmp_path, [PYTHON, "train.py"], "lrate=1,2")
    assert error.code == "tune-no-option" and "lr" in str(error.data["known"])
    (tmp_path / "plain.py").write_text("rate = 0.1\n")
    error = refused(tmp_path, [PYTHON, "plain.py"], "rate=1,2")
    assert error.code == "tune-no-options" and error.data == {"name": "rate", "where": "plain.py"}
    assert refused(tmp_path, [PYTHON, "train.py"]).code == "tune-no-search"
    assert refused(tmp_path, [PYTHON, "train.py"], "lr=1,2", "lr=2,3").code == "tune-twice"
    assert refused(tmp_path, ["bash", "run.sh"], "lr=1,2").code == "tune-not-passed"
    assert searched(tmp_path, ["bash", "all.sh"], "lr=1,2").put({"lr": "2"})[0] == ["bash", "all.sh", "--lr=2"]
    assert refused(tmp_path, ["trainer"], "lr=1,2").code == "tune-unread"
    unseen = searched(tmp_path, ["trainer", "--lr", "3"], "--lr=1,2")
    assert isinstance(unseen.knobs[0].place, Flag) and unseen.put({"--lr": "2"})[0] == ["trainer", "--lr", "2"]
    for text in ("--lr=1,2", "lr=1,2"):
        assert searched(tmp_path, [PYTHON, "train.py"], text).knobs[0].space.choices == ("1", "2")


PARSES = {
    "parse_args()": False,
    "parse_args(sys.argv[1:])": False,
    "parse_args(None)": False,
    "parse_args([word for word in sys.argv[1:]])": False,
    "parse_args(['--lr', '0.1'])": True,
    "parse_args('--lr 0.1'.split())": True,
    "parse_args(args=[])": True,
    "parse_known_args(['--lr', '0.1'])[0]": True,
}


@pytest.mark.parametrize(("parse_call", "written"), PARSES.items())
def test_options_that_the_script_gives_words_of_its_own(tmp_path: Path, parse_call: str, written: bool) -> None:
    """No command reaches an option whose script parses words of its own: a search of it would train the same each time."""
    (tmp_path / "train.py").write_text(
        "import argparse, sys\nparser = argparse.ArgumentParser()\n"
        f"parser.add_argument('--lr', type=float, default=0.05)\nargs = parser.{parse_call}\nprint(args.lr)\n"
    )
    if written:
        error = refused(tmp_path, [PYTHON, "train.py"], "lr=0.01,0.1")
        assert error.code == "tune-own-words" and error.data["place"] == "train.py:4"
    else:
        assert searched(tmp_path, [PYTHON, "train.py"], "lr=0.01,0.1").put({"lr": "0.1"})[0][-1] == "--lr=0.1"


def test_an_option_that_one_of_two_parses_takes_from_the_command(tmp_path: Path) -> None:
    """A notebook's parse beside the script's own: the command reaches the option."""
    (tmp_path / "train.py").write_text(
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--lr', type=float, default=0.05)\n"
        "defaults = parser.parse_args([])\nargs = parser.parse_args()\nprint(args.lr, defaults.lr)\n"
    )
    assert searched(tmp_path, [PYTHON, "train.py"], "lr=0.01,0.1").put({"lr": "0.1"})[0][-1] == "--lr=0.1"
