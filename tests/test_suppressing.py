"""What somebody has set aside: comments with a reason, baselines; and the lines, hooks and templates that CI and editors read."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from command_line import accucheck, copy_example

ROOT = Path(__file__).parents[1]
TEMPLATES = ("github", "gitcode", "gitee-go", "gitlab")
STATIC = ("--only", "dp.03", "--only", "wi.01", "--kind", "static", "--lang", "en")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_example("digits_faulty", tmp_path)


def comment(file: Path, code: str, text: str) -> None:
    """Put a comment at the end of the first line that holds `code`."""
    lines = file.read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if code in line)
    lines[at] += f"  {text}"
    file.write_text("\n".join(lines) + "\n")


def found(project: Path, *options: str) -> tuple[int, list[dict], str]:
    ran = accucheck("run", project, *STATIC, "--no-session", "--json", *options)
    told = json.loads(ran.out)
    return ran.code, [f for item in told["items"] for result in item["results"] for f in result["findings"]], ran.err


def test_a_comment_with_a_reason_sets_aside_and_is_told(project: Path) -> None:
    before = found(project)[1]
    wrong = [each for each in before if each["level"] == "problem"]
    shuffled = next(each for each in wrong if each["where"]["path"] == "dataset.py")
    line = (project / "dataset.py").read_text().splitlines()[shuffled["where"]["line"] - 1]
    comment(project / "dataset.py", line, f"# accucheck: ignore[{shuffled['code']}] the sampler shuffles")
    code, after, said = found(project)
    aside = [each for each in after if each["suppressed"]]
    assert [(each["code"], each["level"]) for each in aside] == [(shuffled["code"], "info")]
    assert aside[0]["suppressed"] | {"line": 0} == {
        "kind": "inline",
        "level": "problem",
        "reason": "the sampler shuffles",
        "line": 0,
    }
    assert code == 1 and "1 set aside by comments" in said  # the weights are still zero
    ran = accucheck("run", project, "--only", "dp.03", "--kind", "static", "--lang", "en")
    assert ran.code == 0 and "Set aside by a comment in the code" in ran.out and "? dp.03" in ran.out, ran
    accucheck(
        "report",
        project,
        "-o",
        "out",
        "--format",
        "md",
        "--format",
        "sarif",
        "--format",
        "json",
        "--lang",
        "en",
        cwd=project,
    )
    told = (project / "out/digits_faulty-accuracy.md").read_text()
    assert "set aside by comments in the code or by a baseline, which are listed and do not count: dp.03" in told
    assert "Set aside by a comment in the code, so it does not count (was: problem): the sampler shuffles" in told
    (result,) = [
        each
        for each in json.loads((project / "out/digits_faulty-accuracy.sarif").read_text())["runs"][0]["results"]
        if each.get("suppressions")
    ]
    assert result["level"] == "error"
    assert result["suppressions"] == [
        {"kind": "inSource", "status": "accepted", "justification": "the sampler shuffles"}
    ]
    assert "dataset.py" not in accucheck("fix", project, "--only", "dp.03").out
    same = accucheck("diff", project / "out/digits_faulty-accuracy.json", project, "--lang", "en")
    assert same.code == 0, same  # nothing is gone


@pytest.mark.parametrize(
    "text", ["# accucheck: ignore[{code}]", "# accucheck: ignore[other-code] why not", "#accucheck:ignore {code} why"]
)
def test_without_reason_or_for_another_code_it_sets_nothing_aside(project: Path, text: str) -> None:
    code = next(
        each["code"]
        for each in found(project)[1]
        if each["where"]["path"] == "network.py" and each["level"] == "problem"
    )
    comment(project / "network.py", "Dense(", text.format(code=code))
    exit_code, after, said = found(project)
    assert exit_code == 1 and not any(each["suppressed"] for each in after)
    assert ("gives no reason" in said) == text.endswith("]")


def test_a_comment_above_a_line_counts_and_a_string_does_not(project: Path) -> None:
    network = project / "network.py"
    text = network.read_text()
    line = next(line for line in text.splitlines() if "Dense(" in line)
    indent = line[: len(line) - len(line.lstrip())]
    network.write_text(text.replace(line, f"{indent}# accucheck: ignore[wi.01] loaded from elsewhere\n{line}", 1))
    assert sum(each["suppressed"] is not None for each in found(project)[1]) == 1
    quoted = f'{indent}note = "# accucheck: ignore[wi.01] in a string"; {line.strip()}'
    network.write_text(text.replace(line, quoted, 1))
    assert not any(each["suppressed"] for each in found(project)[1])


def test_only_what_is_new_fails_beside_a_baseline(project: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    code, _, said = found(project, "--write-baseline", str(known))
    assert code == 0 and "known from the baseline" in said
    dataset = project / "dataset.py"
    dataset.write_text("# moved\n\n" + dataset.read_text())
    code, after, _ = found(project, "--baseline", str(known))
    assert code == 0 and {each["suppressed"]["kind"] for each in after if each["suppressed"]} == {"baseline"}
    network = project / "network.py"
    sound = 'self.conv1 = nn.Conv2d(1, 16, 3, pad_mode="same", has_bias=True'
    network.write_text(network.read_text().replace(sound, f'{sound}, weight_init="zeros"', 1))
    code, after, _ = found(project, "--baseline", str(known))
    new = [each for each in after if each["level"] == "problem"]
    assert code == 1 and [each["where"]["path"] for each in new] == ["network.py"]
    # The session keeps all of it: a baseline is of a run, not of the project.
    accucheck("run", project, *STATIC, "--baseline", known)
    accucheck("report", project, "-o", "out", "--format", "json", cwd=project)
    told = json.loads((project / "out/digits_faulty-accuracy.json").read_text())
    assert not any(f["suppressed"] for item in told["items"] for result in item["results"] for f in result["findings"])
    missing = accucheck("run", project, "--baseline", tmp_path / "none.json")
    assert missing.code == 2


def test_lines_are_what_a_problem_matcher_reads(project: Path) -> None:
    matcher = json.loads((ROOT / "docs/ci/problem-matcher.json").read_text())["problemMatcher"][0]["pattern"][0][
        "regexp"
    ]
    ran = accucheck("run", *STATIC[:-2], "--no-session", "--format", "lines", "--lang", "zh", cwd=project)
    read = [re.match(matcher, line) for line in ran.out.splitlines()]
    assert ran.code == 1 and len(read) >= 3 and all(read), ran.out
    for each in read:
        assert each and (project / each[1]).is_file() and int(each[2]) >= 1 and each[4] in ("error", "warning")
    assert {each[5].partition("/")[0] for each in read if each} == {"dp.03", "wi.01"}
    data = accucheck("run", "--only", "ds.04", "--no-session", "--format", "lines", cwd=project)
    assert all(re.match(matcher, line) for line in data.out.splitlines()) and data.out  # also what has no line


def test_one_run_writes_all_formats(project: Path, tmp_path: Path) -> None:
    names = {"sarif": "a/b.sarif", "junit": "j.xml", "json": "r.json", "lines": "l.txt"}
    ran = accucheck(
        "run",
        project,
        *STATIC,
        "--no-session",
        *(f"--also={form}={name}" for form, name in names.items()),
        cwd=tmp_path,
    )
    assert ran.code == 1 and "problem" in ran.out
    assert json.loads((tmp_path / "a/b.sarif").read_text())["version"] == "2.1.0"
    assert (tmp_path / "j.xml").read_text().startswith("<?xml") and json.loads((tmp_path / "r.json").read_text())[
        "items"
    ]
    assert ": error: " in (tmp_path / "l.txt").read_text()
    for bad in ("pdf=x", "sarif=", "sarif"):
        assert accucheck("run", project, "--also", bad).code == 2


def test_no_output_of_a_run_goes_through_a_link_of_the_project(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "out").symlink_to(outside)
    ran = accucheck("run", *STATIC, "--also", "sarif=out/a.sarif", cwd=project)
    assert ran.code == 2 and not list(outside.iterdir()), ran


def pre_commit(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PRE_COMMIT_HOME": str(project.parent / "cache"), "ACCUCHECK_LANG": "en"}
    command = [sys.executable, "-m", "pre_commit", *words]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, env=environment, timeout=300)


@pytest.mark.slow
def test_the_hook_in_a_repository(project: Path) -> None:
    """The hook as it is published; only its environment is this one, so that nothing is installed."""
    manifest = ROOT / ".pre-commit-hooks.yaml"
    valid = pre_commit(project, "validate-manifest", str(manifest))
    assert valid.returncode == 0, valid.stdout
    (hook,) = yaml.safe_load(manifest.read_text())
    entry = hook["entry"].replace("accucheck", f"{sys.executable} -m accucheck", 1)
    local = {**hook, "entry": entry, "language": "system", "args": ["--only", "wi.01"]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": [local]}]}))
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)
    wrong = pre_commit(project, "run", "--all-files")
    assert wrong.returncode == 1 and re.search(r"^network.py:\d+:\d+: error: wi.01/", wrong.stdout, re.M), wrong.stdout
    for line in ("self.fc1 = ", "self.fc2 = "):
        comment(project / "network.py", line, "# accucheck: ignore[wi.01] for the test")
    right = pre_commit(project, "run", "--all-files")
    assert right.returncode == 0, right.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-actions", "action.yml"),
        ("vendor.github-workflows", "docs/ci/github.yml"),
        ("vendor.github-workflows", "docs/ci/gitcode.yml"),
        ("vendor.gitlab-ci", "docs/ci/gitlab.yml"),
    ],
)
def test_each_template_of_ci_is_valid(schema: str, file: str) -> None:
    """GitCode's workflows have the form of GitHub's, with actions of its own."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(ROOT / file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


#: What the templates are held to beside yamllint's defaults: commands may be as long as those of the shell's examples in the docs.
LINT = "{extends: default, rules: {line-length: {max: 160}, document-start: disable, truthy: {check-keys: false}}}"


@pytest.mark.parametrize(
    "file", ["action.yml", ".pre-commit-hooks.yaml", *(f"docs/ci/{name}.yml" for name in TEMPLATES)]
)
def test_yamllint_has_nothing_to_say_of_what_ci_reads(file: str) -> None:
    """Repeated keys, wrong indents and stray types; the only check by others for Gitee Go, which publishes no schema."""
    command = [sys.executable, "-m", "yamllint", "--strict", "--format", "parsable", "-d", LINT, str(ROOT / file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_the_template_of_gitee_go_has_what_its_manual_asks_for() -> None:
    pipeline = yaml.safe_load((ROOT / "docs/ci/gitee-go.yml").read_text())
    assert {"version", "name", "displayName", "triggers", "stages"} <= set(pipeline)
    for stage in pipeline["stages"]:
        assert {"name", "displayName", "steps"} <= set(stage)
        for step in stage["steps"]:
            assert {"step", "name", "displayName", "commands"} <= set(step) and re.fullmatch(
                r"[a-z]+@[a-z]+", step["step"]
            )
            assert all(isinstance(line, str) for line in step["commands"])


@pytest.mark.parametrize("file", ["action.yml", *(f"docs/ci/{name}.yml" for name in TEMPLATES)])
def test_what_templates_run_are_options_of_the_program(file: str, project: Path) -> None:
    """Each command of a template, as it stands, with the shell's lines joined: it runs on the example, and fails as it should."""
    text = (ROOT / file).read_text().replace("\\\n", " ")
    line = re.findall(r"-?m? ?accucheck run ([^\n]*?)(?: \|\| code=\$\?)?$", text, re.M)[-1]
    if file == "action.yml":
        options = re.search(r"options=\((.*)\)", text)[1]
        line = f"{options} --kind static".replace('"$FAIL_ON"', "problem")
    ran = accucheck("run", *line.split(), "--only", "wi.01", cwd=project)
    assert ran.code == 1, ran
    assert list(project.rglob("accucheck.sarif")) and list(project.rglob("accucheck.xml"))
