"""What somebody else needs to judge a report and to see the same: what is always asked, inputs, versions, and the steps to reproduce it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from .. import __version__, probe, study_results, try_results
from ..checklist import Checklist
from ..errors import UserError
from ..language import word
from ..model import Curve, Kind, Language, Level, Plain, Status, Table
from ..session import Entry
from . import changes
from . import inputs as input_files
from .context import Context, cut
from .parts import ChartPart, StepToReproduce, TablePart, TriedPart, TunedPart
from .results import evidence_part, table_part

INPUT_COLUMNS = ("key", "path", "files", "bytes", "md5", "method")
#: What is always asked, and the probes that tell it.
ASKED = {
    "seeds": ("randomness_fixed", "rank_seeds"),
    "runs": ("reproducible_runs",),
    "data": ("dataset_digest",),
    "hyperparameters": ("training_settings",),
    "loss-scale": ("loss_scale", "loss_scale_script"),
}
MAX_DIGESTS = 12  # folders, and files, that the commands name
MAX_TOLD = 2  # of what probes said of one such thing


def configuration(context: Context) -> list[changes.SettingChange] | UserError | None:
    """How the configuration differs from its base; the error where one of them cannot be read; None where not both are given."""
    try:
        return changes.changes(context.case)
    except UserError as error:
        return error


def change_table(context: Context, changed: list[changes.SettingChange]) -> TablePart | None:
    if not changed:
        return None
    keys = ("column-config-key", "column-config-base", "column-config-used")
    return _plain_table(context, "config-changes", keys, [[each.key, each.base, each.used] for each in changed])


def _plain_table(context: Context, title: str, columns: Sequence[str], rows: list[list[Plain]]) -> TablePart:
    """A table of the report itself: title and columns are keys of WORDS."""
    return table_part(context, "", Table(context.say(title), [context.say(column) for column in columns], rows))


def tried_part(context: Context) -> TriedPart | None:
    """What came of training with the changes of findings, where that was tried."""
    kept = context.record.tried
    if kept is None or not kept.trials:
        return None
    found = try_results.compare(kept.trials)
    rows: list[list[Plain]] = [[*try_results.cells(row, found.by, context.language)] for row in found.rows]
    numeric = [True, True, True, False, False]
    table = table_part(context, "", Table("", try_results.head(context.language), rows))
    return TriedPart(
        try_results.say("title", context.language),
        msgspec.structs.replace(table, numeric=numeric),
        [context.line(note) for note in try_results.notes(found, context.language)],
    )


def tuned_part(context: Context) -> TunedPart | None:
    """What came of a search for hyper-parameters, where there was one."""
    kept = context.record.tuned
    if kept is None or not kept.trials:
        return None
    head, *rows = study_results.lines(kept, context.language)
    table = table_part(context, "", Table("", head, [[*row] for row in rows]))
    numeric = [True] * (len(head) - 1) + [False]
    drawn = zip(study_results.charts(kept, context.language), study_results.charts(kept, Language.EN), strict=True)
    charts = [_chart(context, chart, english) for chart, english in drawn]
    return TunedPart(
        study_results.say("title", context.language),
        context.line(study_results.verdict(kept, context.language)),
        [context.line(line) for line in study_results.advice(kept, context.language)],
        msgspec.structs.replace(table, numeric=numeric),
        charts,
        [
            context.line(line)
            for line in [*study_results.weights(kept, context.language), *study_results.notes(kept, context.language)]
        ],
    )


def _chart(context: Context, chart: Curve, english: Curve) -> ChartPart:
    part, plain = evidence_part(context, "", chart), evidence_part(context, "", english)
    assert isinstance(part, ChartPart) and isinstance(plain, ChartPart)  # as of any curve
    return msgspec.structs.replace(part, english=plain.chart)


def input_table(context: Context, inputs: list[dict[str, Any]]) -> TablePart | None:
    if not inputs:
        return None
    rows: list[list[Plain]] = [
        [
            word(input_files.WORDS, "code", context.language) if row["key"] == input_files.CODE else row["key"],
            row["path"],
            row["files"],
            row["bytes"],
            row["md5"],
            word(input_files.WORDS, row["method"], context.language),
        ]
        for row in inputs
    ]
    return _plain_table(context, "inputs", [f"column-input-{key}" for key in INPUT_COLUMNS], rows)


def asked(context: Context, changed: list[changes.SettingChange] | UserError | None) -> list[tuple[str, str]]:
    """What maintainers ask for beside the environment, as far as probes told it or the case says so."""
    rows = [(context.say(f"asked-{key}"), _told(context, probes)) for key, probes in ASKED.items()]
    curve = context.case.get("curves.train")
    given = context.line(context.case.relative(curve)) if curve else ""
    rows.append((context.say("asked-curve"), given))
    if isinstance(changed, UserError):
        said = context.line(str(changed.text(context.language)))
    elif changed is None:
        said = ""
    else:
        base = context.line(context.case.relative(context.case.get("configs.base")))
        said = context.say("config-differs" if changed else "config-same", base=base, count=len(changed))
    rows.append((context.say("asked-config"), said))
    return [(label, value or context.say("not-given")) for label, value in rows]


def _told(context: Context, probes: Sequence[str]) -> str:
    """The first things that these probes found, the worst first."""
    order = {Level.PROBLEM: 0, Level.SUSPECT: 1, Level.INFO: 2}
    found: dict[str, Level] = {}
    for name in probes:
        for entry in context.record.entries.values():
            result = entry.weighed.get(name)
            if result is not None and result.status is Status.DONE:
                for finding in result.findings:
                    found.setdefault(context.message(name, finding), finding.level)
    between = " " if context.language is Language.EN else ""
    return between.join(cut(text, 300) for text in sorted(found, key=lambda text: order[found[text]])[:MAX_TOLD])


def versions(context: Context, checklists: list[Checklist]) -> list[tuple[str, str]]:
    """The versions of the tool, of the checklists, and of what ran the probes, which may be an older one or another package."""
    rows = [(context.say("tool"), f"accucheck {__version__}")]
    for checklist in checklists:
        title = context.line(checklist.title[context.language])
        rows.append(
            (
                context.say("checklist"),
                context.say("checklist-named", title=title, name=checklist.name, version=checklist.version),
            )
        )
    packages = Counter(
        _package(context, result.probe, result.tool)
        for checklist in checklists
        for item in checklist.items
        for result in context.record.entries.get(item.id, Entry()).results.values()
        if result.status is not Status.SKIPPED
    )
    rows += [
        (context.say("probes"), context.say("probes-of", count=count, package=context.line(package, 120)))
        for package, count in sorted(packages.items())
    ]
    return rows


def _package(context: Context, name: str, tool: str) -> str:
    """The package a probe comes from, with its version."""
    if name not in context.origins:
        context.origins[name] = probe.origin(name)
    return context.origins[name] or f"accucheck {tool or '?'}"


def steps_to_reproduce(
    context: Context, checklists: list[Checklist], environment: dict[str, Any], inputs: list[dict[str, Any]]
) -> list[StepToReproduce]:
    """What somebody else does to see the same: code, packages, data, training, the case, and the check itself."""
    get = environment.get
    steps: list[tuple[str, list[str], list[str], str]] = []
    commit = get("git_commit")
    if commit:
        changed = get("git_changed")
        text = "code-unknown" if changed is None else "code-dirty" if changed else "code-clean"
        lines = [f"git checkout {commit}", *([f"cd {shlex.quote(folder)}"] if (folder := get("git_folder")) else [])]
        steps.append(("code", [context.say(text, count=changed), context.say("code-address")], lines, "sh"))
    else:
        steps.append(("code", [context.say("code-no-git")], [], ""))
    known = {"mindspore": get("mindspore"), "numpy": get("numpy"), **(get("packages") or {})}
    install = " ".join(
        f"{name}=={version}" for name, version in known.items() if version and name.startswith(("mind", "numpy"))
    )
    steps.append(
        ("packages", [context.say("packages-text")], [f"python -m pip install {install}"] if install else [], "sh")
    )
    lines = _digests(inputs)
    steps.append(("data", [context.say(key) for key in ("data-text", *(["data-check"] if lines else []))], lines, "sh"))
    command = context.case.spec.runtime.command
    scripts = context.case.get("scripts.train")
    if command:
        steps.append(("training", [context.say("training-given")], command.strip().splitlines(), "sh"))
    elif scripts:
        script = scripts if isinstance(scripts, str) else scripts[0]
        steps.append(("training", [context.say("training-derived")], [_launched(context, shlex.quote(script))], "sh"))
    else:
        steps.append(("training", [context.say("training-unknown")], [], ""))
    steps.append(("case-file", [context.say("case-file-text")], _case_file(context), "yaml"))
    live = any(
        result.kind is Kind.LIVE and result.status is Status.DONE
        for entry in context.record.entries.values()
        for result in entry.results.values()
    )
    words = [
        "accucheck",
        "run",
        *(f"--checklist {shlex.quote(each.name)}" for each in checklists),
        *(["--live"] if live else []),
    ]
    lines = [f"python -m pip install accucheck=={__version__}", " ".join(words)]
    said = [context.say(key) for key in (*(["check-live"] if live else []), "check-expected")]
    steps.append(("check", said, lines, "sh"))
    return [
        StepToReproduce(
            context.say(f"step-{key}"),
            text,
            context.commands(lines),
            language,
        )
        for key, text, lines, language in steps
    ]


def _digests(inputs: list[dict[str, Any]]) -> list[str]:
    """Commands that take the digests of the data and files examined, as far as they lie in the project."""
    inside = [row for row in inputs if row["key"].partition(".")[0] not in (input_files.CODE, "scripts")]
    inside = [row for row in inside if not Path(row["path"]).is_absolute()]
    folders = [shlex.quote(row["path"]) for row in inside if row["method"] in ("tree", "probe") and row["path"]]
    files = [shlex.quote(row["path"]) for row in inside if row["method"] == "whole"]
    lines = [f"accucheck manifest {folder} > /dev/null" for folder in folders[:MAX_DIGESTS]]
    return [*lines, *(["md5sum " + " ".join(files[:MAX_DIGESTS])] if files else [])]


def _launched(context: Context, script: str) -> str:
    """The command that starts a script on the devices of the case, without arguments of its own."""
    spread = context.case.spec.runtime.distributed
    count, launcher = spread.devices, (spread.launcher or "").lower()
    if not count or count == 1:
        return f"python {script}"
    if launcher == "mpirun":
        return f"mpirun -n {count} python {script}"
    return f"msrun --worker_num={count} --local_worker_num={count} {script}"


def _case_file(context: Context) -> list[str]:
    """The case as it was examined, in YAML, without the interpreter's path, which is another one elsewhere."""
    import yaml

    data = msgspec.to_builtins(context.case.spec)
    data.get("runtime", {}).pop("python", None)
    text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False, default_flow_style=None, width=120)
    return text.rstrip().splitlines()
