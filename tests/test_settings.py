"""The settings of a person: read as they are, kept as they are, told where they are wrong."""

import json
import os

import pytest

from accucheck import checklist, consent, recent, settings
from accucheck.case import Case
from accucheck.errors import SaveError, UserError
from accucheck.language import Language
from accucheck.settings import Settings


def write(text: str | bytes) -> None:
    settings.folder().mkdir(parents=True, exist_ok=True)
    settings.file().write_bytes(text if isinstance(text, bytes) else text.encode())


def test_none_is_the_defaults():
    assert settings.load() == (Settings(), None)


def test_they_lie_in_the_users_folder(home, monkeypatch, tmp_path):
    assert settings.file() == home / ".config/accucheck/settings.yaml"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert settings.file() == tmp_path / "accucheck/settings.yaml"


@pytest.mark.parametrize("given", [None, "", "~/.config", "mine"])
def test_without_a_home_nothing_of_the_project_counts_as_the_persons(monkeypatch, tmp_path, given):
    """A stranger's project may hold a folder that is called ~."""
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", lambda user: {}[user])
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False) if given is None else monkeypatch.setenv(name, given)
    case = Case(root=str(tmp_path))
    for base in ("~/.config", "~/.local/state", "mine"):
        (tmp_path / base / "accucheck").mkdir(parents=True)
        (tmp_path / base / "accucheck/consent.json").write_text(json.dumps([consent.code_key(case)]))
        (tmp_path / base / "accucheck/settings.yaml").write_text("theme: nord\n")
        (tmp_path / base / "accucheck/recent.json").write_text('[{"path": "/x", "name": "x", "when": ""}]')
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert not consent.granted(case) and settings.load() == (Settings(), None) and recent.load() == []
    recent.note(recent.Recent("/y", "y", ""))
    for write in (lambda: settings.keep_theme("nord"), lambda: consent.grant(case)):
        with pytest.raises(SaveError):
            write()
    assert checklist.load("accuracy").items and sorted(tmp_path.rglob("*")) == before


def test_only_what_begins_with_the_home_is_shortened(home):
    assert settings.from_home(f"{home}/a") == "~/a"
    for path in (f"/mnt{home}/a", f"{home}-b/a", "/a"):
        assert settings.from_home(path) == path


def test_they_are_read():
    write("theme: nord\nkeys: {run: F5, next: 'n,j'}\n")
    assert settings.load() == (Settings("nord", {"run": "F5", "next": "n,j"}), None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("theme: [1\n", ":2:"),
        ("thme: nord\n", "settings.yaml:1: unknown key thme. Did you mean theme?"),
        ("theme: 3\n", "settings.yaml:1"),
        ("keys:\n  run: [r]\n", "settings.yaml:1: keys"),
        ("keys: {run: 1}\n", "settings.yaml:1"),
        (b"theme: \xff\n", "settings.yaml:1"),
        ("a: &a [*a]\n", "settings.yaml"),
        ("- x\n", "settings.yaml:1"),
        ("theme: " + "x" * (1 << 20), "settings.yaml"),
        ("theme: !!python/object/apply:os.system ['true']\n", "settings.yaml"),
    ],
    ids=range(10),
)
def test_what_is_wrong_is_told_and_the_defaults_stand(text, said):
    write(text)
    found, error = settings.load()
    assert found == Settings()
    assert error is not None and said in error.text(Language.EN) and "defaults" in error.text(Language.EN)


def test_a_folder_in_its_place_is_told():
    settings.file().mkdir(parents=True)
    assert "folder" in settings.load()[1].text(Language.EN)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "theme: nord\n"),
        ("", "theme: nord\n"),
        ("# mine\ntheme: dark  # at night\nkeys: {run: F5}\n", "# mine\ntheme: nord\nkeys: {run: F5}\n"),
        ("# mine\nkeys:\n  run: F5\n", "theme: nord\n# mine\nkeys:\n  run: F5\n"),
    ],
)
def test_the_theme_is_kept_and_the_rest_stays(before, after):
    if before is not None:
        write(before)
    settings.keep_theme("nord")
    assert settings.file().read_text() == after
    assert settings.load()[0].theme == "nord"


@pytest.mark.parametrize("text", ["theme: [1\n", "{theme: dark}\n", "--- \ntheme: dark\n...\n---\na: 1\n"])
def test_a_file_that_cannot_be_added_to_is_left_alone(text):
    write(text)
    with pytest.raises(UserError):
        settings.keep_theme("nord")
    assert settings.file().read_text() == text


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_a_home_that_cannot_be_written_is_told(home):
    home.chmod(0o500)
    try:
        with pytest.raises(SaveError):
            settings.keep_theme("nord")
    finally:
        home.chmod(0o700)


def test_a_file_in_the_way_of_the_folder_is_told(home):
    (home / ".config").write_text("")
    with pytest.raises(SaveError):
        settings.keep_theme("nord")
