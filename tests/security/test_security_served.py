"""accucheck serve as other users of the machine see it; tests/tui/test_serve.py knocks at its door."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

aiohttp = pytest.importorskip("aiohttp")
URL = pytest.importorskip("yarl").URL
pytest.importorskip("textual_serve")

EXAMPLES = Path(__file__).parents[2] / "examples"


def family(pid: int) -> list[int]:
    """A process and all below it."""
    try:
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(each for child in below for each in family(int(child)))]


async def test_the_token_is_told_to_the_person_alone(tmp_path: Path, home: Path) -> None:
    """Arguments can be read by every user, variables and files by some."""
    project = Path(shutil.copytree(EXAMPLES / "digits", tmp_path / "digits"))
    command = [sys.executable, "-m", "accucheck", "serve", "--project", str(project), "--port", "0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    try:
        address = server.stdout.readline().strip()
        token = address.rstrip("/").rpartition("/")[2]
        assert len(token) >= 20
        origin = {"Origin": address[: address.index("/", 8)]}
        async with aiohttp.ClientSession() as session, session.ws_connect(f"{address}ws", headers=origin) as tab:
            await tab.send_json(["resize", {"width": 80, "height": 24}])
            await asyncio.wait_for(tab.receive_bytes(), 60)
            processes = family(server.pid)
            assert len(processes) > 1, "the program of the tab is one of them"
            for process in processes:
                for name in ("cmdline", "environ"):
                    assert token.encode() not in Path(f"/proc/{process}/{name}").read_bytes()
        for folder in (home, tmp_path):
            for path in folder.rglob("*"):
                assert token not in path.name and (not path.is_file() or token.encode() not in path.read_bytes())
        again = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert token not in again.stdout.readline(), "each server has its own"
        again.send_signal(signal.SIGINT)
        again.communicate(timeout=60)
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)


async def test_what_is_malformed_is_answered_and_leaves_no_traceback(tmp_path: Path, home: Path) -> None:
    project = Path(shutil.copytree(EXAMPLES / "digits", tmp_path / "digits"))
    command = [sys.executable, "-m", "accucheck", "serve", "--project", str(project), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        origin = address[: address.index("/", 8)]
        async with aiohttp.ClientSession() as session:
            async with session.ws_connect(f"{address}ws", headers={"Origin": origin}) as tab:
                for hostile in (
                    "[" * 100_000,
                    '{"a":' * 100_000,
                    "9" * 10_000,
                    "\x00",
                    "null",
                    '["resize", {"width": 1e999}]',
                ):
                    await tab.send_str(hostile)
                await tab.send_json(["ping", "still there"])
                assert await asyncio.wait_for(tab.receive_json(), 60) == ["pong", "still there"]
            for path in ("static/%00", f"static/{'a' * 300}", "static/..%2f..%2fserving.py"):
                async with session.get(URL(address + path, encoded=True)) as answer:
                    assert answer.status == 403
            port = origin.rpartition(":")[2]
            for host in (f"127.0.0.1:{port}@evil.com", f"evil.com@127.0.0.1:{port}", "127.0.0.1:x", "[127.0.0.1", ""):
                async with session.get(address, headers={"Host": host}) as answer:
                    assert answer.status == 403, host
    finally:
        server.send_signal(signal.SIGINT)
        said = server.communicate(timeout=60)[1]
    assert "Traceback" not in said and "Error" not in said, said
