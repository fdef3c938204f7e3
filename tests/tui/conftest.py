"""A project on a checklist of fake probes, and the walkthrough over it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from accucheck.language import Language
from accucheck.project import open_project
from accucheck.tui.app import Walkthrough

ITEM = """
      - id: {id}
        title: {{zh: 检查 {id}, en: Check {id}}}
        method: {{zh: "1. 打开 [red]数据[/red]。", en: "1. Open the [red]data[/red]."}}
        conclusions:
          problem: {{zh: 有问题, en: it is wrong}}
          ok: {{zh: 没问题, en: it is right}}
          not_applicable: {{zh: 不适用, en: there is none}}
        remedy: {{zh: 修复它, en: mend it}}
        applies: {{zh: 总是, en: always}}
        {when}
        probes: [{probes}]
"""


@pytest.fixture
def checklist(tmp_path: Path, fakes: Path) -> Path:
    items = [
        ("xx.01", "", "fake_clean"),
        ("xx.02", "", "fake_problem"),
        ("xx.03", "", "fake_slow"),
        ("xx.04", "", ""),
        ("xx.05", "applies_when: [ascend]", "fake_clean"),
        ("xx.06", "", "fake_segfault"),
        ("xx.07", "", "fake_live"),
    ]
    text = "name: fakes\nversion: 1\ntitle: {zh: 假清单, en: Fakes}\nsections:\n  - id: xx\n"
    text += "    title: {zh: 一节, en: A section}\n    items:"
    text += "".join(ITEM.format(id=name, when=when, probes=probes) for name, when, probes in items)
    path = tmp_path / "fakes.yaml"
    path.write_text(text)
    return path


@pytest.fixture
def walkthrough(tmp_path: Path, checklist: Path) -> Callable[..., Walkthrough]:
    """walkthrough(language, case="...") opens the project; sessions are closed when the test ends."""
    root = tmp_path / "project"
    root.mkdir()
    opened: list[Walkthrough] = []

    def make(language: Language = Language.EN, case: str | None = "name: demo\nruntime: {device: CPU}\n", **options):
        if case is not None:
            (root / "accucheck.yaml").write_text(case)
        project = open_project(root, [str(checklist)], session="try")
        app = Walkthrough(project, language, **options)
        opened.append(app)
        return app

    yield make
    for app in opened:
        app.runner.close()
        app.session.close()
