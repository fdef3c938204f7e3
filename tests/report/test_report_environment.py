"""The environment: from real folders and stand-in commands; nothing of the case is run, nothing private is told."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.model import Language
from accucheck.report import environment

NPU_SMI = """+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.rc2                 Version: 24.1.rc2                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 92.1        45                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3400 / 65536         |
+===========================+===============+====================================================+
| 1     910B3               | OK            | 90.0        44                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          3390 / 65536         |
+===========================+===============+====================================================+
"""


def case_of(root: Path, **runtime: object) -> Case:
    return Case(root=str(root), spec=msgspec.convert({"runtime": runtime}, CaseFile))


def command(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n" + script)
    (folder / name).chmod(0o755)


def git(root: Path, *words: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, "-C", str(root), *words], check=True, capture_output=True)


def test_own_interpreter(tmp_path: Path) -> None:
    found = environment.collect(case_of(tmp_path))
    assert found["numpy"] == version("numpy")
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found["cores"] >= 1 and found["memory_bytes"] > 1 << 28 and found["architecture"]
    assert msgspec.json.decode(msgspec.json.encode(found)) == found, "plain JSON values"


@pytest.mark.parametrize("prefix", ["env", "../env"])
def test_another_interpreter_is_read_not_run(tmp_path: Path, prefix: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    root = Path(os.path.normpath(project / prefix))
    for name, number in (("mindspore", "2.4.1"), ("numpy", "1.26.4")):
        folder = root / f"lib/python3.9/site-packages/{name}-{number}.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n")
    command(root / "bin", "python", f"touch {tmp_path}/was-run\n")
    found = environment.collect(case_of(project, python=f"{prefix}/bin/python"))
    assert (found["mindspore"], found["numpy"], found["python"]) == ("2.4.1", "1.26.4", "3.9")
    (root / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.9.18\n")
    assert environment.collect(case_of(project, python=f"{prefix}/bin/python"))["python"] == "3.9.18"
    assert not (tmp_path / "was-run").exists()


def test_an_interpreter_that_is_not_there(tmp_path: Path) -> None:
    found = environment.collect(case_of(tmp_path, python="no/such/python"))
    assert found["mindspore"] is None and found["python"] is None
    rows = dict(environment.rows(found, Language.EN))
    assert rows["MindSpore"] == "not found in the interpreter of the case" and "Python" not in rows


def test_ascend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command(tmp_path / "bin", "npu-smi", f"cat <<'E'\n{NPU_SMI}E\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        monkeypatch.delenv(name, raising=False)
    ascend = tmp_path / "Ascend"
    info = ascend / "ascend-toolkit/latest/aarch64-linux/ascend_toolkit_install.info"
    info.parent.mkdir(parents=True)
    info.write_text("package_name=Ascend-cann-toolkit\nversion=8.0.RC2\ninnerversion=V100R001\n")
    (ascend / "driver").mkdir()
    (ascend / "driver/version.info").write_text("Version=24.1.rc2\nascendhal_version=7.35.19\n")
    found = environment.collect(case_of(tmp_path), ascend=ascend)
    assert found["npu"] == ["Ascend 910B3", "Ascend 910B3"]
    assert (found["cann"], found["driver"], found["firmware"]) == ("8.0.RC2", "24.1.rc2", None)
    rows = dict(environment.rows(found, Language.ZH))
    assert rows["硬件平台"] == "Ascend（自动识别）" and rows["NPU"] == "Ascend 910B3 × 2"
    stated = dict(environment.rows(environment.collect(case_of(tmp_path, device="GPU"), ascend=ascend), Language.EN))
    assert stated["Device"] == "GPU", "what the case says goes before what is detected"


def test_a_hanging_or_failing_tool_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command(tmp_path / "bin", "npu-smi", "exec sleep 60\n")
    command(tmp_path / "bin", "nvidia-smi", "echo NVIDIA-SMI has failed; exit 9\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(environment, "SECONDS", 0.3)
    found = environment.collect(case_of(tmp_path))
    assert found["npu"] == found["gpu"] == [] and found["device"] == "CPU"


def test_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "GLOG_v": "3",
        "MS_ENABLE_GE": "1",
        "RANK_ID": "0",
        "DEVICE_ID": "7",
        "MS_SCHED_HOST": "10.1.2.3",
        "HCCL_IF_IP": "10.1.2.4",
        "ASCEND_PROXY": "x",
        "MS_AUTH_TOKEN": "t0ps3cret",
        "ASCEND_ACCESS_KEY": "t0ps3cret",
        "MS_DB_PASSWORD": "t0ps3cret",
        "MS_STORE": "https://user:t0ps3cret@host/x",
        "OTHER": "t0ps3cret",
    }.items():
        monkeypatch.setenv(name, value)
    found = environment.collect(case_of(tmp_path))
    variables = found["variables"]
    assert variables["GLOG_v"] == "3" and variables["DEVICE_ID"] == "7" and variables["RANK_ID"] == "0"
    assert variables["MS_SCHED_HOST"] is None and variables["HCCL_IF_IP"] is None and variables["MS_STORE"] is None
    assert not {"MS_AUTH_TOKEN", "ASCEND_ACCESS_KEY", "MS_DB_PASSWORD", "OTHER"} & set(variables)
    text = "\n".join(environment.lines(found, Language.EN))
    assert "t0ps3cret" not in text and "10.1.2" not in text and "MS_SCHED_HOST=(set)" in text


def test_no_names_of_people_or_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setenv("USER", "zhangsan-user")
    monkeypatch.setattr(socket, "gethostname", lambda: "secret-host-17")
    found = environment.collect(case_of(tmp_path))
    text = msgspec.json.encode(found).decode()
    assert "zhangsan-user" not in text and "secret-host-17" not in text and os.uname().nodename not in text.split('"')


def test_git(tmp_path: Path) -> None:
    assert environment.collect(case_of(tmp_path))["git_commit"] is None
    git(tmp_path, "init")
    (tmp_path / "a.py").write_text("1")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-m", "x")
    found = environment.collect(case_of(tmp_path))
    assert len(found["git_commit"]) == 40 and found["git_changed"] == 0
    (tmp_path / "a.py").write_text("two")
    (tmp_path / "untracked").write_text("")
    found = environment.collect(case_of(tmp_path))
    assert found["git_changed"] == 1
    assert any("uncommitted changes (files: 1)" in line for line in environment.lines(found, Language.EN))
    assert found["git_folder"] == ""
    (tmp_path / "a b" / "net").mkdir(parents=True)
    assert environment.collect(case_of(tmp_path / "a b" / "net"))["git_folder"] == "a b/net/"


def test_git_runs_nothing_of_the_repository(tmp_path: Path) -> None:
    git(tmp_path, "init")
    (tmp_path / "a.py").write_text("1")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-m", "x")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\ncat\n")
    trap.chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(trap))
    (tmp_path / "a.py").write_text("two")
    assert environment.collect(case_of(tmp_path))["git_changed"] == 1
    git(tmp_path, "config", "filter.evil.clean", str(trap))
    (tmp_path / ".gitattributes").write_text("*.py filter=evil\n")
    found = environment.collect(case_of(tmp_path))
    assert found["git_commit"] and found["git_changed"] is None
    assert not (tmp_path / "was-run").exists()


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = environment.collect(case_of(tmp_path))
    assert found["git_commit"] is None and found["npu"] == []


def test_the_build_of_mindspore_and_the_packages_that_matter(tmp_path: Path) -> None:
    packages = tmp_path / "env/lib/python3.11/site-packages"
    for name, number in (("mindspore", "2.10.0"), ("mindcv", "0.3.0"), ("Pillow", "11.0.0"), ("left_pad", "1.0")):
        folder = packages / f"{name}-{number}.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n")
    case = case_of(tmp_path, python="env/bin/python")
    found = environment.collect(case)
    assert found["packages"] == {"mindcv": "0.3.0", "pillow": "11.0.0"}
    assert (found["mindspore_commit"], found["mindspore_build"]) == (None, "package")
    (packages / "mindspore").mkdir()
    (packages / "mindspore/.commit_id").write_text(
        "__commit_id__ = '[sha1]:2d550373,[branch]:(HEAD,origin/r2.10,r2.10)'\n"
    )
    found = environment.collect(case)
    assert dict(environment.rows(found, Language.EN))["MindSpore"] == "2.10.0 (package; commit 2d550373)"
    (packages / "mindspore-2.10.0.dist-info/direct_url.json").write_text(
        '{"url": "file:///x", "dir_info": {"editable": true}}'
    )
    found = environment.collect(case)
    assert dict(environment.rows(found, Language.ZH))["MindSpore"] == "2.10.0（源码编译，commit 2d550373）"


def test_the_installed_mindspore() -> None:
    pytest.importorskip("mindspore", reason="MindSpore is an extra")
    found = environment.collect(Case("/"))
    assert found["mindspore"] == version("mindspore") and found["mindspore_build"] == "package"
    assert found["mindspore_commit"] is not None and len(found["mindspore_commit"]) >= 6


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    rows = dict(environment.rows(environment.collect(case_of(tmp_path)), Language.EN))
    for label in ("Execution mode", "Mixed precision", "Number of devices", "Command of the training"):
        assert rows[label] == "not given"
    case = case_of(tmp_path, command="msrun train.py", distributed={"devices": 8, "launcher": "msrun"})
    rows = dict(environment.rows(environment.collect(case), Language.EN))
    assert rows["Command of the training"] == "msrun train.py"
    assert rows["Number of devices"] == "8, started with msrun"


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://gitee.com/zhangsan/secret.git", "Gitee"),
        ("git@atomgit.com:zhangsan/secret.git", "AtomGit"),
        ("https://zhangsan:t0ken@gitcode.com/zhangsan/secret", "GitCode"),
        ("ssh://git@github.com/zhangsan/secret", "GitHub"),
        ("git@code.internal.corp:zhangsan/secret.git", "another server"),
        ("/srv/zhangsan/secret", None),
    ],
)
def test_of_a_remote_only_the_kind_of_server(tmp_path: Path, address: str, host: str | None) -> None:
    git(tmp_path, "init")
    (tmp_path / "a.py").write_text("1")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-m", "x")
    git(tmp_path, "remote", "add", "origin", address)
    found = environment.collect(case_of(tmp_path))
    text = "\n".join(environment.lines(found, Language.EN)) + msgspec.json.encode(found).decode()
    assert (f"; kept on {host}" in text) if host else "kept on" not in text
    assert not any(part in text for part in ("zhangsan", "t0ken", "internal", "secret"))


def test_a_version_file_that_tells_two_versions_and_boards_without_a_suffix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = NPU_SMI.replace("910B3    ", "Ascend910")
    command(tmp_path / "bin", "npu-smi", f"cat <<'E'\n{rows}E\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    home = tmp_path / "Ascend/ascend-toolkit/latest"
    home.mkdir(parents=True)
    (home / "version.cfg").write_text(
        "# version: 1.0\nruntime_running_version=[7.6.0.1.220:8.0.0]\ncompiler_running_version=[7.6.0.1.220:8.0.0]\n"
    )
    monkeypatch.setenv("ASCEND_HOME_PATH", str(home))
    (tmp_path / "Ascend/firmware").mkdir()
    (tmp_path / "Ascend/firmware/version.info").write_text(
        "Version=7.5.0.1.129\nfirmware_version=1.0\npackage_version=24.1.rc3\n"
    )
    found = environment.collect(case_of(tmp_path), ascend=tmp_path / "Ascend")
    assert found["npu"] == ["Ascend 910", "Ascend 910"]
    assert (found["cann"], found["firmware"]) == ("8.0.0", "7.5.0.1.129")
