"""accucheck in a notebook, run by nbclient in a kernel as Jupyter runs it."""

import html
import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from command_line import copy_example

ROOT = Path(__file__).parents[1]


def run(folder: Path, *cells: str) -> list[list[dict[str, Any]]]:
    """The outputs of each cell."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": path, "ACCUCHECK_LANG": "en"}
    client = NotebookClient(notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute(env=environment)
    return [list(cell.outputs) for cell in notebook.cells]


@pytest.mark.slow
def test_findings_and_charts_in_a_cell(tmp_path: Path) -> None:
    project = copy_example("digits_faulty", tmp_path)
    first, second, again, listed, shown = run(
        project,
        "import accucheck\naccucheck.report()",
        "accucheck.report(run=False, full=True, language='zh')",
        "%load_ext accucheck\n%accucheck run --only wi.01 --kind static",
        "%accucheck --version",
        "%accucheck",
    )
    frame = first[-1]["data"]["text/html"]
    assert re.match(r'<iframe sandbox srcdoc="[^"]+" style="[^"]+"></iframe>$', frame)
    page = html.unescape(re.search(r'srcdoc="([^"]+)"', frame)[1])
    assert "network.py" in page and "wi.01" in page and "<script" not in page
    assert "wi.01" in first[-1]["data"]["text/markdown"]
    whole = html.unescape(second[-1]["data"]["text/html"])
    assert "发现问题" in whole and ("<svg" in whole or "data:image" in whole)  # charts
    assert "wi.01" in "".join(each["text"] for each in again if each["output_type"] == "stream")
    assert "accucheck 0." in listed[0]["text"] and "iframe" in shown[-1]["data"]["text/html"]
    assert (project / ".accucheck/session.json").is_file()


def test_the_package_is_called_and_still_a_package() -> None:
    import accucheck
    from accucheck import report

    assert callable(accucheck.report) and report is accucheck.report and report.FORMATS
