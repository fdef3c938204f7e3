"""The sample reports: made from the stored session alike on every machine, and told when they are stale."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from accucheck import report as reports
from accucheck.language import Language
from accucheck.report import machine, markdown

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "reports" / "generate.py"


@pytest.fixture
def generate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """reports/generate.py, with the stored session in a folder of its own and nothing written yet."""
    spec = importlib.util.spec_from_file_location("generate_reports", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    shutil.copytree(module.SESSION, tmp_path / "session")
    for name, value in (("ROOT", tmp_path), ("REPORTS", tmp_path), ("SESSION", tmp_path / "session")):
        monkeypatch.setattr(module, name, value)
    return module


@pytest.mark.part(40)
def test_what_is_stale_is_told(generate: ModuleType, tmp_path: Path) -> None:
    assert f"zh/{generate.STEM}.docx" in generate.stale()
    for language in Language:
        options = reports.Options(formats=tuple(reports.FORMATS), stem=generate.STEM)
        reports.write(generate.sample(language), tmp_path / language.value, options)
    assert generate.stale() == []

    text = tmp_path / "en" / f"{generate.STEM}.md"
    text.write_text(text.read_text().replace("Planted: shuffle", "Planted: no shuffle"))
    (tmp_path / "zh" / f"{generate.STEM}_files" / "chart-001.png").unlink()
    (tmp_path / "zh" / "old.md").write_text("")
    expected = [f"en/{generate.STEM}.md", f"zh/{generate.STEM}_files/chart-001.png", "zh/old.md"]
    assert generate.stale() == expected

    made = tmp_path / "session" / "made.json"
    made.write_text(made.read_text().replace('"2.10.0"', '"2.9.0"'))
    assert f"zh/{generate.STEM}.md" in generate.stale()


def test_another_machine_writes_the_same(generate: ModuleType, tmp_path: Path) -> None:
    """Another home, user, time zone, language and set of variables, and the project at another place."""
    others = ("src", "examples/digits_faulty", "checklists", "reports")
    for name in others:
        ignored = shutil.ignore_patterns("__pycache__", ".accucheck", "*.docx", "*.png")
        shutil.copytree(ROOT / name, tmp_path / "elsewhere" / name, ignore=ignored)
    program = (
        "import sys, pathlib, generate\n"
        "for language in generate.Language:\n"
        "    built = generate.sample(language)\n"
        "    files = generate.markdown.render(built, 'x', draw=lambda _: b'') | generate.machine.render(built, 'x')\n"
        "    for name in ('x.md', 'x.json'):\n"
        "        (pathlib.Path(sys.argv[1]) / f'{language.value}-{name}').write_bytes(files[name])\n"
    )
    other = {"HOME": str(tmp_path / "elsewhere"), "USER": "digits", "LOGNAME": "digits", "TZ": "Asia/Shanghai"}
    other |= {"LANG": "zh_CN.GBK", "MS_WORKER_NUM": "8", "PATH": os.environ["PATH"], "PYTHONHASHSEED": "7"}
    other["PYTHONPATH"] = os.pathsep.join(str(tmp_path / "elsewhere" / name) for name in ("src", "reports"))
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], env=other, check=True, cwd=tmp_path)
    for language in Language:
        built = generate.sample(language)
        here = markdown.render(built, "x", draw=lambda _: b"") | machine.render(built, "x")
        for name in ("x.md", "x.json"):
            assert (tmp_path / f"{language.value}-{name}").read_bytes() == here[name]
