"""A YAML document -> a msgspec Struct. Bounded and safe; an error names file, line, key, and the nearest right key."""

from __future__ import annotations

import re
import stat
from functools import cache, reduce
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from .errors import WORDS, UserError, from_os_error
from .language import is_seen

#: Names that are all shown where one is not known, and how many of more.
MOST_KNOWN, FEW_KNOWN = 30, 12
T = TypeVar("T")

#: A hand-written document is far below these; a hostile one meets them early.
MAX_BYTES = 4 << 20
MAX_DEPTH = 40
MAX_ALIASES = 16
#: Characters of a number: the largest double, written out, has 309. To the base of 60 a long one would take hours.
MAX_NUMBER = 400
#: A step into some value of a mapping: msgspec does not say which.
ANY = "*"


def read_text(path: Path, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a small file, or a UserError."""
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a pipe nobody writes to would block for ever
            raise UserError("not-regular", path=str(path))
        with path.open("rb") as stream:
            text = stream.read(limit + 1)
    except OSError as error:
        raise from_os_error(error, path) from None
    if len(text) > limit:
        raise UserError("too-large", path=str(path), size=path.stat().st_size, limit=limit)
    return text


@cache
def safe_loader() -> Any:
    """PyYAML's safe loader, by C where there is one, which refuses numbers longer than MAX_NUMBER."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        pass

    def bounded(construct: Any) -> Any:
        def number(loader: Any, node: Any) -> Any:
            if len(node.value) > MAX_NUMBER:
                problem = f"a number of {len(node.value):,} characters"
                raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
            return construct(loader, node)

        return number

    for kind, construct in (("int", Loader.construct_yaml_int), ("float", Loader.construct_yaml_float)):
        Loader.add_constructor(f"tag:yaml.org,2002:{kind}", bounded(construct))
    return Loader


def beyond_bounds(text: bytes, aliases: int = MAX_ALIASES) -> int:
    """The line, from 1, where YAML text is nested deeper than MAX_DEPTH (deep nesting crashes libyaml's composer) or has more aliases
    than that; 0 where it is neither. Raises yaml.YAMLError."""
    import yaml

    depth = found = 0
    try:
        for event in yaml.parse(text, Loader=safe_loader()):
            found += isinstance(event, yaml.AliasEvent)
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                depth += 1
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                depth -= 1
            if depth > MAX_DEPTH or found > aliases:
                return int(event.start_mark.line) + 1 if event.start_mark else 1
    except yaml.MarkedYAMLError as error:
        # The scanner, which looks ahead of the events, has a bound of its own since PyYAML 6.0.4: 1,000.
        if "nesting depth" not in (error.problem or ""):
            raise
        return int(error.problem_mark.line) + 1 if error.problem_mark else 1
    return 0


def parse(text: bytes, path: str) -> Any:
    """Plain data from YAML text. Aliases and depth are bounded before anything is built."""
    import yaml

    _check_encoding(text, path)
    kind = safe_loader()
    try:
        if line := beyond_bounds(text):
            raise UserError("yaml-nesting", path=path, line=line, limit=MAX_ALIASES)
        loader = kind(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _check_node(node, path, set(), set())
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line if mark else text.count(b"\n", 0, getattr(error, "position", None) or 0)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "syntax"
        raise UserError("yaml-syntax", path=path, line=line + 1, problem=problem) from None
    except (ValueError, OverflowError, RecursionError) as error:  # an impossible date, for instance
        raise UserError("yaml-syntax", path=path, line=1, problem=str(error)) from None


def _check_encoding(text: bytes, path: str) -> None:
    """Refuse what is not UTF-8 (UTF-16 with its mark is left to YAML), and say so: a file saved as GBK has no wrong syntax."""
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise UserError("yaml-encoding", path=path, line=line) from None


def _check_node(node: Any, path: str, above: set[int], done: set[int]) -> None:
    """Refuse what YAML allows and no document here can mean.

    A key that stands twice (YAML would silently keep the last) or is no text, an alias to a node around it, a NUL
    character (no file name holds one), and numbers that JSON, which carries a case to the probes, does not know.
    """
    import yaml

    if id(node) in done:
        return
    line = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode):
        if "\0" in node.value:
            raise UserError("yaml-nul", path=path, line=line)
        if node.tag == "tag:yaml.org,2002:float" and not _finite(node.value):
            raise UserError("yaml-not-finite", path=path, line=line, value=node.value)
        return
    if id(node) in above:
        raise UserError("yaml-nesting", path=path, line=line, limit=MAX_ALIASES)
    above.add(id(node))
    keys: set[str] = set()
    for entry in node.value:
        key, below = entry if isinstance(node, yaml.MappingNode) else (None, entry)
        if isinstance(key, yaml.ScalarNode):
            line = key.start_mark.line + 1
            if key.value in keys:
                raise UserError("yaml-duplicate-key", path=path, line=line, key=key.value)
            if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                raise UserError("yaml-key", path=path, line=line, key=key.value)
            keys.add(key.value)
        _check_node(below, path, above, done)
    above.discard(id(node))
    done.add(id(node))


def _finite(text: str) -> bool:
    """Whether a YAML float is neither NaN nor infinite."""
    import math

    try:
        return math.isfinite(float(text.replace("_", "").lower().replace(".inf", "inf").replace(".nan", "nan")))
    except ValueError:  # a number to the base of 60
        return True


def line_of(text: bytes, path: list[str | int]) -> int:
    """The line (from 1) of the node at `path`, or of the nearest parent that exists; 1 in what is no YAML.

    A step ANY is the one value that has the next step as its key; where several have it, the parent is the answer.
    """
    import yaml

    node, line = _composed(text), 0
    for step, after in zip(path, [*path[1:], None], strict=False):
        if step is ANY and isinstance(node, yaml.MappingNode):
            below = [v for _, v in node.value if isinstance(v, yaml.MappingNode)]
            having = [v for v in below if after in [getattr(key, "value", None) for key, _ in v.value]]
            if len(having) != 1:
                break
            node = having[0]
        elif isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if getattr(k, "value", None) == str(step)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line
        else:
            break
    return line + 1


def lines_of(text: bytes, path: list[str]) -> dict[str, int]:
    """The lines (from 1) of the keys of the mapping at `path`, for who needs many: line_of takes the whole text apart for each."""
    import yaml

    node = _composed(text)
    for step in path:
        below = node.value if isinstance(node, yaml.MappingNode) else []
        node = next((value for key, value in below if getattr(key, "value", None) == step), None)
    keys = [key for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    return {key.value: key.start_mark.line + 1 for key in keys if isinstance(key, yaml.ScalarNode)}


def _composed(text: bytes) -> Any:
    """YAML text as nodes, which know their lines; None of what is no YAML."""
    import yaml

    try:
        return yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _steps(place: str) -> list[str | int]:
    """`$.items[3].title` -> ["items", 3, "title"]; `[...]`, some value of a mapping, becomes ANY."""
    found = re.findall(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]", place)
    return [name or (ANY if index == "..." else int(index)) for name, index in found]


def convert(data: Any, kind: type[T], text: bytes, path: str) -> T:
    """`data` as a `kind`, or a UserError that names `path`:line and the mend."""
    try:
        return msgspec.convert({} if data is None else data, kind)
    except msgspec.ValidationError as error:
        raise explain(str(error), kind, text, path) from None


def explain(problem: str, kind: Any, text: bytes, path: str) -> UserError:
    """What msgspec says about a document, with line and mend."""
    message, _, place = problem.partition(" - at ")
    steps = _steps(place.strip("`"))
    where = ".".join(str(step) for step in steps) or UserError("hint-top")
    if match := re.match(r"Object contains unknown field `(.*)`", message):
        key = match[1]
        known = _known_keys(kind, steps)
        line = line_of(text, [*steps, key])
        return UserError("yaml-unknown-key", path=path, line=line, key=key, hint=nearest(key, known))
    line = line_of(text, steps)
    if match := re.match(r"Object missing required field `(.*)`", message):
        return UserError("yaml-missing-key", path=path, line=line, key=match[1], where=where)
    if match := re.match(r"Expected `(.*)`, got `(.*)`", message):
        expected = [name for name in match[1].split(" | ") if name != "null"]  # a key is left out, not written as null
        found = _type(match[2])
        if "str" in expected and match[2] in ("int", "float", "bool", "date", "datetime"):
            found = UserError("found-unquoted", found=found)
        either = reduce(lambda one, other: UserError("type-or", one=one, other=other), map(_type, expected))
        return UserError("yaml-type", path=path, line=line, where=where, expected=either, found=found)
    return UserError("yaml-value", path=path, line=line, where=where, problem=message)


def _type(name: str) -> UserError | str:
    """A type of msgspec in words; one without words, such as the literals that are allowed, as it stands."""
    return UserError(f"type-{name}") if f"type-{name}" in WORDS else name


def _options(kind: Any) -> list[Any]:
    """The members of a union, or the type itself."""
    from types import UnionType
    from typing import Annotated, Union, get_args, get_origin

    if get_origin(kind) in (Union, UnionType):
        return [option for member in get_args(kind) for option in _options(member)]
    return _options(get_args(kind)[0]) if get_origin(kind) is Annotated else [kind]


def _known_keys(kind: Any, steps: list[str | int]) -> list[str]:
    """The field names of the Structs that `steps` lead to within `kind`."""
    from typing import get_args, get_type_hints

    kinds = _options(kind)
    for step in steps:
        below: list[Any] = []
        for option in kinds:
            if isinstance(option, type) and issubclass(option, msgspec.Struct):
                hints = get_type_hints(option)
                below += _options(hints[step]) if step in hints else []
            elif get_args(option):
                below += _options(get_args(option)[-1])
        kinds = below
    structs = [option for option in kinds if isinstance(option, type) and issubclass(option, msgspec.Struct)]
    return [name for struct in structs for name in struct.__struct_encode_fields__]


def schema(kind: type) -> dict[str, Any]:
    """The JSON Schema of a Struct, its docstrings without their indentation, which msgspec keeps before 0.23."""
    from inspect import cleandoc

    def cleaned(part: Any) -> Any:
        if isinstance(part, list):
            return [cleaned(one) for one in part]
        if not isinstance(part, dict):
            return part
        told = part.get("description")
        return {key: cleaned(one) for key, one in part.items()} | (
            {"description": cleandoc(told)} if isinstance(told, str) else {}
        )

    return cleaned(msgspec.json.schema(kind))  # type: ignore[no-any-return]


def quoted(text: str) -> str:
    """A text as YAML in double quotes. What can be read stands as it is: json.dumps would turn Chinese into numbers, and what lies
    beyond 16 bits into pairs of them, which YAML refuses."""
    import json

    def shown(sign: str) -> str:
        if is_seen(sign) and sign not in '"\\':
            return sign
        return json.dumps(sign)[1:-1] if sign <= "\uffff" else f"\\U{ord(sign):08x}"

    return '"' + "".join(map(shown, text)) + '"'


def nearest(key: str, known: list[str]) -> UserError:
    """A hint: the nearest of `known`, or what is known, of many the first."""
    from difflib import get_close_matches

    close = get_close_matches(key, known, n=1, cutoff=0.6)
    if close:
        return UserError("hint-nearest", nearest=close[0])
    shown = known if len(known) <= MOST_KNOWN else known[:FEW_KNOWN]
    names, more = ", ".join(shown) or "-", len(known) - len(shown)
    return UserError("hint-many", known=names, more=more) if more else UserError("hint-known", known=names)
