"""Finding a project's own modules: packages, folders added to sys.path, names that are the framework's, and what cannot be read."""

import os
from pathlib import Path

import pytest

from accucheck.script.project import MODULES, Project
from accucheck.script.search_path import additions
from accucheck.script.source import Source, read


def layout(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"here = {path!r}\n")


def started(root: Path, path: str = "train.py", text: str = "x = 1\n") -> tuple[Project, Source]:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    return Project(root, (root / path).parent), read(root / path, path)


def found(project: Project, module: str, importer: Source) -> str | None:
    source = project.find(module, importer)
    return source.path if source is not None else None


# --- packages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "path"),
    [
        ("flat", "flat.py"),
        ("pkg", "pkg/__init__.py"),
        ("pkg.one", "pkg/one.py"),
        ("pkg.sub", "pkg/sub/__init__.py"),
        ("pkg.sub.two", "pkg/sub/two.py"),
        ("plain.three", "plain/three.py"),  # no __init__.py
        ("plain.deep.four", "plain/deep/four.py"),
        ("both", "both/__init__.py"),  # a package goes before a file of its name
        ("file", "file.py"),  # but a folder without __init__.py does not
        ("file.five", "file/five.py"),
        ("plain", None),
        ("pkg.gone", None),
        ("gone.one", None),
        ("Flat", None),
        ("PKG.one", None),
        ("flat.x", None),
    ],
)
def test_absolute_names(tmp_path: Path, module: str, path: str | None) -> None:
    layout(tmp_path, "flat.py", "pkg/__init__.py", "pkg/one.py", "pkg/sub/__init__.py", "pkg/sub/two.py")
    layout(tmp_path, "plain/three.py", "plain/deep/four.py", "both.py", "both/__init__.py", "file.py", "file/five.py")
    assert found(*started(tmp_path)[:1], module, started(tmp_path)[1]) == path


@pytest.mark.parametrize(
    ("module", "path"),
    [
        (".one", "pkg/one.py"),
        (".", "pkg/__init__.py"),
        ("..", "__init__.py"),
        ("..flat", "flat.py"),
        (".sub.two", "pkg/sub/two.py"),
        (".gone", None),
        ("...flat", None),
        ("." * 50 + "flat", None),
        (".flat", None),
    ],
)
def test_relative_names(tmp_path: Path, module: str, path: str | None) -> None:
    root = tmp_path / "root"
    layout(root, "__init__.py", "flat.py", "pkg/__init__.py", "pkg/one.py", "pkg/here.py", "pkg/sub/two.py")
    (tmp_path / "flat.py").write_text("outside = 1\n")
    project, _ = started(root)
    assert found(project, module, read(root / "pkg/here.py", "pkg/here.py")) == path


def test_the_folder_of_the_script_goes_before_the_project(tmp_path: Path) -> None:
    layout(tmp_path, "config.py", "tools/config.py", "model.py", "src/data.py", "src/model.py")
    project, script = started(tmp_path, "tools/train.py")
    assert found(project, "config", script) == "tools/config.py"
    assert found(project, "model", script) == "model.py"
    assert found(project, "data", script) == "src/data.py"
    assert found(project, "tools.config", script) == "tools/config.py"


def test_folders_that_only_the_environment_of_a_run_adds(tmp_path: Path) -> None:
    root = tmp_path / "resnet"
    layout(
        root, "official/cv/common/lr.py", "official/cv/net/src/blocks.py", "official/cv/net/src/model.py", "nets/a.py"
    )
    project, script = started(root, "official/cv/net/scripts/train.py")
    assert found(project, "common.lr", script) == "official/cv/common/lr.py", "a folder above"
    model = read(root / "official/cv/net/src/model.py", "official/cv/net/src/model.py")
    assert found(project, "blocks", model) == "official/cv/net/src/blocks.py", "beside the module"
    assert found(project, "resnet.nets.a", script) == "nets/a.py", "the project's folder is a package itself"


# --- sys.path ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "sys.path.append('lib')",
        "sys.path.append('./lib/')",
        "sys.path.insert(0, '../tools/lib')",
        "sys.path.insert(1, os.path.join(os.path.dirname(__file__), 'lib'))",
        "sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools', 'lib'))",
        "HERE = os.path.dirname(os.path.realpath(__file__))\nsys.path.append(HERE + '/lib')",
        "here = os.path.abspath(__file__)\nhere = os.path.dirname(here)\nsys.path.append(f'{here}/lib')",
        "root = os.path.split(os.path.split(os.path.abspath(__file__))[0])[0]\nsys.path.append(os.path.join(root, 'tools/lib'))",
        "sys.path.append(str(Path(__file__).parent / 'lib'))",
        "sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'tools' / 'lib'))",
        "sys.path.append((pathlib.Path(__file__).parent.joinpath('lib')).as_posix())",
        "sys.path.append(os.path.join(os.getcwd(), 'lib'))",
        "sys.path.append(str(Path.cwd().parent / 'tools' / 'lib'))",
        "sys.path.append(os.path.join(sys.path[0], os.pardir, 'tools', 'lib'))",
        "sys.path.append(os.path.split('lib/a')[0])",
        "from os.path import split\nsys.path.append(split('lib/a')[0])",
        "sys.path.extend(['other', 'lib'])",
        "sys.path += ['lib']",
        "for name in ('other', 'lib'):\n    sys.path.append(name)",
        "def main():\n    sys.path.append(os.path.abspath('lib'))",
        "if True:\n    sys.path.append('tools/lib')  # from the project's folder",
    ],
)
def test_folders_that_the_script_adds(tmp_path: Path, text: str) -> None:
    layout(tmp_path, "tools/lib/layers.py", "tools/other/x.py")
    project, script = started(
        tmp_path, "tools/train.py", f"import os, sys, pathlib\nfrom pathlib import Path\n{text}\n"
    )
    assert found(project, "layers", script) == "tools/lib/layers.py"


@pytest.mark.parametrize(
    "text",
    [
        "sys.path.append('none')",
        "sys.path.append(1)",
        "sys.path.append(args.lib)",
        "sys.path.append(os.environ['LIB'])",
        "sys.path.append('../..')",
        "sys.path.append('/')",
        "sys.path.append('lib\\0')",
        "sys.path.append()",
        "sys.path.append(a + 'lib')",
        "a = a + 'lib'\nsys.path.append(a)",
        "a = b\nb = a\nsys.path.append(b)",
        "sys.path.append(" + "(" * 150 + "'x'" + ")" * 150 + ")",
        "sys.path.append(" + " + ".join(["'x'"] * 900) + ")",
        "sys.path.append(Path('lib').parents[10**9])",
        "sys.path.append(Path('lib').parents[-1])",
        "sys.path.append(os.path.relpath('lib', 'other'))",
        "sys.path.append('src lib'.split('lib')[0])",
        "sys.path.append('x'.split('lib/a')[0])",
        "sys.path.append(os.path.split('lib/a')[1])",
    ],
)
def test_what_adds_nothing(tmp_path: Path, text: str) -> None:
    layout(tmp_path, "root/lib/layers.py", "layers.py")
    project, script = started(tmp_path / "root", "train.py", f"import sys, os\nfrom pathlib import Path\n{text}\n")
    assert found(project, "layers", script) is None


def test_values_are_not_multiplied_without_end(tmp_path: Path) -> None:
    loops = "".join(f"for a{n} in ({', '.join(repr(c) for c in 'abcdefgh')}):\n" + "    pass\n" for n in range(20))
    added = "sys.path.append(" + " + ".join(f"a{n}" for n in range(20)) + ")\n"
    _, script = started(tmp_path, "train.py", "import sys\n" + loops + added)
    assert additions(script, [tmp_path]) == []


def test_what_is_put_in_front_wins_and_what_is_appended_does_not(tmp_path: Path) -> None:
    layout(tmp_path, "config.py", "new/config.py", "old/config.py", "old/only.py")
    text = "import sys\nsys.path.insert(0, 'new')\nsys.path.append('old')\n"
    project, script = started(tmp_path, "train.py", text)
    assert found(project, "config", script) == "new/config.py"
    assert found(project, "only", script) == "old/only.py"


def test_a_module_may_add_folders_too(tmp_path: Path) -> None:
    layout(tmp_path, "lib/layers.py")
    (tmp_path / "setup_path.py").write_text(
        "import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), 'lib'))\n"
    )
    project, script = started(tmp_path)
    assert found(project, "layers", script) is None
    module = project.find("setup_path", script)
    assert module is not None and project.find("os", module) is None
    assert found(project, "layers", script) == "lib/layers.py"


# --- names of installed packages ----------------------------------------------------------------------------------------


def test_a_folder_named_as_the_framework_is_not_taken_for_it(tmp_path: Path) -> None:
    """A project with one folder for each framework is common; Python gets the installed package there, and so does the reader."""
    layout(
        tmp_path,
        "mindspore/__init__.py",
        "mindspore/dataset.py",
        "mindspore/nn/__init__.py",
        "numpy/random.py",
        "logging.py",
    )
    project, script = started(tmp_path, "mindspore/train.py")
    for name in ("mindspore", "mindspore.dataset", "mindspore.nn", "numpy.random", "logging"):
        assert found(project, name, script) is None
    assert project.shadow("mindspore", script) is None
    layout(tmp_path, "mindspore/src/mindspore/ops.py")  # no package: the installed one goes before it
    assert found(project, "dataset", script) == "mindspore/dataset.py"


@pytest.mark.parametrize("local", ["mindspore.py", "mindspore/__init__.py", "lib/mindspore.py"])
def test_what_python_would_get_instead_of_the_framework_is_told(tmp_path: Path, local: str) -> None:
    layout(tmp_path, local)
    text = (
        "import sys\nsys.path.insert(0, 'lib')\nimport mindspore\n" if local.startswith("lib") else "import mindspore\n"
    )
    project, script = started(tmp_path, "train.py", text)
    assert project.shadow("mindspore", script) == local.removesuffix("/__init__.py")
    assert found(project, "mindspore", script) == local
    assert project.shadow("torch", script) is None


def test_a_folder_behind_the_installed_packages_shadows_nothing(tmp_path: Path) -> None:
    layout(tmp_path, "lib/mindspore/__init__.py", "mindspore/train.py")
    project, script = started(tmp_path, "train.py", "import sys\nsys.path.append('lib')\nimport mindspore\n")
    assert project.shadow("mindspore", script) is None and found(project, "mindspore", script) is None


# --- what cannot be read ------------------------------------------------------------------------------------------------


def test_a_module_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    layout(tmp_path, "good.py")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text("")
    (tmp_path / "pkg/old.py").write_text("x = 1\nprint 'two'\n")
    (tmp_path / "nul.py").write_bytes(b"x = '\0'\n")
    (tmp_path / "loop.py").symlink_to("loop.py")
    os.mkfifo(tmp_path / "pipe.py")
    project, script = started(tmp_path)
    assert found(project, "good", script) == "good.py"
    assert found(project, "pkg", script) is None, "there is nothing in it"
    assert found(project, "nul", script) is None
    assert found(project, "pipe", script) is None and found(project, "loop", script) is None
    rest = project.find("pkg.old", script)
    assert rest is not None and rest.lines[0] == "x = 1", "the lines that parse are read"
    assert {name: error.code for name, error in project.unreadable.items()} == {
        "pkg/old.py": "script-syntax",
        "nul.py": "script-nul",
    }
    assert project.unreadable["pkg/old.py"].data["line"] == 2


def test_nothing_outside_the_project_is_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    layout(tmp_path, "outside.py", "shared/__init__.py", "shared/x.py")
    layout(root, "real/y.py")
    (root / "linked.py").symlink_to("../outside.py")
    (root / "shared").symlink_to("../shared")
    (root / "alias").symlink_to("real")
    project, script = started(root)
    for name in ("linked", "shared", "shared.x", "..outside", "...outside"):
        assert found(project, name, script) is None
    assert found(project, "alias.y", script) == "alias/y.py"


def test_loops_of_links_and_of_imports_end(tmp_path: Path) -> None:
    layout(tmp_path, "a/x.py", "b.py")
    (tmp_path / "a/again").symlink_to("../a")
    (tmp_path / "self").symlink_to("self")
    project, script = started(tmp_path)
    assert found(project, "a.again.again.x", script) == "a/again/again/x.py"
    assert found(project, "self.x", script) is None
    module = project.find("b", script)
    assert module is not None and project.find("b", module) is module


def test_names_that_no_file_has(tmp_path: Path) -> None:
    project, script = started(tmp_path)
    for name in ("a" * 5000, ".".join("a" * 3000), "训练", "a..b", "", "."):
        assert found(project, name, script) is None


def test_a_project_of_very_many_modules_is_read_so_far(tmp_path: Path) -> None:
    layout(tmp_path, *(f"m{n}.py" for n in range(MODULES + 3)))
    project, script = started(tmp_path)
    got = [found(project, f"m{n}", script) for n in range(MODULES + 3)]
    assert got == [f"m{n}.py" for n in range(MODULES)] + [None] * 3
    assert {error.code for error in project.unreadable.values()} == {"script-modules"} and len(project.unreadable) == 3


def test_a_very_large_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accucheck.script.project.ENTRIES", 10)
    layout(tmp_path, "pkg/__init__.py", "pkg/one.py", *(f"m{n}.py" for n in range(20)))
    project, script = started(tmp_path)
    assert found(project, "m7", script) == "m7.py" and found(project, "pkg.one", script) == "pkg/one.py"
    assert found(project, "gone", script) is None


def test_projects_beside_one_another_read_a_module_once(tmp_path: Path) -> None:
    layout(tmp_path, "net.py", "tools/net.py")
    (tmp_path / "bad.py").write_text("x = (\n")
    one, script = started(tmp_path)
    other = Project(tmp_path, tmp_path / "tools", one)
    assert one.find("net", script) is not None and one.find("bad", script) is None
    eval_script = read(tmp_path / "tools/net.py", "tools/net.py")
    assert other.find("tools.net", eval_script) is other.find("net", eval_script)
    assert other.find("..net", eval_script) is one.find("net", script)
    assert other.unreadable is one.unreadable and list(one.unreadable) == ["bad.py"]


def test_a_project_behind_a_link_shows_its_own_paths(tmp_path: Path) -> None:
    (tmp_path / "real" / "src").mkdir(parents=True)
    (tmp_path / "real" / "main.py").write_text("from src.data import x\nprint(x)\n")
    (tmp_path / "real" / "src" / "data.py").write_text("x = 1\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    root = tmp_path / "link"
    found = Project(root, root).find("src.data", read(root / "main.py", "main.py"))
    assert found is not None and found.path == "src/data.py"
