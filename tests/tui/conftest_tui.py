"""Reading the screen in tests."""

from textual.app import App
from textual.widgets import OptionList


def text_of(app: App[None]) -> str:
    """What stands on the screen, as text."""
    return "\n".join("".join(segment.text for segment in line) for line in app.screen._compositor.render_strips())


def help_text(app: App[None]) -> str:
    """All that the open help says, in sight or not; lines broken for the width are whole."""
    options = app.screen.query_one(OptionList).options
    return "\n".join(" ".join(str(option.prompt).split()) for option in options)
