"""Options that scripts declare by other libraries than argparse: each is run by the library itself with the same words."""

import shlex
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from accucheck.script.command import Command
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import Trace, follow
from accucheck.script.values import Items, KnownValue, Mapping, Value

CLICK = """
import click
@click.command()
@click.argument("data")
@click.option("--lr", default=0.1)
@click.option("--learning-rate", "-r", "rate", type=float, default="0.2", show_default=True)
@click.option("--epochs", "-e", type=click.IntRange(1, 500), default=90)
@click.option("--shuffle/--no-shuffle", default=True)
@click.option("--amp", is_flag=True)
@click.option("--on", type=bool, default=False)
@click.option("--tag", multiple=True)
@click.option("--size", nargs=2, type=int, default=(1, 2))
@click.option("-v", "--verbose", count=True)
@click.option("--mode", type=click.Choice(["graph", "pynative"]), default="graph")
@click.option("--name")
def main(data, lr, rate, epochs, shuffle, amp, on, tag, size, verbose, mode, name):
    show([data, lr, rate, epochs, shuffle, amp, on, tag, size, verbose, mode, name])
"""
GROUP = """
import click
@click.group()
@click.option("--seed", type=int, default=1)
@click.pass_context
def cli(ctx, seed):
    ctx.obj = {"seed": seed}
@cli.command()
@click.option("--lr", default=0.1)
@click.pass_context
def train(ctx, lr):
    show(["train", ctx.obj["seed"], lr])
@cli.command("test")
@click.option("--batch-size", default=8)
@click.pass_obj
def evaluate(held, batch_size):
    show(["test", held["seed"], batch_size])
"""


def followed(root: Path, text: str, words: str | None) -> Trace:
    file = root / "main.py"
    file.write_text(text)
    command = None if words is None else Command(file.resolve(), tuple(shlex.split(words)))
    return follow(read(file, "main.py"), lambda name, compared: None, Project(root, root).find, root, command=command)


def told(value: Value) -> Any:
    if isinstance(value, Items):
        items = [told(item) for item in value.items]
        return items
    if isinstance(value, Mapping):
        return {key: told(item) for key, item in value.items.items()}
    return value.value if isinstance(value, KnownValue) else ...


def shown(found: Trace) -> list[Any]:
    """What is shown first, by what surely runs."""
    return [told(call.args[0]) for call in found.calls if call.name == "show"]


def listed(value: Any) -> Any:
    return [listed(each) for each in value] if isinstance(value, (list, tuple)) else value


def by_click(text: str, name: str, words: str) -> list[Any]:
    seen: list[Any] = []
    scope: dict[str, Any] = {"show": seen.append}
    exec(text, scope)
    scope[name].main(args=shlex.split(words), standalone_mode=False)
    return [listed(each) for each in seen]


@pytest.mark.parametrize(
    "words",
    [
        "folder",
        "--lr 50 folder -r0.5 --epochs=3",
        "folder --no-shuffle --amp --on yes",
        "folder --tag a --tag b --size 3 4 -vv -v",
        "--mode pynative -e 7 --name x -- folder",
        "folder --on=off --shuffle --lr 1e-3",
    ],
)
def test_options_are_as_click_gives_them(tmp_path: Path, words: str) -> None:
    found = followed(tmp_path, CLICK + "main()\n", words)
    assert shown(found) == by_click(CLICK, "main", words)
    assert not found.unbound


@pytest.mark.parametrize("words", ["train", "--seed 3 train --lr 2", "--seed 5 test --batch-size 4"])
def test_a_group_of_click_runs_the_command_that_is_named(tmp_path: Path, words: str) -> None:
    found = followed(tmp_path, GROUP + "cli()\n", words)
    assert by_click(GROUP, "cli", words)[0] in shown(found)


def test_without_a_command_the_defaults_of_click_may_be_others(tmp_path: Path) -> None:
    found = followed(tmp_path, CLICK + "main()\n", None)
    (call,) = [call for call in found.calls if call.name == "show"]
    assert isinstance(call.args[0], Items) and isinstance(lr := call.args[0].items[1], KnownValue)
    assert (lr.value, lr.assumed) == (0.1, "argparse")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ("folder --other 1", "options-unknown", "--other"),
        ("folder --lr", "options-refused", "--lr"),
        ("folder --lr fast", "options-refused", "fast"),
    ],
)
def test_words_that_fit_no_option_of_click_are_told(tmp_path: Path, words: str, code: str, text: str) -> None:
    found = followed(tmp_path, CLICK + "main()\n", words)
    with pytest.raises(click.ClickException):
        by_click(CLICK, "main", words)
    told_code, told_words, place, _ = found.unbound[0]
    assert (told_code, place) == (code, "main.py") and text in told_words
    assert shown(found)[0][10] == "graph"


ABSL = """
from absl import app, flags
FLAGS = flags.FLAGS
flags.DEFINE_float("lr", 0.1, "")
flags.DEFINE_integer("epochs", 90, "")
flags.DEFINE_bool("shuffle", True, "")
flags.DEFINE_string("name", None, "")
flags.DEFINE_list("sizes", ["1"], "")
flags.DEFINE_multi_float("rates", [1.0], "")
flags.DEFINE_enum("mode", "graph", ["graph", "pynative"], "")
BATCH = flags.DEFINE_integer("batch", 32, "")
def main(argv):
    show([FLAGS.lr, FLAGS.epochs, FLAGS.shuffle, FLAGS.name, FLAGS.sizes, FLAGS.rates, FLAGS.mode, BATCH.value])
if __name__ == "__main__":
    app.run(main)
"""
FIRE = """
import fire
def main(data="x", lr=0.1, shuffle=True, *rest, sizes=(1, 2), **more):
    show([data, lr, shuffle, rest, sizes, more])
fire.Fire(main)
"""
FIRE_CLASS = """
import fire
class Run:
    def __init__(self, seed=1):
        self.seed = seed
    def train(self, lr=0.1, batch_size=32):
        show([self.seed, lr, batch_size])
fire.Fire(Run)
"""
FIELDS = """
from dataclasses import dataclass, field
from typing import List, Literal, Optional
@dataclass
class Args:
    lr: float = 0.1
    batch_size: int = 32
    shuffle: bool = True
    amp: bool = False
    name: Optional[str] = None
    sizes: List[int] = field(default_factory=lambda: [1])
    mode: Literal["graph", "pynative"] = field(default="graph")
"""
TYRO = FIELDS + "import tyro\nargs = tyro.cli(Args)\n"
PARSER = (
    FIELDS
    + "from transformers import HfArgumentParser\n(args,) = HfArgumentParser((Args,)).parse_args_into_dataclasses()\n"
)
SHOW = "show([args.lr, args.batch_size, args.shuffle, args.amp, args.name, args.sizes, args.mode])\n"
TYPER = """
import typer
from typing import Annotated, List, Optional
def main(data: str, lr: float = 0.1, batch_size: int = 32, shuffle: bool = True, amp: bool = typer.Option(False, "--amp"),
         on: bool = typer.Option(True, "--on/--off"), rate: Annotated[float, typer.Option("--rate", "-r")] = 0.2,
         name: Optional[str] = None, sizes: List[int] = [1], verbose: int = typer.Option(0, "--verbose", "-v", count=True), plain=5):
    show([data, lr, batch_size, shuffle, amp, on, rate, name, sizes, verbose, plain])
typer.run(main)
"""
TYPER_COMMANDS = """
import typer
from typing import Annotated
app = typer.Typer()
@app.callback()
def common(ctx: typer.Context, seed: int = 1):
    ctx.obj = seed
@app.command()
def train(ctx: typer.Context, lr: float = 0.1):
    show(["train", ctx.obj, lr])
@app.command("test")
def evaluate(ctx: typer.Context, batch_size: Annotated[int, typer.Argument()] = 8):
    show(["test", ctx.obj, batch_size])
app()
"""
TYPER_ALONE = """
import typer
app = typer.Typer()
@app.command()
def main(lr: float = typer.Option(0.1, help="rate"), files: list[str] = typer.Argument(None), epochs: int = typer.Argument(3)):
    show([lr, files, epochs])
if __name__ == "__main__":
    app()
"""
TYPER_INNER = """
import typer
inner = typer.Typer()
@inner.command()
def fit_it(lr: float = 0.1):
    show(["fit", lr])
app = typer.Typer()
app.add_typer(inner, name="train")
@app.command()
def test():
    show(["test"])
app()
"""


@pytest.mark.parametrize(
    ("script", "words", "expected"),
    [  # as absl-py 2.5.1 gives them
        (ABSL, "", [0.1, 90, True, None, ["1"], [1.0], "graph", 32]),
        (ABSL, "--lr=50 --epochs 3", [50.0, 3, True, None, ["1"], [1.0], "graph", 32]),
        (ABSL, "-lr 5 --noshuffle", [5.0, 90, False, None, ["1"], [1.0], "graph", 32]),
        (ABSL, "--shuffle=false x y", [0.1, 90, False, None, ["1"], [1.0], "graph", 32]),
        (ABSL, "--shuffle x --lr=3", [3.0, 90, True, None, ["1"], [1.0], "graph", 32]),
        (ABSL, "--sizes=1,2 --rates=1 --rates=2", [0.1, 90, True, None, ["1", "2"], [1.0, 2.0], "graph", 32]),
        (ABSL, "--batch=7 -- --lr=3", [0.1, 90, True, None, ["1"], [1.0], "graph", 7]),
        (ABSL, "--epochs=0x10 x --lr=3", [3.0, 16, True, None, ["1"], [1.0], "graph", 32]),
        # as fire 0.7.1 gives them
        (FIRE, "d --lr 50", ["d", 50, True, [], [1, 2], {}]),
        (FIRE, "--lr=5 --noshuffle", ["x", 5, False, [], [1, 2], {}]),
        (FIRE, "--shuffle False d", ["d", 0.1, False, [], [1, 2], {}]),
        (FIRE, "d 2 --shuffle", ["d", 2, True, [], [1, 2], {}]),
        (FIRE, "--sizes [3,4] --extra 7 d", ["d", 0.1, True, [], [3, 4], {"extra": 7}]),
        (FIRE, "d 1 True a b", ["d", 1, True, ["a", "b"], [1, 2], {}]),
        (FIRE, "--data-x 1", ["x", 0.1, True, [], [1, 2], {"data_x": 1}]),
        (FIRE, "-l 5", ["x", 0.1, True, [], [1, 2], {"l": 5}]),
        (FIRE_CLASS, "train --lr 5", [1, 5, 32]),
        (FIRE_CLASS, "--seed 3 train --batch-size 7", [3, 0.1, 7]),
        (FIRE_CLASS, "train 5 6 --seed=2", [2, 5, 6]),
        # as tyro 1.0.17 gives them
        (TYRO + SHOW, "", [0.1, 32, True, False, None, [1], "graph"]),
        (TYRO + SHOW, "--lr 50 --batch-size 4", [50.0, 4, True, False, None, [1], "graph"]),
        (TYRO + SHOW, "--batch_size=7 --no-shuffle --amp", [0.1, 7, False, True, None, [1], "graph"]),
        (TYRO + SHOW, "--name x --sizes 3 4 --mode pynative", [0.1, 32, True, False, "x", [3, 4], "pynative"]),
        (PARSER + SHOW, "--lr 50 --no_shuffle --amp True", [50.0, 32, False, True, None, [1], "graph"]),
        (PARSER + SHOW, "--batch_size 4 --amp --sizes 3 4", [0.1, 4, True, True, None, [3, 4], "graph"]),
        # as typer 0.29.2 gives them
        (TYPER, "d", ["d", 0.1, 32, True, False, True, 0.2, None, [1], 0, 5]),
        (TYPER, "d --lr 50 --batch-size=4 --no-shuffle", ["d", 50.0, 4, False, False, True, 0.2, None, [1], 0, 5]),
        (TYPER, "--amp --off d -r 3", ["d", 0.1, 32, True, True, False, 3.0, None, [1], 0, 5]),
        (
            TYPER,
            "d --name x --sizes 3 --sizes 4 -vv --plain 7",
            ["d", 0.1, 32, True, False, True, 0.2, "x", [3, 4], 2, 7],
        ),
        (TYPER_COMMANDS, "train", ["train", 1, 0.1]),
        (TYPER_COMMANDS, "--seed 3 train --lr 2", ["train", 3, 2.0]),
        (TYPER_COMMANDS, "test 4", ["test", 1, 4]),
        (TYPER_ALONE, "", [0.1, None, 3]),
        (TYPER_ALONE, "--lr 5 a b 7", [5.0, ["a", "b"], 7]),
        (TYPER_INNER, "train fit-it --lr 9", ["fit", 9.0]),
        (TYPER_INNER, "test", ["test"]),
    ],
)
def test_options_are_as_their_library_gives_them(tmp_path: Path, script: str, words: str, expected: list[Any]) -> None:
    found = followed(tmp_path, script, words)
    assert shown(found)[0] == expected
    assert not found.unbound


def test_a_file_of_flags_and_flags_after_it(tmp_path: Path) -> None:
    (tmp_path / "flags.txt").write_text("# of the run\n--lr=9\n--epochs=4\n--flagfile=flags.txt\n")
    found = followed(tmp_path, ABSL, "--flagfile=flags.txt --epochs=5")
    assert shown(found)[0][:2] == [9.0, 5]
    missing = followed(tmp_path, ABSL, "--flagfile=nowhere.txt")
    assert {name for name, _, _ in missing.unread} == {"nowhere.txt"}


@pytest.mark.parametrize(
    ("script", "words", "code", "text"),
    [
        (ABSL, "--nope=1", "options-unknown", "--nope"),
        (ABSL, "--lr=abc", "options-refused", "--lr"),
        (FIRE_CLASS, "train --nope 1", "options-unknown", "--nope"),
        (TYRO + SHOW, "--nope 1", "options-unknown", "--nope"),
        (TYRO + SHOW, "--lr fast", "options-refused", "fast"),
        (TYPER, "d --nope 1", "options-unknown", "--nope"),
        (TYPER, "d --lr fast", "options-refused", "fast"),
        (TYPER_COMMANDS, "nothing --lr 3", "options-unknown", "nothing"),
    ],
)
def test_words_that_fit_no_option_are_told(tmp_path: Path, script: str, words: str, code: str, text: str) -> None:
    found = followed(tmp_path, script, words)
    told_code, told_words, place, line = found.unbound[0]
    assert (told_code, place) == (code, "main.py") and text in told_words and line > 1


def test_a_base_that_is_not_seen_may_declare_more_options_and_give_other_defaults(tmp_path: Path) -> None:
    derived = "from elsewhere import Common\n" + FIELDS + "@dataclass\nclass Own(Common, Args):\n    epochs: int = 3\n"
    script = (
        derived
        + PARSER.removeprefix(FIELDS).replace("(Args,)", "(Own,)")
        + "show([args.lr, args.batch_size, args.epochs])\n"
    )
    found = followed(tmp_path, script, "--lr 50 --output_dir out --epochs 4")
    (call,) = [call for call in found.calls if call.name == "show"]
    assert isinstance(call.args[0], Items)
    assert [item.value if isinstance(item, KnownValue) else None for item in call.args[0].items] == [50.0, None, 4]
    assert not found.unbound
    assert shown(followed(tmp_path, script, "--lr 1 --batch_size 2"))[0] == [1.0, 2, 3]


@pytest.mark.parametrize("script", [ABSL, TYRO + SHOW, PARSER + SHOW, TYPER_ALONE])
def test_without_a_command_defaults_may_be_others(tmp_path: Path, script: str) -> None:
    (call,) = [call for call in followed(tmp_path, script, None).calls if call.name == "show"]
    assert isinstance(call.args[0], Items) and isinstance(lr := call.args[0].items[0], KnownValue)
    assert (lr.value, lr.assumed) == (0.1, "argparse")


def test_a_command_of_something_else_than_click_is_a_function(tmp_path: Path) -> None:
    script = "from elsewhere import App\napp = App()\n@app.command()\ndef main(lr=0.1):\n    show([lr])\nmain(0.5)\n"
    assert shown(followed(tmp_path, script, "--lr 3")) == [[0.5]]


ARGUMENTS = """
import sys
lr = 0.1
shuffle = "--no-shuffle" not in sys.argv
if len(sys.argv) > 2:
    lr = float(sys.argv[2])
show([sys.argv[1], lr, shuffle])
"""
LOOP = """
import sys
lr, epochs = 0.1, 90
for word in sys.argv[1:]:
    name, _, text = word.partition("=")
    if word.startswith("--lr="):
        lr = float(word.split("=")[1])
    elif word.startswith("--epochs="):
        epochs = int(word.split("=")[1])
    elif word == "--":
        break
show([lr, epochs])
"""
TURNS = """
import sys
lr, words = 0.1, sys.argv[1:]
while words:
    if words[0] == "--lr":
        lr = float(words[1])
    words = words[2:]
show([lr])
"""
GETOPT = """
import getopt
import sys
lr, epochs, shuffle = 0.1, 90, True
options, rest = getopt.getopt(sys.argv[1:], "l:e:n", ["lr=", "epochs=", "no-shuffle"])
for option, value in options:
    if option in ("-l", "--lr"):
        lr = float(value)
    elif option in ("-e", "--epochs"):
        epochs = int(value)
    elif option in ("-n", "--no-shuffle"):
        shuffle = False
show([lr, epochs, shuffle, rest])
"""


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (ARGUMENTS, "data"),
        (ARGUMENTS, "data 50"),
        (ARGUMENTS, "data 0.5 --no-shuffle"),
        (LOOP, ""),
        (LOOP, "--epochs=3 --lr=50"),
        (LOOP, "--lr=2 x -- --lr=50"),
        (GETOPT, ""),
        (GETOPT, "--lr 50 -e3 data"),
        (GETOPT, "-n --epochs=7 -l 2 a b"),
        (GETOPT, "--ep 4 --no"),
    ],
)
def test_the_words_themselves_are_as_python_gives_them(tmp_path: Path, script: str, words: str) -> None:
    seen: list[Any] = []
    argv, sys.argv = sys.argv, ["main.py", *shlex.split(words)]
    try:
        exec(script, {"show": seen.append})
    finally:
        sys.argv = argv
    found = followed(tmp_path, script, words)
    assert shown(found) == seen
    assert not found.unbound


@pytest.mark.parametrize(("words", "rate"), [("--epochs 3 --lr 50", 50.0), ("--lr 5 --lr 2", 2.0), ("", 0.1)])
def test_words_that_a_loop_takes_by_turns_are_taken_as_it_runs(tmp_path: Path, words: str, rate: float) -> None:
    assert shown(followed(tmp_path, TURNS, words)) == [[rate]]


def test_words_that_a_loop_of_functions_takes_are_not_taken_for_the_first(tmp_path: Path) -> None:
    script = TURNS.replace("words = words[2:]", "words = behind(words)")
    assert shown(followed(tmp_path, script, "--epochs 3 --lr 50")) == [[...]]


def test_words_that_getopt_does_not_know_are_told(tmp_path: Path) -> None:
    found = followed(tmp_path, GETOPT, "--nope 3")
    (told_code, text, place, line), *_ = found.unbound
    assert (told_code, place, line) == ("options-refused", "main.py", 5) and "--nope" in text


@pytest.mark.parametrize("script", [ARGUMENTS, LOOP, GETOPT])
def test_words_of_no_known_command_are_unknown(tmp_path: Path, script: str) -> None:
    (call,) = [call for call in followed(tmp_path, script, None).calls if call.name == "show"]
    assert isinstance(call.args[0], Items) and told(call.args[0].items[-1]) is ...


def test_a_variable_of_the_shell_in_the_words_is_unknown(tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    file.write_text(ARGUMENTS)
    command = Command(file.resolve(), ("data", "$RATE"), lost=("RATE",))
    project = Project(tmp_path, tmp_path)
    found = follow(read(file, "main.py"), lambda name, compared: None, project.find, tmp_path, command=command)
    assert shown(found)[0][:2] == ["data", ...]
