"""The shipped checklists, and what is said about a checklist that is broken."""

import json
import os
import re
from pathlib import Path

import msgspec
import pytest

from accucheck import checklist, document
from accucheck.case import FACTS
from accucheck.errors import UserError
from accucheck.model import Language, Text
from command_line import accucheck

ACCURACY = checklist.folder() / "accuracy.yaml"
IDS = (
    [f"ds.{n:02}" for n in range(1, 5)]
    + [f"dp.{n:02}" for n in range(1, 6)]
    + [f"hp.{n:02}" for n in range(1, 4)]
    + [f"api.{n:02}" for n in range(1, 3)]
    + [f"cg.{n:02}" for n in range(1, 5)]
    + [f"wi.{n:02}" for n in range(1, 3)]
    + [f"mp.{n:02}" for n in range(1, 5)]
)
#: The others and their items; new ones are added as they come.
OTHERS = {
    "comparison": [f"cmp.{number:02}" for number in range(1, 12)],
    "migration": [f"mig.{number:02}" for number in range(1, 6)],
    "performance": [f"perf.{number:02}" for number in range(1, 9)],
    "sanity": [f"san.{number:02}" for number in range(1, 11)],
}
CHINESE = re.compile("[\u3400-\u9fff\u3000-\u303f\uff00-\uffef]")

MINE = """\
name: mine
version: 1
title: {zh: 我的清单, en: My checklist}
sections:
  - id: a
    title: {zh: 第一部分, en: Part one}
    items:
      - id: a.1
        title: {zh: 第一项, en: First}
        method: {zh: 打开看, en: Look}
        conclusions:
          problem: {zh: 有, en: Bad}
          ok: {zh: 无, en: Good}
          not_applicable: {zh: 不适用, en: None}
        remedy: {zh: 改, en: Mend}
        applies: {zh: 都适用, en: All}
"""
REMEDY = "        remedy: {zh: 改, en: Mend}\n"


@pytest.fixture(scope="module")
def accuracy() -> checklist.Checklist:
    return checklist.read(ACCURACY.read_bytes(), str(ACCURACY))


@pytest.fixture(scope="module", params=["accuracy", *OTHERS])
def shipped(request: pytest.FixtureRequest) -> checklist.Checklist:
    """Each shipped checklist in turn."""
    path = checklist.folder() / f"{request.param}.yaml"
    return checklist.read(path.read_bytes(), str(path))


def texts(item: checklist.Item) -> dict[str, Text]:
    return {
        "title": item.title,
        "method": item.method,
        "remedy": item.remedy,
        "applies": item.applies,
        "problem": item.conclusions.problem,
        "ok": item.conclusions.ok,
        "not_applicable": item.conclusions.not_applicable,
        **{f"reference {link.url}": link.title for link in item.references},
        **{f"next {number}": way.text for number, way in enumerate(item.next)},
    }


# --- the shipped checklist ---------------------------------------------------------------------------------------------


def test_the_24_items_in_order(accuracy: checklist.Checklist) -> None:
    assert accuracy.name == "accuracy"
    assert [item.id for item in accuracy.items] == IDS
    assert [section.id for section in accuracy.sections] == ["ds", "dp", "hp", "api", "cg", "wi", "mp"]
    for section in accuracy.sections:
        assert all(item.id.startswith(section.id + ".") for item in section.items)


def test_the_other_checklists_and_their_items(shipped: checklist.Checklist) -> None:
    assert checklist.shipped() == ["accuracy", *OTHERS]
    assert [item.id for item in shipped.items] == {"accuracy": IDS, **OTHERS}[shipped.name]
    for section in shipped.sections:
        assert all(item.id.startswith(section.id + ".") for item in section.items)


def test_no_item_stands_in_two_checklists() -> None:
    ids = [item.id for name in checklist.shipped() for item in checklist.load(name).items]
    assert len(set(ids)) == len(ids)


def test_every_text_is_there_in_both_languages(shipped: checklist.Checklist) -> None:
    named = {f"{item.id} {name}": text for item in shipped.items for name, text in texts(item).items()}
    named["checklist"] = shipped.title
    named |= {section.id: section.title for section in shipped.sections}
    named |= {key: snippet.title for key, snippet in shipped.snippets.items()}
    for name, end in shipped.ends.items():
        named |= {name: end.title, f"{name} advice": end.advice}
    wrong = [
        name
        for name, text in named.items()
        if not CHINESE.search(text.zh) or CHINESE.search(text.en) or not text.en.strip()
    ]
    assert wrong == []


def test_texts_are_plain_lines(shipped: checklist.Checklist) -> None:
    """No Markdown beyond code names, no stray blanks; code names closed on their line; steps numbered without a gap."""
    for item in shipped.items:
        for name, text in texts(item).items():
            for language in Language:
                lines = text[language].split("\n")
                for line in lines:
                    assert line and line == line.strip(), (item.id, name, line)
                    assert not re.match(r"[#>|*-] ", line) and "](" not in line, (item.id, name, line)
                    assert line.count("`") % 2 == 0, (item.id, name, line)
                numbers = [int(match[1]) for line in lines if (match := re.match(r"(\d+)\. ", line))]
                assert numbers == list(range(1, len(numbers) + 1)), (item.id, name, numbers)


def test_both_languages_have_the_same_steps_and_code_names(shipped: checklist.Checklist) -> None:
    """What MindSpore names one language mentions, the other does too; so nothing was left out in translation."""
    for item in shipped.items:
        assert (
            len(re.findall(r"(?m)^\d+\. ", item.method.zh)) == len(re.findall(r"(?m)^\d+\. ", item.method.en)) >= 4
        ), item.id
        for name in ("method", "remedy"):
            zh, en = (
                set(re.findall(r"\b(?:nn|ops|amp|vision|ds|mint)\.\w+", getattr(item, name)[lang])) for lang in Language
            )
            assert zh == en, (item.id, name, zh ^ en)


def test_applicability_asks_only_what_a_case_can_deny(accuracy: checklist.Checklist) -> None:
    asked = {item.id: item.applies_when for item in accuracy.items if item.applies_when}
    scale = ["mixed_precision", "ascend"]
    assert asked == {"dp.05": ["distributed"], "mp.02": scale, "mp.03": scale, "mp.04": scale}
    assert FACTS.issuperset(fact for facts in asked.values() for fact in facts)
    unknown: dict[str, bool | None] = dict.fromkeys(FACTS)
    assert all(item.applicable(unknown) for item in accuracy.items)
    item = checklist.find([accuracy], "mp.02")
    assert not item.applicable({**unknown, "mixed_precision": False, "ascend": False})
    assert item.applicable({**unknown, "mixed_precision": False, "ascend": True})


def test_titles_differ_and_references_are_https(shipped: checklist.Checklist) -> None:
    for language in Language:
        titles = [item.title[language] for item in shipped.items]
        assert len(set(titles)) == len(titles)
    for item in shipped.items:
        urls = [link.url for link in item.references]
        assert urls and len(set(urls)) == len(urls), item.id
        assert all(re.fullmatch(r"https://[a-z.]+\.(cn|org)/[\w./-]+", url) for url in urls), urls


@pytest.mark.parametrize("name", ["accuracy", *OTHERS])
def test_every_probe_named_exists_and_takes_its_parameters(name: str) -> None:
    path = checklist.folder() / f"{name}.yaml"
    checklist.validate(path.read_bytes(), str(path))


@pytest.mark.mindspore
def test_the_names_it_gives_exist_in_mindspore(shipped: checklist.Checklist) -> None:
    """nn.Dense and the like are looked up in the MindSpore that is installed: a stale name misleads whoever follows it."""
    import mindspore
    from mindspore import amp, mint, nn, ops
    from mindspore import dataset as ds
    from mindspore.dataset import transforms, vision

    roots = {"nn": nn, "ops": ops, "amp": amp, "ds": ds, "mint": mint, "vision": vision, "transforms": transforms}
    missing = set()
    for item in shipped.items:
        words = item.method.en + item.remedy.en
        for path in re.findall(r"`[^`]*`", words):
            for root, name in re.findall(r"\b(nn|ops|amp|ds|mint|vision|transforms)\.([A-Za-z]\w+)", path):
                missing |= set() if hasattr(roots[root], name) else {f"{root}.{name}"}
            for dotted in re.findall(r"\bmindspore((?:\.\w+)+)", path):
                value = mindspore
                for name in dotted.split(".")[1:]:
                    value = getattr(value, name, None)
                missing |= set() if value is not None else {"mindspore" + dotted}
    assert missing == set()


def test_the_json_schema_is_current() -> None:
    stored = (checklist.folder() / "checklist.schema.json").read_text(encoding="utf-8")
    assert stored == json.dumps(checklist.schema(), indent=2, ensure_ascii=False) + "\n", (
        "write it again: json.dumps(checklist.schema(), indent=2, ensure_ascii=False)"
    )
    for name in checklist.shipped():
        first = (checklist.folder() / f"{name}.yaml").read_text(encoding="utf-8").split("\n")[0]
        assert first == "# yaml-language-server: $schema=checklist.schema.json"


# --- what is wrong with a checklist, and where -------------------------------------------------------------------------


def refused(text: str | bytes, read=checklist.read) -> UserError:
    with pytest.raises(UserError) as caught:
        read(text if isinstance(text, bytes) else text.encode(), "mine.yaml")
    for language in Language:
        assert "{" not in caught.value.text(language)
    return caught.value


@pytest.mark.parametrize(
    ("text", "code", "line", "words"),
    [
        (MINE.replace("remedy:", "remdy:"), "yaml-unknown-key", 15, "Did you mean remedy?"),
        (MINE.replace("not_applicable:", "notapplicable:"), "yaml-unknown-key", 14, "Did you mean not_applicable?"),
        (MINE.replace("version", "zzz"), "yaml-unknown-key", 2, "name, version, title, sections"),
        (MINE.replace(REMEDY, ""), "yaml-missing-key", 8, "remedy is missing in sections.0.items.0"),
        (MINE.replace("{zh: 打开看, en: Look}", "{zh: 打开看}"), "yaml-missing-key", 10, "en is missing"),
        ("", "yaml-missing-key", 1, "the top level"),
        ("# nothing yet\n", "yaml-missing-key", 1, "the top level"),
        ("42", "yaml-type", 1, "the top level should be a mapping (key: value), not a whole number"),
        (MINE.replace("version: 1", "version: one"), "yaml-type", 2, "version should be a whole number, not text"),
        (
            MINE.replace("{zh: 第一项, en: First}", "第一项"),
            "yaml-type",
            9,
            "title should be a mapping (key: value), not text",
        ),
        (MINE.replace("id: a.1", "id: 7"), "yaml-type", 8, "id should be text, not a whole number"),
        (MINE + "        probes: [null]\n", "yaml-type", 17, "probes.0"),
        (MINE + "        probes: [{name: x, parms: {}}]\n", "yaml-unknown-key", 17, "Did you mean params?"),
        (MINE + MINE[MINE.index("      - id: a.1") :], "duplicate-item", 17, "a.1 appears twice"),
        (MINE + "        applies_when: [ascned]\n", "yaml-unknown-key", 17, "Did you mean ascend?"),
        (MINE + REMEDY, "yaml-duplicate-key", 17, "remedy appears twice"),
        (MINE.replace("name: mine", "name: [mine"), "yaml-syntax", 2, "not valid YAML"),
        (MINE.replace("  - id: a\n", "\t- id: a\n"), "yaml-syntax", 5, "not valid YAML"),
        (MINE + "---\n" + MINE, "yaml-syntax", 17, "another document"),
        (MINE.replace("mine", "!!python/object/apply:os.getcwd []"), "yaml-syntax", 1, "not valid YAML"),
        (MINE.replace("mine", "2024-13-45"), "yaml-syntax", 1, "month"),
        (MINE + "\0", "yaml-syntax", 17, "control characters"),
        ("a: &a [x]\n" + "".join(f"b{n}: [*a, *a, *a]\n" for n in range(9)), "yaml-nesting", 7, "aliases"),
        (MINE + "        probes: [{name: x, params: &p {q: *p}}]\n", "yaml-nesting", 17, "Write it out"),
        ("[" * 5000, "yaml-nesting", 1, "nested too deeply"),
        ("\n".join(" " * n + "a:" for n in range(60)), "yaml-nesting", 41, "nested too deeply"),
        (MINE.encode("gbk"), "yaml-encoding", 3, "UTF-8"),
        (MINE.encode() + b"# caf\xe9\n", "yaml-encoding", 17, "UTF-8"),
    ],
)
def test_a_broken_checklist_is_refused_with_its_line(text: str | bytes, code: str, line: int, words: str) -> None:
    error = refused(text)
    assert (error.code, error.data["line"]) == (code, line)
    assert words in error.text(Language.EN)
    assert f"mine.yaml:{line}" in error.text(Language.ZH)


def test_a_probe_that_does_not_exist_is_refused_by_validate_alone() -> None:
    text = MINE + "        probes:\n          - zero_weigths\n"
    checklist.read(text.encode(), "mine.yaml")
    error = refused(text, checklist.validate)
    assert (error.code, error.data["line"]) == ("unknown-probe", 18)
    assert "Did you mean zero_weights?" in str(error)


@pytest.mark.part(3)
def test_a_probe_that_does_not_import_is_named_with_its_line(fakes: Path, tmp_path: Path) -> None:
    text = MINE + "        probes:\n          - fake_broken\n"
    error = refused(text, checklist.validate)
    assert (error.code, error.data["line"], error.data["name"]) == ("broken-probe", 18, "fake_broken")
    assert "no_such_module" in error.text(Language.EN) and "无法导入" in error.text(Language.ZH)
    (tmp_path / "mine.yaml").write_text(text, "utf-8")
    (tmp_path / "accucheck.yaml").write_text("name: x\n")
    said = accucheck("validate", tmp_path, "--checklist", tmp_path / "mine.yaml")
    assert said.code == 2 and "mine.yaml:18" in said.err
    told = accucheck("explain", checklist.read(text.encode(), "x").items[-1].id, "--checklist", tmp_path / "mine.yaml")
    assert told.code == 0 and "no_such_module" in told.out


def test_a_parameter_that_a_probe_does_not_have_is_refused_by_validate() -> None:
    text = MINE + "        probes:\n          - name: zero_weights\n            params: {no_such_parameter: 1}\n"
    error = refused(text, checklist.validate)
    assert (error.code, error.data["line"]) == ("yaml-value", 19)
    assert "no_such_parameter" in str(error)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_encodings_and_line_ends_of_any_editor(encoding: str, newline: str) -> None:
    found = checklist.read(MINE.replace("\n", newline).encode(encoding), "mine.yaml")
    assert found.items[0].title == Text(zh="第一项", en="First")


def test_an_alias_of_ones_own_is_fine() -> None:
    text = MINE.replace("{zh: 打开看, en: Look}", "&look {zh: 打开看, en: Look}").replace("{zh: 改, en: Mend}", "*look")
    item = checklist.read(text.encode(), "mine.yaml").items[0]
    assert item.remedy == item.method


# --- loading -----------------------------------------------------------------------------------------------------------


def test_a_checklist_of_ones_own_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.yaml").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("mine.yaml", "./mine.yaml", str(tmp_path / "mine.yaml")):
        assert checklist.load(name).name == "mine"


def test_an_unknown_name_lists_what_is_shipped() -> None:
    with pytest.raises(UserError) as caught:
        checklist.load("acuracy")
    assert caught.value.code == "unknown-checklist"
    assert "accuracy" in str(caught.value)
    assert checklist.shipped()[0] == "accuracy"


def test_an_unknown_item_names_the_nearest(accuracy: checklist.Checklist) -> None:
    with pytest.raises(UserError) as caught:
        checklist.find([accuracy], "ds.9")
    assert caught.value.code == "unknown-item"
    assert "Did you mean ds.0" in str(caught.value)


def test_an_item_of_another_shipped_checklist_names_it(accuracy: checklist.Checklist) -> None:
    with pytest.raises(UserError) as caught:
        checklist.find([accuracy], "san.02")
    assert caught.value.code == "unknown-item"
    assert "--checklist sanity" in str(caught.value)
    assert "sanity" in caught.value.text(Language.ZH)


def test_several_checklists_each_once_and_apart(tmp_path: Path) -> None:
    both = checklist.load_all(["accuracy", "comparison", "accuracy"])
    assert [one.name for one in both] == ["accuracy", "comparison"]
    (tmp_path / "mine.yaml").write_text(MINE.replace("a.1", "cmp.01"), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        checklist.load_all(["accuracy", "comparison", str(tmp_path / "mine.yaml")])
    assert (caught.value.code, caught.value.data) == (
        "item-in-two",
        {"item": "cmp.01", "one": "comparison", "other": "mine"},
    )


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "large.yaml").write_bytes(b"#" * (document.MAX_BYTES + 1))
    expected = {"missing": "not-found", "folder": "is-directory", "pipe": "not-regular", "large": "too-large"}
    for name, code in expected.items():
        with pytest.raises(UserError) as caught:
            checklist.load(str(tmp_path / f"{name}.yaml"))
        assert caught.value.code == code
        assert caught.value.data["path"].endswith(f"{name}.yaml")


def cached(home: Path) -> list[Path]:
    return sorted((home / ".cache" / "accucheck").glob("*"))


def test_the_second_load_comes_from_the_cache_and_is_equal(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = checklist.load("accuracy")
    assert [path.suffix for path in cached(home)] == [".json"]
    monkeypatch.setattr(checklist, "read", None)
    assert checklist.load("accuracy") == first


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(MINE, encoding="utf-8")
    assert checklist.load(str(path)).version == 1
    path.write_text(MINE.replace("version: 1", "version: 2"), encoding="utf-8")
    assert checklist.load(str(path)).version == 2


@pytest.mark.parametrize("content", [b"", b"{}", b"not json", b"\xff\xfe"])
def test_a_damaged_cache_is_replaced(home: Path, content: bytes) -> None:
    first = checklist.load("accuracy")
    (file,) = cached(home)
    file.write_bytes(content)
    assert checklist.load("accuracy") == first
    assert msgspec.json.decode(file.read_bytes(), type=checklist.Checklist) == first


@pytest.mark.parametrize("where", ["a file", "/dev/null", "/proc/accucheck", "read-only"])
def test_a_cache_that_cannot_be_written_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    place = Path(where)
    if where == "a file":
        place = tmp_path / "cache"
        place.write_text("")
    elif where == "read-only":
        place = tmp_path / "cache"
        place.mkdir(mode=0o500)
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    assert [item.id for item in checklist.load("accuracy").items] == IDS
    if where == "a file":
        assert place.read_text() == ""
