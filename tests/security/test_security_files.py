"""Links, names and rights of files: what a stranger's project may bring, and what other users of the machine may see."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from accucheck import consent, marks, mending, range_test, recent
from accucheck.case import extend, load
from accucheck.errors import ReadError, SaveError, UserError
from accucheck.language import Language
from accucheck.model import Finding, Fix, Level, Verdict, Where
from accucheck.project import open_project
from accucheck.session import open_session
from accucheck.store import ATTACHMENTS, BACKUPS, FOLDER, write_atomically, write_together
from command_line import accucheck

pytestmark = pytest.mark.part(40)

PRECIOUS = b"ssh-ed25519 AAAA of the person\n"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file of the person, outside of every project."""
    path = tmp_path / "home" / "authorized_keys"
    path.parent.mkdir()
    path.write_bytes(PRECIOUS)
    return path


@pytest.fixture
def cloned(tmp_path: Path) -> Path:
    root = tmp_path / "cloned"
    (root / FOLDER).mkdir(parents=True)
    return root


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_lock_that_is_a_link_is_not_written_through(cloned: Path, victim: Path) -> None:
    (cloned / FOLDER / "lock").symlink_to(victim)
    with pytest.raises(SaveError) as caught:
        open_session(cloned)
    assert caught.value.code == "own-link"
    ran = accucheck("answer", "ds.01", "ok", "--project", str(cloned))
    assert ran.code == 2 and "is a link" in ran.err
    assert victim.read_bytes() == PRECIOUS and (cloned / FOLDER / "lock").is_symlink()
    assert open_session(cloned, write=False).read_only  # to look is possible


def test_the_lock_of_a_session_alone_is_not_written_through(tmp_path: Path, victim: Path) -> None:
    with open_session(tmp_path) as session:
        session.answer("ds.01", Verdict.OK)
    sent = tmp_path / "sent.json"
    sent.write_bytes(session.path.read_bytes())
    (tmp_path / ".sent.json.lock").symlink_to(victim)
    with pytest.raises(SaveError):
        open_project(sent, session="write")
    assert victim.read_bytes() == PRECIOUS


def test_a_lock_that_is_a_pipe_holds_nobody_up(cloned: Path) -> None:
    os.mkfifo(cloned / FOLDER / "lock")
    ran = accucheck("answer", "ds.01", "ok", "--project", str(cloned))
    assert ran.code == 2 and "regular file" in ran.err


@pytest.mark.parametrize(
    "name",
    [".accucheck/session.json", ".accucheck/labels.json", ".accucheck/drafts.json", "accucheck.yaml", "train.py"],
)
def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(cloned: Path, name: str) -> None:
    """An archive of a project can hold one."""
    from accucheck.drafts import Drafts

    os.mkfifo(cloned / name)
    for call in (
        ["status"],
        ["labels", "--set", "data.train.path=."],
        ["run", "--only", "ds.02", "--only", "dp.03"],
        ["init"],
        ["report", "-o", "out"],
    ):
        ran = accucheck(call[0], str(cloned), *call[1:], cwd=cloned.parent, timeout=120)
        assert ran.code in (0, 1, 2, 3, 4) and "Traceback" not in ran.err, ran
    assert Drafts(cloned / FOLDER / "drafts.json").keys == []


def test_the_folder_of_another_project_is_not_written(tmp_path: Path, cloned: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    with open_session(mine) as session:
        session.answer("ds.01", Verdict.PROBLEM, "mine")
    before = session.path.read_bytes()
    (cloned / FOLDER).rmdir()
    (cloned / FOLDER).symlink_to(mine / FOLDER)
    for call in (["answer", "ds.01", "ok", "--project", str(cloned)], ["run", str(cloned), "--only", "dp.03"]):
        assert "is a link" in accucheck(*call).err
    assert session.path.read_bytes() == before
    (cloned / FOLDER).unlink()
    (cloned / "kept").mkdir()
    (cloned / FOLDER).symlink_to("kept")  # within the project it harms nobody
    with open_session(cloned) as session:
        session.answer("ds.01", Verdict.OK)
    assert (cloned / "kept" / "session.json").exists()


@pytest.mark.parametrize("name", [ATTACHMENTS, BACKUPS])
def test_copies_do_not_go_through_a_folder_that_is_a_link(
    cloned: Path, victim: Path, tmp_path: Path, name: str
) -> None:
    (cloned / name).symlink_to(victim.parent)
    (cloned / "train.py").write_text("old\n")
    (tmp_path / "outside.txt").write_text("mine")

    def copy() -> None:
        if name == BACKUPS:
            mending.apply(mending.prepare(cloned, finding("train.py")))
        else:
            with (opened := open_project(cloned)).session:
                opened.attach("ds.01", tmp_path / "outside.txt")

    with pytest.raises(SaveError) as caught:
        copy()
    assert caught.value.code == "own-link" and name in caught.value.text(Language.ZH)
    assert list(victim.parent.iterdir()) == [victim] and (cloned / "train.py").read_text() == "old\n"
    (cloned / name).unlink()
    (cloned / "kept").mkdir()
    (cloned / name).symlink_to(cloned / "kept")
    copy()
    assert list((cloned / "kept").iterdir())


def test_a_curve_does_not_grow_through_a_link(cloned: Path, victim: Path) -> None:
    target = cloned / range_test.DEFAULT
    target.parent.mkdir()
    partial = target.with_name(target.name + range_test.UNENDED)
    partial.symlink_to(victim)
    with pytest.raises(SaveError) as caught, range_test._growing(target):
        raise AssertionError
    assert caught.value.code == "own-link" and str(partial) in str(caught.value)
    assert victim.read_bytes() == PRECIOUS


def test_keys_are_not_written_into_what_a_link_leads_to_outside(cloned: Path, victim: Path) -> None:
    victim.write_bytes(b"name: of the person\n")
    (cloned / "accucheck.yaml").symlink_to(victim)
    with pytest.raises(SaveError) as caught:
        extend(load(cloned), {"scripts.train": "train.py"})
    assert caught.value.code == "own-link" and victim.read_bytes() == b"name: of the person\n"
    (cloned / "accucheck.yaml").unlink()
    (cloned / "mine.yaml").write_text("name: mine\n")
    (cloned / "accucheck.yaml").symlink_to("mine.yaml")  # within the project it is the person's way
    extend(load(cloned), {"scripts.train": "train.py"})
    assert (cloned / "mine.yaml").read_text() == "name: mine\nscripts:\n  train: train.py\n"


def test_links_in_the_way_of_a_file_that_is_being_written(cloned: Path, victim: Path) -> None:
    """The name that a file has while it is written can be guessed: a repository can hold a link for each process id."""
    for name in ("session.json", "report.md"):
        (cloned / f".{name}.{os.getpid()}.tmp").symlink_to(victim)
        (cloned / name).symlink_to(victim)
    write_atomically(cloned / "session.json", b"new")
    write_together(cloned, {"report.md": b"new"}, replace=True)
    assert victim.read_bytes() == PRECIOUS
    for name in ("session.json", "report.md"):
        assert (cloned / name).read_bytes() == b"new" and not (cloned / name).is_symlink()


def test_reports_are_not_written_through_links(cloned: Path, victim: Path) -> None:
    with open_session(cloned) as session:
        session.answer("ds.01", Verdict.OK)
    (cloned / "out").mkdir()
    for name in ("cloned-accuracy.md", "cloned-accuracy.html", "cloned-accuracy.json"):
        (cloned / "out" / name).symlink_to(victim)
    formats = [word for name in ("md", "html", "json") for word in ("--format", name)]
    for more in ([], ["--force"]):
        assert accucheck("report", str(cloned), "--output", str(cloned / "out"), *formats, *more).code == 0
    assert victim.read_bytes() == PRECIOUS


async def test_a_note_is_not_edited_through_a_link(walkthrough_of, cloned: Path, victim: Path, monkeypatch) -> None:
    from accucheck.tui import note_editor

    (cloned / FOLDER / "note.ds.01.txt").symlink_to(victim)
    seen = []
    monkeypatch.setattr(
        note_editor, "edit", lambda app, file: seen.append(file.read_bytes()) or file.write_text("typed") * 0
    )
    app = walkthrough_of(cloned)
    assert note_editor.edit_note(app, "ds.01") == "typed"
    assert seen == [b""] and victim.read_bytes() == PRECIOUS


@pytest.fixture
def walkthrough_of():
    from accucheck.language import Language
    from accucheck.tui.app import Walkthrough

    made = []

    def make(root: Path) -> Walkthrough:
        made.append(Walkthrough(open_project(root), Language.EN))
        return made[-1]

    yield make
    for app in made:
        app.runner.close()
        app.session.close()


def finding(path: str) -> Finding:
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,1 @@\n-old\n+fsmonitor = touch /tmp/x\n"
    return Finding("x", Level.PROBLEM, Where(path, 1), fix=Fix("mend", diff))


@pytest.mark.parametrize(
    "path", [".git/config", ".git/hooks/pre-commit", ".vscode/tasks.json", "src/.envrc", "../outside.py", "link.py"]
)
def test_a_mend_touches_only_the_projects_own_visible_files(cloned: Path, path: str) -> None:
    """A session of a stranger may offer any diff. What git or an editor runs is not the model's code."""
    (cloned.parent / "outside.py").write_text("old\n")
    (cloned / "link.py").symlink_to("../outside.py")
    file = cloned / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        file.write_text("old\n")
    with pytest.raises(UserError) as caught:
        mending.prepare(cloned, finding(path))
    assert caught.value.code in ("mend-outside", "mend-none") and file.read_text() == "old\n"


def test_a_mend_of_a_file_that_becomes_a_link_is_refused(cloned: Path, victim: Path) -> None:
    (cloned / "train.py").write_text("old\n")
    mend = mending.prepare(cloned, finding("train.py"))
    (cloned / "train.py").unlink()
    (cloned / "train.py").symlink_to(victim)
    with pytest.raises(UserError):
        mending.apply(mend)
    assert victim.read_bytes() == PRECIOUS


def test_samples_are_shown_only_from_the_data_of_the_case(cloned: Path, victim: Path) -> None:
    """The list of samples lies in the project and may be a stranger's; what it names goes into sheets and reports."""
    (cloned / "data").mkdir()
    (cloned / "data" / "a.csv").write_text("x,y\n1,2\n")
    (cloned / "accucheck.yaml").write_text("data: {train: {path: data, label: y}}\n")
    case = load(cloned)
    for settings in (
        [],
        [f"data.train.path={cloned}/data"],
        [f"data.train.path=file://{cloned}/data"],
        ["data.train.path=data/a.csv"],
    ):
        assert marks.located(load(cloned, settings), "data/a.csv").read_text() == "x,y\n1,2\n"
    for name in (
        str(victim),
        "../home/authorized_keys",
        "data/../../home/authorized_keys",
        "~/.ssh/id_rsa",
        "/etc/passwd",
        "a\0b",
    ):
        with pytest.raises(ReadError):
            marks.located(case, name)


def test_a_report_holds_no_file_that_a_session_names_outside(cloned: Path, victim: Path) -> None:
    secret = "correct horse battery"
    victim.write_text(secret)
    (cloned / "inside.txt").symlink_to(victim)
    entry = {
        "conclusion": "problem",
        "note": "x",
        "attachments": [str(victim), "../home/authorized_keys", "inside.txt"],
    }
    session = {"version": 2, "case": "x", "checklists": {"accuracy": 1}, "entries": {"ds.01": entry}}
    (cloned / FOLDER / "session.json").write_text(json.dumps(session))
    out = cloned.parent / "out"
    formats = [word for name in ("md", "html", "json", "docx") for word in ("--format", name)]
    ran = accucheck("report", str(cloned), "--output", str(out), *formats)
    assert ran.code == 0, ran
    assert len(list(out.iterdir())) >= 4
    assert not [path for path in out.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    ran = accucheck("issue", str(cloned), "--output", str(out / "issue"))
    assert not [path for path in (out / "issue").rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_what_is_the_persons_own_is_for_nobody_else(cloned: Path, home: Path) -> None:
    old = os.umask(0o022)
    try:
        consent.grant(load(cloned))
        recent.note(recent.Recent(str(cloned), "x", "2026-01-01T00:00:00Z"))
    finally:
        os.umask(old)
    for file in (consent.place(), recent.place()):
        assert mode(file) == 0o600 and mode(file.parent) == 0o700


def test_a_file_that_is_written_anew_is_as_private_as_it_was(cloned: Path) -> None:
    with open_session(cloned) as session:
        session.answer("ds.01", Verdict.OK)
        session.path.chmod(0o600)
        session.answer("ds.02", Verdict.OK)
        assert mode(session.path) == 0o600
    script = cloned / "train.py"
    script.write_text("old\n")
    script.chmod(0o600)
    kept = mending.apply(mending.prepare(cloned, finding("train.py")))
    assert mode(script) == mode(kept) == 0o600
    secret = cloned.parent / "secret.log"
    secret.write_text("x")
    secret.chmod(0o600)
    project = open_project(cloned)
    project.attach("ds.01", secret)
    project.session.close()
    assert mode(cloned / FOLDER / "attachments" / "secret.log") == 0o600


def test_a_written_file_obeys_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        write_atomically(tmp_path / "a", b"x")
        write_together(tmp_path, {"b": b"x"}, replace=False)
    finally:
        os.umask(old)
    assert mode(tmp_path / "a") == mode(tmp_path / "b") == 0o600


def test_a_pipe_in_an_interpreters_folder_holds_no_report_up(cloned: Path) -> None:
    folder = cloned / "env/lib/python3.11/site-packages/mindspore-2.2.0.dist-info"
    folder.mkdir(parents=True)
    (cloned / "env/bin").mkdir()
    (cloned / "env/bin/python").touch()
    for path in (folder / "METADATA", folder / "direct_url.json", cloned / "env/pyvenv.cfg"):
        os.mkfifo(path)
    (cloned / "accucheck.yaml").write_text("runtime: {python: env/bin/python}\n")
    ran = accucheck("report", str(cloned), "--output", str(cloned / "out"), timeout=120)
    assert ran.code == 0, ran


@pytest.mark.parametrize("name", ["+cmd", "-c", "a b", "--remote-send", "$(touch x)", "x;y", "a\nb", "~", "%f"])
def test_a_file_name_is_one_word_for_an_editor(tmp_path: Path, name: str) -> None:
    from accucheck.tui.editor import command

    for editor in ("vim", "emacsclient -nw", "nano", "code --wait", "hx", "kate", "sh -c"):
        words = command(tmp_path / name, 3, {"EDITOR": editor})
        given = [word for word in words if word.startswith(f"{tmp_path}/")]
        assert len(given) == 1 and given[0].startswith(f"{tmp_path}/{name}")


def test_no_output_goes_through_a_link_of_the_project(cloned: Path, tmp_path: Path) -> None:
    (cloned / "train.py").write_text("x = 1\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (cloned / "reports").symlink_to(elsewhere)
    for call in (["report", ".", "--format", "md", "-o", "reports"], ["issue", ".", "-o", "reports/new"]):
        language, said = ("en", "leads out of it") if call[0] == "report" else ("zh", "指向项目之外")
        ran = accucheck(*call, "--lang", language, cwd=cloned, timeout=60)
        assert ran.code == 2 and said in ran.err and str(elsewhere) in ran.err, ran
    ran = accucheck("plan", ".", "-o", "reports/plan.md", cwd=cloned)
    assert ran.code == 2 and "leads out of it" in ran.err, ran
    assert not list(elsewhere.iterdir())
    (tmp_path / "mine").symlink_to(elsewhere)  # of the person, and the project by a link of the person's
    (tmp_path / "linked").symlink_to(cloned)
    ran = accucheck("report", str(tmp_path / "linked"), "--format", "md", "-o", str(tmp_path / "mine"), timeout=60)
    assert ran.code == 0 and [path.suffix for path in elsewhere.iterdir()] == [".md"], ran


@pytest.mark.parametrize("mark", ["accucheck.yaml", ".git", FOLDER])
def test_no_list_goes_through_a_link_of_the_project(mark: str, tmp_path: Path) -> None:
    """Nor where the link leads to another project."""
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for folder in (project / "data", elsewhere, project / "own"):
        folder.mkdir(parents=True)
    for place in (project, elsewhere):
        (place / mark).mkdir() if mark != "accucheck.yaml" else (place / mark).write_text("name: x\n")
    (project / "data" / "a.txt").write_text("a")
    (project / "lists").symlink_to(elsewhere)
    (project / "within").symlink_to("own")
    for arguments in (["data", "-o", "lists/m.json"], ["data", "--opened", "lists/m.txt", "true"]):
        ran = accucheck("manifest", *arguments, cwd=project, timeout=60)
        assert ran.code == 2 and "leads out of it" in ran.err and str(elsewhere) in ran.err, ran
    assert sorted(path.name for path in elsewhere.iterdir()) == [mark]
    ran = accucheck("manifest", "data", "-o", "within/m.json", cwd=project, timeout=60)
    assert ran.code == 0 and (project / "own" / "m.json").is_file(), ran
    (tmp_path / "mine").symlink_to(elsewhere)  # of the person
    ran = accucheck("manifest", str(project / "data"), "-o", str(tmp_path / "mine" / "m.json"), timeout=60)
    assert ran.code == 0 and (elsewhere / "m.json").is_file(), ran


def test_neither_weights_nor_a_curve_go_through_a_link_of_the_project(cloned: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (cloned / "logs").symlink_to(elsewhere)
    (cloned / "net.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    ran = accucheck("convert", "net.safetensors", "logs/net.ckpt", cwd=cloned, timeout=60)
    assert ran.code == 2 and "leads out of it" in ran.err, ran
    (cloned / "accucheck.yaml").write_text("network: {call: 'net:Net'}\n")
    ran = accucheck("lr-range", ".", "--live", cwd=cloned, timeout=60)
    assert ran.code == 2 and "leads out of it" in ran.err, ran
    assert not list(elsewhere.iterdir())


def test_eight_commands_at_once_have_their_turns(cloned: Path) -> None:
    items = ["ds.01", "ds.02", "ds.03", "ds.04", "dp.01", "dp.02", "dp.03", "hp.01"]
    begun = [
        subprocess.Popen([sys.executable, "-m", "accucheck", "answer", item, "ok"], cwd=cloned, stderr=subprocess.PIPE)
        for item in items
    ]
    said = [process.communicate(timeout=120)[1].decode() for process in begun]
    assert [process.returncode for process in begun] == [0] * 8, said
    with open_session(cloned) as held:
        assert [held.entry(item).conclusion for item in items] == [Verdict.OK] * 8
        late = accucheck("answer", "ds.01", "problem", cwd=cloned)
        assert late.code == 2 and f"pid {os.getpid()}" in late.err, "who holds it for longer is told"
