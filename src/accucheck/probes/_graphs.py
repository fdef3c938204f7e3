"""What the probes of graph files share: reading graphs.path, which nodes are of the forward pass, and IR dumps for their examples."""

from __future__ import annotations

import re
from collections.abc import Container, Generator, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Language, Level, Progress, Where
from ._checkpoints import field

if TYPE_CHECKING:
    from ..readers.graphs import Graph, Node

MESSAGES: Words = {
    "partial": {
        "en": "Some graphs are incomplete ({names}; {count:,} in all): a function that is called is not in the file, or the graph was "
        "cut into parts. MindIR holds all functions.",
        "zh": "有 {count:,} 个图不完整（{names}）：文件中缺少被调用的子图，或图已被切分。MindIR 文件包含全部子图。",
    },
    "unreadable": {"en": "This could not be examined. {problem}", "zh": "此项未能检查。{problem}"},
    "no-graphs": {
        "en": "There is no graph in {path}. Readable here: ms_output_*.pb, *.mindir, and Summary files with a graph.",
        "zh": "{path} 中没有计算图。可读取：ms_output_*.pb、*.mindir，以及含计算图的 Summary 文件。",
    },
}

#: Operations that hand one tensor on as it is; the others among their inputs only settle the order.
HANDS_ON = frozenset({"Load", "Depend", "TensorMove", "Identity"})
#: Operations without a layer's meaning.
PLUMBING = HANDS_ON | {
    "UpdateState",
    "MakeTuple",
    "TupleGetItem",
    "Return",
    "Constant",
    "MakeList",
    "Partial",
    "call",
    "",
}
#: A longer chain of these is not followed.
_LONGEST = 64
#: Updates by an optimizer.
UPDATE = re.compile(
    r"(Fused\w*|Sparse)?(Apply(KerasMomentum|Momentum|Ftrl|Ada|RMSProp|CenteredRMSProp|GradientDescent|Proximal|PowerSign|AddSign|Came)\w*"
    r"|Adam\w*|LazyAdam|Lamb|SGD|Momentum|Ftrl\w*|ProximalAdagrad)"
)
ASSIGN = re.compile(r"Assign(Add|Sub)?|InplaceCopy")
#: Scopes that are not part of the forward pass.
_BACKWARD = re.compile(r"(Gradients|recompute)|(^|/)optimizer-", re.I)


def read(case: Case) -> Generator[Progress, None, tuple[list[Graph], list[ReadError]]]:
    """The graphs of graphs.path, and what of it could not be read. Raises ReadError when it is one file that cannot be read."""
    from ..readers import graphs as reader

    place = case.paths("graphs.path")[0]
    problems: list[ReadError] = []
    files = list(reader.files(place, problems.append))
    found: list[Graph] = []
    for done, path in enumerate(files, start=1):
        try:
            if path == place or reader.format_of(path) or path.suffix in (".pb", ".mindir"):
                for graph in reader.graphs(path):
                    found.append(graph)
        except ReadError as error:
            if error.code != "empty" or path == place:
                problems.append(error)
        yield Progress(done, len(files), "files")
    return found, problems


def unreadable(case: Case, problems: list[ReadError]) -> Iterator[Finding]:
    """That these could not be read, in the words of MESSAGES."""
    for problem in problems:
        words = {language.value: problem.text(language) for language in Language}
        where = Where(case.relative(problem.data["path"]))
        yield Finding("unreadable", Level.INFO, where, {"problem": words}, incomplete=True)


def parameter(name: str, nodes: Mapping[str, Node], parameters: Container[str]) -> str | None:
    """The parameter that a name is, handed on as it is or not at all."""
    for _ in range(_LONGEST):
        if name in parameters:
            return name
        node = nodes.get(name)
        if node is None or node.op not in HANDS_ON or not node.inputs:
            return None
        name = node.inputs[0]
    return None


def plain(name: str) -> str:
    """The name of a parameter without the mark of a graph that was cut into parts."""
    return name.removeprefix("▸")


def apart(node: Node) -> bool:
    """Whether a node is not part of the forward pass, or only hands values on."""
    return _is_apart(node.op, node.scope)


@lru_cache(maxsize=1 << 16)
def _is_apart(op: str, scope: str) -> bool:
    """Kept: a large graph asks the same of a million operations in some hundred layers."""
    return bool(op in PLUMBING or UPDATE.fullmatch(op) or ASSIGN.fullmatch(op) or _BACKWARD.search(scope))


def ir(nodes: list[tuple[str, str, list[str]]], weights: list[str]) -> bytes:
    """An IR dump for the examples: operations (scope, op, inputs), each named by its number; the last one is the output."""
    graph = b""
    for number, (scope, op, inputs) in enumerate(nodes, start=1):
        ends = b"".join(field(1, field(1, name) + b"\x10\x00") for name in inputs)
        graph += field(1, ends + field(2, str(number)) + field(3, op) + field(4, scope))
    graph += field(2, "train_step")
    tensor = b"\x08\x0b" + field(2, field(1, b"\x08\x04") + field(1, b"\x08\x04"))
    graph += b"".join(field(3, field(1, name) + field(2, b"\x08\x0e" + field(2, tensor))) for name in ["x", *weights])
    return b"\x08\x01" + field(4, graph + field(4, field(1, str(len(nodes)))))
