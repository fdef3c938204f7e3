"""The command of a run as text: which script it starts, and with what."""

from pathlib import Path

import pytest

from accucheck.script.command import Command, read


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("train.py", "eval.py", "tools/train.py", "package/train.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "script", "words"),
    [
        ("python train.py", "train.py", []),
        ("python3.11 -u ./train.py --lr 0.1 data", "train.py", ["--lr", "0.1", "data"]),
        ("./train.py", "train.py", []),
        ("GLOG_v=3 nohup python train.py --name 'a b' > log.txt 2>&1 &", "train.py", ["--name", "a b"]),
        ("cd tools && python train.py --config=x.yaml", "tools/train.py", ["--config=x.yaml"]),
        ("python -m package.train --lr 1", "package/train.py", ["--lr", "1"]),
        ("msrun --worker_num=8 --local_worker_num=8 train.py --lr 1", "train.py", ["--lr", "1"]),
        ("mpirun -n 8 --allow-run-as-root python tools/train.py", "tools/train.py", []),
        ("source env.sh; python train.py | tee log", "train.py", []),
        ("python -m launcher --nproc 2 train.py --lr 1", "train.py", ["--lr", "1"]),
        ('python train.py --text "it\'s; fine"', "train.py", ["--text", "it's; fine"]),
        ('GIVEN="--lr 0.1 -v"\npython train.py $GIVEN x', "train.py", ["--lr", "0.1", "-v", "x"]),
        ('NAME="a b"\npython train.py --name "$NAME"', "train.py", ["--name", "a b"]),
    ],
)
def test_commands_of_a_shell(project: Path, text: str, script: str, words: list[str]) -> None:
    found = read(text, project)
    assert found is not None
    assert found.script == (project / script).resolve() and list(found.words) == words


@pytest.mark.parametrize(
    "text",
    [
        "",
        "python",
        "python other.py",
        "python train.py && python eval.py",
        "cp train.py copy",
        "echo 'python train.py'",
        "python train.py --name 'not closed",
        "python 'tra\0in.py'",
        "python " + "a" * 5000 + ".py",
        "x" * 200_000,
        "bash loop.sh",
        "cat binary.sh",
        "python -c 'import train'",
    ],
)
def test_what_starts_no_script_or_several(project: Path, text: str) -> None:
    (project / "loop.sh").write_text("bash loop.sh\n")
    (project / "binary.sh").write_bytes(b"\xff\xfe\0")
    assert read(text, project) is None


def test_a_shell_script_with_variables_of_its_own(project: Path) -> None:
    (project / "scripts").mkdir()
    (project / "scripts" / "run.sh").write_text(
        """#!/bin/bash
# usage: run.sh CONFIG [EPOCHS]
if [ $# -lt 1 ]; then
    echo "usage: python train.py"
    exit 1
fi
export DEVICE_NUM=8
RATE=0.1
CONFIG=$1
rm -rf work && mkdir work
cp ../*.py ./work
cd ./work || exit
for i in 0 1 2; do
    export RANK_ID=$i
    python train.py --config $CONFIG \\
        --lr ${RATE} --epochs ${2:-90} --rank $i > log$i.txt 2>&1 &
done
"""
    )
    found = read("bash scripts/run.sh conf/a.yaml", project)
    assert found == Command(
        (project / "train.py").resolve(),
        ("--config", "conf/a.yaml", "--lr", "0.1", "--epochs", "90", "--rank", "$i"),
        {"DEVICE_NUM": "8", "RANK_ID": "$i"},
        ("i",),
    )


def test_arguments_are_handed_on(project: Path) -> None:
    (project / "run.sh").write_text('python train.py "$@" --seed 1\n')
    found = read("sh run.sh --lr 0.5 --name 'a b'", project)
    assert found is not None and list(found.words) == ["--lr", "0.5", "--name", "a b", "--seed", "1"]
