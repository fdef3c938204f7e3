"""Mutation testing of the rules by which probes decide: `python tests/mutation/mutate.py [MODULE ...]`. Needs the extras dev and mutation.

rules.yaml says what a rule is, which tests are to tell a changed one, and which changes make no difference. A mutant is one change that
an operator of cosmic-ray makes. cosmic-ray itself writes each mutant to the disk and begins the tests anew, which takes 3 to 10 s, most
of it imports; here each one is a fork of a process that has imported everything and collected the tests, and takes the time of its tests.
No test runs in that process, for threads, as those of polars, do not live on in a fork. What MindSpore told a live probe is kept in
build/mutation/live, by the request and the files of the case, since the mutated code only judges it.

A mutant is killed by a test that fails, or that takes too long. The result is written after each module, and modules whose source, tests
and rules are as they were are not run again.
"""

import argparse
import ast
import contextlib
import gc
import hashlib
import importlib
import inspect
import json
import math
import os
import pickle
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import parso
import pytest
import yaml
from cosmic_ray.ast import ast_nodes
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator

from accucheck import probe
from accucheck.model import Kind

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RULES = HERE / "rules.yaml"
RESULTS = HERE / "results.json"
WORK = ROOT / "build" / "mutation"
EXAMPLES = (
    "test_an_example_comes_out_as_it_says",
    "test_thresholds_decide_as_they_did_at_what_is_measured",
    "test_variants_of_examples_are_judged_as_they_were",
)
#: Collecting imports them; they start no threads of their own until they are used.
IMPORTED = ("numpy", "polars", "PIL.Image", "accucheck.engine")


class ReplaceLevel(Operator):
    """What cosmic-ray has no operator for: another verdict or level than the rule gives."""

    OTHERS = {
        "Level": {"PROBLEM": "SUSPECT", "SUSPECT": "INFO", "INFO": "SUSPECT"},
        "Verdict": {"PROBLEM": "UNDECIDED", "UNDECIDED": "OK", "OK": "UNDECIDED", "NOT_APPLICABLE": "OK"},
    }

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if (
            node.type == "name"
            and node.parent.type == "trailer"
            and (kind := node.parent.get_previous_leaf()) is not None
        ):
            kind = kind if kind.value in self.OTHERS else node.parent.children[0].get_previous_leaf()
            if kind.value in self.OTHERS and node.value in self.OTHERS[kind.value]:
                yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        node.value = self.OTHERS[node.parent.children[0].get_previous_leaf().value][node.value]
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class Mutant(NamedTuple):
    operator: str
    occurrence: int
    line: int
    #: The function of the module, or the method of a class of it; None for a threshold of the module.
    function: str | None


def operator(name: str) -> Operator:
    return ReplaceLevel() if name == "ReplaceLevel" else get_operator(f"core/{name}")()


# What is a rule


def functions_of(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{each.name}": each for each in node.body if isinstance(each, ast.FunctionDef)}
    return found


def names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} | {
        each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)
    }


def reached(tree: ast.Module, begin: Callable[[str], bool]) -> set[str]:
    """The functions that decide, by name, and what they call: not those that only make examples."""
    functions = functions_of(tree)
    found, left = set(), [name for name in functions if begin(name)]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            called = names_in(functions[name])
            left += [each for each in functions if each.split(".")[-1] in called or each.split(".")[0] in called]
    return found


Span = tuple[tuple[int, int], tuple[int, int]]


def span(node: Any) -> Span:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def callee(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def is_progress(node: ast.stmt) -> bool:
    given = node.value.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield) else None
    return isinstance(given, ast.Call) and callee(given) == "Progress"


def shown_in(function: ast.AST, rules: dict[str, Any]) -> Iterator[Span]:
    """What is only shown, or says that something cannot be read: no rule."""
    for node in ast.walk(function):
        if isinstance(node, (ast.JoinedStr, ast.Assert, ast.Raise)):
            yield span(node)
        elif isinstance(node, ast.Call):
            if re.fullmatch(rules["shown"], callee(node)):
                yield span(node)
            yield from (span(each.value) for each in node.keywords if each.arg in ("strict", "key"))  # key: the order
            if callee(node) == "enumerate":
                yield from map(span, node.args[1:])
            if callee(node) == "Finding":
                yield from map(span, node.args[2:])
                yield from (
                    span(each.value) for each in node.keywords if each.arg not in ("level", "incomplete", "sure")
                )
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            if isinstance(node, ast.AnnAssign):
                yield span(node.annotation)
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if node.value and any(re.fullmatch(rules["shown_names"], getattr(each, "id", "")) for each in targets):
                yield span(node.value)
        elif isinstance(node, ast.Compare):
            if any(re.fullmatch(rules["bounds"], getattr(each, "id", "")) for each in (node.left, *node.comparators)):
                yield span(node)
        elif isinstance(node, ast.If):
            if all(is_progress(each) for each in node.body):
                yield span(node.test)
        elif isinstance(node, ast.arg) and node.annotation:
            yield span(node.annotation)
        elif isinstance(node, ast.FunctionDef) and node.returns:
            yield span(node.returns)


def thresholds(tree: ast.Module, used: set[str], rules: dict[str, Any]) -> Iterator[Span]:
    """The numbers of the module that rules use. Defaults of Params are data: docs/probes/ tells each, with its source."""
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            named = isinstance(target, ast.Name) and target.id in used and not re.fullmatch(rules["bounds"], target.id)
            if named and is_number(node.value):
                yield span(node.value)


def compared(function: ast.AST) -> Iterator[Span]:
    """Where a number is a threshold: it is compared with. Others count, or say which element is shown."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            yield span(node)


def is_number(node: ast.AST) -> bool:
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool)


def within(place: Any, spans: list[Span]) -> bool:
    return any(begin <= place < end for begin, end in spans)


def mutants_of(source: str, module: str, rules: dict[str, Any]) -> list[Mutant]:
    # ast counts columns in bytes, parso in characters: on lines of rules alone they are the same, and Chinese stands in words only.
    tree = ast.parse(source)
    shared = module.startswith("_")
    functions = functions_of(tree)
    decide = reached(
        tree, lambda name: not name.startswith("_") if shared else name in ("run", "suggest", "judge", "judged")
    )
    not_rules = re.compile("|".join([rules["not_rules"], *rules["also_not_rules"].get(module, [])]))
    decide = {name for name in decide if not not_rules.fullmatch(name.split(".")[-1])}
    shown = [each for name in decide for each in shown_in(functions[name], rules)]
    comparisons = [each for name in decide for each in compared(functions[name])]
    bodies = {name: (functions[name].lineno, functions[name].end_lineno) for name in decide}
    limits = list(thresholds(tree, {each for name in decide for each in names_in(functions[name])}, rules))

    found, nodes = [], list(ast_nodes(parso.parse(source)))
    for name in rules["operators"]:
        changing, count = operator(name), 0
        for node in nodes:
            for begin, _ in changing.mutation_positions(node):
                function = next((each for each, (first, last) in bodies.items() if first <= begin[0] <= last), None)
                rule = function and not within(begin, shown)
                if name == "NumberReplacer":
                    rule = (rule and within(begin, comparisons)) or within(begin, limits)
                if rule:
                    found.append(Mutant(name, count, begin[0], function))
                count += 1
    return found


def is_change(source: str, mutated: str) -> bool:
    """Whether it is Python, which "not x := y" is not, and other Python, which 1e+100 for 1e100 is not."""
    try:
        return ast.dump(ast.parse(mutated)) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


def change(source: str, mutated: str) -> tuple[str, str]:
    """The line that differs, before and after."""
    for before, after in zip(source.splitlines(), mutated.splitlines(), strict=False):
        if before != after:
            return before.strip(), after.strip()
    return "", ""


# Putting a mutant in place


def code_objects(code: types.CodeType) -> Iterator[types.CodeType]:
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield each
            if each.co_name in code.co_names and not each.co_flags & inspect.CO_OPTIMIZED:  # the body of a class
                yield from code_objects(each)


def put(module: Any, mutated: str, function: str | None) -> None:
    """Change the module as it is: what other modules took from it changes with it."""
    code = compile(mutated, module.__file__, "exec")
    if function is None:
        exec(code, module.__dict__)
        return
    found = module
    for name in function.split("."):
        found = inspect.getattr_static(found, name)
    found = getattr(found, "fget", None) or getattr(found, "func", None) or getattr(found, "__func__", found)
    found = inspect.unwrap(found)
    found.__code__ = next(each for each in code_objects(code) if each.co_qualname == function)


# Live probes


def remember_live() -> None:
    """What the child with MindSpore tells of a case is kept, by its request and the files of the case."""
    from accucheck.live import child

    folder, asked = WORK / "live", child.events
    folder.mkdir(parents=True, exist_ok=True)

    def events(case: Any, task: str, request: dict[str, Any], seconds: float) -> Iterator[dict[str, Any]]:
        digest = hashlib.blake2b(digest_size=16)
        for path in sorted(Path(case.root).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(case.root)}\0".encode() + path.read_bytes() + b"\0")
        said = json.dumps([task, request, seconds, case.spec.runtime.python], sort_keys=True, default=str)
        digest.update(said.replace(str(case.root), "ROOT").encode())
        kept = folder / f"{digest.hexdigest()}.pickle"
        if not kept.exists():
            told, problem = [], None
            try:
                told.extend(asked(case, task, request, seconds))
            except Exception as error:
                problem = error
            content = pickle.dumps((str(case.root), told, problem))
            kept.with_suffix(f".{os.getpid()}").write_bytes(content)
            kept.with_suffix(f".{os.getpid()}").replace(kept)
        root, told, problem = pickle.loads(kept.read_bytes())
        yield from json.loads(json.dumps(told).replace(root, str(case.root)))
        if problem is not None:
            raise problem

    child.events = events


# Running tests in forks


class Runner:
    """A plugin of pytest that runs, in place of the tests, the tests on each mutant."""

    def __init__(self, module: str, rules: dict[str, Any], most: int, seed: int) -> None:
        self.name, self.rules, self.most, self.seed = module, rules, most, seed
        self.users = rules["shared"].get(module, [module])
        self.result: dict[str, Any] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [
            item
            for item in items
            if item.path.name != "test_probe_examples.py"
            or (item.originalname in EXAMPLES and item.callspec.params["name"] in self.users)
        ]
        # Real trainings beside the examples would take minutes.
        items[:] = [
            item
            for item in items
            if item.path.name == "test_probe_examples.py" or not item.get_closest_marker("mindspore")
        ]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.module = importlib.import_module(f"accucheck.probes.{self.name}")
        source = Path(self.module.__file__).read_text(encoding="utf-8")
        mutants = mutants_of(source, self.name, self.rules)
        sample = (
            mutants
            if len(mutants) <= self.most
            else random.Random(f"{self.seed} {self.name}").sample(mutants, self.most)
        )
        begin = time.monotonic()
        measured = self.baseline(session.items)
        killers = [item for item in session.items if measured.get(item.nodeid, {}).get("passed")]
        killers.sort(key=lambda item: measured[item.nodeid]["seconds"])
        equal = {(each["line"], each["becomes"]): each for each in self.rules["equivalent"].get(self.name, [])}
        survivors, count, same, late = [], 0, 0, 0
        for mutant in sorted(sample, key=lambda one: one.line):
            mutated = mutate_code(source, operator(mutant.operator), mutant.occurrence)
            before, after = change(source, mutated)
            if (before, after) in equal or not is_change(source, mutated):
                same += 1
                continue
            count += 1
            run = [one for one in killers if mutant.function in (None, *measured[one.nodeid]["functions"])] or killers
            cost = sum(measured[one.nodeid]["seconds"] for one in run)
            outcome = (
                self.fork(lambda: self.attack(session, mutated, mutant, run), 20 + 10 * cost) if run else "survived"
            )
            late += outcome == "late"
            if outcome == "survived":
                survivors.append({"function": mutant.function, "line": before, "becomes": after, "tests": len(run)})
        self.result = {
            "mutants": len(mutants),
            "drawn": len(sample),
            "equivalent": same,
            "killed": count - len(survivors),
            "late": late,
            "tests": len(killers),
            "survivors": survivors,
        }
        left_out = [item.nodeid for item in session.items if item not in killers]
        print(f"   {len(killers)} tests, {len(left_out)} left out; {time.monotonic() - begin:.0f} s", flush=True)
        return True

    def fork(self, work: Callable[[], str], seconds: float) -> str:
        """What `work` says, in a process of its own; "late" when it takes longer."""
        out, into = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            os.close(out)
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 1)
            os.dup2(null, 2)
            said = "broke"
            try:
                said = work()
            finally:
                os.write(into, said.encode())
                os._exit(0)
        os.close(into)
        until = time.monotonic() + seconds
        while (done := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < until:
            time.sleep(0.005)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if done[0] == 0:
            os.waitpid(child, 0)
        with os.fdopen(out, "rb") as pipe:
            said = pipe.read().decode() if done[0] else "late"
        return said or "broke"

    def attack(self, session: pytest.Session, mutated: str, mutant: Mutant, items: list[pytest.Item]) -> str:
        put(self.module, mutated, mutant.function)
        for item in items:
            self.one(session, item)
            if session.testsfailed:
                return "killed"
        return "survived"

    def one(self, session: pytest.Session, item: pytest.Item) -> None:
        session.testsfailed = 0
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)

    def baseline(self, items: list[pytest.Item]) -> dict[str, Any]:
        """Of each test whether it passes, its seconds, and the functions of the module that it reaches.

        In one fork, begun anew after a test that hangs or ends it. What the tests import is then imported here too, for all mutants.
        """
        WORK.mkdir(parents=True, exist_ok=True)
        measured: dict[str, Any] = {}
        left = list(items)
        while left:
            with tempfile.NamedTemporaryFile(dir=WORK) as file:
                path = Path(file.name)
                self.fork(lambda: self.measure(left, path), self.rules["seconds_of_all"])
                lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            measured |= {line["test"]: line for line in lines}
            left = left[len(lines) + 1 :]
        for name in sorted({name for one in measured.values() for name in one["imported"]}):
            if not name.startswith(("mindspore", "torch", "__mp")):
                with contextlib.suppress(Exception):
                    importlib.import_module(name)
        gc.collect()
        gc.freeze()
        return measured

    def measure(self, items: list[pytest.Item], out: Path) -> str:
        file, functions = self.module.__file__, set()

        def trace(frame: Any, event: str, _: Any) -> None:
            if frame.f_code.co_filename == file:
                functions.add(frame.f_code.co_qualname.split(".<")[0])

        live = any(probe.load(name).KIND is Kind.LIVE for name in self.users)
        for item in items:
            functions.clear()
            before = set(sys.modules)
            for _ in range(1 + live):  # a live probe is asked twice: then what MindSpore told is kept
                signal.alarm(self.rules["seconds_of_a_test"] * (1 + 60 * live))
                begin = time.monotonic()
                threading.setprofile(trace)
                sys.setprofile(trace)
                self.one(item.session, item)
                sys.setprofile(None)
                threading.setprofile(None)
                seconds = time.monotonic() - begin
            signal.alarm(0)
            said = {"test": item.nodeid, "passed": not item.session.testsfailed, "seconds": seconds}
            said |= {"functions": sorted(functions), "imported": sorted(set(sys.modules) - before)}
            with out.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(said) + "\n")
        return "measured"


def files_of(module: str, rules: dict[str, Any]) -> list[Path]:
    """The tests that are to tell when a rule of the module changes."""
    named = [f"test_{each}.py" for each in rules["shared"].get(module, [module])]
    found = [HERE.parent / "probes" / each for each in named] + [
        HERE.parent / each for each in rules["tests"].get(module, [])
    ]
    return [HERE.parent / "test_probe_examples.py", *(path for path in dict.fromkeys(found) if path.exists())]


def state_of(module: str, rules: dict[str, Any], most: int, seed: int) -> str:
    """Changes with the source of the module, its tests and its rules."""
    files = [ROOT / "src" / "accucheck" / "probes" / f"{module}.py", *files_of(module, rules)]
    digest = hashlib.blake2b(digest_size=8)
    for path in files:
        digest.update(path.read_bytes())
    general = {key: value for key, value in rules.items() if not isinstance(value, dict)}
    own = [value.get(module) for value in rules.values() if isinstance(value, dict)]
    digest.update(json.dumps([general, own, most, seed]).encode())
    return digest.hexdigest()


def run_module(module: str, rules: dict[str, Any], most: int, seed: int) -> dict[str, Any]:
    """In a fork, so that each module begins alike."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        runner = Runner(module, rules, most, seed)
        place = tempfile.mkdtemp(prefix="mutation-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
        options = ["-q", "-s", "--whole", "-p", "no:cacheprovider", "--basetemp", f"{place}/t"]
        pytest.main([*map(str, files_of(module, rules)), *options, "--rootdir", str(ROOT)], plugins=[runner])
        with os.fdopen(into, "w") as pipe:
            json.dump(runner.result, pipe)
        shutil.rmtree(place, ignore_errors=True)
        sys.stdout.flush()
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return json.loads(said or "{}")


def estimate(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """The share of all mutants that is killed, each module's weighed by its mutants, and half the width of its 95 % interval."""
    whole = sum(row["mutants"] for row in rows)
    share = variance = 0.0
    for row in rows:
        judged = row["drawn"] - row["equivalent"]
        if judged:
            killed, weight = row["killed"] / judged, row["mutants"] / whole
            share += weight * killed
            left = 1 - row["drawn"] / row["mutants"]
            variance += weight**2 * killed * (1 - killed) / max(judged - 1, 1) * left
    return share, 1.96 * math.sqrt(variance)


def main() -> None:
    rules = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    modules = sorted(path.stem for path in (ROOT / "src" / "accucheck" / "probes").glob("[a-z]*.py")) + list(
        rules["shared"]
    )
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="of accucheck.probes; all of them when none is named"
    )
    parser.add_argument("--most", type=int, default=rules["most"], help="mutants of a module; more are drawn by lot")
    parser.add_argument("--seed", type=int, default=0, help="of the lot")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--again", action="store_true", help="modules too that are as they were")
    args = parser.parse_args()
    if unknown := set(args.modules) - set(modules):
        parser.error(f"no such module: {', '.join(sorted(unknown))}")

    os.chdir(ROOT)
    sys.path.insert(0, str(HERE.parent))
    for name in IMPORTED:
        importlib.import_module(name)
    remember_live()
    for module in args.modules or modules:
        kept = json.loads(args.out.read_text(encoding="utf-8")) if args.out.exists() else {"modules": {}}
        state = state_of(module, rules, args.most, args.seed)
        if kept["modules"].get(module, {}).get("state") == state and not args.again:
            continue
        row = run_module(module, rules, args.most, args.seed)
        if "mutants" not in row:
            print(f"{module}: the tests could not be run", flush=True)
            continue
        kept["modules"][module] = row | {"state": state}
        kept["modules"] = dict(sorted(kept["modules"].items()))
        rows = list(kept["modules"].values())
        share, half = estimate(rows)
        killed, judged = sum(row["killed"] for row in rows), sum(row["drawn"] - row["equivalent"] for row in rows)
        kept["total"] = {
            "mutants": sum(each["mutants"] for each in rows),
            "judged": judged,
            "killed": killed,
            "share": round(killed / max(judged, 1), 4),
            "estimate": round(share, 4),
            "within": round(half, 4),
        }
        args.out.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        judged = row["drawn"] - row["equivalent"]
        print(f"{module}: {row['killed']} of {judged} killed ({row['mutants']} mutants)", flush=True)
        for each in row["survivors"]:
            print(f"   {each['function']}: {each['line']}\n      -> {each['becomes']}", flush=True)
    if args.out.exists():
        print(json.dumps(json.loads(args.out.read_text(encoding="utf-8"))["total"]))


if __name__ == "__main__":
    main()
