"""Every text in both languages, with the same blanks to fill."""

import ast
import importlib
import pkgutil
import re
import string
from pathlib import Path

import pytest

import accucheck
from accucheck import probe
from accucheck.language import Language, aligned, detect, fill, listed, visible, word

MODULES = sorted(
    info.name for info in pkgutil.walk_packages(accucheck.__path__, "accucheck.") if not info.name.endswith("__main__")
)
TABLES = ("WORDS", "MESSAGES", "REASONS", "WHY", "LEVELS", "STATUSES", "VERDICTS", "KINDS")


def catalogues():
    for name in MODULES:
        if name.startswith("accucheck.live.") and name.rsplit(".", 1)[1].startswith("pipeline_"):
            continue  # runs under the user's interpreter
        module = importlib.import_module(name)
        for table in TABLES:
            words = vars(module).get(table)
            if isinstance(words, dict) and words:
                yield pytest.param(words, id=f"{name}.{table}")


def blanks(template: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(template) if field is not None}


@pytest.mark.part(5)
@pytest.mark.parametrize("words", catalogues())
def test_both_languages_are_complete(words):
    for key, entry in words.items():
        assert set(entry) == {"zh", "en"}, key
        assert all(text.strip() for text in entry.values()), key
        assert blanks(entry["zh"]) == blanks(entry["en"]), key
        assert not any("\u4e00" <= character <= "\u9fff" for character in entry["en"]) or key == "key-language", key
        for field in blanks(entry["en"]):
            assert field.isidentifier() or re.fullmatch("@[a-z-]+", field), (key, field)  # @: a key, by its verb


def test_there_are_words_to_check():
    assert len(list(catalogues())) > 8


@pytest.mark.parametrize("name", probe.names())
def test_probes_speak(name):
    module = probe.load(name)
    assert module.MESSAGES and module.__doc__


@pytest.mark.parametrize(
    ("choice", "case", "environment", "expected"),
    [
        (None, None, {}, "en"),
        (None, None, {"LANG": "zh_CN.UTF-8"}, "zh"),
        (None, None, {"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        (None, None, {"LANG": "en_US", "LC_MESSAGES": "zh_CN"}, "zh"),
        (None, "zh", {"LANG": "en_US.UTF-8"}, "zh"),
        (None, "zh", {"ACCUCHECK_LANG": "en"}, "en"),
        ("zh", "en", {"ACCUCHECK_LANG": "en"}, "zh"),
    ],
)
def test_detect(monkeypatch, choice, case, environment, expected):
    for name in ("LANG", "LC_ALL", "LC_MESSAGES", "ACCUCHECK_LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert detect(choice, case) is Language(expected)


def test_filling_never_reaches_into_objects_and_never_raises():
    assert fill("{a:,} {b}", {"a": 1234567, "b": "{c}"}) == "1,234,567 {c}"
    assert fill("{a.__class__} {a[0]} {missing:,}", {"a": "x"}) == "{a.__class__} {a[0]} {missing}"
    assert fill("{a:,}", {"a": "text"}) == "text"


def test_one_and_several_have_words_of_their_own():
    words = [fill("{n:,} {n:weight is|weights are} zero", {"n": number}) for number in (0, 1, 2000)]
    assert words == ["0 weights are zero", "1 weight is zero", "2,000 weights are zero"]
    assert word({}, "key", Language.ZH) == "key"


def test_what_there_is_none_of_need_not_be_told():
    told = [fill("{all} read{left:, one left|, {left:,} left|}", {"all": 2, "left": number}) for number in (0, 1, 2000)]
    assert told == ["2 read", "2 read, one left", "2 read, 2,000 left"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [red]text[/]", "plain [red]text[/]"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("two\nlines\ttab", "two⏎lines tab"),
        ("right\u202eleft", "right\\u202eleft"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("filled\u115f\u3164\U000e0101", "filled\\u115f\\u3164\\U000e0101"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("中文 é", "中文 é"),
        ("\udcff", "\\udcff"),
    ],
)
def test_visible(text, shown):
    assert visible(text) == shown


SPOKEN = ("cli", "tui", "report")


def keys_and_uses(folder):
    """The keys of the words of a folder with their lines; every other text in its code; and the patterns of texts that are built."""
    keys, said, built = [], set(), []
    for path in sorted((Path(accucheck.__file__).parent / folder).rglob("*")):
        if path.suffix == ".j2":
            quoted = re.findall(r"[\"']([\w-]+)[\"']", path.read_text("utf-8"))
            said.update(quoted)
            built += [re.escape(text) + ".+" for text in quoted if text.endswith("-")]
        if path.suffix != ".py":
            continue
        tree = ast.parse(path.read_text("utf-8"))
        own = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(value, ast.Dict) and {getattr(k, "value", None) for k in value.keys} == {"zh", "en"}:
                        own.add(id(key))
                        if path.name == "words.py" and isinstance(key, ast.Constant):
                            keys.append((f"{path.name}:{key.lineno}", key.value))
            elif isinstance(node, ast.JoinedStr):
                own.update(id(part) for part in node.values)
                texts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
                if re.fullmatch(r"[\w-]*\w-[\w-]*|-\w[\w-]*", "".join(text or "" for text in texts)):
                    built.append("".join(".+" if text is None else re.escape(text) for text in texts))
        said.update(
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in own
        )
    return keys, said, built


def test_a_table_fits_into_a_terminal_by_the_ends_of_one_column() -> None:
    rows = [["curve", "run", "points"], ["loss", ".accucheck/watch/训练/20260131-080000: user", "75"]]
    assert list(aligned(rows)) == list(aligned(rows, 200, gives=[1]))
    found = list(aligned(rows, 40, gives=[1]))
    assert max(map(len, found)) <= 40 and "  …" in found[1].replace("   ", "  ") and ": user" in found[1]
    assert list(aligned(rows, 4, gives=[1]))[1].split()[2:] == ["user", "75"], "the rest of a row stays whole"
    rows.append(["eval_the_best_accuracy_of_all", "short", "1"])
    found = list(aligned(rows, 44, gives=[1, 0]))
    assert max(map(len, found)) <= 44 and found[2].startswith("…") and "user" in found[1]


@pytest.mark.parametrize("folder", SPOKEN)
def test_nothing_is_worded_that_is_never_said(folder):
    keys, said, built = keys_and_uses(folder)
    elsewhere = Path(accucheck.__file__).parent.glob("*.py")
    texts = "\n".join(path.read_text("utf-8") for path in elsewhere)  # some are said by recent.py, serving.py, ...
    assert len(keys) > 50
    assert not [
        (place, key)
        for place, key in keys
        if key not in said and f'"{key}"' not in texts and not any(re.fullmatch(pattern, key) for pattern in built)
    ]


@pytest.mark.parametrize(
    ("name", "code", "text"),
    [
        ("activations", "saturated", "(1 layer is like this)"),
        ("activations", "not-finite", "1 activation outputs NaN"),
        ("api_differences", "benchmark-matched", "1 layer is matched with one of"),
        ("api_scan", "unknown-objects", "1 call of methods"),
        ("dynamic_shapes", "elsewhere", "1 more place depends"),
        ("first_batches", "same", "1 array of the first batches agrees"),
        ("float16_operators", "operators", "1 place uses"),
        ("frozen_weights", "statistics-unmoved", "1 moving statistic changed"),
        ("frozen_weights_live", "rounding-only", "1 weight is"),
        ("gradients", "not-finite-first", "the gradient of 1 parameter is NaN"),
        ("gradients", "zero", "The gradient of 1 of {all} parameters is exactly 0"),
        ("graph_connectivity", "more", "1 more layer has"),
        ("initial_weights", "statistics-differ", "1 moving statistic differs"),
    ],
)
def test_one_is_told_in_the_singular(name, code, text):
    assert text in probe.message(probe.load(name), code, {"count": 1}, Language.EN)


@pytest.mark.parametrize(
    ("module", "code", "text"),
    [
        ("errors", "curve-lines", "1 line is not a JSON object, the first"),
        ("errors", "dump-binary", "1 tensor is in the device's own format (x). Convert it with"),
        ("errors", "dump-entries", "1 entry is not an object and was skipped"),
        ("errors", "dump-lines", "1 row is no statistics"),
        ("errors", "recording-lines", "1 line is not a record, the first"),
        ("manifest", "summary", "1 file, 1 byte, MD5"),
        ("nodes", "verdict", "1 file is the same on all"),
        ("nodes", "to-reference", "1 file is as in x on all"),
    ],
)
def test_one_is_told_in_the_singular_beside_probes_too(module, code, text):
    words = importlib.import_module(f"accucheck.{module}").WORDS
    numbers = dict.fromkeys(("count", "line", "files", "bytes", "hashed", "reused", "same", "odd"), 1)
    assert text in word(words, code, Language.EN, **numbers, path="x", name="x", reference="x", digest="x")


@pytest.mark.parametrize(
    ("entries", "english", "chinese"),
    [
        ([], "", ""),
        (["a", "b"], "a, b", "a、b"),
        (["a", "b", "…"], "a, b and more", "a、b 等"),
        (["甲", "…"], "甲 and more", "甲等"),
        (["…"], "…", "…"),
    ],
)
def test_names_that_are_cut_off_end_in_words(entries, english, chinese):
    assert (listed(entries, Language.EN), listed(entries, Language.ZH)) == (english, chinese)
