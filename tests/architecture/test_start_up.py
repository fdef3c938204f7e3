"""Start-up is sacred: what a command loads, and what the walkthrough has loaded when it first paints."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

COMMAND = """
import sys
from accucheck.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
print("LOADED", *sorted(sys.modules), file=sys.stderr)
"""

PAINT = """
import asyncio, sys
from pathlib import Path
from accucheck.language import Language
from accucheck.project import open_project
from accucheck.tui.app import Walkthrough

async def paint():
    app = Walkthrough(open_project(Path(sys.argv[1])), Language.EN)
    async with app.run_test(size=(80, 24)) as pilot:
        loaded = sorted(sys.modules)  # before anything else has had its turn
        await pilot.pause()
        assert app.screen.is_mounted and app.screen.query("*"), "nothing was painted"
    app.project.session.close()
    return loaded

print("LOADED", *asyncio.run(paint()), file=sys.stderr)
"""


def loaded(code: str, *arguments: str) -> set[str]:
    """The modules that a fresh process has loaded when `code` prints them."""
    process = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60)
    assert process.returncode == 0, process.stderr
    return set(process.stderr.rpartition("LOADED ")[2].split())


def test_the_check_sees_what_is_loaded():
    assert "textual" in loaded("import sys, textual; print('LOADED', *sys.modules, file=sys.stderr)")


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], {"textual", "numpy", "jinja2", "mindspore", "msgspec", "polars", "docx", "matplotlib", "yaml"}),
        (["run", "--help"], {"textual", "numpy", "jinja2", "mindspore", "msgspec", "polars", "docx", "matplotlib"}),
        (["--version"], {"textual", "numpy", "jinja2", "mindspore", "msgspec", "polars", "docx", "matplotlib", "yaml"}),
        (["list"], {"textual", "numpy", "jinja2", "mindspore", "polars", "docx", "matplotlib"}),
        (["explain", "dp.01"], {"textual", "numpy", "jinja2", "mindspore", "polars", "docx", "matplotlib"}),
    ],
    ids=["--help", "run --help", "--version", "list", "explain"],
)
def test_a_command_loads_only_what_it_needs(arguments, heavy):
    modules = loaded(COMMAND, *arguments)
    assert "accucheck.cli" in modules
    assert not modules & heavy


def test_a_second_list_does_not_even_parse_yaml():
    loaded(COMMAND, "list")
    assert "yaml" not in loaded(COMMAND, "list")


def test_status_and_answer_load_no_data_library(tmp_path):
    project = tmp_path / "digits"
    shutil.copytree(EXAMPLES / "digits", project)
    heavy = {"textual", "numpy", "jinja2", "mindspore", "polars", "docx", "matplotlib"}
    assert not loaded(COMMAND, "answer", "ds.01", "ok", "--project", str(project)) & heavy
    assert not loaded(COMMAND, "status", str(project)) & heavy


def test_the_first_paint_loads_no_data_library(tmp_path):
    project = tmp_path / "digits"
    shutil.copytree(EXAMPLES / "digits", project)
    modules = loaded(PAINT, str(project))
    assert "textual" in modules
    assert not modules & {
        "mindspore",
        "numpy",
        "jinja2",
        "polars",
        "matplotlib",
        "docx",
        "torch",
        "PIL",
        "textual_image",
    }
