"""The session: nothing confirmed is ever lost, one writer at a time, old and broken files are handled."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import msgspec
import pytest

from accucheck import session as sessions
from accucheck.errors import SaveError, UserError
from accucheck.model import Finding, Kind, Language, Level, ProbeResult, Status, Verdict, local_time
from accucheck.session import decode, open_session

CHILD = """
import sys
from pathlib import Path
from accucheck.model import Verdict
from accucheck.session import open_session
session = open_session(Path(sys.argv[1]))
number = int(sys.argv[2])
while True:
    session.answer(f"xx.{number % 40:02}", Verdict.OK, f"note {number} " + "x" * (number % 5000))
    print(number, flush=True)
    number += 1
"""


def result(**values) -> ProbeResult:
    defaults = {"probe": "p", "kind": Kind.FILE, "status": Status.DONE, "suggestion": Verdict.OK}
    return ProbeResult(**{**defaults, **values})


def test_an_answer_is_on_disk_when_it_returns(tmp_path):
    with open_session(tmp_path) as session:
        session.answer("ds.01", Verdict.PROBLEM, "note", "me")
        stored = json.loads((tmp_path / ".accucheck" / "session.json").read_text())
        assert stored["entries"]["ds.01"]["conclusion"] == "problem"
    again = open_session(tmp_path, write=False).entry("ds.01")
    assert (again.conclusion, again.note, again.who) == (Verdict.PROBLEM, "note", "me")
    assert again.history[0].what == "concluded" and again.when


def test_results_survive_the_round_trip(tmp_path):
    finding = Finding("code", Level.PROBLEM, data={"n": 3, "text": "x\x1b[31m"})
    with open_session(tmp_path) as session:
        session.record_result("ds.01", result(findings=[finding], suggestion=Verdict.PROBLEM))
    entry = open_session(tmp_path, write=False).entry("ds.01")
    assert entry.results["p"].findings == [finding]
    assert entry.suggestion is Verdict.PROBLEM


@pytest.mark.part(40)
@pytest.mark.parametrize("seed", range(5))
def test_kill_9_loses_nothing_that_was_confirmed(tmp_path, seed):
    number, rng = 0, random.Random(seed)
    for _ in range(20):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path), str(number)], stdout=subprocess.PIPE, text=True
        )
        confirmed = [int(child.stdout.readline())]
        reader = threading.Thread(target=lambda: confirmed.extend(int(line) for line in child.stdout), daemon=True)
        reader.start()
        time.sleep(rng.uniform(0, 0.03))
        child.send_signal(signal.SIGKILL)
        child.wait()
        reader.join()
        child.stdout.close()
        last = confirmed[-1]
        with open_session(tmp_path) as session:
            assert session.notice is None and not session.read_only
            notes = [int(entry.note.split()[1]) for entry in session.record.entries.values()]
            assert max(notes) in (last, last + 1)
            assert {n for n in confirmed if n > last - 39} <= set(notes)
        number = last + 1
    assert sorted(os.listdir(tmp_path / ".accucheck")) == ["session.json"]


def test_the_second_opener_reads_and_is_told(tmp_path):
    with open_session(tmp_path) as first:
        first.answer("ds.01", Verdict.OK)
        second = open_session(tmp_path)
        assert second.read_only and f"pid {os.getpid()}" in second.holder
        assert second.entry("ds.01").conclusion is Verdict.OK
        with pytest.raises(UserError) as caught:
            second.answer("ds.01", Verdict.PROBLEM)
        assert caught.value.code == "session-locked"
    with open_session(tmp_path) as third:
        assert not third.read_only


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"version": 1, "entries": {"a": 3}}',
        b"[]",
        b'{"entries": {}}',
        b"\xff\xfe\x00",
        b'{"version": "1"}',
    ],
)
def test_a_corrupt_file_is_kept_aside_and_named(tmp_path, content):
    folder = tmp_path / ".accucheck"
    folder.mkdir()
    (folder / "session.json").write_bytes(content)
    with open_session(tmp_path) as session:
        assert session.notice.code == "session-corrupt"
        aside = session.notice.data["aside"]
        assert aside in session.notice.text(Language.ZH)
        session.answer("ds.01", Verdict.OK)
    with open(aside, "rb") as stream:
        assert stream.read() == content
    assert open_session(tmp_path, write=False).entry("ds.01").conclusion is Verdict.OK


def test_two_corrupt_files_in_one_second_are_both_kept(tmp_path):
    folder = tmp_path / ".accucheck"
    folder.mkdir()
    for content in (b"first", b"second"):
        (folder / "session.json").write_bytes(content)
        open_session(tmp_path).close()
    kept = {path.read_bytes() for path in folder.glob("session.corrupt-*")}
    assert kept == {b"first", b"second"}


def test_a_newer_file_is_refused_and_untouched(tmp_path):
    folder = tmp_path / ".accucheck"
    folder.mkdir()
    (folder / "session.json").write_text('{"version": 999}')
    with pytest.raises(UserError) as caught:
        open_session(tmp_path)
    assert caught.value.code == "session-newer"
    assert (folder / "session.json").read_text() == '{"version": 999}'
    with pytest.raises(UserError):
        open_session(tmp_path)  # the lock was given back


def test_migration_goes_step_by_step(tmp_path, monkeypatch):
    folder = tmp_path / ".accucheck"
    folder.mkdir()
    (folder / "session.json").write_text('{"version": -1, "answers": {"ds.01": "ok"}}')

    def to_0(data):
        return {"version": 0, "entries": {k: {"conclusion": v} for k, v in data["answers"].items()}}

    monkeypatch.setitem(sessions.MIGRATIONS, -1, to_0)
    monkeypatch.setitem(sessions.MIGRATIONS, 0, lambda data: {**data, "version": 1})
    with open_session(tmp_path) as session:
        assert session.entry("ds.01").conclusion is Verdict.OK


def test_a_full_disk_is_one_clear_error_and_loses_nothing(tmp_path, monkeypatch):
    with open_session(tmp_path) as session:
        session.answer("ds.01", Verdict.OK, "first")

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(SaveError) as caught:
            session.answer("ds.02", Verdict.PROBLEM, "second")
        assert caught.value.code == "disk-full" and session.unsaved
        assert open_session(tmp_path, write=False).entry("ds.01").note == "first"
        assert not list((tmp_path / ".accucheck").glob(".*tmp"))
        monkeypatch.undo()
        session.save()
    assert open_session(tmp_path, write=False).entry("ds.02").note == "second"


def test_undo_restores_the_answer_and_keeps_results_and_history(tmp_path):
    with open_session(tmp_path) as session:
        before = session.entry("ds.01")
        session.answer("ds.01", Verdict.OK, "note")
        session.record_result("ds.01", result())
        session.restore("ds.01", before)
        entry = session.entry("ds.01")
        assert (entry.conclusion, entry.note) == (None, "")
        assert "p" in entry.results
        assert [change.what for change in entry.history] == ["concluded", "ran", "withdrawn"]


def test_undoing_a_note_is_no_withdrawal(tmp_path):
    with open_session(tmp_path) as session:
        before = session.entry("ds.01")
        session.annotate("ds.01", "note")
        session.restore("ds.01", before)
        assert [(change.what, change.note) for change in session.entry("ds.01").history] == [
            ("noted", "note"),
            ("noted", ""),
        ]


def test_two_threads_do_not_lose_each_others_changes(tmp_path):
    with open_session(tmp_path) as session:
        session.autosave = False

        def answer(start):
            for number in range(start, start + 200):
                session.answer(f"xx.{number}", Verdict.OK)

        threads = [threading.Thread(target=answer, args=(start,)) for start in (0, 200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        session.save()
    assert len(open_session(tmp_path, write=False).record.entries) == 400


def test_attachments_and_withdrawal(tmp_path):
    with open_session(tmp_path) as session:
        session.attach("ds.01", "a.png")
        session.attach("ds.01", "a.png")
        session.answer("ds.01", Verdict.OK)
        session.annotate("ds.01", "because")
        session.withdraw("ds.01")
        entry = session.entry("ds.01")
        assert entry.attachments == ["a.png"] and entry.conclusion is None and entry.note == "because"
        with pytest.raises(ValueError):
            session.answer("ds.01", Verdict.UNDECIDED)


def test_the_file_has_a_line_for_each_finding_and_step_of_the_history(tmp_path):
    findings = [Finding(f"code{n}", Level.INFO, data={"values": [n, None]}) for n in range(3)]
    with open_session(tmp_path) as session:
        session.record_result("ds.01", ProbeResult("p", Kind.FILE, Status.DONE, Verdict.OK, findings))
        session.answer("ds.01", Verdict.OK, "质量")
        record, text = session.record, session.path.read_text(encoding="utf-8")
    assert json.loads(text) == json.loads(msgspec.json.encode(record))
    for finding in findings:
        assert any(line.strip(" ,") == msgspec.json.encode(finding).decode() for line in text.splitlines())
    assert open_session(tmp_path, write=False).record == record


@pytest.mark.parametrize("content", ['{"entries": {}}', '{"version": "2"}', '{"version": null}', "[]", "3"])
def test_what_says_no_version_is_no_session(tmp_path, content):
    with pytest.raises(UserError) as error:
        decode(content.encode(), tmp_path)
    assert error.value.code == "not-a-session"


def test_a_newer_file_is_told_as_such_even_where_it_cannot_be_read(tmp_path):
    with pytest.raises(UserError) as error:
        decode(b'{"version": 99, "entries": "elsewhere"}', tmp_path)
    assert error.value.code == "session-newer"


def test_each_save_writes_the_results_of_then(tmp_path):
    with open_session(tmp_path) as session:
        for number in range(4):
            session.record_result(f"ds.0{number % 2 + 1}", result(seconds=float(number)))
            session.save()
            whole = decode(session.path.read_bytes(), session.path)
            assert whole == session.record and whole.entries[f"ds.0{number % 2 + 1}"].results["p"].seconds == number
            session.answer("ds.03", Verdict.OK, f"note {number}")
            session.save()
            assert decode(session.path.read_bytes(), session.path) == session.record


def test_what_follows_from_an_answer_follows_the_answer(tmp_path):
    with open_session(tmp_path) as session:
        session.answer("ds.01", Verdict.OK, who="a")
        before = session.entry("ds.01")
        assert before.mark == before.mark
        session.answer("ds.01", Verdict.PROBLEM, who="a")
        after = session.entry("ds.01")
        assert after.mark != before.mark
        session.record_result("ds.01", ProbeResult("p", Kind.FILE, Status.DONE, Verdict.OK))
        assert session.entry("ds.01").suggestion is Verdict.OK
        assert session.entry("ds.01").mark != after.mark
        assert b"mark" not in msgspec.json.encode(after)


def test_a_file_that_another_program_put_there_is_kept_aside(tmp_path):
    file = tmp_path / ".accucheck" / "session.json"
    with open_session(tmp_path) as session:
        session.answer("ds.01", Verdict.OK)
        assert session.notice is None
        file.write_text("restored from somewhere")
        session.answer("ds.02", Verdict.OK)
        assert session.notice.code == "session-changed"
        with open(session.notice.data["aside"]) as stream:
            assert stream.read() == "restored from somewhere"
        session.answer("ds.03", Verdict.OK)  # our own file is known again
        file.unlink()
        session.answer("ds.04", Verdict.OK)
    assert len(list(file.parent.glob("session.changed-*"))) == 1
    assert list(open_session(tmp_path, write=False).record.entries) == ["ds.01", "ds.02", "ds.03", "ds.04"]


def test_a_session_whose_folder_was_removed_is_begun_again_and_locked_again(tmp_path):
    with open_session(tmp_path) as session:
        session.answer("ds.01", Verdict.OK)
        shutil.rmtree(tmp_path / ".accucheck")
        session.answer("ds.02", Verdict.OK)
        assert open_session(tmp_path).read_only
        shutil.rmtree(tmp_path / ".accucheck")
        with open_session(tmp_path) as other:
            assert not other.read_only
            with pytest.raises(SaveError) as caught:
                session.answer("ds.03", Verdict.OK)
            assert caught.value.code == "session-taken" and f"pid {os.getpid()}" in caught.value.text(Language.EN)
        session.save()  # the other has ended
    assert list(open_session(tmp_path, write=False).record.entries) == ["ds.01", "ds.02", "ds.03"]


def test_a_session_without_a_place_is_rescued(tmp_path, home):
    project = tmp_path / "project"
    project.mkdir()
    with open_session(project) as session:
        session.answer("ds.01", Verdict.OK)
        shutil.rmtree(project)
        with pytest.raises(SaveError) as caught:
            session.answer("ds.02", Verdict.PROBLEM, "a note")
        assert caught.value.code == "not-found"
        kept = session.rescue()
        assert kept.parent == home and kept.stat().st_mode & 0o077 == 0
    assert sessions.decode(kept.read_bytes(), kept).entries["ds.02"].note == "a note"


def test_a_clock_set_back_changes_neither_the_order_nor_the_last_word(tmp_path, monkeypatch):
    with open_session(tmp_path) as session:
        session.answer("ds.01", Verdict.OK, "first")
        monkeypatch.setattr(sessions, "now", lambda: "2001-01-01T00:00:00+00:00")
        session.answer("ds.01", Verdict.PROBLEM, "second")
        session.annotate("ds.01", "third")
    entry = open_session(tmp_path, write=False).entry("ds.01")
    assert [change.note for change in entry.history] == ["first", "second", "third"]
    assert entry.conclusion is Verdict.PROBLEM and entry.when.startswith("2001")


@pytest.mark.parametrize(
    "written", ["2026-03-09T08:30:59+00:00", "2026-03-09T08:30:59Z", "2026-03-09T10:30:59.500000+02:00"]
)
def test_a_moment_is_shown_where_the_person_is(written, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        assert local_time(written) == "2026-03-09 16:30"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("written", ["", "Z", "yesterday", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59"])
def test_what_is_no_moment_is_shown_as_it_stands(written):
    assert local_time(written) == written
