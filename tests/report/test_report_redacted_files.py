"""Private data planted all over a session is in none of the finished files, whatever their format; what looks alike is in them."""

import io
import zipfile
from itertools import count
from pathlib import Path

import msgspec
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from redaction_corpus import MACHINE, harmless, planted
from report_sample import ENVIRONMENT, MOMENT, result

from accucheck.case import Case, CaseFile
from accucheck.checklist import Checklist
from accucheck.model import (
    Code,
    Curve,
    Finding,
    Fix,
    Histogram,
    Images,
    Kind,
    Language,
    Level,
    Note,
    Reason,
    Status,
    Table,
    Verdict,
    Where,
)
from accucheck.report import FORMATS, Options, check, leftovers, render, write
from accucheck.report.build import build
from accucheck.report.redact import Redactor
from accucheck.session import Entry, Record

PLANTED = planted()


def redactor() -> Redactor:
    return Redactor(**MACHINE)  # type: ignore[arg-type]


def session(texts: list[str]) -> Record:
    """Every text in one place: message, where, each kind of evidence, fix, reason, log, note."""

    def finding(text: str, **more: object) -> Finding:
        return Finding("unread", Level.SUSPECT, data={"path": text}, **more)  # type: ignore[arg-type]

    messages, wheres, cells, code, notes, diff, pictures, own = (texts[start::8] for start in range(8))
    curve = Curve(
        "loss-curve", "epoch", "loss", [1.0, 2.0], {text: [1.0, 2.0] for text in messages[28:32]}, {messages[32]: 1.0}
    )
    bars = Histogram("share", wheres[28:], [1.0] * len(wheres[28:]))
    evidence = [
        [curve, bars, Note("share", "\n".join(messages[33:]))],
        [Table("share", ["class", *cells[:4]], [[text] for text in cells[4:]])],
        [Code("train.py", 1, "\n".join(code), [1]), Note("share", "\n".join(notes))],
        [Images("share", pictures, pictures)],
    ]
    several = [finding(str(number), evidence=[*each]) for number, each in enumerate(evidence)]
    several.append(finding("d", fix=Fix("add-shuffle", "\n".join(f"+{text}" for text in diff))))
    results = [
        result("fake_order", Kind.LIVE, [finding(text) for text in messages[:28]]),
        result("fake_settings", Kind.LIVE, [finding("x", where=Where(path=text, name=text)) for text in wheres[:28]]),
    ]
    failed = result(
        "fake_failing",
        Kind.FILE,
        [],
        status=Status.FAILED,
        suggestion=Verdict.UNDECIDED,
        reason=Reason("raised", {"error": own[0]}),
        log="\n".join(own[1:16]),
    )
    asked = {each.probe: each for each in results}
    return Record(
        case="x",
        entries={
            "dp.03": Entry(Verdict.PROBLEM, "\n".join(own[16:]), "wangwei", MOMENT, results=asked),
            "hp.02": Entry(results={"fake_curve": result("fake_curve", Kind.FILE, several), "fake_failing": failed}),
        },
    )


def written(texts: list[str], checklists: list[Checklist], hide: Redactor, language: Language) -> dict[str, bytes]:
    """The report of such a session in all formats."""
    record = session(texts)
    hide.learn(msgspec.to_builtins(record))
    case = Case(root=str(MACHINE["root"]), spec=msgspec.convert({"name": "x"}, CaseFile))
    report = build(record, checklists, case, language, ENVIRONMENT, set(), MOMENT, hide=hide)
    return render(report, "x", Options(formats=tuple(FORMATS), languages=(language,)))


def said(files: dict[str, bytes]) -> dict[str, str]:
    """All that the files say, as their readers show it."""
    return {
        name: "\n".join(str(text) for _, _, text in leftovers.texts(name, content)) for name, content in files.items()
    }


@pytest.mark.part(2)
@pytest.mark.parametrize("language", list(Language))
def test_nothing_private_is_left_in_any_format(language: Language, checklists: list[Checklist]) -> None:
    hide = redactor()
    files = written(sorted({one.text for one in PLANTED}), checklists, hide, language)
    assert {name.rpartition(".")[2] for name in files} >= {form.ending for form in FORMATS.values()}
    telling = [one for one in PLANTED if len(one.private) > 6]  # 123456 may stand in any picture
    texts = said(files)
    everything = [*texts.items(), *((name, content.decode("latin-1")) for name, content in files.items())]
    seen = {
        (name, one.text)
        for name, text in everything
        for one in telling
        for line in one.private.split("\n")
        if line in text and one.private not in ("scheduler",)
    }
    assert not seen
    assert hide.counts.total() > 300
    assert check(files, hide) == []


def test_what_looks_alike_is_kept(checklists: list[Checklist]) -> None:
    hide = redactor()
    texts = harmless()
    files = written(texts, checklists, hide, Language.EN)
    assert set(hide.counts) == {"user"}, "who concluded"
    assert check(files, hide) == []
    pages = said(files)
    for name in ("x.md", "x.docx", "x.html"):
        shown = " ".join(pages[name].split())
        notes = [" ".join(text.split()) for text in texts[7::8][16:]]
        assert not [text for text in notes if text not in shown and len(text) > 3]


def test_what_is_left_marks_the_files(checklists: list[Checklist], tmp_path: Path) -> None:
    """A report that was built without redaction, and is written with it."""
    record = Record(entries={"dp.03": Entry(note="see 10.1.2.3", attachments=["run.log", "run.bin"])})
    (tmp_path / "run.log").write_text("password=Tr0ub4dor")
    (tmp_path / "run.bin").write_bytes(b"\0\1")
    case = Case(root=str(tmp_path), spec=msgspec.convert({"name": "x"}, CaseFile))
    options = Options(formats=("md", "docx"))
    bare = build(record, checklists, case, Language.EN, hide=Redactor(str(tmp_path), on=False))
    assert bare.private == "not replaced (--no-redact)"
    written = write(bare, tmp_path / "out", options, Redactor(str(tmp_path)))
    assert [path.name for path in written.paths] == ["x-accuracy-unfinished.md", "x-accuracy-unfinished.docx"]
    assert {one.file.partition("!")[0] for one in written.left} == {
        "x-accuracy.md",
        "x-accuracy.docx",
        "x-accuracy_files/attachment-001.log",
    }
    hide = Redactor(str(tmp_path))
    hidden = build(record, checklists, case, Language.EN, hide=hide)
    assert hidden.private == "replaced by names such as <host-1>, the same for the same (2 different)"
    written = write(hidden, tmp_path / "out", options, hide)
    assert [path.name for path in written.paths] == ["x-accuracy.md", "x-accuracy.docx"] and not written.left
    assert written.redacted == {"ip": 1, "secret": 1}
    assert (tmp_path / "out/x-accuracy_files/attachment-001.log").read_text() == "password=<secret-1>"
    assert "run.bin (not looked into for private data)" in (tmp_path / "out/x-accuracy.md").read_text()


def test_samples_are_left_out_unless_chosen(checklists: list[Checklist]) -> None:
    table = Table("share", ["class"], [["Zhang San's cat"]], 7, samples=True)
    found = Finding("unread", Level.SUSPECT, evidence=[table, Images("share", ["data/a.png"], ["her face"])])
    record = Record(entries={"dp.03": Entry(results={"fake_order": result("fake_order", Kind.FILE, [found])})})
    case = Case(root="/srv/projects/acme", spec=msgspec.convert({"name": "x"}, CaseFile))
    for samples in (False, True):
        hide = Redactor(**MACHINE, samples=samples)  # type: ignore[arg-type]
        report = build(record, checklists, case, Language.EN, hide=hide)
        for name, text in said(render(report, "x", Options(formats=("md", "docx", "html")))).items():
            assert ("her face" in text and "Zhang San" in text) is samples, name
            assert ("7 samples of the data left out" in text) is not samples, name


SECRET = "10.20.30.40"


def png(text: str) -> bytes:
    stream, info = io.BytesIO(), PngInfo()
    info.add_text("Author", text)
    info.add_itxt("Comment", text, zip=True)
    Image.new("RGB", (2, 2)).save(stream, "PNG", pnginfo=info)
    return stream.getvalue()


def packed(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("a.md", f"x\n\ny at {SECRET}\n".encode(), ("line", {"number": 3})),
        ("a.md", b"password=Tr0ub\\_4dor\n", ("line", {"number": 1})),
        ("a.html", f"<p>x</p>\n<p title='{SECRET}'>y</p>".encode(), ("line", {"number": 2})),
        ("a.html", f"<!-- {SECRET} -->".encode(), ("line", {"number": 1})),
        ("a.svg", f"<svg><metadata>\n{SECRET}</metadata></svg>".encode(), ("line", {"number": 2})),
        ("a.xml", f'<testsuite hostname="x">\n<a m="at {SECRET}"/></testsuite>'.encode(), ("line", {"number": 2})),
        ("a.json", f'{{"a": [1, "at {SECRET}"]}}'.encode(), ("entry", {"part": "/a/1"})),
        ("a.json", b'{"a": {"password": "Tr0ub4dor"}}', ("entry", {"part": "/a"})),
        ("a.sarif", f'{{"a": "{SECRET}"}}'.encode(), ("entry", {"part": "/"})),
        ("a.csv", f"x,y\n1,{SECRET}\n".encode(), ("line", {"number": 2})),
        ("a_files/chart.png", png(f"at {SECRET}"), ("metadata", {})),
        (f"log-at-{SECRET}.csv", b"x", ("name", {})),
        ("a.zip", packed({"b/c.log": f"x\n{SECRET}".encode()}), ("line", {"number": 2})),
        ("a.zip", packed({f"from {SECRET}/c.log": b""}), ("name", {})),
        ("a.zip", packed({"b.zip": packed({"c.txt": SECRET.encode()})}), ("line", {"number": 1})),
        (
            "a.docx",
            packed(
                {
                    "word/document.xml": f"<w:document {_W}><w:body><w:p><w:r><w:t>x</w:t></w:r></w:p><w:p><w:r><w:t>at 10.20.</w:t>"
                    f"</w:r><w:r><w:t>30.40</w:t></w:r></w:p></w:body></w:document>".encode()
                }
            ),
            ("paragraph", {"part": "word/document.xml", "number": 2}),
        ),
        (
            "a.docx",
            packed(
                {
                    "word/document.xml": f"<w:document {_W}/>".encode(),
                    "docProps/core.xml": f"<p><creator>at {SECRET}</creator></p>".encode(),
                }
            ),
            ("paragraph", {"part": "docProps/core.xml", "number": 1}),
        ),
    ],
    ids=map(str, count()),
)
def test_the_second_pass_tells_where(name: str, content: bytes, place: object) -> None:
    left = leftovers.leftovers(name, content, redactor())
    assert len(left) == 1
    assert left[0].place == place and left[0].kind in ("ip", "secret")
    for language in Language:
        assert left[0].id in left[0].text(language) and SECRET not in left[0].shown
    allowed = Redactor(**MACHINE, allow=[left[0].id])  # type: ignore[arg-type]
    assert leftovers.leftovers(name, content, allowed) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.zip", b"PK\x03\x04 broken"),
        ("a.docx", packed({"word/document.xml": b"<broken"})),
        ("a.docx", packed({"word/document.xml": b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'})),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\x09zTXtk\0\0broken.broken"),
        ("a.zip", packed({"b.zip": packed({"c.zip": packed({"d.zip": packed({"e": b"x"})})})})),
    ],
    ids=map(str, count()),
)
def test_what_cannot_be_read_is_told(name: str, content: bytes) -> None:
    assert [left.kind for left in leftovers.leftovers(name, content, redactor())] == ["unread"]


@pytest.mark.parametrize("name", ["a.md", "a.gfm.md", "a-issue.fields.txt"])
def test_pseudonyms_written_as_markdown_are_none_of_what_is_left(name: str) -> None:
    content = "见 /home/&lt;user-1&gt;/proj/x\\_1.log, at &lt;ip-1&gt;\n".encode()
    assert leftovers.leftovers(name, content, redactor()) == []
    assert len(leftovers.leftovers(name, content.replace(b"&lt;user-1&gt;", b"zhangsan"), redactor())) == 1
