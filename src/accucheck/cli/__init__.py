"""The command line. stdout is the result, stderr is talk; it owns the exit codes.

Every command lies in a module of its own, loaded with what it needs when it runs: start-up is sacred.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import click

from .. import __version__
from .frame import (
    COMMANDS,
    INTERRUPTED,
    OK,
    WRONG_USE,
    Group,
    checklists_option,
    discard_output,
    drawing,
    lang_option,
    language,
    no_terminal,
    option,
    project_option,
    say,
    set_option,
    takes_project,
    talk,
    with_nearest,
)


def root() -> click.Group:
    """The whole command line."""
    version = click.Option(
        ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help=say("version")
    )
    only_ascii = option("--ascii", "only_ascii", words="ascii", is_flag=True)
    who = option("--as", "who", words="who", default=None, metavar="NAME")
    role = option("--role", words="start-role", type=click.Choice(["author", "reviewer"]), default="author")
    read_only = option("--read-only", "read_only", words="read-only", is_flag=True)
    shown = [only_ascii, checklists_option(), set_option(), who, role, read_only]
    parameters = [project_option(), *shown, lang_option(), version]
    return Group(
        "accucheck",
        callback=_start,
        params=parameters,
        invoke_without_command=True,
        help=say("accucheck"),
        options_metavar=say("options-metavar"),
        subcommand_metavar=say("command-metavar"),
        context_settings={"terminal_width": _width(), "help_option_names": ["-h", "--help"]},
    )


def _width() -> int:
    """Columns for help texts. Asked of the terminal here: click would import shutil for it, a tenth of the start-up."""
    try:
        return min(os.get_terminal_size(1).columns - 2, 100)
    except OSError:
        return 78


def _show_version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"accucheck {__version__}")
        context.exit()


@click.pass_context
def _start(
    context: click.Context,
    project: str,
    only_ascii: bool,
    checklists: tuple[str, ...],
    settings: tuple[str, ...],
    who: str | None,
    role: str,
    read_only: bool,
) -> None:
    if context.invoked_subcommand is None:
        walkthrough(project, checklists, settings, only_ascii, who=who, role=role, read_only=read_only)
    # What else stands before a command is the walkthrough's: to ignore it would examine the wrong project.
    command = context.invoked_subcommand or ""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if not parameter.expose_value or source is not click.core.ParameterSource.COMMANDLINE:
            continue
        if parameter.name != "project":
            raise click.UsageError(say("only-alone", name=parameter.opts[0], command=f"accucheck {command}"), context)
        if not takes_project(context, command):
            raise click.UsageError(say("no-project", name=parameter.opts[0], command=f"accucheck {command}"), context)


def walkthrough(
    project: str,
    checklists: tuple[str, ...],
    settings: tuple[str, ...],
    only_ascii: bool,
    *,
    who: str | None,
    role: str,
    read_only: bool,
) -> None:
    """Open the walkthrough, or say in one line why it cannot be opened."""
    import gc
    from pathlib import Path

    from ..case import require_utf8
    from ..session import Role

    if os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver"):  # started by accucheck serve: the screen is a page
        _be_served()
    elif why := no_terminal():
        talk(say("no-terminal", why=why))
        raise SystemExit(WRONG_USE)
    gc.disable()  # nothing that a start makes is garbage, and looking for it takes a sixth of the start; app.py enables it
    from ..tui.app import run as run_app

    choice, only_ascii, notice = drawing(only_ascii)
    require_utf8(who or "")
    code = run_app(
        Path(project),
        checklists,
        settings,
        choice,
        only_ascii=only_ascii,
        who=who,
        role=Role(role),
        read_only=read_only,
        notice=notice,
    )
    raise SystemExit(code)


def _be_served() -> None:
    """Nothing but the screen goes to standard output, and the program ends, with all saved, when its server is killed."""
    import signal

    sys.stdout = sys.stderr
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def _usage_error(error: click.UsageError) -> str:
    """What click says about the command line, in the words of this tool."""
    named = (argument for argument in sys.argv[1:] if argument in COMMANDS)
    command = error.ctx.command_path if error.ctx else f"accucheck {next(named, '')}".rstrip()
    problem = error.message  # one of ours, already in words
    if isinstance(error, click.NoSuchOption):
        problem = say("no-such-option", name=error.option_name)
        known = [name for parameter in error.ctx.command.params for name in parameter.opts] if error.ctx else []
        problem = with_nearest(problem, error.option_name, known)
    elif isinstance(error, click.BadOptionUsage):
        given = error.message.endswith("does not take a value.")
        problem = say("takes-no-value" if given else "needs-value", name=error.option_name)
    elif isinstance(error, click.BadParameter) and error.param is not None:
        argument = isinstance(error.param, click.Argument)
        name = error.param.human_readable_name if argument else error.param.opts[0]
        missing = isinstance(error, click.MissingParameter)
        problem = say("missing-argument", name=name) if missing else _value_error(error, error.param.type, name)
    return say("see-help", problem=problem, command=command)


def _value_error(error: click.BadParameter, kind: Any, name: str) -> str:
    problem = error.message
    if isinstance(kind, click.Choice):
        problem = say("one-of", choices=", ".join(str(choice) for choice in kind.choices))
    elif isinstance(kind, click.IntRange):
        problem = say("whole-number", min=kind.min, max=kind.max)
    elif isinstance(kind, click.FloatRange):
        problem = say("number" if kind.max is None else "number-between", min=kind.min, max=kind.max)
    return say("bad-value", name=name, problem=problem)


def _internal_error(error: BaseException) -> None:
    """Keep the traceback in a file and name it: no traceback on the screen."""
    import tempfile
    import traceback

    text = f"accucheck {__version__}, Python {sys.version}\n{traceback.format_exc()}"
    try:
        with tempfile.NamedTemporaryFile("wb", prefix="accucheck-error-", suffix=".txt", delete=False) as stream:
            stream.write(text.encode("utf-8", "backslashreplace"))
            path = stream.name
    except OSError:
        path = say("nowhere")
    cause, session = error.__cause__ or error, getattr(error, "session", None)
    problem = f"{type(cause).__name__}: {cause}"[:200]
    talk(say("internal-walk" if session else "internal", problem=problem, path=path, session=session))


def _open_streams() -> None:
    """Standard streams that are there and can write any text.

    A descriptor that the caller closed would be given to the next file opened, and be written to as if it were the
    terminal; and a locale that lacks a character is no reason to end.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
        elif name != "stdin" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _end_in_order() -> Callable[[int], int]:
    """Let SIGTERM and SIGHUP interrupt a command as Ctrl+C does, so that what it holds is put back. Returns what makes the exit code of
    an interrupted command one of the signal that came, 128 and its number."""
    import signal

    from ..system import ending_signals

    came: list[int] = []

    def interrupt(number: int, _: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    for number in ending_signals():
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup leaves SIGHUP ignored
            signal.signal(number, interrupt)
    return lambda code: 128 + came[0] if came and code == INTERRUPTED else code


def console() -> NoReturn:
    """The console script: main() without the interpreter's own farewell, which would take 5 to 20 ms and undo nothing."""
    told = _end_in_order()
    try:
        main()
    except SystemExit as stop:
        code = told(stop.code if isinstance(stop.code, int) else OK)
    except KeyboardInterrupt:  # a second one, while the first was obeyed
        code = told(INTERRUPTED)
    with suppress(OSError):  # the terminal may be gone
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def main(arguments: list[str] | None = None) -> NoReturn:
    """The whole program. Always ends the process with one of the exit codes."""
    _open_streams()
    try:
        code = _main(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        code = OK
    except OSError as error:  # a full disk behind standard output
        discard_output()
        code = _os_error(error)
    raise SystemExit(code)


def _main(arguments: list[str] | None) -> int:
    try:
        root().main(arguments, prog_name="accucheck", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        talk(_usage_error(error))
        return WRONG_USE
    except (KeyboardInterrupt, click.Abort):
        talk(say("interrupted"))
        return INTERRUPTED
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else WRONG_USE
    except OSError as error:
        return _os_error(error)
    except Exception as error:
        from ..errors import UserError, needs_library

        told = needs_library(error) or error
        if isinstance(told, UserError):
            talk(told.text(language()))
        else:
            _internal_error(error)
        return WRONG_USE
    return OK


def _os_error(error: OSError) -> int:
    """What the system refused outside of any reader: a name too long, a full disk behind standard output."""
    from ..errors import from_os_error

    talk(from_os_error(error, error.filename or say("standard-output")).text(language()))
    return WRONG_USE
