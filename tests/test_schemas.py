"""The schemas that are published describe what the program reads and writes."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from accucheck import schemas
from command_line import accucheck, copy_example

ROOT = Path(__file__).parents[1]


def check(name: str, value: object) -> None:
    jsonschema.Draft202012Validator(schemas.schema(name)).validate(value)


@pytest.mark.parametrize("name", sorted(schemas.SCHEMAS))
def test_each_is_a_schema_with_its_version_that_is_printed_and_published(name: str) -> None:
    made = schemas.schema(name)
    jsonschema.Draft202012Validator.check_schema(made)
    if name == "checklist":
        return
    version = schemas.SCHEMAS[name][0]
    assert made["$id"] == f"urn:accucheck:schema:{name}:{version}"
    stored = json.loads((ROOT / f"docs/schemas/{name}.{version}.schema.json").read_text(encoding="utf-8"))
    assert stored["$id"] == made["$id"]  # whether it is current, docs/generate.py --check tells
    assert accucheck("schema", name).out == schemas.text(name)


@pytest.mark.parametrize("example", ["digits", "digits_faulty"])
def test_the_case_files_of_the_examples(example: str) -> None:
    check("case", yaml.safe_load((ROOT / "examples" / example / "accucheck.yaml").read_text()))


@pytest.mark.parametrize(
    "text", ["scripts: {trian: train.py}", "runtime: {distributed: {devices: many}}", "data: {train: {path: 3}}"]
)
def test_what_the_program_refuses_the_schema_refuses(text: str, tmp_path: Path) -> None:
    (tmp_path / "accucheck.yaml").write_text(text + "\n")
    assert accucheck("validate", tmp_path).code == 2
    with pytest.raises(jsonschema.ValidationError):
        check("case", yaml.safe_load(text))


def test_settings_of_a_person() -> None:
    check("settings", {"theme": "light", "keys": {"run-all": "F5"}})
    for wrong in ({"kyes": {}}, {"keys": {"run": 5}}):
        with pytest.raises(jsonschema.ValidationError):
            check("settings", wrong)


def test_runs_reports_and_sessions(tmp_path: Path) -> None:
    project = copy_example("digits_faulty", tmp_path)
    options = ["--kind", "static", "--checklist", "accuracy", "--checklist", "comparison"]
    ran = accucheck("run", project, "--json", *options)
    check("run", json.loads(ran.out))
    accucheck("answer", "wi.01", "problem", "--as", "Li", "--note", "zeros", "--project", project)
    accucheck("review", "wi.01", "accepted", "--as", "Wang", "--project", project)
    accucheck("report", project, "-o", "out", "--format", "json", cwd=project)
    check("run", json.loads((project / "out/digits_faulty-accuracy.json").read_text()))
    check("session", json.loads((project / ".accucheck/session.json").read_text()))


def test_a_case_file_that_is_written_names_its_schema(tmp_path: Path) -> None:
    project = copy_example("digits_faulty", tmp_path)
    (project / "accucheck.yaml").unlink()
    made = accucheck("init", project)
    assert made.code == 0, made
    first = (project / "accucheck.yaml").read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=.accucheck/case.1.schema.json"
    schema = json.loads((project / ".accucheck/case.1.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(yaml.safe_load((project / "accucheck.yaml").read_text()))


def test_a_clone_without_the_schema_gets_it_with_the_next_run(tmp_path: Path) -> None:
    """What editors complete by is what is published, letter for letter."""
    project = copy_example("digits_faulty", tmp_path)
    assert accucheck("run", project, "--only", "wi.01", "--kind", "static").code == 1
    written = project / ".accucheck/case.1.schema.json"
    assert not written.exists()  # nothing names it
    case = project / "accucheck.yaml"
    case.write_text(f"# yaml-language-server: $schema=.accucheck/{written.name}\n{case.read_text()}")
    assert accucheck("run", project, "--only", "wi.01", "--kind", "static").code == 1
    assert json.loads(written.read_text()) == json.loads((ROOT / "docs/schemas" / written.name).read_text())


def test_no_schema_is_written_through_a_link(tmp_path: Path) -> None:
    project, outside = copy_example("digits_faulty", tmp_path), tmp_path / "outside"
    outside.mkdir()
    (project / "accucheck.yaml").unlink()
    (project / ".accucheck").symlink_to(outside)
    accucheck("init", project)
    assert (project / "accucheck.yaml").is_file() and not list(outside.iterdir())
