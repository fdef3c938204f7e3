"""accucheck mcp."""

from __future__ import annotations

from .frame import checklists_option, command, language, project_option, set_option, speak


@command("mcp", lambda: [project_option(), checklists_option(), set_option()])
def mcp(project: str, checklists: tuple[str, ...], settings: tuple[str, ...]) -> None:
    from pathlib import Path

    from ..errors import UserError
    from ..lacking import requirement
    from ..project import open_project

    path = Path(project).absolute()
    speak(open_project(path, checklists, settings, session="none").case)  # what is wrong with it is told here
    try:
        from ..agents import server
    except ImportError as error:
        raise UserError("mcp-missing", problem=str(error), install=requirement("mcp")) from None
    from ..agents.tools import Tools

    server.serve(Tools(path, checklists, settings, language()))
