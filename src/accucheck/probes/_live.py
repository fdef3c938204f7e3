"""What the live probes share: the functions of a case, the pipeline as evidence, and which columns are labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from ..case import Call, Case, Phase
from ..errors import UserError
from ..language import Words
from ..model import Finding, Level, Plain, Progress, Table, Where
from ..probe import Skip

_Params = TypeVar("_Params")
_Run = Callable[[Case, _Params], Iterator[Finding | Progress]]

#: A parameter of the probes that train a few steps.
Seconds = Annotated[float, Meta(gt=0, description="time for these steps", extra={"unit": "s", "source": "own choice"})]

WORDS: Words = {
    "pipeline": {"en": "The pipeline, from its end to its source", "zh": "数据管道（从末端到数据源）"},
    "node": {"en": "node", "zh": "节点"},
    "settings": {"en": "settings", "zh": "设置"},
}
ROLES = {
    "train": {"en": "training", "zh": "训练"},
    "eval": {"en": "evaluation", "zh": "评估"},
    "infer": {"en": "inference", "zh": "推理"},
}
#: The same, at the beginning of a sentence.
TITLES = {role: {"en": names["en"].capitalize(), "zh": names["zh"]} for role, names in ROLES.items()}
NO_SAMPLES: Words = {
    "no-samples": {
        "en": "The pipeline yielded no sample, or stopped yielding any, within {seconds:g} s.",
        "zh": "数据管道在 {seconds:g} 秒内没有输出样本，或中途停止输出。",
    },
}


#: Of the probes that need more of a phase than its network.
LACKS: Words = {
    "phase-lacks": {
        "en": "The phase {phase} was not examined: it has no {keys}.",
        "zh": "阶段 {phase} 未检查：没有给出 {keys}。",
    },
}


def pipeline_of(case: Case, role: str) -> dict[str, Any] | None:
    """The function of a role and its arguments, as the child wants them."""
    return _call(getattr(case.spec.pipelines, role))


def _call(call: Call | None) -> dict[str, Any] | None:
    return None if call is None else {"call": call.call, "args": call.args}


def phases_of(case: Case, *, pipeline: bool = True) -> list[tuple[str, Case]]:
    """Each phase of the training with the case as it is in that phase; one without a name where there are none.

    Raises Skip for a phase that has no network, or no pipeline where one is asked for, of its own or of the whole.
    """
    if not case.spec.phases:
        return [("", case)]
    return [(name, _in_phase(case, name, phase, pipeline)) for name, phase in case.spec.phases.items()]


def _in_phase(case: Case, name: str, phase: Phase, pipelined: bool) -> Case:
    spec, replaced = case.spec, msgspec.structs.replace
    pipeline, network = phase.pipeline or spec.pipelines.train, phase.network or spec.network
    needs: list[tuple[Call | None, str]] = [(network, f"phases.{name}.network | network")]
    if pipelined:
        needs.insert(0, (pipeline, f"phases.{name}.pipeline | pipelines.train"))
    if lacking := [keys for value, keys in needs if value is None]:
        raise Skip("missing-input", keys=lacking, first=lacking[0].partition(" ")[0])
    own = replaced(
        spec,
        network=network,
        loss=phase.loss if phase.network else phase.loss or spec.loss,
        optimizer=phase.optimizer or spec.optimizer,
        pipelines=replaced(spec.pipelines, train=pipeline),
        design=replaced(spec.design, frozen=[*spec.design.frozen, *phase.frozen]),
    )
    return replaced(case, spec=own)


def needs(*keys: str) -> tuple[str | tuple[str, ...], ...]:
    """NEEDS of a probe that runs what these keys name, or each phase of the case."""
    return tuple((key, "phases") for key in keys)


def by_phase(*also: str, pipeline: bool = True) -> Callable[[_Run[_Params]], _Run[_Params]]:
    """Runs a probe on each phase of the case, whose name is the field of the findings; once where there are none, and once for phases
    that are the same to it. `also`: what a phase must have beside network and pipeline, of "loss" and "optimizer"; one without it is
    told (LACKS). Without `pipeline` only the network counts."""

    def decorated(run: _Run[_Params]) -> _Run[_Params]:
        @wraps(run)
        def each(case: Case, params: _Params) -> Iterator[Finding | Progress]:
            alike: dict[bytes, tuple[list[str], Case]] = {}
            for name, phase in phases_of(case, pipeline=pipeline):
                if name and (lacking := [key for key in also if getattr(phase.spec, key) is None]):
                    data: dict[str, Any] = {"phase": name, "keys": [f"phases.{name}.{key}" for key in lacking]}
                    yield Finding("phase-lacks", Level.INFO, Where(field=name), data, incomplete=True)
                    continue
                what = network_of(phase) if pipeline else phase.spec.network
                alike.setdefault(msgspec.json.encode(what), ([], phase))[0].append(name)
            for names, phase in alike.values():
                for event in run(phase, params):
                    yield in_field(event, ", ".join(names))

        return each

    return decorated


def in_field(event: Finding | Progress, name: str) -> Finding | Progress:
    """A finding with the phase that it is of, where there is one; anything else as it is."""
    if not name or not isinstance(event, Finding):
        return event
    replaced = msgspec.structs.replace
    return replaced(event, where=replaced(event.where, field=name))


def checkpoint_of(case: Case) -> Path | None:
    """The current checkpoint, where the case names one. Raises UserError when it is not a file."""
    for path in case.paths("checkpoints.current"):
        if not path.is_file():
            raise UserError("is-directory" if path.is_dir() else "not-found", path=str(path))
        return path
    return None


def network_of(case: Case, checkpoint: Path | None = None) -> dict[str, Any]:
    """What inside/network.py makes a Setup of: the functions of network, loss, optimizer and training pipeline; and what to load."""
    spec = case.spec
    calls = {"network": spec.network, "loss": spec.loss, "optimizer": spec.optimizer, "pipeline": spec.pipelines.train}
    request: dict[str, Any] = {name: _call(call) for name, call in calls.items()}
    fed = {"network": spec.network, "loss": spec.loss}
    request["inputs"] = {name: call.inputs for name, call in fed.items() if call is not None}
    loaded = str(checkpoint) if checkpoint else None
    # What a phase keeps is not trained in it; where there are none, design.frozen only says what is to be judged.
    request["kept"] = spec.design.frozen if spec.phases else []
    return {**request, "device": spec.runtime.device, "label": spec.data.train.label, "checkpoint": loaded}


def nodes_table(nodes: list[dict[str, Any]]) -> Table:
    rows: list[list[Plain]] = []
    for entry in nodes:
        told = {key: value for key, value in entry.items() if key not in ("node", "depth")}
        shown = ", ".join(f"{key}={value}" for key, value in told.items())
        rows.append(["  " * entry["depth"] + entry["node"], shown])
    return Table("pipeline", ["node", "settings"], rows)
