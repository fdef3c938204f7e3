"""The documents: links, commands, code blocks and generated parts agree with the code, and nothing private is committed."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import io
import itertools
import os
import re
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
import yaml

import example_findings
import rewriting
from accucheck import case, checklist, cli, engine, errors, probe, settings
from accucheck.cli.words import WORDS as COMMAND_WORDS
from accucheck.language import Language
from accucheck.model import Finding, Level, ProbeResult, Status, Verdict
from accucheck.tui.words import WORDS as SCREEN_WORDS

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path
    for folder in (
        ROOT,
        ROOT / "docs",
        ROOT / "docs/reference",
        ROOT / "docs/items",
        ROOT / "docs/probes",
        ROOT / "reports",
        *sorted((ROOT / "examples").iterdir()),
    )
    if folder.is_dir()
    for path in folder.glob("*.md")
)
PAIRS = [
    ("README.md", "README.zh.md"),
    ("docs/guide.en.md", "docs/guide.zh.md"),
    ("docs/troubleshooting.en.md", "docs/troubleshooting.zh.md"),
    ("docs/watch.en.md", "docs/watch.zh.md"),
    ("docs/try.en.md", "docs/try.zh.md"),
    ("docs/tune.en.md", "docs/tune.zh.md"),
    ("docs/agents.en.md", "docs/agents.zh.md"),
    ("docs/README.md", "docs/README.zh.md"),
]
GENERATED = [
    (named, named.replace(".en.", ".zh."))
    for folder in ("items", "reference")
    for named in (str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs" / folder).glob("*.en.md")))
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(path: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(path.read_text(encoding="utf-8")) if kind == language]


def headings(text: str) -> list[str]:
    return re.findall(r"^(#+) ", BLOCK.sub("", text), re.M)


@functools.cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, made as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text(encoding="utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", title.replace("`", "").lower()).replace(" ", "-") for title in titles}


# --- links --------------------------------------------------------------------------------------------------------------


@pytest.mark.part(40)
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?://", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), f"{named(page)}: {target}"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{named(page)}: {target}"


def test_every_page_is_reached_from_a_readme() -> None:
    reached, ahead = set(), [ROOT / "README.md", ROOT / "README.zh.md"]
    while ahead:
        page = ahead.pop()
        if page in reached:
            continue
        reached.add(page)
        links = re.findall(r"\]\(([^)\s#]+\.md)[)#]", BLOCK.sub("", page.read_text(encoding="utf-8")))
        ahead += [(page.parent / link).resolve() for link in links if "://" not in link]
    assert not [named(page) for page in PAGES if page not in reached and page.parent.parent.name != "examples"]


# --- commands -----------------------------------------------------------------------------------------------------------


def commands(text: str) -> list[list[str]]:
    """The accucheck commands of a shell block, as words without comments."""
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if "accucheck" in words and "pip" not in words:
            words = words[words.index("accucheck") + 1 :]
            end = next((i for i, word in enumerate(words) if word in ("|", "||", "&&", ";", ">")), len(words))
            found.append(words[:end])
    return found


SHELL = [(page, words) for page in PAGES for text in blocks(page, "sh") for words in commands(text)]


@pytest.mark.parametrize(
    ("page", "words"), SHELL, ids=lambda value: " ".join(value) if isinstance(value, list) else None
)
def test_commands_are_understood(page: Path, words: list[str]) -> None:
    """Parsed by the real command line, without running anything."""
    assert not words or words[0] in cli.COMMANDS or words[0].startswith("-"), words
    at = next((index for index, word in enumerate(words) if word in cli.COMMANDS), len(words))
    group = cli.root()
    context = group.make_context("accucheck", words[:at])
    for name in words[at : at + 1]:
        command = group.get_command(context, name)
        assert command is not None
        command.make_context(name, words[at + 1 :], parent=context)


def test_there_are_commands_to_understand() -> None:
    assert len(SHELL) >= 20


def test_options_and_make_targets_named_in_the_text_exist() -> None:
    group = cli.root()
    known = {"--help"} | {option for parameter in group.params for option in parameter.opts}
    for name in cli.COMMANDS:
        known |= {option for parameter in group.get_command(None, name).params for option in parameter.opts}  # type: ignore[arg-type,union-attr]
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.M))
    for page in PAGES:
        if page.parent.name == "reference":
            continue
        text = page.read_text(encoding="utf-8")
        for option in re.findall(r"`(--[a-z-]+)", text):
            assert option in known | {"--check", "--screenshots"}, f"{named(page)}: {option}"
        for target in re.findall(r"\bmake ([a-z]+)(?=[` ]* {2,}#|`)", text):
            assert target in targets, f"{named(page)}: make {target}"
        for name in re.findall(r"`accucheck ([a-z][a-z-]*)", text):
            assert name in cli.COMMANDS, f"{named(page)}: accucheck {name}"


# --- two languages ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0])
def test_both_languages_have_the_same_parts(pair: tuple[str, str]) -> None:
    english, chinese = ((ROOT / name).read_text(encoding="utf-8") for name in pair)
    assert headings(english) == headings(chinese)
    assert [kind for kind, _ in BLOCK.findall(english)] == [kind for kind, _ in BLOCK.findall(chinese)]
    assert english.count("\n| ") == chinese.count("\n| ")
    english_shell, chinese_shell = (
        [words[:1] for text in blocks(ROOT / name, "sh") for words in commands(text)] for name in pair
    )
    assert english_shell == chinese_shell


@pytest.mark.parametrize("pair", GENERATED, ids=lambda pair: pair[0])
def test_generated_pages_have_the_same_parts(pair: tuple[str, str]) -> None:
    english, chinese = ((ROOT / name).read_text(encoding="utf-8") for name in pair)
    assert headings(english) == headings(chinese)
    assert [kind for kind, _ in BLOCK.findall(english)] == [kind for kind, _ in BLOCK.findall(chinese)]


# --- what the program says ----------------------------------------------------------------------------------------------


def messages(language: str) -> list[re.Pattern[str]]:
    """The first line of all that the program says, with any values filled in; not what is hardly more than its values."""
    tables = [errors.WORDS, probe.REASONS, COMMAND_WORDS, SCREEN_WORDS]
    said = [re.split(r"\{[^{}]*\}", entry[language].split("\n")[0]) for table in tables for entry in table.values()]
    return [re.compile(".+".join(map(re.escape, texts))) for texts in said if len("".join("".join(texts).split())) > 4]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_troubleshooting_quotes_is_what_the_program_says(language: str) -> None:
    known = messages(language)
    quoted = re.findall(r"^> (.*)$", (ROOT / f"docs/troubleshooting.{language}.md").read_text(encoding="utf-8"), re.M)
    assert len(quoted) >= 20
    assert not [line for line in quoted if not any(message.fullmatch(line) for message in known)]


# --- examples in the documents ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [ROOT / name for pair in PAIRS for name in pair if "README" not in name], ids=named)
def test_yaml_blocks_are_a_case_a_checklist_or_settings(page: Path) -> None:
    found = blocks(page, "yaml")
    assert found
    for text in found:
        if "sections:" in text:
            assert checklist.validate(text.encode(), "block").items
        elif "theme:" in text:
            assert msgspec.convert(yaml.safe_load(text), settings.Settings).keys
        else:
            msgspec.convert(yaml.safe_load(text), case.CaseFile)


@pytest.mark.part(2)
@pytest.mark.parametrize("page", [ROOT / name for name in PAIRS[1]], ids=named)
def test_the_json_shape_is_that_of_the_program(page: Path, tmp_path: Path) -> None:
    (shown,) = (msgspec.json.decode(text) for text in blocks(page, "json"))
    faulty = ROOT / "examples/digits_faulty"
    command = [sys.executable, "-m", "accucheck", "run", str(faulty), "--json", "--only", "wi.01", "--no-session"]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == 1, done.stderr.decode()
    made = msgspec.json.decode(done.stdout)

    def keys(value: object, path: str = "") -> set[str]:
        if isinstance(value, dict):
            if path.endswith(".data"):
                return set()
            return {f"{path}.{key}" for key in value}.union(
                *(keys(below, f"{path}.{key}") for key, below in value.items())
            )
        return keys(value[0], path) if isinstance(value, list) and value else set()

    assert keys(shown) == keys(made)
    finding = shown["items"][0]["results"][0]["findings"][0]
    first = made["items"][0]["results"][0]["findings"][0]
    assert (finding["code"], finding["level"], finding["where"]) == (first["code"], first["level"], first["where"])
    assert shown["summary"] == made["summary"]


# --- the probe of docs/writing-a-probe.md -------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The page's probe, installed as a package of its own for this process and its children."""
    page = ROOT / "docs/writing-a-probe.md"
    (code,), (project,) = blocks(page, "python"), blocks(page, "toml")
    found = re.search(r'^\[project.entry-points."accucheck.probes"\]\n(\w+) = "([\w.]+)"$', project, re.M)
    assert found is not None
    (name, module), folder = found.groups(), tmp_path / "site"
    path = folder.joinpath(*module.split(".")).with_suffix(".py")
    path.parent.mkdir(parents=True)
    path.with_name("__init__.py").touch()
    path.write_text(code, encoding="utf-8")
    about = folder / "team_probes-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: team-probes\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[accucheck.probes]\n{name} = {module}\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    yield tmp_path
    for loaded in [loaded for loaded in sys.modules if loaded.partition(".")[0] == "team_probes"]:
        del sys.modules[loaded]


def run(examined: case.Case, params: dict[str, object]) -> ProbeResult:
    job = engine.Job("split.01", "shared_rows", params)
    (result,) = [e.result for e in engine.run(examined, [job]) if isinstance(e, engine.Finished)]
    return result


def above_info(findings: list[Finding]) -> list[str]:
    return [finding.code for finding in findings if finding.level is not Level.INFO]


def test_the_documented_probe_runs_through_the_engine(package: Path) -> None:
    module = probe.load("shared_rows")
    assert "shared_rows" in probe.names()
    assert {example.verdict for example in module.EXAMPLES} >= {Verdict.OK, Verdict.PROBLEM}
    for number, example in enumerate(module.EXAMPLES):
        examined = example.lay_out(package / str(number))
        result = run(examined, example.params)
        assert (result.status, result.suggestion) == (Status.DONE, example.verdict), result.log
        assert tuple(above_info(result.findings)) == example.codes
        for finding in result.findings:
            for language in Language:
                assert "{" not in probe.message(module, finding.code, finding.data, language)


def test_the_documented_probe_says_what_it_cannot_do(package: Path) -> None:
    (package / "empty").mkdir()
    paths = {"data": {"train": {"path": "empty"}, "eval": {"path": "empty"}}}
    skipped = run(case.Case(str(package), msgspec.convert(paths, case.CaseFile)), {})
    assert skipped.status is Status.SKIPPED and skipped.reason is not None and skipped.reason.code == "no-csv"
    assert "empty" in probe.reason_text("shared_rows", skipped.reason, Language.ZH)
    paths = {"data": {"train": {"path": "gone.csv"}, "eval": {"path": "gone.csv"}}}
    failed = run(case.Case(str(package), msgspec.convert(paths, case.CaseFile)), {})
    assert failed.status is Status.FAILED and failed.reason is not None and failed.reason.code == "not-found"


def test_the_documented_checklist_names_the_probe(package: Path) -> None:
    (text,) = blocks(ROOT / "docs/writing-a-probe.md", "yaml")
    (item,) = checklist.validate(text.encode(), "team.yaml").items
    assert [use.name for use in item.uses] == ["shared_rows"]


def test_the_documented_rule_finds_its_fault_however_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule of docs/writing-a-rule.md, on its examples and on all rewrites of them."""
    (code,) = blocks(ROOT / "docs/writing-a-rule.md", "python")
    (tmp_path / "documented_rule.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    rule: Any = importlib.import_module("documented_rule")
    verdicts = {example.verdict for example in rule.EXAMPLES}
    assert verdicts == {Verdict.OK, Verdict.PROBLEM}
    for example in rule.EXAMPLES:
        assert set(above_info(example_findings.run(rule, example))) == set(example.codes)
        for rewrite in rewriting.rewrites():
            rewritten = rewrite({"train.py": example.files["train.py"]}, "train.py")
            if rewritten is not None:
                told = example_findings.run(rule, example_findings.like(example, files=rewritten))
                assert set(above_info(told)) == set(example.codes), rewrite.__name__
    del sys.modules["documented_rule"]


# --- generated parts ----------------------------------------------------------------------------------------------------


def generate(*arguments: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "docs/generate.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.part(40)
def test_generated_parts_are_current() -> None:
    done = generate("--check")
    assert done.returncode == 0, done.stdout + done.stderr


def said_to_be_wrong(module: Any) -> set[str]:
    """The codes that the source of a probe names next to a level above info, as an argument, an entry or a value."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        pairs: Any = ()
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
        elif isinstance(node, ast.Call):
            pairs = itertools.pairwise(node.args)
        elif isinstance(node, ast.Tuple):
            pairs = itertools.pairwise(node.elts)
        for code, level in pairs:
            named = {ast.unparse(each) for each in ast.walk(level)}
            if isinstance(code, ast.Constant) and named & {"Level.PROBLEM", "Level.SUSPECT"}:
                found.add(str(code.value))
    return found & set(module.MESSAGES)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_of_watched_findings_has_an_example_of_each_that_accuses(language: str) -> None:
    text = (ROOT / f"docs/reference/watched-findings.{language}.md").read_text(encoding="utf-8")
    shown: dict[str, set[str]] = {}
    for section in text.split("\n### [")[1:]:
        shown.setdefault(section.partition("]")[0], set()).update(re.findall(r"^#### `(.+)`$", section, re.M))
    watching = {name for name in probe.names() if any("watched" in str(need) for need in probe.load(name).NEEDS)}
    assert len(shown) > 15
    assert shown.keys() <= watching
    for name, codes in shown.items():
        module = probe.load(name)
        assert said_to_be_wrong(module) <= set(module.WHY), f"{name}: why it matters is not told"
        assert set(module.WHY) == codes, f"{name}: no example, or one of what accuses nobody"


@pytest.mark.part(40)
def test_what_is_stale_is_named_and_made_again(tmp_path: Path) -> None:
    for name in ("docs", "checklists", "README.md", "README.zh.md"):
        source = ROOT / name
        files = [path for path in source.rglob("*") if path.is_file()] if source.is_dir() else [source]
        for path in files:
            target = tmp_path / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    keys = tmp_path / "docs/reference/keys.en.md"
    keys.write_text("old")
    (tmp_path / "docs/reference/case.zh.md").unlink()
    obsolete = tmp_path / "docs/items/ds.99.en.md"
    obsolete.write_text("of an item that is gone")
    readme = tmp_path / "README.md"
    right = readme.read_text(encoding="utf-8")
    readme.write_text(right.replace("[wi.01]", "[wi.99]"), encoding="utf-8")
    stale = generate("--check", root=tmp_path)
    assert stale.returncode == 1
    assert {line.split()[1] for line in stale.stdout.splitlines() if line.startswith("stale:")} == {
        "docs/reference/keys.en.md",
        "docs/reference/case.zh.md",
        "docs/items/ds.99.en.md",
        "README.md",
    }
    assert keys.read_text() == "old"
    assert generate(root=tmp_path).returncode == 0
    assert readme.read_text(encoding="utf-8") == right and not obsolete.exists()
    assert generate("--check", root=tmp_path).returncode == 0


def test_every_verb_of_the_walkthrough_is_documented_in_both_languages() -> None:
    from accucheck.tui.screens.checklist import ChecklistScreen
    from accucheck.tui.verbs import ANYWHERE
    from accucheck.tui.words import WORDS

    for language in ("en", "zh"):
        page = (ROOT / f"docs/reference/keys.{language}.md").read_text(encoding="utf-8")
        for verb in [*ChecklistScreen.VERBS, *ANYWHERE]:
            assert f"`{verb.id}`" in page and WORDS[verb.words][language] in page


def test_every_screen_of_a_key_map_is_among_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    from accucheck.tui.keymap import SCREENS

    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from generator import keys

    assert {screen for _, screen, _ in keys._SCREENS} == set(SCREENS)


# --- pictures, reports, and what must not be committed ------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted((ROOT / "docs/images").glob("*.svg")), ids=named)
def test_screenshots_stand_alone(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    picture = ElementTree.fromstring(text)
    assert not re.search(r"url\(\s*[\"']?(?!#)|href=\"(?!#)|<script|@font-face|@import", text)
    assert len(text.encode()) < 150_000
    words = "".join(picture.itertext())
    if path.name.startswith("walkthrough"):
        assert "ds.01" in words and "pixel_36" in words
    assert bool(re.search("[\u4e00-\u9fff]", words.replace("中文", ""))) == (".zh." in path.name)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sample_reports_are_of_this_checklist(language: str) -> None:
    folder = ROOT / "reports" / language
    report = msgspec.json.decode((folder / "digits_faulty-accuracy.json").read_bytes())
    items = checklist.load("accuracy").items
    assert [entry["id"] for entry in report["items"]] == [item.id for item in items]
    ran = {entry["id"]: [result["probe"] for result in entry["results"]] for entry in report["items"]}
    assert ran == {item.id: [use.name for use in item.uses] if ran[item.id] else [] for item in items}
    assert report["summary"]["probes"]["failed"] == 0
    found = {entry["id"] for entry in report["items"] if entry["suggestion"] == "problem"}
    assert found == {"ds.01", "ds.04", "dp.03", "wi.01"}  # the planted faults, and nothing else
    text = (folder / "digits_faulty-accuracy.md").read_text(encoding="utf-8")
    states = {entry["id"]: entry["conclusion"] or entry["suggestion"] for entry in report["items"]}
    assert all(item.named(states[item.id])[Language(language)] in text for item in items)
    assert zipfile.is_zipfile(folder / "digits_faulty-accuracy.docx")


#: Each word has one letter in brackets, so that this file does not hold what it looks for.
PRIVATE = re.compile(
    rb"(?<![\w.$}~/-])/([w]ork/|[r]oot/|[h]ome/[a-z]+/|[t]mp/w/)"
    rb"|[p]ypi\.org|[p]ythonhosted|[m]irrors?\.\w+\.|[r]epo\.huawei"
)


def contents(path: Path) -> bytes:
    data = path.read_bytes()
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return b"\n".join(archive.read(name) for name in archive.namelist())
    except (zipfile.BadZipFile, UnicodeDecodeError):  # broken on purpose: a file that a reader has to refuse
        return data


def test_no_path_of_a_machine_and_no_registry_is_committed() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("no git checkout")
    found = []
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        path, made_up = ROOT / name, name.startswith("tests/report/redaction/")  # what reports must hide
        if path.is_file() and not made_up and (match := PRIVATE.search(contents(path))):
            found.append(f"{name}: {match[0].decode()}")
    assert not found, found


@pytest.mark.parametrize(
    ("text", "word"),
    [("see /%s/main", "work"), ("(/%s/x)", "root"), ('"/%s/li/data"', "home"), ("https://%s.org/simple", "pypi")],
)
def test_the_search_for_private_paths_finds_them(text: str, word: str) -> None:
    assert PRIVATE.search((text % word).encode())


def test_the_search_for_private_paths_leaves_others_alone() -> None:
    assert not PRIVATE.search(b"network/root/main, /data/work/x, ~/work/, /opt/conda, https://example.org/home/x")


def test_the_license_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text and "END OF TERMS AND CONDITIONS" in text
    assert '\nlicense = "Apache-2.0"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_the_changelog_names_every_command_and_probe() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    folder = Path(probe.__file__).parent / "probes"
    built_in = [name for name in probe.names() if (folder / f"{name}.py").is_file()]
    missing = [name for name in [*cli.COMMANDS, *built_in] if f"`{name}`" not in text]
    assert not missing
