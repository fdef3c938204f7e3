"""Nothing is asked of the network unless the person gave the address or agreed to it. A real server counts what reaches it."""

import functools
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import asked

from accucheck import consent
from accucheck.case import load, networked
from accucheck.errors import ReadError
from accucheck.language import Language
from accucheck.model import Verdict
from accucheck.project import open_project
from accucheck.readers import places
from accucheck.session import open_session
from command_line import accucheck, write_checklist

TABLE = b"x,y\n" + b"1,2\n" * 50


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.SimpleHTTPRequestHandler):
    def send_head(self):
        self.server.asked.append(self.path)
        return super().send_head()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    pytest.importorskip("aiohttp")
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "a.csv").write_bytes(TABLE)
    with Server(tmp_path / "www") as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def cloned(tmp_path: Path, server: Server) -> Path:
    """A stranger's project whose case file names an address that only this machine reaches."""
    root = tmp_path / "cloned"
    root.mkdir()
    text = "data: {{train: {{path: '{0}/a.csv', label: y}}, eval: {{path: '{0}/a.csv'}}, reference: {{path: '{0}/a.csv'}}}}\n"
    (root / "accucheck.yaml").write_text(text.format(server.address))
    return root


def result(project: Path, probe: str, *more: str) -> dict:
    ran = accucheck("run", str(project), "--kind", "file", "--json", *more, timeout=120)
    found = [one for item in json.loads(ran.stdout)["items"] for one in item["results"] if one["probe"] == probe]
    assert found, ran
    return found[0]


@pytest.mark.part(3)
def test_an_address_of_a_case_file_is_not_asked_until_somebody_agrees(cloned: Path, server: Server) -> None:
    for probe in ("missing_values", "class_balance", "dataset_digest", "label_conflicts"):
        left = result(cloned, probe)
        assert left["status"] == "skipped" and "--remote" in left["reason"]["message"], left
    for call in (["status"], ["report", "--output", str(cloned / "out")], ["validate"], ["doctor"], ["run", "--stale"]):
        accucheck(call[0], str(cloned), *call[1:], timeout=120)
    refused = accucheck("labels", str(cloned))
    assert refused.code == 2 and "--remote" in refused.err
    assert server.asked == []
    assert result(cloned, "missing_values", "--remote")["status"] == "done"
    assert server.asked


@pytest.mark.part(3)
def test_an_address_that_the_person_types_needs_no_question(tmp_path: Path, server: Server) -> None:
    (tmp_path / "mine").mkdir()
    done = result(tmp_path / "mine", "missing_values", "--set", f"data.train.path={server.address}/a.csv")
    assert done["status"] == "done" and server.asked


def test_what_was_agreed_to_is_remembered_for_these_addresses_alone(cloned: Path, server: Server) -> None:
    consent.grant_addresses(load(cloned))
    project = open_project(cloned, session="none")
    assert not project.case.unagreed()
    file = cloned / "accucheck.yaml"
    file.write_text(file.read_text().replace("/a.csv', label", "/b.csv', label"))
    assert len(open_project(cloned, session="none").case.unagreed()) == 2
    assert server.asked == []


async def test_the_walkthrough_asks_first(cloned: Path, server: Server, tmp_path: Path) -> None:
    from accucheck.tui.app import Walkthrough

    checklist = write_checklist(tmp_path / "mine.yaml", "missing_values")
    for answer, reached in (("no", False), ("once", True)):
        app = Walkthrough(open_project(cloned, [str(checklist)]), Language.EN)
        async with app.run_test(size=(100, 30)) as pilot:
            question = await asked(app, pilot)
            assert server.address in str(question.text)
            question.dismiss(answer)
            for _ in range(600):
                await pilot.pause(0.05)
                if app.session.entry("a.1").results and not app.runner.busy:
                    break
            (found,) = app.session.entry("a.1").results.values()
            assert (found.status.value == "done") is reached and bool(server.asked) is reached
        app.runner.close()
        app.session.close()


def test_a_checklist_is_never_followed(tmp_path: Path, server: Server) -> None:
    """Its references are for people; its parameters are no places."""
    checklist = write_checklist(tmp_path / "mine.yaml", "missing_values")
    link = f"references: [{{title: {{zh: a, en: a}}, url: '{server.address}/a.csv'}}]"
    checklist.write_text(checklist.read_text().replace("        probes:", f"        {link}\n        probes:"))
    with open_session(tmp_path) as session:
        session.answer("a.1", Verdict.PROBLEM, "so that the reference is shown")
    (tmp_path / "data.csv").write_bytes(TABLE)
    for call in (
        ["run", "--set", "data.train.path=data.csv"],
        ["report", "--full", "--format", "html", "--output", str(tmp_path / "out")],
    ):
        ran = accucheck(call[0], str(tmp_path), "--checklist", str(checklist), *call[1:], timeout=120)
        assert ran.code in (0, 1), ran
    assert f"{server.address}/a.csv" in next((tmp_path / "out").glob("*.html")).read_text()
    assert server.asked == []


@pytest.mark.parametrize(
    ("address", "leaves"),
    [
        ("https://host/a", True),
        ("zip://a::https://host/a.zip", True),
        ("simplecache::s3://bucket/a", True),
        ("ssh://host/a", True),
        ("unheard-of://x", True),
        ("HTTP://host/a", True),
        ("file:///data/a", False),
        ("zip://a::file:///data/a.zip", False),
        ("memory://a", False),
        ("data/a.csv", False),
        ("C:/data", False),
    ],
)
def test_what_leads_off_this_machine(address: str, leaves: bool) -> None:
    assert networked(address) is leaves


@pytest.mark.part(40)
@pytest.mark.parametrize(
    "address", ["reference::file://{0}", "reference://x::file://{0}", "dask::file://{0}", "REFERENCE::file://{0}"]
)
def test_file_systems_that_follow_a_files_orders_are_refused(tmp_path: Path, address: str) -> None:
    """fsspec's reference file system fills Jinja templates of a JSON file, in older versions without a sandbox."""
    attack = "{{ cycler.__init__.__globals__.os.system('touch " + str(tmp_path / "attacked") + "') }}"
    (tmp_path / "refs.json").write_text(
        json.dumps({"version": 1, "templates": {"u": attack}, "refs": {"a.csv": ["{{u}}"]}})
    )
    named = address.format(tmp_path / "refs.json")
    with pytest.raises(ReadError) as caught:
        places.at(named, [named])
    assert caught.value.code == "address-refused"
    accucheck("run", str(tmp_path), "--only", "ds.01", "--set", f"data.train.path={named}")
    assert not (tmp_path / "attacked").exists()
