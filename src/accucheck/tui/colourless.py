"""Without colours (NO_COLOR): all is drawn in the two colours of the terminal, whatever these are; what is chosen is reversed. With 16
colours: what is drawn in the terminal's own colour can be read on a ground as well."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.theme import Theme

#: Black and white, of which the filter makes the colours of the terminal: white grounds are those of cursors, of what is selected, and
#: of scroll bars.
COLOURLESS = Theme(
    name="colourless",
    primary="#000000",
    secondary="#000000",
    accent="#ffffff",
    warning="#000000",
    error="#000000",
    success="#000000",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#000000",
    boost="#000000",
    variables={
        "primary-background": "#000000",
        "block-cursor-background": "#ffffff",
        "block-cursor-foreground": "#000000",
        "block-cursor-blurred-background": "#000000",
        "block-cursor-blurred-text-style": "underline",
        "input-cursor-background": "#ffffff",
        "input-cursor-foreground": "#000000",
        "input-selection-background": "#ffffff",
        "input-selection-foreground": "#000000",
        "screen-selection-background": "#ffffff",
        "screen-selection-foreground": "#000000",
        "scrollbar": "#ffffff",
        "scrollbar-hover": "#ffffff",
        "scrollbar-active": "#ffffff",
        "scrollbar-background": "#000000",
        "scrollbar-background-hover": "#000000",
        "scrollbar-background-active": "#000000",
        "scrollbar-corner-color": "#000000",
    },
)
#: A ground that is lighter than this is one of those that are reversed.
_LIGHT = 0.5


class Colourless(LineFilter):
    """Takes the colours out of all that is drawn."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, _without_colours(style) if style is not None else None, control)
            for text, style, control in segments
        ]


@lru_cache(1024)
def _without_colours(style: Style) -> Style:
    """The attributes of a style alone; where its ground, as it is seen, is a light one, reversed."""
    grounds = (style.bgcolor, style.color) if not style.reverse else (style.color, style.bgcolor)
    ground = grounds[0]
    light = ground is not None and not ground.is_default and Color.from_rich_color(ground).brightness > _LIGHT
    return Style(
        bold=style.bold,
        dim=style.dim,
        italic=style.italic,
        underline=style.underline,
        strike=style.strike,
        reverse=light,
        link=style.link,
        meta=style.meta or None,
    )


class ReadableOnGround(LineFilter):
    """Draws text in black where its ground has a colour and it has none of its own: that of the terminal may be as light as the ground."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, _in_black(style) if style is not None else None, control) for text, style, control in segments
        ]


@lru_cache(1024)
def _in_black(style: Style) -> Style:
    """The style, in black where it has a ground but no colour of its own."""
    grounded = style.bgcolor is not None and not style.bgcolor.is_default
    own = style.color is not None and not style.color.is_default
    return style + Style(color="black") if grounded and not own and not style.reverse else style
