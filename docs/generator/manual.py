"""The manual page: man accucheck, from what --help says."""

from __future__ import annotations

import click

from accucheck import __version__, cli
from accucheck.cli import frame
from accucheck.language import Language

from .command_line import rows_of, signature
from .words import say


def manual(language: Language) -> str:
    """The page in roff, as man reads it."""
    spoken, frame.LANGUAGE = frame.LANGUAGE, language
    try:
        root = cli.root()
        context = click.Context(root, info_name="accucheck")
        lines = [f'.TH ACCUCHECK 1 "" "accucheck {__version__}" ""', f".SH {say('man-name', language)}"]
        lines += [f"accucheck \\- {_text(say('man-brief', language))}", f".SH {say('man-synopsis', language)}"]
        lines += [
            ".B accucheck",
            "[OPTIONS] [COMMAND] ...",
            f".SH {say('man-description', language)}",
            _text(root.help or ""),
        ]
        lines += [f".SH {say('man-options', language)}", *_options(root), f".SH {say('man-commands', language)}"]
        for name in root.list_commands(context):
            command = root.get_command(context, name)
            assert command is not None
            arguments = [p.metavar or (p.name or "") for p in command.params if isinstance(p, click.Argument)]
            lines += [f".SS accucheck {' '.join([name, *map(_text, arguments)])}", _text(command.help or "")]
            lines += _options(command)
    finally:
        frame.LANGUAGE = spoken
    codes = ("ok", "found", "wrong", "failed", "nothing", "interrupted")
    numbers = (frame.OK, frame.FOUND, frame.WRONG_USE, frame.PROBE_FAILED, frame.NOTHING_RAN, frame.INTERRUPTED)
    lines.append(f".SH {say('man-status', language)}")
    for number, key in zip(numbers, codes, strict=True):
        lines += [".TP", str(number), _text(say(f"exit-{key}", language))]
    return "\n".join(lines) + "\n"


def _options(command: click.Command) -> list[str]:
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    lines = [line for name, text in rows_of(arguments) for line in (".TP", f".B {_text(name)}", _text(text))]
    for option in command.params:
        if isinstance(option, click.Option):
            lines += [".TP", f".B {_text(signature(option))}", _text(option.help or "")]
    return lines


def _text(text: str) -> str:
    """Text that roff takes for nothing else, on one line."""
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "")
    return f"\\&{line}" if line.startswith(".") else line
