"""The settings of a person: read as they are, kept as they are, told where they are wrong."""

import os

import pytest

from accucheck import settings
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
