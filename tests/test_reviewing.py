"""Two voices on one session: reviews and sign-off, files that come alone, and reviews taken back from a copy."""

import json
import shutil
import time
from pathlib import Path

import msgspec
import pytest

from accucheck import checklist
from accucheck.errors import ReadError, UserError
from accucheck.model import Finding, Kind, Language, Level, ProbeResult, Status, Verdict, Where
from accucheck.project import open_project
from accucheck.reviewing import ImportedReviews, obstacles, sign_off, take
from accucheck.session import FILE_NAME, MAX_ATTACHMENT, MAX_NOTE, Change, Judgement, Session, open_alone, open_session
from accucheck.store import ATTACHMENTS, FOLDER

OLD = Path(__file__).parent / "sessions" / "version_1.json"


def result(*findings: Finding, **values: object) -> ProbeResult:
    defaults = {"probe": "p", "kind": Kind.FILE, "status": Status.DONE, "suggestion": Verdict.OK}
    return ProbeResult(**{**defaults, **values, "findings": list(findings)})


@pytest.fixture
def session(tmp_path: Path) -> Session:
    with open_session(tmp_path) as opened:
        opened.answer("ds.01", Verdict.OK, "looked", "Li")
        yield opened


def test_a_session_of_version_1_opens_with_all_it_held(tmp_path):
    folder = tmp_path / FOLDER
    folder.mkdir()
    shutil.copy(OLD, folder / FILE_NAME)
    before = json.loads(OLD.read_text())
    assert before["version"] == 1
    with open_session(tmp_path) as opened:
        assert opened.notice is None
        opened.review("dp.03", Judgement.ACCEPTED, who="Wang")
    after = json.loads((folder / FILE_NAME).read_text())
    assert after["version"] == 2  # one of version 1 would drop the review when it writes
    assert set(after["entries"]) == set(before["entries"])
    for result in (result for entry in after["entries"].values() for result in entry["results"].values()):
        assert result.pop("own_training") is False  # newer than version 1, as what sets findings aside
        newer = [
            finding.pop(key) for finding in result["findings"] for key in ("refutes", "contradicted", "suppressed")
        ]
        assert not any(newer)
    for name, entry in before["entries"].items():
        assert {key: after["entries"][name][key] for key in entry if key != "history"} == {
            key: value for key, value in entry.items() if key != "history"
        }
        assert after["entries"][name]["history"][: len(entry["history"])] == entry["history"]


def test_a_review_stands_until_the_answer_changes(session):
    session.review("ds.01", Judgement.RETURNED, " show the code ", "Wang")
    entry = session.entry("ds.01")
    assert (entry.judgement, entry.review.comment, entry.review.who) == (Judgement.RETURNED, "show the code", "Wang")
    assert entry.history[-1].what == "returned" and entry.history[-1].note == "show the code"
    session.answer("ds.01", Verdict.OK, None, "Li")  # the same answer, given again, within the same second
    entry = session.entry("ds.01")
    assert entry.outdated and entry.judgement is None and entry.review.judgement is Judgement.RETURNED
    session.review("ds.01", Judgement.ACCEPTED, who="Wang")
    assert open_session(session.path.parent.parent, write=False).entry("ds.01").judgement is Judgement.ACCEPTED


@pytest.mark.parametrize("change", ["note", "attach", "withdraw", "problem found"])
def test_what_the_review_rests_on(session, change):
    session.review("ds.01", Judgement.ACCEPTED, who="Wang")
    before = session.entry("ds.01")
    if change == "note":
        session.annotate("ds.01", "another")
    elif change == "attach":
        session.attach("ds.01", "a.png")
    elif change == "withdraw":
        session.withdraw("ds.01")
    else:
        found = Finding("bad", Level.PROBLEM, Where("train.py", line=3))
        session.record_result("ds.01", result(found, suggestion=Verdict.PROBLEM))
    assert session.entry("ds.01").outdated
    if change != "problem found":
        session.restore("ds.01", before)  # undo
        assert session.entry("ds.01").judgement is Judgement.ACCEPTED


def test_a_run_that_says_the_same_leaves_the_review(session):
    session.record_result("ds.01", result(Finding("bad", Level.SUSPECT, Where("train.py", line=3), {"seconds": 1.5})))
    session.review("ds.01", Judgement.ACCEPTED, who="Wang")
    moved = Finding("bad", Level.SUSPECT, Where("train.py", line=9), {"seconds": 1.7})
    session.record_result("ds.01", result(moved, seconds=3.0))
    session.record_result("ds.01", result(probe="other", status=Status.SKIPPED, suggestion=Verdict.UNDECIDED))
    assert session.entry("ds.01").judgement is Judgement.ACCEPTED


def test_what_is_no_review(session):
    for item, judgement, comment, who, code in [
        ("ds.02", Judgement.ACCEPTED, "", "Wang", "review-unanswered"),
        ("ds.01", Judgement.ACCEPTED, "", " li ", "review-own"),
        ("ds.01", Judgement.RETURNED, "  ", "Wang", "return-without-comment"),
    ]:
        with pytest.raises(UserError) as caught:
            session.review(item, judgement, comment, who)
        assert caught.value.code == code
        assert item in caught.value.text(Language.ZH) and item in caught.value.text(Language.EN)
    with pytest.raises(UserError) as caught:
        session.withdraw_review("ds.01")
    assert caught.value.code == "review-none"
    assert session.entry("ds.01").review is None and len(session.entry("ds.01").history) == 1


def test_undo_of_a_review_is_in_the_history(session):
    before = session.entry("ds.01")
    session.review("ds.01", Judgement.ACCEPTED, "fine", "Wang")
    session.restore("ds.01", before, "Wang")
    assert session.entry("ds.01").review is None
    assert [change.what for change in session.entry("ds.01").history] == ["concluded", "accepted", "unreviewed"]


def test_a_sign_off_needs_everything_and_a_later_change_voids_it(tmp_path):
    accuracy = checklist.load("accuracy")
    items = [item.id for item in accuracy.items]
    with open_session(tmp_path) as session:
        for item in items[:-1]:
            session.answer(item, Verdict.OK, who="Li")
        session.review(items[0], Judgement.RETURNED, "why?", "Wang")
        for item in items[2:-1]:
            session.review(item, Judgement.ACCEPTED, who="Wang")
        left = obstacles(session.record, [accuracy])
        assert (left.unanswered, left.returned, left.unreviewed) == ([items[-1]], [items[0]], [items[1]])
        with pytest.raises(UserError) as caught:
            sign_off(session, [accuracy], "", "Wang")
        for language in Language:
            text = caught.value.text(language)
            assert all(text.count(item) == 1 for item in (items[-1], items[0], items[1])) and items[3] not in text
        session.answer(items[-1], Verdict.NOT_APPLICABLE, who="Li")
        session.answer(items[0], Verdict.OK, "because", "Li")
        for item in (items[0], items[1], items[-1]):
            session.review(item, Judgement.ACCEPTED, who="Wang")
        sign_off(session, [accuracy], "well done", "Wang")
    again = open_session(tmp_path)
    signed = again.record.signed
    assert (signed.who, signed.comment, signed.checklists) == ("Wang", "well done", {"accuracy": accuracy.version})
    assert again.record.unsealed == [] and again.record.history[-1].what == "signed"
    before = again.entry("ds.03")
    again.answer("xx.99", Verdict.OK, who="Li")  # of another checklist
    again.answer("ds.03", Verdict.PROBLEM, who="Li")
    assert again.record.unsealed == ["ds.03"]
    again.restore("ds.03", before)
    assert again.record.unsealed == []
    again.withdraw_review("ds.04", "Wang")
    assert again.record.unsealed == ["ds.04"]
    again.withdraw_sign_off("Wang")
    assert again.record.signed is None and [c.what for c in again.record.history] == ["signed", "unsigned"]
    with pytest.raises(UserError):
        again.withdraw_sign_off("Wang")
    again.close()


# --- a session that came alone ----------------------------------------------------------------------------------------


def test_a_session_sent_alone_is_reviewed_and_taken_back(tmp_path, session):
    session.answer("ds.02", Verdict.PROBLEM, "mine", "Li")
    session.answer("ds.03", Verdict.OK, who="Li")
    session.answer("ds.04", Verdict.OK, who="Li")
    session.review("ds.04", Judgement.ACCEPTED, "seen here", "Zhao")
    sent = tmp_path / "mail" / "li.json"
    sent.parent.mkdir()
    shutil.copy(session.path, sent)
    with open_alone(sent) as copy:
        assert not copy.read_only
        with pytest.raises(UserError) as caught:
            open_alone(sent).review("ds.01", Judgement.ACCEPTED, who="Wang")
        assert caught.value.code == "session-locked"
        copy.review("ds.01", Judgement.ACCEPTED, "good", "Wang")
        copy.review("ds.02", Judgement.RETURNED, "which ones?", "Wang")
        copy.answer("ds.09", Verdict.OK, who="Li")
        copy.review("ds.09", Judgement.ACCEPTED, who="Wang")
        copy.answer("ds.03", Verdict.PROBLEM, "not for a reviewer to say", "Wang")
        old = msgspec.structs.replace(copy.entry("ds.04").review, when="2020-01-01T00:00:00+00:00", who="Wang")
        copy.adopt("ds.04", old, Change(old.when, "Wang", "accepted"))
    session.answer("ds.02", Verdict.PROBLEM, "these: 1, 2", "Li")  # meanwhile
    taken = take(session, sent)
    assert (taken.taken, taken.outdated, taken.kept, taken.unknown) == (
        ["ds.01", "ds.02"],
        ["ds.02"],
        ["ds.04"],
        ["ds.09"],
    )
    entry = session.entry("ds.01")
    assert (entry.judgement, entry.review.who, entry.review.comment) == (Judgement.ACCEPTED, "Wang", "good")
    assert (entry.history[-1].what, entry.history[-1].who) == ("accepted", "Wang")
    assert session.entry("ds.03").conclusion is Verdict.OK and session.entry("ds.09").conclusion is None
    assert session.entry("ds.04").review.who == "Zhao"
    stored = open_session(session.path.parent.parent, write=False)
    assert stored.entry("ds.02").outdated and stored.entry("ds.02").review.comment == "which ones?"
    assert take(session, sent).taken == []  # once is enough


def test_a_comment_on_the_whole_is_as_long_as_a_note_at_most(session):
    with pytest.raises(UserError) as caught:
        session.sign_off({"mine": 1}, ["ds.01"], "x" * (MAX_NOTE + 1), "Wang")
    assert caught.value.code == "note-too-long" and session.record.signed is None
    session.sign_off({"mine": 1}, ["ds.01"], "x" * MAX_NOTE + "\n", "Wang")
    assert session.record.signed is not None


def test_a_sign_off_comes_back_too(tmp_path, session, monkeypatch):
    sent = tmp_path / "copy.json"
    shutil.copy(session.path, sent)
    with open_alone(sent) as copy:
        copy.review("ds.01", Judgement.ACCEPTED, who="Wang")
        copy.sign_off({"mine": 1}, ["ds.01"], "ok", "Wang")
    assert take(session, sent).sign_off == "signed"
    assert session.record.signed.who == "Wang" and session.record.unsealed == []
    assert take(session, sent).sign_off == ""
    with open_alone(sent) as copy:
        copy.withdraw_sign_off("Wang")
    shutil.copy(sent, tmp_path / "late.json")
    assert take(session, sent).sign_off == "unsigned" and session.record.signed is None
    with open_alone(sent) as copy:
        copy.sign_off({"mine": 1}, ["ds.01"], "again", "Wang")
    assert take(session, sent).sign_off == "signed" and session.record.signed.comment == "again"
    assert take(session, tmp_path / "late.json").sign_off == ""  # known here, and overtaken


def test_a_withdrawn_review_comes_back_too(tmp_path, session):
    sent = tmp_path / "copy.json"
    session.review("ds.01", Judgement.RETURNED, "why?", "Wang")
    shutil.copy(session.path, sent)
    shutil.copy(session.path, tmp_path / "older.json")
    with open_alone(sent) as copy:
        copy.withdraw_review("ds.01", "Wang")
    assert take(session, sent).withdrawn == ["ds.01"]
    entry = session.entry("ds.01")
    assert entry.review is None and (entry.history[-1].what, entry.history[-1].who) == ("unreviewed", "Wang")
    assert take(session, sent) == ImportedReviews()
    assert (
        take(session, tmp_path / "older.json") == ImportedReviews()
    )  # a copy from before does not bring it to life again
    session.review("ds.01", Judgement.ACCEPTED, "", "Zhao")
    assert take(session, sent) == ImportedReviews() and session.entry("ds.01").review.who == "Zhao"


def test_two_reviewers_at_once_the_later_one_counts(tmp_path, session):
    """Both work on copies of the same round; whichever comes back first."""
    copies = [tmp_path / "wang.json", tmp_path / "zhao.json"]
    for path, who, moment in zip(copies, ("Wang", "Zhao"), ("2030-01-01", "2030-01-02"), strict=True):
        shutil.copy(session.path, path)
        with open_alone(path) as copy:
            copy.review("ds.01", Judgement.RETURNED, f"says {who}", who)
            later = msgspec.structs.replace(copy.entry("ds.01").review, when=f"{moment}T00:00:00+00:00")
            copy.adopt("ds.01", later, Change(later.when, who, "returned", note=later.comment))
    assert take(session, copies[1]).taken == ["ds.01"]
    assert take(session, copies[0]).kept == ["ds.01"]
    assert session.entry("ds.01").review.who == "Zhao"


def test_the_session_of_another_project_is_no_copy(tmp_path, session):
    other = tmp_path / "other"
    other.mkdir()
    with open_session(other) as theirs:
        theirs.answer("ds.01", Verdict.PROBLEM, "of something else", "Li")
        theirs.review("ds.01", Judgement.ACCEPTED, who="Wang")
    before = session.path.read_bytes()
    with pytest.raises(UserError) as caught:
        take(session, other)
    assert caught.value.code == "not-a-copy" and str(other) in caught.value.text(Language.ZH)
    assert session.path.read_bytes() == before


def test_no_lock_is_left_and_none_is_lost(tmp_path, session):
    sent = tmp_path / "mail" / "li.json"
    sent.parent.mkdir()
    shutil.copy(session.path, sent)
    with open_alone(sent) as first:
        assert [path.name for path in sent.parent.iterdir() if path != sent] == [".li.json.lock"]
        assert open_alone(sent).holder
    assert [path.name for path in sent.parent.iterdir()] == ["li.json"]
    first.close()
    with open_alone(sent) as second, open_alone(sent) as third:
        assert not second.read_only and third.read_only


def test_one_writer_however_many_open_and_close(tmp_path):
    """A lock that is removed while others wait for it must not be had twice."""
    from concurrent.futures import ThreadPoolExecutor

    def work(number: int) -> int:
        done = 0
        while done < 5:
            with open_session(tmp_path) as session:
                if not session.read_only:
                    session.answer(f"ds.{number}{done}", Verdict.OK, who="Li")
                    done += 1
            time.sleep(0.001)
        return done

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [5] * 4
    assert len(open_session(tmp_path, write=False).record.entries) == 20  # nothing that one wrote was written over


def test_nothing_that_a_session_alone_names_is_opened_or_run(tmp_path, monkeypatch):
    from accucheck.report.build import build

    secret = tmp_path / "secret.png"
    with open_session(tmp_path / ".") as session:
        session.answer("ds.01", Verdict.PROBLEM, "x", "Li")
        session.attach("ds.01", str(secret))
        session.attach("ds.01", "notes.txt")
        hostile = ["../../etc/passwd", "os", "_gaps", "x" * 5000]
        for name in hostile:
            session.record_result("ds.01", result(Finding("c", Level.PROBLEM, data={"a": "{b.__class__}"}), probe=name))
    (tmp_path / "notes.txt").write_text("private")
    from PIL import Image

    Image.new("RGB", (4, 4)).save(secret)
    sent = tmp_path / "stranger.json"
    shutil.copy(session.path, sent)
    (tmp_path / "accucheck.yaml").write_text("this: is not: read")
    opened = open_project(sent, session="read")
    assert opened.case.alone and opened.session.read_only and opened.stale() == set()
    assert set(opened.case.facts().values()) == {None}
    with pytest.raises(UserError) as caught:
        opened.jobs()
    assert caught.value.code == "session-alone"
    with pytest.raises(UserError) as caught:
        opened.session.answer("ds.01", Verdict.OK)
    assert caught.value.code == "session-read-only"
    report = build(opened.session.record, opened.checklists, opened.case, Language.EN)
    attached = next(item for item in report.items if item.id == "ds.01").attachments
    assert [(each.kind, each.path) for each in attached] == [("named", "")] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [".accucheck", "accucheck.yaml", "notes.txt", "secret.png", "stranger.json"]
    )  # no lock beside it


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"version": 2}',
        b'{"version": "2", "entries": {}}',
        b'{"version": -1, "entries": {"ds.01": {}}}',
        b'{"version": 2, "entries": 3}',
        b'{"version": 2, "entries": {"ds.01": {"conclusion": "undecided"}}}',
        b'{"version": 2, "entries": {"ds.01": {"results": {"p": {"probe": "p", "seconds": "fast"}}}}}',
        b'{"version": 2, "entries": {"ds.01": {"note": "\\ud800"}}}',
        b'{"version": 2, "entries": {"ds.01": {"review": {"judgement": "bribed"}}}}',
        b'{"version": 2, "entries": {"ds.01": {"note": ' + b"[" * 200_000 + b"]" * 200_000 + b"}}}",
        b'{"version": 2, "entries": {"ds.01": {"conclusion": "' + b"x" * 200_000 + b'"}}}',
    ],
    ids=range(14),
)
def test_what_is_no_session_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(ReadError) as caught:
        open_alone(path)
    assert caught.value.code == "not-a-session" and str(path) in caught.value.text(Language.ZH)
    assert len(caught.value.text(Language.EN)) < 1000
    assert [each.name for each in tmp_path.iterdir()] == ["x.json"] and path.read_bytes() == content


def test_places_that_hold_no_session(tmp_path, session, monkeypatch):
    from accucheck import session as sessions

    with pytest.raises(ReadError) as caught:
        open_project(tmp_path / "nowhere.json")
    assert caught.value.code == "not-found"
    with pytest.raises(ReadError) as caught:
        take(session, tmp_path / "nowhere")
    assert caught.value.code == "not-found"
    monkeypatch.setattr(sessions, "MAX_ALONE", 10)
    with pytest.raises(ReadError) as caught:
        open_alone(OLD)
    assert caught.value.code == "session-too-large"


def test_a_newer_session_alone_is_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"version": 99}')
    with pytest.raises(UserError) as caught:
        open_alone(path)
    assert caught.value.code == "session-newer"


# --- attachments ------------------------------------------------------------------------------------------------------


def test_an_attached_file_from_elsewhere_goes_where_the_project_goes(tmp_path):
    root, desk = tmp_path / "project", tmp_path / "desk"
    root.mkdir()
    desk.mkdir()
    (root / "loss.png").write_bytes(b"own")
    (desk / "loss.png").write_bytes(b"one")
    (desk / "again").mkdir()
    (desk / "again" / "loss.png").write_bytes(b"two")
    (root / "link.png").symlink_to(desk / "loss.png")
    (desk / "large.bin").write_bytes(bytes(MAX_ATTACHMENT + 1))
    project = open_project(root)
    for path in (
        root / "loss.png",
        desk / "loss.png",
        desk / "again" / "loss.png",
        root / "link.png",
        desk / "large.bin",
    ):
        project.attach("ds.01", path, "Li")
    project.session.close()
    kept = root / ATTACHMENTS
    assert open_session(root, write=False).entry("ds.01").attachments == [
        "loss.png",
        f"{ATTACHMENTS}/loss.png",
        f"{ATTACHMENTS}/loss-2.png",
        f"{ATTACHMENTS}/link.png",
        str(desk / "large.bin"),
    ]
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == {
        "loss.png": b"one",
        "loss-2.png": b"two",
        "link.png": b"one",
    }
    project = open_project(root)
    project.attach("ds.02", desk / "loss.png", "Li")  # the copy that is there
    assert project.session.entry("ds.02").attachments == [f"{ATTACHMENTS}/loss.png"] and len(list(kept.iterdir())) == 3
    looking = open_project(root)
    with pytest.raises(UserError) as caught:
        looking.attach("ds.02", desk / "again" / "loss.png", "Wang")
    assert caught.value.code == "session-locked" and len(list(kept.iterdir())) == 3
    project.session.close()
