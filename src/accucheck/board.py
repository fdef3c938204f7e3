"""`accucheck curves`: all that a project recorded over time, several runs laid over each other."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from itertools import pairwise, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .errors import ReadError, UserError
from .language import Language, Words, visible, word
from .model import Chart, Curve, Heatmap
from .offline import page
from .readers import curves, distributions, monitors, recordings
from .readers.runs import UNKNOWN, Column, Run

if TYPE_CHECKING:
    from .case import Case
    from .probes._watched_networks import WatchedNetworks

#: Where a project names curves.
KEYS = (
    "watched",
    "curves.train",
    "curves.eval",
    "curves.rerun",
    "curves.baseline",
    "curves.reference.path",
    "curves.previous_version",
)
#: Points of a curve on the page; curves, runs and histograms of one board.
POINTS, CURVES, RUNS, HISTOGRAMS = 1000, 2000, 64, 64
#: Into how many parts the values of a histogram are put, how many steps of it are shown, and the share of numbers at each end that
#: do not stretch it.
_PARTS, _STEPS, _TAIL = 24, 100, 0.001
#: So many curves of layers are also drawn one by one.
_FEW = 12
#: What a training is judged by comes first: parts of the names of curves.
_FIRST = ("loss", "acc", "lr", "rate", "grad", "scale")
#: A curve of the second optimizer of a recording, or of a further one: opt1.loss.
_OPTIMIZER = re.compile(r"opt(\d{1,6})\.(.+)")

WORDS: Words = {
    "run": {"en": "Run", "zh": "运行"},
    "curve": {"en": "Curve", "zh": "曲线"},
    "points": {"en": "Points", "zh": "点数"},
    "first": {"en": "First", "zh": "起始"},
    "last": {"en": "Last", "zh": "末尾"},
    "low": {"en": "Lowest", "zh": "最低"},
    "high": {"en": "Highest", "zh": "最高"},
    "bad": {"en": "NaN/Inf", "zh": "NaN/Inf"},
    "title": {"en": "Curves of {count:,} {count:run|runs}", "zh": "{count:,} 次运行的曲线"},
    "heat": {"en": "Gradient norms by layer: {run}", "zh": "各层梯度范数：{run}"},
    "by-layer": {"en": "By layer, in size: {run}", "zh": "按层（绝对值）：{run}"},
    "histogram": {"en": "Histogram over time: {run}", "zh": "直方图随时间的变化：{run}"},
    "values": {"en": "value", "zh": "取值"},
    "share": {"en": "share of the numbers", "zh": "数值占比"},
    "histograms": {"en": "histograms", "zh": "直方图"},
    "settings": {"en": "Hyper-parameters", "zh": "超参数"},
    "optimizer": {"en": "Optimizer", "zh": "优化器"},
    "arguments": {"en": "Arguments", "zh": "参数"},
    "command": {"en": "Command", "zh": "命令"},
    "logarithmic": {"en": "logarithmic", "zh": "对数坐标"},
    "step": {"en": "step", "zh": "step"},
    "epoch": {"en": "epoch", "zh": "epoch"},
    "filter": {"en": "Curves whose name holds", "zh": "名称包含以下内容的曲线"},
    "cut": {
        "en": "{count:,} more {what} are left out: select with --only NAME.",
        "zh": "另有 {count:,} 个{what}未列出：可用 --only NAME 选择。",
    },
    "drawn": {
        "en": "{count:,} {count:map|maps} of layers and histograms: -o FILE.html and the walkthrough (C) draw {count:it|them}.",
        "zh": "另有 {count:,} 张分层图或直方图：可用 -o FILE.html 或在界面中按 C 查看。",
    },
    "layers": {"en": "layer, in the order of the optimizer", "zh": "层（按优化器中的顺序）"},
    "gradient": {"en": "norm of the gradient", "zh": "梯度范数"},
    "curves": {"en": "curves", "zh": "曲线"},
    "runs": {"en": "runs", "zh": "运行"},
}


class Settings(NamedTuple):
    """What a run was trained with, as a recording tells."""

    run: str
    command: str
    optimizer: str
    arguments: str


class Board(msgspec.Struct):
    """Runs by their names, heat maps by a word of WORDS and what they are of, and what could not be read. `left` counts curves, runs
    and histograms beyond what a board holds. `mapped`: curves that are drawn as a part of a heat map."""

    runs: list[Run]
    heat: dict[tuple[str, str], Heatmap]
    settings: list[Settings]
    problems: list[ReadError]
    left: tuple[int, int, int] = (0, 0, 0)
    mapped: set[str] = set()

    @property
    def names(self) -> list[str]:
        """The curves of all runs, those that a training is judged by first."""
        found = dict.fromkeys(name for run in self.runs for name in run.columns)

        def place(name: str) -> int:
            return next((at for at, part in enumerate(_FIRST) if part in name.lower()), len(_FIRST))

        return sorted(found, key=place)


def of_case(case: Case) -> list[Path]:
    """What a project names that has curves, a file of a folder that is named not once more. Raises UserError where it names nothing."""
    found = [path for key in KEYS for path in case.paths(key)]
    if not found:
        raise UserError("curves-nothing", path=case.relative(case.root))
    return [path for path in dict.fromkeys(found) if path.parent not in found]


def gather(paths: Iterable[tuple[Path, str]], only: str = "") -> Board:
    """The runs of files and folders, each with what it is called; `only`: curves whose name holds this. Raises ReadError where none of
    them has a curve."""
    board = Board([], {}, [], [])
    lost = beyond = unseen = 0
    for path, name in paths:
        try:
            found = _runs(path, name, board)
        except ReadError as error:
            board.problems.append(error)
            continue
        for run in found:
            columns = {key: column for key, column in run.columns.items() if only.lower() in key.lower()}
            lost += max(0, len(columns) - CURVES)
            if len(board.runs) >= RUNS:
                beyond += 1
            elif columns:
                board.runs.append(Run(_own(board, run.name), run.source, dict(list(columns.items())[:CURVES])))
        unseen += _add_histograms(board, path, name, only)
    if not board.runs and not board.heat:
        raise board.problems[0] if board.problems else ReadError("no-curve", path=only or "-")
    board.left = lost, beyond, unseen
    _add_layers(board)
    return board


def _add_layers(board: Board) -> None:
    """A map of each family of curves that has one for each layer; of what may be negative, of its size."""
    import numpy as np

    from .probes._watched_networks import heat

    for run in board.runs:
        families: dict[str, list[tuple[str, dict[int, float | None]]]] = {}
        for name, column in run.columns.items():
            if (match := monitors.FAMILIES.match(name)) is not None:
                points: dict[int, float | None] = {}
                for step, value in zip(column.steps.tolist(), np.abs(column.values).tolist(), strict=True):
                    points[step] = value
                families.setdefault(match[0][:-1], []).append((name[match.end() :], points))
        for family, rows in families.items():
            if len(rows) > 1:
                board.heat["by-layer", f"{run.name}: {family}"] = heat("by-layer", "values", rows)
                board.mapped.update(f"{family}/{layer}" for layer, _ in rows)


def _add_histograms(board: Board, path: Path, name: str, only: str) -> int:
    """The histograms of a file or folder over time, and how many more there are than a board holds."""
    found, problems = distributions.read(path, only)
    board.problems += [
        each for each in problems if each.text(Language.EN) not in {one.text(Language.EN) for one in board.problems}
    ]
    left = 0
    for tag, told in found.items():
        if len(board.heat) >= HISTOGRAMS:
            left += 1
        else:
            board.heat["histogram", f"{name}: {tag}"] = _over_time(told)
    return left


def _over_time(told: list[distributions.Distribution]) -> Heatmap:
    """What share of a tensor's numbers lies where, at each step; the highest values are the first row. The first and the last row
    also hold what lies beyond."""
    import numpy as np

    from .axes import some

    by_step = {one.step: one for one in told}
    steps = sorted(by_step)
    steps = [steps[at] for at in some(len(steps), _STEPS, [])]
    low, high = distributions.span(list(by_step.values()), _TAIL)
    edges = np.linspace(low, high, _PARTS + 1)
    shares = np.stack([distributions.shares(by_step[step], edges) for step in steps], axis=1)[::-1]
    rows = [f"{first:.3g} … {last:.3g}" for first, last in pairwise(edges.tolist())][::-1]
    values = [[float(one) if one else None for one in row] for row in shares]
    return Heatmap("histogram", "step", "values", "share", rows, [str(step) for step in steps], values)


def _own(board: Board, name: str) -> str:
    """A name that no other run has."""
    taken = {run.name for run in board.runs}
    return next(
        each for number in range(1, RUNS + 2) if (each := f"{name} ({number})" if number > 1 else name) not in taken
    )


def _runs(path: Path, name: str, board: Board) -> list[Run]:
    """The runs of a watch, each with its gradients and its optimizer; else those of a log."""
    watched = recordings.watched(path) if path.is_dir() else []
    if not watched:
        found = curves.read(path)
        board.problems += found.problems
        for file in curves.tracked_files(path):
            _started_with(file, name if path == file else file.relative_to(path).as_posix(), board)
        single = len(found.runs) == 1
        return [Run(name if single else f"{name}: {run.name}", run.source, run.columns) for run in found.runs]
    from .probes._watched import Watch
    from .probes._watched_networks import WatchedNetworks

    runs = []
    for mode, rank, file in watched:
        if mode not in ("user", "pynative"):
            continue
        told = recordings.read(file).runs
        if not told or not told[-1].series:
            continue
        own = f"{name}: {mode}" + (f" rank {rank}" if rank else "")
        seen = WatchedNetworks(Watch(own, mode, rank, told[-1]))
        apart = _told_apart(seen)
        runs.append(Run(own, str(file), _by_network(told[-1].series, apart)))
        _seen(path, seen, apart, board)
    if not runs:
        raise ReadError("no-recordings", path=name)
    return runs


def _started_with(file: Path, name: str, board: Board) -> None:
    """What a run of W&B or SwanLab was started with."""
    from .readers import trackers

    try:
        settings = trackers.read(file).settings
    except ReadError:
        return  # told with its curves
    if settings:
        board.settings.append(Settings(name, "", "", ", ".join(f"{key}={value}" for key, value in settings.items())))


def _told_apart(seen: WatchedNetworks) -> dict[int, str]:
    """Of each optimizer the network that it trains, by its class, where there are several of either; empty where that tells them not
    apart."""
    kinds: dict[int, set[str]] = {one.number: set() for one in seen.optimizers}
    for held in seen.parameters.values():
        if held.network in seen.networks:
            for number in held.optimizers:
                kinds.setdefault(number, set()).add(seen.networks[held.network].kind.rpartition(".")[2])
    names = {number: "+".join(sorted(found)) for number, found in kinds.items()}
    return names if len(names) > 1 and all(names.values()) and len(set(names.values())) == len(names) else {}


def _by_network(series: Mapping[str, Column], apart: Mapping[int, str]) -> dict[str, Column]:
    """The curves of a recording, those of each optimizer, such as loss and opt1.loss, called after its network where that is known."""
    found = {}
    several = {told[2] for key in series if (told := _OPTIMIZER.fullmatch(key))}
    for key, column in series.items():
        told = _OPTIMIZER.fullmatch(key)
        number, name = (int(told[1]), told[2]) if told is not None else (0, key)
        found[f"{apart[number]}.{name}" if number in apart and name in several else key] = column
    return found


def _seen(path: Path, seen: WatchedNetworks, apart: Mapping[int, str], board: Board) -> None:
    """The gradients of a recording as a map of its layers, and its optimizers."""
    from .probes._watched_networks import heat

    rows = []
    name = seen.watch.path
    for key, norms in seen.norms.items():
        held = seen.parameters.get(key)
        if held is not None and norms:
            network = apart.get(held.optimizers[0], "") if held.optimizers else ""
            rows.append((f"{network}.{held.path}" if network else held.path, {step: norm for step, _, norm in norms}))
    if rows:
        board.heat["heat", name] = heat("heat", "gradient", rows)
    for one in seen.optimizers:
        given = ", ".join(f"{key}={value}" for key, value in one.arguments.items())
        kind = one.kind.rpartition(".")[2] + (f" ({apart[one.number]})" if one.number in apart else "")
        board.settings.append(Settings(name, recordings.command(path) or "", kind, given))


def say(key: str, language: Language, /, **data: Any) -> str:
    return word(WORDS, key, language, **data)


def label(text: str, language: Language) -> str:
    """A word of a chart; names of runs and layers as they are."""
    return say(text, language) if text in WORDS else visible(text)


def laid_over(board: Board, language: Language) -> Iterator[tuple[str, str, list[tuple[int, Column]]]]:
    """Each chart in the order of `names`: its title, its axis, step or epoch, and its runs by their numbers. Runs that tell only epochs
    are not drawn among those that tell steps."""
    for name in board.names:
        if name in board.mapped and len(board.mapped) > _FEW:
            continue
        by_axis: dict[str, list[tuple[int, Column]]] = {"step": [], "epoch": []}
        for number, run in enumerate(board.runs):
            if (column := run.columns.get(name)) is not None:
                by_step = bool(len(column.steps)) and int(column.steps.max()) != UNKNOWN
                by_axis["step" if by_step else "epoch"].append((number, column))
        mixed = all(by_axis.values())
        for axis, lines in by_axis.items():
            if lines:
                yield f"{name} ({say(axis, language)})" if mixed else name, axis, lines


def _points(column: Column, axis: str) -> tuple[list[int], list[float | str]]:
    return thinned((column.steps if axis == "step" else column.epochs).tolist(), column.values.tolist())


def charts(board: Board, language: Language) -> list[tuple[str, Chart]]:
    """A chart of each curve with all of its runs, and then the heat maps; each with its title."""
    found: list[tuple[str, Chart]] = []
    common = _common_folder([run.name for run in board.runs])
    for title, axis, columns in laid_over(board, language):
        lines: dict[str, dict[int, float]] = {}
        for number, column in columns:
            places, values = _points(column, axis)
            run = board.runs[number].name.removeprefix(common)
            lines[run] = {at: float(value) for at, value in zip(places, values, strict=True)}
        x = sorted({at for line in lines.values() for at in line})
        series = {run: [line.get(at) for at in x] for run, line in lines.items()}
        found.append((title, Curve(title, axis, title, [float(at) for at in x], series)))
    return [
        *found,
        *((say(kind, language, run=run.removeprefix(common)), heat) for (kind, run), heat in board.heat.items()),
    ]


def _common_folder(names: list[str]) -> str:
    """The folder that all of these paths are in, which tells nothing apart."""
    folders = [name.split("/")[:-1] for name in names]
    shared = takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))
    return "".join(f"{parts[0]}/" for parts in shared)


#: Where a row of the table names its run, which may be a long path, and its curve: what gives way where a terminal is narrow.
GIVE_WAY = (1, 0)


def rows(board: Board, language: Language) -> list[list[str]]:
    """A table: each curve of each run, with where it began and ended; a column for what is not finite where something is not."""
    keys = ("curve", "run", "points", "first", "last", "low", "high", "bad")
    found = [[word(WORDS, key, language) for key in keys]]
    for name in board.names:
        for run in board.runs:
            if (column := run.columns.get(name)) is None:
                continue
            values = [float(value) for value in column.values]
            good = [value for value in values if math.isfinite(value)]
            numbers = (
                [values[0], values[-1], *((min(good), max(good)) if good else (math.nan, math.nan))] if values else []
            )
            bad = len(values) - len(good)
            found.append(
                [name, run.name, f"{len(values):,}", *(f"{each:.5g}" for each in numbers), f"{bad:,}" if bad else ""]
            )
    filled = [row + [""] * (len(keys) - len(row)) for row in found]
    return filled if any(row[-1] for row in filled[1:]) else [row[:-1] for row in filled]


def notes(board: Board, language: Language) -> list[str]:
    """What could not be read, and what was left out."""
    told = [problem.text(language) for problem in board.problems]
    for count, what in zip(board.left, ("curves", "runs", "histograms"), strict=True):
        if count:
            told.append(word(WORDS, "cut", language, count=count, what=word(WORDS, what, language)))
    return told


def drawn_elsewhere(board: Board, language: Language) -> str | None:
    """What a table does not show."""
    return word(WORDS, "drawn", language, count=len(board.heat)) if board.heat else None


def plain(board: Board) -> dict[str, Any]:
    """The board as JSON: each run with its curves, steps and values; what is not finite as a word."""
    return {
        "runs": [
            {
                "name": run.name,
                "source": run.source,
                "curves": {
                    name: {
                        "steps": column.steps.tolist(),
                        "epochs": column.epochs.tolist(),
                        "values": [value if math.isfinite(value) else str(value) for value in column.values.tolist()],
                    }
                    for name, column in run.columns.items()
                },
            }
            for run in board.runs
        ],
        "settings": [each._asdict() for each in board.settings],
        "maps": [
            {"kind": kind, "of": of, "rows": heat.rows, "columns": heat.columns, "values": heat.values}
            for (kind, of), heat in board.heat.items()
        ],
    }


def write(board: Board, language: Language) -> bytes:
    """The board as a page that opens offline."""

    def say(key: str, **data: Any) -> str:
        return word(WORDS, key, language, **data)

    charts = []
    for title, axis, lines in laid_over(board, language):
        series = [[number, axis, *_points(column, axis)] for number, column in lines]
        charts.append({"name": visible(title), "series": series})
    heats = [
        {
            "title": visible(say(kind, run=run)),
            "rows": [visible(each) for each in heat.rows],
            "columns": heat.columns,
            "values": heat.values,
            "marked": heat.marked,
        }
        for (kind, run), heat in board.heat.items()
    ]
    data = {
        "runs": [visible(run.name) for run in board.runs],
        "charts": charts,
        "heats": heats,
        "words": {key: say(key) for key in ("logarithmic", "step", "epoch", "bad")},
    }
    title = say("title", count=len(board.runs))
    told = "".join(f'<p class="note">{_text(line)}</p>' for line in notes(board, language))
    body = (
        f"<header><h1>{_text(title)}</h1>{told}</header>\n"
        f'<div class="tools" id="runs"><input id="filter" type="search" placeholder="{_text(say("filter"))}" '
        f'aria-label="{_text(say("filter"))}"></div><main id="charts"></main>'
        f"{_settings(board, say)}"
    )
    here = files("accucheck")
    style = (here / "offline.css").read_text("utf-8") + (here / "board.css").read_text("utf-8")
    return page(title, language, body, style, (here / "board.js").read_text("utf-8"), data)


def _settings(board: Board, say: Any) -> str:
    if not board.settings:
        return ""
    head = "".join(f"<th>{_text(say(key))}</th>" for key in ("run", "command", "optimizer", "arguments"))
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in each) + "</tr>" for each in board.settings)
    return f'<section><h2>{_text(say("settings"))}</h2><div class="wide"><table><tr>{head}</tr>{body}</table></div></section>'


def thinned(places: list[int], values: list[float]) -> tuple[list[int], list[float | str]]:
    """At most POINTS of a curve: of each stretch the lowest, the highest, and the first that is not finite, which is a word."""
    if len(values) > POINTS:
        kept: set[int] = {0, len(values) - 1}
        length = -(-3 * len(values) // POINTS)
        for begin in range(0, len(values), length):
            stretch = range(begin, min(begin + length, len(values)))
            good = [at for at in stretch if math.isfinite(values[at])]
            bad = next((at for at in stretch if not math.isfinite(values[at])), None)
            kept |= {min(good, key=values.__getitem__), max(good, key=values.__getitem__)} if good else set()
            kept |= {bad} if bad is not None else set()
        order = sorted(kept)
        places, values = [places[at] for at in order], [values[at] for at in order]
    return places, [value if math.isfinite(value) else str(value) for value in values]


def _text(line: str) -> str:
    return html.escape(visible(line))
