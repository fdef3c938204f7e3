"""The glossary: every abbreviation of our texts is in it, and nothing that they do not use."""

import json
import re
from functools import cache

import pytest

from accucheck import checklist, probe
from accucheck.knowledge.glossary import find, load, occurring
from accucheck.language import Language
from accucheck.tui.words import WORDS as SCREEN_WORDS
from command_line import accucheck

#: Abbreviations that whoever trains a network knows, and words that stand in capitals.
COMMON = {
    "API",
    "CPU",
    "GPU",
    "YAML",
    "CSV",
    "UTF",
    "CRC",
    "README",
    "F2",
    "ON",
    "OUT",
    "AUTOTRAINER",
    "PYTHONPATH",
    "FFFD",
    "JSON",
    "NPY",
    "URL",
    "SSH",
    "OSC",
    "EN",
    "NAME",
    "COMMAND",
}
ABBREVIATION = re.compile(r"(?<![\w./`_$-])[A-Z][A-Z0-9]+(?![\w_(])")


@cache
def texts() -> tuple[str, ...]:
    """What checklists, findings and the walkthrough say, in both languages."""
    found = [(checklist.folder() / f"{name}.yaml").read_text(encoding="utf-8") for name in checklist.shipped()]
    for name in probe.names():
        module = probe.load(name)
        if module.__name__.startswith("accucheck."):
            for words in (module.MESSAGES, module.WORDS, getattr(module, "WHY", {}), getattr(module, "PROOF", {})):
                found += [text for entry in words.values() for text in entry.values()]
    return (*found, *(text for entry in SCREEN_WORDS.values() for text in entry.values()))


def test_every_abbreviation_of_a_checklist_is_explained():
    known = {name for term in load() for name in term.written}
    for name in checklist.shipped():
        used = set(ABBREVIATION.findall((checklist.folder() / f"{name}.yaml").read_text(encoding="utf-8")))
        assert used <= known | COMMON, (name, used - known - COMMON)


def test_every_abbreviation_of_a_finding_is_explained():
    known = {name for term in load() for name in term.written}
    used = {name for text in texts() for name in ABBREVIATION.findall(text)}
    assert used <= known | COMMON, used - known - COMMON


def test_no_term_is_there_for_nothing():
    everything = "\n".join(texts())
    used = {term.id for term in occurring(everything)}
    assert [term.id for term in load() if term.id not in used] == []


def test_each_term_stands_once_and_is_explained_in_a_few_sentences():
    assert len({term.id for term in load()}) == len(load()) >= 60
    for term in load():
        for language in Language:
            assert 10 < len(term.text[language]) < 300, term.id
            assert term.text[language][-1] in "。.", term.id


@pytest.mark.parametrize(
    ("text", "expected", "others"),
    [
        ("the loss scale fell", {"loss-scale"}, set()),
        ("a lossless file, a glossary", set(), {"loss", "loss-scale"}),
        ("损失缩放因子持续减小", {"loss-scale"}, {"overflow"}),
        ("give the information", set(), {"nan-and-inf"}),
        ("the gradients are NaN", {"nan-and-inf", "gradient"}, set()),
        ("O2 on Ascend", {"mixed-precision", "ascend"}, set()),
    ],
)
def test_a_text_is_searched_for_words_and_not_for_parts_of_words(text, expected, others):
    found = {term.id for term in occurring(text)}
    assert expected <= found and not found & others


def test_what_is_called_so_comes_before_what_only_mentions_it():
    for language, words in ((Language.EN, "overflow"), (Language.ZH, "溢出")):
        found = [term.id for term in find(words, load(), language)]
        assert found[0] == "overflow" and "loss-scale" in found
    assert find("no such thing", load(), Language.EN) == []


def test_the_command_explains_in_both_languages():
    english, chinese = accucheck("glossary", "loss", "scale"), accucheck("glossary", "损失缩放", "--lang", "zh")
    assert english.code == chinese.code == 0
    assert english.out.startswith("loss scale\n    Before the backward") and "损失缩放" in chinese.out
    assert accucheck("glossary").out.count("\n") == 2 * len(load())
    nothing = accucheck("glossary", "nothing[red]\x1b[2J")
    assert (nothing.code, nothing.out) == (0, "") and "\\x1b" in nothing.err
    found = json.loads(accucheck("glossary", "MD5", "--json").out)
    assert [each["term"]["en"] for each in found][:1] == ["MD5"]
