"""Drafts: on disk soon, gone when they are ended, and never in the way."""

import os
import subprocess
import sys
import time

import pytest

from accucheck.drafts import MAX_FILE, WRITE_EVERY, Drafts

CHILD = """
import sys
from pathlib import Path
from accucheck.drafts import Drafts
drafts = Drafts(Path(sys.argv[1]))
text = ""
while True:
    text += "字"
    drafts.put("note ds.01", text)
    print(len(text), flush=True)
    sys.stdin.readline()
"""


def test_a_draft_is_there_for_the_next_opener_until_it_is_ended(tmp_path):
    file = tmp_path / "drafts.json"
    drafts = Drafts(file)
    drafts.put("note ds.01", "half a se")
    drafts.put("note ds.02", "\x00\u202e[red]\n")
    assert drafts.get("note ds.01") == "half a se"  # before it is on disk
    drafts.close()
    again = Drafts(file)
    assert again.keys == ["note ds.01", "note ds.02"] and again.get("note ds.02") == "\x00\u202e[red]\n"
    again.put("note ds.01", None)
    again.put("note ds.02", None)
    again.close()
    assert os.listdir(tmp_path) == []


def test_kill_9_loses_at_most_the_last_second(tmp_path):
    file = tmp_path / "drafts.json"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    typed = []
    begin = time.monotonic()
    while time.monotonic() - begin < 3 * WRITE_EVERY or len(typed) < 10:
        typed.append((time.monotonic(), int(child.stdout.readline())))
        time.sleep(0.02)
        child.stdin.write("\n")
    child.kill()
    killed = time.monotonic()
    child.wait()
    child.stdout.close()
    child.stdin.close()
    kept = len(Drafts(file).get("note ds.01"))
    assert kept >= max(length for when, length in typed if when < killed - 1)


@pytest.mark.part(40)
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"a": 3}', b"\xff\xfe", b"[" * 100_000, b" " * (MAX_FILE + 1)])
def test_what_is_no_file_of_drafts_counts_as_none(tmp_path, content):
    file = tmp_path / "drafts.json"
    file.write_bytes(content)
    drafts = Drafts(file)
    assert drafts.keys == []
    drafts.put("a", "b")
    drafts.close()
    assert Drafts(file).get("a") == "b" and drafts.error is None


def test_what_cannot_be_written_is_kept_in_memory_and_written_later(tmp_path):
    drafts = Drafts(tmp_path / "gone" / "drafts.json")
    drafts.put("a", "b")
    drafts.close()
    assert drafts.error.code == "not-found" and drafts.get("a") == "b"
    (tmp_path / "gone").mkdir()
    drafts.close()
    assert drafts.error is None and Drafts(drafts.path).get("a") == "b"
