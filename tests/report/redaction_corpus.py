"""The corpora of redaction: texts with private data, marked «», and harmless ones that look alike."""

import base64
import functools
import random
import re
import string
from pathlib import Path
from typing import NamedTuple

import yaml

FOLDER = Path(__file__).parent / "redaction"
MACHINE = {
    "root": "/srv/projects/acme",
    "home": "/home/wangwei",
    "users": ["wangwei"],
    "hosts": ["ecs-train-07"],
}


class Planted(NamedTuple):
    """A text, what of it is private, and the kind that it must be counted as."""

    text: str
    private: str
    kind: str


@functools.cache
def _made(number: int) -> dict[str, str]:
    """Tokens of each form, other ones for each number; put together here so that no file holds one."""
    one = random.Random(number)

    def some(count: int, letters: str = string.ascii_letters + string.digits) -> str:
        return "".join(one.choice(letters) for _ in range(count - 2)) + "a7"

    hexes = "0123456789abcdef"
    upper = string.ascii_uppercase + string.digits

    def block(name: str) -> str:
        body = "\n".join(some(64) for _ in range(3))
        return f"-----BEGIN {name}PRIVATE KEY-----\n{body}\n-----END {name}PRIVATE KEY-----"

    parts = [base64.urlsafe_b64encode(some(30).encode()).decode().rstrip("=") for _ in range(3)]
    big = some(14, upper).upper()
    return {
        "github": "ghp" + "_" + some(36),
        "github_o": "gho" + "_" + some(36),
        "github_s": "ghs" + "_" + some(36),
        "github_pat": "github" + "_pat_" + some(82),
        "gitlab": "glpat" + "-" + some(20),
        "gitlab_runner": "glrt" + "-" + some(20),
        "hf": "hf" + "_" + some(34),
        "aws": "AK" + "IA" + big + "A7",
        "aws_temporary": "AS" + "IA" + big + "B8",
        "ak": some(20, upper).upper(),
        "secret30": some(30),
        "secret32": some(32),
        "secret40": some(40),
        "long": some(200),
        "base64": base64.b64encode(some(24).encode()).decode(),
        "base64_long": base64.b64encode(some(64).encode()).decode(),
        "jwt": f"eyJ{parts[0]}.eyJ{parts[1]}.{parts[2]}",
        "slack": "xox" + "b-" + some(12, string.digits) + "-" + some(24),
        "slack_hook": "services/T" + some(8) + "/B" + some(8) + "/" + some(24),
        "uuid": "-".join(some(count, hexes) for count in (8, 4, 4, 4, 12)),
        "google": "AI" + "za" + some(35),
        "openai": "sk" + "-proj-" + some(48),
        "pypi": "pypi" + "-AgEIcHlwaS5vcmc" + some(60),
        "npm": "npm" + "_" + some(36),
        "hex32": some(32, hexes),
        "hex40": some(40, hexes),
        "hex64": some(64, hexes),
        "aliyun": "LT" + "AI" + some(20),
        "tencent": "AK" + "ID" + some(32),
        "modelscope": "ms-" + "-".join(some(count, hexes) for count in (8, 4, 4, 4, 12)),
        "groq": "gsk" + "_" + some(52),
        "replicate": "r8" + "_" + some(37),
        "vault": "hv" + "s." + some(90),
        "databricks": "da" + "pi" + some(32, hexes),
        "atlassian": "ATATT" + "3xFfGF0" + some(60),
        "figma": "fig" + "d_" + some(40),
        "artifactory": "AK" + "Cp" + some(60),
        "age": "AGE-SECRET-KEY" + "-1" + some(58, upper).upper(),
        "dingtalk": "SE" + "C" + some(64, hexes),
        "telegram": "1234567890" + ":AA" + some(33),
        "nvidia": "nv" + "api-" + some(64),
        "secret16": "Zr8" + some(13),
        "secret24": "Zr8" + some(21),
        "signature": some(27).replace("/", "x") + "%3D",
        "private_key": block(""),
        "private_key_rsa": block("RSA "),
        "private_key_open": block("OPENSSH "),
    }


@functools.cache
def planted() -> list[Planted]:
    """The private texts. Where a line has several marks, each is one."""
    data = yaml.safe_load((FOLDER / "private.yaml").read_text("utf-8"))
    found = []
    for kind, texts in data.items():
        if kind == "machine":
            assert texts == MACHINE
            continue
        for number, text in enumerate(texts):
            filled = re.sub(r"\{([a-z0-9_]+)\}", lambda match, made=_made(number): made[match[1]], text)
            marks = re.findall("«(.*?)»", filled, re.S)
            plain = re.sub("[«»]", "", filled)
            found += [Planted(plain, mark, kind) for mark in marks]
    return found


def harmless() -> list[str]:
    data = yaml.safe_load((FOLDER / "harmless.yaml").read_text("utf-8"))
    return [text for texts in data.values() for text in texts]
