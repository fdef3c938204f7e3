"""The long run: `python tests/fuzz/fuzz.py [TARGET ...] --seconds N`. Needs the extras dev and fuzz.

Each target is fuzzed in a process of its own by atheris, which steers the changes by the code that they reach. What is found goes to
build/fuzz/TARGET as input and stack, each kind once, and the run goes on; a process that dies is begun anew for the time that is left.
"""

import argparse
import hashlib
import importlib.util
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
#: Inputs are not grown beyond so many times the largest seed.
GROWN = 2
#: Where files cost no disk.
MEMORY = Path("/dev/shm")


def prepared(name: str, folder: Path) -> int:
    """Write the seeds of a target; the bytes of the largest."""
    from fuzz_targets import TARGETS

    target, largest = TARGETS[name], 4096
    with tempfile.TemporaryDirectory() as place:
        for kind, make in (("seed", target.seeds), ("real", target.real)):
            (Path(place) / kind).mkdir()
            for number, content in enumerate(make(Path(place) / kind)):
                (folder / f"{kind}-{number:03}").write_bytes(content)
                largest = max(largest, len(content))
    return largest


def fuzz(name: str, seconds: int, corpus: Path, out: Path, largest: int, blind: bool) -> None:
    """By atheris it does not return."""
    from fuzz_mutations import mutated

    seeds = [path.read_bytes() for path in sorted(corpus.iterdir())]
    work = Path(tempfile.mkdtemp(prefix="fuzz-"))
    seen: set[str] = set()

    def tell(data: bytes, error: BaseException) -> None:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "accucheck" in frame.filename]
        where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?"
        key = hashlib.blake2b(f"{type(error).__name__} {where}".encode(), digest_size=4).hexdigest()
        if key not in seen:
            seen.add(key)
            (out / f"{key}.input").write_bytes(data)
            (out / f"{key}.txt").write_text("".join(traceback.format_exception(error)), errors="backslashreplace")
            print(f"FOUND {name} {key} {type(error).__name__}: {str(error)[:200]!r} at {where}", flush=True)

    def one(data: bytes) -> None:
        try:
            guard.run(data)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            tell(data, error)

    def change(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.random() < 0.5:
            return atheris.Mutate(data, most)
        return mutated(data, seeds, chance)[:most]

    if blind:
        from fuzz_guard import Guard
        from fuzz_targets import TARGETS

        chance, count, end = random.Random(), 0, time.monotonic() + seconds
        with Guard(TARGETS[name], work) as guard:
            print(f"WORK {guard.work / guard.target.file}", flush=True)
            for data in seeds:
                guard.run(data, bounded=False)
            while time.monotonic() < end:
                one(mutated(chance.choice(seeds), seeds, chance)[: GROWN * largest])
                count += 1
        print(f"stat::number_of_executed_units: {count}", file=sys.stderr)
        return

    import atheris

    # Rewriting all probes would take longer than a short run does.
    steering = "accucheck.script" if name in ("script", "notebook") else "accucheck"
    with atheris.instrument_imports(include=[steering], enable_loader_override=False):
        from fuzz_guard import Guard
        from fuzz_targets import TARGETS

        guard = Guard(TARGETS[name], work)
        print(f"WORK {guard.work / guard.target.file}", flush=True)
        for data in seeds:  # what is imported on the first call is instrumented too
            try:
                guard.run(data, bounded=False)
            except BaseException as error:
                tell(data, error)
    arguments = [f"-max_total_time={seconds}", f"-max_len={GROWN * largest}", "-timeout=0", "-print_final_stats=1"]
    arguments += [
        "-rss_limit_mb=6000",
        "-malloc_limit_mb=3000",
        "-handle_alrm=0",
        "-verbosity=0",
        f"-artifact_prefix={out}/native-",
    ]
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], one, custom_mutator=change)
    atheris.Fuzz()


def watched(name: str, seconds: int, blind: bool) -> str:
    """Fuzz a target in children for so many seconds; what to print of it."""
    out = Path("build/fuzz", name)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    executions, deaths, start = 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=MEMORY if MEMORY.is_dir() else None) as scratch:
        corpus = Path(scratch, "corpus")
        corpus.mkdir()
        largest = prepared(name, corpus)
        start = time.monotonic()
        while (left := int(seconds - (time.monotonic() - start))) > 0 and deaths < 20:
            command = [
                sys.executable,
                __file__,
                name,
                "--seconds",
                str(left),
                "--child",
                str(corpus),
                str(out.resolve()),
                str(largest),
                *["--blind"] * blind,
            ]
            environment = os.environ | {"TMPDIR": scratch, "HOME": scratch, "POLARS_MAX_THREADS": "2", "PYTHONPATH": ""}
            done = subprocess.run(
                command, env=environment, cwd=scratch, capture_output=True, text=True, errors="replace"
            )
            for line in done.stdout.splitlines():
                if line.startswith("FOUND"):
                    print(line, flush=True)
            executions += sum(map(int, re.findall(r"number_of_executed_units: (\d+)", done.stderr)))
            if done.returncode:
                deaths += 1
                work = re.search(r"WORK (.*)", done.stdout)
                if work and Path(work[1]).is_file():
                    (out / f"death-{deaths}.input").write_bytes(Path(work[1]).read_bytes())
                (out / f"death-{deaths}.txt").write_text(done.stderr[-20_000:])
                ended = signal.Signals(-done.returncode).name if done.returncode < 0 else done.returncode
                counted = re.findall(r"^#(\d+)\t", done.stderr, re.M)
                executions += int(counted[-1]) if counted and "number_of_executed_units" not in done.stderr else 0
                print(f"FOUND {name} death-{deaths}: the process ended with {ended}", flush=True)
    # Each kind, and each death, one file; a death need not leave an input.
    found = len(list(out.glob("*.txt")))
    return f"{name:18} {executions:>10,} executions {time.monotonic() - start:6.0f} s {found:>4} found"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=120, help="for each target (120)")
    parser.add_argument(
        "--blind", action="store_true", help="changes by chance alone: without atheris, many more of them"
    )
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        corpus, out, largest = given.child
        fuzz(given.targets[0], given.seconds, Path(corpus), Path(out), int(largest), given.blind)
        return
    from fuzz_targets import TARGETS

    unknown = sorted(set(given.targets) - set(TARGETS))
    if unknown:
        parser.error(f"no such target: {', '.join(unknown)}. There are: {', '.join(TARGETS)}")
    if not given.blind and importlib.util.find_spec("atheris") is None:
        parser.error("atheris is not installed: pip install -e '.[fuzz]', or --blind to do without it")
    results = []
    for name in given.targets or TARGETS:
        results.append(watched(name, given.seconds, given.blind))
        print(results[-1], flush=True)
    sys.exit(any(not result.endswith(" 0 found") for result in results))


if __name__ == "__main__":
    main()
