"""Reading the screen in tests."""

from textual.app import App


def text_of(app: App[None]) -> str:
    """What stands on the screen, as text."""
    return "\n".join("".join(segment.text for segment in line) for line in app.screen._compositor.render_strips())
