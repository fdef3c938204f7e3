"""The wheel is the whole program: built, installed away from the checkout, and used there."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    here = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    command = [sys.executable, "-m", "build", "--wheel", *here, "--outdir", str(folder), str(ROOT)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert process.returncode == 0, process.stdout + process.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def target(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the wheel is installed; goes before the checkout on the import path."""
    folder = tmp_path_factory.mktemp("target")
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(folder), str(wheel)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert process.returncode == 0, process.stderr
    return folder


def run(target: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(target)}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder, env=environment)


def accucheck(target: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The console script that pip made."""
    return run(target, folder, sys.executable, str(target / "bin/accucheck"), *arguments)


def test_everything_that_is_no_module_is_inside(wheel):
    inside = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "src/accucheck"
    data = {
        f"accucheck/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert any(name.endswith(".tcss") for name in data) and any(name.endswith(".j2") for name in data)
    assert data <= inside
    assert {f"accucheck/checklists/{path.name}" for path in (ROOT / "checklists").glob("*.yaml")} <= inside
    example = ROOT / "examples/digits_faulty"
    copied = {name.removeprefix("accucheck/examples/digits_faulty/") for name in inside if "/examples/" in name}
    assert copied == {
        str(path.relative_to(example))
        for path in example.rglob("*")
        if path.is_file() and not {".accucheck", "__pycache__"} & set(path.parts)
    }
    strangers = {name for name in inside if not name.startswith(("accucheck/", "accucheck-"))}
    assert not strangers, "only the package belongs into the wheel"


def test_the_installed_one_is_used(target, tmp_path):
    process = run(target, tmp_path, sys.executable, "-c", "import accucheck; print(accucheck.__file__)")
    assert Path(process.stdout.strip()).is_relative_to(target)


def test_list_and_validate(target, tmp_path):
    shutil.copytree(ROOT / "examples/digits", tmp_path / "digits")
    listed = accucheck(target, tmp_path, "list")
    assert listed.returncode == 0 and "dp.03" in listed.stdout and not listed.stderr
    valid = accucheck(target, tmp_path, "validate", "digits")
    assert (valid.returncode, valid.stdout) == (0, "digits/accucheck.yaml: valid\n"), valid.stderr


def test_a_run_and_a_report(target, tmp_path):
    shutil.copytree(ROOT / "examples/digits_faulty", tmp_path / "digits")
    ran = accucheck(target, tmp_path, "run", "digits", "--only", "wi.01", "--json", "--no-session")
    assert ran.returncode == 1, ran.stderr
    item = json.loads(ran.stdout)["items"][0]
    assert item["suggestion"] == "problem"
    assert [result["status"] for result in item["results"]] == ["done", "done", "skipped", "skipped"]
    report = accucheck(target, tmp_path, "report", "digits", "--format", "md", "-o", "out")
    assert report.returncode == 0, report.stderr
    assert "wi.01" in (tmp_path / report.stdout.strip()).read_text()


def test_the_worker_is_the_installed_one(target, tmp_path):
    shutil.copytree(ROOT / "examples/digits_faulty", tmp_path / "digits")
    marker = tmp_path / "which"
    worker = target / "accucheck/worker.py"
    original = worker.read_text()
    try:
        worker.write_text(
            original.replace("import os\n", f"import os\nopen({str(marker)!r}, 'w').write(__file__)\n", 1)
        )
        accucheck(target, tmp_path, "run", "digits", "--only", "wi.01", "--no-session")
    finally:
        worker.write_text(original)
    assert Path(marker.read_text()) == worker


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Wheel and sdist as a release builds them, with the address of a repository."""
    folder = tmp_path_factory.mktemp("release")
    here = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    command = [sys.executable, "-m", "build", *here, "--outdir", str(folder), str(ROOT)]
    environment = {**os.environ, "ACCUCHECK_REPOSITORY": "https://host.invalid/owner/accucheck"}
    process = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment)
    assert process.returncode == 0, process.stdout + process.stderr
    return sorted(folder.iterdir())


def test_a_package_index_takes_wheel_and_sdist(released: list[Path]) -> None:
    assert [path.suffix for path in released] == [".whl", ".gz"] or [path.suffix for path in released] == [
        ".gz",
        ".whl",
    ]
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, released)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.count("PASSED") == 2, done.stdout


def test_a_release_tells_where_it_lies(released: list[Path]) -> None:
    """Addresses, and a README all of whose links and pictures lead to files of the repository."""
    archive = zipfile.ZipFile(next(path for path in released if path.suffix == ".whl"))
    told = archive.read(next(name for name in archive.namelist() if name.endswith("/METADATA"))).decode()
    head, _, text = told.partition("\n\n")
    for label in ("Homepage", "Documentation", "Source", "Issues", "Changelog"):
        assert f"Project-URL: {label}, https://host.invalid/owner/accucheck" in head
    assert "Classifier: Typing :: Typed" in head and "Classifier: Development Status :: " in head
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(links) > 40 and all(link.startswith(("https://", "#")) for link in links)
    own = [link.partition("/main/")[2].partition("#")[0] for link in links if "host.invalid" in link]
    assert own and all((ROOT / name).exists() for name in own)
    assert "host.invalid/owner/accucheck/raw/main/docs/images/tour.en.svg" in text


def test_the_light_wheel_holds_the_same_files_and_needs_less(wheel: Path, tmp_path: Path) -> None:
    here = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        *here,
        "--outdir",
        str(tmp_path),
        str(ROOT / "packaging/light"),
    ]
    process = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert process.returncode == 0, process.stdout + process.stderr
    light = zipfile.ZipFile(next(tmp_path.glob("accucheck_light-*.whl")))
    inside, whole = (
        {name for name in archive.namelist() if name.startswith("accucheck/")}
        for archive in (light, zipfile.ZipFile(wheel))
    )
    assert inside - {"accucheck/LICENSE"} == whole
    told = light.read(next(name for name in light.namelist() if name.endswith("/METADATA"))).decode()
    needed = re.findall(r"^Requires-Dist: ([\w-]+)[^;\n]*$", told, re.M)
    assert sorted(needed) == ["click", "google-crc32c", "jinja2", "markupsafe", "msgspec", "numpy", "pyyaml"]
    rest = re.findall(r"^Requires-Dist: ([\w-]+).*extra == 'full'", told, re.M)
    assert {"textual", "polars", "matplotlib", "python-docx", "pillow"} <= set(rest) and not set(rest) & set(needed)
    project = (
        zipfile.ZipFile(wheel)
        .read(next(n for n in zipfile.ZipFile(wheel).namelist() if n.endswith("/METADATA")))
        .decode()
    )
    for requirement in (
        one for one in re.findall(r"^Requires-Dist: ([^;\n]+)$", told, re.M) if not one.startswith("numpy")
    ):
        assert f"Requires-Dist: {requirement}" in project, "said twice, and not alike"
