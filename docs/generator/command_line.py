"""The page of the command line: what --help says, command by command."""

from __future__ import annotations

import click

from accucheck import cli
from accucheck.cli import frame
from accucheck.language import Language

from .markdown import cell, code, page, table
from .words import say


def command_line(language: Language) -> str:
    spoken, frame.LANGUAGE = frame.LANGUAGE, language
    try:
        root = cli.root()
        context = click.Context(root, info_name="accucheck")
        parts = [_command("accucheck", root, language)]
        for name in root.list_commands(context):
            command = root.get_command(context, name)
            assert command is not None
            parts.append(_command(f"accucheck {name}", command, language))
    finally:
        frame.LANGUAGE = spoken
    codes = ("ok", "found", "wrong", "failed", "nothing", "interrupted")
    numbers = (frame.OK, frame.FOUND, frame.WRONG_USE, frame.PROBE_FAILED, frame.NOTHING_RAN, frame.INTERRUPTED)
    rows = [[str(number), say(f"exit-{key}", language)] for number, key in zip(numbers, codes, strict=True)]
    last = [f"## {say('exit-codes', language)}", "", *table([say("code", language), say("meaning", language)], rows)]
    return page(say("command-line", language), language, *parts, last)


def _command(path: str, command: click.Command, language: Language) -> list[str]:
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    usage = " ".join([path, "[OPTIONS]", *(p.metavar or (p.name or "").upper() for p in arguments)])
    if isinstance(command, click.Group):
        usage += " [COMMAND] ..."
    rows = [[code(metavar), cell(text)] for metavar, text in rows_of(arguments)]
    for option in command.params:
        if isinstance(option, click.Option):
            text = option.help or ""
            told = "default" in text or "默认" in text
            if not (told or option.is_flag or option.multiple) and isinstance(option.default, (str, int, float)):
                text += f" ({say('default', language, value=option.default)})"
            rows.append([code(signature(option)), cell(text)])
    head = [say("option", language), say("meaning", language)]
    return [f"## {path}", "", command.help or "", "", "```text", usage, "```", "", *table(head, rows)]


def rows_of(arguments: list[click.Argument]) -> list[tuple[str, str]]:
    """The arguments as they are called, each with what it is."""
    return [argument.row for argument in arguments if isinstance(argument, frame.Argument)]


def signature(option: click.Option) -> str:
    names = ", ".join(option.opts)
    if option.is_flag:
        return names
    if isinstance(option.type, click.Choice):
        return f"{names} {option.metavar or '[' + '|'.join(option.type.choices) + ']'}"
    plain = {"integer range": "N", "float range": "SECONDS", "text": "TEXT"}
    return f"{names} {option.metavar or plain[option.type.name]}"
