"""Python runs this first in every process that a watched command starts: this folder is then the first of PYTHONPATH.

It loads accucheck_inside.watch, which waits for the script to import MindSpore, and then the sitecustomize that this one hides. Nothing
that fails here reaches the command.
"""

import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INSIDE = os.path.join(os.path.dirname(HERE), "inside")


def _inside() -> str:
    """The name under which what runs within is loaded."""
    name = "accucheck_inside"
    if name in sys.modules:
        return name
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(INSIDE, "__init__.py"), submodule_search_locations=[INSIDE]
    )
    assert spec is not None
    sys.modules[name] = importlib.util.module_from_spec(spec)
    return name


def _hidden() -> None:
    """The sitecustomize that would have run without this one."""
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


# The user's imports must not find this folder; children of this process do, by PYTHONPATH.
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != HERE or not entry]
if "ACCUCHECK_GUARD" in os.environ:
    try:
        importlib.import_module(f"{_inside()}.guard").install(os.environ["ACCUCHECK_GUARD"])
    except Exception as error:  # what cannot be guarded is not to run: it could write into the project
        print(f"accucheck: this process cannot be guarded: {error!r}", file=sys.stderr, flush=True)
        os._exit(70)
if "ACCUCHECK_WATCH" in os.environ:
    try:
        importlib.import_module(f"{_inside()}.watch").wait(os.environ["ACCUCHECK_WATCH"])
    except Exception as error:
        print(f"accucheck: this process is not watched: {error!r}", file=sys.stderr)
_hidden()
