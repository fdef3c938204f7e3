"""How a configuration differs from its base, over real files of each kind."""

from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.errors import UserError
from accucheck.model import Language
from accucheck.report import changes
from accucheck.report.build import build
from accucheck.session import Record

BASE = """\
seed: 42
optimizer: &opt {type: AdamW, lr: 1.0e-4, betas: [0.9, 0.95]}
runner: {optimizer: *opt, sink_mode: true, epochs: 2}
"""


def case_of(root: Path, used: str, base: str) -> Case:
    return Case(str(root), msgspec.convert({"configs": {"used": used, "base": base}}, CaseFile))


def test_yaml_key_by_key(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(BASE)
    used = BASE.replace("1.0e-4", "3.0e-4").replace("sink_mode: true", "sink_mode: 1") + "amp: O2\n"
    (tmp_path / "used.yaml").write_text(used.replace("seed: 42\n", ""))
    assert changes.changes(case_of(tmp_path, "used.yaml", "base.yaml")) == [
        ("amp", None, "O2"),
        ("optimizer.lr", "0.0001", "0.0003"),
        ("runner.optimizer.lr", "0.0001", "0.0003"),
        ("runner.sink_mode", "True", "1"),
        ("seed", "42", None),
    ]
    assert changes.changes(case_of(tmp_path, "base.yaml", "base.yaml")) == []
    assert changes.changes(Case(str(tmp_path))) is None


def test_python_is_read_not_run(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text(
        "from easydict import EasyDict as edict\n"
        "config = edict({'lr': 0.1, 'classes': 10, 'crop': (32, 32)})\nmodel = dict(type='ResNet', depth=50)\n"
        "class Net:\n    width: int = 64\n"
    )
    trap = f"open({str(tmp_path / 'was-run')!r}, 'w')"
    (tmp_path / "used.py").write_text(
        "config = dict(lr=0.05, classes=10, crop=(32, 32))\nconfig.epochs = 90\nmodel = dict(type='ResNet', depth=50)\n"
        f"class Net:\n    width: int = 2 * 64\nhandle = {trap}\n"
    )
    found = changes.changes(case_of(tmp_path, "used.py", "base.py"))
    assert found == [
        ("Net.width", "64", "2 * 64"),
        ("config.epochs", None, "90"),
        ("config.lr", "0.1", "0.05"),
        ("handle", None, trap),
    ]
    assert not (tmp_path / "was-run").exists()


def test_another_function_of_the_same_arguments_is_a_change(tmp_path: Path) -> None:
    text = "optimizer = {}(lr=0.1, decay=1e-4)\nmodel = {}({{'depth': 50}})\ncfg = {}(seed=1)\n"
    (tmp_path / "base.py").write_text(text.format("nn.Adam", "ResNet", "EasyDict"))
    (tmp_path / "used.py").write_text(text.format("nn.Momentum", "VGG", "SimpleNamespace"))
    assert changes.changes(case_of(tmp_path, "used.py", "base.py")) == [
        ("model.()", "ResNet", "VGG"),
        ("optimizer.()", "nn.Adam", "nn.Momentum"),
    ]


def test_the_order_of_keys_is_no_change(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("steps: [{name: Flip, p: 1, of: [{x: 1, y: 2}]}, {name: Crop}]\n")
    (tmp_path / "b.yaml").write_text("steps: [{p: 1, of: [{y: 2, x: 1}], name: Flip}, {name: Crop}]\n")
    assert changes.changes(case_of(tmp_path, "b.yaml", "a.yaml")) == []
    (tmp_path / "b.yaml").write_text("steps: [{name: Crop}, {name: Flip, p: 1, of: [{x: 1, y: 2}]}]\n")
    assert [each.key for each in changes.changes(case_of(tmp_path, "b.yaml", "a.yaml")) or []] == ["steps"]


def test_json_against_yaml(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"lr": 0.1,\t"train": {"epochs": 3}}')
    (tmp_path / "b.yaml").write_text("lr: 0.1\ntrain: {epochs: 4}\n")
    assert changes.changes(case_of(tmp_path, "b.yaml", "a.json")) == [("train.epochs", "3", "4")]


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("x.py", "a = (\n", "config-syntax"),
        ("x.py", "a = " + "(" * 2000 + ")" * 2000, "config-syntax"),
        ("x.json", '{"a": ', "config-syntax"),
        ("x.yaml", "a: [1\n", "yaml-syntax"),
        ("x.yaml", "- 1\n- 2\n", "config-not-mapping"),
        ("x.yaml", "", "config-not-mapping"),
        ("x.yaml", "a: {" + ", ".join(f"k{n}: {n}" for n in range(10_001)) + "}", "config-too-large"),
        ("gone.yaml", None, "not-found"),
    ],
)
def test_what_cannot_be_compared_says_why_and_costs_no_report(
    tmp_path: Path, name: str, content: str | None, code: str
) -> None:
    (tmp_path / "good.yaml").write_text("a: 1\n")
    if content is not None:
        (tmp_path / name).write_text(content)
    case = case_of(tmp_path, name, "good.yaml")
    with pytest.raises(UserError) as caught:
        changes.changes(case)
    assert caught.value.code == code
    for language in Language:
        report = build(Record(), [], case, language)
        said = dict(report.asked)["配置改动" if language is Language.ZH else "Changes of the configuration"]
        assert name in said and report.changes is None


def test_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("lr: 0.1\n")
    (tmp_path / "used.yaml").write_text("lr: 0.2\nname: 'a|b\\e[31m'\n".replace("'", '"'))
    report = build(Record(), [], case_of(tmp_path, "used.yaml", "base.yaml"), Language.EN)
    assert report.changes is not None and report.changes.rows == [["lr", "0.1", "0.2"], ["name", "–", "a|b\\x1b[31m"]]
    assert ("Changes of the configuration", "2 keys differ from base.yaml") in report.asked
    report = build(Record(), [], case_of(tmp_path, "base.yaml", "base.yaml"), Language.ZH)
    assert report.changes is None and ("配置改动", "与 base.yaml 相同") in report.asked


def test_many_changes_lie_whole_beside_the_report(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("".join(f"k{n:03}: 1\n" for n in range(200)))
    (tmp_path / "used.yaml").write_text("".join(f"k{n:03}: 2\n" for n in range(200)))
    report = build(Record(), [], case_of(tmp_path, "used.yaml", "base.yaml"), Language.EN)
    assert report.changes is not None and len(report.changes.rows) == 50 and "200" in report.changes.bound
    assert report.changes.whole is not None and report.changes.whole.count == 200
    assert report.whole_tables == [report.changes.whole]
