"""Runs under the user's interpreter: one task on their pipeline functions. Started by path by live/child.py, or forked by warm.py.

One JSON request comes in on stdin, events go out on the real stdout, all chatter goes to stderr. What lies in this
folder imports the standard library, numpy and mindspore only, and runs on Python 3.9 and later.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

#: The name of this folder as a package here: one that no project of a user's has.
PACKAGE = "accucheck_inside"
#: The exit code of one whose parent is gone, so that nobody reads what would follow.
ALONE = 3


def neighbour(name: str) -> Any:
    """A module of this folder, by way of a package, so that the user's imports cannot mistake one for theirs."""
    if PACKAGE not in sys.modules:
        folder = Path(__file__).resolve().parent
        places = [str(folder)]
        spec = importlib.util.spec_from_file_location(
            PACKAGE, folder / "__init__.py", submodule_search_locations=places
        )
        assert spec is not None
        sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    return importlib.import_module(f"{PACKAGE}.{name}")


def main() -> None:
    # This script's own folder must not offer its neighbours to the user's imports.
    sys.path[:] = [entry for entry in sys.path if entry != os.path.dirname(os.path.abspath(__file__))]
    if sys.argv[1:]:  # the descriptor on which tasks are asked for
        neighbour("warm").serve(socket.socket(fileno=int(sys.argv.pop())))
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    commands = os.fdopen(os.dup(0), "r", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False, buffering=1)  # noqa: SIM115
    processes = neighbour("processes")
    processes.adopt_orphans()
    request = json.loads(commands.readline())
    if "forked" in request:
        neighbour("warm").become(request["forked"])
    lock = threading.Lock()

    def end(code: int) -> NoReturn:
        """With all that it has started; MindSpore's threads and the user's own are not waited for."""
        processes.end_descendants(os.getpid())
        os._exit(code)

    def tell(**event: Any) -> None:
        line = request["token"] + json.dumps(event) + "\n"
        try:
            with lock:
                channel.write(line)
                channel.flush()
        except BrokenPipeError:
            end(ALONE)

    def end_with_parent() -> None:
        while commands.readline():
            pass
        end(ALONE)

    threading.Thread(target=end_with_parent, daemon=True).start()
    pipeline = neighbour("pipeline")
    EndRun, shown, code = pipeline.EndRun, pipeline.shown, 0
    pipeline.SCRIPTS.update(request.get("scripts", ()))
    try:
        try:
            import mindspore
        except ModuleNotFoundError as error:
            raise EndRun(event="no-mindspore" if error.name == "mindspore" else "no-import", error=shown(error))
        except Exception as error:
            raise EndRun(event="no-import", error=shown(error))
        tell(event="runtime", mindspore=str(mindspore.__version__), python=sys.version.split()[0])
        neighbour(request["task"]).examine(request, tell)
        tell(event="end")
    except EndRun as stop:
        tell(**stop.event)
    except BaseException as error:
        lines, place = pipeline.last_lines(error, request["root"]), pipeline.own_place(error, request["root"])
        if place or not lines:  # no line of the user's, or ours was called back from theirs
            tell(event="own-failure", error=shown(error), place=place or pipeline.deepest(error))
        else:
            tell(event="failed", error=shown(error), lines=lines)
        code = 1
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    end(code)


if __name__ == "__main__":
    main()
