"""Settings of the run that was started: faults planted on the command or in the configuration of projects of several styles.

    python benchmarks/started.py [STYLE ...] [--jobs 2]   STYLE: only these folders of benchmarks/started

Each folder of benchmarks/started is a small project that was written for this; parts.py, what all of them train, lies beside. A plant
sets one key of a file, or one option of the command. It counts as found when its item gains a problem or a suspect, and as placed when
what is said of the item names the file and line, or the option. In health nothing may be told of these items.
Target: at least 90 of 100 found, 95 of 100 of these placed, nothing told of a healthy run, a command behind -- says the same as
runtime.command, and of the 17 items that scripts can decide at least 10 decided in health.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml
from _experiments import ACCUCHECK, each, examine
from _measuring import report, row

HERE = Path(__file__).resolve().parent / "started"
LEAST_FOUND = 0.9
LEAST_PLACED = 0.95
LEAST_DECIDED = 10
#: Items of the accuracy checklist that data, curves and runs decide; scripts can decide the other 17.
OF_DATA = frozenset({"ds.01", "ds.02", "ds.03", "ds.04", "hp.01", "hp.02", "hp.03"})


class Fault(NamedTuple):
    """What is wrong in a run, by the setting that makes it so, and the items that may tell it."""

    setting: str
    items: frozenset[str]
    value: str


FAULTS = {
    "rate of 50": Fault("lr", frozenset({"hp.01"}), "50.0"),
    "no shuffle": Fault("shuffle", frozenset({"dp.03"}), "false"),
    "batch of 65536": Fault("batch", frozenset({"hp.03"}), "65536"),
    "float16 without scale": Fault("level", frozenset({"mp.01", "mp.02"}), "O3"),
    "no seed": Fault("seed", frozenset({"cmp.01"}), "null"),
    "mean of another scale": Fault("mean", frozenset({"dp.01"}), "[0.485, 0.456, 0.406]"),
}
ITEMS = sorted({item for fault in FAULTS.values() for item in fault.items})


class Style(NamedTuple):
    """A way to take settings: how the run is started, which file and key holds a setting, and which words on the command set it
    to a value; None where the command cannot."""

    command: str
    keys: dict[str, tuple[str, str]]
    option: str | None = None
    names: dict[str, str] = {}
    half: str = "O3"  #: what asks for float16


def yaml_keys(file: str, **named: str) -> dict[str, tuple[str, str]]:
    """The keys of a file by the settings, which are called as here unless `named` says otherwise."""
    plain = {
        "lr": "lr",
        "shuffle": "shuffle",
        "batch": "batch_size",
        "level": "amp_level",
        "seed": "seed",
        "mean": "mean",
        "epochs": "epochs",
    }
    return {setting: (file, named.get(setting, key)) for setting, key in plain.items()}


_NESTED = {
    **yaml_keys("run.yaml"),
    "shuffle": ("data.yaml", "shuffle"),
    "mean": ("data.yaml", "mean"),
    "lr": ("schedule.yaml", "lr"),
    "epochs": ("schedule.yaml", "epochs"),
}
STYLES = {
    "merged": Style(
        "python train.py --config run.yaml",
        yaml_keys("run.yaml"),
        "--{key} {value}",
        {"lr": "lr", "shuffle": "shuffle", "batch": "batch_size", "level": "amp_level", "mean": "mean"},
    ),
    "dataclass": Style("python train.py run.yaml", yaml_keys("run.yaml")),
    "registry": Style(
        "python train.py -c run.yaml",
        yaml_keys("run.yaml"),
        "-o {key}={value}",
        {
            "lr": "optimizer.lr",
            "shuffle": "data.shuffle",
            "batch": "data.batch_size",
            "level": "amp_level",
            "seed": "seed",
            "mean": "data.mean",
        },
    ),
    "named": Style("python train.py run.json", yaml_keys("run.json", lr="learning_rate")),
    "nested": Style("python train.py --config run.yaml", _NESTED, "--{key} {value}", {"level": "amp_level"}),
    "shell": Style(
        "bash run.sh",
        {
            "lr": ("run.sh", "RATE"),
            "batch": ("run.sh", "BATCH"),
            "level": ("run.sh", "--amp"),
            "mean": ("run.sh", "--mean"),
            "epochs": ("run.sh", "--epochs"),
        },
    ),
    "described": Style("python train.py --config run.yaml", yaml_keys("run.yaml", lr="learning_rate")),
    "python": Style("python train.py run.py", yaml_keys("run.py")),
    "model": Style(
        "python train.py --config run.yaml",
        yaml_keys("run.yaml"),
        "--{key} {value}",
        {"lr": "lr", "shuffle": "shuffle", "batch": "batch_size", "level": "amp_level", "mean": "mean"},
    ),
    "mindcv": Style(
        "python train.py --config run.yaml",
        yaml_keys("run.yaml"),
        "--{key} {value}",
        {"lr": "lr", "shuffle": "shuffle", "batch": "batch_size", "level": "amp_level", "mean": "mean"},
    ),
    "mindformers": Style(
        "python train.py --config run.yaml",
        {
            "lr": ("run.yaml", "learning_rate"),
            "shuffle": ("run.yaml", "shuffle"),
            "batch": ("run.yaml", "batch_size"),
            "level": ("run.yaml", "compute_dtype"),
            "seed": ("run.yaml", "seed"),
            "epochs": ("run.yaml", "epochs"),
        },
        half="float16",
    ),
    "mindone": Style(
        "python train.py run.yaml",
        {
            "lr": ("run.yaml", "learning_rate"),
            "batch": ("run.yaml", "per_device_train_batch_size"),
            "epochs": ("run.yaml", "num_train_epochs"),
        },
    ),
    "mindyolo": Style(
        "python train.py --config configs/run.yaml",
        {
            **yaml_keys("configs/base.yaml"),
            "lr": ("configs/hyp.yaml", "lr_init"),
            "scale": ("configs/base.yaml", "loss_scale"),
        },
        "--{key} {value}",
        {"lr": "lr_init", "batch": "batch_size", "level": "amp_level"},
    ),
    "mindocr": Style(
        "python train.py --config run.yaml",
        {**yaml_keys("run.yaml", epochs="num_epochs"), "scale": ("run.yaml", "loss_scale")},
        "-o {key}={value}",
        {
            "lr": "scheduler.lr",
            "shuffle": "train.loader.shuffle",
            "batch": "train.loader.batch_size",
            "level": "system.amp_level",
            "seed": "system.seed",
        },
    ),
    "mindnlp": Style(
        "python train.py --config run.yaml",
        {
            "lr": ("run.yaml", "learning_rate"),
            "batch": ("run.yaml", "per_device_train_batch_size"),
            "epochs": ("run.yaml", "num_train_epochs"),
        },
        "--{key} {value}",
        {"lr": "learning_rate", "batch": "per_device_train_batch_size"},
    ),
}
#: Edits of a shell script that set no value but take an option away or add one.
_IN_SHELL = {"shuffle": ("--amp O0", "--amp O0 --no-shuffle"), "seed": ('"--seed 42"', '""')}


class Case(NamedTuple):
    """A run: of which project, with which fault, and how it was planted; healthy without one."""

    style: str
    fault: str = ""
    how: str = ""  #: "file" or "command"
    behind: bool = True  #: the command stands behind --, not in the case file


def cases(styles: Sequence[str]) -> Iterator[Case]:
    for style in styles:
        yield Case(style)
        yield Case(style, behind=False)
        for fault, (setting, _, _) in FAULTS.items():
            if setting in STYLES[style].keys or style == "shell":
                yield Case(style, fault, "file")
            if setting in STYLES[style].names:
                yield Case(style, fault, "command")


def edited(text: str, key: str, value: str) -> tuple[str, int]:
    """A text with one key set anew, and the line of it."""
    lines = text.splitlines()
    for place, line in enumerate(lines):
        start = line.lstrip()
        for begins in (f"{key}: ", f'"{key}": ', f"{key}=", f"{key} = "):
            if start.startswith(begins):
                end = "," if line.endswith(",") else ""
                quoted = f'"{value}"' if begins[0] == '"' and value[:1] == "O" else value
                lines[place] = line[: len(line) - len(start)] + begins + quoted + end
                return "\n".join(lines) + "\n", place + 1
        words = line.split(" ")
        if key in words:
            first = words.index(key) + 1
            last = next(
                (at for at, word in enumerate(words[first:], first) if word[:1] in ("-", "$", "\\")), len(words)
            )
            words[first:last] = [value.strip("[]").replace(",", "")]
            lines[place] = " ".join(words)
            return "\n".join(lines) + "\n", place + 1
    raise ValueError(f"no key {key}")


def on_command(style: Style, value: str) -> str:
    """A value as the command gives it: the numbers of a list one behind the other, or as YAML without spaces."""
    return value.replace(" ", "") if "=" in (style.option or "") else value.strip("[]").replace(",", "")


def plant(project: Path, case: Case) -> tuple[str, list[str]]:
    """Plant the fault of a case into a copy of its project: the command to examine, and texts of which one is to tell the place."""
    style = STYLES[case.style]
    if not case.fault:
        return style.command, []
    fault = FAULTS[case.fault]
    fault = fault._replace(value=style.half) if fault.setting == "level" else fault
    if case.how == "command":
        name = style.names[fault.setting]
        value = on_command(style, fault.value)
        return f"{style.command} {style.option}".format(key=name, value=value), [f"option {name}", "command line"]
    return style.command, [put(project, case.style, fault.setting, fault.value)]


def put(project: Path, style: str, setting: str, value: str) -> str:
    """Give a setting a value in the file that a style reads it from: the text by which that place is told."""
    if style == "shell" and setting in _IN_SHELL:
        script = project / "run.sh"
        script.write_text(script.read_text().replace(*_IN_SHELL[setting]))
        return "command line"
    file, key = STYLES[style].keys[setting]
    written = repr(yaml.safe_load(value)) if file.endswith(".py") else value
    text, line = edited((project / file).read_text(), key, written)
    (project / file).write_text(text)
    return f"{file}:{line}" if style != "shell" else "command line"


class Told(NamedTuple):
    """What a run says of the items: those with a problem or a suspect, all that is said of those, and all findings of all items."""

    accused: frozenset[str]
    words: str
    all: str


def copied(style: str, folder: str) -> Path:
    project = Path(folder, style)
    shutil.copytree(HERE / style, project)
    shutil.copy(HERE / "parts.py", project)
    return project


def decided(style: str) -> int:
    """How many of the items that scripts can decide a healthy run leaves decided."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("--no-session", "--kind", "static", "--checklist", "accuracy")
        items = examine(copied(style, folder), *options, "--", *STYLES[style].command.split()) or {}
    return sum(item["suggestion"] not in (None, "undecided") for name, item in items.items() if name not in OF_DATA)


def run(case: Case) -> tuple[Told, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        project = copied(case.style, folder)
        command, places = plant(project, case)
        return examined(project, command, case.behind), places


def examined(project: Path, command: str, behind: bool) -> Told:
    if not behind:
        (project / "accucheck.yaml").write_text(
            f"scripts: {{train: train.py}}\nruntime: {{command: {json.dumps(command)}}}\n"
        )
    only = [part for item in ITEMS for part in ("--only", item)]
    checklists = ["--checklist", "accuracy", "--checklist", "comparison"]
    ran = subprocess.run(
        [ACCUCHECK, "run", "--json", "--exit-zero", "--no-session", "--kind", "static", "--lang", "en", *checklists, *only,
         *(["--", *command.split()] if behind else [])],
        cwd=project, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    items = json.loads(ran.stdout)["items"] if ran.stdout else []
    findings = [(item["id"], f) for item in items for r in item["results"] for f in r["findings"]]
    accusing = [(item, f) for item, f in findings if f["level"] in ("problem", "suspect")]
    return Told(
        frozenset(item for item, _ in accusing),
        json.dumps([f for item, f in findings if item in {item for item, _ in accusing}]),
        json.dumps(
            sorted((item, f["code"], f["level"], json.dumps(f["data"], sort_keys=True)) for item, f in findings)
        ),
    )


def measure(styles: Sequence[str], jobs: int) -> int:
    wanted = list(cases(styles))
    told = dict(zip(wanted, each(run, wanted, jobs), strict=True))
    planted = [case for case in wanted if case.fault]
    found, placed, alarms = 0, 0, 0
    for case in planted:
        said, places = told[case]
        hit = bool(said.accused & FAULTS[case.fault].items)
        at = hit and any(place in said.words for place in places)
        found, placed = found + hit, placed + at
        print(
            f"{case.style:10} {case.fault:22} {case.how:8} {'found' if hit else 'MISSED':7}{'' if at or not hit else 'not placed'}"
        )
    for style in styles:
        accused = told[Case(style)][0].accused
        alarms += bool(accused)
        print(f"{style:10} healthy{'' if not accused else ': ' + ', '.join(sorted(accused))}")
    unlike = [style for style in styles if told[Case(style)][0].all != told[Case(style, behind=False)][0].all]
    for style in unlike:
        print(f"{style:10} says something else with runtime.command")
    counts = dict(zip(styles, each(decided, styles, jobs), strict=True))
    for style in styles:
        print(f"{style:10} decided in health: {counts[style]} of 17")
    print(f"found: {found} of {len(planted)} ({found / len(planted):.1%}); with the place of the setting: {placed}")
    return report([
        row("planted settings that were found", found, "plants", least=LEAST_FOUND * len(planted), note=f"of {len(planted)}"),
        row("with the place that sets them", placed, "plants", least=LEAST_PLACED * found, note=f"of {found}"),
        row("healthy runs of which something is told", alarms, "runs", most=0, note=f"of {len(styles)}"),
        row("runs of which runtime.command says something else", len(unlike), "runs", most=0, note=f"of {len(styles)}"),
        row("fewest items decided of a style, in health", min(counts.values()), "items", least=LEAST_DECIDED, note="of 17"),
        row("items decided of a style, in health", sorted(counts.values()), "items", note="of 17; median of the styles"),
    ])  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("styles", nargs="*", metavar="STYLE")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if unknown := set(given.styles) - STYLES.keys():
        parser.error(f"no style {', '.join(sorted(unknown))}; there are {', '.join(STYLES)}")
    return measure(given.styles or [*STYLES], given.jobs)


if __name__ == "__main__":
    raise SystemExit(main())
