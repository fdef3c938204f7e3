"""Scripts of a case, read as the probes read them."""

import textwrap
from pathlib import Path

import msgspec

from accucheck.case import Case, CaseFile
from accucheck.script.analysis import Scripts, read_scripts


def scripts(root: Path, train: str, evaluation: str | None = None, **modules: str) -> Scripts:
    """train.py, eval.py where it is given, and modules beside them."""
    roles = {"train": train} if evaluation is None else {"train": train, "eval": evaluation}
    for name, text in {**modules, **roles}.items():
        (root / f"{name}.py").write_text(textwrap.dedent(text))
    spec = msgspec.convert({"scripts": {role: f"{role}.py" for role in roles}}, CaseFile)
    return read_scripts(Case(root=str(root), spec=spec))
