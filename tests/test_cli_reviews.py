"""review, sign-off, diff and status as a user types them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from command_line import accucheck, copy_example

pytestmark = pytest.mark.part(40)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in which Li concluded two items."""
    root = copy_example("digits_faulty", tmp_path)
    for item, conclusion in (("ds.01", "ok"), ("dp.03", "problem")):
        assert accucheck("answer", item, conclusion, "--as", "Li", "--note", "mine", "-p", root).code == 0
    return root


def status(root: Path) -> dict:
    return json.loads(accucheck("status", root, "--json").stdout)


def test_both_voices_in_status(project):
    assert accucheck("review", "dp.03", "accept", "--as", "Wang", "-p", project).out == "dp.03: accepted\n"
    told = accucheck(
        "review", "ds.01", "return", "--comment", "为什么？", "--as", "Wang", "-p", project, "--lang", "zh"
    )
    assert told.out == "ds.01：退回\n"
    ran = accucheck("status", project, "--lang", "zh")
    assert "无问题 (Li) mine\n       退回，Wang：为什么？\n" in ran.out
    assert "评审：通过 1，退回 1，待评审 0\n未签署\n" in ran.out
    found = status(project)
    rows = {row["id"]: row for row in found["items"]}
    review = rows["ds.01"]["review"]
    assert (review["judgement"], review["comment"], review["by"], review["outdated"]) == (
        "returned",
        "为什么？",
        "Wang",
        False,
    )
    assert rows["ds.01"]["by"] == "Li" and rows["ds.02"]["review"] is None
    assert found["summary"]["review"] == {"accepted": 1, "returned": 1, "to_review": 0} and found["sign_off"] is None
    assert accucheck("answer", "ds.01", "problem", "--as", "Li", "-p", project).code == 0
    assert "to review again (was returned), Wang" in accucheck("status", project).out
    assert status(project)["summary"]["review"] == {"accepted": 1, "returned": 0, "to_review": 1}
    assert accucheck("review", "dp.03", "withdraw", "--as", "Wang", "-p", project).code == 0
    assert {row["id"]: row for row in status(project)["items"]}["dp.03"]["review"] is None


@pytest.mark.parametrize(
    ("arguments", "english", "chinese"),
    [
        ("review", "ITEM is missing", "缺少 ITEM"),
        ("review dp.03", "JUDGEMENT is missing", "缺少 JUDGEMENT"),
        ("review dp.03 maybe", "give one of accept, return, withdraw", "只能是 accept, return, withdraw 之一"),
        ("review dp.03 return --as Wang", "cannot be returned without a comment", "须说明原因"),
        ("review dp.03 accept --as li", "a review is somebody else's", "应由他人评审"),
        ("review ds.02 accept --as Wang", "ds.02 has no conclusion yet", "ds.02 尚未填写结论"),
        ("review zz.99 accept --as Wang", "zz.99", "zz.99"),
        ("review dp.03 withdraw", "dp.03 has no review", "dp.03 没有评审意见"),
        ("review --import nowhere.json", "nowhere.json", "nowhere.json"),
        ("review dp.03 accept --import x.json", "--import takes everything from the copy", "--import 直接合入副本"),
        ("sign-off --as Wang", "Without a conclusion (22): ds.02", "未填写结论（22 项）：ds.02"),
        ("sign-off --withdraw", "Nothing has been signed off", "尚未签署评审"),
        ("diff nowhere.json", "nowhere.json", "nowhere.json"),
        ("diff accucheck.yaml data.md5", "data.md5 is not a session", "data.md5 不是 accucheck 的会话文件"),
        ("run --diff --no-session", "--diff compares with the recorded results", "--diff 与已记录的结果比较"),
        ("--role boss", "give one of author, reviewer", "只能是 author, reviewer 之一"),
    ],
)
def test_wrong_use_is_told_and_changes_nothing(project, arguments, english, chinese):
    before = (project / ".accucheck" / "session.json").read_bytes()
    for language, words in (("en", english), ("zh", chinese)):
        ran = accucheck(*arguments.split(), "--lang", language, cwd=project)
        assert ran.code == 2 and words in ran.err and ran.out == "", ran
    assert (project / ".accucheck" / "session.json").read_bytes() == before


def test_a_review_by_mail(project, tmp_path):
    """The author sends the session alone, the reviewer answers in it, the author takes the review back."""
    sent = tmp_path / "li.json"
    shutil.copy(project / ".accucheck" / "session.json", sent)
    assert accucheck("review", "dp.03", "accept", "--as", "Wang", "-p", sent).code == 0
    assert accucheck("review", "ds.01", "return", "--comment", "why?", "--as", "Wang", "-p", sent).code == 0
    assert "ds.01" in accucheck("status", sent).out
    ran = accucheck("run", sent)
    assert ran.code == 2 and "a session without its project" in ran.err
    for command in ("fix", "labels"):
        assert accucheck(command, sent).code == 2
    assert accucheck("report", sent, "--format", "md", "-o", tmp_path / "out").code == 0
    text = next((tmp_path / "out").glob("*.md")).read_text()
    assert "why?" in text and "MindSpore | " not in text  # this machine's environment is not the author's
    assert accucheck("answer", "ds.01", "problem", "--as", "Li", "-p", project).code == 0
    ran = accucheck("review", "--import", sent, "-p", project)
    assert ran.code == 1 and "reviews taken (2): ds.01, dp.03" in ran.out and "reviewed again: ds.01" in ran.err
    rows = {row["id"]: row for row in status(project)["items"]}
    assert rows["dp.03"]["review"]["by"] == "Wang" and rows["ds.01"]["review"]["outdated"]
    assert rows["ds.01"]["conclusion"] == "problem"


def test_a_sign_off_and_what_voids_it(project):
    items = [row["id"] for row in status(project)["items"]]
    from accucheck.model import Verdict
    from accucheck.session import Judgement, open_session

    with open_session(project) as session:
        for item in items:
            if session.entry(item).conclusion is None:
                session.answer(item, Verdict.NOT_APPLICABLE, who="Li")
            session.review(item, Judgement.ACCEPTED, who="Wang")
    ran = accucheck("sign-off", project, "--as", "Wang", "--comment", "good work")
    assert ran.code == 0 and ran.out.startswith("signed off by Wang") and "(24 items)" in ran.out
    assert status(project)["sign_off"]["changed"] == []
    assert accucheck("answer", "hp.01", "ok", "--as", "Li", "-p", project).code == 0
    assert "void, as these have changed since: hp.01" in accucheck("status", project).out
    assert status(project)["sign_off"]["changed"] == ["hp.01"]
    assert accucheck("sign-off", project, "--withdraw").out == "not signed off\n"


def test_the_proof_of_a_mend(project, tmp_path):
    """Faults are found, mended by the patch, and the difference shows that they are gone."""
    only = [part for item in ("dp.03", "wi.01") for part in ("--only", item)]
    assert accucheck("run", project, *only, "--kind", "static", "--format", "json").code == 1
    before = tmp_path / "before.json"
    before.write_bytes(accucheck("run", project, *only, "--kind", "static", "--json").stdout)
    assert accucheck("diff", before, project).code == 1  # ds.01, which that run left out
    kept = tmp_path / "session.json"
    shutil.copy(project / ".accucheck" / "session.json", kept)
    assert accucheck("diff", kept, project).code == 0
    patch = accucheck("fix", project).stdout
    subprocess.run(["git", "apply", "-"], input=patch, cwd=project, check=True)
    ran = accucheck("diff", kept, project)
    assert ran.code == 0 and "run these again" in ran.err and "dp.03" in ran.err  # mended, but nothing has looked yet
    ran = accucheck("run", project, *only, "--kind", "static", "--diff", "--lang", "zh")
    assert ran.code == 0 and "此前的记录 → 本次运行" in ran.out and ran.out.count("- 已消除") == 3, ran
    ran = accucheck("diff", kept, "--json", cwd=project)
    found = json.loads(ran.stdout)
    assert (
        ran.code == 1
        and not found["same"]
        and {seen["item"] for seen in found["findings"]["gone"]} == {"dp.03", "wi.01"}
    )
    assert found["findings"]["new"] == found["findings"]["unknown"] == []
    marked = accucheck("diff", kept, project, "--format", "md").out
    assert marked.startswith("# ") and marked.count("| gone |") == 3
    assert "still there" not in accucheck("diff", kept, project).out.replace("still there 0", "")
    assert accucheck("report", project, "--format", "md", "-o", tmp_path / "out", "--since", kept).code == 0
    text = next((tmp_path / "out").glob("*.md")).read_text()
    assert "Changes since the last round" in text and text.count("| gone |") == 3
