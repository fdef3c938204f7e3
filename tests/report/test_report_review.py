"""Both voices, the sign-off and the changes since an earlier round, in Markdown and Word alike."""

import io

import docx
import msgspec
import pytest
from report_sample import HOSTILE, MOMENT

from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.difference import compare, of_record
from accucheck.model import Language, Verdict
from accucheck.report import Options, render
from accucheck.report.build import build
from accucheck.report.redact import Redactor
from accucheck.session import Entry, Judgement, Record, Review, SignOff, seal

pytestmark = pytest.mark.part(5)


def reviewed(record: Record, judgement: Judgement, comment: str, *, of: str = "") -> Record:
    """The record with a review of dp.03."""
    entry = record.entries["dp.03"]
    review = Review(judgement, comment, "Zhao", "2026-03-05T04:00:00+00:00", of or entry.mark)
    entries = {**record.entries, "dp.03": msgspec.structs.replace(entry, review=review)}
    return msgspec.structs.replace(record, entries=entries)


def texts(record: Record, checklists: list[Checklist], case: Case, language: Language, **options: object) -> list[str]:
    """The report as Markdown, and all the text of the Word file."""
    report = build(record, checklists, case, language, None, generated=MOMENT, **options)
    files = render(report, "x", Options(formats=("md", "docx"), languages=(language,)))
    document = docx.Document(io.BytesIO(files["x.docx"]))
    told = "\n".join(node.text or "" for node in document.element.iter() if node.tag.endswith("}t"))
    return [files["x.md"].decode(), told]


WORDS = {Language.ZH: ("退回", "通过", "评审签署"), Language.EN: ("returned", "accepted", "Sign-off")}


@pytest.mark.parametrize("language", list(Language))
def test_both_voices_are_in_every_format(record, checklists, case, language):
    returned, accepted, heading = WORDS[language]
    for text in texts(reviewed(record, Judgement.RETURNED, "which sampler?\n第二行"), checklists, case, language):
        assert heading in text and f"{returned} Zhao" in text
        for words in (
            "wang",
            "Zhao, 2026-03-05" if language is Language.EN else "Zhao，2026-03-05",
            "which sampler?",
            "第二行",
        ):
            assert words in text
    for text in texts(reviewed(record, Judgement.ACCEPTED, "", of="another"), checklists, case, language):
        again = "to review again" if language is Language.EN else "待复审"
        assert f"{again} Zhao" in text and f"{accepted} Zhao" not in text


@pytest.mark.parametrize("language", list(Language))
def test_without_a_review_nothing_is_said_of_it(record, checklists, case, language):
    for text in texts(record, checklists, case, language):
        assert WORDS[language][2] not in text


def test_hostile_comments_are_text(record, checklists, case):
    markdown, word = texts(reviewed(record, Judgement.RETURNED, HOSTILE), checklists, case, Language.EN)
    for text in (markdown, word):
        assert "\x1b" not in text and "\u202e" not in text and "\x00" not in text
    quoted = next(line for line in markdown.splitlines() if line.startswith("> &lt;b&gt;"))
    assert "<b>" not in quoted and r"\`tick\`" in quoted and "<b>bold</b>" in word


def test_a_sign_off_and_a_void_one(record, checklists, case):
    whole = reviewed(record, Judgement.ACCEPTED, "")
    items = {name: seal(entry) for name, entry in whole.entries.items()}
    signed = SignOff("Zhao", "2026-03-06T04:00:00+00:00", "all seen", {"sample": 2}, items)
    record = msgspec.structs.replace(whole, signed=signed)
    for text in texts(record, checklists, case, Language.EN):
        assert (
            "Signed off by Zhao, 2026-03-06 04:00 UTC: 2 items." in text and "all seen" in text and "void" not in text
        )
    changed = {**record.entries, "hp.02": Entry(conclusion=Verdict.OK, who="wang")}
    for text in texts(msgspec.structs.replace(record, entries=changed), checklists, case, Language.EN):
        assert "The sign-off is void: these items have changed since: hp.02." in text
    report = build(record, checklists, case, Language.EN, None, generated=MOMENT)
    assert report.sign_off.state == "valid" and report.result["sign_off"]["by"] == "Zhao"


@pytest.mark.parametrize("account", ["wang", "Zhao"])
def test_the_account_of_whoever_concludes_reviews_or_signs_off_is_hidden(record, checklists, case, account):
    record = reviewed(record, Judgement.ACCEPTED, "")
    items = {name: seal(entry) for name, entry in record.entries.items()}
    signed = SignOff("Zhao", "2026-03-06T04:00:00+00:00", "", {"sample": 2}, items)
    hide = Redactor(users=[account])
    report = build(
        msgspec.structs.replace(record, signed=signed), checklists, case, Language.EN, None, generated=MOMENT, hide=hide
    )
    formats = ("md", "html", "json", "sarif", "junit")
    files = render(report, "x", Options(formats=formats, languages=(Language.EN,)))
    assert not [name for name, content in files.items() if account.encode() in content]
    other = ({"wang", "Zhao"} - {account}).pop()
    assert other.encode() in files["x.md"], "a name that is no account stays"


@pytest.mark.parametrize("language", list(Language))
def test_what_changed_since_the_last_round(record, checklists, case, language):
    fresh = msgspec.structs.replace(record, entries={**record.entries, "dp.03": Entry()})
    difference = compare(of_record(f"round 1 {HOSTILE}", record), of_record("now", fresh))
    heading = "Changes since the last round" if language is Language.EN else "与上一轮相比的变化"
    unknown = "not examined again" if language is Language.EN else "本轮未检查"
    for text in texts(fresh, checklists, case, language, since=difference):
        assert heading in text and text.count(unknown) >= 3 and "\x1b" not in text
    report = build(fresh, checklists, case, language, None, generated=MOMENT, since=difference)
    assert [row.kind for row in report.since.rows].count("unknown") == len(difference.unknown)
