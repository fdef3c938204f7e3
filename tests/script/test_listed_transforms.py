"""Transforms that a configuration file lists by name, in the ways people build them."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script import consistency, normalization
from accucheck.script.pipelines import Pipelines, of_scripts
from case_scripts import scripts

HEAD = """import yaml
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.dataset import transforms, vision

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def construct(self, image):
        return self.conv(image)

with open("plan.yaml") as file:
    plan = yaml.safe_load(file)
"""
TAIL = """
def folder(path, use):
    return ds.ImageFolderDataset(path).map(built(plan[use]), "image").batch(32)

net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()))
model.train(1, folder("train", "fit"))
model.eval(folder("valid", "check"))
"""
SCALE = "  - Normalize: {mean: [127.5, 127.5, 127.5], std: [60.0, 60.0, 60.0]}\n"
PLAN = "  - Decode: {{}}\n  - Resize: {{size: [64, 64]}}\n{}  - HWC2CHW: {{}}\n"

#: Ways to build what the entries {Name: {option: value}} of a list say.
BUILT = {
    "loops": """
def built(entries):
    found = []
    for entry in entries:
        for name, given in entry.items():
            found.append(getattr(vision, name)(**given))
    return found
""",
    "numbered": """
def built(entries):
    found = []
    for place, entry in enumerate(entries):
        for name, given in entry.items():
            found += [getattr(vision, name)(**(given or {}))]
    return transforms.Compose(found)
""",
    "comprehension": """
def built(entries):
    return [getattr(vision, name)(**given) for entry in entries for name, given in entry.items()]
""",
    "mapped": """
def one(entry):
    name, given = next(iter(entry.items()))
    return getattr(vision, name)(**given)

def built(entries):
    return list(map(one, entries))
""",
    "keys": """
def built(entries):
    return [getattr(vision, list(entry)[0])(**entry[list(entry)[0]]) for entry in entries]
""",
    "object": """
class built:
    def __init__(self, entries):
        self.steps = []
        for entry in entries:
            for name in entry:
                self.steps.append(getattr(vision, name)(**entry[name]))

    def __call__(self, image):
        for step in self.steps:
            image = step(image)
        return image
""",
}
#: Ways that are not followed turn by turn.
UNFOLLOWED = {
    "counted": """
def built(entries):
    found, place = [], 0
    while place < len(entries):
        for name, given in entries[place].items():
            found.append(getattr(vision, name)(**given))
        place += 1
    return found
""",
    "elsewhere": """
import registry

def built(entries):
    return list(registry.each(entries))
""",
}


def read(root: Path, built: str, fit: str, check: str) -> list[Pipelines]:
    plan = f"fit:\n{PLAN.format(fit)}check:\n{PLAN.format(check)}"
    (root / "plan.yaml").write_text(plan)
    return of_scripts(scripts(root, HEAD + built + TAIL))


@pytest.mark.parametrize("built", BUILT.values(), ids=BUILT)
def test_what_evaluation_lists_is_compared(tmp_path: Path, built: str) -> None:
    (found,) = consistency.examine(read(tmp_path, built, SCALE, ""))
    assert (found.code, found.certain) == ("normalised-in-one", True)
    (found,) = consistency.examine(read(tmp_path, built, SCALE, SCALE))
    assert found.code == "agree"


@pytest.mark.parametrize("built", BUILT.values(), ids=BUILT)
def test_what_training_lists_is_judged(tmp_path: Path, built: str) -> None:
    assert [said.code for said in normalization.examine(read(tmp_path, built, "", ""))] == ["raw"]
    assert [said.code for said in normalization.examine(read(tmp_path, built, SCALE, SCALE))] == ["normalised"]


def test_several_steps_of_one_expression_are_shown_where_they_are_applied(tmp_path: Path) -> None:
    (found,) = consistency.examine(read(tmp_path, BUILT["loops"], SCALE, ""))
    assert ".map(" in found.made.source.lines[found.made.line - 1]


@pytest.mark.parametrize("built", UNFOLLOWED.values(), ids=UNFOLLOWED)
@pytest.mark.parametrize("check", [SCALE, ""])
def test_what_is_not_followed_is_left_open(tmp_path: Path, built: str, check: str) -> None:
    pipelines = read(tmp_path, built, SCALE, check)
    assert {said.code for said in consistency.examine(pipelines)} == {"unclear"}
