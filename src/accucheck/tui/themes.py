"""The themes of our own, a dark and a light one, beside those that textual brings. Every text of theirs is told from its ground."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="dark",
    primary="#3f8fd2",
    secondary="#7aa7c7",
    accent="#f0b35a",
    warning="#e8b04b",
    error="#f0717f",
    success="#62c98a",
    foreground="#e4e6e8",
    background="#14171a",
    surface="#1b1f24",
    panel="#252b32",
    variables={
        "primary-background": "#1f3347",
        "block-cursor-background": "#24486c",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-blurred-background": "#243240",
        "text-muted": "#b0b8c0",
        "text-success": "#7bd39d",
        "text-error": "#ff8f9b",
        "text-warning": "#efc06a",
        "text-accent": "#f3c37c",
        "text-primary": "#86bdec",
        "text-secondary": "#9cc3de",
    },
)
LIGHT = Theme(
    name="light",
    primary="#1f5f99",
    secondary="#35698f",
    accent="#7a4200",
    warning="#7d5200",
    error="#b3203a",
    success="#1c6b3c",
    foreground="#1d2125",
    background="#f7f8f9",
    surface="#eceff1",
    panel="#dfe4e8",
    dark=False,
    variables={
        "primary-background": "#d3e2ef",
        "block-cursor-background": "#bcd6ee",
        "block-cursor-foreground": "#000000",
        "block-cursor-blurred-background": "#dbe5ee",
        "text-muted": "#4a535b",
        "text-success": "#155c32",
        "text-error": "#a3152f",
        "text-warning": "#6d4700",
        "text-accent": "#6e3b00",
        "text-primary": "#174f80",
        "text-secondary": "#2a5878",
    },
)
OWN = (DARK, LIGHT)
