"""accucheck lsp, asked by a language client over stdio as an editor asks it."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from command_line import copy_example

ROOT = Path(__file__).parents[1]


class Client(LanguageClient):
    """An editor: keeps what is published, by the name of the file."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.published: dict[str, list[types.Diagnostic]] = {}
        self.news = asyncio.Event()

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def take(params: types.PublishDiagnosticsParams) -> None:
            self.published[Path(params.uri).name] = list(params.diagnostics)
            self.news.set()

    async def wait_for(self, name: str, wanted: Any) -> list[types.Diagnostic]:
        """What is published of a file, once it is as wanted."""
        async with asyncio.timeout(60):
            while name not in self.published or not wanted(self.published[name]):
                self.news.clear()
                await self.news.wait()
        return self.published[name]


@asynccontextmanager
async def editor(project: Path, language: str = "en") -> AsyncIterator[Client]:
    client = Client()
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    env = {**os.environ, "PYTHONPATH": path}
    await client.start_io(sys.executable, "-m", "accucheck", "lsp", "--lang", language, env=env)
    folder = types.WorkspaceFolder(project.as_uri(), project.name)
    capabilities = types.ClientCapabilities()
    await client.initialize_async(
        types.InitializeParams(capabilities, root_uri=project.as_uri(), workspace_folders=[folder])
    )
    client.initialized(types.InitializedParams())
    try:
        yield client
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()


def opened(client: Client, file: Path) -> types.TextDocumentIdentifier:
    item = types.TextDocumentItem(file.as_uri(), "python", 1, file.read_text())
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return types.TextDocumentIdentifier(file.as_uri())


def applied(text: str, edits: list[types.TextEdit]) -> str:
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda each: -each.range.start.line):
        assert edit.range.start.character == edit.range.end.character == 0
        lines[edit.range.start.line : edit.range.end.line] = [edit.new_text]
    return "".join(lines)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="asyncio.timeout")
async def test_findings_are_shown_and_mended_from_the_editor(tmp_path: Path) -> None:
    project = copy_example("digits_faulty", tmp_path)
    async with editor(project) as client:
        found = await client.wait_for("network.py", lambda each: len(each) >= 2)
        assert {each.code for each in found} == {"wi.01/zero-weights"}
        assert all(each.severity == types.DiagnosticSeverity.Error and each.source == "accucheck" for each in found)
        lines = (project / "network.py").read_text().splitlines()
        for each in found:
            assert (
                each.message.startswith("The weight of this nn.Dense") and each.range.start.line == each.range.end.line
            )
            at = each.range.start
            assert lines[at.line][at.character :].startswith("self.fc") and each.range.end.character == len(
                lines[at.line]
            )
        await client.wait_for("dataset.py", bool)
        # The fix of each is a code action; applied and saved, the finding is gone.
        for name in ("network.py", "dataset.py"):
            file = project / name
            document = opened(client, file)
            text = file.read_text()
            for each in sorted(client.published[name], key=lambda one: -one.range.start.line):
                context = types.CodeActionContext([each])
                actions = await client.text_document_code_action_async(
                    types.CodeActionParams(document, each.range, context)
                )
                fixes = [one for one in actions if one.edit and each in (one.diagnostics or [])]
                assert fixes and fixes[0].kind == types.CodeActionKind.QuickFix and fixes[0].title, name
                text = applied(text, fixes[0].edit.changes[document.uri])
            file.write_text(text)
            client.text_document_did_save(types.DidSaveTextDocumentParams(document))
            assert await client.wait_for(name, lambda each: not each) == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="asyncio.timeout")
async def test_no_action_for_text_that_has_changed_and_chinese_too(tmp_path: Path) -> None:
    project = copy_example("digits_faulty", tmp_path)
    async with editor(project, "zh") as client:
        found = await client.wait_for("network.py", bool)
        assert "初始化" in found[0].message
        file = project / "network.py"
        document = opened(client, file)
        change = types.TextDocumentContentChangeWholeDocument("# 全部改了\n" * 30)
        version = types.VersionedTextDocumentIdentifier(2, document.uri)
        client.text_document_did_change(types.DidChangeTextDocumentParams(version, [change]))
        context = types.CodeActionContext(found)
        params = types.CodeActionParams(document, found[0].range, context)
        assert not await client.text_document_code_action_async(params)
