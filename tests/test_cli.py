"""Every command as a user types it, in a process of its own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from accucheck.cli import COMMANDS
from accucheck.cli.frame import language_of
from command_line import Ran, accucheck, copy_example, write_checklist
from left_behind import is_gone

pytestmark = pytest.mark.part(40)

CHINESE = re.compile("[\u4e00-\u9fff]")
IDS = re.compile(r"^ {4}([a-z]+\.\d\d) ", re.M)


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    return copy_example("digits_faulty", tmp_path)


@pytest.fixture
def more_fakes(fakes: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two probes of another package beside the fakes: one suspects, one could not look at everything."""
    folder = tmp_path_factory.mktemp("more") / "packages"
    info = folder / "more-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: more\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[accucheck.probes]\nmore_suspect=more_suspect\nmore_partly=more_partly\n")
    for name, finding in (("suspect", "Level.SUSPECT"), ("partly", "Level.INFO, incomplete=True")):
        text = (fakes / "fake_problem.py").read_text()
        text = re.sub(r"yield .*", f'yield Finding("seen", {finding}, data={{"n": 1}})', text)
        (folder / f"more_{name}.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", f"{fakes}{os.pathsep}{folder}")


def only_json(ran: Ran) -> dict:
    """What a command printed, which must be JSON and nothing else."""
    return json.loads(ran.stdout)


# --- help and usage ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_in_both_languages(command):
    english, chinese = (accucheck(*command.split(), "--help", "--lang", language) for language in ("en", "zh"))
    assert (english.code, chinese.code, english.err, chinese.err) == (0, 0, "", "")
    assert "Usage: accucheck" in english.out and "Options:" in english.out
    assert accucheck(*command.split(), "-h", "--lang", "en").out == english.out
    assert not CHINESE.search(english.out)
    # "-- COMMAND" is the argument of watch; what click itself calls the command of a group is translated.
    frame = r"Usage|Options|OPTIONS|Commands|(?<!-- )COMMAND\b|Arguments|ARGS|RANGE|INTEGER|FLOAT|default|required|Show this"
    assert not re.search(frame, chinese.out)
    described = re.findall(r"^  (?:-|\[?[A-Z]|[a-z]+ {2}).*(?:\n {10,}.*)?", chinese.out, re.M)
    assert len(described) > 2
    for row in described:
        assert CHINESE.search(row), f"no Chinese: {row}"


def test_the_version():
    assert re.fullmatch(r"accucheck \d+\.\d+\.\d+\n", accucheck("--version").out)


@pytest.mark.parametrize(
    ("arguments", "english", "chinese"),
    [
        ("nope", "there is no command nope. See: accucheck --help", "没有命令 nope。参见：accucheck --help"),
        ("statos", "(did you mean status?)", "（是否想写 status？）"),
        ("run --xyzzy", "there is no option --xyzzy. See: accucheck run --help", "没有选项 --xyzzy。"),
        ("run --onyl ds.01", "(did you mean --only?)", "（是否想写 --only？）"),
        ("run --only", "--only needs a value. See: accucheck run --help", "--only 需要一个值。"),
        ("run --json=1", "--json takes no value", "--json 不接受值"),
        ("run one two", "one argument too many: two", "多余的参数：two"),
        ("run --jobs 0", "--jobs: give a whole number from 1 to 64", "--jobs：应为 1 到 64 之间的整数"),
        ("run --jobs many", "--jobs: give a whole number from 1 to 64", "--jobs：应为 1 到 64 之间的整数"),
        ("run --timeout nan", "--timeout: give a number, at least 0.1", "--timeout：应为不小于 0.1 的数值"),
        ("run --kind fast", "--kind: give one of static, file, live", "--kind：只能是 static, file, live 之一"),
        ("run --fail-on x", "--fail-on: give one of problem, suspect, undecided, unanswered", "--fail-on：只能是"),
        ("report --format pdf", "--format: give one of md, docx,", "--format：只能是 md, docx,"),
        ("answer", "ITEM is missing. See: accucheck answer --help", "缺少 ITEM。"),
        ("answer ds.01", "CONCLUSION is missing", "缺少 CONCLUSION"),
        ("answer ds.01 yes", "CONCLUSION: give one of problem, ok, not_applicable", "CONCLUSION：只能是"),
        ("explain ds.1", "There is no item ds.1. Did you mean ds.01?", "没有检查项 ds.1。是否想写 ds.01？"),
        ("list --checklist nope", "There is no checklist nope. Shipped: accuracy", "没有名为 nope 的 checklist"),
        ("convert a b --map m", "--map needs --like. See: accucheck convert", "--map 需要与 --like 同用。参见："),
        ("manifest a b", "several manifests. See: accucheck manifest", "请用 --compare。参见："),
        ("manifest a --compare --format json", "--full, --format and --scheduler. See:", "--scheduler 同用。参见："),
        ("lr-range --to 2e6", "--to: give a number from 0 to 1e+06. See:", "--to：应为 0 到 1e+06 之间的数值。"),
        ("--checklist sanity run", "--checklist before a command has no effect", "--checklist 写在命令之前不起作用"),
        (". list", "there is no command .. See:", "没有命令 .。"),
        ("-p elsewhere .", "one argument too many: .", "多余的参数：."),
        ("./statos", "there is no command ./statos", "没有命令 ./statos"),
        ("-p elsewhere list", "accucheck list takes no --project. See:", "accucheck list 不接受 --project。"),
        ("-p one run two", "one argument too many: two", "多余的参数：two"),
        ("status one -p two", "one argument too many: two", "多余的参数：two"),
        ("-p one answer ds.01 ok -p two", "one argument too many: two", "多余的参数：two"),
    ],
)
def test_wrong_use_is_one_line_in_both_languages(arguments, english, chinese, tmp_path):
    for language, expected in (("en", english), ("zh", chinese)):
        ran = accucheck(*arguments.split(), cwd=tmp_path, ACCUCHECK_LANG=language)
        assert (ran.code, ran.out) == (2, ""), ran
        assert expected in ran.err
        assert ran.err.count("\n") == 1 and ran.err.startswith("accucheck")
    assert not list(tmp_path.iterdir()), "wrong use leaves nothing behind"


def test_an_unknown_language_is_refused():
    ran = accucheck("list", "--lang", "fr")
    assert ran.code == 2 and "--lang: give one of zh, en" in ran.err


def test_who_chooses_the_language(faulty):
    def status(*arguments: str, **environment: str) -> bool:
        return bool(CHINESE.search(accucheck("status", str(faulty), *arguments, **environment).out))

    assert not status() and status(LANG="zh_CN.UTF-8")
    (faulty / "accucheck.yaml").write_text("language: zh\n")
    assert status() and not status(ACCUCHECK_LANG="en") and not status("--lang", "en")
    assert status("--lang", "zh", ACCUCHECK_LANG="en")


# --- list, explain ----------------------------------------------------------------------------------------------------


@pytest.mark.part(1)
def test_list():
    ran = accucheck("list")
    assert (ran.code, ran.err) == (0, "")
    listed = IDS.findall(ran.out)
    items = [
        item
        for checklist in only_json(accucheck("list", "--json"))
        for s in checklist["sections"]
        for item in s["items"]
    ]
    assert listed == [item["id"] for item in items] and len(listed) >= 24
    assert "[zero_weights_script, zero_weights, watched_weights, zero_weights_live]" in ran.out
    chinese = accucheck("list", "--lang", "zh")
    assert IDS.findall(chinese.out) == listed and "精度问题检查清单" in chinese.out and "暂无探针" not in ran.out


def test_explain():
    english, chinese = accucheck("explain", "wi.01"), accucheck("explain", "wi.01", "--lang", "zh")
    assert (english.code, chinese.code) == (0, 0)
    for title in ("How to check", "Conclusions", "How to fix it", "When it applies", "Probes", "References"):
        assert f"\n{title}\n" in english.out
    for title in ("检查方法", "检查结论", "处理建议", "适用范围", "探针", "参考资料"):
        assert f"\n{title}\n" in chinese.out
    assert "\n  发现问题：" in chinese.out and "：https://" in chinese.out and ": https://" not in chinese.out
    assert "  zero_weights (file)\n" in english.out
    assert re.search(r"^    \w+ = \S+ {2}\S", english.out, re.M), "the probe's parameters"


def test_explain_shows_what_was_found_here_before_the_method(faulty):
    at = ["--project", str(faulty)]
    assert "In this project" not in accucheck("explain", "wi.01", *at).out, "nothing has run"
    assert accucheck("run", str(faulty), "--only", "wi.01", "--kind", "static").code == 1
    english, chinese = (accucheck("explain", "wi.01", *at, "--lang", lang) for lang in ("en", "zh"))
    found, method = english.out.split("\nHow to check\n")
    assert "\nIn this project\n" in found and "\nHow to fix it\n" in method
    for told in (
        "✗ problem  network.py:14: The weight of this nn.Dense is initialised to all zeros.",
        '> 14 |         self.fc1 = nn.Dense(32 * 2 * 2, 64, weight_init="zeros"',
        "Why it hurts accuracy: ",
        "Fix: Leave the initialiser out",
        '+        self.fc1 = nn.Dense(32 * 2 * 2, 64, bias_init="zeros")',
    ):
        assert told in found, told
    assert found.index("✗ problem") < found.index("· info"), "what is wrong comes first"
    assert "本项目的情况" in chinese.out and "修改建议：" in chinese.out.split("检查方法")[0]
    unseen = accucheck("explain", "cg.04", *at).out
    assert "accucheck run --only cg.04" in unseen, "a session that knows nothing of the item says how to look"
    assert "and 34 more" in method, "a long list of a parameter is cut"


def test_explain_tells_evidence_that_is_no_code(faulty):
    accucheck("run", str(faulty), "--only", "ds.01", "--kind", "file")
    told = accucheck("explain", "ds.01", "-p", str(faulty)).out.split("\nHow to check\n")[0]
    assert re.search(r"^ +file +field +values", told, re.M) and "pixel_36" in told, told


def test_explain_of_a_project_that_is_not_there_or_broken(faulty, tmp_path):
    ran = accucheck("explain", "wi.01", "-p", str(tmp_path / "nowhere"))
    assert ran.code == 2 and "nowhere" in ran.err
    accucheck("run", str(faulty), "--only", "wi.01", "--kind", "static")
    (faulty / ".accucheck" / "session.json").write_text("{")
    ran = accucheck("explain", "wi.01", "-p", str(faulty))
    assert ran.code == 2 and "session.json" in ran.err and "Traceback" not in ran.err


def test_status_leads_to_what_explain_shows(faulty):
    accucheck("run", str(faulty), "--only", "ds.01", "--kind", "file")
    step = only_json(accucheck("status", str(faulty), "--json"))["next"][0]
    assert step["items"] == ["ds.01"] and step["command"] == f"accucheck explain ds.01 --project {faulty}"
    assert "pixel_36" in accucheck(*step["command"].split()[1:]).out


def test_summary_tells_it_in_five_lines(faulty):
    nothing = accucheck("summary", str(faulty), "--lang", "en").out.splitlines()
    assert nothing == ["digits_faulty: nothing wrong found so far; 4 of 24 items decided with accucheck."]
    accucheck("run", str(faulty), "--kind", "static", "--kind", "file", timeout=300)
    english = accucheck("summary", str(faulty), "--lang", "en").out.splitlines()
    chinese = accucheck("summary", str(faulty), "--lang", "zh").out.splitlines()
    assert len(english) == len(chinese) == 5
    assert english[0] == "Symptom: the loss stays at 2.303, as with random guesses among 10 classes"
    assert english[1].startswith(
        "✗ wi.01 network.py:14: The weight of this nn.Dense is initialised to all zeros. Fix: "
    )
    assert chinese[1].startswith("✗ wi.01 network.py:14：") and "修改：" in chinese[1]
    assert re.fullmatch(
        r"digits_faulty: \d more items wrong or suspected; \d\d of 24 items decided with accucheck.", english[4]
    )


def test_explain_every_item():
    for checklist in only_json(accucheck("list", "--json"))[:1]:
        for section in checklist["sections"]:
            ran = accucheck("explain", section["items"][0]["id"], "--lang", "zh")
            assert ran.code == 0 and CHINESE.search(ran.out), ran


# --- run --------------------------------------------------------------------------------------------------------------


def test_run_as_text(faulty):
    english, chinese = accucheck("run", str(faulty)), accucheck("run", str(faulty), "--only", "wi.01", "--lang", "zh")
    assert (english.code, english.err, chinese.code) == (1, "", 1)
    told = english.out.index("network.py:14: The weight of this nn.Dense is initialised to all zeros.")
    assert told < english.out.index("fc1.weight in the initial checkpoint is all zero"), "what is certain comes first"
    assert "✗ wi.01" in chinese.out and "发现问题" in chinese.out
    assert english.out.count("these keys are not set") == 1 and "  graphs.path (graph files): cg.03\n" in english.out
    assert "Live probes left out, as they run the project's own code; --live allows it (" in english.out
    assert "  ✗ wi.01  Weights initialised to zero or a constant  problem found\n" in english.out
    summary = english.out.splitlines()[-2:]
    assert summary[0].startswith("Items  problem found ") and summary[1].startswith("Probes  done ")


@pytest.mark.part(4)
def test_run_as_json_has_the_documented_keys(faulty):
    (faulty / ".accucheck").mkdir()
    (faulty / ".accucheck/session.json").write_text("{")  # so that there is something to talk about
    ran = accucheck("run", str(faulty), "--json")
    assert ran.code == 1 and "could not be read as a session" in ran.err
    outcome = only_json(ran)
    assert list(outcome) == ["version", "case", "taken", "items", "paths", "sign_off", "summary"]
    assert (outcome["version"], outcome["case"], outcome["taken"]) == (1, "digits_faulty", {})
    assert len(outcome["items"]) == 24
    results = findings = 0
    for item in outcome["items"]:
        assert list(item) == [
            "id",
            "checklist",
            "suggestion",
            "conclusion",
            "note",
            "by",
            "when",
            "review",
            "agent",
            "results",
        ]
        assert item["suggestion"] in ("problem", "ok", "not_applicable", "undecided")
        for result in item["results"]:
            results += 1
            assert list(result) == ["probe", "kind", "status", "own_training", "seconds", "reason", "findings"]
            assert result["kind"] in ("static", "file", "live") and isinstance(result["seconds"], float)
            assert result["status"] in ("done", "skipped", "failed", "cancelled")
            if result["status"] == "skipped":
                assert list(result["reason"]) == ["code", "message", "data"]
            for finding in result["findings"]:
                findings += 1
                assert list(finding)[:4] == ["code", "level", "incomplete", "message"]
                assert list(finding)[4:] == [
                    "why",
                    "sure",
                    "proof",
                    "where",
                    "data",
                    "fix",
                    "contradicted",
                    "suppressed",
                ]
                assert finding["sure"] in (None, "certain", "likely", "possible")
                assert list(finding["where"]) == ["path", "line", "column", "name", "field", "step"]
                assert finding["level"] in ("problem", "suspect", "info")
                assert finding["fix"] is None or list(finding["fix"]) == ["message", "diff"]
                against = finding["contradicted"]
                assert against is None or list(against) == ["probe", "code", "level", "message"]
    assert results and findings
    assert list(outcome["summary"]["items"]) == ["problem", "ok", "not_applicable", "undecided"]
    assert list(outcome["summary"]["probes"]) == ["done", "failed", "skipped", "cancelled"]
    assert sum(outcome["summary"]["items"].values()) == 24
    assert sum(outcome["summary"]["probes"].values()) == results
    assert only_json(accucheck("run", str(faulty), "--format", "json", "--only", "wi.01"))["items"][0]["id"] == "wi.01"


def test_run_with_several_checklists(faulty, tmp_path):
    run = ["run", str(faulty), "--script", "train.py", "--script", "eval.py", "--kind", "static"]
    several = ["--checklist", "accuracy", "--checklist", "comparison", "--checklist", "sanity"]
    outcome = only_json(accucheck(*run, *several, "--json"))
    ids = [item["id"] for item in outcome["items"]]
    assert len(set(ids)) == len(ids) and len(ids) > 24
    assert {item["checklist"] for item in outcome["items"]} == {"accuracy", "comparison", "sanity"}
    once = only_json(accucheck(*run, "--checklist", "comparison", "--checklist", "comparison", "--json"))
    assert [item["id"] for item in once["items"]] == [one for one in ids if one.startswith("cmp.")]
    text = accucheck(*run, *several)
    assert "Comparison with a benchmark" in text.out and "cmp.01" in text.out and "san.01" in text.out
    assert accucheck("answer", "cmp.01", "ok", "-p", str(faulty), "--checklist", "comparison").code == 0
    report = accucheck("report", str(faulty), *several, "--format", "md", "--format", "json", "-o", str(tmp_path))
    assert report.code == 0, report
    written = [Path(line).read_text(encoding="utf-8") for line in report.out.splitlines()]
    assert all("cmp.01" in one and "san.01" in one and "ds.01" in one for one in written)


def test_an_item_of_another_checklist_or_of_two(faulty, tmp_path):
    refused = accucheck("run", str(faulty), "--only", "cmp.01")
    assert refused.code == 2 and "--checklist comparison" in refused.err
    chinese = accucheck("answer", "san.01", "ok", "-p", str(faulty), "--lang", "zh")
    assert chinese.code == 2 and "--checklist sanity" in chinese.err and "检查清单 sanity" in chinese.err
    mine = write_checklist(tmp_path / "mine.yaml", "fake_clean")
    mine.write_text(mine.read_text(encoding="utf-8").replace("a.1", "ds.01"), encoding="utf-8")
    two = accucheck("run", str(faulty), "--checklist", "accuracy", "--checklist", str(mine))
    assert two.code == 2 and "The item ds.01 is in the checklists accuracy and mine" in two.err
    assert not two.out and not (faulty / ".accucheck/session.json").exists()


def test_only_and_kind(faulty):
    only = only_json(accucheck("run", str(faulty), "--json", "--only", "wi.01", "--only", "dp.03"))
    assert [item["id"] for item in only["items"]] == ["dp.03", "wi.01"]
    group = only_json(accucheck("run", str(faulty), "--json", "--only", "mp", "--only", "ds.01", "--kind", "static"))
    assert [item["id"] for item in group["items"]] == ["ds.01", "mp.01", "mp.02", "mp.03", "mp.04"]
    kinds = {}
    for kind in ("static", "file", "live"):
        outcome = only_json(
            accucheck("run", str(faulty), "--json", "--kind", kind, "--only", "dp.03", "--only", "wi.01")
        )
        kinds[kind] = {result["kind"] for item in outcome["items"] for result in item["results"]}
    assert kinds == {"static": {"static"}, "file": {"file"}, "live": {"live"}}


def test_a_live_probe_asks_for_consent(faulty):
    outcome = only_json(accucheck("run", str(faulty), "--json", "--kind", "live", "--only", "dp.03"))
    assert {result["reason"]["code"] for result in outcome["items"][0]["results"]} == {"needs-consent"}


def test_set_overrides_the_case_for_once(faulty):
    before = (faulty / "accucheck.yaml").read_bytes()
    settings = ["--set", "checkpoints.initial=checkpoints/none.ckpt", "--set", "name=other"]
    outcome = only_json(accucheck("run", str(faulty), "--json", "--only", "wi.01", *settings))
    assert outcome["case"] == "other"
    assert "none.ckpt" in json.dumps(outcome["items"])
    assert (faulty / "accucheck.yaml").read_bytes() == before


def test_script_finds_its_role(tmp_path):
    project = copy_example("digits_faulty", tmp_path)
    (project / "accucheck.yaml").unlink()
    (project / "train.py").rename(project / "start.py")  # the role is then told by what it does
    ran = accucheck("run", str(project), "--script", "start.py", "--only", "dp.03", "--json")
    static = [result for result in only_json(ran)["items"][0]["results"] if result["kind"] == "static"]
    assert static and all(result["status"] == "done" for result in static)
    assert static[0]["findings"], "the script was examined"
    module = accucheck("run", str(project), "--script", "network.py", "--only", "dp.03", "--kind", "static", "--json")
    (result,) = only_json(module)["items"][0]["results"]
    assert result["status"] == "done", "a script that does not say what it is for is taken for one that trains"


LEVELS = ("problem", "suspect", "undecided", "unanswered")


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("fake_clean", (0, 0, 0, 1)),
        ("more_suspect", (0, 1, 1, 1)),
        ("more_partly", (0, 0, 1, 1)),
        ("fake_problem", (1, 1, 1, 1)),
        ("fake_needy", (4, 4, 4, 1)),
        ("not_there", (3, 3, 1, 1)),
    ],
)
def test_fail_on(more_fakes, name, codes, tmp_path):
    mine = write_checklist(tmp_path / "mine.yaml", name)
    run = ["run", str(tmp_path), "--checklist", str(mine), "--no-session"]
    assert accucheck(*run).code == codes[0], "problem is the default"
    assert tuple(accucheck(*run, "--fail-on", level).code for level in LEVELS[1:]) == codes[1:]
    assert accucheck(*run, "--exit-zero").code == (4 if codes[0] == 4 else 0), "where no probe ran, nothing is well"


def test_nothing_is_unanswered_once_all_is_answered(fakes, tmp_path):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_clean")
    run = ["run", str(tmp_path), "--checklist", str(mine), "--fail-on", "unanswered"]
    assert accucheck(*run).code == 1
    assert accucheck("answer", "a.1", "ok", "-p", str(tmp_path), "--checklist", str(mine)).code == 0
    assert accucheck(*run).code == 0


def test_an_own_checklist_with_an_unknown_probe(fakes, tmp_path):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_clean", "zero_wheights", each=True)
    ran = accucheck("run", str(tmp_path), "--checklist", str(mine), "--json")
    assert ran.code == 3
    first, second = (item["results"][0] for item in only_json(ran)["items"])
    assert (first["status"], second["status"]) == ("done", "failed")
    assert second["reason"]["message"] == "There is no probe zero_wheights. Did you mean zero_weights?"
    chinese = accucheck("run", str(tmp_path), "--checklist", str(mine), "--lang", "zh")
    assert "没有名为 zero_wheights 的探针。是否想写 zero_weights？" in chinese.out


def test_several_at_a_time_keep_their_order(fakes, tmp_path):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_problem", "fake_clean", "fake_segfault", each=True)
    ran = accucheck("run", str(tmp_path), "--checklist", str(mine), "--jobs", "3", "--json")
    assert ran.code == 1
    outcome = only_json(ran)
    assert [(item["id"], item["results"][0]["status"]) for item in outcome["items"]] == [
        ("a.1", "done"),
        ("a.2", "done"),
        ("a.3", "failed"),
    ]


def test_a_time_out_is_a_failed_result(fakes, tmp_path):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_slow")
    ran = accucheck("run", str(tmp_path), "--checklist", str(mine), "--timeout", "1")
    assert ran.code == 3
    assert "Stopped after 1 s without finishing" in ran.out


def test_a_run_is_recorded_unless_told_otherwise(faulty):
    accucheck("run", str(faulty), "--only", "wi.01", "--no-session")
    assert not (faulty / ".accucheck").exists()
    accucheck("run", str(faulty), "--only", "wi.01")
    session = json.loads((faulty / ".accucheck/session.json").read_text())
    assert session["entries"]["wi.01"]["results"]["zero_weights"]["suggestion"] == "problem"


def test_the_output_of_a_probe_stays_out_of_ours(fakes, tmp_path):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_noisy", "fake_raises", each=True)
    ran = accucheck("run", str(tmp_path), "--checklist", str(mine), "--json")
    assert only_json(ran)["items"][0]["results"][0]["status"] == "done"
    assert b"noise" not in ran.stdout + ran.stderr
    text = accucheck("run", str(tmp_path), "--checklist", str(mine))
    assert "a [red]bad\\x1b[31m value" in text.out and b"\x1b" not in text.stdout


# --- interrupted ------------------------------------------------------------------------------------------------------


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def threads_children(pid: int) -> list[int]:
    """The children of all threads: the engine starts them from its own."""
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.glob("*/children") for child in task.read_text().split()]


def gone(pids: list[int], seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if all(map(is_gone, pids)):
            return True
        time.sleep(0.05)
    return False


def started(project: Path, mine: Path, *arguments: str) -> tuple[subprocess.Popen[bytes], list[int]]:
    """A run whose first item is recorded and whose second hangs, and the processes it has started."""
    command = [sys.executable, "-m", "accucheck", "run", str(project), "--checklist", str(mine), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    session = project / ".accucheck/session.json"
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        below = threads_children(process.pid)
        if session.exists() and "fake_clean" in session.read_text() and below:
            time.sleep(0.5)  # until the child has begun and the stubborn one has a child of its own
            below = threads_children(process.pid)
            return process, [*below, *(child for pid in below for child in children(pid))]
        time.sleep(0.05)
    process.kill()
    raise AssertionError(process.communicate())


@pytest.mark.parametrize("name", ["fake_slow", "fake_stubborn"])
def test_ctrl_c_keeps_what_was_recorded_and_leaves_no_child(fakes, name, tmp_path):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_clean", name, each=True)
    process, below = started(tmp_path, mine)
    assert below
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.decode().strip() == "accucheck: interrupted; what was recorded is kept"
    assert "  ✓ a.1  Item 1  not filled in (suggested: no problem)" in out.decode(), "told as soon as it was done"
    assert "Probes  done 1 · failed 0 · skipped 0 · cancelled 1" in out.decode()
    assert gone(below)
    entries = json.loads((tmp_path / ".accucheck/session.json").read_text())["entries"]
    assert entries["a.1"]["results"]["fake_clean"]["status"] == "done"


def test_a_killed_run_leaves_no_child_and_no_lock(fakes, tmp_path):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_clean", "fake_slow", each=True)
    process, below = started(tmp_path, mine)
    process.kill()
    process.communicate(timeout=60)
    assert gone(below)
    assert accucheck("answer", "a.1", "ok", "-p", str(tmp_path), "--checklist", str(mine)).code == 0


def test_two_at_once(fakes, tmp_path):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_clean", "fake_slow", each=True)
    process, below = started(tmp_path, mine)
    try:
        refused = accucheck("answer", "a.1", "ok", "-p", str(tmp_path), "--checklist", str(mine))
        assert refused.code == 2 and f"pid {process.pid}" in refused.err
        other = accucheck("run", str(tmp_path), "--checklist", str(mine), "--only", "a.1")
        assert other.code == 0 and "not recorded: the session is open in another accucheck" in other.err
        assert "fake_clean" in other.out
        assert accucheck("status", str(tmp_path), "--checklist", str(mine)).code == 0
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert gone(below)


# --- answer, status, report -------------------------------------------------------------------------------------------


@pytest.mark.part(1)
def test_answer_and_status(faulty):
    (faulty / "shot.png").write_bytes(b"\x89PNG")
    ran = accucheck(
        *("answer", "wi.01", "problem", "--note", "全零", "--as", "张三", "--attach", "shot.png", "-p", "."), cwd=faulty
    )
    assert (ran.code, ran.out, ran.err) == (0, "wi.01: problem\n", "")
    assert accucheck("answer", "ds.01", "ok", "-p", str(faulty)).code == 0
    assert accucheck("answer", "dp.05", "not_applicable", "-p", str(faulty / "accucheck.yaml")).code == 0
    entry = json.loads((faulty / ".accucheck/session.json").read_text())["entries"]["wi.01"]
    assert (entry["conclusion"], entry["note"], entry["who"]) == ("problem", "全零", "张三")
    assert entry["attachments"] == ["shot.png"]

    text = accucheck("status", str(faulty)).out
    assert "wi.01  Weights initialised to zero or a constant: problem 全零\n" in text
    assert "\n3 of 24 concluded: 1 problem, 1 no problem, 1 not applicable\n" in text
    status = only_json(accucheck("status", str(faulty), "--json"))
    assert list(status) == ["version", "case", "items", "summary", "sign_off", "next"] and status["sign_off"] is None
    summary = {"done": 3, "total": 24, "problem": 1, "ok": 1, "not_applicable": 1}
    assert status["summary"] == {**summary, "review": {"accepted": 0, "returned": 0, "to_review": 3}}
    row = next(item for item in status["items"] if item["id"] == "wi.01")
    assert row.pop("when")
    said = {"id": "wi.01", "conclusion": "problem", "by": "张三", "suggestion": "undecided", "note": "全零"}
    assert row == {**said, "stale": False, "review": None, "agent": None}
    assert "已填写 3/24：发现问题 1，无问题 1，不适用 1" in accucheck("status", str(faulty), "--lang", "zh").out


def test_an_answer_again_keeps_the_note_unless_a_new_one_is_given(faulty):
    for arguments, note in ((["ok", "--note", "first"], "first"), (["problem"], "first"), (["ok", "--note", ""], "")):
        assert accucheck("answer", "ds.01", *arguments, "-p", str(faulty)).code == 0
        session = json.loads((faulty / ".accucheck/session.json").read_text())
        assert session["entries"]["ds.01"]["note"] == note
    assert len(session["entries"]["ds.01"]["history"]) == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ds.99", "ok"], "There is no item ds.99. Did you mean ds.0"),
        (["ds.01", "ok", "--attach", "none.png"], "none.png does not exist"),
        (["ds.01", "ok", "--attach", "data"], "data is a folder"),
        (["ds.01", "ok", "--attach", "/dev/zero"], "/dev/zero is neither a regular file nor a folder"),
        (["ds.01", "ok", "--note", b"\xd6\xd0"], "not valid UTF-8"),
    ],
)
def test_a_refused_answer_records_nothing(faulty, arguments, words):
    ran = accucheck("answer", *arguments, cwd=faulty)
    assert ran.code == 2 and words in ran.err
    assert not (faulty / ".accucheck/session.json").exists()


def test_what_accucheck_writes_into_the_project_makes_no_result_stale(faulty):
    ran = accucheck("run", str(faulty), "--only", "dp.03", "--kind", "static", "--json")
    shutil.copy(faulty / ".accucheck/session.json", faulty / "li.json")
    (faulty / "run.json").write_bytes(ran.stdout)
    (faulty / "status.json").write_bytes(accucheck("status", str(faulty), "--json").stdout)
    (faulty / "diff.json").write_bytes(accucheck("diff", "li.json", "--json", cwd=faulty).stdout)
    assert accucheck("report", "--format", "json", "--format", "sarif", cwd=faulty).code == 0
    assert (
        len([*faulty.glob("*.json"), *faulty.glob("reports/*.json")]) == 5
        and "[stale]" not in accucheck("status", str(faulty)).out
    )
    os.mkfifo(faulty / "pipe.json")
    assert "[stale]" in accucheck("status", str(faulty)).out
    (faulty / "pipe.json").unlink()
    assert "[stale]" not in accucheck("status", str(faulty)).out
    (faulty / "settings.json").write_text('{"version": 1, "lr": 0.1}')
    assert "[stale]" in accucheck("status", str(faulty)).out


def test_a_changed_input_makes_a_result_stale(faulty):
    accucheck("run", str(faulty), "--only", "wi.01")
    assert "[stale]" not in accucheck("status", str(faulty)).out
    with (faulty / "checkpoints/init.ckpt").open("ab") as stream:
        stream.write(b"more")
    assert re.search(r"^wi\.01 .*suggested: problem.*\[stale\]", accucheck("status", str(faulty)).out, re.M)


def test_run_as_sarif_and_junit(faulty):
    """The same run in every format: equal exit codes, and nothing but the document on stdout."""
    codes = set()
    for form in ("text", "json", "sarif", "junit"):
        ran = accucheck("run", str(faulty), "--only", "wi.01", "--kind", "static", "--format", form)
        codes.add(ran.code)
        if form == "sarif":
            (found,) = json.loads(ran.stdout)["runs"]
            assert [each["level"] for each in found["results"]] == ["error", "error", "note"]  # and what was seen
            assert found["invocations"][0]["exitCode"] == 1
            place = found["results"][0]["locations"][0]["physicalLocation"]
            assert place["artifactLocation"]["uri"].endswith("network.py") and place["region"]["startLine"] > 1
        if form == "junit":
            suites = ElementTree.fromstring(ran.stdout)
            assert (suites.get("tests"), suites.get("failures")) == ("1", "1")
    assert codes == {1}


@pytest.mark.part(4)
def test_report_writes_and_prints_the_paths(faulty, tmp_path):
    accucheck("run", str(faulty), "--only", "wi.01")
    ran = accucheck("report", str(faulty), cwd=tmp_path)
    reports = faulty / "reports"
    assert (ran.code, ran.out.split()) == (
        0,
        [f"{faulty.name}/reports/digits_faulty-accuracy.{end}" for end in ("md", "docx")],
    )
    ran = accucheck("report", str(faulty), "--format", "json", "-o", "a/b", "--lang", "zh", cwd=tmp_path)
    assert (ran.code, ran.out) == (0, "a/b/digits_faulty-accuracy.json\n")
    assert json.loads((tmp_path / ran.out.strip()).read_text())["case"] == "digits_faulty"
    assert (reports / "digits_faulty-accuracy.docx").read_bytes().startswith(b"PK")
    ran = accucheck("report", "--format", "md", cwd=faulty)
    assert (ran.code, ran.out) == (0, "reports/digits_faulty-accuracy-2.md\n"), "a report that is there stays"
    ran = accucheck("report", "--format", "md", "--force", cwd=faulty)
    assert (ran.code, ran.out) == (0, "reports/digits_faulty-accuracy.md\n")


# --- init, validate, manifest, doctor ---------------------------------------------------------------------------------


@pytest.mark.part(1)
def test_init_proposes_what_the_example_says(tmp_path):
    project = copy_example("digits", tmp_path)
    (project / "accucheck.yaml").unlink()
    printed = accucheck("init", str(project), "--print")
    assert printed.code == 0 and not (project / "accucheck.yaml").exists()
    assert "scripts.train: train.py  (named like a script of this role)" in printed.err
    ran = accucheck("init", str(project))
    assert (ran.code, ran.out) == (0, f"{project}/accucheck.yaml\n")
    assert (project / "accucheck.yaml").read_text() == printed.out
    for part in ("train: train.py", "eval: eval.py", "infer: infer.py", "path: data/train", "path: data/val"):
        assert part in printed.out
    for part in ("initial: checkpoints/init.ckpt", "current: checkpoints/digits.ckpt", "manifest: data.md5"):
        assert part in printed.out
    assert accucheck("validate", str(project)).code == 0
    assert "the training seems to run to its end: logs/train.log: a loss in 540 lines" in printed.err
    assert "not found: checkpoints.pretrained (pretrained weights), for wi.02" in printed.err
    for name in ("vgg_a.py", "vgg_b.py"):
        (tmp_path / name).write_text("import mindspore\nmodel.train(1)\n")
    (tmp_path / "run.log").write_text("loss: 1\nTraceback (most recent call last):\nValueError: no\n")
    ran = accucheck("init", str(tmp_path), "--print", "--lang", "zh")
    assert (
        "train: vgg_a.py  # or: vgg_b.py" in ran.out
        and "vgg_a.py  (脚本内容符合该角色；同样可能的还有 vgg_b.py)，如非此意请自行修改" in ran.err
    )
    assert "训练以报错结束，请先解决报错：run.log:2：ValueError: no" in ran.err

    again = accucheck("init", str(project))
    assert again.code == 2 and "exists and was left as it is" in again.err
    assert (project / "accucheck.yaml").read_text() == printed.out


def test_init_without_anything_to_propose(tmp_path):
    ran = accucheck("init", str(tmp_path))
    assert ran.code == 2 and "nothing was recognised" in ran.err and not list(tmp_path.iterdir())


def test_init_prints_beside_a_case_file_that_is_wrong(faulty):
    (faulty / "accucheck.yaml").write_text("scripts: [\n")
    ran = accucheck("init", str(faulty), "--print")
    assert ran.code == 0 and "train.py" in ran.out, ran
    assert (faulty / "accucheck.yaml").read_text() == "scripts: [\n"


def test_the_arguments_of_another_command_choose_no_language():
    assert language_of(["manifest", "data", "--opened", "f", "--", "x", "--lang", "zh"]) is None
    assert language_of(["list", "--lang", "zh", "--", "--lang=en"]) == "zh"


@pytest.mark.part(1)
def test_validate(faulty):
    assert accucheck("validate", cwd=faulty).out == "accucheck.yaml: valid\n"
    assert "accucheck.yaml：有效" in accucheck("validate", "--lang", "zh", cwd=faulty).out
    (faulty / "data.md5").unlink()
    ran = accucheck("validate", str(faulty))
    assert ran.code == 2 and ran.err == f"accucheck: data.reference.manifest: {faulty}/data.md5 does not exist\n"


def test_validate_a_checklist(fakes, tmp_path):
    good = write_checklist(tmp_path / "good.yaml", "fake_clean")
    assert accucheck("validate", "--checklist", str(good)).out == f"{good}: valid\n"
    assert accucheck("validate", "--checklist", "accuracy").code == 0
    bad = write_checklist(tmp_path / "bad.yaml", "fake_claen")
    ran = accucheck("validate", "--checklist", str(bad))
    assert ran.code == 2
    assert re.search(r"bad\.yaml:17: there is no probe fake_claen\. Did you mean fake_clean\?", ran.err)
    none = accucheck("validate", cwd=tmp_path)
    assert none.code == 2 and "accucheck init proposes one" in none.err


def test_manifest_writes_and_compares(faulty, tmp_path):
    made = tmp_path / "data.manifest.json"
    assert accucheck("manifest", str(faulty / "data"), "-o", str(made)).code == 0
    assert len(json.loads(made.read_text())["files"]) == 4
    assert accucheck("manifest", str(faulty / "data"), "--check", str(made)).code == 0
    with (faulty / "data/train/part-0.csv").open("a") as stream:
        stream.write("1\n")
    ran = accucheck("manifest", str(faulty / "data"), "--check", str(made), "--json")
    assert ran.code == 1
    assert [pair["actual"]["path"] for pair in only_json(ran)["different"]] == ["train/part-0.csv"]
    assert accucheck("manifest", str(tmp_path / "none")).code == 2


def test_doctor(faulty):
    ran = accucheck("doctor", str(faulty))
    assert ran.code == 0 and re.search(r"^Python: 3\.\d+", ran.out, re.M) and re.search(r"^accucheck: ", ran.out, re.M)
    assert "操作系统: " in accucheck("doctor", str(faulty), "--lang", "zh").out
    facts = only_json(accucheck("doctor", str(faulty), "--json"))
    assert facts["settings"] == "~/.config/accucheck/settings.yaml" and facts["settings_wrong"] is None
    assert "Settings: ~/.config/accucheck/settings.yaml (does not exist" in ran.out
    assert "consent ~/.config/accucheck/consent.json" in ran.out and "Terminal: none here" in ran.out
    assert facts["files"]["cache"].endswith("/accucheck")
    assert facts["files"]["recent"] == "~/.local/state/accucheck/recent.json" and facts["terminal"]["size"] == ""
    assert facts["device"] == "CPU" and facts["python"] == ".".join(map(str, sys.version_info[:3]))


# --- pipes, and a project that lays traps -----------------------------------------------------------------------------


def test_a_reader_that_leaves_is_no_error(faulty):
    project, data, before = str(faulty), str(faulty / "data"), faulty / "before.json"
    assert accucheck("run", project, "--only", "wi.01").code == 1
    shutil.copy(faulty / ".accucheck/session.json", before)
    assert accucheck("answer", "wi.01", "problem", "-p", project).code == 0
    (faulty / "other.log").write_text((faulty / "logs/train.log").read_text().replace("2.", "3."))
    for command, code in (
        (["list"], 0),
        (["run", project, "--no-session", "--only", "wi.01"], 1),
        (["run", project, "--no-session", "--only", "wi.01", "--format", "sarif"], 1),
        (["fix", project, "--item", "wi.01"], 0),
        (["diff", str(before), project], 1),
        (["compare", str(faulty / "logs/train.log"), str(faulty / "other.log")], 1),
        (["manifest", data, "--check", str(faulty / "data.md5")], 1),
    ):
        assert accucheck(*command).code == code, command
        process = subprocess.Popen(
            [sys.executable, "-m", "accucheck", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        process.stdout.close()
        assert b"Errno" not in process.stderr.read()
        assert process.wait(timeout=60) == code, command


@pytest.fixture
def trap(faulty: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A project with modules named like those we use; importing one leaves a mark."""
    mark = tmp_path / "mark"
    for name in ("numpy", "yaml", "click", "msgspec", "polars", "jinja2", "docx", "matplotlib", "difflib", "tempfile"):
        (faulty / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write('{name} ')\n")
    return faulty, mark


CONSOLE = Path(sys.executable).with_name("accucheck")


@pytest.mark.skipif(not CONSOLE.exists(), reason="accucheck is not installed beside this Python")
@pytest.mark.parametrize(
    "command",
    [
        ["list"],
        ["validate"],
        ["run"],
        ["fix"],
        ["status"],
        ["report", "--format", "md"],
        ["report", "--format", "docx"],
    ],
)
def test_the_console_script_imports_nothing_of_the_project(trap, command):
    project, mark = trap
    process = subprocess.run([CONSOLE, *command], cwd=project, capture_output=True, timeout=60)
    assert process.returncode in (0, 1), process.stderr.decode()
    assert not mark.exists(), mark.read_text()


def test_python_m_imports_nothing_of_the_project(trap):
    project, mark = trap
    assert accucheck("list", cwd=project).code == 0
    assert not mark.exists(), mark.read_text()


def test_output_holds_nothing_a_terminal_obeys(faulty):
    nasty = "\x1b[31m[red]\u202e\u200b\u3164\x9b"
    text = json.dumps({"name": f"n{nasty}", "data": {"train": {"path": f"data{nasty}"}}})
    (faulty / "accucheck.yaml").write_text(text)
    assert accucheck("answer", "ds.01", "ok", "--note", f"note{nasty}", "--as", nasty, "-p", str(faulty)).code == 0
    for command in (
        ["status"],
        ["status", "--json"],
        ["run", "--only", "ds.01"],
        ["run", "--only", "ds.01", "--json"],
        ["report", "--format", "md", "-o", f"{faulty}/out"],
        ["doctor", "--json"],
        ["validate"],
    ):
        ran = accucheck(command[0], str(faulty), *command[1:])
        for stream in (ran.out, ran.err):
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u3164\u202a-\u202e\u2066-\u2069]", stream), command
    assert json.loads(accucheck("status", str(faulty), "--json").stdout)["items"][0]["note"] == f"note{nasty}"


def test_a_report_hides_what_is_private(faulty: Path, tmp_path: Path) -> None:
    note = "see /data/zhang/x.log on 10.1.2.3, password=Tr0ub4dor"
    assert accucheck("answer", "dp.03", "problem", "--note", note, "-p", str(faulty)).code == 0
    for language, ip in (("en", "IP addresses: 1  10.….3 → <ip-1>"), ("zh", "IP 地址：1  10.….3 → <ip-1>")):
        ran = accucheck("report", str(faulty), "--preview", "--lang", language, cwd=tmp_path)
        assert ran.code == 0 and ip in ran.out and "Tr0ub4dor" not in ran.out
    assert not list(tmp_path.glob("*.md"))
    ran = accucheck("report", str(faulty), "--format", "md", "--allow", "10.1.2.3", "--json", cwd=tmp_path)
    told = only_json(ran)
    text = Path(tmp_path, told["reports"][0]).read_text("utf-8")
    assert "10.1.2.3" in text and "Tr0ub4dor" not in text and "zhang" not in text
    assert told["redacted"]["secret"] == 1 and told["left"] == []
    ran = accucheck("report", str(faulty), "--format", "md", "--no-redact", "--force", cwd=tmp_path)
    text = Path(tmp_path, ran.out.strip()).read_text("utf-8")
    assert "Tr0ub4dor" in text and "--no-redact" in text


def test_run_stale_runs_only_what_is_out_of_date(tmp_path):
    project = copy_example("digits_faulty", tmp_path)
    only = ["--only", "dp.03", "--only", "wi.01", "--kind", "static"]
    first = accucheck("run", project, *only)
    assert first.code == 1
    recorded = json.loads((project / ".accucheck" / "session.json").read_text())

    again = accucheck("run", project, "--stale", "--lang", "zh")
    assert again.code == 1 and "均未过期" in again.err  # what was recorded is a problem still
    assert json.loads((project / ".accucheck" / "session.json").read_text())["entries"] == recorded["entries"]

    dataset = project / "dataset.py"
    dataset.write_text(dataset.read_text().replace("shuffle=False", "shuffle=True"))
    mended = accucheck("run", project, "--stale", "--diff")
    assert "dp.03" in mended.out and "gone" in mended.out
    told = json.loads(accucheck("run", project, "--stale", "--json").out)
    suggested = {item["id"]: item["suggestion"] for item in told["items"] if item["results"]}
    assert suggested["dp.03"] != "problem" and suggested["wi.01"] == "problem"
    assert accucheck("run", project, "--stale", "--no-session").code == 2
