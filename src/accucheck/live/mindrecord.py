"""MindRecord files that accucheck's own reader does not know, through MindSpore, in a process of its own.

Under accucheck's interpreter, not under `runtime.python`: a case may come from a stranger, and reading data asks for no consent.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from ..errors import ReadError
from ..imports import environment
from .child import tail
from .mindrecord_rows import NO_MINDSPORE


def as_lines(path: Path, version: str, target: Path) -> None:
    """Write the rows as JSON Lines. Raises ReadError without MindSpore here, or when MindSpore cannot read the file either."""
    with tempfile.TemporaryFile() as log:
        ran = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("mindrecord_rows.py")), str(path.absolute()), str(target)],
            cwd=target.parent,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            check=False,
        )
        if ran.returncode == NO_MINDSPORE:
            raise ReadError("needs-mindspore", path=str(path), version=version, python=sys.executable)
        if ran.returncode:
            lines = [line for line in tail(log).splitlines() if line.strip(" -")]
            said = next(
                (line for line in lines if line.startswith("[ERROR]")), lines[-1] if lines else str(ran.returncode)
            )
            raise ReadError("not-by-mindspore", path=str(path), version=version, problem=said[:300])
