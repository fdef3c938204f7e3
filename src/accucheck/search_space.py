"""What a search varies, and where that stands: an option of the command, a word NAME=VALUE in it, or a key of a YAML or JSON file that
it names.

Nothing of the project is run or written: `Search.put` gives the command and the changed texts of files for a copy.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from .case import Case
from .document import beyond_bounds
from .errors import UserError
from .script import command_options, configs
from .script.command import read as read_command
from .script.declared_options import Option

#: Values that are chosen from, names that are searched, and characters of one.
_CHOICES, _NAMES, _LETTERS = 256, 32, 200
_WHOLE = re.compile(r"[-+]?\d+")
_TRUE, _FALSE = ("true", "on", "yes", "1"), ("false", "off", "no", "0")
_PLAIN = re.compile(r"[A-Za-z_][\w./+-]*")


#: A plain value of a file: its dotted key, where it begins and ends, and its text.
_Node = tuple[str, int, int, str]


class Space(NamedTuple):
    """What one name may be: a number from `low` to `high`, or one of `choices`, as texts.

    `log`: drawn evenly by its logarithm. `step`: apart by so much, 0 for any. `whole`: integers.
    """

    name: str
    text: str
    choices: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    step: float = 0.0
    whole: bool = False

    def held(self, value: str | None) -> str | float | None:
        """A value as this space has it; None where it does not lie in it."""
        if value is None:
            return None
        if self.choices:
            same = (choice for choice in self.choices if choice == value or _same(choice, value))
            return next(same, None)
        number = _number(value)
        if number is None or not self.low <= number <= self.high or (self.whole and number != int(number)):
            return None
        if self.step and not math.isclose(round((number - self.low) / self.step), (number - self.low) / self.step):
            return None
        return number

    def text_of(self, value: Any) -> str:
        """A value of this space as the command has it: numbers with six digits."""
        if self.choices:
            return str(value)
        return str(int(value)) if self.whole else f"{value:.6g}"


def parse(text: str) -> Space:
    """NAME=VALUES: lr=1e-4..1e-1:log, layers=2..8, dropout=0..0.5:step=0.1 or batch=16,32,64. Raises UserError."""
    name, sign, values = (part.strip() for part in text.partition("="))
    if text.startswith("--") and not values:  # --lr=... has its = behind the name all the same
        name, values = text, ""
    if not sign or not name or len(name) > _LETTERS:
        raise UserError("tune-space", text=text)
    return of_values(name, values, text)


def of_case(case: Case) -> list[Space]:
    """What the case file says is to be searched. Raises UserError."""
    return [of_values(name, values) for name, values in case.spec.tune.search.items()]


def of_values(name: str, values: Any, text: str = "") -> Space:
    """The space of a name, from a text as in `parse` or a list of values, as a case file has it. Raises UserError."""
    given = ",".join(map(_written, values)) if isinstance(values, list) else str(values)
    text = text or f"{name}={given}"
    if isinstance(values, list):
        return _of_choices(name, [_written(value) for value in values], text)
    values = str(values).strip()
    if ".." in values:
        return _of_range(name, values, text)
    return _of_choices(name, [choice.strip() for choice in values.split(",") if choice.strip()], text)


def _written(value: Any) -> str:
    """A plain value as YAML and the command line write it."""
    return str(value).lower() if isinstance(value, bool) else "null" if value is None else str(value)


def _of_choices(name: str, choices: Sequence[str], text: str) -> Space:
    kept = tuple(dict.fromkeys(choices))
    if not kept or len(kept) > _CHOICES:
        raise UserError("tune-empty-space", text=text, limit=_CHOICES)
    return Space(name, text, kept)


def _of_range(name: str, values: str, text: str) -> Space:
    begin, _, rest = values.partition("..")
    end, *more = (part.strip() for part in rest.split(":"))
    low, high = _number(begin), _number(end)
    if low is None or high is None:
        raise UserError("tune-space", text=text)
    log, step = "log" in more, _step(more, text)
    if low >= high or (log and low <= 0) or (log and step):
        raise UserError("tune-empty-space" if low >= high else "tune-log-space", text=text, limit=_CHOICES)
    whole = all(_WHOLE.fullmatch(side.strip()) for side in (begin, end)) and step == int(step)
    return Space(name, text, (), low, high, log, step, whole)


def _step(more: Sequence[str], text: str) -> float:
    """What stands behind a range: the amount of step=, 0 without one. Raises UserError."""
    step = 0.0
    for part in more:
        amount = _number(part.removeprefix("step=")) if part.startswith("step=") else None
        if part not in ("", "log") and (amount is None or amount <= 0):
            raise UserError("tune-space", text=text)
        step = amount or step
    return step


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _same(one: str, other: str) -> bool:
    """Whether two texts mean one value: 0.10 and 0.1, True and true."""
    numbers = _number(one), _number(other)
    return (numbers[0] is not None and numbers[0] == numbers[1]) or one.lower() == other.lower()


# --- where a name stands ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Flag:
    """An option of the command: its flags, the first of them to be written; `constants`: those that take no value, and what they give."""

    flags: tuple[str, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Word:
    """A word NAME=VALUE of the command."""

    name: str


@dataclass(frozen=True)
class Key:
    """A key of a configuration file: its path below the project, and the characters of its value there."""

    file: str
    key: str
    begin: int
    end: int


class SearchKnob(NamedTuple):
    """A space, where it stands, and what the command has there now, as a text; None where that is not seen."""

    space: Space
    place: Flag | Word | Key
    own: str | None


@dataclass(frozen=True)
class Search:
    """The names that are searched, each bound; `texts` are the configuration files as they are."""

    command: tuple[str, ...]
    knobs: tuple[SearchKnob, ...]
    texts: Mapping[str, str]

    def put(self, values: Mapping[str, str]) -> tuple[list[str], dict[str, bytes]]:
        """The command and the configuration files with these values, by name."""
        words = [*self.command]
        edits: dict[str, list[tuple[int, int, str]]] = {}
        for knob in self.knobs:
            value = values.get(knob.space.name)
            if value is None:
                continue
            if isinstance(knob.place, Flag):
                words = _with_flag(words, knob.place, value)
            elif isinstance(knob.place, Word):
                words = [f"{knob.place.name}={value}" if _is_word(word, knob.place.name) else word for word in words]
            else:
                put = _scalar(value, knob.place.file)
                edits.setdefault(knob.place.file, []).append((knob.place.begin, knob.place.end, put))
        files = {}
        for file, changes in edits.items():
            text = self.texts[file]
            for begin, end, put in sorted(changes, reverse=True):
                text = text[:begin] + put + text[end:]
            files[file] = text.encode("utf-8", "surrogateescape")
        return words, files

    def keys(self, values: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """What is to be changed in configuration files: by file, keys and their values."""
        found: dict[str, dict[str, str]] = {}
        for knob in self.knobs:
            if isinstance(knob.place, Key) and knob.space.name in values:
                found.setdefault(knob.place.file, {})[knob.place.key] = values[knob.space.name]
        return found

    @property
    def own(self) -> dict[str, str] | None:
        """The values that the command has now, as each space has them; None where one is not seen or lies outside."""
        held = {knob.space.name: knob.space.held(knob.own) for knob in self.knobs}
        if any(value is None for value in held.values()):
            return None
        return {knob.space.name: knob.space.text_of(held[knob.space.name]) for knob in self.knobs}


def bind(case: Case, command: Sequence[str], spaces: Sequence[Space], folder: Path) -> Search:
    """Find where each name stands in what the command, run in `folder`, starts. Raises UserError where one stands nowhere, or in several
    places of the configuration."""
    if not spaces:
        raise UserError("tune-no-search")
    names = [space.name for space in spaces]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None or len(names) > _NAMES:
        raise UserError("tune-twice", name=twice or names[-1], limit=_NAMES)
    script = command_options.of_command(case, [*command], folder)
    files = dict(_files(case, command, script, folder))
    texts = {name: text for name, (text, _) in files.items()}
    knobs = [_knob(space, command, script, {name: nodes for name, (_, nodes) in files.items()}) for space in spaces]
    search = Search(tuple(command), tuple(knobs), texts)
    _require_passed(search, script, folder)
    return search


def _knob(
    space: Space, command: Sequence[str], script: command_options.StartedScript | None, files: Mapping[str, list[_Node]]
) -> SearchKnob:
    name = space.name
    option = _option(name, script.options if script is not None else [])
    if option is not None:
        if script is not None and option.name in script.written:
            raise UserError("tune-own-words", name=name, place=script.written[option.name])
        place = Flag(tuple(sorted(option.flags, key=lambda flag: _order(flag, option))), option.constants)
        own = _given(place, script.command.words if script else ())
        return SearchKnob(space, place, own if own is not None else _default(option, files))
    word = next((word for word in command if _is_word(word, name)), None)
    if word is not None:
        return SearchKnob(space, Word(name), word.partition("=")[2])
    found = _key(name, files)
    if found is not None:
        return SearchKnob(space, *found)
    if name.startswith("-") and (script is None or not script.known):
        return SearchKnob(space, Flag((name,)), _given(Flag((name,)), command))
    raise _nowhere(name, command, script, files)


def _default(option: Option, files: Mapping[str, list[_Node]]) -> str | None:
    """What an option is that the command does not give: as a configuration file of the command has it, which scripts put in the place of
    defaults; None where several keys may be meant."""
    configured = [
        node[3] for nodes in files.values() for node in nodes if _bare(node[0].rpartition(".")[2]) == _bare(option.name)
    ]
    if configured:
        return configured[0] if len(configured) == 1 else None
    return command_options.text_of(option)


def _order(flag: str, option: Option) -> tuple[bool, bool]:
    """Flags that take a value first, and of these the long ones."""
    return flag in option.constants, not flag.startswith("--")


def _key(name: str, files: Mapping[str, list[_Node]]) -> tuple[Key, str] | None:
    """The key of a configuration file that a name means, and its value there. Raises UserError where it may mean several."""
    keys = [(Key(file, *node[:3]), node[3]) for file, nodes in files.items() for node in nodes if _names(node[0], name)]
    exact = [each for each in keys if each[0].key == name] or keys
    if len(exact) > 1:
        places = ", ".join(f"{key.file}: {key.key}" for key, _ in exact[:5])
        raise UserError("tune-several-keys", name=name, places=places)
    return exact[0] if exact else None


def _nowhere(
    name: str, command: Sequence[str], script: command_options.StartedScript | None, files: Mapping[str, Any]
) -> UserError:
    if script is None and not files:
        return UserError("tune-unread", name=name, command=shlex.join(command))
    flags = [flag for option in script.options for flag in option.flags] if script is not None else []
    known = [*flags, *(node[0] for nodes in files.values() for node in nodes)]
    where = ", ".join([*([script.command.script.name] if script is not None else []), *files]) or shlex.join(command)
    if not known:
        return UserError("tune-no-options", name=name, where=where)
    close = get_close_matches(name, [*known, *(flag.lstrip("-") for flag in flags)], n=3, cutoff=0.4)
    shown = list(dict.fromkeys(close)) or known[:8]
    return UserError("tune-no-option", name=name, where=where, known=", ".join(shown))


def _bare(name: str) -> str:
    return name.lstrip("-").replace("-", "_").lower()


def _option(name: str, options: Iterable[Option]) -> Option | None:
    """The option of a name as it is written, else with other dashes."""
    known = [*options]
    for fits in (
        lambda option: name in option.flags or name == option.name,
        lambda option: f"--{name}" in option.flags or f"-{name}" in option.flags,
        lambda option: _bare(name) in {_bare(option.name), *map(_bare, option.flags)},
    ):
        found = [option for option in known if fits(option)]
        if found:
            return found[0]
    return None


def _is_word(word: str, name: str) -> bool:
    return word.startswith(f"{name}=")


def _given(place: Flag, words: Sequence[str]) -> str | None:
    """What the words give an option, the last time."""
    found = None
    for at, word in enumerate(words):
        flag, sign, value = word.partition("=")
        if flag in place.constants and not sign:
            found = str(place.constants[flag])
        elif flag in place.flags:
            found = value if sign else words[at + 1] if at + 1 < len(words) else None
    return found


def _with_flag(words: list[str], place: Flag, value: str) -> list[str]:
    """The words with another value of an option, in its place, else at the end."""
    if place.constants:
        return _with_switch(words, place, value)
    made, at, done = list[str](), 0, False
    while at < len(words):
        flag, sign, _ = words[at].partition("=")
        if flag in place.flags and (sign or at + 1 < len(words)):
            if not done:
                made += [f"{flag}={value}"] if sign else [flag, value]
            done, at = True, at + (1 if sign else 2)
        else:
            made.append(words[at])
            at += 1
    if not done:
        flag = place.flags[0]
        end = made.index("--") if "--" in made else len(made)
        made[end:end] = [f"{flag}={value}"] if flag.startswith("--") else [flag, value]
    return made


def _with_switch(words: list[str], place: Flag, value: str) -> list[str]:
    """The words with an option that takes no value given, or not given."""
    wanted = value.lower() in _TRUE
    kept = [word for word in words if word not in place.constants]
    flag = next((flag for flag, gives in place.constants.items() if bool(gives) is wanted), None)
    return kept if flag is None else [*kept, flag]


def _require_passed(search: Search, script: command_options.StartedScript | None, folder: Path) -> None:
    """Refuse options that the command does not hand on to its script, as a shell script that takes no arguments. Raises UserError."""
    if script is None:
        return
    for knob in search.knobs:
        if isinstance(knob.place, Flag) and not knob.place.constants:
            mark = knob.space.text_of(knob.space.low) if not knob.space.choices else knob.space.choices[0]
            words, _ = search.put({knob.space.name: mark})
            read = read_command(shlex.join(words), folder)
            if read is None or _given(knob.place, read.words) != mark:
                raise UserError("tune-not-passed", name=knob.space.name, command=shlex.join(search.command))


# --- configuration files ------------------------------------------------------------------------------------------------


def _files(
    case: Case, command: Sequence[str], script: command_options.StartedScript | None, folder: Path
) -> Iterator[tuple[str, tuple[str, list[_Node]]]]:
    """The configuration files of the project that the command, the defaults of its options or the case name, each once."""
    root = Path(os.path.realpath(case.root))
    folders = [folder, root, *([script.command.script.parent] if script is not None else [])]
    named = [word.rpartition("=")[2] for word in [*command, *(script.command.words if script is not None else ())]]
    named += [command_options.text_of(option) or "" for option in (script.options if script is not None else ())]
    if isinstance(used := case.get("configs.used"), str):
        named.append(str(case.path(used)))
    seen: set[Path] = set()
    for name in named:
        path = _found(name, folders, root)
        if path is None or path in seen:
            continue
        seen.add(path)
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        yield path.relative_to(root).as_posix(), (text, [*_nodes(text)])


def _found(name: str, folders: Sequence[Path], root: Path) -> Path | None:
    """The configuration file of a name in one of the folders, below the project; None where there is none."""
    if not name.endswith(configs.ENDINGS) or "\0" in name:
        return None
    for path in (Path(os.path.realpath(above / name)) for above in folders):
        if path.is_relative_to(root) and os.path.isfile(path):  # noqa: PTH113 - a name too long is not there either
            return path if path.stat().st_size <= configs.LIMIT else None
    return None


def _nodes(text: str) -> Iterator[_Node]:
    """The plain values of a YAML or JSON text; none where it is not one."""
    import yaml

    try:
        if beyond_bounds(text.encode("utf-8", "surrogateescape"), configs.ALIASES):
            return
        waiting = [("", node) for node in yaml.compose_all(text, yaml.SafeLoader) if node is not None]
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        return
    seen: set[int] = set()
    while waiting:
        key, node = waiting.pop(0)
        if id(node) in seen:  # another place has it by an alias
            continue
        seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            yield key, node.start_mark.index, node.end_mark.index, node.value
        elif isinstance(node, yaml.SequenceNode):
            waiting += [(f"{key}.{at}".lstrip("."), below) for at, below in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            waiting += [
                (f"{key}.{name.value}".lstrip("."), below)
                for name, below in node.value
                if isinstance(name, yaml.ScalarNode)
            ]


def _names(key: str, name: str) -> bool:
    """Whether a name means a key: the whole of it, or its end."""
    return key == name or key.endswith(f".{name}")


def _scalar(value: str, file: str) -> str:
    """A value as a file has it. YAML takes 1e-05 for a text, and 1.0e-05 for a number."""
    number = _number(value)
    if number is not None:
        head, sign, power = value.lower().partition("e")
        if not sign:
            return value
        power = power if power[0] in "+-" else f"+{power}"
        return f"{head if '.' in head else head + '.0'}e{power}"
    if value.lower() in ("true", "false", "null"):
        return value.lower() if file.endswith(".json") else value
    if file.endswith(".json"):
        return json.dumps(value)
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)
