"""Files a second that all static probes get through on one core, over MindSpore's own package: real code of many kinds.

usage: python benchmarks/static_files.py [--files 1000] [--folder DIR] [--probe NAME]...
Each file, copied to a folder of its own, is the training script of a case, and is examined as the engine's child does it: all
static probes one after the other in one process. With --beside it stays where it is: what it imports is then examined with it.
Every error of a probe counts as a crash and is named. Parsing alone is timed beside it, to tell a slow machine from slow code.
"""

import argparse
import ast
import os
import shutil
import tempfile
import time
import traceback
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from _measuring import report, row

from accucheck import probe as probes
from accucheck.case import Case, CaseFile, Scripts
from accucheck.model import Finding, Kind

TARGET = 80


def chosen(folder: Path, count: int) -> list[Path]:
    """So many of the Python files below a folder, evenly spread over their order by name."""
    files = sorted(path for path in folder.rglob("*.py") if path.is_file())
    return [files[place * len(files) // count] for place in range(count)] if len(files) > count else files


def static_probes() -> list[str]:
    return [name for name in probes.names() if probes.load(name).KIND is Kind.STATIC]


def examine(case: Case, names: list[str], spent: Counter[str], levels: Counter[str]) -> list[tuple[str, str]]:
    """Run the probes on one case; (probe, what it raised) of those that crashed."""
    crashed = []
    for name in names:
        module = probes.load(name)
        begin = time.process_time()
        try:
            for event in module.run(case, module.Params()):
                if isinstance(event, Finding):
                    levels["not seen whole" if event.incomplete else event.level.value] += 1
        except probes.Skip:
            pass
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            crashed.append((name, f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"))
        spent[name] += time.process_time() - begin  # the first probe also reads the file and follows it
    return crashed


def copied(path: Path, folder: Path) -> Path:
    folder.mkdir()
    return Path(shutil.copy(path, folder))


def parsing(files: list[Path]) -> float:
    """Seconds of processor time that ast.parse takes for all files."""
    begin = time.process_time()
    for path in files:
        ast.parse(path.read_bytes())
    return time.process_time() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--folder", type=Path, help="take the files from here")
    parser.add_argument("--beside", action="store_true", help="with the modules beside it")
    parser.add_argument("--probe", action="append", default=[], help="only this probe")
    given = parser.parse_args()
    package = find_spec("mindspore")
    folder = given.folder or (Path(package.origin).parent if package and package.origin else None)
    if folder is None:
        raise SystemExit("MindSpore is not installed; give --folder")
    folder = folder.resolve()
    files, names = chosen(folder, given.files), given.probe or static_probes()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    spent: Counter[str] = Counter()
    levels: Counter[str] = Counter()
    crashed: list[tuple[Path, str, str]] = []
    slow: list[tuple[float, Path]] = []
    copies = Path(tempfile.mkdtemp(prefix="accucheck-"))
    places = files if given.beside else [copied(path, copies / str(number)) for number, path in enumerate(files)]
    yardstick = parsing(files)
    begin, processor = time.perf_counter(), time.process_time()
    for path, place in zip(files, places, strict=True):
        before = time.process_time()
        case = Case(root=str(place.parent), spec=CaseFile(scripts=Scripts(train=place.name)))
        crashed += [(path, name, what) for name, what in examine(case, names, spent, levels)]
        slow.append((time.process_time() - before, path))
    seconds, processor = time.perf_counter() - begin, time.process_time() - processor
    yardstick = (yardstick + parsing(files)) / 2
    shutil.rmtree(copies)

    size = sum(path.stat().st_size for path in files)
    print(f"{len(files)} files, {size / 1e6:.1f} MB, of {folder.name}; {len(names)} static probes, one core")
    print(f"{len(files) / processor:6.1f} files a second of processor time  (target: at least {TARGET})")
    print(
        f"{len(files) / seconds:6.1f} files a second by the clock: {seconds:.1f} s, {processor:.1f} s on the processor"
    )
    print(
        f"  that is {processor / yardstick:.1f} times as long as ast.parse takes ({1e3 * yardstick / len(files):.2f} ms a file)"
    )
    print(f"{len(crashed)} crashes  (target: 0)")
    for path, name, what in crashed[:20]:
        print(f"  {path.relative_to(folder)}  {name}: {what}")
    print("findings: " + ", ".join(f"{count} {level}" for level, count in levels.most_common()))
    print("processor time by probe (the first reads and follows the files):")
    for name in names:
        print(f"  {name:28} {spent[name]:7.2f} s")
    print("slowest files:")
    for taken, path in sorted(slow, reverse=True)[:5]:
        print(f"  {taken:6.2f} s  {path.relative_to(folder)}  {path.stat().st_size / 1e3:.0f} kB")
    note = f"{len(files)} files of {folder.name}, {size / 1e6:.1f} MB, {len(names)} probes"
    return report(
        [
            row("files a second of processor time", len(files) / processor, "files/s", least=TARGET, note=note),
            row("processor time", processor, "s", "ast.parse", yardstick),
            row("crashes", len(crashed), "", most=0),
        ]
    )


if __name__ == "__main__":
    raise SystemExit(main())
