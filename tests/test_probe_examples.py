"""Every probe keeps its contract: its examples come out as they say, its words are whole, and importing it is cheap."""

import json
import re
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from accucheck import probe
from accucheck.case import CaseFile
from accucheck.language import Language
from accucheck.model import (
    STRENGTH,
    Code,
    Curve,
    Finding,
    Heatmap,
    Histogram,
    Kind,
    Level,
    Progress,
    Table,
    Verdict,
    suggest,
)
from example_findings import KEPT, as_kept, at_thresholds, of_variants

NAMES = probe.names()
KEPT_FINDINGS = json.loads(KEPT.read_text(encoding="utf-8"))
AGAIN = "meant so? python tests/example_findings.py keeps what examples find"
HEAVY = {
    "numpy",
    "polars",
    "PIL",
    "mindspore",
    "torch",
    "matplotlib",
    "textual",
    "pyarrow",
    "pandas",
    "jinja2",
    "docx",
    "cleanlab",
}

#: Probes that never say ok: whether what they read is right is for a person, or another probe, to say.
TELLING = {
    *("watched_both", "watched_groups", "watched_labels", "watched_layers"),
    *("batch_size_live", "label_fit", "label_fit_live", "missing_handling", "pipeline_settings", "recorded_rates"),
    "watched_batches",
    *("recorded_losses", "recorded_shards"),
    *("graph_constants", "training_settings"),
    "watched_averages",
    *("watched_settings", "watched_times"),
}


def marks(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.mindspore] if probe.load(name).KIND is Kind.LIVE else []


def examples() -> Iterator[Any]:
    for name in NAMES:
        for example in probe.load(name).EXAMPLES:
            yield pytest.param(name, example, id=f"{name} {example.name}", marks=marks(name))


def blanks(template: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(template) if field is not None}


def refutes_what_there_is(module: Any, finding: Finding) -> None:
    """What a finding speaks against are problems and suspects of a probe of a weaker kind, by their codes."""
    for entry in finding.refutes:
        weaker = probe.load(entry.probe)
        assert STRENGTH[weaker.KIND] < STRENGTH[module.KIND], entry
        assert set(entry.codes) <= set(weaker.WHY), entry


@pytest.mark.part(40)
@pytest.mark.parametrize(("name", "example"), examples())
def test_an_example_comes_out_as_it_says(name: str, example: probe.Example, tmp_path: Path) -> None:
    module = probe.load(name)
    case = example.lay_out(tmp_path)
    assert not probe.missing(module, case), "the example lacks what the probe needs"

    events = list(module.run(case, probe.params(module, example.params)))

    assert all(isinstance(event, (Finding, Progress)) for event in events)
    findings = [event for event in events if isinstance(event, Finding)]
    levels = {finding.code: finding.level for finding in findings}
    found = {finding.code for finding in findings if finding.level is not Level.INFO}
    expected = {code for code in example.codes if levels.get(code) is not Level.INFO}
    assert found == expected
    assert set(example.codes) <= set(levels), "an info that the example names did not come"
    assert getattr(module, "suggest", suggest)(findings) is example.verdict
    if module.KIND is not Kind.LIVE:
        assert as_kept(findings) == KEPT_FINDINGS.get(name, {}).get(example.name), AGAIN
    for finding in findings:
        says_what_it_means(module, finding)
        is_bounded(finding)
        refutes_what_there_is(module, finding)
    assert msgspec.json.decode(msgspec.json.encode(findings), type=list[Finding]) == findings, "no plain JSON"


@pytest.mark.part(40)
@pytest.mark.parametrize("name", [name for name, kept in KEPT_FINDINGS.items() if "at thresholds" in kept])
def test_thresholds_decide_as_they_did_at_what_is_measured(name: str) -> None:
    module = probe.load(name)
    found = {example.name: at_thresholds(module, example) for example in module.EXAMPLES}
    assert {key: value for key, value in found.items() if value} == KEPT_FINDINGS[name]["at thresholds"], AGAIN


@pytest.mark.part(40)
@pytest.mark.parametrize("name", [name for name, kept in KEPT_FINDINGS.items() if "of variants" in kept])
def test_variants_of_examples_are_judged_as_they_were(name: str) -> None:
    module = probe.load(name)
    found = {example.name: of_variants(module, example) for example in module.EXAMPLES}
    assert {key: value for key, value in found.items() if value} == KEPT_FINDINGS[name]["of variants"], AGAIN


def says_what_it_means(module: Any, finding: Finding) -> None:
    """The words of a finding exist in both languages, and its data fills every blank."""
    codes = [finding.code, *([finding.fix.message] if finding.fix else [])]
    for code in codes:
        assert code in module.MESSAGES, f"{code} has no words"
        for language in Language:
            lacking = blanks(module.MESSAGES[code][language.value]) - set(finding.data)
            assert not lacking, f"{code}: nothing fills {lacking}"
            text = probe.message(module, code, finding.data, language)
            assert text.strip() and text != code
            assert not re.search("None(?! of)", text), f"{code}: {text}"
    if module.KIND is Kind.STATIC and finding.level is not Level.INFO:
        assert finding.sure is not None, f"{finding.code} does not say how sure it is"
        for words in (module.WHY, module.PROOF):
            assert finding.code in words, f"{finding.code} is not explained"
    for words in (getattr(module, "WHY", {}), getattr(module, "PROOF", {})):
        for language in Language:
            lacking = (
                blanks(words[finding.code][language.value]) - set(finding.data) if finding.code in words else set()
            )
            assert not lacking, f"{finding.code}: nothing fills {lacking} in its explanation"
    for evidence in finding.evidence:
        title = getattr(evidence, "title", "")
        if re.fullmatch(r"[a-z]+(-[a-z]+)*", title):
            assert title in module.WORDS, f"the title {title} has no words"


def is_bounded(finding: Finding) -> None:
    """Evidence is small enough to be kept in a session, and whole."""
    for evidence in finding.evidence:
        if isinstance(evidence, Table):
            assert len(evidence.rows) <= 200
            assert all(len(row) == len(evidence.columns) for row in evidence.rows)
            assert evidence.total is None or evidence.total >= len(evidence.rows)
        elif isinstance(evidence, Curve):
            assert all(len(values) == len(evidence.x) for values in evidence.series.values())
        elif isinstance(evidence, Heatmap):
            assert len(evidence.rows) == len(evidence.values) <= 60 and len(evidence.columns) <= 60
            assert all(len(row) == len(evidence.columns) for row in evidence.values)
        elif isinstance(evidence, Histogram):
            assert len(evidence.labels) == len(evidence.counts)
        elif isinstance(evidence, Code):
            assert len(evidence.text.splitlines()) <= 200 and evidence.line >= 1
    assert len(msgspec.json.encode(finding)) < 1 << 20


@pytest.mark.parametrize("name", NAMES)
def test_a_probe_shows_a_clean_and_a_faulty_case(name: str) -> None:
    verdicts = [example.verdict for example in probe.load(name).EXAMPLES]
    assert Verdict.OK in verdicts or name in TELLING, "no clean example"
    assert Verdict.PROBLEM in verdicts or Verdict.UNDECIDED in verdicts, "no faulty example"


@pytest.mark.parametrize("name", NAMES)
def test_the_names_of_examples_differ(name: str) -> None:
    titles = [example.name for example in probe.load(name).EXAMPLES]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("name", NAMES)
def test_a_probe_declares_what_it_is(name: str) -> None:
    module = probe.load(name)
    assert isinstance(module.KIND, Kind)
    assert len((module.__doc__ or "").strip()) > 40, "say what it catches and what it cannot"
    uses = getattr(module, "USES", ())
    assert module.NEEDS or uses, "a probe reads something"
    for need in (*module.NEEDS, *uses):
        for key in (need,) if isinstance(need, str) else need:
            assert resolves(key), f"the case file has no key {key}"


def resolves(key: str) -> bool:
    """Whether a dotted key leads to a field of the case file."""
    kinds: list[Any] = [CaseFile]
    for step in key.split("."):
        below: list[Any] = []
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
                hints = get_type_hints(kind)
                if step in hints:
                    below += [hints[step], *get_args(hints[step])]
        if not below:
            return False
        kinds = below
    return True


def test_needs_are_really_checked() -> None:
    assert resolves("data.train.path") and resolves("network") and resolves("benchmark.scripts.train")
    assert not resolves("data.train.pth") and not resolves("nothing") and not resolves("name.more")


@pytest.mark.parametrize("name", NAMES)
def test_a_static_probe_explains_what_it_may_find(name: str) -> None:
    """Also what no example shows: each code that a table of levels calls more than info has its reason and its proof."""
    module = probe.load(name)
    why, proof = getattr(module, "WHY", {}), getattr(module, "PROOF", {})
    assert set(why) == set(proof) and set(why) <= set(module.MESSAGES)
    for words in (*why.values(), *proof.values()):
        assert all(words[language.value].strip() for language in Language)
    if module.KIND is Kind.STATIC:
        tables = (table for table in vars(module).values() if isinstance(table, dict))
        rows = (
            (code, value if isinstance(value, tuple) else (value,)) for table in tables for code, value in table.items()
        )
        lacking = {code for code, values in rows if Level.PROBLEM in values or Level.SUSPECT in values} - set(why)
        assert not lacking, f"not explained: {lacking}"


@pytest.mark.parametrize("name", NAMES)
def test_parameters_say_what_they_mean(name: str) -> None:
    fields: Any = msgspec.inspect.type_info(probe.load(name).Params)
    for field in fields.fields:
        assert not field.required, f"{field.name} has no default"
        extra = getattr(field.type, "extra_json_schema", None) or {}
        assert extra.get("description"), f"{field.name} has no description"


@pytest.mark.part(40)
@pytest.mark.parametrize("name", NAMES)
def test_importing_a_probe_loads_nothing_heavy(name: str) -> None:
    code = "import sys; from accucheck import probe; probe.load(sys.argv[1]); print(*sorted({*sys.modules}))"
    process = subprocess.run(
        [sys.executable, "-c", code, name], capture_output=True, text=True, timeout=120, check=True
    )
    modules = set(process.stdout.split())
    assert f"accucheck.probes.{name}" in modules
    assert not modules & HEAVY
