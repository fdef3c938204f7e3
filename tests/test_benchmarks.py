"""The pages of figures: written from results, with what is stale, missed or failed said; the experiments behind the page on quality."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import yaml

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
import _experiments
import _measuring
import _reach
import _running
import _tables
import labelled
import pages
import planted
import seeded
import session_open
import settings_seen
import started
from _measuring import Machine, Result, Row, Tally, Wrong, row

from accucheck import checklist, probe
from accucheck.model import Kind, Verdict

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MACHINE = Machine("Some CPU", 2, 23.5, "Linux x86_64")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one module and one benchmark."""
    for name in ("src/accucheck/module.py", "benchmarks/one.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("value = 1\n")
    return tmp_path


def measured(root: Path, name: str, rows: list[Row]) -> Result:
    files = ["benchmarks/one.py"]
    digest = _measuring.digest(files, root)
    return Result(
        name, rows=rows, date="2026-01-02", seconds=100, load=0.5, machine=MACHINE,
        versions={"Python": "3.11.7"}, files=files, digest=digest,
    )  # fmt: skip


# --- rows -------------------------------------------------------------------------------------------------------------


def test_a_row_holds_medians_and_their_ratio() -> None:
    made = row("time", [3.0, 1.0, 2.0], "s", "peer", [4.0, 9.0, 4.0], ratio_most=0.5)
    assert (made.ours, made.theirs, made.ratio, made.rounds) == (2.0, 4.0, 0.5, 3)
    assert made.met


@pytest.mark.parametrize(
    ("bounds", "met"),
    [
        ({}, None),
        ({"most": 2}, True),
        ({"most": 1.9}, False),
        ({"least": 2}, True),
        ({"least": 2.1}, False),
        ({"ratio_most": 0.5}, True),
        ({"ratio_most": 0.4}, False),
        ({"ratio_least": 0.6}, False),
        ({"most": 3, "ratio_least": 0.6}, False),
    ],
)
def test_a_target_is_met_or_not(bounds: dict[str, float], met: bool | None) -> None:
    assert row("x", 2, "s", "peer", 4, **bounds).met is met


def test_a_target_for_the_ratio_is_missed_where_there_is_no_ratio() -> None:
    assert row("x", 2, "s", ratio_most=0.5).met is False
    assert row("x", 2, "s", "peer", 0, ratio_most=0.5).met is False


def test_numbers_as_people_read_them() -> None:
    shown = [
        _tables.amount(value, unit) for value, unit in ((0.0123, "s"), (1.5, "s"), (20_000, ""), (0.9, "%"), (2, "MB"))
    ]
    assert shown == ["12.3 ms", "1.50 s", "20,000", "90.00 %", "2 MB"]
    assert [_tables.number(value) for value in (0.00001, 0.000123, 1234.5, 0.0)] == [
        "0.000010",
        "0.000123",
        "1,234",
        "0",
    ]


# --- the page of benchmarks -------------------------------------------------------------------------------------------


def test_the_page_of_small_results(root: Path) -> None:
    rows = [
        row("reading", [0.5, 0.6, 0.7], "s", "a loop", [1.2, 1.1, 1.2], ratio_most=0.4, note="10 MB"),
        row("memory", 120, "MB", most=150),
    ]
    page = "\n".join(
        pages.benchmarks_page({"one": measured(root, "one", rows)}, {"one": "Reads a log.", "two": "Waits."}, root)
    )
    assert page.removeprefix(pages.BENCHMARKS).strip() == textwrap.dedent(
        """\
        | Machine | Processor | Cores | Memory | System | Versions |
        | --- | --- | --- | --- | --- | --- |
        | A | Some CPU | 2 | 23.5 GiB | Linux x86_64 | Python 3.11.7 |

        - Targets: 1 of 2 met.
        - **Missed**: one (reading).
        - **Not measured yet**: two.

        ## one

        Reads a log.

        2026-01-02, machine A, 2 min, load average at the end 0.5.

        | Measured | accucheck | Peer | Ratio | Target | State | Rounds | Note |
        | --- | ---: | --- | --- | --- | --- | --- | --- |
        | reading | 600 ms | 1.20 s (a loop) | 0.500 | at most 0.400 times the peer | **missed** | 3 | 10 MB |
        | memory | 120 MB |  |  | at most 150 MB | met | 1 |  |"""
    )


@pytest.mark.parametrize("changed", ["src/accucheck/module.py", "benchmarks/one.py"])
def test_a_figure_of_other_sources_is_stale(root: Path, changed: str) -> None:
    results = {
        "one": measured(root, "one", [row("reading", 1, "s", most=2)]),
        "two": measured(root, "two", [row("waiting", 1, "s")]),
    }
    titles = {"one": "Reads.", "two": "Waits."}
    assert "tale" not in "\n".join(pages.benchmarks_page(results, titles, root)).removeprefix(pages.BENCHMARKS)
    (root / changed).write_text("value = 2\n")
    results["two"] = measured(root, "two", [row("waiting", 1, "s")])  # this one was run again
    lines = pages.benchmarks_page(results, titles, root)
    assert "- **Stale**: one." in lines
    (reading,) = [line for line in lines if line.startswith("| reading")]
    (waiting,) = [line for line in lines if line.startswith("| waiting")]
    assert "| met, stale |" in reading and "stale" not in waiting


def test_what_a_run_leaves_behind_makes_nothing_stale(root: Path) -> None:
    result = measured(root, "one", [])
    for name in ("src/accucheck/__pycache__/module.pyc", "examples/.ruff_cache/one", "examples/digits/.accucheck/lock"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_bytes(b"1")
    assert not result.stale(root)
    (root / "src/accucheck/more.py").write_text("")
    assert result.stale(root)


def test_a_page_that_does_not_say_what_is_stored_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = pages.ROOT / "docs" / "benchmarks.md"
    content = page.read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["pages.py", "--check"])
    monkeypatch.setattr(pages, "made", lambda: {page: content})
    assert pages.main() == 0 and capsys.readouterr().out == ""
    monkeypatch.setattr(pages, "made", lambda: {page: f"{content} "})
    assert pages.main() == 1
    assert capsys.readouterr().out == "stale: docs/benchmarks.md; run python benchmarks/pages.py\n"
    assert page.read_text(encoding="utf-8") == content


# --- running them -----------------------------------------------------------------------------------------------------


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark of our own, which finds the helpers."""
    monkeypatch.setenv("PYTHONPATH", str(BENCHMARKS))
    path = tmp_path / "own.py"
    path.write_text(
        '"""Counts."""\nfrom _measuring import report, row\nraise SystemExit(report([row("count", 3, "", most=2)]))\n'
    )
    return path


def test_a_benchmark_is_measured_in_a_process_of_its_own(script: Path, tmp_path: Path) -> None:
    result = _running.measure(script, tmp_path / "results")
    assert [(one.name, one.ours, one.met) for one in result.rows] == [("count", 3.0, False)]
    assert not result.failed, "a missed target is no failure"
    assert result.machine and result.machine.cores and result.versions["Python"] and result.date
    assert "benchmarks/_measuring.py" in result.files and len(result.digest) == 64 and not result.stale()
    assert _measuring.stored(tmp_path / "results") == {"own": result}


def test_a_benchmark_that_fails_is_named_and_keeps_what_was_measured_before(
    script: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    _running.measure(script, results)
    script.write_text('raise ValueError("the answers differ")\n')
    failed = _running.measure(script, results)
    assert failed.failed.endswith("exit code 1, ValueError: the answers differ") and failed.rows
    page = "\n".join(pages.benchmarks_page(_measuring.stored(results), {"own": "Counts."}))
    assert "- **Failed**: own (" in page and "**The newest run failed**" in page and "| count | 3 |" in page
    assert "Traceback" in capfd.readouterr().err
    fresh = _running.measure(script, tmp_path / "other")
    assert fresh.failed and not fresh.rows
    assert "\n| " not in "\n".join(pages.benchmarks_page({"own": fresh}, {"own": "Counts."})).split("- Targets")[1]


def test_sources_that_change_meanwhile_make_a_result_stale(root: Path) -> None:
    begun = (root / "benchmarks/one.py").stat().st_mtime
    assert not _measuring.changed_since(["benchmarks/one.py"], begun, root)
    assert _measuring.changed_since(["benchmarks/one.py"], begun - 1, root)
    result = measured(root, "one", [])
    result.digest = "changed"
    assert result.stale(root)


def test_what_is_stale_failed_or_new_is_to_be_measured(script: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    assert _running.wanted("own", results)
    result = _running.measure(script, results)
    assert not _running.wanted("own", results)
    _measuring.fail("own", "exit code 1", results / "own.json")
    assert _running.wanted("own", results)
    result.digest = "changed"
    _measuring.write(result, results / "own.json")
    assert _running.wanted("own", results)


def test_by_hand_nothing_is_stored(script: Path) -> None:
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == "target missed: count\n"


@pytest.mark.parametrize(
    "path", [*_running.scripts(), *(BENCHMARKS / f"{name}.py" for name in pages.ROWS)], ids=lambda path: path.stem
)
def test_each_benchmark_says_what_it_measures_and_gives_rows(path: Path) -> None:
    """That they run shows only when they do; this is what the page needs."""
    assert len(_running.title(path)) > 20
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    called = {function.id for function in calls if isinstance(function, ast.Name)}
    assert {"report", "row"} <= called


@pytest.mark.part(40)
def test_a_real_benchmark(tmp_path: Path) -> None:
    result = _running.measure(BENCHMARKS / "start_up.py", tmp_path, ["--rounds", "1"])
    assert not result.failed and result.arguments == ["--rounds", "1"]
    assert [(one.name, one.peer, one.ratio_most) for one in result.rows] == [
        ("accucheck --help", "python -c pass", 5),
        ("accucheck list", "python -c pass", 7),
    ]
    assert all(one.ratio == one.ours / one.theirs for one in result.rows if one.theirs)


@pytest.mark.part(3)
def test_a_large_session_holds_findings_of_every_probe_that_reads() -> None:
    """A probe of two uses has an example for each; one that is of the other use ends without a finding."""
    found = session_open.examples()
    uses = {(item.id, use.name) for item in checklist.load("accuracy").items for use in item.uses}
    quiet = {name for _, name in uses - found.keys() if probe.load(name).KIND is not Kind.LIVE}
    faulty = {name for name in quiet if any(one.verdict is Verdict.PROBLEM for one in probe.load(name).EXAMPLES)}
    assert not faulty


def test_an_unknown_name_is_one_clear_error() -> None:
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "run.py", "nothing"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "no benchmark nothing; there are api_scan, " in done.stderr


# --- quality ----------------------------------------------------------------------------------------------------------


def item(suggestion: str, *problems: tuple[str, int], probe: str = "shuffle_settings") -> dict[str, object]:
    """An item as `run --json` tells it, with problems as (code, line) in src/train.py."""
    findings = [
        {"code": code, "level": "problem", "where": {"path": "src/train.py", "line": line}} for code, line in problems
    ]
    return {"suggestion": suggestion, "results": [{"probe": probe, "status": "done", "findings": findings}]}


def label(verdict: str, *evidence: str, accepted: tuple[str, ...] = ()) -> dict[str, object]:
    return {"verdict": verdict, "evidence": list(evidence), "reason": "not shuffled", "also_acceptable": list(accepted)}


@pytest.mark.parametrize(
    ("label", "said", "kind", "right"),
    [
        (label("problem", "src/train.py:20"), item("problem", ("unshuffled", 35)), "strict", True),
        (label("problem", "src/train.py:20-22"), item("problem", ("unshuffled", 36)), "strict", False),  # elsewhere
        (label("problem", "src/data.py:20"), item("problem", ("unshuffled", 20)), "strict", False),
        (label("problem"), item("problem", ("unshuffled", 36)), "strict", True),
        (label("problem", accepted=("ok",)), item("undecided"), "contestable", False),
        (label("ok"), item("ok"), "clean", True),
        (label("not_applicable"), item("problem", ("unshuffled", 1)), "clean", False),
        (label("ok"), None, "clean", False),  # no answer is never right
    ],
)
def test_a_label_is_judged(label: dict[str, object], said: dict[str, object] | None, kind: str, right: bool) -> None:
    count = _experiments.Count()
    case = {"repo": "owner/name", "root": "vgg", "labels": {"dp.03": label}}
    labelled.judge_case(case, None if said is None else {"dp.03": said}, count)
    assert count.of[kind, ""] == count.of[f"{kind} by item", "dp.03"] == [right, 1]
    assert [(one.project, one.item) for one in count.wrong] == ([] if right else [("owner/name: vgg", "dp.03")])


def test_a_label_that_a_problem_would_do_for_counts_nowhere_but_as_decided() -> None:
    count = _experiments.Count()
    labels = {"dp.03": label("ok", accepted=("problem",)), "cmp.01": label("problem", "a.py:1")}
    items = {"dp.03": item("undecided"), "cmp.01": item("problem", ("no-seed", 99))}
    labelled.judge_case({"repo": "owner/name", "root": "vgg", "labels": labels}, items, count)
    assert {(kind, name): found for (kind, name), found in count.of.items() if not name} == {
        ("decided", ""): [1, 2],
        ("seeds", ""): [1, 1],  # at any place
    }


@pytest.mark.parametrize(
    ("expected", "base", "before", "now", "kind", "right"),
    [
        ("problem", "ok", item("ok"), item("problem", ("unshuffled", 3)), "seeded", True),
        ("problem", "ok", item("problem", ("unshuffled", 3)), item("problem", ("unshuffled", 4)), "seeded", False),
        ("problem", "ok", item("problem", ("a", 3)), item("problem", ("a", 3), ("a", 9)), "seeded", True),
        ("problem", "ok", item("ok"), item("undecided", ("unshuffled", 3)), "seeded", False),
        ("problem", "ok", item("ok"), None, "seeded", False),
        ("ok", "ok", item("ok"), item("problem", ("unshuffled", 3)), "controls", False),
        ("unchanged", "ok", item("ok"), item("ok"), "controls", True),
        ("ok", "problem", item("problem", ("a", 3)), item("ok"), "repairs", True),
        ("ok", "problem", item("problem", ("a", 3)), item("problem", ("a", 3)), "repairs", False),
        ("ok", "problem", item("problem", ("a", 3)), None, "repairs", False),
    ],
)
def test_an_edit_is_judged(
    expected: str, base: str, before: dict[str, object], now: dict[str, object] | None, kind: str, right: bool
) -> None:
    count = _experiments.Count()
    mutant = {"item": "dp.03", "expected": expected, "base_verdict": base, "operator": "shuffle-off", "note": ""}
    mutant |= {"file": "src/train.py", "line": 3}
    case = {"repo": "owner/name", "root": "vgg"}
    labelled.judge_mutant(mutant, case, {"dp.03": before}, None if now is None else {"dp.03": now}, count)
    assert count.of[kind, ""] == [right, 1] and len(count.wrong) == (not right)


TRAINING = """\
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

ms.set_seed(1)
train = ds.Cifar10Dataset("data", usage="train", shuffle=True).batch(32)
network = nn.Dense(3072, 10)
loss = nn.CrossEntropyLoss()
model = ms.Model(network, loss, nn.Momentum(network.trainable_params(), 0.1, 0.9))
model.train(2, train)
"""


def repository(folder: Path, repo: str) -> str:
    """A bare repository with one project, below folder/repos; the commit."""
    bare = folder / "repos" / repo.replace("/", "+") / "repo"
    (folder / "work/vgg").mkdir(parents=True)
    (folder / "work/vgg/train.py").write_text(TRAINING)
    git = ["git", "-C", str(folder / "work"), "-c", "user.name=n", "-c", "user.email=n@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], check=True)
    subprocess.run(["git", "clone", "-q", "--bare", folder / "work", bare], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.part(40)
def test_seeded_faults_of_a_real_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shuffling turned off in a project that rules are worked on with, where something else is missed, and a comment."""
    repo = "owner/name"
    assert (seeded.half(repo), seeded.half("owner/one")) == ("worked", "held")
    commit = repository(tmp_path, repo)
    case = {"case_id": "1", "repo": repo, "commit": commit, "root": "vgg"}
    case |= {"paths": ["vgg/train.py"], "entry": ["vgg/train.py"]}
    off = {"case": "1", "kind": "fault", "item": "dp.03", "accept": [], "file": "vgg/train.py", "line": 6, "note": ""}
    off |= {"operator": "shuffle-off", "offset": TRAINING.index("True"), "delete": 4, "insert": "False"}
    missed = off | {"item": "ds.01", "operator": "elsewhere"}
    control = off | {"kind": "control", "operator": "comment", "offset": 0, "delete": 0, "insert": "# shuffle=False\n"}
    (tmp_path / "seeded_projects.json").write_text(json.dumps([case]))
    loaded = off | {"item": "wi.02", "operator": "prefix-changed"}  # stands in untellable.yaml
    (tmp_path / "seeded_mutants.json").write_text(json.dumps([off, missed, control, loaded]))
    monkeypatch.setenv("GROUNDTRUTH", str(tmp_path))
    monkeypatch.setenv("REPOS", str(tmp_path / "repos"))
    result = _running.measure(BENCHMARKS / "seeded.py", tmp_path / "results")
    assert not result.failed
    counts = {(one.kind, one.name): (one.right, one.count) for one in result.tallies}
    assert counts["found worked", "dp.03"] == (1, 1) and counts["found worked", "ds.01"] == (0, 1)
    assert counts["elsewhere worked", "ds.01"] == (0, 1)  # the shuffling is a problem of another item than was to tell
    assert counts["controls worked", "dp.03"] == (1, 1)
    assert counts["found worked", "wi.02"] == (0, 1) and ("tellable worked", "wi.02") not in counts
    wrong, untold = result.wrong
    assert (wrong.item, wrong.place, wrong.what) == ("ds.01", "vgg/train.py:6", "elsewhere")
    assert untold.what.startswith("prefix-changed: cannot be told: ")
    page = "\n".join(pages.seeded(result))
    assert "| all | 1/3 (33.3%) | 1/2 (50.0%) | 0/3 (0.0%) | 1/1 (100.0%) | 1/3 (33.3%) |" in page


NETS = """\
class Net:
    pass


class Idle:
    pass


class Other(Idle):
    pass


def build():
    return Other()


if __name__ == "__main__":
    Idle()
"""


@pytest.mark.parametrize(
    ("path", "line", "start", "expected"),
    [
        ("nets.py", 2, "from nets import Net\nNet()\n", False),
        ("nets.py", 10, "from nets import Net\nNet()\n", True),  # Other is named nowhere
        ("nets.py", 6, "from nets import Net\nNet()\n", True),  # Idle only by Other, and Other only by build
        ("nets.py", 10, "from nets import build\nbuild()\n", False),
        ("nets.py", 6, "from nets import build\nbuild()\n", False),
        ("nets.py", 14, "import nets\ngetattr(nets, name)()\n", False),
        ("nets.py", 14, "import nets\nnets.run(name)\n", False),  # net.yaml names it
        ("nets.py", 14, "import nets\nvars(nets)[f'{which}']()\n", False),
        ("nets.py", 18, "from nets import Net\nNet()\n", True),  # only when nets.py itself is started
        ("lone.py", 1, "from nets import Net\nNet()\n", True),
        ("lone.py", 1, "from . import lone\n", False),
        ("nets.py", 10, "import nets\ngetattr(nets, 'Other')()\n", False),
        ("nets.py", 10, "import nets\nglobals()[f'Ot{1}']\n", False),
        ("nets.py", 10, "from nets import Other as Mine\nMine()\n", False),
        ("train.py", 1, "print()\n", False),
        ("train.py", 1, "print(\n", False),  # what cannot be parsed is not judged
    ],
)
def test_code_that_no_entry_reaches(tmp_path: Path, path: str, line: int, start: str, expected: bool) -> None:
    (tmp_path / "nets.py").write_text(NETS)
    (tmp_path / "lone.py").write_text("print()\n")
    (tmp_path / "net.yaml").write_text("loader: build\n" if "name" in start else "")
    (tmp_path / "train.py").write_text(start)
    paths = ["nets.py", "lone.py", "train.py"]
    assert _reach.unreached(tmp_path, paths, ["train.py"], path, line) is expected


@pytest.mark.part(40)
def test_labelled_projects_of_a_real_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One project in which shuffling is in order, an edit that turns it off, and one that changes nothing."""
    commit = repository(tmp_path, "owner/name")
    labels = {"dp.03": label("ok", "vgg/train.py:6"), "dp.01": label("ok", "vgg/train.py:6")}
    case = {"case_id": "1", "repo": "owner/name", "commit": commit, "root": "vgg", "labels": labels}
    case |= {"paths": ["vgg/train.py"], "entry": ["vgg/train.py"]}
    mutant = {"case": "1", "item": "dp.03", "file": "vgg/train.py", "line": 6, "operator": "shuffle-off", "note": ""}
    mutant |= {
        "offset": TRAINING.index("True"),
        "delete": 4,
        "insert": "False",
        "expected": "problem",
        "base_verdict": "ok",
    }
    control = mutant | {
        "offset": 0,
        "delete": 0,
        "insert": "# shuffle=False\n",
        "expected": "ok",
        "operator": "comment",
    }
    (tmp_path / "cases.json").write_text(json.dumps([case]))
    (tmp_path / "mutants.json").write_text(json.dumps([mutant, control]))
    monkeypatch.setenv("GROUNDTRUTH", str(tmp_path))
    monkeypatch.setenv("REPOS", str(tmp_path / "repos"))
    result = _running.measure(BENCHMARKS / "labelled.py", tmp_path / "results")
    assert not result.failed
    totals = {one.kind: (one.right, one.count) for one in result.tallies if not one.name}
    # Nothing is normalised, which the label calls in order: this label is wrong, and so counts as a false alarm.
    assert totals == {"seeded": (1, 1), "controls": (1, 1), "clean": (1, 2), "decided": (2, 2)}
    (wrong,) = result.wrong
    assert (wrong.project, wrong.item, wrong.place) == ("owner/name: vgg", "dp.01", "vgg/train.py:6")
    assert wrong.expected == "ok" and wrong.got.startswith("problem, ")
    assert Tally("seeded by probe", "shuffle_settings", 1, 1) in result.tallies
    assert f"owner/name at {commit[:12]}" in result.notes[1] and str(tmp_path) not in str(result)


def test_labelled_projects_need_their_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROUNDTRUTH", raising=False)
    monkeypatch.setenv("REPOS", str(tmp_path))
    assert _running.measure(BENCHMARKS / "labelled.py", tmp_path / "results").failed.endswith(
        "GROUNDTRUTH and REPOS do not name their folders"
    )
    (tmp_path / "cases.json").write_text('[{"case_id": "1", "repo": "owner/name"}]')
    (tmp_path / "mutants.json").write_text("[]")
    monkeypatch.setenv("GROUNDTRUTH", str(tmp_path))
    assert "REPOS lacks owner/name: clone" in _running.measure(BENCHMARKS / "labelled.py", tmp_path / "results").failed


@pytest.mark.part(40)
def test_a_planted_fault_is_counted() -> None:
    fault = planted.planted().FAULTS["rate-too-high"]
    count = _experiments.Count()
    items, steps = planted.examined("rate-too-high", fault, clean=False)
    assert items is not None and fault.item in steps[0]["items"]
    planted.judge_faulty("rate-too-high", fault, items[fault.item], count)
    assert count.tallies() == [Tally("planted", "hp.01", 1, 1), Tally("planted by probe", "lr_range", 1, 1)]
    planted.judge_faulty("rate-too-high", fault, None, count)
    assert count.of["planted", "hp.01"] == [1, 2] and count.wrong[-1].got == "no result"


def test_alarms_in_a_healthy_project_are_counted() -> None:
    count = _experiments.Count()
    quiet = item("ok") | {
        "results": [{"probe": "p", "status": "done", "findings": [{"code": "fine", "level": "info"}]}]
    }
    loud = item("problem", ("unshuffled", 3))
    loud["results"][0]["findings"][0]["message"] = "Not shuffled."  # type: ignore[index]
    skipped = {"suggestion": "undecided", "results": [{"probe": "p", "status": "skipped", "findings": []}]}
    planted.judge_healthy("twin", {"a": quiet, "b": loud, "c": skipped}, count)
    assert [(one.name, one.right, one.count) for one in count.tallies() if one.kind == "healthy"] == [
        ("a", 1, 1),
        ("b", 0, 1),
    ]
    assert count.wrong == [
        Wrong(
            "healthy",
            "twin",
            "b",
            "src/train.py:3",
            "Not shuffled.",
            "nothing",
            "problem unshuffled (shuffle_settings)",
        )
    ]


def test_the_page_on_quality(root: Path) -> None:
    found = measured(root, "planted", [])
    found.tallies = [
        Tally("planted", "dp.03", 1, 1),
        Tally("planted by probe", "shuffle_order", 0, 1),
        Tally("healthy", "dp.03", 3, 4),
    ]
    found.wrong = [Wrong("healthy", "twin", "dp.03", "a.py:3", "Not shuffled.", "nothing", "problem unshuffled")]
    found.notes = ["1 planted fault, 4 healthy projects"]
    other = measured(root, "labelled", [])
    other.tallies = [
        Tally("strict", "", 12, 13),
        Tally("strict by item", "dp.03", 2, 3),
        Tally("seeds by item", "cmp.01", 1, 1),
    ]
    other.wrong = [Wrong("strict", "owner/name: vgg", "dp.03", "b.py:9", "shuffle=False", "problem at b.py:9", "ok")]
    drawn = measured(root, "shuffle_alarms", [row("false alarms", 3, "", most=2)])
    reasons = {("owner/name: vgg", "dp.03", "b.py:9"): "The flag comes from outside."}
    lines = pages.quality_page({"planted": found, "labelled": other, "shuffle_alarms": drawn}, reasons, root)
    assert "| Planted faults that were found | 1 of 1 | 100.0% |" in lines
    assert "| Items of healthy projects without a finding | 3 of 4 | 75.0% |" in lines
    assert f"| {pages.KINDS['strict']} | 12 of 13 | 92.3% |" in lines
    (by_item,) = [line for line in lines if line.startswith("| dp.03 |")]
    assert by_item.endswith("| 1/1 | 3/4 | 2/3 |  |  |  |")
    assert "| [shuffle_order](probes/shuffle_order.md) | 0/1 |  |  |  |  |  |" in lines
    assert "| false alarms | 3 | at most 2 | **missed** | 1 |" in lines
    assert "| twin | dp.03 | a.py:3 | Not shuffled. | nothing | problem unshuffled | not known |" in lines
    assert (
        "| owner/name: vgg | dp.03 | b.py:9 | shuffle=False | problem at b.py:9 | ok | The flag comes from outside. |"
        in lines
    )
    assert "tale" not in "\n".join(lines).removeprefix(pages.QUALITY)
    (untried,) = [line for line in lines if line.startswith("- Items: ")]
    assert "hp.01" in untried and "dp.03" not in untried and "cmp.01" not in untried
    (root / "src/accucheck/module.py").write_text("value = 2\n")
    assert (
        sum("**Stale.**" in line for line in pages.quality_page({"planted": found, "labelled": other}, reasons, root))
        == 2
    )


def test_the_page_on_quality_without_results(root: Path) -> None:
    lines = pages.quality_page({}, {}, root)
    assert lines.count("Not measured yet.") == 3 + len(pages.ROWS) + len(pages.STATISTICS)
    assert "None of the cases." not in lines


def test_each_reason_is_of_a_case_that_is_still_wrong() -> None:
    """A reason that is not needed any more is to go."""
    stored = [_measuring.stored()[name] for name in ("planted", "labelled")]
    wrong = {(one.project, one.item, one.place) for result in stored for one in result.wrong}
    assert set(pages.known_reasons()) <= wrong


@pytest.mark.parametrize("style", ["registry", "shell", "python"])
def test_projects_of_several_styles_are_given_the_settings_of_a_run(tmp_path: Path, style: str) -> None:
    first, second = settings_seen.runs([style])
    plain = {"schedule": False, "loss scale": False}
    own = plain | {"rate": 0.1, "epochs": 2, "batch size": 4, "shuffle": True, "seed": True, "half precision": False}
    others = plain | {
        "rate": 0.02,
        "epochs": 3,
        "batch size": 8,
        "shuffle": False,
        "seed": False,
        "half precision": True,
    }
    for run, values in ((first, own), (second, others)):
        project, command = settings_seen.prepare(run, tmp_path / str(values["epochs"]))
        assert settings_seen.told(project, command) == values


#: What the configurations of a style do not say.
NOT_SET = {
    "mindformers": {"mean of another scale"},
    "mindone": {"mean of another scale", "float16 without scale", "no shuffle", "no seed"},
    "mindnlp": {"mean of another scale", "float16 without scale", "no shuffle", "no seed"},
}


def texts(project: Path) -> dict[str, str]:
    files = (path for path in project.rglob("*") if path.suffix in (".py", ".yaml", ".json", ".sh"))
    return {path.relative_to(project).as_posix(): path.read_text() for path in files}


@pytest.mark.parametrize("style", [*started.STYLES])
def test_a_planted_setting_changes_one_line_or_the_command_alone(tmp_path: Path, style: str) -> None:
    import yaml

    planted = [case for case in started.cases([style]) if case.fault]
    assert {case.fault for case in planted} == set(started.FAULTS) - NOT_SET.get(style, set())
    before = texts(started.HERE / style)
    for number, case in enumerate(planted):
        project = tmp_path / str(number)
        shutil.copytree(started.HERE / style, project)
        command, places = started.plant(project, case)
        after = texts(project)
        lines = [
            (one, other)
            for name in before
            for one, other in zip(before[name].splitlines(), after[name].splitlines(), strict=True)
        ]
        changed = [(one, other) for one, other in lines if one != other]
        assert len(changed) == (case.how == "file") and (command != started.STYLES[style].command) == (
            case.how == "command"
        )
        assert places and all(yaml.safe_load(text) for name, text in after.items() if name.endswith((".yaml", ".json")))


def test_draws_that_somebody_judged_are_a_row_each(tmp_path: Path) -> None:
    draw = {"day": "2026-01-02", "repositories": 4, "projects": 6}
    counts = {"problems": {"right": 3, "wrong": 1, "taste": 0}, "certain": {"right": 1}, "ok": {"right": 4, "wrong": 1}}
    path = tmp_path / "judged.yaml"
    fewer = {kind: counts[kind] for kind in ("problems", "certain")}
    path.write_text(yaml.safe_dump([{**draw, **counts}, {**draw, **fewer}]), encoding="utf-8")
    row = (
        "| 2026-01-02 | 4 | 6 | 3 of 4 right (75.0%), 1 wrong | 1 of 1 right (100.0%) | 4 of 5 right (80.0%), 1 wrong |"
    )
    shown = "\n".join(pages.judged(path))
    assert row in shown and "1 of 1 right (100.0%) | not drawn |" in shown
