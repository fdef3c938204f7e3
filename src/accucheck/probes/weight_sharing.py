"""Tells which weights are one and the same from what a training leaves behind: checkpoints and graphs, against design.shared.

Checkpoints: weights that are declared to be one and are not equal; weights that are equal bit by bit after training and not declared.
Graphs (IR dumps, MindIR, Summary): declared weights that are two Parameters; a list of the weights that several operations of the
forward pass use. Cannot tell: what is meant where design.shared is silent. MindSpore saves a shared Parameter once, under its first
name, so a checkpoint alone does not show sharing; constant tensors, integers and moving statistics are not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, Skip
from . import _checkpoints, _graphs
from ._checkpoints import DIFFERENCE, ROLES, STATISTICS, Threads, ckpt, difference, drawn, given, shape, shown, table
from ._graphs import apart, ir, parameter, plain

if TYPE_CHECKING:
    from ..readers.graphs import Graph
    from ..readers.tensors import TensorInfo

KIND = Kind.FILE
#: The checkpoints that are examined, and whether each is of the time after some training.
TRAINED = {"initial": False, "previous": True, "current": True}
NEEDS: tuple[str | tuple[str, ...], ...] = (("graphs.path", *(f"checkpoints.{role}" for role in TRAINED)),)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    known: Annotated[
        tuple[str, ...],
        Meta(
            description="patterns (* and ?, any case) of names of tensors that are computed, not trained, and may well be equal",
            extra={"unit": "names", "source": "tables and masks of Swin, ViT, LLaMA and detection heads"},
        ),
    ] = (
        *("*mask", "*index", "*anchor*", "*grid*", "*inv_freq*", "*freqs*", "*cos", "*sin", "*_cached", "*pos_embed*"),
        *("*pe", "*filt", "*kernel_1d", "*blur.kernel"),
    )
    threads: Threads = 2


MESSAGES: Words = {
    **_graphs.MESSAGES,
    "declared-apart": {
        "en": "design.shared declares {names} to be one, but in the {role_name} checkpoint they are different tensors.",
        "zh": "design.shared 声明 {names} 共享权重，但在{role_name} checkpoint 中它们是不同的张量。",
    },
    "declared-two": {
        "en": "design.shared declares {names} to be one, but the graph {path} has them as {count:,} Parameters.",
        "zh": "design.shared 声明 {names} 共享权重，但在计算图 {path} 中它们是 {count:,} 个不同的 Parameter。",
    },
    "declared-equal": {
        "en": "{names} are equal bit by bit in the {role_name} checkpoint, as design.shared declares.",
        "zh": "{names} 在{role_name} checkpoint 中逐位相同，与 design.shared 的声明一致。",
    },
    "declared-equal-at-start": {
        "en": "{names} are equal in the initial checkpoint, as design.shared declares, but copies would be equal too. A checkpoint "
        "after some training (checkpoints.current) would settle it.",
        "zh": "{names} 在初始 checkpoint 中相同，与 design.shared 的声明相符；但只拷贝初值时也是如此。"
        "请给出训练一段时间后的 checkpoint（checkpoints.current）以作判断。",
    },
    "declared-one": {
        "en": "Of the weights that design.shared declares to be one ({names}), {where} has only {present}: shared Parameters are "
        "stored once, under the first name.",
        "zh": "design.shared 声明共享的权重（{names}）中，{where} 只有 {present}：共享的 Parameter 只出现一次，使用最先的名称。",
    },
    "declared-used-once": {
        "en": "Of the weights that design.shared declares to be one ({names}), the graph {where} has only {present}, which one "
        "operation of the forward pass uses: {operation}. Whether the other place uses it cannot be seen here.",
        "zh": "design.shared 声明共享的权重（{names}）中，计算图 {where} 只有 {present}，且正向中只有一个算子使用它：{operation}。"
        "无法由此看出另一处是否在使用。",
    },
    "unmatched": {
        "en": "No weight in the files read has one of the names {names} from design.shared.",
        "zh": "在已读取的内容中，没有权重的名称与 design.shared 中的 {names} 匹配。",
    },
    "equal-undeclared": {
        "en": "{count:,} {count:group of weights|groups of weights} in the {role_name} checkpoint {count:is|are} "
        "equal bit by bit after training, and design.shared does not "
        "name them: {names}.",
        "zh": "{role_name} checkpoint 中有 {count:,} 组权重在训练后仍逐位相同，而 design.shared 没有声明：{names}。",
    },
    "equal-at-start": {
        "en": "{count:,} {count:group of weights starts|groups of weights start} from equal values: {names}. Copied "
        "layers do; after training they differ.",
        "zh": "有 {count:,} 组权重的初值相同：{names}。复制出来的层即是如此，训练之后就会不同。",
    },
    "several-uses": {
        "en": "{count:,} {count:weight is|weights are} used by several operations of the forward pass, and design.shared does not list "
        "{count:it|them}: {names}. Check that this is intended.",
        "zh": "有 {count:,} 个权重被多个正向算子使用，而 design.shared 没有声明：{names}。请确认是否有意共享。",
    },
    "nothing-shared": {
        "en": "No weight is used by more than one operation of the forward pass ({weights:,} {weights:weight|weights}).",
        "zh": "没有权重被多于一个的正向算子使用（共 {weights:,} 个权重）。",
    },
    "not-visible": {
        "en": "A checkpoint holds a shared Parameter once, so it does not show what is shared. Set graphs.path to a graph, or declare "
        "the intended sharing in design.shared.",
        "zh": "checkpoint 中共享的 Parameter 只保存一份，看不出哪些权重共享。请给出计算图（graphs.path），或在 design.shared 中写明设计。",
    },
    "not-compared": {
        "en": "{count:,} {count:tensor|tensors} of the {role_name} checkpoint could not be compared (quantised, "
        "sparse or of an unknown type): {names}.",
        "zh": "{role_name} checkpoint 中有 {count:,} 个张量无法比较（量化、稀疏或类型未知）：{names}。",
    },
    "examined": {
        "en": "Examined: {checkpoints:,} {checkpoints:checkpoint|checkpoints} with {weights:,} "
        "{weights:weight|weights}{graphs:, 1 graph|, {graphs:,} graphs|}.",
        "zh": "已检查 {checkpoints:,} 个 checkpoint（{weights:,} 个权重）{graphs:、1 个计算图|、{graphs:,} 个计算图|}。",
    },
    "fix-tie": {
        "en": "Use one Parameter in both places (head.weight = embedding.embedding_table); after set_data they are still two. Or "
        "correct design.shared.",
        "zh": "让两处持有同一个 Parameter（head.weight = embedding.embedding_table）；set_data 之后仍是两个。或修正 design.shared。",
    },
    "fix-declare": {
        "en": "List them in design.shared if this is intended. Otherwise check that each is trained, and that no layer was put into a "
        "list several times.",
        "zh": "若属有意共享，请写入 design.shared；否则请确认它们都得到训练，且没有把同一个层多次放进列表。",
    },
}
_APART = {
    "en": "Weights that should stay equal drift apart: there are more of them than designed, and each gets only part of the gradient.",
    "zh": "应保持相等的权重逐渐分开：参数量多于设计，每一份只得到部分梯度。",
}
WHY: Words = {
    "declared-apart": _APART,
    "declared-two": _APART,
    "equal-undeclared": {
        "en": "Either they are the same weight, and the network has fewer weights than it seems, or neither was trained.",
        "zh": "要么它们是同一份权重，网络的实际参数少于表面；要么它们都没有得到训练。",
    },
}
PROOF: Words = {
    code: {
        "en": "Build the network and compare the objects: net.a.weight is net.b.weight.",
        "zh": "构建网络后比较对象：net.a.weight is net.b.weight。",
    }
    for code in WHY
}
WORDS: Words = {
    **_checkpoints.WORDS,
    "apart": {"en": "How they differ from the first", "zh": "与第一个张量的差异"},
    "equal": {"en": "Equal weights", "zh": "相同的权重"},
    "uses": {"en": "Weights with several uses", "zh": "多处使用的权重"},
    "names": {"en": "Names", "zh": "名称"},
    "count": {"en": "Uses", "zh": "使用次数"},
    "operations": {"en": "Operations", "zh": "算子"},
    "graph": {"en": "Graph", "zh": "计算图"},
}

#: Elements of a tensor by which candidates are found.
_FIRST = 1 << 12


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError when nothing of what is given can be read."""
    problems: list[ReadError] = []
    unmatched = {tuple(group): True for group in case.spec.design.shared}
    checkpoints = weights = 0
    for role, path in given(case, TRAINED):
        try:
            weights += yield from _checkpoint(case, params, role, TRAINED[role], str(path), unmatched)
            checkpoints += 1
        except ReadError as error:
            problems.append(error)
    graphs: list[Graph] = []
    if case.get("graphs.path") is not None:
        try:
            graphs, unread = yield from _graphs.read(case)
            problems += unread
        except ReadError as error:
            problems.append(error)
    if not checkpoints and not graphs:
        if problems:
            raise problems[0]
        raise Skip("no-graphs", path=case.relative(case.paths("graphs.path")[0]))
    yield from _of_graphs(case, graphs, unmatched)
    for names in (names for names, absent in unmatched.items() if absent):
        yield Finding("unmatched", Level.SUSPECT, data={"names": list(names)})
    yield from _graphs.unreadable(case, problems)
    if not graphs and not unmatched:
        yield Finding("not-visible", Level.INFO, incomplete=True)
    yield Finding("examined", Level.INFO, data={"checkpoints": checkpoints, "weights": weights, "graphs": len(graphs)})


def suggest(findings: Iterable[Finding]) -> Verdict:
    """As usual, but not applicable where nothing is shared and nothing was to be."""
    found = list(findings)
    verdict = usual(found)
    nothing = any(finding.code == "nothing-shared" for finding in found)
    return Verdict.NOT_APPLICABLE if verdict is Verdict.OK and nothing else verdict


def fitting(wanted: Sequence[str], names: Iterable[str]) -> list[list[str]]:
    """For each name that is declared, with * and ?, those that it means: in full, or else the end of a longer one."""
    names = list(names)
    full = [[name for name in names if fnmatchcase(name, one)] for one in wanted]
    return [
        some or [name for name in names if fnmatchcase(name, "*." + one)]
        for one, some in zip(wanted, full, strict=True)
    ]


# --- checkpoints ------------------------------------------------------------------------------------------------------


def _checkpoint(
    case: Case, params: Params, role: str, trained: bool, path: str, unmatched: dict[tuple[str, ...], bool]
) -> Generator[Finding | Progress, None, int]:
    """The findings about one checkpoint; returns how many weights were looked at."""
    from ..readers.checkpoints import open_checkpoint

    checkpoint = open_checkpoint(path)
    where, common = Where(case.relative(path)), {"role_name": ROLES[role]}
    # Of parts that repeat a name, as those of several devices, the first.
    tensors = {info.name: info for info in reversed(checkpoint.weights)}
    named = {info.name: tensors[info.name] for info in checkpoint.weights}
    weights = {name: info for name, info in named.items() if info.floating and not STATISTICS.search(name)}
    for group in unmatched:
        names = _fitting_any(group, weights)
        if not names:
            continue
        unmatched[group] = False
        if len(names) == 1:
            data: dict[str, Any] = {"names": list(group), "present": names[0], "where": where.path}
            yield Finding("declared-one", Level.INFO, where, data)
        else:
            yield from _declared(where, common | {"names": shown(names)}, trained, [weights[name] for name in names])
    unread = [info for info in weights.values() if info.obstacle]
    if unread:
        data = common | {"count": len(unread), "names": shown(info.name for info in unread)}
        yield Finding("not-compared", Level.INFO, where, data, [*_checkpoints.obstacles(unread)], incomplete=True)
    groups = yield from _equal([info for info in weights.values() if not info.obstacle], params)
    declared = [set(_fitting_any(group, weights)) for group in unmatched]
    undeclared = [group for group in groups if not any({info.name for info in group} <= names for names in declared)]
    if undeclared:
        yield _equal_undeclared(where, common, trained, undeclared)
    return len(weights)


def _fitting_any(wanted: Sequence[str], names: Iterable[str]) -> list[str]:
    """The names that any of the declared ones means, each once."""
    return list(dict.fromkeys(name for some in fitting(wanted, names) for name in some))


def _equal_undeclared(where: Where, common: dict[str, Any], trained: bool, groups: list[list[TensorInfo]]) -> Finding:
    """Equal weights that nobody declared to be one; before the first step they may be so by their initializer."""
    joined = [" = ".join(shown(info.name for info in group)) for group in groups]
    data: dict[str, Any] = common | {"count": len(groups), "names": shown(joined)}
    rows: list[list[Plain]] = [
        [", ".join(info.name for info in group[:20]), shape(group[0]), group[0].dtype] for group in groups
    ]
    evidence = [table("equal", ["names", "shape", "dtype"], rows)]
    place = Where(where.path, name=groups[0][0].name)
    if trained:
        return Finding("equal-undeclared", Level.SUSPECT, place, data, list(evidence), Fix("fix-declare"))
    return Finding("equal-at-start", Level.INFO, place, data, list(evidence))


def _is_one_storage(group: list[TensorInfo]) -> bool:
    """Whether tensors are names of one storage, as a checkpoint of torch keeps them."""
    return len({(info.path, info.extents, info.strides) for info in group}) == 1


def _declared(where: Where, data: dict[str, Any], trained: bool, group: list[TensorInfo]) -> Iterator[Finding]:
    """Whether tensors that are declared to be one are equal."""
    from ..readers.tensor_comparison import compare

    first, *others = group
    same = [info for info in others if info.shape == first.shape and not (info.obstacle or first.obstacle)]
    found = list(compare([(info, first) for info in same]))
    rows: list[list[Plain]] = [difference(*row) for row in found if not row[2].identical]
    rows += [[info.name, shape(info), info.dtype, *[None] * 6] for info in others if info.shape != first.shape]
    if rows:
        evidence = [table("apart", DIFFERENCE, rows)]
        place = Where(where.path, name=first.name)
        yield Finding("declared-apart", Level.PROBLEM, place, data, list(evidence), Fix("fix-tie"))
    elif len(same) == len(others):
        if trained or _is_one_storage(group):
            yield Finding("declared-equal", Level.INFO, where, data)
        else:
            yield Finding("declared-equal-at-start", Level.INFO, where, data, incomplete=True)


def _equal(tensors: list[TensorInfo], params: Params) -> Generator[Progress, None, list[list[TensorInfo]]]:
    """The groups of tensors of one type and shape that are equal bit by bit and not constant, in their order.

    The first elements settle almost all; only tensors that agree there are read whole.
    """
    from concurrent.futures import ThreadPoolExecutor

    def grouped(infos: list[TensorInfo], keys: Iterable[Any]) -> list[list[TensorInfo]]:
        groups: dict[Any, list[TensorInfo]] = {}
        for info, key in zip(infos, keys, strict=True):
            if key is not None:
                groups.setdefault((info.dtype, info.shape, key), []).append(info)
        return [group for group in groups.values() if len(group) > 1]

    tensors = [
        info
        for info in tensors
        if info.size > 1 and not any(fnmatchcase(info.name.lower(), pattern.lower()) for pattern in params.known)
    ]
    alike = Counter((info.dtype, info.shape) for info in tensors)
    tensors = [info for info in tensors if alike[info.dtype, info.shape] > 1]
    with ThreadPoolExecutor(params.threads) as pool:
        try:
            firsts = grouped(tensors, pool.map(_first, tensors))
            candidates = [info for group in firsts for info in group]
            digests = []
            yield Progress(0, len(candidates), "tensors")
            for digest in pool.map(_digest, candidates):
                digests.append(digest)
                yield Progress(len(digests), len(candidates), "tensors")
        finally:
            pool.shutdown(cancel_futures=True)
    return grouped(candidates, digests)


def _first(info: TensorInfo) -> bytes:
    from ..readers.tensors import chunks

    return bytes(next(chunks(info, stop=_FIRST)).tobytes())


def _digest(info: TensorInfo) -> bytes | None:
    """Of all bits; None for a tensor that is one number everywhere."""
    from hashlib import blake2b

    from ..readers.tensors import chunks

    found = blake2b(digest_size=16)
    value, constant = None, True
    for part in chunks(info):
        value = part[0] if value is None else value
        constant = constant and bool((part == value).all())
        found.update(part.data)
    return None if constant else found.digest()


# --- graphs -----------------------------------------------------------------------------------------------------------


def _of_graphs(case: Case, graphs: list[Graph], unmatched: dict[tuple[str, ...], bool]) -> Iterator[Finding]:
    from ..readers.checkpoints import state_names

    told: set[tuple[str, tuple[str, ...]]] = set()
    shared: dict[str, tuple[str, list[str]]] = {}
    weights: set[str] = set()
    cut: list[str] = []
    for graph in graphs:
        uses = _uses(graph)
        states = state_names(uses)
        names = [name for name in uses if name not in states and "." in name]
        weights |= {name for name in names if uses[name]}
        where = Where(case.relative(graph.path))
        if not graph.whole:
            cut.append(where.path or "")
        declared: set[str] = set()
        for group in unmatched:
            found = list(dict.fromkeys(name for some in fitting(group, names) for name in some))
            declared.update(found)
            if found:
                unmatched[group] = False
                for finding in _declared_in(where, group, found, uses):
                    # One training leaves many graphs, which say the same.
                    if (finding.code, group) not in told:
                        told.add((finding.code, group))
                        yield finding
        for name in names:
            if name not in declared and _several(uses[name]):
                shared.setdefault(name, (where.path or "", [f"{scope}/{op}" for scope, op in uses[name]]))
    if shared:
        data = {"count": len(shared), "names": shown(shared)}
        rows: list[list[Plain]] = [
            [name, len(operations), ", ".join(operations[:20]), path] for name, (path, operations) in shared.items()
        ]
        evidence = [table("uses", ["name", "count", "operations", "graph"], rows)]
        yield Finding("several-uses", Level.INFO, Where(name=next(iter(shared))), data, list(evidence), incomplete=True)
    elif graphs and weights and not cut and not unmatched:
        yield Finding("nothing-shared", Level.INFO, data={"weights": len(weights)})
    if cut:
        data = {"names": shown(sorted(set(cut))), "count": len(set(cut))}
        yield Finding("partial", Level.INFO, data=data, incomplete=True)


def _uses(graph: Graph) -> dict[str, list[tuple[str, str]]]:
    """For each parameter the operations of the forward pass that use it, as (scope, operation)."""
    nodes = {node.name: node for node in graph.nodes}
    parameters = {parameter.name for parameter in graph.parameters}
    uses: dict[str, list[tuple[str, str]]] = {plain(parameter.name): [] for parameter in graph.parameters}
    for node in graph.nodes:
        if not apart(node):
            for name in dict.fromkeys(parameter(name, nodes, parameters) for name in node.inputs):
                if name is not None:
                    uses[plain(name)].append((node.scope.removeprefix("Default/"), node.op))
    return uses


def _several(uses: list[tuple[str, str]]) -> bool:
    """Whether layers share: one operation several times, or layers of which none stands within another."""
    if any(count > 1 for count in Counter(uses).values()):
        return True
    scopes = [f"{scope}/" for scope, _ in uses]
    return any(not (a.startswith(b) or b.startswith(a)) for a in scopes for b in scopes)


def _declared_in(
    where: Where, group: tuple[str, ...], found: list[str], uses: dict[str, list[tuple[str, str]]]
) -> Iterator[Finding]:
    """What a graph says of weights that are declared to be one."""
    if len(found) > 1:
        data: dict[str, Any] = {"names": shown(found), "count": len(found), "path": where.path}
        place = Where(where.path, name=found[0])
        yield Finding("declared-two", Level.PROBLEM, place, data, fix=Fix("fix-tie"))
        return
    (name,) = found
    data = {"names": list(group), "present": name, "where": where.path}
    if _several(uses[name]):
        yield Finding("declared-one", Level.INFO, where, data)
    elif uses[name]:
        data["operation"] = "/".join(uses[name][0])
        yield Finding("declared-used-once", Level.INFO, where, data, incomplete=True)


_TABLE = drawn(6, 4)


def _saved(
    name: str, tensors: dict[str, Any], verdict: Verdict, *codes: str, role: str = "current", declared: bool = True
) -> Example:
    weights = {"embedding.embedding_table": _TABLE, "fc.weight": drawn(4, 4), "fc.bias": ([4], [0.0] * 4)}
    case: dict[str, Any] = {"checkpoints": {role: "net.ckpt"}}
    if declared:
        case["design"] = {"shared": [["embedding.embedding_table", "head.weight"]]}
    return Example(name, files={"net.ckpt": ckpt(weights | tensors)}, case=case, verdict=verdict, codes=codes)


def _graph(name: str, head: str, verdict: Verdict, *codes: str, declared: bool = True) -> Example:
    weights = ["embedding.embedding_table", "head.weight"][: 1 + (head == "head.weight")]
    content = ir(
        [
            ("Default/net-Net/embedding-Embedding", "Load", ["embedding.embedding_table"]),
            ("Default/net-Net/embedding-Embedding", "Gather", ["1", "x"]),
            ("Default/net-Net/head-Dense", "MatMul", ["2", head]),
            ("Gradients/Default/net-Net/head-Dense/Grad_MatMul", "MatMul", ["3", head]),
        ],
        weights,
    )
    case: dict[str, Any] = {"graphs": {"path": "graphs"}}
    if declared:
        case["design"] = {"shared": [["embedding.embedding_table", "head.weight"]]}
    files: dict[str, Any] = {"graphs/ms_output_optimize.pb": content}
    return Example(name, files=files, case=case, verdict=verdict, codes=codes)


EXAMPLES = [
    _saved("a tied table, saved once", {}, Verdict.OK, "declared-one"),
    _saved("two names, equal after training", {"head.weight": _TABLE}, Verdict.OK, "declared-equal"),
    _saved(
        "declared to be one, and different", {"head.weight": drawn(6, 4, seed=1)}, Verdict.PROBLEM, "declared-apart"
    ),
    _saved(
        "equal at the start: copied, or one",
        {"head.weight": _TABLE},
        Verdict.UNDECIDED,
        "declared-equal-at-start",
        role="initial",
    ),
    _saved("equal and not declared", {"head.weight": _TABLE}, Verdict.UNDECIDED, "equal-undeclared", declared=False),
    _saved("nothing declared, nothing equal", {}, Verdict.UNDECIDED, "not-visible", declared=False),
    _graph("a graph in which both places use the table", "embedding.embedding_table", Verdict.OK, "declared-one"),
    _graph("a graph with two tables", "head.weight", Verdict.PROBLEM, "declared-two"),
    _graph(
        "one table in two places, not declared",
        "embedding.embedding_table",
        Verdict.UNDECIDED,
        "several-uses",
        declared=False,
    ),
    _graph("a graph without sharing", "head.weight", Verdict.NOT_APPLICABLE, "nothing-shared", declared=False),
]
