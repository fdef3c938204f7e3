"""One page that needs nothing else: style, script and data lie within it, and the page itself forbids that it loads anything more."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from typing import Any

from .language import Language

_LANG = {Language.ZH: "zh-CN", Language.EN: "en"}


def page(title: str, language: Language, body: str, style: str, script: str, data: Any) -> bytes:
    """The page. `body` is HTML of our own; what others wrote belongs into `data`, JSON-plain, which the script puts in as text."""
    policy = f"default-src 'none'; img-src data:; style-src {_digest(style)}; script-src {_digest(script)}"
    # Nothing within the data can end its element, or begin another.
    told = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    told = told.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    parts = [
        f'<!doctype html>\n<html lang="{_LANG[language]}">\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>",
        f'<body>\n{body}\n<script type="application/json" id="data">{told}</script>',
        f"<script>{script}</script>\n</html>\n",
    ]
    return "\n".join(parts).encode("utf-8", "backslashreplace")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
