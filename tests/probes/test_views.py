"""Static probes on scripts whose configuration no command names: each file that may be loaded is a view."""

from pathlib import Path

import pytest

from accucheck.case import Case, CaseFile, Configs, Runtime, Scripts
from accucheck.model import Finding, Level, Sure
from accucheck.probes import _views, shuffle_settings
from accucheck.script import views

TRAIN = """import argparse
import os
import mindspore as ms
import mindspore.dataset as ds
import yaml
from mindspore import nn


def load(path):
    with open(path) as stream:
        given = yaml.safe_load(stream)
    base = given.pop("base", None)
    return {**(load(os.path.join(os.path.dirname(path), base)) if base else {}), **given}


parser = argparse.ArgumentParser()
parser.add_argument("-c", "--config"OPTION)
cfg = load(parser.parse_args().config)
data = ds.ImageFolderDataset(cfg["folder"], shuffle=cfg["shuffle"]).batch(cfg["batch"])
net = nn.Dense(8, 8)
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), cfg["lr"])).train(cfg["epochs"], data)
"""
GOOD = "folder: images\nbatch: 32\nlr: 0.1\nepochs: 9\nshuffle: true\n"
BAD = GOOD.replace("true", "false")


def case(root: Path, files: dict[str, str], option: str = ", required=True", **more: object) -> Case:
    for name, text in {"train.py": TRAIN.replace("OPTION", option), **files}.items():
        (root / name).parent.mkdir(exist_ok=True, parents=True)
        (root / name).write_text(text)
    return Case(str(root), CaseFile(scripts=Scripts(train="train.py"), **more))  # type: ignore[arg-type]


def said(of: Case) -> list[Finding]:
    return [one for one in _views.run(shuffle_settings, of, shuffle_settings.Params()) if isinstance(one, Finding)]


def accusing(of: Case) -> list[tuple[str, Level, Sure | None]]:
    return [(one.code, one.level, one.sure) for one in said(of) if one.level is not Level.INFO]


@pytest.mark.parametrize("option", [", required=True", ", default=''", ""])
def test_a_fault_of_one_of_two_configurations_is_a_suspect_that_names_it(tmp_path: Path, option: str) -> None:
    of = case(tmp_path, {"a.yaml": GOOD, "configs/b.yaml": BAD}, option)
    (fault,) = [one for one in said(of) if one.level is not Level.INFO]
    assert (fault.code, fault.level, fault.sure) == ("shuffle-off", Level.SUSPECT, Sure.POSSIBLE)
    assert "configs/b.yaml:5" in fault.data["decided"]["en"], "where it is set"
    assert fault.data["decided"]["en"].endswith("This holds with configs/b.yaml.")
    (taken,) = [one for one in said(of) if one.code == "configurations-taken"]
    assert taken.data == {"path": "train.py", "files": ["a.yaml", "configs/b.yaml"], "count": 0}
    assert not taken.incomplete


def test_a_fault_of_all_configurations_is_as_sure_as_with_a_command(tmp_path: Path) -> None:
    both = accusing(case(tmp_path, {"a.yaml": BAD, "b.yaml": BAD.replace("32", "64")}))
    assert both == accusing(case(tmp_path, {}, runtime=Runtime(command="python train.py --config a.yaml")))
    assert [level for _, level, _ in both] == [Level.PROBLEM]
    assert accusing(case(tmp_path, {"a.yaml": GOOD, "b.yaml": GOOD})) == []


def test_what_another_file_includes_and_what_holds_other_things_is_no_view(tmp_path: Path) -> None:
    names = "[" + ", ".join(f'{{"image_{each}": {each}}}' for each in range(9)) + "]"
    of = case(
        tmp_path, {"own.yaml": "base: parts/base.yaml\nshuffle: false\n", "parts/base.yaml": GOOD, "data.json": names}
    )
    assert [view.file for view in views.of(of)] == ["own.yaml"]
    assert [level for _, level, _ in accusing(of)] == [Level.PROBLEM]


def test_no_view_where_a_command_a_default_or_the_case_says_which_file_is_loaded(tmp_path: Path) -> None:
    files = {"a.yaml": GOOD, "b.yaml": BAD}
    assert not views.of(case(tmp_path, files, runtime=Runtime(command="python train.py -c b.yaml")))
    assert not views.of(case(tmp_path, files, ", default='a.yaml'"))
    assert [view.file for view in views.of(case(tmp_path, files, configs=Configs(used="b.yaml")))] == ["b.yaml"]
    assert len(views.of(case(tmp_path, {f"{each}.yaml": GOOD for each in range(9)}))) == views.MOST


def test_installed_packages_bring_no_configuration(tmp_path: Path) -> None:
    for folder in ("venv", "node_modules", "site-packages"):
        assert [one.file for one in views.of(case(tmp_path / folder, {"a.yaml": GOOD, f"{folder}/b.yaml": BAD}))] == [
            "a.yaml"
        ]
