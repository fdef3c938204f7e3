"""What static probes say about how much they saw: the network that the training step trains, and the data that feed it.

"No problem" and "not applicable" rest on that: where following stopped before all was seen, the probe stays undecided, and the
finding names the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..language import Words
from ..model import Finding, Level, Where

if TYPE_CHECKING:
    from ..script.analysis import Reading, Scripts
    from ..script.training_seen import FollowingStop, Network

#: So many networks, data sets and places where following stopped are told for each script.
MOST = 3
#: What says that everything was seen, and nothing else.
SEEN = ("network-seen", "parameters-seen", "network-published", "data-seen", "data-made", "data-own")
MESSAGES: Words = {
    "network-seen": {
        "en": "The training step trains {network}: {applied} of its {layers} {layers:layer|layers} with weights {applied:is|are} "
        "called in the code that was followed{idle:, 1 is not|, {idle} are not|}{parameters:; it also defines 1 parameter directly|; it "
        "also defines {parameters} parameters directly|}.",
        "zh": "训练步训练的网络是 {network}：其 {layers} 个带权重的层中，"
        "有 {applied} 个在已跟踪的代码中被调用{idle:，1 个没有被用到|，{idle} 个没有被用到|}"
        "{parameters:；另有 1 个直接定义的参数|；另有 {parameters} 个直接定义的参数|}。",
    },
    "parameters-seen": {
        "en": "The training step trains {network}, which defines {parameters} {parameters:parameter|parameters} directly and has no "
        "framework layer with weights.",
        "zh": "训练步训练的网络是 {network}：它自带 {parameters} 个参数，不含框架提供的带权重的层。",
    },
    "network-unseen": {
        "en": "The trained network could not be followed past {call}: its result is unknown and may contain any layer.",
        "zh": "对所训练网络的跟踪到 {call} 为止：其结果在此未知，可能包含任意的层。",
    },
    "network-published": {
        "en": "The trained network is one that {package} makes: {call}. What it computes is not examined here.",
        "zh": "所训练的网络由 {package} 创建：{call}。此处不检查它的内部计算。",
    },
    "network-partly": {
        "en": "Only {applied} of the {layers} layers with weights of {network}, which the training step trains, {applied:is|are} "
        "called in the code that was followed{idle:, and 1 is not used|, and {idle} are not used|}: how the others are used cannot "
        "be seen.",
        "zh": "训练步所训练的 {network} 有 {layers} 个带权重的层，在已跟踪的代码中只有 {applied} "
        "个被调用{idle:，1 个没有被用到|，{idle} 个没有被用到|}；"
        "其余各层如何使用看不出。",
    },
    "network-empty": {
        "en": "No layer with weights is seen in {network}, which the training step trains.",
        "zh": "在训练步所训练的 {network} 中没有看到带权重的层。",
    },
    "network-without-construct": {
        "en": "{network}, which the training step trains, has no construct: what it computes is not seen.",
        "zh": "训练步所训练的 {network} 没有 construct：看不出它计算什么。",
    },
    "step-unseen": {
        "en": "No training step is seen in {path}. Following stops at {call}, which may train.",
        "zh": "{path} 中没有看到训练步。跟踪到 {call} 为止，训练可能在其中进行。",
    },
    "no-step": {
        "en": "No training step was found in {path}.",
        "zh": "{path} 中没有看到训练步。",
    },
    "data-seen": {
        "en": "This {dataset} feeds the training.",
        "zh": "训练使用的数据集是这个 {dataset}。",
    },
    "data-unseen": {
        "en": "The training data could not be followed past {call}: which data set it returns is unknown.",
        "zh": "对训练数据的跟踪到 {call} 为止：它给出的是哪个数据集在此未知。",
    },
    "data-made": {
        "en": "No step is seen to read this {dataset}; its name and position suggest that it is built for training.",
        "zh": "没有看到读取这个 {dataset} 的训练步；从名称和所在位置看，它是为训练创建的。",
    },
    "data-own": {
        "en": "No data set of MindSpore feeds the training in {path}: the script makes its data itself.",
        "zh": "{path} 的训练不使用 MindSpore 的数据集：数据由脚本自行生成。",
    },
}


def nothing(code: str, readings: list[Reading], data: dict[str, Any] | None = None) -> Finding:
    """That something was not seen in these scripts. It is shown where following stopped, else at the training step."""
    from ..script.training_data import fed
    from ..script.training_seen import lost

    stops = [stop for reading in readings for stop in (lost(reading), *fed(reading).stops[:1]) if stop is not None]
    path = readings[0].source.path if readings else None
    where = (
        Where(path=stops[0].source.path, line=stops[0].line) if stops else Where(path=path, line=1 if path else None)
    )
    shown = [stop.source.code(stop.line) for stop in stops[:1]]
    return Finding(code, Level.INFO, where, data or {}, [*shown], incomplete=True)


def networks(scripts: Scripts, inside: bool = True) -> Iterator[Finding]:
    """The networks that the training steps use, or where following them stopped. Without `inside` only what is done with them matters:
    the network of a package whose trainer is known may then also be a copy in the project."""
    from ..script.training_seen import seen

    for reading in scripts.training:
        found = seen(reading)
        if not found.steps:
            yield _without_step(reading, found.stops)
        yield from _stops(reading, found.stops if found.steps else [], inside)
        for network in found.networks[:MOST]:
            yield from _network(reading, network, inside)
        if found.steps and not found.networks and not found.stops:
            where = Where(path=reading.source.path)
            yield Finding("network-empty", Level.INFO, where, {"network": reading.source.path}, incomplete=True)


def nothing_own(scripts: Scripts, said: Iterable[Finding]) -> bool:
    """Whether packages that are known by their description make all that is trained, as `networks` said, and nothing that the scripts make
    of their own computes."""
    from ..script.described import Described

    classes = {instance.of for reading in scripts.readings for instance in reading.trace.instances}
    own = [of for of in classes if not isinstance(of.source, Described)]
    return only_published(said) and not any(of.find(name) for of in own for name in ("construct", "forward"))


def of_layers_only(scripts: Scripts, said: Iterable[Finding]) -> bool:
    """Whether all that is trained are layers of the framework, alone or in its containers, and all of them were followed."""
    from ..script.training_seen import seen
    from ..script.values import Call

    networks = [network.value for reading in scripts.training for network in seen(reading).networks]
    followed = {finding.code for finding in said} == {"network-seen"}
    return followed and bool(networks) and all(isinstance(network, Call) for network in networks)


def only_published(said: Iterable[Finding]) -> bool:
    """Whether nothing but networks of such packages was told."""
    return {finding.code for finding in said} == {"network-published"}


def data(scripts: Scripts) -> Iterator[Finding]:
    """The data sets that feed the training, or where following them stopped."""
    from ..script.training_data import fed

    for reading in scripts.training:
        found = fed(reading)
        for made in found.sets[:MOST]:
            yield Finding("data-seen", Level.INFO, Where(path=made.source.path, line=made.line), {"dataset": made.last})
        for stop in found.stops[:MOST]:
            yield _stopped("data-unseen", stop)
        if not found.fed and not found.stops:
            yield from _unfed(reading)


def _unfed(reading: Reading) -> Iterator[Finding]:
    """What there is to say of a script whose training is not seen to get any data."""
    from ..script.training_data import made
    from ..script.training_seen import seen

    training, path = seen(reading), reading.source.path
    sets = made(reading)
    if not training.steps and (training.stops or not sets):
        yield _without_step(reading, training.stops)
    elif not sets:
        yield Finding("data-own", Level.INFO, Where(path=path), {"path": path})
    for one in sets[:MOST] if training.steps or not training.stops else ():
        yield Finding("data-made", Level.INFO, Where(path=one.source.path, line=one.line), {"dataset": one.last})


def _without_step(reading: Reading, stops: list[FollowingStop]) -> Finding:
    path = reading.source.path
    if not stops:
        return Finding("no-step", Level.INFO, Where(path=path, line=1), {"path": path}, incomplete=True)
    stop = stops[0]
    where = Where(path=stop.source.path, line=stop.line)
    return Finding(
        "step-unseen",
        Level.INFO,
        where,
        {"path": path, "call": stop.text},
        [stop.source.code(stop.line)],
        incomplete=True,
    )


def _network(reading: Reading, network: Network, inside: bool) -> Iterator[Finding]:
    where = Where(path=network.source.path, line=network.line)
    data = {
        "network": network.name,
        "layers": len(network.layers),
        "applied": len(network.applied),
        "idle": len(network.idle),
        "parameters": network.parameters,
    }
    stops = list(_stops(reading, network.stops, inside))
    yield from stops
    if any(stop.incomplete for stop in stops):
        return
    if network.without_construct:
        yield Finding("network-without-construct", Level.INFO, where, data, incomplete=True)
    elif network.followed:
        yield Finding("network-seen" if network.layers else "parameters-seen", Level.INFO, where, data)
    elif network.layers or not stops:
        yield Finding("network-partly" if network.layers else "network-empty", Level.INFO, where, data, incomplete=True)


def _stops(reading: Reading, stops: list[FollowingStop], inside: bool) -> Iterator[Finding]:
    """The places where following stopped: first those at which anything may be, then those where a package that is known by its
    description makes a network."""
    known = [stop for stop in stops if _is_published(reading, stop, inside)]
    for stop in [stop for stop in stops if stop not in known][:MOST]:
        yield _stopped("network-unseen", stop)
    for stop in known[:MOST]:
        where = Where(path=stop.source.path, line=stop.line)
        yield Finding("network-published", Level.INFO, where, {"package": stop.package, "call": stop.text})


def _is_published(reading: Reading, stop: FollowingStop, inside: bool) -> bool:
    return bool(stop.package) and (not inside or reading.project.publishes(stop.package, stop.source))


def _stopped(code: str, stop: FollowingStop) -> Finding:
    where = Where(path=stop.source.path, line=stop.line)
    return Finding(code, Level.INFO, where, {"call": stop.text}, [stop.source.code(stop.line)], incomplete=True)
