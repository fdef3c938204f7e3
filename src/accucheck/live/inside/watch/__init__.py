"""What runs within a watched training: it records what happens, judges nothing, and never changes what the training computes.

wait() is called before the user's script starts. It imports the standard library alone until the script itself imports MindSpore.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any


def wait(place: str) -> None:
    """Watch this process as the file `place` asks, as soon as MindSpore is imported; tell that it was started."""
    with open(place, encoding="utf-8") as stream:
        settings = json.load(stream)
    settings["begun"] = str(Path.cwd())  # the script may change the folder before it imports MindSpore
    started(settings)
    sys.meta_path.insert(0, _AfterImport(settings))


def started(settings: dict[str, Any], problem: str = "") -> bool:
    """One line in started.jsonl: so that a command none of whose processes imports MindSpore can be told from one without Python, and
    `problem`: why a process is not watched after all. Whether it could be written."""
    line = {
        "pid": os.getpid(),
        "python": sys.executable,
        "time": time.time(),
        **({"problem": problem} if problem else {}),
    }
    try:
        file = os.open(os.path.join(settings["folder"], "started.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        os.write(file, json.dumps(line).encode() + b"\n")
        os.close(file)
    except OSError:  # what cannot be written is told by whoever started the command: the recording is missing
        return False
    return True


class _AfterImport(importlib.abc.MetaPathFinder):
    """Finds MindSpore as the others do, and begins to watch when it was loaded."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "mindspore":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        spec.loader = _Loader(spec.loader, self.settings)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: Any, settings: dict[str, Any]) -> None:
        self.loader, self.settings = loader, settings

    def create_module(self, spec: Any) -> Any:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = module.__spec__.loader = self.loader  # type: ignore[union-attr]
        self.loader.exec_module(module)
        try:
            if self.settings.get("light"):
                from . import light

                light.begin(self.settings)
            else:
                from . import run

                run.begin(self.settings)
        except Exception as error:
            if not started(self.settings, repr(error)[:300]):
                print(f"accucheck: this process is not watched: {error!r}", file=sys.stderr)
