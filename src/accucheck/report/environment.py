"""What the project runs on: versions, devices, settings. Gathered without importing MindSpore or running the project's code.

Holds no user name, host name or address; home folders are shown as ~.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from .. import __version__
from ..case import Case
from ..language import Words, word
from ..model import Language

#: What is read of the files of an interpreter: bytes of a small one, and of its packages the files by name, up to a size.
_MOST, _METADATA, _LARGEST = 10_000, ("METADATA", "PKG-INFO", "direct_url.json"), 4 << 20
ASCEND = Path("/usr/local/Ascend")
SECONDS = 5.0  # for each command asked

#: Variables that change what MindSpore computes or how it starts; never those that may hold a secret.
_VARIABLE = re.compile(
    r"(MS|ASCEND|GLOG|HCCL|RANK|CANN)_\w+|DEVICE_ID|OMP_NUM_THREADS|PYTHONHASHSEED|CUDA_VISIBLE_DEVICES"
)
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CRED|AUTH", re.I)
_ADDRESS = re.compile(r"HOST|ADDR|(^|_)IP($|_)|URL|PROXY", re.I)
_MINDSPORE = ("mindspore", "mindspore-ascend", "mindspore-gpu", "mindspore-dev")
#: Packages that a result may hang on, beside MindSpore and NumPy.
PACKAGES = (
    "mindcv", "mindyolo", "mindocr", "mindnlp", "mindformers", "mindspeed", "mindspore-lite", "mindpet", "msadapter",
    "mindstudio-probe", "mindinsight", "hccl", "te", "torch", "torch-npu", "torchvision", "transformers", "tokenizers",
    "datasets", "timm", "numpy", "scipy", "pandas", "pillow", "opencv-python", "opencv-python-headless", "albumentations",
    "scikit-learn", "protobuf", "safetensors",
)  # fmt: skip
#: Where a project's own repository lies, by what its address names; the address itself is not told.
_HOSTS = {
    "gitee.com": "Gitee",
    "gitcode.com": "GitCode",
    "gitcode.net": "GitCode",
    "atomgit.com": "AtomGit",
    "github.com": "GitHub",
    "gitlab.com": "GitLab",
}

WORDS: Words = {
    "mindspore": {"en": "MindSpore", "zh": "MindSpore"},
    "mindspore_declared": {"en": "MindSpore, by the case", "zh": "MindSpore（accucheck.yaml 声明）"},
    "python": {"en": "Python", "zh": "Python"},
    "numpy": {"en": "NumPy", "zh": "NumPy"},
    "device": {"en": "Device", "zh": "硬件平台"},
    "npu": {"en": "NPU", "zh": "NPU"},
    "gpu": {"en": "GPU", "zh": "GPU"},
    "cann": {"en": "CANN", "zh": "CANN"},
    "driver": {"en": "Ascend driver", "zh": "昇腾驱动"},
    "firmware": {"en": "Ascend firmware", "zh": "昇腾固件"},
    "mode": {"en": "Execution mode", "zh": "执行模式"},
    "amp": {"en": "Mixed precision", "zh": "混合精度"},
    "devices": {"en": "Number of devices", "zh": "卡数"},
    "os": {"en": "Operating system", "zh": "操作系统"},
    "processor": {"en": "Processor", "zh": "处理器"},
    "memory": {"en": "Memory", "zh": "内存"},
    "variables": {"en": "Environment variables", "zh": "环境变量"},
    "git": {"en": "Project's commit", "zh": "项目 git 版本"},
    "packages": {"en": "Packages", "zh": "软件包"},
    "command": {"en": "Command of the training", "zh": "训练命令"},
    "accucheck": {"en": "accucheck", "zh": "accucheck"},
    # values
    "not-installed": {"en": "not found in the interpreter of the case", "zh": "未在所用解释器中找到"},
    "not-given": {"en": "not given", "zh": "未说明"},
    "detected": {"en": "{device} (detected)", "zh": "{device}（自动识别）"},
    "launched": {"en": "{count}, started with {launcher}", "zh": "{count}，由 {launcher} 启动"},
    "cores": {"en": "{count} logical cores", "zh": "{count} 个逻辑核"},
    "dirty": {
        "en": "{commit}, with uncommitted changes (files: {count})",
        "zh": "{commit}，另有 {count} 个文件的改动未提交",
    },
    "clean": {"en": "{commit}, no uncommitted changes", "zh": "{commit}，无未提交的改动"},
    "times": {"en": "{name} × {count}", "zh": "{name} × {count}"},
    "set": {"en": "(set)", "zh": "（已设置）"},
    "built": {"en": "{version} (package; commit {commit})", "zh": "{version}（安装包，commit {commit}）"},
    "package": {"en": "{version} (package; its commit is not recorded)", "zh": "{version}（安装包，未注明 commit）"},
    "source": {"en": "{version} (from source{commit})", "zh": "{version}（源码编译{commit}）"},
    "source-commit": {"en": "; commit {commit}", "zh": "，commit {commit}"},
    "hosted": {"en": "{text}; kept on {host}", "zh": "{text}；仓库位于 {host}"},
    "elsewhere": {"en": "another server", "zh": "其他服务器"},
}


def collect(case: Case, python: str | None = None, ascend: Path = ASCEND) -> dict[str, Any]:
    """What is known of the environment, as plain values; what is unknown is None or empty.

    `python` is the interpreter of the training environment, by default the case's runtime.python, else the running one. Another
    interpreter's packages are read from its folders: starting one that a case names could run a stranger's code.
    """
    runtime = case.spec.runtime
    versions = _versions(case, python or runtime.python)
    npus, gpus = _npus(), _gpus()
    commit, dirty, host, folder = _git(Path(case.root))
    found = "Ascend" if npus else "GPU" if gpus else "CPU"
    return {
        **versions,
        "mindspore_declared": runtime.mindspore,
        "device": runtime.device or found,
        "device_detected": runtime.device is None,
        "npu": npus,
        "gpu": gpus,
        "cann": _cann(ascend),
        "driver": _version_in([ascend / "driver/version.info"]),
        "firmware": _version_in([ascend / "firmware/version.info"]),
        "mode": runtime.mode,
        "amp": runtime.amp,
        "devices": runtime.distributed.devices,
        "launcher": runtime.distributed.launcher,
        "command": runtime.command,
        "os": _system(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_bytes": _memory(),
        "variables": _variables(),
        "git_commit": commit,
        "git_changed": dirty,
        "git_host": host,
        "git_folder": folder,
        "accucheck": __version__,
    }


def rows(environment: dict[str, Any], language: Language) -> list[tuple[str, str]]:
    """(label, value) of what is known, and of what people who read an issue always ask for."""

    def say(key: str, **data: Any) -> str:
        return word(WORDS, key, language, **data)

    get = environment.get
    memory: int | None = get("memory_bytes")
    found: list[tuple[str, str | None]] = [
        ("mindspore", _built(environment, say) or say("not-installed")),
        ("mindspore_declared", get("mindspore_declared") if get("mindspore_declared") != get("mindspore") else None),
        ("device", say("detected", device=get("device")) if get("device_detected") else get("device")),
        ("npu", _counted(get("npu") or [], say)),
        ("gpu", _counted(get("gpu") or [], say)),
        ("cann", get("cann")),
        ("driver", get("driver")),
        ("firmware", get("firmware")),
        ("mode", get("mode") or say("not-given")),
        ("amp", get("amp") or say("not-given")),
        ("devices", _devices(environment, say) or say("not-given")),
        ("command", get("command") or say("not-given")),
    ]
    system = " · ".join(filter(None, [get("os"), get("kernel"), get("architecture")]))
    cores = say("cores", count=get("cores")) if get("cores") else None
    found += [
        ("python", get("python")),
        ("numpy", get("numpy")),
        ("packages", "  ".join(f"{name} {version}" for name, version in (get("packages") or {}).items())),
        ("os", system),
        ("processor", " · ".join(filter(None, [get("processor"), cores]))),
        ("memory", f"{memory / 2**30:.1f} GiB" if memory else None),
    ]
    if commit := get("git_commit"):
        changed = get("git_changed")
        key = "dirty" if changed else "clean"
        text = commit[:12] if changed is None else say(key, commit=commit[:12], count=changed)
        host = get("git_host")
        found.append(("git", say("hosted", text=text, host=say(host)) if host else text))
    variables = [f"{name}={say('set') if value is None else value}" for name, value in (get("variables") or {}).items()]
    found += [("variables", "  ".join(variables)), ("accucheck", get("accucheck"))]
    return [(say(key), value) for key, value in found if value]


def lines(environment: dict[str, Any], language: Language) -> list[str]:
    """The same as lines to print or to paste into an issue."""
    return [f"{label}: {value}" for label, value in rows(environment, language)]


def _built(environment: dict[str, Any], say: Any) -> str | None:
    """MindSpore's version with what is known of the build."""
    version, commit = environment.get("mindspore"), environment.get("mindspore_commit")
    build = environment.get("mindspore_build")
    if version is None or build is None:
        return version
    if build == "source":
        return str(say("source", version=version, commit=say("source-commit", commit=commit) if commit else ""))
    return str(say("built" if commit else "package", version=version, commit=commit))


def _devices(environment: dict[str, Any], say: Any) -> str | None:
    count, launcher = environment.get("devices"), environment.get("launcher")
    if not count:
        return launcher
    return str(say("launched", count=count, launcher=launcher) if launcher else count)


def _counted(names: list[str], say: Any) -> str:
    return ", ".join(say("times", name=name, count=names.count(name)) for name in dict.fromkeys(names))


# --- Python -----------------------------------------------------------------------------------------------------------


def _versions(case: Case, python: str | None) -> dict[str, Any]:
    """The versions of Python, MindSpore, NumPy and PACKAGES in the interpreter of the training environment."""
    program = (
        (shutil.which(python) or os.path.join(case.root, os.path.expanduser(python))) if python else sys.executable
    )
    own = os.path.abspath(program) == os.path.abspath(sys.executable)
    prefix = Path(os.path.abspath(program)).parent.parent
    folders = sys.path if own else [str(path) for path in _package_folders(prefix)]
    installed: dict[str, str] = {}
    mindspore: metadata.Distribution | None = None
    for distribution in filter(_is_sound, metadata.distributions(path=folders)):
        name = _named(distribution)
        if name in _MINDSPORE:
            mindspore = mindspore or distribution
        elif name in PACKAGES:
            installed.setdefault(name, (distribution.version or "")[:40])
    commit, build = _build(mindspore) if mindspore is not None else (None, None)
    return {
        "python": platform.python_version() if own else _python_version(prefix),
        "mindspore": mindspore.version[:40] if mindspore is not None else None,
        "mindspore_commit": commit,
        "mindspore_build": build,
        "numpy": installed.pop("numpy", None),
        "packages": dict(sorted(installed.items())),
    }


def _head(path: Path) -> str:
    """The beginning of a regular file; empty where there is none. A case may name any folder, where a pipe would be waited for."""
    try:
        if path.is_file():
            with path.open("rb") as stream:
                return stream.read(_MOST).decode("utf-8", "replace")
    except OSError:
        pass
    return ""


def _is_sound(distribution: metadata.Distribution) -> bool:
    """Whether the files of a distribution that are read are regular ones of a usual size."""
    folder = getattr(distribution, "_path", None)
    if not isinstance(folder, Path) or not folder.is_dir():
        return True
    try:
        found = [folder.joinpath(name).stat() for name in _METADATA if folder.joinpath(name).exists()]
    except OSError:
        return False
    return all(stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST for status in found)


def _named(distribution: metadata.Distribution) -> str:
    """A distribution's name, as its folder says, or the metadata where that is no folder of the usual name."""
    found = re.match(r"(.+?)-[^-]+\.(?:dist|egg)-info", getattr(getattr(distribution, "_path", None), "name", ""))
    name = found[1] if found else distribution.metadata["Name"] or ""
    return re.sub(r"[-_.]+", "-", name).lower()


def _build(distribution: metadata.Distribution) -> tuple[str | None, str | None]:
    """The commit that MindSpore was made from, and package or source, by the files that lie in it."""
    found = re.search(r"\[sha1\]:([0-9a-f]{6,40})", _head(Path(str(distribution.locate_file("mindspore/.commit_id")))))
    commit = found[1] if found else None
    try:
        address = distribution.read_text("direct_url.json") or ""
    except (OSError, UnicodeDecodeError):
        address = ""
    return commit, "source" if '"dir_info"' in address or '"vcs_info"' in address else "package"


def _package_folders(prefix: Path) -> Iterator[Path]:
    """Where the packages of an interpreter with this prefix lie; those of the user too, unless it is a virtual environment."""
    yield from prefix.glob("lib/python3*/site-packages")
    if not (prefix / "pyvenv.cfg").exists():
        yield from prefix.glob("lib/python3*/dist-packages")
        yield from prefix.glob("local/lib/python3*/dist-packages")
        for library in prefix.glob("lib/python3.*"):
            yield from Path.home().glob(f".local/lib/{library.name}/site-packages")


def lacks(python: str, package: str) -> bool:
    """Whether the environment of an interpreter is seen to be without a package, by its folders: nothing is run."""
    folders = [*_package_folders(Path(python).parent.parent)]
    return bool(folders) and not any((folder / package).exists() for folder in folders)


def _python_version(prefix: Path) -> str | None:
    """The version that a virtual environment notes, or that the name of its library folder tells."""
    if noted := re.search(r"^version(?:_info)?\s*=\s*([\d.]+)", _head(prefix / "pyvenv.cfg"), re.M):
        return noted[1]
    names = sorted(path.name.removeprefix("python") for path in prefix.glob("lib/python3.*") if path.is_dir())
    return names[-1] if names else None


# --- devices ----------------------------------------------------------------------------------------------------------


def _ask(*command: str, environment: dict[str, str] | None = None) -> str | None:
    """What a command prints, or None when there is none, it fails, or it takes too long."""
    program = shutil.which(command[0])
    if not program:
        return None
    try:
        done = subprocess.run(
            [program, *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            env={**os.environ, "LC_ALL": "C", **(environment or {})},
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout[:200_000].decode("utf-8", "replace")


def _npus() -> list[str]:
    """The model of each NPU: the rows `| 0  910B3  | OK ...` of npu-smi, or `| 0  Ascend910  | OK ...`."""
    text = _ask("npu-smi", "info") or ""
    return [f"Ascend {model}" for model in re.findall(r"^\|\s*\d+\s+(?:Ascend)?(\d{3}\w*)\s*\|\s*\w+\s*\|", text, re.M)]


def _gpus() -> list[str]:
    text = _ask("nvidia-smi", "--query-gpu=name", "--format=csv,noheader") or ""
    return [line.strip() for line in text.splitlines() if line.strip()][:64]


def _cann(ascend: Path) -> str | None:
    homes = [Path(os.environ[name]) for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME") if os.environ.get(name)]
    homes += [ascend / "ascend-toolkit/latest", ascend / "cann/latest", ascend / "cann", ascend / "nnae/latest"]
    files: list[Path] = []
    for home in homes:
        files += [*sorted(home.glob("*/ascend_*_install.info")), home / "version.cfg", home / "version.info"]
    return _version_in(files)


def _version_in(files: list[Path]) -> str | None:
    """The first version named in install.info, version.info or version.cfg files of CANN; of `[package's own:public]` the public one."""
    for path in files:
        try:
            text = path.open("rb").read(20_000).decode("utf-8", "replace") if path.is_file() else ""
        except OSError:
            continue
        if found := re.search(r"^\s*(?:\w*_)?version\s*=\s*\[?\s*(?:[\w.]+:)?([\w.+-]+)", text, re.M | re.I):
            return found[1]
    return None


# --- machine ----------------------------------------------------------------------------------------------------------


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def _processor() -> str | None:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return platform.processor() or None
    found = re.search(r"^(?:model name|Hardware)\s*:\s*(.+)$", text, re.M)
    return found[1].strip() if found else None


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def _variables() -> dict[str, str | None]:
    """Chosen environment variables; None for one that holds an address, of which only is told that it is set."""
    return {
        name: None if _ADDRESS.search(name) or "://" in value else value[:200]
        for name, value in sorted(os.environ.items())
        if _VARIABLE.fullmatch(name) and not _SECRET.search(name)
    }


# --- git --------------------------------------------------------------------------------------------------------------


def _git(root: Path) -> tuple[str | None, int | None, str | None, str | None]:
    """The project's commit, how many tracked files differ from it, what kind of server it is kept on, and the folder of the project in
    the repository, ended by a slash, or empty; None where unknown.

    Nothing that the repository configures is run: no hook, no file system monitor, no fetching; where the repository itself
    defines a content filter, which `git status` would run, changed files are not counted.
    """
    safe = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-C", str(root))
    quiet = {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }
    commit = _ask(*safe, "rev-parse", "--verify", "HEAD", environment=quiet)
    if not commit or not re.fullmatch(r"[0-9a-f]{40,64}\n", commit):
        return None, None, None, None
    host = _host(_ask(*safe, "config", "--get", "remote.origin.url", environment=quiet))
    folder = (_ask(*safe, "rev-parse", "--show-prefix", environment=quiet) or "").removesuffix("\n")
    configured = _ask(*safe, "config", "--show-scope", "--list", "--name-only", environment=quiet)
    if configured is None or re.search(r"^(local|worktree)\tfilter\.", configured, re.M):
        return commit.strip(), None, host, folder
    changed = _ask(*safe, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all", environment=quiet)
    return commit.strip(), None if changed is None else len(changed.splitlines()), host, folder


def _host(address: str | None) -> str | None:
    """The kind of server of a remote's address: its name, `elsewhere`, or None where there is none or it is a folder."""
    found = re.match(r"(?:\w+://)?(?:[^@/\s]*@)?([\w.-]+\.\w+)[:/]", (address or "").strip())
    return None if found is None else _HOSTS.get(found[1].lower().removeprefix("www."), "elsewhere")
