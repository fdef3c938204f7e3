"""Templates of one's own: what they may use, what they may not, and what is said of a broken one."""

import importlib.util
import os
import signal
from pathlib import Path

import pytest

from accucheck.errors import ReadError
from accucheck.model import Language
from accucheck.report import Options, render, templating, write
from accucheck.report.parts import Report
from command_line import accucheck

pytestmark = pytest.mark.part(40)


@pytest.fixture
def make(report: Report, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Writes a template and renders it."""

    def made(text: str | bytes, name: str = "own.md.j2") -> str:
        path = tmp_path / "mine" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        form = templating.kind(path)
        return render(report, "x", Options(formats=(form,), template=path))[f"x.{form}"].decode()

    return made


def test_markdown_is_escaped(make, report: Report) -> None:
    text = make(
        "# {{ report.case }}\n{% for item in report.items %}\n{{ item.id }} {{ item.note | join(' ') }}\n{% endfor %}"
    )
    assert text.startswith("# resnet50-cifar10\n") and "hp.02" in text
    assert "<i>" not in text and "&lt;i&gt;" in text


def test_html_is_escaped(make) -> None:
    text = make("<ul>{% for item in report.items %}<li>{{ item.note | join }}</li>{% endfor %}</ul>", "own.html")
    assert "<ul><li>" in text and "<i>" not in text and "&lt;i&gt;" in text


def test_what_the_shipped_templates_use_is_there(make, report: Report, tmp_path: Path) -> None:
    """The shipped templates are a start: given as one's own they make the same files."""
    for form in ("md", "html"):
        source = (templating.SHIPPED / f"report.{form}.j2").read_text()
        assert make(source, f"same.{form}.j2") == render(report, "x", Options(formats=(form,)))[f"x.{form}"].decode()
    own = Options(formats=("md",), template=tmp_path / "mine/same.md.j2", stem="y")
    assert [path.name for path in write(report, tmp_path, own).files if path.suffix == ".png"] == [
        "chart-001.png",
        "chart-002.png",
        "chart-003.png",
    ]


@pytest.mark.parametrize("form", ["md", "html"])
def test_the_shipped_templates_are_printed_as_a_start(form: str) -> None:
    ran = accucheck("report", "--print-template", form)
    assert (ran.code, ran.out) == (0, (templating.SHIPPED / f"report.{form}.j2").read_text("utf-8"))


def test_files_of_its_own_folder(make, tmp_path: Path) -> None:
    (tmp_path / "mine/parts").mkdir(parents=True)
    (tmp_path / "mine/parts/head.md.j2").write_text("head of {{ report.case }}")
    assert make("{% include 'parts/head.md.j2' %}") == "head of resnet50-cifar10\n"


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/hostname", "link.md", "parts/../../secret.txt", "nothing.md"])
def test_no_file_beyond_it(make, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/link.md").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(ReadError) as error:
        make(f"line 1\n{{% include {name!r} %}}")
    assert error.value.code == ("not-found" if name == "nothing.md" else "template-include")
    assert "secret" not in error.value.text(Language.EN).replace("secret.txt", "")


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("one\n{% for x in report.items %}\n{{ x.id }}\n", "template-syntax", 3),
        ("one\n\n{{ report.case }", "template-syntax", 3),
        ("one\n{{ reprot.case }}", "template-undefined", 2),
        ("{{ report.case }}\n\n{{ report.items[0].nothing }}", "template-undefined", 3),
        ("\n{{ report.__class__.__mro__ }}", "template-unsafe", 2),
        ("\n{{ say.__globals__ }}", "template-unsafe", 2),
        ("\n{{ ''.__class__.__base__.__subclasses__() }}", "template-unsafe", 2),
        ("\n{{ report.items.append(1) }}", "template-unsafe", 2),
        ("\n{{ '{0.__class__.__mro__}'.format(report) }}", "template-unsafe", 2),
        ("\n\n{{ 1 / 0 }}", "template-failed", 3),
        ("\n{% for x in range(10 ** 9) %}{% endfor %}", "template-failed", 2),
        ("\n{% macro m() %}\n{{ m() }}{% endmacro %}{{ m() }}", "template-failed", 3),
    ],
)
def test_a_broken_template_says_where(make, tmp_path: Path, text: str, code: str, line: int) -> None:
    with pytest.raises(ReadError) as error:
        make(text)
    assert (error.value.code, error.value.data["line"]) == (code, line)
    for language in Language:
        assert f"{tmp_path}/mine/own.md.j2:{line}" in error.value.text(language)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{{ reprot.case }}", "reprot (≈ report)"),
        ("{{ report.verdikt }}", "Report.verdikt (≈ verdict)"),
        ("{{ report.items[0].result }}", "ItemPart.result (≈ results)"),
        ("{{ report.result.sumary.items }}", "dict.sumary (≈ summary)"),
        ("{{ xyzzy }}", "xyzzy"),
        ("{{ report.items[999].id }}", "list.999"),
    ],
)
def test_the_nearest_name(make, text: str, problem: str) -> None:
    with pytest.raises(ReadError) as error:
        make(text)
    assert (error.value.code, error.value.data["problem"]) == ("template-undefined", problem)


def test_a_mistake_in_an_included_file(make, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/part.md").write_text("fine\nfine\n{{ nothing }}\n")
    with pytest.raises(ReadError) as error:
        make("{% include 'part.md' %}")
    assert (error.value.data["path"], error.value.data["line"]) == (str(tmp_path / "mine/part.md"), 3)


def test_a_mistake_in_a_filter_is_told_of_the_template(tmp_path: Path) -> None:
    """Also where the filter is a file below the template's folder, as in a project with its own environment."""
    (tmp_path / "env").mkdir()
    (tmp_path / "env/filters.py").write_text("def halved(value):\n    return value / 2\n")
    spec = importlib.util.spec_from_file_location("filters", tmp_path / "env/filters.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "parts").mkdir()
    (tmp_path / "own.md").write_text("one\n{% include 'parts/part.py' %}\n")
    (tmp_path / "parts/part.py").write_text("\n\n{{ 'a' | halved }}\n")
    with pytest.raises(ReadError) as error:
        templating.fill("report.md.j2", tmp_path / "own.md", {}, {}, {"halved": module.halved})
    assert (error.value.data["path"], error.value.data["line"]) == (str(tmp_path / "parts/part.py"), 3)


def test_no_file_is_read_for_an_attachment_made_up(make, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    for name in ("own.md", "own.html"):
        for form in ("file", "picture"):
            with pytest.raises(ReadError) as error:
                made = f"namespace(kind='{form}', path='{tmp_path}/secret.txt', name='x')"
                make(f"{{{{ attached({made}) }}}}", name)
            assert error.value.code == "template-failed" and "not an attachment" in error.value.data["problem"]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no limit of memory without /proc")
@pytest.mark.parametrize(
    "text",
    [
        "{{ 'x' * 10 ** 10 }}",
        "{{ '%10000000000d' | format(1) }}",
        "{% set ns = namespace(t='x') %}{% for i in range(99) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}",
        "{% for i in range(9000) %}{{ 'x' * 10 ** 5 }}{% endfor %}",
    ],
)
def test_a_template_that_takes_all_memory(make, text: str) -> None:
    with pytest.raises(ReadError) as error:
        make(text)
    assert error.value.code == "template-large"


def test_a_crash_is_told_as_one(tmp_path: Path) -> None:
    """Charts are drawn by libraries that may crash; memory is not to blame for all of it."""

    def crash() -> tuple[str, dict[str, bytes]]:
        os.kill(os.getpid(), signal.SIGSEGV)
        return "", {}

    with pytest.raises(ReadError) as error:
        templating._apart(tmp_path / "own.md", crash)
    assert error.value.code == "template-died"
    assert all("SIGSEGV" in error.value.text(language) for language in Language)


def children() -> set[str]:
    """The processes that this one has started and not yet waited for."""
    return {child for told in Path("/proc/self/task").glob("*/children") for child in told.read_text().split()}


def test_a_template_that_never_ends(make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templating, "SECONDS", 1.0)
    loops = "{% for a in range(99999) %}" * 3 + "{% endfor %}" * 3
    others = children()
    with pytest.raises(ReadError) as error:
        make(loops)
    assert error.value.code == "template-slow"
    assert children() <= others, "nothing of it is left"


@pytest.mark.parametrize(
    ("content", "code"), [(b"\xff\xfe{{ 1 }}", "template-encoding"), (b"x" * (1 << 20) + b"y", "too-large")]
)
def test_what_is_no_template(make, content: bytes, code: str) -> None:
    with pytest.raises(ReadError) as error:
        make(content)
    assert error.value.code == code


def test_paths_that_are_none(report: Report, tmp_path: Path) -> None:
    (tmp_path / "folder.md").mkdir()
    for name, code in (("gone.md", "not-found"), ("folder.md", "is-directory")):
        with pytest.raises(ReadError) as error:
            render(report, "x", Options(formats=("md",), template=tmp_path / name))
        assert error.value.code == code
    with pytest.raises(ReadError) as error:
        templating.kind(tmp_path / "x.docx")
    assert error.value.code == "template-ending"


def test_other_formats_keep_their_templates(report: Report, tmp_path: Path) -> None:
    own = tmp_path / "own.md"
    own.write_text("mine")
    files = render(report, "x", Options(formats=("md", "html"), template=own))
    assert files["x.md"] == b"mine\n" and len(files["x.html"]) > 1000


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_template_of_the_guide(make, report: Report, language: str) -> None:
    guide = (Path(__file__).parents[2] / f"docs/guide.{language}.md").read_text()
    text = make(guide.split("```jinja\n")[1].split("```")[0])
    assert text.startswith(f"# {report.title}: resnet50") and "dp.03" in text and "hp.03" not in text


def test_the_functions_of_the_reference(make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "docs"))
    from generator.template_fields import FUNCTIONS

    for call, formats, _ in FUNCTIONS:
        for form in formats.split():
            if "|" in call:
                assert make("{{ '*a*' | marked }}", f"own.{form}") == "*a*\n"
                continue
            for name in call.partition("(")[0].split(", "):
                assert make(f"{{{{ {name} is defined }}}}", f"own.{form}").strip() == "True", f"{form}: {name}"
