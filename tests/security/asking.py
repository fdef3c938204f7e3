"""What the walkthrough asks before it runs an item."""

from accucheck.tui.app import Walkthrough
from accucheck.tui.screens.dialogs import Choose


async def asked(app: Walkthrough, pilot) -> Choose:
    """Runs the item that the checklist shows, and returns the question that comes first."""
    for _ in range(400):
        await pilot.pause(0.05)
        if isinstance(app.screen, Choose):
            return app.screen
        if app.screen.query("ItemList"):
            if not app.runner.busy:
                await pilot.press("r")
        elif app.screen.id != "_default":
            await pilot.press("escape")
    raise AssertionError("nothing was asked")
