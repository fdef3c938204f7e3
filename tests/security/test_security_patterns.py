"""Patterns that meet a stranger's text. Each of these took minutes to days once; what hangs is ended by a generous time-out."""

import subprocess
import sys
from pathlib import Path

import pytest

from command_line import accucheck

pytestmark = pytest.mark.part(40)

LONG = 3900  # characters of the longest line that is taken for one of a log
LINES = {
    "blanks": "loss: 0.1" + " " * LONG + "x",
    "tabs": "loss: 0.1" + "\t" * LONG + "x",
    "digits": "loss: " + "1" * LONG + "x",
    "underscores": "_" * LONG + "loss",
    "words": "loss: 0.1 " + "a a/a " * 600 + " 3",
    "tensors": "loss: Tensor(shape=[" + "0, " * 1200 + " 3",
    "dots": "loss: " + "." * LONG,
    "epochs": "epoch" + " " * LONG,
    "switches": "loss: 0.1 " + "a/" * 1900 + "=True",
    "escapes": "\x1b[" + "?" * LONG + " loss: 0.1",
}


@pytest.mark.parametrize("name", LINES)
def test_a_log_of_hostile_lines_is_read(tmp_path: Path, name: str) -> None:
    losses = "".join(f"epoch: 1 step: {step}, loss is {0.5 / step}\n" for step in range(1, 21))
    (tmp_path / "train.log").write_text(losses + (LINES[name] + "\n") * 300)
    ran = accucheck(
        "run", str(tmp_path), "--checklist", "sanity", "--set", "curves.train=train.log", "--json", timeout=300
    )
    assert ran.code in (0, 1, 3) and "Traceback" not in ran.err
    ran = accucheck("init", str(tmp_path), timeout=300)
    assert ran.code == 0, ran


def ended(code: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, timeout=300, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10**6 + "://",
        "x://" * 10**5,
        "x://b:c" * 10**5,
        "x://b:c?" * 10**5,
        "abfs://" * 10**5,
        "@" * 10**6 + "x://",
    ],
    ids=lambda text: text[:20],
)
def test_addresses_lose_their_passwords_in_any_text(text: str) -> None:
    attack = f"from accucheck.case import redacted; print(len(redacted({text[:20]!r} + {text!r} + ' s3://me:word@b/x?sig=1')))"
    code = "import sys; exec(sys.stdin.read())"
    done = subprocess.run([sys.executable, "-c", code], input=attack, capture_output=True, timeout=300, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    assert 0 < int(done.stdout) <= len(text) + 60


@pytest.mark.parametrize(
    "source",
    ["import" + " " * 10**6 + "x", "import(" + " " * 10**6, "x = '" + "a" * 10**6 + "'"],
    ids=lambda text: text[:20],
)
def test_a_hostile_script_is_screened(tmp_path: Path, source: str) -> None:
    code = (
        "import sys; from accucheck.script.folder import _SCREEN; print(_SCREEN.search(open(sys.argv[1], 'rb').read()))"
    )
    (tmp_path / "a.py").write_text(source)
    assert ended(code, str(tmp_path / "a.py")) == "None\n"
