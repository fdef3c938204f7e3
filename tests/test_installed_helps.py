"""What is put where shells, man and coding agents look."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from accucheck import cli
from command_line import accucheck

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", "data/bash-completion/completions/accucheck"),
        ("zsh", "data/zsh/site-functions/_accucheck"),
        ("fish", "config/fish/completions/accucheck.fish"),
    ],
)
def test_completions_go_where_the_shell_looks(shell: str, place: str, tmp_path: Path) -> None:
    homes = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    printed = accucheck("completion", shell, **homes)
    assert printed.code == 0 and "_ACCUCHECK_COMPLETE" in printed.out
    ran = accucheck("completion", shell, "--install", "--lang", "en", **homes)
    assert ran.out.strip() == str(tmp_path / place) and (tmp_path / place).read_text() == printed.out
    assert ("fpath" in ran.err) == (shell == "zsh")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    """The script is sourced, and asked as bash asks it when Tab is pressed."""
    (tmp_path / "accucheck").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m accucheck "$@"\n')
    (tmp_path / "accucheck").chmod(0o755)
    (tmp_path / "script").write_text(accucheck("completion", "bash").out)
    for words, wanted in (("accucheck sta", "status"), ("accucheck run --also --ba", "--baseline")):
        given = words.split()
        asked = f"COMP_WORDS=({words}); COMP_CWORD={len(given) - 1}; _accucheck_completion accucheck"
        program = f'source "{tmp_path}/script"; {asked}; echo "${{COMPREPLY[@]}}"'
        environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, env=environment, timeout=60)
        assert wanted in done.stdout.split(), done


@pytest.mark.parametrize("page", ["man1/accucheck.1", "zh_CN/man1/accucheck.1"])
def test_the_manual_page_names_every_command(page: str) -> None:
    text = (ROOT / "docs/man" / page).read_text(encoding="utf-8")
    assert set(cli.COMMANDS) <= set(re.findall(r"^\.SS accucheck (\S+)", text, re.M))
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-Kutf8", "-ww", "-z"], input=text, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0 and not re.search("macro|escape|undefined", done.stderr), done.stderr


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_skill_names_what_there_is(language: str, tmp_path: Path) -> None:
    ran = accucheck("skill", "--install", "--project", tmp_path, "--lang", language)
    file = tmp_path / ".agents/skills/accucheck/SKILL.md"
    assert ran.code == 0 and ran.out.strip() == str(file)
    head, _, text = file.read_text(encoding="utf-8").removeprefix("---\n").partition("\n---\n")
    about = yaml.safe_load(head)
    assert about["name"] == file.parent.name and 20 < len(about["description"]) <= 1024
    named = set(re.findall(r"`accucheck ([a-z-]+)", text))
    assert {"run", "explain", "fix", "status", "watch", "mcp"} <= named <= set(cli.COMMANDS)
    own = accucheck("skill", "--install", "--folder", tmp_path / "own", "--lang", language)
    assert own.code == 0 and (tmp_path / "own/accucheck/SKILL.md").read_bytes() == file.read_bytes()


def test_no_skill_is_written_through_a_link_of_the_project(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    (project / ".git").mkdir(parents=True)
    outside.mkdir()
    (project / ".agents").symlink_to(outside)
    assert accucheck("skill", "--install", "--project", project).code == 2
    assert not list(outside.iterdir())
