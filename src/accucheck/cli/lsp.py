"""accucheck lsp."""

from __future__ import annotations

from .frame import checklists_option, command, language


@command("lsp", lambda: [checklists_option()])
def lsp(checklists: tuple[str, ...]) -> None:
    from ..errors import UserError
    from ..lacking import requirement

    try:
        from ..editor import make
    except ImportError as error:
        raise UserError("lsp-missing", problem=str(error), install=requirement("lsp")) from None
    make(checklists, language()).start_io()
