"""What all commands share: exit codes, the language, how they speak, their options, and the table of the commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from ..language import Language, detect, visible, word
from .words import WORDS

if TYPE_CHECKING:
    from pathlib import Path

    from ..case import Case
    from ..engine import Finished, Job
    from ..errors import UserError
    from ..model import Progress
    from ..project import Project
    from ..proposal import Survey
    from ..session import Session

#: Exit codes of every command. NOTHING_RAN: of `run` where no probe ran, which is no success.
OK, FOUND, WRONG_USE, PROBE_FAILED, NOTHING_RAN, INTERRUPTED = 0, 1, 2, 3, 4, 130


F = TypeVar("F", bound=Callable[..., Any])


def language_of(arguments: list[str]) -> str | None:
    """--lang, wherever it stands: help texts are needed before the arguments are parsed."""
    for index, argument in enumerate(arguments):
        if argument == "--":  # what follows are the arguments of another command
            break
        if argument.startswith("--lang="):
            return argument[7:]
        if argument == "--lang" and index + 1 < len(arguments):
            return arguments[index + 1]
    return None


LANGUAGE: Language = detect(language_of(sys.argv[1:]))


def language() -> Language:
    """The language to speak: known from the start, and once more when the case is read."""
    return LANGUAGE


def say(key: str, /, **data: Any) -> str:
    return word(WORDS, key, LANGUAGE, **data)


def no_terminal() -> str | None:
    """Why no screen can be drawn here; None where one can."""
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        return say("not-a-tty")
    terminal = os.environ.get("TERM", "")
    return f"TERM={terminal}" if terminal in ("", "dumb", "unknown") else None


def drawing(only_ascii: bool) -> tuple[str | None, bool, str]:
    """How the screen speaks to this terminal: the language asked for, whether it draws in ASCII only, and what is to be said of it."""
    choice, encoding = language_of(sys.argv[1:]), sys.stdout.encoding or "ascii"
    if "utf" in encoding.lower():
        return choice, only_ascii, ""
    # A terminal that is not of Unicode draws lines as wide as Chinese, or not at all.
    try:
        "精度".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return "en", True, say("no-chinese", encoding=encoding)
    return choice, True, say("other-encoding", encoding=encoding)


def talk(text: str) -> None:
    """One message to stderr, untrusted parts made visible."""
    click.echo(_folded(say("error", text=visible(text)), sys.stderr), err=True)


def columns_of(stream: TextIO) -> int:
    """How wide a terminal is; 0 for what is none."""
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (OSError, ValueError):
        return 0


def _folded(line: str, stream: TextIO) -> str:
    """A line folded to the width of a terminal; as it is elsewhere."""
    columns = columns_of(stream)
    if not columns:
        return line
    from ..language import wrapped

    return "\n".join(wrapped(line, columns))


@contextmanager
def heard() -> Iterator[None]:
    """What is written to stdout within goes nowhere once its reader has left, as `head` does: the command ends with its own exit code,
    which must not turn what was found into success."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()


def echo(text: str | bytes, *, nl: bool = True, err: bool = False) -> None:
    """Text that is safe to print, to stdout or stderr."""
    if err:
        click.echo(text, nl=nl, err=True)
        return
    with heard():
        click.echo(text, nl=nl)


def show(text: str) -> None:
    """One line to stdout, untrusted parts made visible."""
    echo(visible(text))


def show_json(value: Any) -> None:
    """A value as JSON to stdout, nothing in it that a terminal would obey."""
    import msgspec

    from ..report.machine import encode

    with heard():
        sys.stdout.buffer.write(encode(msgspec.to_builtins(value)))


def _section(formatter: click.HelpFormatter, title: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        formatter.write(f"\n{say(title)}\n")
        with formatter.indentation():
            formatter.write_dl(rows)


class Command(click.Command):
    """A command whose frame speaks the language too."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), prefix=say("usage"))

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = say("help")
        return option

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        parameters = self.get_params(ctx)
        arguments = [parameter.row for parameter in parameters if isinstance(parameter, Argument)]
        records = [parameter.get_help_record(ctx) for parameter in parameters if isinstance(parameter, click.Option)]
        _section(formatter, "arguments", arguments)
        _section(formatter, "options", [record for record in records if record])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Of a command that takes a project and a command of the user's own, the latter is what follows --."""
        if not {"project", "command"} <= {each.name for each in self.params if isinstance(each, click.Argument)}:
            return super().parse_args(ctx, args)
        at = args.index("--") if "--" in args else len(args)
        rest = super().parse_args(ctx, args[:at])
        if ctx.params["command"]:
            raise click.UsageError(say("extra-argument", name=ctx.params["command"][0]), ctx)
        ctx.params["command"] = tuple(args[at + 1 :])
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        if ctx.args:
            raise click.UsageError(say("extra-argument", name=ctx.args[0]), ctx)
        given = _given_projects(ctx)
        if len(given) > 1:
            raise click.UsageError(say("extra-argument", name=given[-1]), ctx)
        ctx.params.update({"project": given[0]} if given else {})
        return super().invoke(ctx)


def _given_projects(context: click.Context) -> list[str]:
    """The projects that the command line gives a command: before it, as an argument, or as -p behind it."""
    named = context.params.pop(_NAMED_PROJECT, None)
    before = [context.parent.params["project"]] if context.parent is not None and _typed(context.parent) else []
    own = [context.params["project"]] if _typed(context) else []
    return [*before, *own, *([] if named is None else [named])] if "project" in context.params else []


def _typed(context: click.Context) -> bool:
    return context.get_parameter_source("project") is click.core.ParameterSource.COMMANDLINE


class Argument(click.Argument):
    """A click argument whose help is a key of WORDS."""

    def __init__(self, name: str, *, words: str, metavar: str, **settings: Any) -> None:
        super().__init__([name], metavar=metavar, **settings)
        self.row = (metavar, say(words))


def option(*names: str, words: str, **settings: Any) -> click.Option:
    """A click option whose help is a key of WORDS."""
    return click.Option(names, help=say(words), **settings)


def lang_option() -> click.Option:
    choice = click.Choice(["zh", "en"])
    return option("--lang", words="lang", type=choice, expose_value=False, metavar="[zh|en]")


def json_option() -> click.Option:
    return option("--json", "as_json", words="json", is_flag=True)


def checklists_option() -> click.Option:
    return option("--checklist", "checklists", words="checklist", multiple=True, metavar="NAME")


def set_option() -> click.Option:
    return option("--set", "settings", words="set", multiple=True, metavar="KEY=VALUE")


#: What -p is called within, of a command whose project is an argument.
_NAMED_PROJECT = "named_project"


def project_argument() -> click.Argument:
    """The project as an argument; the command takes it as -p too."""
    return Argument("project", words="project", metavar="[PROJECT]", default=".")


def project_option() -> click.Option:
    return option("--project", "-p", words="project", default=".", metavar="PATH")


#: name -> the module it lies in, which is loaded when the command is asked for.
COMMANDS = {
    "run": "run",
    "watch": "watch",
    "dump": "dump",
    "fix": "fix",
    "try": "try_",
    "tune": "tune",
    "report": "report",
    "issue": "issue",
    "list": "items",
    "explain": "items",
    "glossary": "glossary",
    "answer": "answers",
    "status": "answers",
    "summary": "answers",
    "review": "reviews",
    "sign-off": "reviews",
    "diff": "difference",
    "path": "path",
    "plan": "plan",
    "init": "case",
    "validate": "case",
    "manifest": "manifest",
    "graph": "graph",
    "curves": "curves",
    "compare": "comparison",
    "convert": "comparison",
    "data": "data",
    "labels": "labels",
    "lr-range": "lr_range",
    "doctor": "case",
    "schema": "schema",
    "completion": "completion",
    "skill": "skill",
    "demo": "demo",
    "serve": "serve",
    "mcp": "mcp",
    "lsp": "lsp",
}

#: name -> (what it runs, its parameters), of the modules that are loaded.
_loaded: dict[str, tuple[Callable[..., Any], Callable[[], list[click.Parameter]]]] = {}


def command(name: str, parameters: Callable[[], list[click.Parameter]]) -> Callable[[F], F]:
    """What a command of COMMANDS runs; its help is the key of WORDS that has its name."""

    def register(function: F) -> F:
        _loaded[name] = (function, parameters)
        return function

    return register


class Group(click.Group, Command):
    """The commands of COMMANDS, built one at a time: building all of them would double the start-up."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        import_module(f"{__package__}.{COMMANDS[cmd_name]}")
        function, parameters = _loaded[cmd_name]
        given = parameters()
        if any(isinstance(each, Argument) and each.name == "project" for each in given):
            given.append(option("--project", "-p", _NAMED_PROJECT, words="project-too", default=None, metavar="PATH"))
        return Command(
            cmd_name,
            callback=function,
            params=[*given, lang_option()],
            help=say(cmd_name),
            options_metavar=say("options-metavar"),
            context_settings={"allow_extra_args": True},  # Command says in both languages that there are too many
        )

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return click.Group.invoke(self, ctx)
        except BrokenPipeError:  # the reader of our output left, as `head` does; click would end with 1, our "found"
            discard_output()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from pathlib import Path

        if args[0] not in COMMANDS and len(args) == 1 and Path(args[0]).is_dir():
            if _typed(ctx):
                raise click.UsageError(say("extra-argument", name=args[0]), ctx)
            ctx.params["project"] = args[0]
            return None, self, []  # no command: the walkthrough of this project
        if args[0] not in COMMANDS:
            problem = say("no-such-command", name=args[0])
            raise click.UsageError(with_nearest(problem, args[0], list(COMMANDS)), ctx)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        Command.format_options(self, ctx, formatter)
        _section(formatter, "commands", [(name, say(name)) for name in COMMANDS])


def takes_project(context: click.Context, name: str) -> bool:
    """Whether a command examines a project."""
    group = context.command
    command = group.get_command(context, name) if isinstance(group, Group) else None
    return command is not None and any(each.name == "project" for each in command.params)


def with_nearest(problem: str, name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return say("did-you-mean", problem=problem, nearest=close[0]) if close else problem


def no_nan(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and value != value:  # NaN lies in every range
        raise click.BadParameter("nan", context, parameter)
    return value


def speak(case: Case) -> None:
    """The case may name a language; --lang and ACCUCHECK_LANG go before it."""
    global LANGUAGE
    LANGUAGE = detect(language_of(sys.argv[1:]), case.spec.language)


def talk_of(session: Session) -> None:
    """Say what is wrong with the session's file."""
    if session.notice is not None:
        talk(notice_of(session).text(LANGUAGE))


def talk_of_taken(project: Project) -> None:
    """Say what the case was taken from, where there is no case file."""
    if project.survey is not None:
        for line in _taken(project.survey):
            talk(line)


def _taken(found: Survey) -> Iterator[str]:
    scripts = [proposal for proposal in found.proposals if proposal.key == "scripts.train"]
    for script in scripts:
        keys = ", ".join(proposal.key for proposal in found.proposals if proposal is not script)
        others = listed(script.others)
        yield say(
            "run-taken" if keys else "run-taken-script",
            script=script.value + (say("run-others", others=others) if others else ""),
            keys=keys,
        )
    if scripts:
        return
    if found.proposals:
        yield say("run-taken-other", keys=", ".join(f"{each.key}: {each.value}" for each in found.proposals))
    if found.partial:
        yield say("init-partial")
    if found.projects:
        yield say("init-projects", count=len(found.projects), names=listed(found.projects))


def notice_of(session: Session) -> UserError:
    """The session's notice; one that was only read has moved nothing aside."""
    from ..errors import UserError

    notice = session.notice
    assert notice is not None
    if session.read_only and notice.code == "session-corrupt":
        return UserError("session-unreadable", **notice.data)
    return notice


def readable(project: Project) -> Session:
    """The session of a project that was opened to be read. Raises UserError where its file holds none."""
    session = project.session
    assert session is not None
    if session.notice is not None:
        raise notice_of(session)
    return session


def script_settings(project: Path, scripts: tuple[str, ...]) -> list[str]:
    """--script PATH as --set scripts.<role>=[...], by the role of each. What is called a test and trains is the training where no
    other script is."""
    import json
    from pathlib import Path

    from ..case import require_utf8
    from ..errors import UserError
    from ..proposal import trains_as_test

    folder = project if project.is_dir() else project.parent
    found: list[tuple[str, Path]] = []
    for script in scripts:
        path = Path(script) if Path(script).exists() else folder / script
        require_file(path, script)
        role = _role(path)
        if role is None:
            raise UserError("script-role", path=script)
        require_utf8(str(path.resolve()))
        found.append((role, path.resolve()))
    if all(role != "train" for role, _ in found):
        found = [("train" if trains_as_test(path) else role, path) for role, path in found]
    roles: dict[str, list[str]] = {}
    for role, path in found:
        inside = path.is_relative_to(folder.resolve())
        roles.setdefault(role, []).append(str(path.relative_to(folder.resolve()) if inside else path))
    return [f"scripts.{role}={json.dumps(paths, ensure_ascii=False)}" for role, paths in roles.items()]


def _role(path: Path) -> str | None:
    """The role of a script that a person names; None for a file that can be none."""
    from ..proposal import script_role, trains_as_test
    from ..script.training import role as spoken

    role = script_role(path, named=True)
    if role is not None or path.suffix not in (".py", ".ipynb") or not path.stat().st_size:
        return role
    if trains_as_test(path):
        return "eval"
    return spoken([path.stem]) or "train"  # a script that leaves everything to other modules most likely trains


def require_file(path: Path, name: str) -> None:
    """Raise ReadError, about `name`, unless `path` is a regular file."""
    from ..errors import ReadError

    if not path.is_file():
        code = "is-directory" if path.is_dir() else "not-regular" if path.exists() else "not-found"
        raise ReadError(code, path=name)


def run_with_progress(
    project: Project,
    jobs: list[Job],
    results: list[tuple[str, Any]],
    *,
    tell: Callable[[Finished], Iterable[str]] = lambda _: (),
    **options: Any,
) -> None:
    """Run the jobs and append (item, result) pairs, saying on stderr what is going on; the lines that `tell` gives of a result go to
    stdout."""
    from contextlib import closing

    from ..engine import Finished
    from .progress import ProgressDisplay

    live, parallel = options.get("live", False), options.get("parallel", 1)
    with (
        ProgressDisplay(project, jobs, live=live, parallel=parallel) as shown,
        closing(project.run(jobs, **options)) as events,  # type: ignore[type-var]
    ):
        for event in events:
            shown.heed(event)
            if isinstance(event, Finished):
                results.append((event.job.item, event.result))
                if lines := list(tell(event)):
                    with shown.aside():
                        show_lines(lines)


def show_lines(lines: Iterable[str]) -> None:
    """Lines to stdout, untrusted parts made visible; folded to the width of a terminal."""
    for line in lines:
        echo(_folded(visible(line), sys.stdout))


@contextmanager
def status_line() -> Iterator[Callable[[str], None]]:
    """A function that shows one line on stderr in the place of the last; nothing where stderr is no terminal."""
    terminal = sys.stderr.isatty()

    def show(text: str) -> None:
        if terminal:
            click.echo(f"\r\x1b[2K{visible(text)[:78]}", nl=False, err=True)

    try:
        yield show
    finally:
        if terminal:
            click.echo("\r\x1b[2K", nl=False, err=True)


def listed(names: Sequence[str], most: int = 5) -> str:
    """The first of them in one line."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def amount(progress: Progress) -> str:
    of = f"/{progress.total:,}" if progress.total else ""
    return f"{progress.done:,}{of} {progress.unit}"


def discard_output() -> None:
    """Nobody reads standard output any more, or it cannot be written: what is left in its buffer goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
