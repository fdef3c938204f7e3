"""accucheck mcp, asked by the SDK's own client over stdio, as a coding agent asks it."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult

from accucheck.agents.words import WORDS
from accucheck.language import Language
from command_line import accucheck, copy_example

ROOT = Path(__file__).parents[1]
Answer = Callable[[Any, Any], Awaitable[ElicitResult]]


@asynccontextmanager
async def agent(project: Path, answer: Answer | None = None, mode: str = "auto") -> AsyncIterator[Client]:
    """A client of the server of a project, which it starts as agents do."""
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    given = {**{name: os.environ[name] for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME") if name in os.environ}}
    command = ["-m", "accucheck", "mcp", "--project", str(project), "--lang", "en"]
    server = StdioServerParameters(
        command=sys.executable, args=command, env={**given, "PYTHONPATH": path}, cwd=str(project)
    )
    async with Client(server, elicitation_callback=answer, mode=mode) as client:
        yield client


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)  # what the model reads


async def refused(client: Client, name: str, **arguments: Any) -> str:
    result = await client.call_tool(name, arguments)
    assert result.is_error
    return result.content[0].text


def answers(action: str, allow: bool, asked: list[str]) -> Answer:
    async def answer(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action=action, content={"allow": allow} if action == "accept" else None)

    return answer


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_example("digits_faulty", tmp_path)


@pytest.mark.mindspore
async def test_the_planted_faults_are_solved_through_mcp_alone(project: Path) -> None:
    """An agent that knows nothing of the example: it runs, reads the evidence, takes diff and advice, trains anew, and runs again."""
    asked: list[str] = []
    async with agent(project, answers("accept", True, asked)) as client:
        assert "accucheck" in client.instructions
        ran = await call(client, "run")
        wrong = {each["id"] for each in ran["items"] if each["suggestion"] == "problem"}
        assert wrong == {"ds.01", "ds.04", "dp.03", "wi.01"}
        told = await call(client, "findings", items=sorted(wrong), level="problem")
        assert all(each["evidence"] or each["fix"] for each in told["findings"])
        assert {each["item"] for each in told["findings"]} == wrong
        # The code: the diff as it stands.
        fix = await call(client, "fix")
        subprocess.run(["patch", "-p1"], input=fix["diff"], text=True, cwd=fix["root"], check=True, capture_output=True)
        # The data: what the findings and the method of the item say of the files.
        places = {each["where"]["path"] for each in told["findings"] if each["item"] == "ds.01"}
        assert places == {"data/train/part-1.csv"}
        explained = await call(client, "explain_item", item="ds.04")
        assert "MD5" in explained["method"] + explained["remedy"]
        sound = ROOT / "examples/digits/data/train"  # where the user would fetch the original from
        for file in (project / "data/train").glob("part*"):
            file.unlink()
        for file in sound.glob("part*"):
            (project / "data/train" / file.name).write_bytes(file.read_bytes())
        trained = await call(client, "watch", command=[sys.executable, "train.py", "--epochs", "1"], steps=0)
        assert trained["exit_code"] == 0 and trained["seen"] and len(asked) == 1
        again = await call(client, "run")
        assert not [each for each in again["items"] if each["suggestion"] == "problem"]
        for item in sorted(wrong):
            await call(client, "conclude", item=item, conclusion="problem", note="mended as accucheck said")
        status = await call(client, "status")
        concluded = {each["id"]: each for each in status["items"] if each["agent"]}
        assert set(concluded) == wrong and not any(each["conclusion"] for each in concluded.values())
        assert (await call(client, "next_steps"))["next"]


async def test_25_requests_at_once_are_answered(project: Path) -> None:
    async with agent(project) as client:
        found: list[str] = []

        async def one(name: str, **arguments: Any) -> None:
            await call(client, name, **arguments)
            found.append(name)

        with anyio.fail_after(120):
            async with anyio.create_task_group() as group:
                for number in range(25):
                    name = ("list_items", "status", "next_steps", "findings", "explain_item")[number % 5]
                    group.start_soon(
                        lambda name=name: one(name, **({"item": "dp.03"} if name == "explain_item" else {}))
                    )
                group.start_soon(lambda: one("run", items=["wi.01"]))
        assert len(found) == 26


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_code_of_the_project_runs_only_with_a_persons_leave(project: Path, mode: str) -> None:
    """On today's protocol and on the one before: asked of the person, who says no, leaves it, or cannot be asked."""
    asked: list[str] = []
    for answer in (
        answers("decline", False, asked),
        answers("accept", False, asked),
        answers("cancel", False, asked),
        None,
    ):
        async with agent(project, answer, mode) as client:
            assert "Nobody allowed this" in await refused(client, "run", items=["wi.01"], live=True)
            assert "Nobody allowed this" in await refused(client, "watch", command=["touch", str(project / "ran")])
    assert len(asked) == 6 and "network:DigitNet" in asked[0] and "touch" in asked[1]
    assert not (project / "ran").exists()


async def test_leave_is_for_what_was_shown_and_asked_for_once(project: Path) -> None:
    asked: list[str] = []
    async with agent(project, answers("accept", True, asked)) as client:
        for _ in range(2):
            told = await call(client, "watch", command=["sh", "-c", "echo seen; exit 3"])
            assert (told["exit_code"], told["seen"]) == (3, False)
            assert "seen" in told["output"]
        assert len(asked) == 1
        await call(client, "watch", command=["sh", "-c", "exit 0"])
        assert len(asked) == 2


@pytest.mark.mindspore
async def test_live_probes_run_once_a_person_agreed(project: Path) -> None:
    asked: list[str] = []
    async with agent(project, answers("accept", True, asked)) as client:
        for _ in range(2):
            told = await call(client, "run", items=["cg.02"], probes=["frozen_weights_live"], live=True)
    assert told["live_code_ran"] and told["summary"]["probes"]["done"] == 1
    assert len(asked) == 1


async def test_resources_reports_and_comparisons(project: Path) -> None:
    async with agent(project) as client:
        listed = (await client.list_resources()).resources
        assert {"ds.01", "cmp.05", "san.01", "mig.01", "perf.01"} <= {each.name for each in listed}
        page = (await client.read_resource("accucheck://items/dp.03")).contents[0].text
        assert page.startswith("# dp.03") and "## How to fix it" in page
        await call(client, "run", items=["wi.01"])
        written = await call(client, "report", formats=["md", "json"])
        assert all(
            Path(path).is_relative_to(project / "reports") and Path(path).exists() for path in written["reports"]
        )
        same = await call(client, "compare", left="checkpoints/init.ckpt", right="checkpoints/init.ckpt")
        assert same["same"] is True
        assert "no format" in await refused(client, "report", formats=["pdf"])
        assert "zz.99" in await refused(client, "explain_item", item="zz.99")
        assert {each["item"] for each in (await call(client, "findings", items=["wi.01"]))["findings"]} == {"wi.01"}
        for misspelt in ({"item": "wi.01"}, {"items": ["wi.01"], "levels": "info"}):
            assert "not permitted" in await refused(client, "findings", **misspelt), "not an answer to another question"


def test_the_words_are_there_in_both_languages() -> None:
    assert all(set(each) == {language.value for language in Language} for each in WORDS.values())


async def test_an_agents_conclusion_is_never_a_persons(project: Path) -> None:
    async with agent(project) as client:
        await call(client, "run", items=["wi.01", "dp.03"])
        await call(client, "conclude", item="dp.03", conclusion="ok", note="the order is shuffled elsewhere")
    person = accucheck("answer", "wi.01", "problem", "--as", "Li", "--project", project, "--lang", "en")
    assert person.code == 0
    rows = {each["id"]: each for each in json.loads(accucheck("status", project, "--json").out)["items"]}
    assert rows["dp.03"]["conclusion"] is None and rows["dp.03"]["by"] is None
    assert rows["dp.03"]["agent"]["conclusion"] == "ok" and rows["dp.03"]["agent"]["program"]
    assert rows["wi.01"]["agent"] is None and rows["wi.01"]["by"] == "Li"
    text = accucheck("status", project, "--lang", "en").out
    assert "an agent (" in text and "not a person, concluded no problem" in text
    ran = accucheck(
        "report",
        project,
        "-o",
        "out",
        "--lang",
        "en",
        "--format",
        "md",
        "--format",
        "html",
        "--format",
        "sarif",
        "--format",
        "junit",
        "--format",
        "docx",
        cwd=project,
    )
    assert ran.code == 0, ran
    for name in ("digits_faulty-accuracy.md", "digits_faulty-accuracy.html", "digits_faulty-accuracy.xml"):
        told = (project / "out" / name).read_text()
        assert "no problem (a program concluded this, not a person)" in told, name
    log = json.loads((project / "out/digits_faulty-accuracy.sarif").read_text())
    dp03 = [each for each in log["runs"][0]["results"] if each["properties"]["item"] == "dp.03"]
    assert dp03 and not any(each.get("suppressions") for each in dp03)
    assert "dp.03" in accucheck("sign-off", "--as", "Wang", "--project", project, "--lang", "en").err
