"""accucheck manifest."""

from __future__ import annotations

from typing import Any

import click

from .frame import Argument, amount, command, echo, json_option, language, option, say, status_line


@command(
    "manifest",
    lambda: [
        Argument("folder", words="folder", metavar="DIR", nargs=-1, required=True),
        option("--output", "-o", words="manifest-output", default=None, metavar="FILE"),
        option("--check", words="manifest-check", default=None, metavar="REFERENCE"),
        option("--compare", words="manifest-compare", is_flag=True),
        option("--opened", words="manifest-opened", default=None, metavar="FILE"),
        option("--scheduler", words="manifest-scheduler", default=None, metavar="ADDRESS"),
        option("--full", words="full", is_flag=True),
        option("--format", "form", words="manifest-format", type=click.Choice(["json", "md5sum", "hashdeep"])),
        json_option(),
    ],
)
def manifest_(
    folder: tuple[str, ...],
    output: str | None,
    check: str | None,
    compare: bool,
    opened: str | None,
    scheduler: str | None,
    full: bool,
    form: str | None,
    as_json: bool,
) -> None:
    import gc

    if opened is not None:
        if output is not None or check is not None or compare or scheduler or full or form or as_json:
            raise click.UsageError(say("opened-alone"))
        from .. import opened_files as recording

        raise SystemExit(recording.command(folder[0], opened, folder[1:], language=language(), echo=echo))

    from .. import manifest, nodes

    gc.disable()  # the process ends soon; collecting among 100,000s of small records would cost 2 %
    if compare:
        if output is not None or check is not None or full or form or scheduler:
            raise click.UsageError(say("compare-alone"))
        raise SystemExit(nodes.command(folder, as_json=as_json, language=language(), echo=echo))
    if len(folder) > 1:
        raise click.UsageError(say("one-folder"))
    if scheduler is not None:
        if output is not None or form:
            raise click.UsageError(say("scheduler-alone"))
        words: dict[str, Any] = {"full": full, "as_json": as_json, "language": language(), "echo": echo}
        raise SystemExit(nodes.cluster_command(folder[0], scheduler, check, **words))
    with status_line() as show:
        code = manifest.command(
            folder[0],
            output,
            check,
            full=full,
            as_json=as_json,
            form=form,
            language=language(),
            echo=echo,
            progress=lambda progress: show(amount(progress)),
        )
    raise SystemExit(code)
