"""Issues: each tracker's form with what the report knows, blanks where it knows nothing, addresses that fit, files that can be checked."""

import hashlib
import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
import yaml
from markdown_it import MarkdownIt
from report_sample import ENVIRONMENT, HOSTILE, MOMENT

from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.errors import UserError
from accucheck.language import visible
from accucheck.model import Language
from accucheck.report import issue
from accucheck.report.bilingual import both
from accucheck.report.build import build
from accucheck.report.environment import rows
from accucheck.report.issue import Issue, address, describe, summary
from accucheck.report.parts import CodePart, Report
from accucheck.report.trackers import Tracker, known
from accucheck.session import Record
from command_line import accucheck, copy_example

pytestmark = pytest.mark.part(40)

PARSER = MarkdownIt("gfm-like", {"linkify": False})
TRACKERS = [pytest.param(tracker, id=tracker.name) for tracker in known().trackers]
BLANK = {Language.ZH: "待填写", Language.EN: "TO FILL IN"}


def headings(text: str) -> list[str]:
    tokens = PARSER.parse(text)
    return [tokens[index + 1].content for index, token in enumerate(tokens) if token.type == "heading_open"]


def texts(issue: Issue) -> dict[str, str]:
    return {block.name: block.text for block in issue.blocks}


def of(report: Report, to: Tracker, **more: str) -> Issue:
    return describe(report, "resnet50", to, more.pop("repo", to.repo), attachments=["x-issue.zip"], **more)


def with_environment(report: Report, **changed: object) -> Report:
    result = {**report.result, "environment": {**report.result["environment"], **changed}}
    return msgspec.structs.replace(report, result=result)


# --- forms ------------------------------------------------------------------------------------------------------------


def test_the_forms_are_whole() -> None:
    forms = {form.name: form for form in known().forms}
    for tracker in known().trackers:
        assert {tracker.form, *tracker.forms.values()} <= set(forms)
        assert tracker.base.startswith("https://") and tracker.address.startswith("/issues/")
    for form in forms.values():
        assert "{subject}" in form.title and "{summary}" in form.title
        assert len({field.name for field in form.fields}) == len(form.fields)
        parts = [part for field in form.fields for part in field.parts]
        assert all(hasattr(issue._Parts, f"_{part}") for part in parts)
        asked = {"behavior", "expected", "reproduce", "log", "hardware", "software", "mode", "notes"}
        assert asked <= set(parts), "what every maintainer asks for"


@pytest.mark.parametrize("tracker", TRACKERS)
def test_the_body_is_the_form_filled_in(report: Report, tracker: Tracker) -> None:
    language = report.language
    made = of(report, tracker)
    form = next(form for form in known().forms if form.name == tracker.form)
    shown = headings(made.body)
    at = -1
    for field in form.fields:
        label = field.label[language]
        place = next(index for index, heading in enumerate(shown) if heading.startswith(label))
        assert place > at, "in the order of the form"
        at = place
        mandatory = ("必填" if language is Language.ZH else "mandatory") in shown[place]
        assert mandatory == field.required
    text = texts(made)
    assert "/device ascend" in text["hardware"].splitlines() and "Ascend 910B3 × 8" in text["hardware"]
    assert "2.10.0" in text["software"] and "8.0.RC2" in text["software"] + text["hardware"]
    assert "24.1.rc2" in text["hardware"], "the driver"
    found = "50,000 个样本顺序完全相同" if language is Language.ZH else "brings? the 50,000 samples in the same order"
    assert found.replace("brings?", "bring") in text["behavior"] and "src/dataset.py:41" in text["behavior"]
    assert "确认：没有混洗" in text["behavior"], "the person's note"
    assert "> 41 |     ds = Cifar10Dataset(path)" in text["log"] and "x-issue.zip" in text["log"]
    assert "curves.eval" in text["notes"], "what was not checked"
    assert "accucheck run" in text["reproduce"]
    parts = [made.body, *text.values()]
    assert not any(HOSTILE in part or "\x1b" in part for part in parts)
    assert all(character.isprintable() or character == "\n" for part in parts for character in part)


@pytest.mark.parametrize("tracker", TRACKERS)
def test_hostile_text_stays_text(report: Report, tracker: Tracker) -> None:
    made = of(report, tracker)
    tokens = PARSER.parse(made.body)
    inline = [child for token in tokens for child in token.children or []]
    assert not [token for token in inline if token.type in ("html_inline", "link_open", "image", "s_open")]
    blocks = [token.content.strip() for token in tokens if token.type == "html_block"]
    folds = tracker.flavour == "gfm"
    assert bool(blocks) == folds
    assert all(block == "</details>" or block.startswith("<details><summary>") for block in blocks)
    assert blocks.count("</details>") * 2 == len(blocks)
    shown = "".join(child.content for child in inline if child.type in ("text", "text_special"))
    assert visible(HOSTILE) in shown


def test_what_is_not_known_is_a_blank(
    record: Record, checklists: list[Checklist], case: Case, report: Report, tmp_path: Path
) -> None:
    gitee = next(tracker for tracker in known().trackers if tracker.name == "gitee")
    mark = BLANK[report.language]
    made = of(report, gitee)
    assert made.blanks == ["behavior", "mode", "reproduce", "expected", "notes"]
    assert mark not in made.title
    for name, text in texts(made).items():
        assert (mark in text) == (name in made.blanks)
    known_mode = of(with_environment(report, mode="PyNative", command="python train.py"), gitee)
    assert "/mode pynative" in texts(known_mode)["mode"].splitlines()
    assert known_mode.blanks == ["behavior", "reproduce", "expected", "notes"], "the data has a place that nobody told"
    assert texts(known_mode)["reproduce"].count(mark) == 1
    nothing = build(Record(), checklists, Case(root=str(tmp_path)), report.language, None, generated=MOMENT)
    empty = of(nothing, gitee)
    assert empty.blanks == ["title", "behavior", "hardware", "software", "mode", "reproduce", "expected", "notes"]
    assert "/device ascend" not in texts(empty)["hardware"].splitlines()


def test_what_maintainers_always_ask_for_is_there_or_a_blank(report: Report) -> None:
    zh = report.language is Language.ZH
    gitee = next(tracker for tracker in known().trackers if tracker.name == "gitee")
    notes = texts(of(report, gitee))["notes"]
    for asked in ("随机种子", "多次运行", "配置改动", "loss scale") if zh else ("Seeds", "Several runs", "Loss scale"):
        line = next(line for line in notes.splitlines() if asked in line)
        assert BLANK[report.language] in line
    unused = with_environment(report, amp="O0")
    assert ("loss scale" if zh else "Loss scale") not in texts(of(unused, gitee))["notes"]
    bare = msgspec.structs.replace(
        with_environment(report, cann=None, driver=None, mindspore=None),
        environment=rows(
            {**ENVIRONMENT, "mindspore": None, "mindspore_build": None, "devices": None, "launcher": None},
            report.language,
        ),
    )
    text = texts(of(bare, gitee))
    assert "CANN" in next(
        line for line in text["software"].splitlines() if "CANN" in line and BLANK[report.language] in line
    )
    assert any("MindSpore" in line and BLANK[report.language] in line for line in text["software"].splitlines())
    assert any(BLANK[report.language] in line for line in text["hardware"].splitlines()), "the number of devices"
    declared = msgspec.structs.replace(
        bare, environment=rows({**ENVIRONMENT, "mindspore": None, "mindspore_declared": "2.3.1"}, report.language)
    )
    software = texts(of(declared, gitee))["software"]
    assert "2.3.1" in software and not [line for line in software.splitlines() if "MindSpore" in line and "[" in line]


def test_the_form_of_mindformers(report: Report) -> None:
    gitcode = next(tracker for tracker in known().trackers if tracker.name == "gitcode")
    made = of(report, gitcode, repo="mindspore/mindformers")
    assert made.title.startswith("[Bug]: [resnet50]")
    assert list(texts(made)) == ["checklist", "behavior", "environment", "notes", "versions"]
    assert texts(made)["checklist"].count("- [ ] ") == 3, "only a person can tick them"
    assert all(
        part in texts(made)["behavior"] for part in ("src/dataset.py:41", "accucheck run", BLANK[report.language])
    )
    assert "910B3" in texts(made)["environment"] and "2.10.0" in texts(made)["versions"]


def test_both_languages(record: Record, checklists: list[Checklist], case: Case) -> None:
    chinese, english = (
        build(record, checklists, case, language, ENVIRONMENT, generated=MOMENT)
        for language in (Language.ZH, Language.EN)
    )
    made = of(both(chinese, english), known().trackers[0])
    assert any(
        heading.startswith("问题描述（必填） / Describe the current behavior") for heading in headings(made.body)
    )
    behavior = texts(made)["behavior"]
    assert "样本顺序完全相同" in behavior and "samples in the same order" in behavior
    assert "待填写" in behavior and "TO FILL IN" in behavior
    assert made.blanks == ["behavior", "mode", "reproduce", "expected", "notes"]
    assert "- Python: 3.10.12" in texts(made)["software"].splitlines(), "what is equal stands once"
    assert "顺序完全相同" in made.title and "same order" not in made.title, "one language is enough for a title"


@pytest.mark.parametrize("tracker", TRACKERS)
def test_the_form_for_maintainers_has_the_same_fields(tracker: Tracker) -> None:
    for repo in (tracker.repo, *tracker.forms):
        form = next(form for form in known().forms if form.name == tracker.forms.get(repo, tracker.form))
        shown = yaml.safe_load(issue.form_for_maintainers(tracker, repo))
        assert set(shown) == {"name", "description", "title", "body"}
        asked = [part for part in shown["body"] if part["type"] != "markdown"]
        assert [part["id"] for part in asked] == [field.name for field in form.fields]
        for part, field in zip(asked, form.fields, strict=True):
            label = part["attributes"]["label"]
            assert field.label.zh in label and field.label.en in label
            assert bool(part.get("validations")) == field.required


# --- titles -----------------------------------------------------------------------------------------------------------


def test_titles_follow_the_convention(report: Report) -> None:
    zh = report.language is Language.ZH
    found = "两轮的 50,000 个样本顺序完全相同" if zh else "Both epochs bring the 50,000 samples in the same order"
    assert of(report, known().trackers[0]).title == f"[MS][resnet50]{found}"
    assert of(report, known().trackers[0], title="  my own title ").title == "my own title"


@pytest.mark.parametrize("subject", ["a]b[c\nd", "训" * 300, "x y", "[]"])
@pytest.mark.parametrize(
    "message",
    ["训" * 500, "a" * 500, "Training data: 25 NaN in 1 field. More.", "第一句。第二句", "x\ny", "[MS] {summary}"],
)
def test_titles_are_one_bounded_line(report: Report, subject: str, message: str) -> None:
    highlight = msgspec.structs.replace(report.verdict.highlights[0], message=message)
    verdict = msgspec.structs.replace(report.verdict, highlights=[highlight])
    changed = msgspec.structs.replace(report, verdict=verdict)
    title = describe(changed, subject, known().trackers[0], "mindspore/mindspore").title
    assert title.startswith("[MS][") and title.isprintable() and len(title) <= issue.MAX_TITLE
    assert title[5:].index("]") <= issue.MAX_SUBJECT
    assert title.endswith("…") == (len(message) == 500)
    assert ("25 NaN in 1 field" in title) == ("25" in message) and "More" not in title and "第二句" not in title


# --- addresses --------------------------------------------------------------------------------------------------------


def test_a_title_keeps_both_halves_of_a_sentence(report: Report) -> None:
    message = "image: training normalises it (/ 16); evaluation does not. More follows."
    highlight = msgspec.structs.replace(report.verdict.highlights[0], message=message)
    changed = msgspec.structs.replace(report, verdict=msgspec.structs.replace(report.verdict, highlights=[highlight]))
    title = describe(changed, "lenet", known().trackers[0], "mindspore/mindspore").title
    assert title.endswith("training normalises it (/ 16); evaluation does not")


def addressed(report: Report, tracker: Tracker, lines: list[str], title: str = "标题 a&b=c#d+%") -> str:
    return address(tracker, tracker.repo, "", title, lines, "最后 last")


@pytest.mark.parametrize("tracker", TRACKERS)
def test_addresses_decode_back(report: Report, tracker: Tracker) -> None:
    lines = ["一行\n两行 & more=1#2?", *summary(report)]
    url = urlsplit(addressed(report, tracker, lines))
    assert f"{url.scheme}://{url.netloc}" == tracker.base
    assert url.path == f"/{tracker.repo}{tracker.address}"
    if tracker.prefill is None:
        assert not url.query
        return
    query = parse_qs(url.query, strict_parsing=True)
    assert query.pop(tracker.prefill.title) == ["标题 a&b=c#d+%"]
    assert query.pop(tracker.prefill.text) == ["\n\n".join([*lines, "最后 last"])]
    assert {name: value[0] for name, value in query.items()} == tracker.more


def test_the_trackers_as_they_are_known() -> None:
    named = {tracker.name: tracker for tracker in known().trackers}
    assert next(iter(named)) == "atomgit"
    assert named["gitee"].prefill == issue_prefill("title", "description")
    assert named["atomgit"].prefill == issue_prefill("title", "body") and named["gitcode"].prefill is None
    assert named["github"].repo == "mindspore-ai/mindspore" and "template" in named["github"].more
    assert (named["github"].characters, named["github"].zip) == (65_536, 25_000_000)


def issue_prefill(title: str, text: str) -> object:
    from accucheck.report.trackers import Prefill

    return Prefill(title, text)


@pytest.mark.parametrize("character", ["训", "a", "😀", "%", "\udcff", "é"])
def test_long_addresses_are_cut_between_characters(report: Report, character: str) -> None:
    for tracker in known().trackers:
        if tracker.prefill is None:
            continue
        for count in (700, 850, 900, 2000, 100_000):
            url = addressed(report, tracker, ["x", character * count])
            assert len(url) <= issue.MAX_ADDRESS and url.isascii()
            text = parse_qs(urlsplit(url).query, strict_parsing=True, errors="strict")[tracker.prefill.text][0]
            shown = "?" if character == "\udcff" else character
            assert text.startswith(f"x\n\n{shown}") and text.endswith("\n\n最后 last")
            body = text.removeprefix("x\n\n").removesuffix("\n\n最后 last")
            assert body.rstrip("…").strip(shown) == "" and ("…" in body) == (len(body) < count)
            if "…" in body:
                assert len(url) > issue.MAX_ADDRESS - 40, "the room is used"


def test_another_repository_or_site_gets_no_template_of_ours(report: Report) -> None:
    github = next(tracker for tracker in known().trackers if tracker.name == "github")
    url = address(github, "mindspore-lab/mindcv", "https://git.example.com", "t", ["l"], "e")
    assert url == "https://git.example.com/mindspore-lab/mindcv/issues/new?title=t&body=l%0A%0Ae"


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tracker", TRACKERS)
def test_a_long_body_is_cut_and_says_where_the_rest_is(report: Report, tracker: Tracker) -> None:
    lines = ["x" * 1990] * 50

    def longer(part: object) -> object:
        return msgspec.structs.replace(part, lines=lines) if isinstance(part, CodePart) else part

    wide = json_like(report, longer)
    gaps = [msgspec.structs.replace(report.gaps[0], why="训" * 2000)] * 100
    wide = msgspec.structs.replace(wide, gaps=gaps)
    made = of(wide, tracker)
    assert len(made.body) <= tracker.characters
    said = "见附件 x-issue.zip" if report.language is Language.ZH else "see the attachment x-issue.zip"
    assert said in made.body
    tokens = PARSER.parse(made.body)
    assert len(headings(made.body)) >= len(made.blocks), "every field is still there"
    assert sum(token.type == "html_block" for token in tokens) % 2 == 0
    small = of(wide, msgspec.structs.replace(tracker, characters=10))
    assert all(block.text for block in small.blocks)


def json_like(report: Report, change: object) -> Report:
    """The report with `change` applied to each piece of evidence."""
    replace = msgspec.structs.replace

    def item(part):
        return replace(part, results=[replace(r, findings=[finding(f) for f in r.findings]) for r in part.results])

    def finding(part):
        return replace(part, evidence=[change(each) for each in part.evidence] * 3)

    checklists = [
        replace(each, sections=[replace(s, items=[item(i) for i in s.items]) for s in each.sections])
        for each in report.checklists
    ]
    return replace(report, checklists=checklists)


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real project with a real session: the static probes of the faulty example."""
    folder = copy_example("digits_faulty", tmp_path_factory.mktemp("project"))
    ran = accucheck("run", folder, "--only", "dp.03", "--only", "wi.01", timeout=120)
    assert ran.code == 1, ran
    return folder


def filed(project: Path, folder: Path, *arguments: str | Path, lang: str = "en") -> dict:
    ran = accucheck("issue", project, "--output", folder, "--json", "--lang", lang, *arguments, timeout=120)
    assert ran.code in (0, 1), ran
    answer = json.loads(ran.stdout)
    assert (ran.code == 1) == bool(answer["left_out"] or answer["left"]), ran
    return answer


def members(answer: dict) -> dict[str, bytes]:
    """What the attachments hold."""
    found = {}
    for path in answer["attachments"]:
        with zipfile.ZipFile(path) as archive:
            found |= {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    return found


def test_a_user_files_an_issue(project: Path, tmp_path: Path) -> None:
    ran = accucheck(
        "issue", project, "--lang", "zh", "--output", tmp_path, "--include", project / "train.py", "--include", project / "logs",
        timeout=120,
    )  # fmt: skip
    assert ran.code == 0, ran
    lines = ran.out.splitlines()
    assert lines[0].startswith("标题：[MS][DigitNet]") and lines[1].startswith("新建链接：https://atomgit.com/")
    assert lines[2:] == [str(tmp_path / f"digits_faulty-issue.{ending}") for ending in ("md", "fields.txt", "zip")]
    assert "需人工补充的字段：behavior, " in ran.err
    title = lines[0].removeprefix("标题：")
    fields = (tmp_path / "digits_faulty-issue.fields.txt").read_text()
    body = (tmp_path / "digits_faulty-issue.md").read_text()
    assert f"===== title =====\n{title}\n" in fields and "dataset.py:19" in fields
    blocks = [part.split("=====\n", 1)[1].strip() for part in ("\n" + fields).split("\n===== ")[2:]]
    assert len(blocks) == 8 and all(block in body for block in blocks), "the same in one piece and by field"
    subprocess.run(["unzip", "-q", tmp_path / "digits_faulty-issue.zip", "-d", tmp_path], check=True)
    checked = subprocess.run(
        ["md5sum", "--check", "--strict", "manifest.md5"],
        cwd=tmp_path / "digits_faulty-issue",
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0 and not checked.stderr, checked
    names = {line.split(": ")[0] for line in checked.stdout.splitlines()}
    inside = {
        str(path.relative_to(tmp_path / "digits_faulty-issue"))
        for path in (tmp_path / "digits_faulty-issue").rglob("*")
        if path.is_file()
    }
    assert inside - names == {"manifest.md5"} and names <= inside
    assert {
        "include/train.py",
        "include/logs/train.log",
        "environment.txt",
        "environment.json",
        "accucheck.yaml",
    } <= names
    assert {f"report/digits_faulty-accuracy.{ending}" for ending in ("html", "docx", "json")} <= names


def test_nothing_is_overwritten(project: Path, tmp_path: Path) -> None:
    first, second = (filed(project, tmp_path, "--format", "json") for _ in range(2))
    assert (
        Path(first["body"]).name == "digits_faulty-issue.md" and Path(second["body"]).name == "digits_faulty-issue-2.md"
    )
    assert "digits_faulty-issue-2.zip" in second["address"]
    before = {path: hashlib.md5(path.read_bytes()).hexdigest() for path in tmp_path.iterdir()}
    (tmp_path / "digits_faulty-issue.2.zip").write_bytes(b"of an issue that is replaced")
    third = filed(project, tmp_path, "--format", "json", "--force", "--title", "other")
    assert third["body"] == first["body"] and third["title"] == "other"
    after = {path: hashlib.md5(path.read_bytes()).hexdigest() for path in tmp_path.iterdir()}
    assert set(before) == set(after)
    assert all(before[Path(path)] == after[Path(path)] for path in second["attachments"])


def test_what_is_added_is_redacted(project: Path, tmp_path: Path) -> None:
    secrets = ["li" + "@corp-mail.cn", "gh" + "p_" + "A1b2C3d4" * 5, "10.20." + "30.40", str(project)]
    kept = "tokenizer=bert num_tokens: 4096 mindspore 2.10.0 127.0.0.1"
    (tmp_path / "run.log").write_text("\n".join([*(f"seen {secret} there" for secret in secrets), kept]) + "\n")
    answer = filed(project, tmp_path / "out", "--include", tmp_path / "run.log", "--title", f"mail {secrets[0]}")
    with zipfile.ZipFile(answer["attachments"][0]) as archive:
        files = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    log = files["include/run.log"].decode()
    assert kept in log and log.count("seen ") == len(secrets)
    shown = [log, files["manifest.md5"].decode(), answer["title"], answer["address"], Path(answer["body"]).read_text()]
    assert not [secret for secret in secrets for text in shown if secret in text]
    assert "# include/run.log: redacted" in files["manifest.md5"].decode().splitlines()


ADDRESS = "10.20." + "30.40"


def test_what_the_second_pass_finds_marks_the_issue_unfinished(project: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "dump.zip", "w") as archive:
        archive.writestr("host.txt", f"scheduler at {ADDRESS}")
    common = ("--include", tmp_path / "dump.zip", "--format", "json")
    answer = filed(project, tmp_path / "out", *common)
    (left,) = answer["left"]
    assert left["kind"] == "ip" and left["file"].endswith("!digits_faulty-issue/include/dump.zip!host.txt")
    assert ADDRESS not in json.dumps(answer)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {f"digits_faulty-issue-unfinished.{ending}" for ending in ("md", "fields.txt", "zip")}
    assert (
        "digits_faulty-issue-unfinished.zip" in Path(answer["body"]).read_text()
        and "unfinished.zip" in answer["address"]
    )
    ran = accucheck("issue", project, "-o", tmp_path / "told", *common, "--lang", "zh", timeout=120)
    assert ran.code == 1 and f"--allow {left['id']}" in ran.err and "host.txt" in ran.err and ADDRESS not in ran.err, (
        ran
    )
    for accepted in (left["id"], ADDRESS):
        answer = filed(project, tmp_path / "allowed", *common, "--allow", accepted)
        assert not answer["left"] and "unfinished" not in answer["body"]
        with zipfile.ZipFile(io.BytesIO(members(answer)["include/dump.zip"])) as archive:
            assert ADDRESS.encode() in archive.read("host.txt"), "what is no text is not changed"


def test_an_archive_that_cannot_be_looked_into_has_to_be_accepted(project: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04" + bytes(100))
    common = ("--include", tmp_path / "broken.zip", "--format", "json")
    (left,) = filed(project, tmp_path / "out", *common)["left"]
    assert left["kind"] == "unread" and "broken.zip" in left["file"]
    assert not filed(project, tmp_path / "out", *common, "--allow", left["id"])["left"]


def test_without_redaction_everything_stays(project: Path, tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(f"scheduler at {ADDRESS}\n")
    common = ("--include", tmp_path / "run.log", "--format", "json", "--title", f"on {ADDRESS}")
    hidden, allowed = (filed(project, tmp_path, *common, *more) for more in ((), ("--allow", ADDRESS)))
    plain = filed(project, tmp_path, *common, "--no-redact")
    for answer, stays in ((hidden, False), (allowed, True), (plain, True)):
        shown = [answer["title"], answer["address"], Path(answer["fields"]).read_text()]
        shown.append(members(answer)["include/run.log"].decode())
        assert not answer["left"] and [ADDRESS in text for text in shown] == [stays] * 4
    assert hidden["redacted"].get("ip") and not plain["redacted"]


def test_reviews_stay_at_home_unless_asked_for(project: Path, tmp_path: Path) -> None:
    own = tmp_path / "reviewed"
    shutil.copytree(project, own)
    for arguments in (
        ["answer", "dp.03", "problem", "--note", "seen"],
        ["review", "dp.03", "return", "--comment", "who says so"],
    ):
        ran = accucheck(*arguments, "--as", arguments[0].title(), "-p", own)
        assert ran.code == 0, ran
    for more, told in (((), False), (("--reviews",), True)):
        answer = filed(own, tmp_path / "out", "--format", "json", "--format", "html", "--format", "md", *more)
        inside = members(answer)
        texts = [content.decode() for name, content in inside.items() if name.endswith(("y.json", "y.html", "y.md"))]
        assert len(texts) == 3 and all(("who says so" in text) == told for text in texts)
        assert all("seen" in text for text in texts), "what the author wrote is the report"
        assert "who says so" not in Path(answer["body"]).read_text()


def test_what_is_left_out_is_named(project: Path, tmp_path: Path) -> None:
    (tmp_path / "big.bin").write_bytes(bytes(2_000_000))
    answer = filed(project, tmp_path / "out", "--include", tmp_path / "big.bin", "--format", "json")
    assert [each["path"] for each in answer["left_out"]] == ["big.bin"] and "--limit" in answer["left_out"][0]["why"]
    answer = filed(project, tmp_path / "out", "--include", tmp_path / "big.bin", "--limit", "3MB", "--format", "json")
    assert not answer["left_out"]
    ran = accucheck("issue", project, "-o", tmp_path / "none", "--include", tmp_path / "gone.py")
    assert ran.code == 2 and "gone.py" in ran.err and not (tmp_path / "none").exists()


def test_one_field_and_nothing_written(project: Path, tmp_path: Path) -> None:
    ran = accucheck("issue", project, "--field", "mode", "--lang", "en", cwd=tmp_path)
    assert ran.code == 0 and ran.out.splitlines()[0] == "/mode graph", ran
    assert accucheck("issue", project, "--field", "title", cwd=tmp_path).out.startswith("[MS][DigitNet]")
    ran = accucheck("issue", project, "--field", "nose", "--lang", "en", cwd=tmp_path)
    assert ran.code == 2 and "nose is not a field of this form; there are: title, body, behavior, hardware" in ran.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--repo", "mindspore"], "is not a repository"),
        (["--repo", "a/b c"], "is not a repository"),
        (["--repo", "../../x y"], "is not a repository"),
        (["--base-url", "javascript:alert(1)"], "is not the address of a tracker"),
        (["--limit", "none"], "--limit: give a size of at least 100kB"),
        (["--zip-limit", "10"], "--zip-limit: give a size of at least 100kB"),
        (["--tracker", "jira"], "atomgit, gitcode, gitee, github"),
    ],
)
def test_wrong_use_is_said(project: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    ran = accucheck("issue", project, "--lang", "en", "-o", tmp_path / "out", *arguments)
    assert ran.code == 2 and said in ran.err, ran
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("tracker", [tracker.name for tracker in known().trackers])
def test_every_tracker_in_both_languages(project: Path, tmp_path: Path, tracker: str) -> None:
    for lang in ("zh", "en"):
        answer = filed(project, tmp_path, "--tracker", tracker, "--format", "json", lang=lang)
        to = next(each for each in known().trackers if each.name == tracker)
        assert (
            answer["address"].startswith(f"{to.base}/{to.repo}{to.address}")
            and len(answer["address"]) <= issue.MAX_ADDRESS
        )
        assert len(Path(answer["body"]).read_text()) <= to.characters
        for path in answer["attachments"]:
            with zipfile.ZipFile(io.BytesIO(Path(path).read_bytes())) as archive:
                assert archive.testzip() is None and all(
                    not name.startswith(("/", "..")) for name in archive.namelist()
                )


def test_both_languages_on_the_command_line(project: Path, tmp_path: Path) -> None:
    answer = filed(project, tmp_path, "--language", "both", "--format", "html", lang="zh")
    body = Path(answer["body"]).read_text()
    assert "### 硬件环境（`Ascend`/`GPU`/`CPU`）（必填） / Hardware Environment" in body
    assert answer["address"].isascii() and len(answer["address"]) <= issue.MAX_ADDRESS
    with zipfile.ZipFile(answer["attachments"][0]) as archive:
        listed = archive.read("digits_faulty-issue/manifest.md5").decode().splitlines()
        page = archive.read("digits_faulty-issue/report/digits_faulty-accuracy.html").decode()
    assert all(line.startswith("# ") or line[32:34] == "  " for line in listed)
    assert "精度检查报告" in page and "Accuracy check report" in page


def test_without_a_session_there_is_an_issue_of_blanks(tmp_path: Path) -> None:
    project = copy_example("digits", tmp_path)
    answer = filed(project, tmp_path / "out", "--format", "json")
    assert "title" in answer["blanks"] and "behavior" in answer["blanks"] and "expected" in answer["blanks"]
    assert "[TO FILL IN" in answer["title"]


def test_of_a_session_that_came_alone_this_machine_is_not_told(project: Path, tmp_path: Path) -> None:
    answer = filed(project / ".accucheck" / "session.json", tmp_path, "--format", "json")
    assert {"hardware", "software", "mode", "reproduce"} <= set(answer["blanks"])
    with zipfile.ZipFile(answer["attachments"][0]) as archive:
        assert [name.partition("/")[2] for name in archive.namelist()] == [
            "manifest.md5",
            "report/digits_faulty-accuracy.json",
        ]


def test_a_full_disk_leaves_nothing(project: Path, tmp_path: Path) -> None:
    limited = f"ulimit -f 20; exec {sys.executable} -m accucheck issue {project} --lang en --output {tmp_path}/out"
    ran = subprocess.run(["bash", "-c", f"trap '' XFSZ; {limited}"], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 2 and "out" in ran.stderr, ran
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(UserError) as error:
        issue.field_of(Issue("t", "b", [], []), "x")
    assert error.value.code == "issue-field"
