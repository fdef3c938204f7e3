"""The text of a script -> its syntax tree, or an error that says what is wrong with it and where.

The parser survives any text, but not every text in reasonable time and memory, and on older Pythons not any depth of it:
what is beyond all that people or their generators write is refused before it is parsed.
"""

from __future__ import annotations

import ast
import gc
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import ParamSpec, TypeVar, cast

from ..errors import ReadError, UserError

_P = ParamSpec("_P")
_T = TypeVar("_T")

#: A text shorter than this cannot do harm, unless most of it is one line.
SMALL, LONG = 50_000, 2000
#: Operators, brackets, strings and line ends; 50,000 lines have about 220,000. A field of an f-string counts for four.
TOKENS = 650_000
#: Operators in a row, as in a + b + c or a.b.c; Python itself compiles no more. Fields of one f-string.
CHAIN, FIELDS = 3_000, 2_000

_TOKEN = re.compile(
    r"""(?sx)
    \#[^\n]*
    | \"\"\" [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* (?: \"\"\" | \Z )
    | ''' [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* (?: ''' | \Z )
    | " [^"\\\n]* (?: \\. [^"\\\n]* )* "?
    | ' [^'\\\n]* (?: \\. [^'\\\n]* )* '?
    | \\\n | \n | [^\w\s]
    """
)


def tokens(text: str, start: int = 0) -> Iterator[re.Match[str]]:
    """Comments, strings, line ends (with a backslash before them: continued lines) and operators, a character each."""
    return _TOKEN.finditer(text, start)


def parse(text: str, shown: str) -> ast.Module:
    """The tree. Raises ReadError: "script-syntax" when lines are wrong, "script-complex" when it is not even tried."""
    try:
        return tree_of(text, shown)
    except SyntaxError as error:
        line = max(1, error.lineno or 1)
        raise ReadError("script-syntax", path=shown, line=line, problem=_problem(error, text, line)) from None


def tree_of(text: str, shown: str) -> ast.Module:
    """The tree. Raises SyntaxError, and ReadError for what no parser should be given."""
    if "\0" in text:
        raise ReadError("script-nul", path=shown, line=text.count("\n", 0, text.index("\0")) + 1)
    _bounded(text, shown)
    try:
        with warnings.catch_warnings(), uncollected():
            warnings.simplefilter("ignore")  # invalid escapes in the user's code are not reported
            return ast.parse(text)
    except (RecursionError, MemoryError):
        raise ReadError("script-complex", path=shown, line=1) from None
    except UnicodeError:  # a lone surrogate, as JSON may hold
        raise SyntaxError("not a valid character", (shown, 1, 0, None)) from None
    except ValueError as error:
        raise SyntaxError(str(error), (shown, 1, 0, None)) from None


#: Fields that hold no nodes, or only contexts and operators; and lists that hold other things beside nodes.
_LEAVES = {"ctx", "op", "ops", "id", "attr", "arg", "name", "asname", "module", "level", "kind", "type_comment"}
_LEAVES |= {"conversion", "simple", "is_async", "rest"}
_MIXED = ("keys", "kw_defaults", "names", "kwd_attrs")


class _Branches(dict[type[ast.AST], tuple[str, ...]]):
    """The fields that hold the nodes below a node, by its class."""

    def __missing__(self, of: type[ast.AST]) -> tuple[str, ...]:
        self[of] = () if of is ast.Constant else tuple(name for name in of._fields if name not in _LEAVES)
        return self[of]


_BRANCHES = _Branches()


def children(node: ast.AST) -> list[ast.AST]:
    """As ast.iter_child_nodes, but without contexts and operators, and more than twice as fast."""
    found: list[ast.AST] = []
    for name in _BRANCHES[node.__class__]:
        part = getattr(node, name, None)
        if part.__class__ is list:
            found += [each for each in part if isinstance(each, ast.AST)] if name in _MIXED else part
        elif part is not None:
            found.append(part)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    """As ast.walk, in its order, over these children."""
    found = [node]
    for one in found:  # grows meanwhile; children() is written out here, for speed
        for name in _BRANCHES[one.__class__]:
            part = getattr(one, name, None)
            if part.__class__ is list:
                found += [each for each in part if isinstance(each, ast.AST)] if name in _MIXED else part
            elif part is not None:
                found.append(part)
    return found


#: What goes through what it is given, one after the other, and perhaps counts or shows how far it is.
THROUGH = frozenset(("enumerate", "iter", "list", "reversed", "tqdm", "track", "ProgressBar"))
_COUNTS = ("range", "trange")


def written_name(node: ast.expr) -> str:
    """The name that an expression gives a value: of a variable, an attribute, a key."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return str(node.slice.value) if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) else ""


def called_name(node: ast.expr) -> str:
    """The last word of what a call runs; "" for anything else."""
    func = node.func if isinstance(node, ast.Call) else None
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def counted(loop: ast.AST) -> ast.Call | None:
    """The range(...) that a for loop goes through; None for any other loop."""
    node = loop.iter if isinstance(loop, (ast.For, ast.AsyncFor)) else None
    while isinstance(node, ast.Call) and node.args and called_name(node) in THROUGH:
        node = node.args[0]
    return node if isinstance(node, ast.Call) and called_name(node) in _COUNTS else None


_KEPT: list[Callable[[], None]] = []


def kept(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """As functools.cache, for what is found out about pieces of code: until forget(), so that no code outlives its use."""
    cached = cache(function)
    _KEPT.append(cached.cache_clear)
    return cast("Callable[_P, _T]", cached)


@kept
def unparse(node: ast.AST) -> str:
    """As ast.unparse."""
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)


@kept
def _parents(function: ast.AST) -> dict[int, ast.AST]:
    return {id(child): parent for parent in walk(function) for child in children(parent)}


def ancestors(function: ast.AST, node: ast.AST) -> list[ast.AST]:
    """A node and what it stands in, innermost first, up to a function; empty when it does not stand there."""
    parents = _parents(function)
    if node is not function and id(node) not in parents:
        return []
    found = [node]
    while found[-1] is not function:
        found.append(parents[id(found[-1])])
    return found


def conditions_around(function: ast.AST, node: ast.AST) -> Iterator[ast.expr]:
    """The conditions of the if statements of a function that a node stands in, the outermost first."""
    return (part.test for part in reversed(ancestors(function, node)) if isinstance(part, ast.If))


def apart(function: ast.AST, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes of a function stand on different ways of one if statement, so that no run meets both without a loop: in its
    two blocks, or in one that leaves the function and behind the statement."""
    loops = any(isinstance(part, (ast.For, ast.While)) for part in walk(function))
    for branch in walk(function):
        if isinstance(branch, ast.If):
            ways = [_within(block) for block in (branch.body, branch.orelse)]
            leaving = [_within(block) for block in (branch.body, branch.orelse) if _leaves(block) and not loops]
            for first, second in ((one, other), (other, one)):
                if id(first) in ways[0] and id(second) in ways[1]:
                    return True
                if getattr(second, "lineno", 0) > (branch.end_lineno or 0) and any(id(first) in way for way in leaving):
                    return True
    return False


def _within(block: list[ast.stmt]) -> set[int]:
    return {id(part) for statement in block for part in walk(statement)}


def _leaves(block: list[ast.stmt]) -> bool:
    """Whether a block ends by leaving the function."""
    return bool(block) and isinstance(block[-1], (ast.Return, ast.Raise))


@kept
def stored(node: ast.AST) -> frozenset[str]:
    """The names that are given a value within."""
    return frozenset(part.id for part in walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))


def forget() -> None:
    """Let go of all that is kept."""
    for clear in _KEPT:
        clear()


@contextmanager
def uncollected() -> Iterator[None]:
    """Without garbage collection: a syntax tree has no cycles to collect, and looking for them takes as long as parsing."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def _is_small(text: str) -> bool:
    """Whether a text is too short to nest or chain deeply, and its lines too."""
    return len(text) < SMALL and max(map(len, text.split("\n"))) < LONG and text.count("\\\n") < CHAIN


def _bounded(text: str, shown: str) -> None:
    """Refuse what is nested or chained too deeply, or too long."""
    if _is_small(text):
        return
    chains, count = [0], 0
    for match in tokens(text):
        sign = match[0]
        count += 1
        if sign in "([{":
            chains[-1] += 1
            chains.append(0)
        elif sign in ")]}":
            if len(chains) > 1:
                chains.pop()
        elif sign == "\n":
            if len(chains) == 1:
                chains = [0]
        elif sign in ",;:=":
            chains[-1] = 0
        elif sign[0] in "\"'":
            prefix = text[max(0, match.start() - 2) : match.start()].lower()
            fields = sign.count("{") if "f" in prefix else 0
            count += 4 * fields
            if fields > FIELDS:
                chains[-1] = CHAIN + 1
        elif sign[0] not in "#\\":
            chains[-1] += 1
        if chains[-1] > CHAIN or count > TOKENS:
            raise ReadError("script-complex", path=shown, line=text.count("\n", 0, match.start()) + 1)


#: What is Python 2, where a line does not parse as Python 3.
_PYTHON2 = {
    "print": r"(^|[:;])\s*print\b\s*(?![\s(=.,)\]:;]|$)",
    "exec": r"(^|[:;])\s*exec\s+[\w\"']",
    "except": r"\bexcept\b[^:()]*,[^:()]*:|\bexcept\s*\([^)]*\)\s*,\s*\w+\s*:",
    "raise": r"\braise\s+[\w.]+\s*,",
    "``": r"^[^\"'#]*`[^`]*`",
    "<>": r"^[^\"'#]*<>",
    "0777, 1L": r"^[^\"'#]*(?<![\w.])(0\d+|\d+[lL]|0[xX][\da-fA-F]+[lL])\b",
    "ur''": r"\b[uU][rR][\"']",
    "def f((a, b))": r"\bdef\s+\w+\s*\(([^()=]*,)?\s*\(|\blambda\s*\(",
}


def _problem(error: SyntaxError, text: str, number: int) -> UserError:
    """What the parser says, and which: an older one does not know what a newer Python brought. Or what it comes from."""
    if isinstance(error, TabError):
        return UserError("problem-tabs")
    line = next(iter(text.split("\n")[number - 1 : number]), "")[:2000]
    for what, pattern in _PYTHON2.items():
        if re.search(pattern, line):
            return UserError("problem-python2", what=what)
    return UserError("problem-syntax", problem=error.msg, version=f"{sys.version_info[0]}.{sys.version_info[1]}")


def mentioned(node: ast.AST) -> Iterator[str]:
    """The names within a piece of code."""
    for part in walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
