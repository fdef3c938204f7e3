"""Names samples whose loss stays high while a training learns the others, from what it recorded: often they have wrong labels.

`accucheck.Recorder.step(samples=..., losses=...)` records the loss of each sample. Samples that the network never learns are mislabelled,
or hard, or unlike the others; which of these only a look at them tells (small-loss selection: Han et al., 2018, Co-teaching). Cannot
tell anything of a training that learns by heart what is wrong too, nor of samples that are recorded by content and augmented.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, Skip
from . import _recorded_samples

if TYPE_CHECKING:
    from ._recorded_samples import RecordedSamples

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (("curves.train", "watched"),)


class Params(msgspec.Struct, frozen=True):
    apart: Annotated[
        float,
        Meta(
            gt=1,
            description="a loss counts as high beyond the median by so many times the distance of the upper quartile from it",
            extra={
                "unit": "1",
                "source": "own choice: for normal losses one in 10^11, so that it takes a tail of its own",
            },
        ),
    ] = 10.0
    epochs: Annotated[
        int,
        Meta(
            ge=2,
            description="epochs without which nothing has been learned yet",
            extra={"unit": "epochs", "source": "own choice"},
        ),
    ] = 3


MESSAGES: Words = {
    **_recorded_samples.MESSAGES,
    "stays-high": {
        "en": "The loss of {count:,} of {samples:,} samples ({share:.2%}) stays high: {lowest:.3g} and more in the last {epochs:,} "
        "epochs, where half of all are below {median:.3g}. Check whether their labels are right; {first} has the highest.",
        "zh": "{samples:,} 个样本中有 {count:,} 个（{share:.2%}）的 loss 始终偏高：最后 {epochs:,} 个 epoch 中不低于 {lowest:.3g}，"
        "而半数样本低于 {median:.3g}。请核对它们的标签，其中 {first} 最高。",
    },
    "none-apart": {
        "en": "No sample has a loss far above the others in the last {epochs:,} epochs ({samples:,} samples, highest {highest:.3g}).",
        "zh": "最后 {epochs:,} 个 epoch 中没有样本的 loss 明显高于其他样本（共 {samples:,} 个，最高 {highest:.3g}）。",
    },
    "no-losses": {
        "en": "{path} does not record the loss of each sample: record it with Recorder.step(samples=..., losses=...).",
        "zh": "{path} 没有记录每个样本的 loss，请用 Recorder.step(samples=..., losses=...) 记录。",
    },
    "too-few-epochs": {
        "en": "{path} holds the losses of {count:,} whole {count:epoch|epochs}: what is not learned shows later.",
        "zh": "{path} 中只有 {count:,} 个完整 epoch 的 loss，哪些样本学不会要到后面才能看出。",
    },
    "fix-look": {
        "en": "Look at these samples, correct wrong labels, and leave out what is damaged.",
        "zh": "逐个查看这些样本，改正错误标签，去掉损坏的样本。",
    },
}
WORDS: Words = {
    "high": {"en": "Samples whose loss stays high", "zh": "loss 始终偏高的样本"},
    "sample": {"en": "sample", "zh": "样本"},
    "loss": {"en": "mean loss", "zh": "平均 loss"},
    "first": {"en": "loss in the first epoch", "zh": "首个 epoch 的 loss"},
}
WHY: Words = {
    "stays-high": {
        "en": "A wrong label pulls the network away from what all other samples teach, and is memorised in the end.",
        "zh": "错误标签使网络偏离其他样本的规律，最终被死记硬背。",
    },
}
PROOF: Words = {
    "stays-high": {
        "en": "Look at the samples of the table; train once more without those whose labels are wrong.",
        "zh": "查看表中的样本；去掉标签错误的样本后重新训练并比较。",
    },
}
#: Rows of the table, and samples without which a median says nothing.
MOST, _FEWEST = 200, 30


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    recorded = [one for one in _recorded_samples.of_case(case) if one.losses]
    yield Progress(1, 1, "files")
    if not recorded:
        raise Skip("no-losses", path=_recorded_samples.shown(case))
    yield from _judged(recorded[0], case.relative(recorded[0].path), params)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Labels that are wrong alike are learned, so that low losses do not say that labels are right."""
    verdict = usual(findings)
    return Verdict.UNDECIDED if verdict is Verdict.OK else verdict


def _judged(recorded: RecordedSamples, path: str, params: Params) -> Iterator[Finding]:
    import numpy as np

    where, epochs = Where(path), sorted(recorded.losses)
    if len(epochs) < params.epochs:
        yield Finding("too-few-epochs", Level.INFO, where, {"path": path, "count": len(epochs)}, incomplete=True)
        return
    late = epochs[-max(1, len(epochs) // 2) :]
    ids = np.concatenate([recorded.epochs[one] for one in late])
    values = np.concatenate([recorded.losses[one] for one in late])
    ids, values = ids[np.isfinite(values)], values[np.isfinite(values)]
    names, places = np.unique(ids, return_inverse=True)
    data: dict[str, Any] = {"path": path, "different": len(names), "samples": len(recorded.epochs[epochs[0]])}
    if len(names) * 2 < len(recorded.epochs[epochs[0]]) or len(names) < _FEWEST:
        yield Finding("not-identities", Level.INFO, where, data, incomplete=True)
        return
    means = np.bincount(places, values) / np.bincount(places)
    median, quartile = (float(np.quantile(means, share)) for share in (0.5, 0.75))
    data |= {"samples": len(names), "epochs": len(late), "median": median, "highest": float(means.max())}
    # Samples that are merely hard are learned in part: the losses of these are as high as before training.
    untrained = float(np.median(recorded.losses[epochs[0]][: recorded.batch]))
    limit = max(untrained, median + params.apart * max(quartile - median, 1e-3 * abs(median)))
    high = np.flatnonzero(means > limit)
    if not len(high):
        yield Finding("none-apart", Level.INFO, where, data)
        return
    high = high[np.argsort(-means[high])]
    begin = dict(zip(recorded.epochs[epochs[0]].tolist(), recorded.losses[epochs[0]].tolist(), strict=True))
    shown = [recorded.names.get(int(name), str(name)) for name in names[high[:MOST]]]
    rows: list[list[Plain]] = [
        [name, float(means[at]), begin.get(int(names[at]))] for name, at in zip(shown, high[:MOST], strict=True)
    ]
    data |= {"count": len(high), "share": len(high) / len(names), "lowest": float(means[high[-1]]), "first": shown[0]}
    table = Table("high", ["sample", "loss", "first"], rows, total=len(high))
    yield Finding("stays-high", Level.SUSPECT, where, data, [table], Fix("fix-look"))


def _recording(high: int, epochs: int = 4, *, losses: bool = True) -> str:
    """A training on 64 samples in which all but the first `high` are learned."""
    head: dict[str, Any] = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "rank": 0}
    lines = [head]
    for epoch in range(epochs):
        for at in range(0, 64, 16):
            ids = [(n * 37 + epoch) % 64 for n in range(at, at + 16)]
            given = [round(4.0 if n < high else 2.3 * 0.4**epoch * (1 + n % 7 / 20), 4) for n in ids]
            line = {"step": len(lines), "epoch": epoch + 1, "loss": 1.0, "samples": ids}
            lines.append(line | ({"losses": given} if losses else {}))
    return "".join(json.dumps(line) + "\n" for line in lines)


def _example(name: str, verdict: Verdict, code: str, high: int, **more: Any) -> Example:
    files: dict[str, Any] = {"run.jsonl": _recording(high, **more)}
    return Example(name, files=files, case={"curves": {"train": "run.jsonl"}}, verdict=verdict, codes=(code,))


EXAMPLES = [
    _example("all are learned", Verdict.UNDECIDED, "none-apart", 0),
    _example("three are never learned", Verdict.UNDECIDED, "stays-high", 3),
    _example("two epochs", Verdict.UNDECIDED, "too-few-epochs", 3, epochs=2),
]
