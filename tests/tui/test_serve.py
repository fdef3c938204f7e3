"""accucheck serve: a real server, spoken to as a browser does, and by a real browser."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from browser import CHROMIUM, Browser, browser
from left_behind import is_gone, wait_until

aiohttp = pytest.importorskip("aiohttp")
pytest.importorskip("textual_serve")

EXAMPLES = Path(__file__).parents[2] / "examples"
ITEM = "ds.01"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / "digits", tmp_path / "数字 [red]"))


@pytest.fixture
def serve(project: Path, tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[str], str]]]:
    """serve(*arguments) starts a server over the project; its process, and the address it told. No program that it starts may fail."""
    errors = tmp_path / "errors"
    errors.mkdir()
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **environment: str) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "accucheck", "serve", "--project", str(project), "--port", "0", *arguments]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(errors), **environment},
        )
        started.append(process)
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), address + process.communicate(timeout=5)[1]
        return process, address

    yield start
    for process in started:
        process.terminate()
        process.communicate(timeout=50)
    assert [path.read_text() for path in errors.glob("accucheck-error-*")] == []


def conclusion(project: Path) -> str | None:
    """What the stored session says of ITEM."""
    path = project / ".accucheck/session.json"
    entries = json.loads(path.read_bytes())["entries"] if path.exists() else {}
    return entries.get(ITEM, {}).get("conclusion")


def programs(server: subprocess.Popen[str]) -> list[int]:
    """The processes that a server has started and that are alive."""
    return [int(pid) for pid in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()]


class Tab:
    """A tab without a browser: sends what the page sends, keeps what it gets."""

    def __init__(self, link: "aiohttp.ClientWebSocketResponse") -> None:
        self.link, self.seen = link, b""

    async def see(self, text: str) -> None:
        """Read on until a text was drawn."""
        end = time.monotonic() + 30
        while text.encode() not in self.seen:
            assert time.monotonic() < end, f"{text} was not drawn"
            message = await self.link.receive(timeout=120)
            if message.type is aiohttp.WSMsgType.BINARY:
                self.seen += message.data
            else:
                assert json.loads(message.data)[0] == "pong", (message, text)

    async def type(self, keys: str) -> None:
        await self.link.send_json(["stdin", keys])

    async def resize(self, width: int, height: int) -> None:
        await self.link.send_json(["resize", {"width": width, "height": height}])


@asynccontextmanager
async def opened(address: str, width: int = 80, height: int = 24) -> AsyncIterator[Tab]:
    """A tab that has told its size, as the page does first."""
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{address}ws", headers=own(address)) as link:
        tab = Tab(link)
        await tab.resize(width, height)
        yield tab


def own(address: str) -> dict[str, str]:
    """The header that a browser sends from a page at this address."""
    return {"Origin": "/".join(address.split("/")[:3])}


async def test_what_is_typed_is_stored_and_a_closed_tab_ends_its_program(serve, project):
    server, address = serve("--lang", "en", "--as", "Li")
    async with opened(address, 100, 30) as tab:
        await tab.see("\x1b[30;1H")  # the size that the tab has told
        await tab.see("saved")
        assert len(programs(server)) == 1
        await tab.link.send_json(["ping", "7"])
        for hostile in (
            "no json",
            "[]",
            '["stdin", 7]',
            '["resize", {"width": "x"}]',
            '["what", []]',
            '["stdin", "\\ud800"]',
        ):
            await tab.link.send_str(hostile)
        await tab.resize(10**9, -1)
        await tab.resize(90, 25)
        await tab.type("2")
        await tab.see("1/24")
    wait_until(lambda: not programs(server))
    assert conclusion(project) == "ok"
    assert "Li" in (project / ".accucheck/session.json").read_text()


async def test_many_sizes_at_once_end_with_the_last(serve):
    _, address = serve("--lang", "en")
    async with opened(address) as tab:
        await tab.see("saved")
        for width in range(60, 140):
            await tab.resize(width, 24)
        drawn = 0

        async def count() -> None:
            nonlocal drawn
            async for message in tab.link:
                drawn += message.type is aiohttp.WSMsgType.BINARY

        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(count(), 4)
        assert 5 < drawn < 100, "for two sizes that take turns it is hundreds"


async def test_a_tab_that_tells_no_size_has_no_program(serve):
    server, address = serve("--lang", "en")
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{address}ws", headers=own(address)) as link:
        for message in (["stdin", "2"], ["ping", "7"], ["blur"]):
            await link.send_json(message)
        assert json.loads(await link.receive_str()) == ["pong", "7"] and not programs(server)
    async with opened(address) as tab:
        await tab.see("saved")


async def test_the_second_tab_only_reads_and_one_loaded_again_writes(serve):
    _, address = serve("--lang", "en")
    async with opened(address) as first:
        await first.see("saved")
        async with opened(address) as second:
            await second.see("read-only")
    async with opened(address) as again:
        await again.see("saved")
        assert b"read-only" not in again.seen


async def test_only_the_whole_address_from_its_own_page_gets_in(serve):
    _, address = serve()
    port, token = address.split(":")[2].split("/")[:2]
    base = f"http://127.0.0.1:{port}"
    async with aiohttp.ClientSession() as session:

        async def status(path: str, **headers: str) -> int:
            async with session.get(base + path, headers=headers) as answer:
                return answer.status

        assert await status(f"/{token}/") == 200
        assert await status(f"/{token}/", Host=f"localhost:{port}") == 200, "a tunnel may have another name for it"
        assert await status("/") == await status("/wrong/") == await status(f"/{token[:-1]}/") == 403
        assert await status("/wrong/static/js/textual.js") == await status("/wrong/ws") == 403
        assert await status(f"/{token}/", Host="evil.example") == 403, "a name of somebody else's that points here"
        assert await status(f"/{token}/", Host="127.0.0.1.evil.example:80") == 403
        assert await status(f"/{token}/static/js/textual.js") == 200
        assert await status(f"/{token}/static/..%2fserver.py") == 403
        assert await status(f"/{token}/static/js/%2fetc%2fpasswd") == 403
        assert await status("/download/guessed") == 403
        for origin in ("http://evil.example", "null", f"http://127.0.0.1:{int(port) + 1}", None):
            headers = {"Origin": origin} if origin else {}
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{address}ws", headers=headers)
            assert refused.value.status == 403
        async with session.get(address) as page:
            text, policy = await page.text(), page.headers["Content-Security-Policy"]
            assert page.headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert text.count("://") == 1 and f'"ws://127.0.0.1:{port}/{token}/ws"' in text, "nothing comes from the network"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_the_programs_with_all_saved(serve, project, number):
    server, address = serve("--lang", "en")
    async with opened(address) as tab:
        await tab.see("saved")
        (program,) = programs(server)
        await tab.type("2")
        await tab.see("1/24")
        server.send_signal(number)

        async def closed() -> None:
            while (await tab.link.receive()).type is not aiohttp.WSMsgType.CLOSE:
                pass

        await asyncio.wait_for(closed(), 60)
    await asyncio.to_thread(server.wait, 30)
    assert server.returncode == 0
    assert is_gone(program) and conclusion(project) == "ok"


async def test_a_server_that_is_killed_leaves_no_program(serve, project):
    server, address = serve("--lang", "en")
    async with opened(address) as tab:
        await tab.see("saved")
        (program,) = programs(server)
        await tab.type("2")
        await tab.see("1/24")
        server.kill()
        await asyncio.to_thread(wait_until, lambda: is_gone(program))
    assert conclusion(project) == "ok"


def test_a_server_that_no_longer_listens_ends_the_program_as_a_line_that_dropped(project, tmp_path):
    program = subprocess.Popen(
        [sys.executable, "-m", "accucheck", "--project", str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver", "TMPDIR": str(tmp_path)},
    )
    assert program.stdin is not None and program.stdout is not None
    assert program.stdout.readline() == b"__GANGLION__\n"
    program.stdout.close()
    for key in b"2j2":
        program.stdin.write(b"D\0\0\0\1" + bytes([key]))
        program.stdin.flush()
    assert program.wait(30) == 128 + signal.SIGHUP
    program.stdin.close()
    assert not list(tmp_path.glob("accucheck-error-*"))


async def test_a_program_that_cannot_start_says_why_where_it_was_served(serve, project):
    server, address = serve("--lang", "en")
    (project / "accucheck.yaml").write_text("nmae: x\n")
    async with opened(address) as tab:
        assert (await tab.link.receive(timeout=120)).type is aiohttp.WSMsgType.CLOSE
    server.terminate()
    assert "nmae" in (await asyncio.to_thread(server.communicate, None, 30))[1]


async def test_the_terminal_of_the_server_is_not_that_of_the_page(serve):
    _, address = serve("--lang", "en", TERM="nonsense", TMUX="/tmp/tmux", LC_ALL="C")
    async with opened(address) as tab:
        await tab.see("saved")
        assert "●".encode() in tab.seen


def refused(*arguments: str) -> str:
    """What a serve that cannot begin says."""
    command = [sys.executable, "-m", "accucheck", "serve", *arguments]
    process = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert process.returncode == 2 and not process.stdout and "Traceback" not in process.stderr
    return process.stderr


def test_a_port_in_use_is_told_with_a_free_one(project):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused("-p", str(project), "--port", str(port), "--lang", "en")
    free = int(said.split("--port ")[1])
    assert str(port) in said and free != port
    with socket.create_server(("127.0.0.1", free)):
        pass


@pytest.mark.part(3)
@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "::", "example.com", "", "127.0.0.1.evil.example"])
def test_no_address_that_others_reach(project, host):
    assert "ssh -L" in refused("-p", str(project), "--host", host, "--lang", "en")
    assert "SSH 隧道" in refused("-p", str(project), "--host", host, "--lang", "zh")


def test_a_broken_project_and_a_missing_library_are_told_at_once(project):
    code = (
        "import sys; sys.modules['textual_serve'] = None; sys.argv[1:] = ['serve', '-p', sys.argv[1], '--lang', 'zh']; "
    )
    code += "from accucheck.cli import console; console()"
    process = subprocess.run([sys.executable, "-c", code, str(project)], capture_output=True, text=True, timeout=120)
    assert process.returncode == 2 and "pip install 'accucheck[serve]'" in process.stderr
    (project / "accucheck.yaml").write_text("nmae: x\n")
    assert "name" in refused("-p", str(project), "--lang", "en")
    assert "accucheck" in refused("-p", str(project / "nowhere"), "--lang", "en")


# --- a browser ------------------------------------------------------------------------------------------------------------


def drawn(page: Browser, text: str) -> None:
    """Wait until the program has drawn a text into the page."""

    def seen() -> bool:
        page.evaluate("0")  # takes in what came meanwhile
        return text.encode() in page.received

    wait_until(seen)


def painted(page: Browser) -> bytes:
    """What is seen, once that is more than an empty page; what came is not painted at once."""
    shots: list[bytes] = []

    def seen() -> bool:
        shots.append(page.screenshot())
        return len(shots[-1]) > 20_000

    wait_until(seen)
    return shots[-1]


def typed(page: Browser, text: str) -> None:
    """Type into the terminal, which has the focus by itself once it is shown; what was drawn may not be shown yet."""
    wait_until(lambda: page.evaluate("document.activeElement.className") == "xterm-helper-textarea")
    page.call("Input.insertText", text=text)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_in_a_browser(serve, project):
    server, address = serve("--lang", "zh")
    with browser() as page:
        page.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        page.open(address, 1000, 600)
        drawn(page, "已保存")
        assert page.evaluate("document.title") == "accucheck · digits"
        assert all(each.startswith((address, "data:")) for each in page.requests), page.requests
        shot = painted(page)
        typed(page, "2")
        drawn(page, "1/24")
        typed(page, "n")
        drawn(page, "的备注")
        typed(page, "类别均衡，人工核对")
        drawn(page, "人工核对")
        for half in ("rawKeyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=half, key="Enter", code="Enter", windowsVirtualKeyCode=13)
        wait_until(lambda: "类别均衡，人工核对" in (project / ".accucheck/session.json").read_text("utf-8"))
        typed(page, "y")
        drawn(page, "已复制")
        wait_until(lambda: "类别均衡" in page.evaluate("navigator.clipboard.readText()"))
        page.call("Emulation.setDeviceMetricsOverride", width=1600, height=900, deviceScaleFactor=1, mobile=False)
        drawn(page, "适用范围")  # the method, which stands aside in a wide window
        assert painted(page) != shot
        page.open(address, 1000, 600)
        drawn(page, "已保存")
        assert "只读".encode() not in page.received and b"1/24" in page.received
        assert not [said for said in page.complaints if "Content Security Policy" in said or "Failed" in said]
        typed(page, "q")
        wait_until(lambda: "-closed" in page.evaluate("document.body.className"))
        assert "重新打开" in page.evaluate("document.querySelector('.ended').innerText")
        assert not programs(server)
        page.evaluate("document.querySelector('.ended a').click()")
        wait_until(lambda: len(programs(server)) == 1)
