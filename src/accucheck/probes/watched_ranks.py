"""Compares the ranks of a watched run: the weights that they start from, and whether these stay equal while each trains on its own batches.

Catches initial weights that differ from device to device, and updates by the gradients of one device alone, after which weights drift
apart. Weights of which each rank holds a part, as in model parallel training, are not compared: ranks with other names or shapes leave the
item open, and so do ranks that differ in some weights only. Also catches gradients that are added up where the learning rate is meant for
their mean: the mean of vectors is never longer than they are on average. Cannot tell whether gradients are reduced where all ranks train
on the same batches, nor a sum from a mean where the ranks' gradients point away from each other.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..live.inside.processes import SIZES
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Sure, Table, Verdict
from ..probe import Example, Skip
from . import _watched, gradient_aggregation, rank_seeds
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: Annotated[
        str,
        Meta(
            pattern="^(start|gradients)$",
            description="what the item is about: the weights at the start, or what becomes of them",
            extra={"unit": "word", "source": "the items san.01 and san.02"},
        ),
    ] = "gradients"
    near: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="norms of gradients that are no further apart count as equal, and losses as those of one batch",
            extra={"unit": "1", "source": "own choice: recordings keep four digits"},
        ),
    ] = 1e-3
    longer: Annotated[
        float,
        Meta(
            gt=1,
            description="gradients that are so many times as large as the ranks' own are on average, in each step, were added up",
            extra={
                "unit": "1",
                "source": "own choice: a mean has at most 1, by the triangle inequality; the rest is rounding",
            },
        ),
    ] = 1.1


MESSAGES: Words = {
    "one-rank": {
        "en": "Only one process trained while it was watched.",
        "zh": "观察期间只有一个进程在训练。",
    },
    "other-parts": {
        "en": "The {ranks:,} ranks train weights of other names or shapes ({name}): each holds a part of the network, and they are not "
        "compared.",
        "zh": "{ranks:,} 个 rank 训练的权重名称或形状不同（{name}）：各自持有网络的一部分，因此不作比较。",
    },
    "not-seen": {
        "en": "The values of {unseen:,} of {weights:,} weights before the first update were not seen on all {ranks:,} ranks, for "
        "example {name}: they "
        "are not compared.",
        "zh": "{weights:,} 个权重中有 {unseen:,} 个（例如 {name}）未能在全部 {ranks:,} 个 rank 上看到第一次更新前的值，因此不作比较。",
    },
    "start-equal": {
        "en": "All {ranks:,} ranks start from the same {weights:,} weights.",
        "zh": "{ranks:,} 个 rank 的 {weights:,} 个权重初始值完全相同。",
    },
    "start-by-watch": {
        "en": "All {ranks:,} ranks start from the same weights, but no seed of the command was seen: this watch compares two modes and "
        "sets seeds itself.",
        "zh": "{ranks:,} 个 rank 的初始权重相同，但没有看到命令自己设置种子：本次观察在对比两种模式，种子由观察设置。",
    },
    "start-differs": {
        "en": "{differ:,} of {weights:,} weights differ between the {ranks:,} ranks before the first update, {name} for one, although "
        "all are updated by the same gradients: the ranks train different networks.",
        "zh": "第一次更新之前，{ranks:,} 个 rank 的 {weights:,} 个权重中有 {differ:,} 个不同（例如 {name}），而各 rank 都用同样的梯度更新："
        "它们训练的是不同的网络。",
    },
    "start-apart": {
        "en": "{differ:,} of {weights:,} weights differ between the {ranks:,} ranks before the first update, {name} for one.",
        "zh": "第一次更新之前，{ranks:,} 个 rank 的 {weights:,} 个权重中有 {differ:,} 个不同，例如 {name}。",
    },
    "equal-later": {
        "en": "{differ:,} of {weights:,} weights differ between the ranks before the first update and are equal after {steps:,} steps.",
        "zh": "各 rank 的 {weights:,} 个权重中有 {differ:,} 个在第一次更新前不同，{steps:,} 步之后相同。",
    },
    "together": {
        "en": "All {ranks:,} ranks hold the same {weights:,} weights after {steps:,} steps on batches of their own: gradients are reduced.",
        "zh": "{ranks:,} 个 rank 用各自的 batch 训练 {steps:,} 步后，{weights:,} 个权重完全相同：梯度已聚合。",
    },
    "reduced": {
        "en": "In {steps:the one step|all {steps:,} steps} examined, the {ranks:,} ranks update with the same gradients, computed "
        "from different losses.",
        "zh": "在细看的 {steps:,} 步中，{ranks:,} 个 rank 的 loss 各不相同，更新所用的梯度却相同：梯度已聚合。",
    },
    "drift-apart": {
        "en": "The {ranks:,} ranks start from the same weights, train on other samples each, and after {steps:,} steps all {weights:,} "
        "trained weights differ: each updates with its own gradients.",
        "zh": "{ranks:,} 个 rank 从相同的权重出发，各用不同的样本训练，{steps:,} 步后全部 {weights:,} 个被训练的权重都不相同：每个 rank "
        "只用自己的梯度更新。",
    },
    "own-trainings": {
        "en": "The {ranks:,} ranks start from the same weights, and after {steps:,} steps all {weights:,} trained weights differ. "
        "Whether they should train together cannot be seen.",
        "zh": "{ranks:,} 个 rank 从相同的权重出发，{steps:,} 步后全部 {weights:,} 个被训练的权重都不相同。"
        "它们是否本应一起训练，记录中看不出来。",
    },
    "same-batches": {
        "en": "All ranks get the same losses, so that their weights stay equal with and without a reduction of gradients.",
        "zh": "各 rank 的 loss 相同，无论梯度是否聚合权重都会保持相同。",
    },
    "losses-unseen": {
        "en": "No loss of all ranks was seen in the same step: whether they train on different batches is not known, and without that, "
        "equal weights mean nothing.",
        "zh": "没有在同一步看到全部 rank 的 loss：不知道它们是否各用自己的 batch，此时权重相同说明不了什么。",
    },
    "some-differ": {
        "en": "After {steps:,} steps {differ:,} of {weights:,} weights differ between the ranks, {name} for one; the others are equal.",
        "zh": "{steps:,} 步之后，各 rank 的 {weights:,} 个权重中有 {differ:,} 个不同（例如 {name}），其余相同。",
    },
    "not-comparable": {
        "en": "The ranks start from other weights, and update with other gradients: whether these are reduced is not seen.",
        "zh": "各 rank 的初始权重不同，更新所用的梯度也不同：梯度是否聚合看不出来。",
    },
    "summed": {
        "en": "In all {looked:,} steps examined, the gradients that the {ranks:,} ranks update with are at least {times:.2f} times as "
        "large as the average of the ranks' own: they are summed, since a mean is never larger. Each rank's loss is a mean over its "
        "batch, so {optimizer} updates weights as if the learning rate were up to {ranks:,} times as high.",
        "zh": "在细看的 {looked:,} 步中，{ranks:,} 个 rank 更新所用的梯度都不小于各 rank 自身梯度平均大小的 {times:.2f} 倍：梯度是相加的，"
        "因为平均值不会更大。而每个 rank 的 loss 是其 batch 的平均值，{optimizer} 的更新量相当于学习率最多放大 {ranks:,} 倍。",
    },
    "summed-meant": {
        "en": "In all {looked:,} steps examined, the gradients that the {ranks:,} ranks update with are at least {times:.2f} times as "
        "large as the average of the ranks' own: they are summed. Whether the loss or {optimizer} accounts for that cannot be seen.",
        "zh": "在细看的 {looked:,} 步中，{ranks:,} 个 rank 更新所用的梯度都不小于各 rank 自身梯度平均大小的 {times:.2f} 倍：梯度是相加的。"
        "loss 或 {optimizer} 是否已考虑这一点，记录中看不出来。",
    },
    "few-steps": {
        "en": "The ranks were watched for different numbers of steps ({steps}), and their gradients were not examined in the same step.",
        "zh": "各 rank 被观察的步数不同（{steps}），也没有在同一步细看梯度。",
    },
    "fix-reduce": gradient_aggregation.MESSAGES["fix-reduce"],
    "fix-seed": rank_seeds.MESSAGES["fix-seed"],
    "fix-mean": {
        "en": "Take the mean: gradients_mean=True in set_auto_parallel_context, mean=True of nn.DistributedGradReducer, or divide the "
        "result of AllReduce by the number of devices. Keep the sum if the learning rate was chosen for it.",
        "zh": "改用平均：set_auto_parallel_context 设置 gradients_mean=True，nn.DistributedGradReducer 设置 mean=True，或将 AllReduce "
        "的结果除以设备数。如果学习率正是按相加选定的，则保持不变。",
    },
}
_APART: dict[str, str] = {
    "en": "Data parallel training reduces gradients and leaves weights alone: ranks whose weights differ train different networks, and "
    "what is saved is one of them.",
    "zh": "数据并行只聚合梯度，不会统一权重：权重不同的各 rank 训练的是不同的网络，最后保存下来的只是其中之一。",
}
_SUMMED: dict[str, str] = {
    "en": "The learning rate of a recipe assumes the mean over all samples; a sum multiplies it by the number of devices, and training "
    "becomes unstable or ends worse.",
    "zh": "训练方案中的学习率是针对所有样本的平均梯度而定；相加相当于学习率乘以设备数，训练会不稳定或收敛得更差。",
}
_DIFFER = ("start-differs", "start-apart", "drift-apart", "own-trainings")
WHY: Words = {**dict.fromkeys(_DIFFER, _APART), "summed": _SUMMED}
_PRINT = {
    "en": "Print the sum of one weight on each rank after each of the first steps.",
    "zh": "在最初的每一步之后，在各 rank 上打印同一个权重的总和。",
}
_DIVIDE = {
    "en": "Train some hundred steps with the mean, or with the learning rate divided by the number of devices, and compare the losses.",
    "zh": "改用平均，或将学习率除以设备数，训练几百步后比较 loss。",
}
PROOF: Words = {**dict.fromkeys(_DIFFER, _PRINT), "summed": _DIVIDE}
WORDS: Words = {
    "ranks": {"en": "Ranks", "zh": "各 rank"},
    "rank": {"en": "rank", "zh": "rank"},
    "first_loss": {"en": "first loss", "zh": "首个 loss"},
    "norm": {"en": "norm of the gradients", "zh": "梯度范数"},
    "start": {"en": "weights at the start as rank 0", "zh": "初始权重与 rank 0 相同的个数"},
    "end": {"en": "weights at the end as rank 0", "zh": "结束时权重与 rank 0 相同的个数"},
}
#: Optimizers whose updates are as large as the gradients are; others, such as Adam, hardly feel a factor.
_PROPORTIONAL = frozenset({"SGD", "Momentum"})
#: Steps without which nothing is said of sums and means; how far losses that are equal are apart in a recording's four digits.
_LEAST, _EQUAL = 3, 2e-3
#: What reading the scripts says of gradients that are not reduced; weights that stay equal prove it wrong.
_UNREDUCED = ["not-reduced", "not-reduced-maybe", "reduced-dropped", "mode-unset", "mode-unset-maybe"]


@dataclass(frozen=True)
class _Rank:
    """What a rank recorded. Weights are those that its optimizers update, by name: shapes, and digests before the first update and at the
    end; `norms` of all gradients that an optimizer is given, by optimizer and step."""

    watch: Watch

    @cached_property
    def known(self) -> dict[str, dict[str, Any]]:
        """What is known of each parameter of a network that was seen, as it was then."""
        found: dict[str, dict[str, Any]] = {}
        for network in self.watch.facts("network"):
            for one in network.get("parameters") or ():
                found.setdefault(str(one.get("name")), one)
        return found

    @cached_property
    def shapes(self) -> dict[str, Any]:
        names = [str(name) for fact in self.watch.facts("optimizer") for name in fact.get("parameters") or ()]
        return {name: self.known.get(name, {}).get("shape") for name in names}

    @cached_property
    def loaded(self) -> dict[Any, Any]:
        """Digests of what was last loaded into parameters, by their ids."""
        found: dict[Any, Any] = {}
        for fact in self.watch.facts("taken"):
            found |= zip(fact.get("ids") or (), fact.get("digests") or (), strict=False)
        return found

    @cached_property
    def start(self) -> dict[str, Any]:
        held = {name: self.known.get(name, {}) for name in self.shapes}
        return {name: self.loaded.get(one.get("id"), one.get("digest")) for name, one in held.items()}

    @cached_property
    def end(self) -> dict[str, Any]:
        """Empty where the recording has no end."""
        held = self.watch.first("end").get("digests") or {}
        found: dict[str, Any] = {}
        for fact in self.watch.facts("optimizer"):
            names, digests = fact.get("parameters") or (), held.get(str(fact.get("number"))) or ()
            found |= zip(map(str, names), digests, strict=False)
        return found

    @cached_property
    def norms(self) -> dict[tuple[Any, Any], float]:
        found = {}
        for fact in self.watch.facts("gradients"):
            norms = fact.get("norms") or ()
            if norms and all(isinstance(one, (int, float)) for one in norms):
                found[fact.get("optimizer"), fact.get("step")] = math.hypot(*norms)
        return found

    @cached_property
    def own(self) -> dict[tuple[Any, Any], float]:
        """The norms of the gradients as this rank's pass gave them, where an update takes those of one pass."""
        known = {(fact.get("optimizer"), fact.get("step")): fact.get("raw") for fact in self.watch.facts("gradients")}
        return {at: norm for at, norm in known.items() if isinstance(norm, (int, float)) and norm > 0}

    @cached_property
    def takes_means(self) -> bool:
        """Whether the losses that were looked at are the mean cross entropy of the rank's batch."""
        told = [(fact.get("own"), fact.get("loss")) for fact in self.watch.facts("outputs")]
        pairs = [(one, two) for one, two in told if isinstance(one, (int, float)) and isinstance(two, (int, float))]
        return len(pairs) >= _LEAST and all(math.isclose(one, two, rel_tol=_EQUAL) for one, two in pairs)

    @cached_property
    def losses(self) -> dict[int, float]:
        series = self.watch.run.series.get("loss")
        return {} if series is None else dict(zip(series.steps.tolist(), series.values.tolist(), strict=True))

    @cached_property
    def samples(self) -> set[str | int]:
        return {one for _, batch in self.watch.run.samples for one in batch}


@dataclass(frozen=True)
class _Ranks:
    all: list[_Rank]
    near: float

    @property
    def watch(self) -> Watch:
        return self.all[0].watch

    @cached_property
    def data(self) -> dict[str, Any]:
        return {"ranks": len(self.all), "weights": len(self.all[0].shapes), "steps": self.watch.steps}

    @cached_property
    def unlike(self) -> list[str]:
        """Weights that some rank does not train, or with another shape."""
        names = sorted({name for rank in self.all for name in rank.shapes})
        return [name for name in names if len({str(rank.shapes.get(name, "-")) for rank in self.all}) > 1]

    @cached_property
    def unseen(self) -> list[str]:
        """Weights whose values before the first update some rank did not record."""
        return [name for name in self.all[0].shapes if any(rank.start.get(name) is None for rank in self.all)]

    def differing(self, held: list[dict[str, Any]]) -> list[str]:
        return [name for name in self.all[0].shapes if len({one.get(name) for one in held}) > 1]

    @cached_property
    def apart_at_start(self) -> list[str]:
        return self.differing([rank.start for rank in self.all])

    @cached_property
    def apart_at_end(self) -> list[str] | None:
        """None where the ranks did not end after the same step, or not all weights were seen then."""
        seen = all(rank.end.keys() == rank.shapes.keys() for rank in self.all)
        ended = seen and len({rank.watch.steps for rank in self.all}) == 1
        return self.differing([rank.end for rank in self.all]) if ended else None

    @cached_property
    def moved(self) -> bool:
        """Whether the training changed any weight of the first rank."""
        first = self.all[0]
        return any(digest != first.start.get(name) for name, digest in first.end.items())

    @cached_property
    def same_gradients(self) -> bool | None:
        """Whether the ranks update with the same gradients; None where no step of all of them was looked at."""
        return self.alike([rank.norms for rank in self.all])

    @cached_property
    def same_losses(self) -> bool | None:
        return self.alike([rank.losses for rank in self.all])

    @cached_property
    def times(self) -> list[float]:
        """Of each step that was looked at: how many times the mean of the ranks' own norms the norm is of what they update with. At most 1
        of a mean; empty where a rank's own are not known."""
        first = self.all[0]
        common = set(first.norms).intersection(*(rank.own for rank in self.all))
        return [
            first.norms[at] * len(self.all) / sum(rank.own[at] for rank in self.all) for at in sorted(common, key=str)
        ]

    @cached_property
    def are_whole(self) -> bool:
        """Whether these are all ranks there are, by what the launcher told the first of them."""
        told = self.watch.first("start").get("variables") or {}
        sizes = {str(told[name]) for name in SIZES if name in told}
        return sizes <= {str(len(self.all))} and {rank.watch.rank for rank in self.all} == {*range(len(self.all))}

    @cached_property
    def optimizers(self) -> list[str]:
        return [str(fact.get("class")).rpartition(".")[2] for fact in self.watch.facts("optimizer")]

    @cached_property
    def own_samples(self) -> bool:
        """Whether no sample is seen by two ranks."""
        count = sum(len(rank.samples) for rank in self.all)
        together: set[str | int] = set().union(*(rank.samples for rank in self.all))
        return all(rank.samples for rank in self.all) and len(together) == count

    def alike(self, held: list[dict[Any, float]]) -> bool | None:
        common = set(held[0]).intersection(*held[1:])
        if not common:
            return None
        return all(abs(one[at] - held[0][at]) <= self.near * abs(held[0][at]) for one in held[1:] for at in common)

    def evidence(self) -> list[Evidence]:
        first = self.all[0]
        rows: list[list[Plain]] = []
        for rank in self.all[:64]:
            starts = sum(rank.start.get(name) == digest for name, digest in first.start.items())
            ends = sum(rank.end.get(name) == digest for name, digest in first.end.items())
            norm = next(iter(rank.norms.values()), None)
            rows.append([rank.watch.rank, next(iter(rank.losses.values()), None), norm, starts, ends])
        return [Table("ranks", ["rank", "first_loss", "norm", "start", "end"], rows, total=len(self.all))]


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watches = _watched.of_case(case, samples=True)
    yield Progress(1, 1, "files")
    trained = [_Rank(one) for one in watches if one.mode == watches[0].mode and one.facts("optimizer")]
    if len({one.watch.rank for one in trained}) < 2:
        raise Skip("one-rank")
    ranks = _Ranks(trained, params.near)
    where = ranks.watch.where()
    if ranks.unlike:
        data = ranks.data | {"name": ranks.unlike[0]}
        yield Finding("other-parts", Level.INFO, where, data, incomplete=True)
    elif ranks.unseen:
        data = ranks.data | {"unseen": len(ranks.unseen), "name": ranks.unseen[0]}
        yield Finding("not-seen", Level.INFO, where, data, incomplete=True)
    elif params.about == "start":
        yield _start(ranks, seeded_here=_seeded_here(watches))
    else:
        yield _gradients(ranks)
        yield from _sums(ranks, params.longer)


def _seeded_here(watches: list[Watch]) -> bool:
    """Whether seeds may be those of a watch that compares two modes."""
    return len({one.mode for one in watches}) > 1 and not any(one.facts("seed") for one in watches)


def _start(ranks: _Ranks, seeded_here: bool) -> Finding:
    where, apart = ranks.watch.where(ranks.watch.network_place()), ranks.apart_at_start
    if not apart:
        code = "start-by-watch" if seeded_here else "start-equal"
        return Finding(code, Level.INFO, where, ranks.data, ranks.evidence(), incomplete=seeded_here)
    data = ranks.data | {"differ": len(apart), "name": apart[0]}
    if ranks.apart_at_end == []:
        return Finding("equal-later", Level.INFO, where, data, ranks.evidence())
    together = ranks.same_gradients is True and ranks.same_losses is False
    if together:
        return Finding("start-differs", Level.PROBLEM, where, data, ranks.evidence(), Fix("fix-seed"), sure=Sure.LIKELY)
    return Finding("start-apart", Level.SUSPECT, where, data, ranks.evidence(), Fix("fix-seed"), sure=Sure.POSSIBLE)


def _sums(ranks: _Ranks, longer: float) -> Iterator[Finding]:
    """Whether the gradients of ranks that update with the same ones are added up."""
    times = ranks.times
    if not (ranks.same_gradients and ranks.are_whole and len(times) >= _LEAST and min(times) >= longer):
        return
    where = ranks.watch.where(ranks.watch.first("optimizer").get("place"))
    data = ranks.data | {"looked": len(times), "times": min(times), "optimizer": ", ".join(sorted({*ranks.optimizers}))}
    if ranks.all[0].takes_means and _PROPORTIONAL.issuperset(ranks.optimizers):
        yield Finding("summed", Level.SUSPECT, where, data, ranks.evidence(), Fix("fix-mean"), sure=Sure.POSSIBLE)
    else:
        yield Finding("summed-meant", Level.INFO, where, data, ranks.evidence())


def _gradients(ranks: _Ranks) -> Finding:
    where = ranks.watch.where(ranks.watch.first("optimizer").get("place"))
    data, evidence, apart = ranks.data, ranks.evidence(), ranks.apart_at_end
    if ranks.same_losses is not False:
        code = "same-batches" if ranks.same_losses else "losses-unseen"
        return Finding(code, Level.INFO, where, data, evidence, incomplete=True)
    refutes = [Refutes("gradient_aggregation", _UNREDUCED)]
    if apart == [] and ranks.moved:
        return Finding("together", Level.INFO, where, data, evidence, refutes=refutes)
    if ranks.same_gradients:
        steps = {step for _, step in ranks.all[0].norms}
        return Finding("reduced", Level.INFO, where, data | {"steps": len(steps)}, evidence, refutes=refutes)
    if apart is None and ranks.same_gradients is None:
        shown = ", ".join(str(rank.watch.steps) for rank in ranks.all[:8])
        return Finding("few-steps", Level.INFO, where, data | {"steps": shown}, evidence, incomplete=True)
    if ranks.apart_at_start or not apart:
        return Finding("not-comparable", Level.INFO, where, data, evidence, incomplete=True)
    if len(apart) < data["weights"]:
        data |= {"differ": len(apart), "name": apart[0]}
        return Finding("some-differ", Level.INFO, where, data, evidence, incomplete=True)
    if (
        ranks.own_samples
    ):  # unless each rank is meant to train a network of its own, such as a fold of a cross-validation
        return Finding("drift-apart", Level.PROBLEM, where, data, evidence, Fix("fix-reduce"), sure=Sure.LIKELY)
    return Finding("own-trainings", Level.SUSPECT, where, data, evidence, Fix("fix-reduce"), sure=Sure.POSSIBLE)


def _example(
    name: str,
    verdict: Verdict,
    code: str,
    *,
    about: str = "gradients",
    start: tuple[str, str] = ("a", "a"),
    end: tuple[str, str] = ("b", "b"),
    norms: tuple[float, float] = (1.0, 1.0),
    losses: tuple[float, float] = (2.0, 2.5),
    samples: tuple[int, int] = (0, 4),
    shapes: tuple[int, int] = (4, 4),
    steps: tuple[int, int] = (2, 2),
    other: str = "c",
    without: str = "",
    own: tuple[float, float] = (0.0, 0.0),
    optimizer: str = "Momentum",
) -> Example:
    """Two ranks with a weight that begins and ends with these digests, and a bias that ends with `other` on the second. `without`: what
    the second one did not record, "loss" or "digest". `own` are the norms of each rank's own gradients, where they are known."""
    files: dict[str, Any] = {}
    for rank in (0, 1):
        weight = {"name": "dense.weight", "shape": [shapes[rank], 2], "digest": start[rank]}
        if rank and without == "digest":
            del weight["digest"]
        bias = {"name": "dense.bias", "shape": [2], "digest": "z"}
        names = ["dense.weight", "dense.bias"]
        lines: list[dict[str, Any]] = [
            {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "rank": rank},
            {"fact": "network", "number": 0, "defined": ["net.py", 7], "parameters": [weight, bias]},
            {
                "fact": "optimizer",
                "number": 0,
                "class": f"mindspore.nn.optim.{optimizer}",
                "place": ["train.py", 12],
                "parameters": names,
            },
        ]
        for step in range(1, steps[rank] + 1):
            ids = [str(samples[rank] + one) for one in range(4)]
            at = 10 * rank + step if rank and len({*steps}) > 1 else step
            if own[rank]:
                lines.append({"fact": "outputs", "step": at, "own": losses[rank], "loss": losses[rank]})
            lines.append(
                {
                    "fact": "gradients",
                    "step": at,
                    "optimizer": 0,
                    "norms": [norms[rank], 0.0],
                    **({"raw": own[rank]} if own[rank] else {}),
                }
            )
            loss = {} if rank and without == "loss" else {"loss": losses[rank]}
            lines.append({"step": step, "epoch": 1, **loss, "seconds": 0.1, "samples": ids})
        lines.append({"fact": "end", "why": "exit", "digests": {"0": [end[rank], other if rank else "c"]}})
        label = "pynative" if not rank else f"pynative.rank{rank}"
        files[f"watch/{label}.jsonl"] = "".join(json.dumps(line) + "\n" for line in lines)
    return Example(
        name, files=files, case={"watched": "watch"}, params={"about": about}, verdict=verdict, codes=(code,)
    )


EXAMPLES = [
    _example("equal weights after steps on own batches", Verdict.OK, "together"),
    _example(
        "gradients that are added up", Verdict.UNDECIDED, "summed", norms=(1.9, 1.9), own=(1.0, 1.1), steps=(4, 4)
    ),
    _example("the mean of gradients", Verdict.OK, "together", norms=(1.0, 1.0), own=(1.0, 1.1), steps=(4, 4)),
    _example(
        "added up for Adam", Verdict.OK, "together", norms=(1.9, 1.9), own=(1.0, 1.1), steps=(4, 4), optimizer="Adam"
    ),
    _example("weights drift apart", Verdict.PROBLEM, "drift-apart", end=("b", "x"), norms=(1.0, 1.5), other="y"),
    _example(
        "ranks that may be trainings of their own",
        Verdict.UNDECIDED,
        "own-trainings",
        end=("b", "x"),
        norms=(1.0, 1.5),
        other="y",
        samples=(0, 0),
    ),
    _example("a part of the weights drifts", Verdict.UNDECIDED, "some-differ", end=("b", "x"), norms=(1.0, 1.5)),
    _example("one gradient for all", Verdict.OK, "reduced", start=("a", "q"), end=("b", "x")),
    _example(
        "other weights and gradients",
        Verdict.UNDECIDED,
        "not-comparable",
        start=("a", "q"),
        end=("b", "x"),
        norms=(1.0, 1.5),
    ),
    _example("the same batches everywhere", Verdict.UNDECIDED, "same-batches", losses=(2.0, 2.0)),
    _example("no losses to tell batches apart", Verdict.UNDECIDED, "losses-unseen", without="loss"),
    _example("a weight that was not seen", Verdict.UNDECIDED, "not-seen", without="digest"),
    _example("a start that was not seen", Verdict.UNDECIDED, "not-seen", about="start", without="digest"),
    _example("parts of a network", Verdict.UNDECIDED, "other-parts", shapes=(4, 2)),
    _example("ranks that ended at other steps", Verdict.UNDECIDED, "few-steps", steps=(2, 3)),
    _example("the same weights at the start", Verdict.OK, "start-equal", about="start"),
    _example(
        "other weights under one gradient",
        Verdict.PROBLEM,
        "start-differs",
        about="start",
        start=("a", "q"),
        end=("b", "x"),
    ),
    _example(
        "other weights and other gradients at the start",
        Verdict.UNDECIDED,
        "start-apart",
        about="start",
        start=("a", "q"),
        end=("b", "x"),
        norms=(1.0, 1.5),
    ),
    _example("weights that are made equal", Verdict.OK, "equal-later", about="start", start=("a", "q")),
]
