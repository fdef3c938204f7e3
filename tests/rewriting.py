"""Rewrites of scripts that change no number: names, places, spellings. What a rule finds must not depend on them.

Each rewrite takes the texts of a project's scripts by path, with that of the entry, and gives them rewritten; None where there is nothing
to rewrite, or where it would not be the same program.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count

import yaml

Texts = dict[str, str]
Rewrite = Callable[[Texts, str], "Texts | None"]
Function = (ast.FunctionDef, ast.AsyncFunctionDef)
Definition = (*Function, ast.ClassDef)
Import = (ast.Import, ast.ImportFrom)
BUILTINS = frozenset(dir(builtins))
#: Words of other languages, so that no name tells anything.
NEUTRAL = "zeko"


def _trees(texts: Texts) -> dict[str, ast.Module]:
    return {path: ast.parse(text) for path, text in texts.items()}


def _written(texts: Texts, trees: dict[str, ast.Module]) -> Texts | None:
    new = {path: ast.unparse(ast.fix_missing_locations(tree)) + "\n" for path, tree in trees.items()}
    unchanged = all(new[path].strip() == ast.unparse(ast.parse(text)).strip() for path, text in texts.items())
    return None if unchanged and new.keys() == texts.keys() else new


def _imported(tree: ast.AST) -> set[str]:
    """The names that imports bind."""
    names = (name for node in ast.walk(tree) if isinstance(node, Import) for name in node.names)
    return {(name.asname or name.name).split(".")[0] for name in names}


def _bound(tree: ast.AST) -> set[str]:
    """The names that this code binds, imports left out."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, Definition):
            names.add(node.name)
    return names


def _read(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


# --- names ----------------------------------------------------------------------------------------------------------------


class _Renamed(ast.NodeTransformer):
    """Other names for variables, parameters, functions and classes, wherever they stand."""

    def __init__(self, names: dict[str, str], own: set[str]) -> None:
        self.names, self.own = names, own

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        self.generic_visit(node)
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.name = self.names.get(node.name, node.name)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        node.name = self.names.get(node.name, node.name)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        self.generic_visit(node)
        if called in self.own:
            for keyword in node.keywords:
                keyword.arg = self.names.get(keyword.arg or "", keyword.arg)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        for name in node.names:
            name.name = self.names.get(name.name, name.name)
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        node.names = [self.names.get(name, name) for name in node.names]
        return node


def _methods(tree: ast.AST) -> set[str]:
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return {each.name for node in classes for each in ast.walk(node) if isinstance(each, Function)}


def _texts_within(trees: dict[str, ast.Module]) -> set[str]:
    """Every string of the scripts: a name that is looked up by one must stay."""
    nodes = (node for tree in trees.values() for node in ast.walk(tree))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def names_renamed(texts: Texts, entry: str) -> Texts | None:
    """Every variable, parameter, function and class gets a name without a meaning; methods and attributes keep theirs."""
    trees = _trees(texts)
    whole = ast.Module([node for tree in trees.values() for node in tree.body], [])
    own = {node.name for node in ast.walk(whole) if isinstance(node, Definition)} - _methods(whole)
    elsewhere = {
        keyword.arg or ""
        for node in ast.walk(whole)
        if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in own)
        for keyword in node.keywords
    }
    attributes = {node.attr for node in ast.walk(whole) if isinstance(node, ast.Attribute)}
    classes = (node for node in ast.walk(whole) if isinstance(node, ast.ClassDef))
    in_bodies = {
        name for node in classes for each in node.body if not isinstance(each, Function) for name in _bound(each)
    }
    modules = {path.rsplit("/", 1)[-1].removesuffix(".py") for path in texts}
    keep = (
        _methods(whole) | _imported_of_others(trees) | elsewhere | BUILTINS | _texts_within(trees) | in_bodies | modules
    )
    keep |= attributes & own
    numbers = count()
    names = {name: f"{NEUTRAL}{next(numbers)}" for name in sorted(_bound(whole) - keep - {"self", "_"})}
    for tree in trees.values():
        _Renamed(names, own).visit(tree)
    return _written(texts, trees)


def _imported_of_others(trees: dict[str, ast.Module]) -> set[str]:
    """Names that imports bind, but for those that the scripts import of one another."""
    own = {path.removesuffix(".py").replace("/", ".").removesuffix(".__init__") for path in trees}
    names: set[str] = set()
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "") in own):
                names |= {name.asname for name in node.names if name.asname}
            elif isinstance(node, Import):
                names |= {(name.asname or name.name).split(".")[0] for name in node.names}
    return names


class _Attributes(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = self.names.get(node.attr, node.attr)
        return node


def layers_renamed(texts: Texts, entry: str) -> Texts | None:
    """The attributes that own cells and data sets store get names without a meaning."""
    trees = _trees(texts)
    stored: set[str] = set()
    known: set[str] = set()
    for tree in trees.values():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                known |= {node.attr} if isinstance(node, ast.Attribute) and not _of_self(node) else set()
                continue
            attributes = {
                each.attr
                for each in ast.walk(node)
                if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and _of_self(each)
            }
            plain = all(_ends(base) in {"Cell", "object"} for base in node.bases)
            stored |= attributes if plain else set()
            known |= set() if plain else {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            known |= {each.name for each in node.body if isinstance(each, Function)}
    whole = _texts_within(trees)
    kept = {name for name in stored if any(name in text or _stem(name) == text for text in whole)}
    numbers = count()
    names = {name: f"{NEUTRAL}_{next(numbers)}" for name in sorted(stored - known - kept)}
    for tree in trees.values():
        _Attributes(names).visit(tree)
    return _written(texts, trees)


def _stem(name: str) -> str:
    """The part of a name that another one is made of with a number, as in getattr(self, f"layer{i}")."""
    return name.rstrip("0123456789")


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _ends(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


# --- places ---------------------------------------------------------------------------------------------------------------


def moved_to_a_module(texts: Texts, entry: str) -> Texts | None:
    """Functions and classes of the entry that need nothing but imports and one another stand in a module of their own."""
    trees = _trees(texts)
    tree = trees[entry]
    imports = [node for node in tree.body if isinstance(node, Import)]
    moved = {node.name: node for node in tree.body if isinstance(node, Definition)}
    known = _imported(ast.Module(imports, [])) | BUILTINS
    while bad := [name for name, node in moved.items() if _read(node) - _bound(node) - known - moved.keys()]:
        for name in bad:
            del moved[name]
    rebound = Counter(name for node in tree.body if node not in moved.values() for name in _bound(node))
    stays = any(not isinstance(node, Import) for node in tree.body if node not in moved.values())
    if (
        not moved
        or not stays
        or any(rebound[name] for name in moved)
        or "__file__" in {n for m in moved.values() for n in _read(m)}
    ):
        return None
    trees[entry].body = [
        *(node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"),
        ast.ImportFrom("parts_of_it", [ast.alias(name) for name in moved], 0),
        *(node for node in tree.body if node not in moved.values() and not _from_future(node)),
    ]
    folder = entry.rpartition("/")[0]
    trees[f"{folder}/parts_of_it.py" if folder else "parts_of_it.py"] = ast.Module([*imports, *moved.values()], [])
    return _written(texts, trees)


def _from_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def in_a_function(texts: Texts, entry: str) -> Texts | None:
    """What the entry runs stands in a function, called at the end."""
    trees = _trees(texts)
    tree = trees[entry]
    stays = [node for node in tree.body if isinstance(node, (*Import, *Definition))]
    runs = [node for node in tree.body if node not in stays]
    bound = _bound(ast.Module(runs, []))
    defined = {node.name for node in stays if isinstance(node, Definition)}
    if not runs or bound & defined or any(bound & _read(node) - _bound(node) for node in stays):
        return None
    if any(isinstance(node, ast.If) and "__name__" in _read(node.test) for node in runs):
        return None
    nothing = ast.arguments([], [], None, [], [], None, [])
    function = ast.FunctionDef("work", nothing, runs, [], None)
    tree.body = [*stays, function, *ast.parse("if __name__ == '__main__':\n    work()").body]
    return _written(texts, trees)


# --- spellings ------------------------------------------------------------------------------------------------------------


class _Reversed(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if all(keyword.arg for keyword in node.keywords):
            node.keywords.reverse()
        return node


def keywords_reversed(texts: Texts, entry: str) -> Texts | None:
    trees = _trees(texts)
    for tree in trees.values():
        _Reversed().visit(tree)
    return _written(texts, trees)


class _Direct(ast.NodeTransformer):
    """`nn.Dense` as `the_Dense`, for modules that this file imported from MindSpore."""

    def __init__(self, modules: dict[str, str]) -> None:
        self.modules, self.needed = modules, set[tuple[str, str]]()

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in self.modules and isinstance(node.ctx, ast.Load):
            self.needed.add((self.modules[node.value.id], node.attr))
            return ast.Name(f"the_{node.attr}", ast.Load())
        self.generic_visit(node)
        return node


def imported_directly(texts: Texts, entry: str) -> Texts | None:
    trees = _trees(texts)
    for tree in trees.values():
        modules = {
            name.asname or name.name: f"mindspore.{name.name}"
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.module == "mindspore"
            for name in node.names
            if name.name in {"nn", "ops"}
        }
        direct = _Direct(modules)
        direct.visit(tree)
        first = next(
            (at for at, node in enumerate(tree.body) if isinstance(node, Import) and not _from_future(node)), 0
        )
        tree.body[first:first] = [
            ast.ImportFrom(module, [ast.alias(name, f"the_{name}")], 0) for module, name in sorted(direct.needed)
        ]
    return _written(texts, trees)


class _Constants(ast.NodeTransformer):
    """Numbers that are given to a call are read from elsewhere."""

    def __init__(self, place: Callable[[str], ast.expr]) -> None:
        self.place, self.values = place, dict[str, int | float]()

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.args = [self._elsewhere(one) for one in node.args]
        for keyword in node.keywords:
            keyword.value = self._elsewhere(keyword.value)
        return node

    def _elsewhere(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
            return node
        key = f"c{len(self.values)}"
        self.values[key] = node.value
        return self.place(key)


def _opens(node: ast.stmt) -> bool:
    """An import, or a text that documents the module."""
    return isinstance(node, Import) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _put(
    texts: Texts, entry: str, place: str, made: Callable[[dict[str, int | float]], tuple[str, Texts]]
) -> Texts | None:
    trees = _trees(texts)
    tree = trees[entry]
    constants = _Constants(lambda key: ast.parse(place.format(key), mode="eval").body)
    constants.visit(tree)
    if not constants.values:
        return None
    text, files = made(constants.values)
    first = next((at for at, node in enumerate(tree.body) if not _opens(node)), len(tree.body))
    tree.body[first:first] = ast.parse(text).body
    written = _written(texts, trees)
    return None if written is None else {**written, **files}


def constants_in_a_dictionary(texts: Texts, entry: str) -> Texts | None:
    return _put(texts, entry, "VALUES['{}']", lambda values: (f"VALUES = {values!r}", {}))


def constants_in_a_class(texts: Texts, entry: str) -> Texts | None:
    def made(values: dict[str, int | float]) -> tuple[str, Texts]:
        body = "\n".join(f"    {key}: {type(value).__name__} = {value!r}" for key, value in values.items())
        return f"from dataclasses import dataclass\n@dataclass\nclass Values:\n{body}\nVALUES = Values()", {}

    return _put(texts, entry, "VALUES.{}", made)


def constants_in_yaml(texts: Texts, entry: str) -> Texts | None:
    def made(values: dict[str, int | float]) -> tuple[str, Texts]:
        text = yaml.safe_dump(values)  # 1e-06 as Python writes it would be read as a text
        load = "import os, yaml\nwith open(os.path.join(os.path.dirname(__file__), 'values.yaml')) as stream:\n"
        folder = entry.rpartition("/")[0]
        return f"{load}    VALUES = yaml.safe_load(stream)", {
            f"{folder}/values.yaml" if folder else "values.yaml": text
        }

    return _put(texts, entry, "VALUES['{}']", made)


def constants_as_options(texts: Texts, entry: str) -> Texts | None:
    def made(values: dict[str, int | float]) -> tuple[str, Texts]:
        lines = [f"PARSER.add_argument('--{k}', type={type(v).__name__}, default={v!r})" for k, v in values.items()]
        options = ["import argparse", "PARSER = argparse.ArgumentParser()", *lines, "VALUES = PARSER.parse_args()"]
        return "\n".join(options), {}

    return _put(texts, entry, "VALUES.{}", made)


class _Named(ast.NodeTransformer):
    """`a = f(g(x))` as `t = g(x); a = f(t)`, where nothing but calls is around what is named."""

    def __init__(self) -> None:
        self.numbers = count()

    def _apart(self, node: ast.stmt, value: ast.expr | None) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        if isinstance(value, ast.Call):
            self._arguments(value, before)
        return [*before, node]

    def _arguments(self, call: ast.Call, before: list[ast.stmt]) -> None:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(isinstance(one, (ast.Starred, ast.Lambda)) for one in given):
            return
        call.args = [self._name(one, before) for one in call.args]
        for keyword in call.keywords:
            keyword.value = self._name(keyword.value, before)

    def _name(self, node: ast.expr, before: list[ast.stmt]) -> ast.expr:
        if not isinstance(node, ast.Call):
            return node
        self._arguments(node, before)
        name = f"step_{next(self.numbers)}"
        before.append(ast.Assign([ast.Name(name, ast.Store())], node))
        return ast.Name(name, ast.Load())

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        return self._apart(node, node.value)

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        return self._apart(node, node.value)

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        return self._apart(node, node.value)


def results_named(texts: Texts, entry: str) -> Texts | None:
    trees = _trees(texts)
    for tree in trees.values():
        _Named().visit(tree)
    return _written(texts, trees)


class _Copied(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == "construct":
            for each in ast.walk(node):
                if isinstance(each, ast.Return) and isinstance(each.value, (ast.Name, ast.Call, ast.BinOp)):
                    each.value = ast.Call(ast.Attribute(each.value, "copy", ast.Load()), [], [])
        self.generic_visit(node)
        return node


def results_copied(texts: Texts, entry: str) -> Texts | None:
    """What a cell of one's own returns is a copy."""
    trees = _trees(texts)
    for tree in trees.values():
        _Copied().visit(tree)
    return _written(texts, trees)


def comments_left_out(texts: Texts, entry: str) -> Texts | None:
    """No comments, and the layout of `ast.unparse`."""
    return {path: ast.unparse(ast.parse(text)) + "\n" for path, text in texts.items()}


def rewrites() -> Iterator[Rewrite]:
    yield from (comments_left_out, names_renamed, layers_renamed, moved_to_a_module, in_a_function)
    yield from (keywords_reversed, imported_directly, results_named, results_copied)
    yield from (constants_in_a_dictionary, constants_in_a_class, constants_in_yaml, constants_as_options)
