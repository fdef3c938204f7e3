"""accucheck run in a folder that has no accucheck.yaml: it takes what accucheck init would write."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from accucheck.cli import progress
from accucheck.engine import ProgressEvent, Started
from accucheck.model import Progress
from accucheck.project import open_project
from command_line import accucheck, copy_example, write_checklist

pytestmark = pytest.mark.part(40)

SCRIPT = """import mindspore as ms
from mindspore import dataset, nn

def train():
    data = dataset.NumpySlicesDataset(list(range(64)), shuffle=False).batch(8)
    network = nn.Dense(1, 1)
    ms.Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1)).train(3, data)

if __name__ == "__main__":
    train()
"""


def project(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SCRIPT)
    return root


def test_the_script_is_found_named_and_examined(tmp_path):
    project(tmp_path, "train.py")
    english, chinese = (accucheck("run", "--lang", each, "--only", "dp", cwd=tmp_path) for each in ("en", "zh"))
    assert (
        english.code == chinese.code == 1
        and "train.py:5: NumpySlicesDataset for training has shuffle=False" in english.out
    )
    first, last = english.err.splitlines()
    assert first == "accucheck: there is no accucheck.yaml, so train.py is examined"
    assert last.endswith("so that you can edit them: accucheck init")
    assert "没有 accucheck.yaml，检查 train.py" in chinese.err and chinese.err.rstrip().endswith("：accucheck init")
    assert not (tmp_path / "accucheck.yaml").exists()
    assert accucheck("init", cwd=tmp_path).code == 0
    again = accucheck("run", "--only", "dp", cwd=tmp_path)
    assert again.code == 1 and not again.err, "what was kept is taken from there"


def test_what_a_watched_run_would_tell_is_named_with_the_command(tmp_path):
    project(tmp_path, "train.py")
    told = " ".join(accucheck("run", "--lang", "en", "--only", "dp", cwd=tmp_path).out.split())
    assert "watched (watched run, made by: accucheck watch -- python train.py)" in told


def test_results_are_not_out_of_date_before_nor_after_what_was_taken_is_kept(tmp_path):
    project(tmp_path, "train.py")
    assert accucheck("run", str(tmp_path), "--only", "dp").code == 1
    assert open_project(tmp_path, session="read").stale() == set()
    assert open_project(tmp_path, session="none").case.taken == {}, "without results nothing is taken unasked"
    assert accucheck("init", str(tmp_path)).code == 0
    assert open_project(tmp_path, session="read").stale() == set()


def test_a_project_with_nothing_in_it_is_told_so_in_a_line(tmp_path):
    told = accucheck("summary", str(tmp_path), "--lang", "en")
    assert told.out.strip() == f"{tmp_path.name}: nothing has been checked yet; start with accucheck run."
    fix = accucheck("fix", str(tmp_path), "--lang", "en")
    assert fix.err.count("scripts.train is not set") == 1 and "missing_handling, " in fix.err, "once for all probes"
    unknown = accucheck("run", str(tmp_path), "--probe", "nope", "--lang", "en").err
    assert len(unknown) < 400 and re.search(r"There is no probe nope\. Known here: .* and \d+ more\.", unknown)
    assert "ds.01  缺失值过多或未经处理：未填写" in accucheck("status", str(tmp_path), "--lang", "zh").out


@pytest.mark.parametrize(
    "said", [("--", "python", "other.py"), ("--script", "other.py"), ("--set", "scripts.train=other.py")]
)
def test_what_the_command_line_said_of_the_case_holds_for_the_commands_after_it(tmp_path, said):
    project(tmp_path, "train.py", "other.py")
    assert accucheck("run", str(tmp_path), "--only", "dp.03", *said).code == 1
    opened = open_project(tmp_path, session="read")
    assert opened.stale() == set() and opened.case.spec.scripts.train in ("other.py", ["other.py"])
    steps = accucheck("report", str(tmp_path), "--format", "md", "--output", str(tmp_path / "told"))
    assert steps.code == 0
    told = next((tmp_path / "told").rglob("*.md")).read_text()
    assert "other.py:5" in told and "out of date" not in told
    assert accucheck("run", str(tmp_path), "--only", "dp.03", "--stale", "--json").code == 1, "of what was said before"
    assert open_project(tmp_path, session="read").case.spec.scripts.train in ("other.py", ["other.py"])
    assert accucheck("run", str(tmp_path), "--only", "dp.03").code == 1
    assert open_project(tmp_path, session="read").case.taken == {"scripts.train": "train.py"}, (
        "nothing is said any more"
    )


def test_of_several_scripts_the_best_is_taken_and_the_others_are_named(tmp_path):
    project(tmp_path, "vgg_a.py", "vgg_b.py", "vgg_c.py")
    ran = accucheck("run", str(tmp_path), "--only", "dp.03", "--json")
    outcome = json.loads(ran.stdout)
    assert ran.code == 1 and outcome["taken"] == {"scripts.train": "vgg_a.py"}
    assert "vgg_a.py (could also be vgg_b.py, vgg_c.py; --script PATH selects another)" in ran.err
    assert accucheck("init", str(tmp_path)).code == 0
    assert "train: vgg_a.py  # or: vgg_b.py, vgg_c.py" in (tmp_path / "accucheck.yaml").read_text()
    assert accucheck("validate", str(tmp_path)).code == 0


def test_a_script_that_is_given_is_all_that_is_examined(tmp_path):
    project(tmp_path, "train.py", "other.py")
    (tmp_path / "run.log").write_text("".join(f"epoch {n} loss is {1 / n}\n" for n in range(1, 9)))
    for given in (["--script", "other.py"], ["--set", "scripts.train=other.py"]):
        ran = accucheck("run", str(tmp_path), "--only", "dp.03", "--json", "--no-session", *given)
        outcome = json.loads(ran.stdout)
        assert ran.code == 1 and outcome["taken"] == {} and not ran.err
        found = [
            one["where"]["path"] for one in outcome["items"][0]["results"][0]["findings"] if one["level"] == "problem"
        ]
        assert found == ["other.py"]
    ran = accucheck("run", str(tmp_path), "--only", "dp.03", "--json", "--no-session", "--set", "curves.train=none.log")
    assert json.loads(ran.stdout)["taken"] == {"scripts.train": "train.py", "curves.train": "run.log"}


def test_a_command_says_which_script_and_which_settings_are_examined(tmp_path):
    options = """import argparse
import yaml
from mindspore import Model, nn
from mindspore.dataset import NumpySlicesDataset

parser = argparse.ArgumentParser()
parser.add_argument("--config")
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--epochs", type=int, default=3)
first, _ = parser.parse_known_args()
with open(first.config) as stream:
    parser.set_defaults(**yaml.safe_load(stream))
args = parser.parse_args()
network = nn.Dense(1, 1)
data = NumpySlicesDataset(list(range(64))).batch(8)
Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), args.lr)).train(args.epochs, data)
"""
    project(tmp_path, "train.py")
    (tmp_path / "fit.py").write_text(options)
    (tmp_path / "a.yaml").write_text("# fast\nlr: 50.0\nepochs: 120\n")
    command = ("python", "fit.py", "--config", "a.yaml")
    found = accucheck("run", "--only", "hp", "--kind", "static", "--", *command, cwd=tmp_path)
    assert (
        "fit.py:16: SGD trains with a constant learning rate of 50.0 (from a configuration file, a.yaml:2, key lr)"
        in found.out
    )
    assert (
        "fit.py:16: Model.train trains for 120 epochs (from a configuration file, a.yaml:3, key epochs)." in found.out
    )
    given = accucheck("run", "--only", "hp.01", "--lang", "zh", "--", *command, "--lr", "0.2", cwd=tmp_path)
    assert "使用固定学习率 0.2（由命令行给出，选项 lr）" in given.out and "train.py:" not in given.out
    wrong = accucheck("run", "--", "python", "nowhere.py", cwd=tmp_path)
    assert wrong.code == 2 and "python nowhere.py starts no Python script that exists" in wrong.err
    assert accucheck("run", ".", "train.py", cwd=tmp_path).code == 2, "a command stands after --"


def test_a_run_in_which_nothing_ran_is_no_success(tmp_path):
    for arguments in ([], ["--exit-zero"], ["--json"]):
        ran = accucheck("run", str(tmp_path), *arguments)
        assert ran.code == 4 and "nothing was recognised in" in ran.err and "--script PATH" in ran.err, ran
    text = accucheck("run", str(tmp_path)).out
    assert text.count("scripts.train") == 1 and len(text.splitlines()) < 30, "a key that is missing is told once"
    project(tmp_path, "cv/a/train.py", "nlp/b/train.py")
    ran = accucheck("run", str(tmp_path), "--only", "dp")
    assert ran.code == 4 and "there are 2 projects in folders below; give one of them: cv/a, nlp/b" in ran.err


def test_formats_for_programs_say_what_was_taken(tmp_path):
    project(tmp_path, "train.py")
    run = ["run", str(tmp_path), "--only", "dp.03", "--kind", "static", "--no-session"]
    sarif = json.loads(accucheck(*run, "--format", "sarif").stdout)
    assert sarif["runs"][0]["properties"] == {"taken": {"scripts.train": "train.py"}}
    junit = ElementTree.fromstring(accucheck(*run, "--format", "junit").stdout)
    given = {each.get("name"): each.get("value") for each in junit.iter("property")}
    assert given["taken scripts.train"] == "train.py"


def test_other_commands_stand_on_the_same_case(tmp_path):
    project(tmp_path, "train.py")
    ran = accucheck("fix", str(tmp_path), "--only", "dp.03")
    assert "+++ b/train.py" in ran.out and "shuffle=True" in ran.out, ran
    assert ran.err.startswith("accucheck: there is no accucheck.yaml, so train.py is examined\n")
    assert accucheck("run", str(tmp_path), "--only", "dp.03", "--kind", "static").code == 1
    status = json.loads(accucheck("status", str(tmp_path), "--json").stdout)
    (row,) = [row for row in status["items"] if row["id"] == "dp.03"]
    assert (row["suggestion"], row["stale"]) == ("problem", False)


# --- which probes -----------------------------------------------------------------------------------------------------


def test_only_the_probes_that_are_named(tmp_path):
    project(tmp_path, "train.py")
    run = ["run", str(tmp_path), "--no-session", "--json"]
    outcome = json.loads(accucheck(*run, "--probe", "shuffle_settings", "--probe", "sharding").stdout)
    assert [[r["probe"] for r in item["results"]] for item in outcome["items"]] == [["shuffle_settings"], ["sharding"]]
    refused = accucheck(*run, "--probe", "shufle_settings")
    assert refused.code == 2 and "Did you mean shuffle_settings?" in refused.err and not refused.out
    elsewhere = accucheck(*run, "--probe", "randomness_fixed")
    assert elsewhere.code == 2 and "No item of accuracy has the probe randomness_fixed." in elsewhere.err


def test_fast_leaves_out_what_takes_long_and_says_so(tmp_path):
    faulty = copy_example("digits_faulty", tmp_path)
    ran = accucheck("run", str(faulty), "--only", "mp.01", "--only", "hp.02", "--fast", "--json")
    assert ran.code in (0, 1) and "--fast" not in ran.err, "none of these takes long"
    session = faulty / ".accucheck/session.json"
    text = session.read_text()
    stored = json.loads(text)
    stored["entries"]["hp.02"]["results"]["epoch_curve"]["seconds"] = 31.0
    session.write_text(json.dumps(stored))
    ran = accucheck("run", str(faulty), "--only", "mp.01", "--only", "hp.02", "--fast", "--json")
    assert "--fast left out 1 probe that may take over 30 s: epoch_curve" in ran.err
    names = [result["probe"] for item in json.loads(ran.stdout)["items"] for result in item["results"]]
    assert "overflow" in names and "epoch_curve" not in names


# --- interrupted ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_an_interrupted_run_prints_what_it_found_and_keeps_what_was_known(fakes, tmp_path, number, code):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_problem", "fake_slow", "fake_clean", each=True)
    assert accucheck("run", str(tmp_path), "--checklist", str(mine), "--probe", "fake_clean").code == 0
    # the installed command, which turns SIGTERM into an interruption
    command = [
        str(Path(sys.executable).with_name("accucheck")),
        "run",
        str(tmp_path),
        "--checklist",
        str(mine),
        "--json",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    session, deadline = tmp_path / ".accucheck/session.json", time.monotonic() + 30
    while "fake_problem" not in session.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, (out, err)
    statuses = {item["id"]: item["results"][0]["status"] for item in json.loads(out)["items"]}
    assert (statuses["a.1"], statuses["a.2"]) == ("done", "cancelled")
    results = json.loads(session.read_text())["entries"]
    assert results["a.1"]["results"]["fake_problem"]["status"] == "done"
    assert results["a.3"]["results"]["fake_clean"]["status"] == "done", "a run that never came to it takes nothing away"


def test_an_item_is_told_as_soon_as_it_is_done(fakes, tmp_path):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_slow", "fake_problem", "fake_static_one", each=True)
    command = [sys.executable, "-m", "accucheck", "run", str(tmp_path), "--checklist", str(mine), "--timeout", "3"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = [(line[4:7], time.monotonic()) for line in process.stdout if line[4:6] == "a."]
    process.communicate(timeout=120)
    assert [item for item, _ in told[:3]] == ["a.3", "a.1", "a.2"], "what is read from scripts first"
    assert told[1][1] - told[0][1] > 1, "it did not wait for the slow one"


# --- on a terminal ----------------------------------------------------------------------------------------------------


def in_terminal(*arguments: str, columns: int = 80, language: str = "en", until: str = "", timeout: float = 60) -> str:
    """What `accucheck ARGUMENTS` writes to a terminal; Ctrl-C is pressed once `until` stands there."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "ACCUCHECK_LANG": language, "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "accucheck", *arguments]
    process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=environment, start_new_session=True)
    os.close(side)
    shown, deadline = "", time.monotonic() + timeout
    while time.monotonic() < deadline:
        if select.select([main], [], [], 0.2)[0]:
            try:
                shown += os.read(main, 1 << 16).decode("utf-8", "replace")
            except OSError:  # the last one has closed it
                break
        if until and until in shown:
            process.send_signal(signal.SIGINT)
            until = ""
    process.wait(timeout=120)
    os.close(main)
    return shown


@pytest.mark.parametrize(("language", "left"), [("en", " · ~0:"), ("zh", " · 约剩 0:")])
def test_a_terminal_shows_how_far_it_is_and_lines_of_its_width(fakes, tmp_path, language, left):
    mine = write_checklist(tmp_path / "mine.yaml", "fake_problem", "fake_silent", "fake_needy", each=True)
    shown = in_terminal("run", str(tmp_path), "--checklist", str(mine), language=language, until="2/3 a.2 fake_silent")
    told = [line for line in shown.split("\r\x1b[2K") if line.startswith("2/3 a.2 fake_silent")]
    assert told and left in told[0] and re.search(r" · 0:\d\d · ", told[0])
    lines = re.sub(r"\r\x1b\[2K[^\r\n]*(?=\r\x1b)|\r\x1b\[2K", "", shown).splitlines()
    assert any(line.startswith("  ✗ a.1") for line in lines)
    assert max(len(line) + len(re.findall("[\u2e80-\uffef]", line)) for line in lines if "/" not in line) <= 81
    assert not any(line.startswith("      fake_silent") for line in lines), (
        "what found nothing before it was stopped is counted alone"
    )


def test_elsewhere_a_line_is_written_now_and_then(fakes, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(progress, "_TOLD", 0.05)
    opened = open_project(tmp_path, [str(write_checklist(tmp_path / "mine.yaml", "fake_clean"))], session="none")
    (job,) = opened.jobs()
    with progress.ProgressDisplay(opened, [job], live=False, parallel=1) as shown:
        shown.heed(Started(job))
        shown.heed(ProgressEvent(job, Progress(3, 1000, "files")))
        time.sleep(0.3)
    told = capsys.readouterr().err.splitlines()
    assert len(told) >= 2 and told[0].startswith("accucheck: 0/1 a.1 fake_clean 3/1,000 files · 0:00 · ~0:0")
