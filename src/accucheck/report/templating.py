"""Filling templates: the shipped ones, and those of somebody's own.

A template of one's own is filled in Jinja2's sandbox, in a copy of this process whose time, memory and output are bounded: a sandbox
alone stops neither an endless loop nor a text of gigabytes. It reads files of its own folder, and the shipped ones, only.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import Any

import jinja2
import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..errors import ReadError, UserError, from_os_error

SHIPPED = Path(__file__).parent / "templates"
ENDINGS = {".md": "md", ".md.j2": "md", ".html": "html", ".html.j2": "html", ".htm": "html"}
#: Bounds of a template of one's own: seconds, bytes it may take beyond what is there, bytes it may make, bytes of one file.
SECONDS, MEMORY, OUTPUT, SOURCE = 60.0, 1 << 30, 64 << 20, 1 << 20


def kind(template: Path) -> str:
    """The format that a template makes, by its ending. Raises ReadError."""
    for ending, name in ENDINGS.items():
        if template.name.lower().endswith(ending):
            return name
    raise ReadError("template-ending", path=str(template), endings=", ".join(ENDINGS))


def fill(
    name: str,
    own: Path | None,
    context: dict[str, Any],
    beside: dict[str, bytes],
    filters: Mapping[str, Callable[[Any], Any]] | None = None,
    **settings: Any,
) -> str:
    """The text of the shipped template `name`, or of the own one where there is one.

    `beside` takes the files that functions of the context add. `settings` are Jinja2's. Raises ReadError with file and line.
    """
    settings |= {"undefined": _missing(context), "trim_blocks": True, "lstrip_blocks": True}
    if own is None or kind(own) != name.split(".")[1]:
        environment = Environment(loader=FileSystemLoader(SHIPPED), **settings)  # noqa: S701 - as `settings` say
        environment.filters |= filters or {}
        return environment.get_template(name).render(context)

    real = own.resolve()

    def filled() -> tuple[str, dict[str, bytes]]:
        environment = ImmutableSandboxedEnvironment(loader=_FolderLoader(real.parent), **settings)
        environment.filters |= filters or {}
        return environment.get_template(real.name).render(context), beside

    text, files = _apart(real, filled)
    beside |= files
    return text


def _missing(names: Iterable[str]) -> type[StrictUndefined]:
    """What stands for a name that is not there: using it is an error, which tells the nearest of `names` or of the fields of the object."""

    class Missing(StrictUndefined):
        @property
        def _undefined_message(self) -> str:
            if self._undefined_hint:
                return self._undefined_hint
            owner, name = self._undefined_obj, str(self._undefined_name)
            known = names if owner is jinja2.utils.missing else owner if isinstance(owner, Mapping) else dir(owner)
            near = get_close_matches(name, [each for each in known if isinstance(each, str) and each[:1] != "_"], n=1)
            whole = name if owner is jinja2.utils.missing else f"{type(owner).__name__}.{name}"
            return f"{whole} (≈ {near[0]})" if near else whole

    return Missing


class _FolderLoader(jinja2.BaseLoader):
    """The files of one folder, links that lead out of it excepted; then the shipped ones, such as report.css."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder  # resolved

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        path = self.folder / template
        if not path.resolve().is_relative_to(self.folder):
            raise jinja2.TemplateNotFound(template)
        if not path.exists() and template in os.listdir(SHIPPED):
            path = SHIPPED / template
        try:
            if path.exists() and not path.is_file():
                raise ReadError("is-directory" if path.is_dir() else "not-regular", path=str(path))
            if (size := path.stat().st_size) > SOURCE:
                raise ReadError("too-large", path=str(path), size=size, limit=SOURCE)
            return path.read_bytes().decode("utf-8-sig"), str(path), lambda: True
        except OSError as error:
            raise from_os_error(error, path) from None
        except UnicodeDecodeError as error:
            raise ReadError("template-encoding", path=str(path), offset=error.start) from None


def _apart(own: Path, filled: Callable[[], tuple[str, dict[str, bytes]]]) -> tuple[str, dict[str, bytes]]:
    """What `filled` returns in a copy of this process. Raises ReadError."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            _bound()
            answer = _answer(own, filled)
            with os.fdopen(writing, "wb") as stream:
                stream.write(answer)
        finally:
            os._exit(0)  # nothing of what the parent has left to do at its end
    os.close(writing)
    try:
        answer = _received(reading, own)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        os.close(reading)
        _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        raise ReadError("template-died", path=str(own), signal=name, limit=MEMORY >> 20)
    if not answer:  # there was not even memory to say that there is none
        raise ReadError("template-large", path=str(own), limit=MEMORY >> 20)
    code, data, text, files = msgspec.msgpack.decode(answer, type=tuple[str, dict[str, Any], str, dict[str, bytes]])
    if code:
        raise ReadError(code, **data)
    return text, files


def _bound() -> None:
    """Let this process take only MEMORY more than it has, where the system can do so, and end without a word where a library cannot."""
    import faulthandler
    import resource

    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (OSError, ValueError):
        pass


def _received(reading: int, own: Path) -> bytes:
    """All that comes through a pipe. Raises ReadError when it takes too long or is too much."""
    end = time.monotonic() + SECONDS
    parts: list[bytes] = []
    size = 0
    while True:
        ready = select.select([reading], [], [], max(0.0, end - time.monotonic()))[0]
        if not ready:
            raise ReadError("template-slow", path=str(own), seconds=SECONDS)
        if not (part := os.read(reading, 1 << 20)):
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > OUTPUT:
            raise ReadError("template-large", path=str(own), limit=OUTPUT >> 20)


def _answer(own: Path, filled: Callable[[], tuple[str, dict[str, bytes]]]) -> bytes:
    """(code of an error or nothing, its data, text, files) for the parent."""
    try:
        text, files = filled()
        # Before a copy is made of it, which a library may not survive.
        if len(text) + sum(map(len, files.values())) > OUTPUT:
            raise ReadError("template-large", path=str(own), limit=OUTPUT >> 20)
        return msgspec.msgpack.encode(("", {}, str(text), files))
    except UserError as error:
        code, data = error.code, error.data
    except MemoryError:
        code, data = "template-large", {"path": str(own), "limit": MEMORY >> 20}
    except Exception as error:
        code, data = _told(own, error)
    return msgspec.msgpack.encode((code, data, "", {}))


def _told(own: Path, error: Exception) -> tuple[str, dict[str, Any]]:
    """What is wrong with a template, where, and in which words."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        where = {"path": error.filename or str(own), "line": error.lineno}
        return "template-syntax", {**where, "problem": error.message or ""}
    path, line = _place(error.__traceback__, own)
    where = {"path": path, "line": line}
    if isinstance(error, jinja2.TemplateNotFound):
        return "template-include", {**where, "name": str(error.name)}
    for which, code in ((jinja2.UndefinedError, "template-undefined"), (SecurityError, "template-unsafe")):
        if isinstance(error, which):
            return code, {**where, "problem": str(error)[:300]}
    return "template-failed", {**where, "problem": f"{type(error).__name__}: {error}"[:300]}


def _place(traceback: TracebackType | None, own: Path) -> tuple[str, int]:
    """File and line of the innermost template in a traceback, which Jinja2 has written in terms of templates."""
    place = str(own), 1
    while traceback is not None:
        file = Path(traceback.tb_frame.f_code.co_filename)
        # A filter may lie below that folder too, in the project's environment: only a template's frame has this name.
        if own.parent in file.parents and "__jinja_exception__" in traceback.tb_frame.f_globals:
            place = str(file), traceback.tb_lineno
        traceback = traceback.tb_next
    return place
