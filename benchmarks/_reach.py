"""Whether the entry scripts of a project can reach a line, told by imports and names alone, so that nobody has to read the project.

Says no only where no script can: its module is not imported, it stands under `if __name__ == "__main__"` of a module that is, or its
function or class is named by nothing that may run. Where a project imports by computed names, everything counts as reached.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

#: Names by which a project can import what no import statement tells.
_COMPUTED = {"import_module", "__import__", "exec", "eval", "globals"}
_CONFIGURATIONS = {".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".sh"}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def unreached(folder: Path, paths: Iterable[str], entries: Sequence[str], path: str, line: int) -> bool:
    """Whether no script of `entries` can reach a line of the module `path`; all relative to `folder`."""
    modules = dict(_parsed(folder, paths))
    if path not in modules or any(entry not in modules for entry in entries):
        return False
    reached = _imported(modules, entries)
    if any(_computes(modules[one]) for one in reached):
        return False
    if path not in reached:
        return True
    around = next((one for one in modules[path].body if one.lineno <= line <= (one.end_lineno or one.lineno)), None)
    if around is None or (path in entries and not isinstance(around, _DEFINITIONS)):
        return False
    if _only_as_script(around):
        return True
    if not isinstance(around, _DEFINITIONS) or any(_looks_up(modules[one], reached) for one in reached):
        return False
    return around not in _running({one: modules[one] for one in reached}, entries, _configured(folder))


def _running(modules: dict[str, ast.Module], entries: Sequence[str], given: set[str]) -> set[ast.stmt]:
    """The statements of modules that may run: what is no definition, and each definition that one of these or `given` names."""
    statements = [
        one
        for path, module in modules.items()
        for one in module.body
        if (path in entries or not _only_as_script(one)) and not _lists_names(one)
    ]
    definitions = [one for one in statements if isinstance(one, _DEFINITIONS)]
    waiting = [one for one in statements if not isinstance(one, _DEFINITIONS) or one.decorator_list]
    waiting += [one for one in definitions if one.name in given]
    running: set[ast.stmt] = set()
    while waiting:
        running.update(waiting)
        named = _names(waiting)
        waiting = [one for one in definitions if one.name in named and one not in running]
    return running


def _parsed(folder: Path, paths: Iterable[str]) -> Iterator[tuple[str, ast.Module]]:
    for path in paths:
        if path.endswith(".py"):
            try:
                yield path, ast.parse((folder / path).read_bytes())
            except (SyntaxError, ValueError):
                continue


def _imported(modules: dict[str, ast.Module], entries: Sequence[str]) -> set[str]:
    """The modules that the entries import, and what these import."""
    reached: set[str] = set()
    waiting = list(entries)
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            wanted = set(_wanted(modules[path]))
            waiting += [one for one in modules if any(_is(one, name) for name in wanted)]
    return reached


def _wanted(module: ast.Module) -> Iterator[str]:
    """Dotted names that a module may import, packages on the way included."""
    for node in ast.walk(module):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module or ''}.{name}".strip(".") for name in names]
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def _computes(module: ast.Module) -> bool:
    """Whether a module calls what can import or find a name that it does not write."""
    called = [node.func for node in ast.walk(module) if isinstance(node, ast.Call)]
    plain = {one.id for one in called if isinstance(one, ast.Name)}
    return bool(plain & _COMPUTED) or any(
        isinstance(one, ast.Attribute) and one.attr == "import_module" for one in called
    )


def _looks_up(module: ast.Module, paths: Iterable[str]) -> bool:
    """Whether a module looks into another of `paths` by a name that it does not write, so that any definition may be meant."""
    others = {bound for bound, name in _bound(module) if any(_is(path, name) for path in paths)}
    for node in ast.walk(module):
        match node:
            case (
                ast.Attribute(value=ast.Name(id=word), attr="__dict__")
                | ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id=word)])
                | ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=word), ast.expr(), *_])
            ) if word in others:
                return True
            case _:
                pass
    return False


def _bound(module: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that import statements bind, each with the dotted name of what it stands for."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import | ast.ImportFrom):
            package = f"{node.module or ''}." if isinstance(node, ast.ImportFrom) else ""
            yield from ((one.asname or one.name, (package + one.name).strip(".")) for one in node.names)


def _is(path: str, name: str) -> bool:
    """Whether a dotted name may mean a module: it may be relative, and the project may lie anywhere in sys.path."""
    pure = PurePosixPath(path).with_suffix("")
    dotted = ".".join(pure.parent.parts if pure.name == "__init__" else pure.parts)
    return f".{dotted}".endswith(f".{name}")


def _only_as_script(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in _names([statement.test])


def _configured(folder: Path) -> set[str]:
    """The words of configuration files and shell scripts, by which a project may pick a class or a function."""
    files = (path for path in folder.rglob("*") if path.suffix in _CONFIGURATIONS and path.is_file())
    return {word for path in files for word in re.findall(r"\w+", path.read_text("utf-8", "replace"))}


def _lists_names(statement: ast.stmt) -> bool:
    """Whether a statement sets `__all__`, which names what may be imported and runs nothing."""
    return isinstance(statement, ast.Assign) and "__all__" in _names(statement.targets)


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    """What is named: variables, attributes, words; imported under another name counts, an import alone does not."""
    found = set()
    for node in (each for one in nodes for each in ast.walk(one)):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
                found.add(word)
            case ast.alias(name=word, asname=str()):
                found.add(word.rpartition(".")[2])
            case _:
                pass
    return found
