"""accucheck mcp: the tools of one project over MCP, on standard input and output, until the client leaves.

Each tool runs in a thread; those that write or run something take turns. Where a person has to agree, the question goes through the
client to the person (elicitation); a client that cannot ask gets a refusal, and nothing is run.
"""

# Annotations are values here: the SDK reads them, and those of functions within functions name what is within too.
import threading
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

import anyio
import mcp_types
from anyio import from_thread, to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import BaseModel, Field, create_model

from .. import __version__
from ..checklist import load, shipped
from ..errors import UserError
from . import tools as tools_
from .tools import STEPS, Tools
from .words import say

#: Where the items of the guide are read.
ADDRESS = "accucheck://items/"


class Permission(BaseModel):
    """What a person answers."""

    allow: bool = Field(title="allow")


#: A question that was put, under the request it was put for: what an answer to it allows.
_Asked = dict[str, list[str]]
_Question = tuple[str, str] | None


class _ToolServer:
    """The tools as MCP takes them: threads, turns, errors in words, progress, and leave."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self._turn = anyio.Lock()
        self._asked: _Asked = {}

    async def call(self, work: Callable[..., dict[str, Any]], *given: Any, **named: Any) -> dict[str, Any]:
        """What only reads: as many at a time as ask."""
        try:
            return await to_thread.run_sync(partial(work, *given, **named))
        except UserError as error:
            raise ToolError(error.text(self.tools.language)) from None

    async def in_turn(self, work: Callable[..., dict[str, Any]], *given: Any, **named: Any) -> dict[str, Any]:
        """What writes or runs something: one after the other. Where the client gives up on it, it is stopped, and has ended before the
        next one begins."""
        cancel = threading.Event()
        told: dict[str, Any] | ToolError = {}
        async with self._turn, anyio.create_task_group() as group:
            group.start_soon(_set_when_cancelled, cancel)
            try:
                told = await self.call(work, *given, **named, cancel=cancel)
            except ToolError as error:  # raised below, as a group would wrap it
                told = error
            finally:
                group.cancel_scope.cancel()
        if isinstance(told, ToolError):
            raise told
        return told

    async def ask(
        self, context: Context[Any], question: Callable[..., _Question], *given: Any
    ) -> Permission | Elicit[Permission]:
        """Have a person asked where that is needed and the client can ask."""
        try:
            told = await to_thread.run_sync(partial(question, *given))
        except UserError as error:
            raise ToolError(error.text(self.tools.language)) from None
        if told is None:
            return Permission(allow=True)
        if not _can_ask(context):
            return Permission(allow=False)
        text, key = told
        self._asked.setdefault(context.request_id, []).append(key)
        return Elicit(text, Permission)

    def take(self, context: Context[Any], *answers: ElicitationResult[Permission]) -> bool:
        """Take the answers to the questions of a request; whether all of them allow what was asked."""
        keys = self._asked.pop(context.request_id, [])
        allowed = all(isinstance(each, AcceptedElicitation) and each.data.allow for each in answers)
        for key in keys if allowed else ():
            self.tools.agree(key)
        return allowed

    def progress(self, context: Context[Any]) -> tools_.Tell:
        """Tells the client how far something is, from a thread."""

        def tell(done: int, total: int, now: str) -> None:
            from_thread.run(context.report_progress, float(done), float(total) or None, now)

        return tell


async def _set_when_cancelled(cancel: threading.Event) -> None:
    try:
        await anyio.sleep_forever()
    finally:
        cancel.set()


def _can_ask(context: Context[Any]) -> bool:
    """Whether the client can put a question to a person."""
    form = mcp_types.ElicitationCapability(form=mcp_types.FormElicitationCapability())
    return bool(context.session.check_client_capability(mcp_types.ClientCapabilities(elicitation=form)))


def _program(context: Context[Any]) -> str:
    """What the client calls itself."""
    params = context.session.client_params
    return (params.client_info.name if params is not None else "") or "agent"


def make(tools: Tools) -> MCPServer[Any]:
    """The server of a project."""
    door = _ToolServer(tools)
    server: MCPServer[Any] = MCPServer(
        "accucheck",
        version=__version__,
        instructions=say("instructions", tools.language),
        tools=[*_reading(door), *_running(door), *_writing(door)],
    )
    _resources(server, door)
    return server


def _tool(door: _ToolServer, function: Any, *, reads: bool = True) -> Tool:
    """A function as a tool. The SDK drops arguments that it does not know: an agent that misspells one would get an answer to another
    question, and so they are refused."""
    name = function.__name__
    hints = mcp_types.ToolAnnotations(read_only_hint=reads, open_world_hint=False)
    tool = Tool.from_function(function, name=name, description=say(name, door.tools.language), annotations=hints)
    known = tool.fn_metadata.arg_model
    strict = create_model(known.__name__, __base__=known, __cls_kwargs__={"extra": "forbid"})
    tool.fn_metadata.arg_model = strict
    tool.parameters = strict.model_json_schema(by_alias=True)
    return tool


def _reading(door: _ToolServer) -> list[Tool]:
    tools = door.tools

    async def list_items(checklist: str = "") -> dict[str, Any]:
        return await door.call(tools.items, checklist)

    async def explain_item(item: str) -> dict[str, Any]:
        return await door.call(tools.explain, item)

    async def status() -> dict[str, Any]:
        return await door.call(tools.status)

    async def next_steps() -> dict[str, Any]:
        return await door.call(tools.next_steps)

    async def findings(
        items: list[str] | None = None, level: Literal["problem", "suspect", "info"] = "suspect"
    ) -> dict[str, Any]:
        return await door.call(tools.findings, items or (), level)

    async def compare(left: str, right: str, rtol: float | None = None, atol: float | None = None) -> dict[str, Any]:
        return await door.call(tools.compare, left, right, rtol, atol)

    return [_tool(door, each) for each in (list_items, explain_item, status, next_steps, findings, compare)]


def _running(door: _ToolServer) -> list[Tool]:
    tools = door.tools

    async def code_leave(context: Context[Any], live: bool, items: list[str] | None) -> Permission | Elicit[Permission]:
        return await door.ask(context, tools.code_question, items or ()) if live else Permission(allow=True)

    async def address_leave(
        context: Context[Any], remote: bool, items: list[str] | None
    ) -> Permission | Elicit[Permission]:
        return await door.ask(context, tools.address_question, items or ()) if remote else Permission(allow=True)

    async def command_leave(context: Context[Any], command: list[str]) -> Permission | Elicit[Permission]:
        return await door.ask(context, tools.command_question, command)

    async def run(
        context: Context[Any],
        code: Annotated[ElicitationResult[Permission], Resolve(code_leave)],
        addresses: Annotated[ElicitationResult[Permission], Resolve(address_leave)],
        items: list[str] | None = None,
        probes: list[str] | None = None,
        live: bool = False,
        remote: bool = False,
    ) -> dict[str, Any]:
        if not door.take(context, code, addresses):
            raise ToolError(UserError("agent-no-leave").text(tools.language))
        tell = door.progress(context)
        return await door.in_turn(tools.run, items or (), probes or (), live=live, remote=remote, tell=tell)

    async def watch(
        context: Context[Any],
        leave: Annotated[ElicitationResult[Permission], Resolve(command_leave)],
        command: list[str],
        steps: Annotated[int, Field(ge=0)] = STEPS,
        role: Literal["train", "eval", "infer"] = "train",
    ) -> dict[str, Any]:
        if not door.take(context, leave):
            raise ToolError(UserError("agent-no-leave").text(tools.language))
        return await door.in_turn(tools.watch, command, steps, role, tell=door.progress(context))

    async def fix(items: list[str] | None = None) -> dict[str, Any]:
        return await door.in_turn(tools.fix, items or ())

    return [_tool(door, run, reads=False), _tool(door, watch, reads=False), _tool(door, fix)]


def _writing(door: _ToolServer) -> list[Tool]:
    tools = door.tools

    async def conclude(
        context: Context[Any], item: str, conclusion: Literal["problem", "ok", "not_applicable"], note: str = ""
    ) -> dict[str, Any]:
        return await door.in_turn(_uninterrupted(tools.conclude), item, conclusion, note, _program(context))

    async def report(
        formats: list[str] | None = None, language: Literal["", "zh", "en", "both"] = ""
    ) -> dict[str, Any]:
        return await door.in_turn(_uninterrupted(tools.report), formats or ("md",), language)

    return [_tool(door, conclude, reads=False), _tool(door, report, reads=False)]


def _uninterrupted(work: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Work that is over before anybody could stop it."""
    return lambda *given, cancel: work(*given)


def _resources(server: MCPServer[Any], door: _ToolServer) -> None:
    """Each item of the guide, to be read."""
    tools = door.tools

    def page(item: str) -> str:
        return tools_.markdown(tools.explain(item), tools.language)

    for name in [*tools.checklists, *(each for each in shipped() if each not in tools.checklists)]:
        for item in load(name).items:
            server.resource(
                f"{ADDRESS}{item.id}", name=item.id, title=item.title[tools.language], mime_type="text/markdown"
            )(partial(page, item.id))


def serve(tools: Tools) -> None:
    """Serve until the client closes standard input."""
    make(tools).run("stdio")
