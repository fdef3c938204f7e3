"""accucheck.yaml: what it says, what it may not say, and keys that are added to it."""

import json
from pathlib import Path

import msgspec
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accucheck import case as cases
from accucheck import document
from accucheck.case import Case, CaseFile
from accucheck.engine import Job, Request
from accucheck.errors import UserError
from accucheck.model import Language

WHOLE = """\
name: resnet50-cifar10
language: zh
runtime: {device: Ascend, mindspore: "2.10.0", python: ~/ms/bin/python, mode: graph, amp: O2, distributed: {devices: 8, launcher: msrun}}
scripts: {train: train.py, eval: [eval.py, more.py], infer: infer.py}
data:
  train: {path: data/train, label: label, fields: {age: {missing: [-999, NA, 0.5]}}, classes: [cat, 1]}
  eval: {path: [a, b]}
  reference: {path: /nfs/cifar10, manifest: cifar10.md5, known: CIFAR-10, files: opened.txt}
  predictions: pred_probs.npy
pipelines:
  train: {call: "src.dataset:create", args: {path: data, shuffle: true, sizes: [1, 2]}}
  shard_args: {count: num_shards, index: shard_id}
network: {call: "src.resnet:resnet50", args: {class_num: 10}}
loss: {call: "mindspore.nn:L1Loss"}
checkpoints: {initial: i.ckpt, previous: p.ckpt, current: c.ckpt, pretrained: b.ckpt, reference: t.pth, ranks: [r0.ckpt, r1.ckpt],
              after_step: s.ckpt, reference_after_step: s.pth}
curves: {train: t.log, eval: e.csv, rerun: t2.log, baseline: b.csv, lr_test: l.csv, previous_version: o.log,
         reference: {path: r.log, rerun: r2.log}}
graphs: {path: summary/}
dumps: {path: dump/, reference: dump_ref/}
batches: {path: batches/, reference: batches_ref/}
outputs: {path: outputs/, reference: outputs_ref/}
profiler: {path: profiler/}
design: {frozen: ["backbone.*"], shared: [[a, b]], padding: {value: 0, side: right, mask: mask}}
benchmark: {framework: pytorch, scripts: {train: ref/train.py}}
"""


def case_of(folder: Path, text: str | bytes = "", *settings: str) -> Case:
    (folder / "accucheck.yaml").write_bytes(text.encode() if isinstance(text, str) else text)
    return cases.load(folder, list(settings))


def refused(folder: Path, text: str, *settings: str) -> UserError:
    with pytest.raises(UserError) as caught:
        case_of(folder, text, *settings)
    for language in Language:
        assert "{" not in caught.value.text(language).replace("{a", ""), "a blank was left unfilled"
    return caught.value


def test_every_key_of_the_design_is_known(tmp_path):
    case = case_of(tmp_path, WHOLE)
    assert case.name == "resnet50-cifar10" and case.root == str(tmp_path)
    assert case.get("data.train.fields.age.missing") == [-999, "NA", 0.5]
    assert case.paths("scripts.eval") == [tmp_path / "eval.py", tmp_path / "more.py"]
    assert case.paths("data.reference.path") == [Path("/nfs/cifar10")]
    assert case.path(case.get("runtime.python")) == Path.home() / "ms/bin/python"
    assert case.paths("curves.reference.rerun") == [tmp_path / "r2.log"]
    assert case.facts() == {
        "ascend": True,
        "mixed_precision": True,
        "distributed": True,
        "labels": True,
        "padding": True,
        "pretrained": True,
        "inference": True,
        "previous_version": True,
    }


def test_a_case_survives_the_way_to_a_worker(tmp_path):
    request = Request(case_of(tmp_path, WHOLE), [Job("ds.01", "missing_values")])
    assert msgspec.json.decode(msgspec.json.encode(request), type=Request) == request


def unsaid(facts):
    """The values of the facts that need to be said, not merely given files for."""
    return {value for name, value in facts.items() if name not in ("inference", "previous_version")}


def test_nothing_is_required(tmp_path):
    assert cases.load(tmp_path).file is None
    for text in ("", "# nothing\n", "{}\n", "\n\n"):
        case = case_of(tmp_path, text)
        assert case.spec == CaseFile() and case.file == str(tmp_path / "accucheck.yaml")
        assert case.name == tmp_path.name
    assert unsaid(case.facts()) == {None}
    assert case.get("data.train.path") is None and case.paths("data.train.path") == []


@pytest.mark.parametrize(
    ("text", "fact", "value"),
    [
        ("runtime: {device: CPU}", "ascend", False),
        ("runtime: {device: ascend}", "ascend", True),
        ("runtime: {amp: O0}", "mixed_precision", False),
        ("runtime: {amp: none}", "mixed_precision", False),
        ("runtime: {amp: auto}", "mixed_precision", True),
        ("runtime: {distributed: {devices: 1}}", "distributed", False),
        ("runtime: {distributed: {devices: 2}}", "distributed", True),
        ("data: {train: {label: y}}", "labels", True),
        ("checkpoints: {pretrained: x}", "pretrained", True),
    ],
)
def test_facts_are_known_only_when_the_case_says_so(tmp_path, text, fact, value):
    facts = case_of(tmp_path, text).facts()
    assert facts.pop(fact) is value
    assert unsaid(facts) == {None}


@pytest.mark.parametrize("text", ["outputs: {path: o}", "scripts: {eval: e.py}", "data: {infer: {path: d}}"])
def test_what_a_case_has_nothing_of_it_does_not_do(tmp_path, text):
    facts = cases.load(tmp_path).facts()
    assert (facts["inference"], facts["previous_version"]) == (False, False)
    assert case_of(tmp_path, text).facts()["inference"] is True
    assert case_of(tmp_path, "curves: {previous_version: old.log}").facts()["previous_version"] is True


def test_an_empty_value_is_no_value(tmp_path):
    case = case_of(tmp_path, 'checkpoints: {ranks: [], current: ""}\ndata: {train: {fields: {}}}\n')
    assert all(case.get(key) is None for key in ("checkpoints.ranks", "checkpoints.current", "data.train.fields"))
    assert case.get("checkpoints.none") is None and case.get("name.more") is None


def test_a_case_file_may_be_given_by_its_path(tmp_path):
    (tmp_path / "other.yml").write_text("name: other\n")
    case = cases.load(tmp_path / "other.yml")
    assert (case.name, case.root) == ("other", str(tmp_path))


def test_the_root_is_absolute_wherever_it_is_named_from(tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in (".", "link", "link/link"):
        assert cases.load(Path(name)).root == str(tmp_path)


def test_paths_are_shown_relative_to_the_project(tmp_path):
    case = Case(root=str(tmp_path))
    assert case.relative(tmp_path / "a/b") == "a/b" == case.relative("a/b")
    assert case.relative("/elsewhere/x") == "/elsewhere/x"
    assert case.relative("../x") == str(tmp_path.parent / "x")


def test_the_keys_that_hold_paths():
    keys = cases.path_keys()
    for key in ("scripts.train", "data.eval.path", "checkpoints.ranks", "curves.reference.path", "runtime.python"):
        assert key in keys
    assert "data.train.label" not in keys and "name" not in keys


# --- settings ---------------------------------------------------------------------------------------------------------


def test_settings_win_over_the_file_one_after_the_other(tmp_path):
    case = case_of(
        tmp_path,
        "name: file\ndata: {train: {path: a, label: y}}\n",
        "data.train.path=[b, c]",
        "runtime.distributed.devices=4",
        "name=x = y",
        "pipelines.train.call=m:f",
        "data.train.label=",
    )
    assert case.get("data.train.path") == ["b", "c"] and case.get("data.train.label") is None
    assert case.get("runtime.distributed.devices") == 4
    assert case.name == "x = y"
    assert case.get("pipelines.train.call") == "m:f"


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ("x", "set-syntax"),
        ("=x", "set-syntax"),
        ("nmae=x", "yaml-unknown-key"),
        ("data.train=x", "yaml-type"),
        ("name=3", "yaml-type"),
        ("name=[", "yaml-syntax"),
        ("data.train.fields={1: {}}", "yaml-key"),
        ("pipelines.train.args={a: 1}", "yaml-missing-key"),
        ("a=\udcff", "not-utf8"),
    ],
)
def test_a_wrong_setting_names_itself(tmp_path, setting, code):
    error = refused(tmp_path, "name: x\n", setting)
    assert error.code == code
    assert setting.partition("=")[0] in str(error)


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "line", "words"),
    [
        ("a: 1\nname: x\n", "yaml-unknown-key", 1, "unknown key a. Known here: name, language"),
        ("name: x\nruntime:\n  devcie: CPU\n", "yaml-unknown-key", 3, "Did you mean device?"),
        ("name: x\ngoal: {metric: accuracy, reached: low}\n", "yaml-type", 2, "goal.reached should be a number"),
        ("goal:\n  metric: loss\n  wanted: 1\n", "yaml-unknown-key", 3, "Known here: metric, reached"),
        ("data:\n  train: {paht: x}\n", "yaml-unknown-key", 2, "Did you mean path?"),
        ("data:\n  train:\n    fields:\n      age: {mising: [1]}\n", "yaml-unknown-key", 4, "Did you mean missing?"),
        (
            "data: {train: {fields: {\n a: {missing: [1]},\n b: {missing: 3}}}}",
            "yaml-type",
            1,
            "fields.*.missing should be a list",
        ),
        ("name: x\nnetwork:\n  args: {}\n", "yaml-missing-key", 2, "the key call is missing in network"),
        ("runtime:\n  distributed: {devices: many}\n", "yaml-type", 2, "devices should be a whole number, not text"),
        (
            "runtime:\n  mindspore: 2.10\n",
            "yaml-type",
            2,
            "should be text, not a number (put it in quotes to make it text)",
        ),
        ("design:\n  shared: [a]\n", "yaml-type", 2, "should be a list, not text"),
        ("data:\n  train:\n    fields:\n      2020: {}\n", "yaml-key", 4, "the key 2020 does not read as text"),
        ("data:\n  train:\n    fields:\n      on: {}\n", "yaml-key", 4, "the key on does not read as text"),
        ("name: x\ndata: {train: {fields: {a: {missing: [.inf]}}}}\n", "yaml-not-finite", 2, ".inf"),
        ('name: x\nscripts: {train: "a\\0"}\n', "yaml-nul", 2, "NUL"),
    ],
)
def test_an_error_names_its_line_and_the_mend(tmp_path, text, code, line, words):
    error = refused(tmp_path, text)
    assert (error.code, error.data["line"]) == (code, line), error
    assert words in str(error) and f"accucheck.yaml:{line}: " in str(error)


def test_merged_and_quoted_keys_are_fine(tmp_path):
    text = "data:\n  train: &t {label: y, fields: {'2020': {}, 'on': {}}}\n  eval: {<<: *t, path: x}\n"
    case = case_of(tmp_path, text)
    assert case.get("data.eval.label") == "y" and set(case.get("data.eval.fields")) == {"2020", "on"}


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary(max_size=8)
TREES = st.recursive(
    PLAIN, lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text() | PLAIN, below, max_size=3)
)


@pytest.mark.part(40)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=TREES)
def test_whatever_yaml_can_say_is_a_case_for_a_worker_or_a_user_error(tmp_path, tree):
    """What is accepted must reach a worker as it is written: a case that cannot be sent would stop the run."""
    text = yaml.safe_dump({"network": {"call": "m:f", "args": {"x": tree}}}, allow_unicode=True)
    try:
        case = case_of(tmp_path, text)
    except UserError as error:
        assert str(error)
        return
    request = Request(case, [])
    assert msgspec.json.decode(msgspec.json.encode(request), type=Request).case.root == case.root


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_a_case_or_a_user_error(tmp_path, content):
    try:
        case_of(tmp_path, content)
    except UserError as error:
        assert "accucheck.yaml" in str(error)


# --- further keys -----------------------------------------------------------------------------------------------------

FURTHER = {"curves.rerun": "collect/a.log", "curves.reference.path": "collect/b c.csv"}


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("", 'curves:\n  rerun: collect/a.log\n  reference:\n    path: "collect/b c.csv"\n'),
        (
            "name: x  # no end of line",
            '\ncurves:\n  rerun: collect/a.log\n  reference:\n    path: "collect/b c.csv"\n',
        ),
        ("curves: {train: 'a'}  # why\n", ', rerun: collect/a.log, reference: {path: "collect/b c.csv"}'),
        ("{name: x, curves: {}}\n", 'rerun: collect/a.log, reference: {path: "collect/b c.csv"}'),
        (
            "curves:\n    train: >-\n      x\n\n    # more\nname: y\n",
            '    rerun: collect/a.log\n    reference:\n      path: "collect/b c.csv"\n',
        ),
        (
            "curves:\r\n  train: a\r\nname: y\r\n",
            '  rerun: collect/a.log\r\n  reference:\r\n    path: "collect/b c.csv"\r\n',
        ),
        (
            "# 中文\ncurves:  # empty\n",
            '  rerun: collect/a.log\n  reference:\n    path: "collect/b c.csv"\n',
        ),
    ],
)
def test_further_keys_leave_what_stands_as_it_is(text, more):
    made = cases.with_keys(text.encode(), FURTHER, "accucheck.yaml").decode()
    assert more in made and made.replace(more, "", 1) == text
    read = document.convert(document.parse(made.encode(), "x"), CaseFile, made.encode(), "x")
    assert (read.curves.rerun, read.curves.reference.path) == ("collect/a.log", "collect/b c.csv")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("curves:\n  train: a.log  # the first\n# end\n", 'curves:\n  train: "b c.log"  # the first\n# end\n'),
        ("curves: {train: 'a', eval: \"e\"}\n", 'curves: {train: "b c.log", eval: "e"}\n'),
    ],
)
def test_a_text_gives_way_only_where_that_is_wanted(tmp_path, text, made):
    assert cases.with_keys(text.encode(), {"curves.train": "b c.log"}, "x", replace=True).decode() == made
    blocks = "curves:\n  train: >-\n    a\n"
    for old, replace in ((text, False), (blocks, True), ("curves: {train: [a]}\n", True)):
        with pytest.raises(UserError) as caught:
            cases.with_keys(old.encode(), {"curves.train": "b"}, "x", replace=replace)
        assert caught.value.code == "case-not-added"


def test_a_text_that_yaml_takes_for_something_else_is_quoted(tmp_path):
    made = cases.extend(cases.load(tmp_path), {"data.train.label": "no"})
    assert made.get("data.train.label") == "no" and cases.load(tmp_path).get("data.train.label") == "no"


@pytest.mark.parametrize("path", ["脚本/训练.py", "data/𠮷野家.csv", "data/😀", 'a "b"\\c\td\x85\U000e0001'])
@pytest.mark.parametrize("old", ["name: 数字识别\n", None])
def test_a_path_of_any_script_is_written_as_it_is_and_read_back(tmp_path, path, old):
    file = tmp_path / "accucheck.yaml"
    if old:
        file.write_text(old, "utf-8")
    made = cases.extend(cases.load(tmp_path), {"data.train.path": path})
    assert made.get("data.train.path") == path == cases.load(tmp_path).get("data.train.path")
    if path.isprintable() and old:
        assert file.read_text("utf-8").endswith(f'path: "{path}"\n') or '"' in path


@pytest.mark.parametrize(
    "text",
    [
        "curves: null\n",
        "curves: 3\n",
        "curves: {rerun: x}\n",
        "x: &a {train: x}\ncurves: *a\n",
        "curves: {train: x,}\n",
    ],
)
def test_a_file_without_place_for_them_is_left(tmp_path, text):
    with pytest.raises(UserError) as caught:
        cases.with_keys(text.encode(), FURTHER, "accucheck.yaml")
    assert caught.value.code == "case-not-added"
    assert "curves.rerun: collect/a.log" in caught.value.text(Language.ZH)


def test_a_case_is_extended_in_its_file_and_keeps_what_was_set(tmp_path):
    (tmp_path / "accucheck.yaml").write_text("name: x\n")
    case = cases.extend(cases.load(tmp_path, ["dumps.path=layers"]), FURTHER)
    assert (case.get("curves.rerun"), case.get("dumps.path"), case.name) == ("collect/a.log", "layers", "x")
    assert cases.load(tmp_path).get("curves.rerun") == "collect/a.log"
    assert cases.load(tmp_path).get("dumps.path") is None
    (tmp_path / "new").mkdir()
    made = cases.extend(cases.load(tmp_path / "new"), FURTHER)
    assert made == cases.load(tmp_path / "new") and made.get("curves.rerun") == "collect/a.log"


# --- documents --------------------------------------------------------------------------------------------------------


def test_depth_and_aliases_are_bounded():
    assert document.parse(b"[" * 39 + b"]" * 39, "x") is not None
    for text in (b"[" * 41 + b"]" * 41, b"a: &a 1\nb: [" + b"*a, " * 17 + b"]"):
        with pytest.raises(UserError) as caught:
            document.parse(text, "x.yaml")
        assert caught.value.code == "yaml-nesting"


def test_a_document_is_bounded_before_it_is_read(tmp_path):
    path = tmp_path / "big.yaml"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)  # a sparse file: reading it would take the memory of ten machines
    with pytest.raises(UserError) as caught:
        document.read_text(path)
    assert caught.value.code == "too-large" and caught.value.data["size"] == 1 << 40


def test_json_is_yaml(tmp_path):
    case = case_of(tmp_path, json.dumps({"name": "a\x1bb\u202e", "data": {"train": {"path": ["中文"]}}}))
    assert case.name == "a\x1bb\u202e" and case.get("data.train.path") == ["中文"]
