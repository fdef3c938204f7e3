"""Files a second in which api_scan reads a PyTorch project on one core, beside plain ast.walk and libcst over the same files.

usage: python benchmarks/api_scan.py [--folder DIR] [--files 400] [--rounds 3]
The folder is PyTorch's own package unless another is given. Each round runs all in turn; the median of processor times counts. ast.walk
only parses and visits every node, which any such scan has to do at least; libcst (if it is installed) is what tools that rewrite
such code stand on, parsing and visiting as well.
"""

import argparse
import ast
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from _measuring import report, row

from accucheck.case import Case
from accucheck.model import Finding
from accucheck.probes import api_scan
from accucheck.script import folder as folders

TARGET = 60


def chosen(folder: Path, count: int) -> list[Path]:
    """So many Python files of more than a few lines, evenly spread over their order by name."""
    files = sorted(path for path in folder.rglob("*.py") if path.is_file() and path.stat().st_size > 200)
    return [files[place * len(files) // count] for place in range(count)] if len(files) > count else files


def ours(root: Path) -> int:
    folders._LAST.clear()
    events = api_scan.run(Case(root=str(root)), api_scan.Params())
    scanned = [event for event in events if isinstance(event, Finding) and event.code == "scanned"]
    return scanned[0].data["uses"] if scanned else 0


def walking(root: Path) -> int:
    return sum(1 for path in root.rglob("*.py") for _ in ast.walk(ast.parse(path.read_bytes())))


def with_libcst(root: Path) -> int:
    import libcst

    class Calls(libcst.CSTVisitor):
        count = 0

        def visit_Call(self, node: libcst.Call) -> None:
            self.count += 1

    calls = Calls()
    for path in root.rglob("*.py"):
        libcst.parse_module(path.read_bytes()).visit(calls)
    return calls.count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    package = find_spec("torch")
    folder = given.folder or (Path(package.origin).parent if package and package.origin else None)
    if folder is None:
        raise SystemExit("PyTorch is not installed; give --folder")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    files = chosen(folder.resolve(), given.files)
    copies = Path(tempfile.mkdtemp(prefix="accucheck-"))
    for number, path in enumerate(files):
        (copies / str(number)).mkdir()
        shutil.copy(path, copies / str(number) / "module.py")
    peers: dict[str, Callable[[Path], int]] = {"api_scan": ours, "ast.walk": walking}
    if find_spec("libcst"):
        peers["libcst"] = with_libcst
    taken: dict[str, list[float]] = {name: [] for name in peers}
    counted: dict[str, int] = {}
    for _ in range(given.rounds):
        for name, run in peers.items():
            begin = time.process_time()
            counted[name] = run(copies)
            taken[name].append(time.process_time() - begin)
    shutil.rmtree(copies)
    size = sum(path.stat().st_size for path in files)
    print(f"{len(files)} files, {size / 1e6:.1f} MB, of {folder.name}; one core, median of {given.rounds} rounds")
    for name, seconds in taken.items():
        print(f"{name:10} {len(files) / statistics.median(seconds):7.1f} files a second  ({counted[name]:,} counted)")
    rate = len(files) / statistics.median(taken["api_scan"])
    print(f"api_scan: {rate:.1f} files a second  (target: at least {TARGET})")
    rates = {name: [len(files) / each for each in seconds] for name, seconds in taken.items()}
    what = f"files of {folder.name} on one core"
    return report(
        [
            row(what, rates.pop("api_scan"), "files/s", least=TARGET, note=f"{len(files)} files, {size / 1e6:.1f} MB"),
            *(
                row(f"{what}, {name}", [len(files) / each for each in taken["api_scan"]], "files/s", name, rate)
                for name, rate in rates.items()
            ),
        ],
        ["torch", "libcst"],
    )


if __name__ == "__main__":
    raise SystemExit(main())
