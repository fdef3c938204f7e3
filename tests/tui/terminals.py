"""The installed program in a real terminal: a bare pseudo terminal that is written to, and tmux, whose screen can be read."""

import fcntl
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import uuid
from pathlib import Path

from left_behind import wait_until

#: How a test starts the program of this environment.
PROGRAM = [sys.executable, "-m", "accucheck"]
TAIL = 1 << 18


def environment(home, **more):
    """The variables of a person's terminal: nothing of the test's own but its home, the fake probes where it has them, what counts the
    branches that are taken, and that no bytecode is written: where files may not grow, half of it would be left in the sources."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in ("PATH", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE") or name.startswith("COVERAGE_")
    }
    return {**kept, "HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm-256color", "COLORTERM": "truecolor", **more}


class Pty:
    """A program in a pseudo terminal. `output` is the end of what it wrote."""

    def __init__(self, command, cwd, variables, size=(80, 24)):
        self.master, slave = os.openpty()
        self.resize(*size)
        self.process = subprocess.Popen(
            [str(word) for word in command],
            cwd=cwd,
            env=variables,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.output = bytearray()
        self.written = 0
        self._closing = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while not self._closing:  # a read that waits would keep the line open
            try:
                if not select.select([self.master], [], [], 0.05)[0]:
                    continue
                data = os.read(self.master, 1 << 16)
            except OSError:
                return
            if not data:
                return
            self.written += len(data)
            self.output += data
            del self.output[:-TAIL]

    def send(self, data):
        """Write as a keyboard would, however slowly the program reads. OSError when it has ended."""
        os.write(self.master, data.encode() if isinstance(data, str) else data)

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def signal(self, number):
        os.kill(self.process.pid, number)

    @property
    def state(self):
        """The letter of /proc/PID/stat: R, S, T (stopped), Z."""
        return Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0]

    @property
    def megabytes(self):
        """Resident memory."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def until(self, condition, seconds=120.0):
        wait_until(condition, lambda: self.output[-3000:].decode("utf-8", "replace"), seconds)

    def _at_work(self):
        """Whether a thread of it has a processor, or waits for one, as on a busy machine."""
        try:
            threads = list(Path(f"/proc/{self.process.pid}/task").iterdir())
            return any((thread / "stat").read_text().rpartition(")")[2].split()[0] == "R" for thread in threads)
        except OSError:  # it has ended, or this system has no /proc
            return False

    def quiet(self, still=0.25, seconds=60.0):
        """Wait until it has written something and then neither written nor computed for a while."""
        deadline, known, since = time.monotonic() + seconds, self.written, time.monotonic()
        while time.monotonic() - since < still or not self.written:
            assert time.monotonic() < deadline, "it writes and writes"
            time.sleep(0.02)
            if self.written != known or self._at_work():
                known, since = self.written, time.monotonic()

    def hang_up(self):
        """The line drops."""
        self._closing = True
        self._reader.join()
        os.close(self.master)
        self.master = -1

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.master >= 0:
            self.hang_up()


class Tmux:
    """A program in a tmux of its own. `after` runs in the same shell once the program has ended, so the screen stays."""

    def __init__(self, command, cwd, variables, size=(80, 24), shell=False):
        self.name = f"accucheck-test-{uuid.uuid4().hex[:12]}"
        self.size = size
        words = [str(word) for word in command]
        pairs = [word for name, value in variables.items() for word in ("-e", f"{name}={value}") if name != "TERM"]
        self._environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        pairs += ["-e", "PS1=ready> "]
        self._run("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), "-c", str(cwd), *pairs,
                  *(["bash", "--norc"] if shell else words))  # fmt: skip
        self._run("set-option", "-g", "remain-on-exit", "on")
        self._run("set-option", "-sg", "escape-time", "0")

    def _run(self, *words):
        done = subprocess.run(
            ["tmux", "-L", self.name, "-f", "/dev/null", *words], capture_output=True, text=True, env=self._environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def keys(self, *keys):
        """Press keys, as tmux names them."""
        self._run("send-keys", *[";" if key == ";" else key for key in keys])

    def type(self, text):
        self._run("send-keys", "-l", text)

    def resize(self, columns, rows):
        self._run("resize-window", "-x", str(columns), "-y", str(rows))

    @property
    def screen(self):
        return self._run("capture-pane", "-p")

    @property
    def pid(self):
        return int(self._run("display-message", "-p", "#{pane_pid}"))

    @property
    def ended(self):
        return self._run("display-message", "-p", "#{pane_dead}").strip() == "1"

    def until(self, *texts, without=(), seconds=120.0):
        """Wait until all of these texts stand on the screen, and none of the others."""
        without = (without,) if isinstance(without, str) else without

        def there():
            screen = self.screen
            return all(text in screen for text in texts) and not any(text in screen for text in without)

        wait_until(there, lambda: f"no {texts} (without {without}) on\n{self.screen}", seconds)

    def still(self, seconds=0.4):
        """Wait until the screen has not changed for a while: an Esc and a key at once are another key."""
        known, since = self.screen, time.monotonic()
        while time.monotonic() - since < seconds:
            time.sleep(0.05)
            if self.screen != known:
                known, since = self.screen, time.monotonic()

    def until_said(self, text, seconds=120.0):
        """Wait until all words of a text stand on the screen, however it is broken into lines."""
        self.until(*text.split(), seconds=seconds)

    def until_ended(self, seconds=120.0):
        wait_until(lambda: self.ended, lambda: self.screen, seconds)

    def close(self):
        subprocess.run(["tmux", "-L", self.name, "kill-server"], capture_output=True, env=self._environment)


def has_tmux():
    return shutil.which("tmux") is not None


__all__ = ["PROGRAM", "Pty", "Tmux", "environment", "has_tmux", "signal"]
