"""Which wheels pip takes for Linux on aarch64: asked of the package index by --platforms, and kept in wheels.json.

pip resolves for a machine that it does not run on, from names and metadata of wheels. The name of a wheel may say that it is for any
machine while it holds machine code, so of such the code's machine is read out of the wheel, by a few kilobytes of it.
"""

from __future__ import annotations

import datetime
import io
import json
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from accucheck.language import Language

from .markdown import cell, code, page, table
from .words import say

ROOT = Path(__file__).resolve().parents[2]
STORE = Path(__file__).with_name("wheels.json")
MACHINE = "aarch64"
#: Versions of glibc, and the platforms that pip is given for a machine with it.
PLATFORMS = {
    "2.17": ["manylinux2014_aarch64", "manylinux_2_17_aarch64"],
    "2.28": ["manylinux2014_aarch64"] + [f"manylinux_2_{minor}_aarch64" for minor in range(17, 29)],
}
EXTRAS = ("mindspore", "labels", "remote", "dask", "serve")
#: e_machine in the header of an ELF file (System V ABI, psABI of each machine).
ELF = {0x3E: "x86-64", 0xB7: "aarch64"}


class _Remote(io.RawIOBase):
    """A file at an address, read in the ranges that are asked for."""

    def __init__(self, address: str) -> None:
        self.address, self.at = address, 0
        self.opener = urllib.request.build_opener()
        with self.opener.open(urllib.request.Request(address, method="HEAD"), timeout=60) as answer:  # noqa: S310
            self.size = int(answer.headers["Content-Length"])

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def seek(self, offset: int, whence: int = 0) -> int:
        self.at = (0, self.at, self.size)[whence] + offset
        return self.at

    def readinto(self, buffer: Any) -> int:
        count = min(len(buffer), self.size - self.at)
        if count <= 0:
            return 0
        asked = {"Range": f"bytes={self.at}-{self.at + count - 1}"}
        with self.opener.open(urllib.request.Request(self.address, headers=asked), timeout=60) as answer:  # noqa: S310
            data = answer.read()
        if answer.status != 206:  # the whole of it, as of a local file
            data = data[self.at : self.at + count]
        buffer[: len(data)] = data
        self.at += len(data)
        return len(data)


def machines(address: str) -> list[str]:
    """The machines whose code a wheel holds: of the first shared library in it, which stands for all."""
    with zipfile.ZipFile(io.BufferedReader(_Remote(address), 1 << 18)) as wheel:
        libraries = [name for name in wheel.namelist() if name.endswith(".so") or ".so." in name]
        if not libraries:
            return []
        with wheel.open(libraries[0]) as file:
            head = file.read(20)
    return [ELF.get(int.from_bytes(head[18:20], "little"), "unknown")]


def _resolved(python: str, version: str, glibc: str) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        named = [word for platform in PLATFORMS[glibc] for word in ("--platform", platform)]
        command = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            "--dry-run",
            "--quiet",
            "--ignore-installed",
        ]
        command += [
            "--report",
            str(report),
            "--target",
            f"{folder}/none",
            "--only-binary=:all:",
            "--python-version",
            version,
        ]
        subprocess.run([*command, *named, f"{ROOT}[{','.join(EXTRAS)}]"], check=True, timeout=900)
        installed: list[dict[str, Any]] = json.loads(report.read_text("utf-8"))["install"]
        return installed


def _needed(installed: list[dict[str, Any]], version: str) -> dict[str, set[str]]:
    """Distributions by what needs them: "" for accucheck itself, else the extra."""
    requires = {
        canonicalize_name(one["metadata"]["name"]): [
            Requirement(line) for line in one["metadata"].get("requires_dist", [])
        ]
        for one in installed
    }
    needed: dict[str, set[str]] = {}
    for extra in ("", *EXTRAS):
        found: set[str] = set()
        waiting = [("accucheck", extra)]
        while waiting:
            name, wanted = waiting.pop()
            for requirement in requires[name]:
                place = {"python_version": version, "python_full_version": f"{version}.0", "extra": wanted}
                below = canonicalize_name(requirement.name)
                if (requirement.marker is None or requirement.marker.evaluate(place)) and below not in found:
                    found.add(below)
                    waiting += [(below, each) for each in ("", *requirement.extras)]
        needed[extra] = found if not extra else found - needed[""]
    return needed


def store(pythons: list[str]) -> None:
    """Ask the index with each interpreter: pip judges by the one that runs it what a version of Python needs on top."""
    kept: dict[str, Any] = {"checked": datetime.date.today().isoformat(), "wheels": {}, "needed": {}, "code": {}}
    for python in pythons:
        said = subprocess.run(
            [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True
        )
        version = said.stdout.strip()
        for glibc in PLATFORMS:
            installed = _resolved(python, version, glibc)
            addresses = {one["download_info"]["url"] for one in installed if "archive_info" in one["download_info"]}
            names = {address.rsplit("/", 1)[1]: address for address in addresses}
            kept["wheels"].setdefault(version, {})[glibc] = sorted(names)
            for extra, found in _needed(installed, version).items():
                kept["needed"][extra] = sorted(found | set(kept["needed"].get(extra, ())))
            for name, address in names.items():
                if name.endswith("-any.whl") and name not in kept["code"]:
                    kept["code"][name] = machines(address)
    kept["code"] = {name: found for name, found in sorted(kept["code"].items()) if found}
    STORE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def wheels(language: Language) -> str:
    kept = json.loads(STORE.read_text("utf-8"))
    versions = sorted(kept["wheels"], key=lambda version: int(version.split(".")[1]))
    places = [(version, glibc) for glibc in reversed(PLATFORMS) for version in versions]
    taken: dict[str, dict[tuple[str, str], str]] = {}
    own: set[str] = set()
    for version, glibc in places:
        for name in kept["wheels"][version][glibc]:
            package, release, _, tags = parse_wheel_filename(name)
            taken.setdefault(package, {})[version, glibc] = str(release)
            if name in kept["code"] or any(MACHINE in tag.platform for tag in tags):
                own.add(package)
    rows = []
    for extra in ("", *EXTRAS):
        for package in sorted({*kept["needed"][extra]} - ({*kept["needed"][""]} if extra else set())):
            shown = [taken[package].get(place, "–") for place in places]
            kind = say("for-machine" if package in own else "for-any", language)
            rows.append([code(package), code(f"accucheck[{extra}]" if extra else "accucheck"), kind, *map(cell, shown)])
    head = [say(key, language) for key in ("package", "needed-for", "wheel")]
    head += [say("python-glibc", language, version=version, glibc=glibc) for version, glibc in places]
    text = say("platforms-text", language, date=kept["checked"], count=len(taken), python=", ".join(versions)).split(
        "\n"
    )
    return page(say("platforms", language), language, [line for part in text for line in (part, "")], table(head, rows))
