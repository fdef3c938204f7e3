"""The command of a run: which script it starts, with which arguments, in which environment.

Read from the text that a case or a recording holds, as a shell would read it: launchers and words before the script, variables set
for the command, `cd`, pipes and redirections, and shell scripts that start one Python script. Nothing is run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

#: Longer commands, and larger shell scripts, are not read.
LONGEST, LARGEST = 100_000, 1 << 18
#: A shell script may start another one, so deep.
DEPTH = 3
_ENDS = frozenset((";", "&&", "||", "|", "&", "|&", "(", ")"))
_OPERATOR = re.compile(r"[;&|<>()]+")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.S)
_VARIABLE = re.compile(r"\$(?:\{(\w+|[@*])(?::?-([^{}]*))?\}|(\w+|[@*]))")
_SHELLS = (".sh", ".bash")
#: Programs that run a script that they are given: interpreters, shells, launchers.
_SHELL = re.compile(r"(^|/)(ba|da|z)?sh$")
_STARTS = re.compile(r"python|pypy|(ba|da|z)?sh$|source$|\.$|\w*run$|accelerate$|deepspeed$")


@dataclass(frozen=True)
class Command:
    """A Python script that is started: its file, its arguments, and the variables that are set for it. `lost`: the shell variables in
    its arguments whose values are not known."""

    script: Path
    words: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    lost: tuple[str, ...] = ()


def read(text: str, folder: Path) -> Command | None:
    """The Python script that a command starts in `folder`. None where it starts none that is there, or several different ones."""
    if len(text) > LONGEST:
        return None
    found = list(_Shell(folder, folder, {}, {}, (), 0).started(text))
    return found[0] if found and all(one == found[0] for one in found) else None


def _simple(line: str) -> Iterator[list[str]]:
    """The simple commands of a line, without their redirections."""
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        tokens = list(lexer)
    except ValueError:  # a quotation that is not closed
        return
    words: list[str] = []
    skip = False
    for token in tokens:
        if skip:
            skip = False
        elif token in _ENDS:
            yield words
            words = []
        elif _OPERATOR.fullmatch(token):  # > log, 2>&1
            skip = True
            if words and words[-1] in ("1", "2"):
                words.pop()
        else:
            words.append(token)
    yield words


def _holds_commands(words: list[str]) -> bool:
    """True for a shell that is given its commands as a text: bash -c "..."."""
    return len(words) > 2 and words[1] in ("-c", "-lc") and _SHELL.search(words[0]) is not None


@dataclass
class _Shell:
    """A shell that reads commands in `folder`, started in `home`: its variables, those of them that it exports, its arguments."""

    folder: Path
    home: Path
    variables: dict[str, str]
    exported: dict[str, str]
    arguments: tuple[str, ...]
    depth: int

    def started(self, text: str) -> Iterator[Command]:
        """The Python scripts that lines start, in their order."""
        for line in text.replace("\\\n", " ").splitlines():
            for words in _simple(line):
                yield from self._of_command(words)

    def _of_command(self, words: list[str]) -> Iterator[Command]:
        own: dict[str, str] = {}
        while words and (assigned := _ASSIGNED.fullmatch(words[0])):
            own[assigned[1]] = self._put(assigned[2])[0]
            del words[0]
        if not words:
            self.variables |= own
        elif words[0] == "export":
            pairs = [_ASSIGNED.fullmatch(word) for word in words[1:]]
            self.exported |= {pair[1]: self._put(pair[2])[0] for pair in pairs if pair}
            self.exported |= {word: self.variables[word] for word in words[1:] if word in self.variables}
            self.variables |= self.exported
        elif words[0] == "cd" and len(words) == 2:
            self.folder /= self._put(words[1])[0]
        elif _holds_commands(words):
            variables, exported = {**self.variables, **own}, {**self.exported, **own}
            inner = _Shell(self.folder, self.home, variables, exported, tuple(words[4:]), self.depth + 1)
            yield from inner.started(words[2]) if self.depth < DEPTH else ()
        else:
            yield from self._of_program(words, {**self.exported, **own})

    def _put(self, word: str) -> tuple[str, list[str]]:
        """A word with its variables put in, and the names of those that are not known."""
        lost: list[str] = []

        def value(match: re.Match[str]) -> str:
            name = match[1] or match[3]
            if name.isdigit() and 0 < int(name) <= len(self.arguments):
                return self.arguments[int(name) - 1]
            if name in self.variables:
                return self.variables[name]
            if match[2] is not None:
                return match[2]
            lost.append(name)
            return match[0]

        return _VARIABLE.sub(value, word), lost

    def _of_program(self, words: list[str], environment: dict[str, str]) -> Iterator[Command]:
        """What a program with its arguments starts: the first word that names a script which is there."""
        lost: list[str] = []
        given: list[str] = []
        for word in words:
            if word in ("$@", "$*"):
                given += self.arguments
                continue
            text, missing = self._put(word)
            options = text[:1] in ("-", "") and _VARIABLE.fullmatch(word)  # $OPTIONS, which the shell takes apart
            given += text.split() if options else [text]
            lost += missing
        for place, word in enumerate(given):
            module = place > 0 and given[place - 1] == "-m"
            found = self._find(word.replace(".", "/") + ".py" if module else word)
            starts = place == 0 or any(_STARTS.match(each.rpartition("/")[2]) for each in given[:place])
            if found is None or not starts:
                continue
            rest = tuple(given[place + 1 :])
            if found.suffix == ".py":
                yield Command(found, rest, environment, tuple(dict.fromkeys(lost)))
            elif self.depth < DEPTH and found.stat().st_size <= LARGEST:
                inner = _Shell(self.folder, self.home, dict(environment), dict(environment), rest, self.depth + 1)
                yield from inner.started(found.read_text("utf-8", errors="replace"))
            return

    def _find(self, word: str) -> Path | None:
        """A script by its name: in the folder of now, or where all began, from which scripts copy themselves."""
        if not word.endswith((".py", *_SHELLS)) or "\0" in word:
            return None
        for folder in (self.folder, self.home):
            with suppress(OSError):
                if (path := folder / word).is_file():
                    return path.resolve()
        return None
