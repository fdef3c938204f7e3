"""What the parser is given, what it is spared, and what is said about a text that does not parse."""

import ast
import dataclasses
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from accucheck.errors import ReadError
from accucheck.model import Language
from accucheck.script import syntax


def refused(text: str) -> ReadError:
    with pytest.raises(ReadError) as caught:
        syntax.parse(text, "a.py")
    return caught.value


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("print 'two'", "print"),
        ("    if x: print x", "print"),
        ("print '%d' % x, y", "print"),
        ("exec 'x = 1'", "exec"),
        ("try:\n    pass\nexcept ValueError, error:\n    pass", "except"),
        ("try:\n    pass\nexcept (ValueError, KeyError), error:\n    pass", "except"),
        ("raise ValueError, 'no'", "raise"),
        ("x = `y`", "``"),
        ("x = 1 if a <> b else 2", "<>"),
        ("os.chmod(path, 0777)", "0777"),
        ("x = 10L", "1L"),
        ("x = ur'a'", "ur''"),
        ("def f(a, (b, c)):\n    pass", "def f((a, b))"),
    ],
)
def test_python_2_is_named(line: str, what: str) -> None:
    if line.startswith(" "):
        line = "for x in y:\n" + line
    error = refused("import os\n" + line + "\n")
    assert error.code == "script-syntax"
    assert "Python 2 syntax" in error.text(Language.EN) and what in error.text(Language.EN)
    assert "Python 2 语法" in error.text(Language.ZH)


@pytest.mark.parametrize(
    "line",
    [
        "x = (1, 2",
        "def f(a b): pass",
        "x == = 1",
        "print(x",
        "f(lambda x: )",
        "except ValueError:",
        "x = 'open",
        "import",
        "y = $x",
    ],
)
def test_other_faults_are_not_called_python_2(line: str) -> None:
    error = refused(line + "\n")
    assert error.code == "script-syntax" and "Python 2" not in error.text(Language.EN)


def test_a_script_for_a_newer_python_is_told_which_one_read_it() -> None:
    """No Python that accucheck runs on knows an except without brackets, which 3.14 brought, nor is that Python 2: no name follows."""
    error = refused("try:\n    pass\nexcept (A), (B):\n    pass\n")
    assert f"Python {sys.version_info[0]}.{sys.version_info[1]}" in error.text(Language.EN)
    assert f"Python {sys.version_info[0]}.{sys.version_info[1]}" in error.text(Language.ZH)


def test_tabs_in_a_mix() -> None:
    error = refused("if x:\n\ta = 1\n        b = 2\n")
    assert error.data["line"] == 3
    assert "tabs and spaces" in error.text(Language.EN) and "制表符" in error.text(Language.ZH)


N = 400_000
HOSTILE = {
    "minus": "x = " + "-" * N + "1",
    "not": "x = " + "not " * N + "1",
    "sum": "x = 1" + " + 1" * N,
    "sum over lines": "x = (1\n" + "+ 1\n" * N + ")",
    "sum over continued lines": "x = 1" + " \\\n+ 1" * N,
    "attributes": "x = a" + ".b" * N,
    "calls": "x = f" + "()" * N,
    "items": "x = f" + "[0]" * N,
    "power": "x = 1" + "**1" * N,
    "lambda": "x = " + "lambda:" * N + "1",
    "choice": "x = " + "1 if 1 else " * (N // 4) + "1",
    "elif": "if 1:\n pass\n" + "elif 1:\n pass\n" * (N // 4),
    "import": "import a" + ".a" * N,
    "import over lines": "import a" + ".\\\na" * N,
    "f-string": "x = f'" + "{a}" * N + "'",
    "f-strings": "x = f'" + "{a}" * 1500 + "'\n" + ("y = f'" + "{a}" * 1500 + "'\n") * 500,
    "brackets": "(" * N,
    "braces": "x = " + "{1:" * N,
    "indented": "".join(" " * i + "if 1:\n" for i in range(1500)),
    "numbers": "x = [" + "1, " * (3 * N) + "]",
    "statements": "a;" * (2 * N),
    "lines": "a=1\n" * (2 * N),
    "decorators": "@a\n" * N + "def f(): pass",
    "clauses": "x = [1 " + "for a in b " * (N // 2) + "]",
    "compared": "x = 1" + " < 1" * N,
    "quotes": "'\"" * N,
    "triple quotes": "'''\"\"\"" * N,
    "backslashes": "\\" * N,
    "escapes": "x = '" + "\\'" * N + "'",
    "docstring": "'''" + "\\'\"' " * N + "'''",
    "open docstring": "'''" + "\\'\"' " * N,
    "comment": "#" + "(" * N,
}


@pytest.mark.part(40)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_the_process_down(name: str) -> None:
    """In a process of its own with 1.5 GB and the usual stack; a tree or a named error, and soon."""
    code = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
from accucheck.errors import ReadError
from accucheck.script import syntax
try:
    syntax.parse(sys.stdin.read(), "a.py")
    print("parsed")
except ReadError as error:
    print(error.code)
"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    ran = subprocess.run([sys.executable, "-c", code], input=HOSTILE[name], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.strip() in ("parsed", "script-complex", "script-syntax")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 20


def test_what_people_and_their_generators_write_is_parsed() -> None:
    lines = [f"def function_{n}(self, x, y=({n}, 'text'), *rest):" for n in range(10_000)]
    body = "    if x.shape[0] > 1 and y is not None:\n        return self.net(x)[0] + y[1]\n    # done\n    return {'a': x}\n"
    text = "\n".join(f"{line}\n{body}" for line in lines)
    assert text.count("\n") >= 50_000
    start = time.process_time()
    tree = syntax.parse(text, "a.py")
    assert len(tree.body) == 10_000 and time.process_time() - start < 10
    table = "x = [" + ", ".join(str(n / 7) for n in range(40_000)) + "]\n"
    words = "y = (" + "\n".join(f"'word {n}'" for n in range(5000)) + ")\n"
    total = "z = " + " + ".join(f"a[{n}].b" for n in range(500)) + "\n"
    blob = "b = '" + "A.+(" * 200_000 + "'\n" + "#" + "()" * 50_000 + "\n"
    assert len(syntax.parse(table + words + total + blob, "a.py").body) == 4


def test_garbage_is_collected_again_afterwards() -> None:
    import gc

    assert gc.isenabled()
    syntax.parse("x = 1\n", "a.py")
    refused("x = \n")
    assert gc.isenabled()


@pytest.mark.parametrize("path", [syntax.__file__, ast.__file__, dataclasses.__file__])
def test_walking_meets_every_node_but_contexts_and_operators(path: str) -> None:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    signs = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
    assert syntax.walk(tree) == [node for node in ast.walk(tree) if not isinstance(node, signs)]
    for node in syntax.walk(tree):
        assert syntax.children(node) == [n for n in ast.iter_child_nodes(node) if not isinstance(n, signs)]


def test_what_is_kept_is_found_out_once_until_it_is_forgotten() -> None:
    asked = []

    @syntax.kept
    def size(node: ast.AST) -> int:
        asked.append(node)
        return len(syntax.walk(node))

    tree = ast.parse("x = f(1)")
    assert size(tree) == size(tree) and len(asked) == 1
    syntax.forget()
    size(tree)
    assert len(asked) == 2
