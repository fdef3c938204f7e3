"""The walkthrough in a browser of this machine: one program a tab, in a child process, until Ctrl+C.

textual-serve brings the terminal in the page and the talk with the program. What it lacks is here: only loopback is listened on; a
random token begins each address, for the other users of the machine reach loopback too; no page of another origin and no other
name for this host gets in; nothing comes from the network; and no program outlives its tab, or this one.
"""

from __future__ import annotations

import asyncio
import html
import ipaddress
import json
import re
import secrets
import shlex
import signal
import socket
import string
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import textual_serve
from aiohttp import WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from .errors import UserError
from .imports import KEPT, environment
from .language import Language, Words, word

WORDS: Words = {
    "opening": {"zh": "正在打开……", "en": "Opening..."},
    "ended": {"zh": "程序已结束，所做的更改均已保存。", "en": "The program has ended; everything is saved."},
    "again": {"zh": "重新打开", "en": "Open it again"},
    "no-token": {
        "zh": "地址不完整：请使用 accucheck serve 输出的完整地址。\n",
        "en": "This address is incomplete: use the one that accucheck serve printed.\n",
    },
    "stranger": {
        "zh": "拒绝访问：只接受本机地址，且不接受其他网页的请求。\n",
        "en": "Refused: only this machine's own names are served, and no requests from other pages.\n",
    },
}

#: Seconds that a program has to save and end when it is told to, and then again when it is terminated.
PATIENCE = 20.0
#: Seconds between two signs of life of a tab; one that does not answer is closed.
HEARTBEAT = 15.0
#: More in one message than any paste needs.
LARGEST = 1 << 20
#: Columns or lines of a terminal.
WIDEST = 1000
_STATIC = Path(textual_serve.__file__).parent / "static"
_PAGE = Path(__file__).with_name("serving.html")


def loopback(host: str) -> str:
    """The address of a name for this machine alone. Raises UserError for any other."""
    address = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        if ipaddress.ip_address(address).is_loopback:
            return address
    except ValueError:
        pass
    raise UserError("serve-host", host=host)


def listen(address: str, port: int) -> socket.socket:
    """A socket on a port of loopback, 0 for any free one. Raises UserError, which names a free one."""
    try:
        return _bound(address, port)
    except OSError as error:
        refused = error
    free = 0
    for candidate in (*range(port + 1, min(port + 100, 65536)), 0):
        with suppress(OSError), _bound(address, candidate) as other:
            free = other.getsockname()[1]
            break
    raise UserError("serve-port", port=port, address=address, problem=refused.strerror or str(refused), free=free)


def _bound(address: str, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen()
    except BaseException:
        made.close()
        raise
    return made


class WalkthroughProcess(AppService):
    """One walkthrough in a child process. `leaving` from when it was told to end, or says that it does; `ended` when it has."""

    def __init__(self, words: list[str], tell: Callable[[str], None], **options: Any) -> None:
        super().__init__(shlex.join(words), **options)
        self._words, self._tell = words, tell
        self.leaving = False
        self.ended = asyncio.Event()

    @property
    def is_started(self) -> bool:
        """Whether there is a process, ended or not."""
        return self._process is not None

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        """The terminal is the page's, not the one that this program was started in."""
        inherited = super()._build_environment(width, height)
        others = ("TMUX", "TMUX_PANE", "STY", "TEXTUAL_FPS")  # how often to paint is the walkthrough's to say
        own = {k: v for k, v in environment().items() if k in ("PYTHONPATH", KEPT)}
        return {**{k: v for k, v in inherited.items() if k not in others}, **own, "TERM": "xterm-256color"}

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        environment = self._build_environment(width, height)
        self._process = process = await asyncio.create_subprocess_exec(
            *self._words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment, start_new_session=True
        )
        assert process.stdin is not None
        self._stdin = process.stdin
        return process

    async def run(self) -> None:
        """Pass on what the program draws until it ends, then tell what it said on stderr."""
        process = self._process
        assert process is not None and process.stdout is not None and process.stderr is not None
        said = asyncio.create_task(process.stderr.read())
        read = process.stdout.readexactly
        takers = {b"D": self.on_data, b"M": self.on_meta, b"P": self.on_packed}
        try:
            while (line := await process.stdout.readline()) and line != b"__GANGLION__\n":
                pass
            while True:
                head = await read(5)
                await takers[head[:1]](await read(int.from_bytes(head[1:], "big")))
        except (asyncio.IncompleteReadError, KeyError):
            pass
        self.leaving = True
        await process.wait()
        if text := (await said).decode("utf-8", "replace").strip():
            self._tell(text)
        self.ended.set()
        await self.remote_close()

    async def on_meta(self, data: bytes) -> None:
        """As textual-serve does; but the tab stays open until the program has saved and gone."""
        if json.loads(data).get("type") == "exit":
            self.leaving = True
        else:
            await super().on_meta(data)

    async def stop(self) -> None:
        """Have the program save and end, and make sure that it does."""
        self.leaving = True
        if self._task is None or self._process is None:
            self.ended.set()
            return
        await self._download_manager.cancel_app_downloads(app_service_id=self.app_service_id)
        await self.send_meta({"type": "quit"})
        for end in (self._process.terminate, self._process.kill):
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.ended.wait(), PATIENCE)
                return
            with suppress(ProcessLookupError):
                end()
        await self.ended.wait()


class Server:
    """Serves programs, all of one command, on a socket of loopback.

    tell: what takes the last words of a program; they may hold anything.
    """

    def __init__(self, command: list[str], title: str, language: Language, tell: Callable[[str], None]) -> None:
        self._command, self._title, self._language, self._tell = command, title, language, tell
        self._token = secrets.token_urlsafe(16)
        self._downloads = DownloadManager()
        self._programs: set[WalkthroughProcess] = set()
        self._over = asyncio.Event()

    def address(self, listening: socket.socket) -> str:
        """What a person opens: with the token."""
        host, port = listening.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/{self._token}/"

    async def run(self, listening: socket.socket, ready: Callable[[], None]) -> None:
        """Serve until SIGINT, SIGTERM or SIGHUP; then end every program, with all saved."""
        application = web.Application(middlewares=[self._guard])
        application.add_routes(
            [
                web.get("/{token}/", self._page),
                web.get("/{token}/ws", self._talk),
                web.get("/{token}/static/{path:.+}", self._static),
                web.get("/download/{key}", self._download),
            ]
        )
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=2)
        await runner.setup()
        await web.SockSite(runner, listening).start()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup leaves SIGHUP
                loop.add_signal_handler(number, self._over.set)
        ready()
        try:
            await self._over.wait()
        finally:
            await asyncio.gather(*(program.stop() for program in [*self._programs]))
            await runner.cleanup()

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Only under a name of loopback (a page may have its own name point here), and only with the token."""
        token = request.match_info.get("token")
        if not _is_loopback(request.host):
            return self._refuse("stranger")
        if token is not None and not secrets.compare_digest(token.encode(), self._token.encode()):
            return self._refuse("no-token")
        try:
            return await handler(request)
        except web.HTTPNotFound:
            return self._refuse("no-token")

    def _refuse(self, why: str) -> web.Response:
        return web.Response(status=403, text="".join(word(WORDS, why, language) for language in Language))

    async def _page(self, request: web.Request) -> web.Response:
        socket = f"ws://{request.host}{request.path}ws"
        said = {key: word(WORDS, key, self._language) for key in ("opening", "ended", "again")}
        texts = {**said, "lang": self._language.value, "title": f"accucheck · {self._title}", "socket": socket}
        texts["nonce"] = nonce = secrets.token_urlsafe(16)
        page = string.Template(_PAGE.read_text("utf-8"))
        policy = (
            f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
            f"img-src 'self' data:; connect-src 'self' ws://{request.host}; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return web.Response(
            text=page.substitute({key: html.escape(text) for key, text in texts.items()}),
            content_type="text/html",
            headers={
                "Content-Security-Policy": policy,
                "Referrer-Policy": "no-referrer",  # the address holds the token
                "X-Content-Type-Options": "nosniff",
                "Cache-Control": "no-store",
            },
        )

    async def _static(self, request: web.Request) -> web.StreamResponse:
        path, found = _STATIC.resolve() / request.match_info["path"], False
        with suppress(OSError, ValueError):  # a name that is too long, or holds a NUL byte
            path = path.resolve()
            found = path.is_relative_to(_STATIC.resolve()) and path.is_file()
        if not found:
            raise web.HTTPNotFound
        return web.FileResponse(path)

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """A file that a program hands out. Its key is random and known to the tab alone."""
        key = request.match_info["key"]
        try:
            known = await self._downloads.get_download_metadata(key)
        except KeyError:
            raise web.HTTPNotFound from None
        response = web.StreamResponse()
        response.content_type = "application/octet-stream"
        response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{_quoted(known.file_name)}"
        await response.prepare(request)
        async for chunk in self._downloads.download(key):
            await response.write(chunk)
        await response.write_eof()
        return response

    async def _talk(self, request: web.Request) -> web.StreamResponse:
        """One tab: its keys to its program, what that draws to the tab."""
        if request.headers.get("Origin") != f"http://{request.host}":
            return self._refuse("stranger")
        tab = web.WebSocketResponse(heartbeat=HEARTBEAT, max_msg_size=LARGEST)
        await tab.prepare(request)
        # A tab that is loaded again finds the session free: the program before it has let it go.
        await asyncio.gather(*(program.ended.wait() for program in self._programs if program.leaving))

        async def close() -> None:
            await tab.close()

        program = WalkthroughProcess(
            self._command,
            self._tell,
            write_bytes=lambda data: _unless_closed(tab.send_bytes(data)),
            write_str=lambda text: _unless_closed(tab.send_str(text)),
            close=close,
            download_manager=self._downloads,
        )
        self._programs.add(program)
        try:
            async for message in tab:
                if message.type is WSMsgType.TEXT:
                    await self._take(program, tab, message.data)
        finally:
            await asyncio.shield(program.stop())
            self._programs.discard(program)
        return tab

    @staticmethod
    async def _take(program: WalkthroughProcess, tab: web.WebSocketResponse, text: str) -> None:
        """One message of a tab; what is none of ours is passed over. The first that counts is its size: the program begins with it."""
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return
        match message:
            case ["resize", {"width": int(width), "height": int(height)}] if not program.is_started:
                await program.start(_cells(width), _cells(height))
            case ["ping", str(sent)]:
                await _unless_closed(tab.send_json(["pong", sent]))
            case _ if not program.is_started:
                pass
            case ["stdin", str(typed)]:
                if keys := typed.encode("utf-8", "ignore"):  # the reader of the program would wait for ever on nothing
                    await program.send_bytes(keys)
            case ["resize", {"width": int(width), "height": int(height)}]:
                await program.set_terminal_size(_cells(width), _cells(height))
            case ["focus", *_]:
                await program.focus()
            case ["blur", *_]:
                await program.blur()


async def _unless_closed(sending: Awaitable[None]) -> None:
    """What a program says after its tab was closed goes nowhere; it is still read, for else the program could not end."""
    with suppress(ConnectionError, RuntimeError):
        await sending


def _cells(given: int) -> int:
    """A number of columns or lines that a tab gives, within reason."""
    return min(max(given, 1), WIDEST)


def _is_loopback(host: str) -> bool:
    """Whether a Host header names loopback; its port may be that of the near end of a tunnel."""
    found = re.fullmatch(r"([\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?", host)
    if found is None:
        return False
    name = found[1]
    try:
        loopback(name)
    except UserError:
        return False
    return True


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name, safe="", errors="replace")


def serve(
    command: list[str],
    listening: socket.socket,
    *,
    title: str,
    language: Language,
    ready: Callable[[str], None],
    tell: Callable[[str], None],
) -> None:
    """Serve the program that `command` starts until a signal ends it. `ready` gets the address when it can be opened."""

    async def run() -> None:
        server = Server(command, title, language, tell)
        await server.run(listening, lambda: ready(server.address(listening)))

    asyncio.run(run())
