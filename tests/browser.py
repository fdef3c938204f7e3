"""A headless Chromium, told what to do over its DevTools protocol: through a pipe, so that nothing but the browser is needed."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
FLAGS = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-extensions", "--disable-background-networking", "--disable-component-update"),
    *("--force-color-profile=srgb", "--remote-debugging-pipe"),
]


class Browser:
    """One page of a browser. `requests` are the addresses it asked for, `complaints` what it wrote on its console, `received` what
    came through its web sockets as bytes."""

    def __init__(self, reads: int, writes: int) -> None:
        self._in, self._out, self._rest, self._number = reads, writes, b"", 0
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.received = b""
        self._loaded = False
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM", "CSS"):
            self.call(f"{domain}.enable")

    def call(self, method: str, /, **params: Any) -> Any:
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not (chunk := os.read(self._in, 1 << 20)):
                raise RuntimeError("the browser ended")
            self._rest += chunk
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        params = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Network.webSocketFrameReceived" if params["response"]["opcode"] == 2:
                self.received += base64.b64decode(params["response"]["payloadData"])
            case "Log.entryAdded":
                self.complaints.append(params["entry"]["text"])
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(params))
            case "Page.loadEventFired":
                self._loaded = True
        return message

    def open(self, page: Path | str, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Show a file or an address in a window of `width` by `height` CSS pixels."""
        self.requests, self.complaints, self.received, self._loaded = [], [], b"", False
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])
        self.call("Page.navigate", url=page if isinstance(page, str) else page.resolve().as_uri())
        while not self._loaded:
            self._next()

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def fonts(self, selector: str) -> dict[str, int]:
        """The fonts that an element's glyphs were drawn with, and how many glyphs."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        used = self.call("CSS.getPlatformFontsForNode", nodeId=node)["fonts"]
        return {font["familyName"]: int(font["glyphCount"]) for font in used}

    def screenshot(self, whole: bool = False) -> bytes:
        return base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"])

    def pdf(self) -> bytes:
        """The page as it is printed on A4."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])


@contextmanager
def browser() -> Iterator[Browser]:
    assert CHROMIUM
    read, its_out = os.pipe()
    its_in, write = os.pipe()

    def pipes() -> None:  # the browser reads from 3 and writes to 4
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 100) for end in (its_in, its_out)]
        for place, end in zip((3, 4), ends, strict=True):
            os.dup2(end, place)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:  # the browser may still write there
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}"]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, preexec_fn=pipes, close_fds=False, start_new_session=True, **silent)
        os.close(its_in)
        os.close(its_out)
        try:
            yield Browser(read, write)
        finally:
            os.close(write)
            os.close(read)
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
