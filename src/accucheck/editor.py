"""accucheck lsp: what static probes find, in an editor, over the language server protocol; fixes are code actions.

A folder is looked at when it is opened and whenever one of its scripts or settings is saved; what was begun before is then given up.
Nothing of the project is run, and nothing recorded.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from . import __version__
from .engine import Finished
from .errors import UserError
from .language import Language, visible
from .model import Finding, Kind, Level
from .project import open_project
from .report.machine import Speech
from .script.patch import Edit, parse, split

_SEVERITIES = {Level.PROBLEM: types.DiagnosticSeverity.Error, Level.SUSPECT: types.DiagnosticSeverity.Warning}
#: Files whose change may change what is found.
_WATCHED = (".py", ".yaml", ".yml", ".json")


class EditorFinding(NamedTuple):
    """A finding in a file, with the title and the edits of its fix, which has none where it is not one of this file alone."""

    diagnostic: types.Diagnostic
    title: str
    edits: tuple[Edit, ...]


class Editor(LanguageServer):
    """The server. `checklists` as everywhere; what is shown is kept by the address of its file."""

    def __init__(self, checklists: Sequence[str], language: Language) -> None:
        super().__init__("accucheck", __version__)
        self.checklists, self.language = tuple(checklists), language
        self.shown: dict[str, dict[str, list[EditorFinding]]] = {}
        self._running: dict[str, threading.Event] = {}

    async def look(self, folder: Path) -> None:
        """Look at a project, and tell the editor what was found; an older look at the same one is given up."""
        name, cancel = str(folder), threading.Event()
        if (before := self._running.get(name)) is not None:
            before.set()
        self._running[name] = cancel
        try:
            found = await asyncio.to_thread(self._found, folder, cancel)
        except UserError as error:
            self.window_log_message(types.LogMessageParams(types.MessageType.Warning, error.text(self.language)))
            return
        if self._running[name] is not cancel:  # another look has begun meanwhile
            return
        for uri in {**self.shown.get(name, {}), **found}:
            diagnostics = [each.diagnostic for each in found.get(uri, [])]
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics))
        self.shown[name] = found

    def _found(self, folder: Path, cancel: threading.Event) -> dict[str, list[EditorFinding]]:
        """What static probes find, by the address of the file."""
        opened = open_project(folder, self.checklists, session="none", take=True)
        speech = Speech(self.language)
        found: dict[str, list[EditorFinding]] = {}
        told: set[tuple[str, str, int | None]] = set()
        for event in opened.run(opened.jobs(kinds={Kind.STATIC}), cancel=cancel):
            if not isinstance(event, Finished):
                continue
            for finding in event.result.findings:
                where = finding.where
                file = opened.case.path(where.path) if where.path else None
                key = (event.result.probe + finding.code, str(file), where.line)  # one probe may serve several items
                if finding.level in _SEVERITIES and file is not None and file.suffix in _WATCHED and key not in told:
                    told.add(key)
                    uri = uris.from_fs_path(str(file))
                    if uri is not None and file.is_file():
                        shown = _shown(event.job.item, event.result.probe, finding, file, speech)
                        found.setdefault(uri, []).append(shown)
        return found

    def actions(self, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
        """The fixes of findings within a range, as far as they fit the text as it stands in the editor."""
        uri = params.text_document.uri
        lines = split(self.workspace.get_text_document(uri).source)
        first, last = params.range.start.line, params.range.end.line
        for each in (one for found in self.shown.values() for one in found.get(uri, [])):
            at = each.diagnostic.range.start.line
            if not each.edits or not first <= at <= last or not all(edit.fits(lines) for edit in each.edits):
                continue
            edits = [_text_edit(edit) for edit in each.edits]
            yield types.CodeAction(
                title=each.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[each.diagnostic],
                edit=types.WorkspaceEdit(changes={uri: edits}),
                is_preferred=each.diagnostic.severity == types.DiagnosticSeverity.Error,
            )


def _shown(item: str, probe: str, finding: Finding, file: Path, speech: Speech) -> EditorFinding:
    explained = speech.explanation(probe, finding)
    message = visible(speech.message(probe, finding.code, finding.data))
    text = "\n".join(filter(None, [message, visible(explained.why), visible(explained.sure)]))
    diagnostic = types.Diagnostic(
        range=_range(file, finding.where.line or 1),
        message=text,
        severity=_SEVERITIES[finding.level],
        code=f"{item}/{finding.code}",
        source="accucheck",
    )
    fix = finding.fix
    title = visible(speech.message(probe, fix.message, finding.data)) if fix is not None else ""
    edits: tuple[Edit, ...] = ()
    if fix is not None and fix.diff:
        try:
            path, wanted = parse(fix.diff)
            edits = tuple(wanted) if finding.where.path == path else ()
        except ValueError:
            pass
    return EditorFinding(diagnostic, title, edits)


def _range(file: Path, line: int) -> types.Range:
    """A line without its indent; columns as the protocol counts them, in units of UTF-16."""
    lines = file.read_text("utf-8", "replace").splitlines()
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    columns = (len(text[:at].encode("utf-16-le")) // 2 for at in (begin, max(begin, end)))
    return types.Range(*(types.Position(line - 1, column) for column in columns))


def _text_edit(edit: Edit) -> types.TextEdit:
    """Whole lines in the place of whole lines."""
    begin, end = types.Position(edit.first - 1, 0), types.Position(edit.after - 1, 0)
    return types.TextEdit(range=types.Range(begin, end), new_text="".join(edit.new))


def make(checklists: Sequence[str], language: Language) -> Editor:
    """The server, ready to be started."""
    server = Editor(checklists, language)

    @server.feature(types.INITIALIZED)
    async def begin(params: types.InitializedParams) -> None:
        for folder in _folders(server):
            await server.look(folder)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        path = uris.to_fs_path(params.text_document.uri) or ""
        for folder in _folders(server):
            if path.endswith(_WATCHED) and Path(path).is_relative_to(folder):
                await server.look(folder)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return list(server.actions(params))

    return server


def _folders(server: Editor) -> list[Path]:
    """The projects that the editor has open."""
    paths = [uris.to_fs_path(uri) for uri in server.workspace.folders]
    root = uris.to_fs_path(server.workspace.root_uri) if server.workspace.root_uri and not paths else None
    return [Path(path) for path in (*paths, root) if path]
