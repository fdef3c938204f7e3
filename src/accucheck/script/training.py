"""Which part of a script is about training: by the names people give to flags, splits, functions and variables."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

_FLAG = re.compile(
    r"^(is_?|do_?|for_?|use_?)?(train|training|finetune|pretrain)(_?(flag|mode|phase|stage))?$|^(is|do)_train", re.I
)
_NOT_FLAG = re.compile(
    r"^(is_?|do_?|for_?|run_?|only_?)?(eval|evaluate|evaluation|test|testing|val|valid|validation|infer|inference|predict)"
    r"(_?(flag|mode|phase|stage|only))?$",
    re.I,
)
_SPLIT = re.compile(
    r"(usage|mode|phase|split|subset|stage|task_type|set_?name|image_?set|partition|run_?type|data_?type)$", re.I
)
#: Conditions and flags about how many devices there are, by name.
MANY_DEVICES = re.compile(
    r"distribut|(^|_)parallel(?!_workers)|multi_?(device|card|gpu|npu|node|process)|(device|rank|world|group|gpu|npu|card|node)_?(num|size|count)s?|"
    r"num_?(device|card|gpu|npu|shard|node|rank)s?|n_?gpus?|is_?multi|data_?parallel",
    re.IGNORECASE,
)
_TRAINS = re.compile(
    r"(?<![a-z])(train|trn|training|trainer|fit|finetune|fine_tune|pretrain|pre_train)(?![a-z])|^train|(Train|Fit)"
    r"|(?<![a-z])train(data|set|loader)"
)
_EVALUATES = re.compile(
    r"(?<![a-z])(eval|evals|evaluate|evaluation|evaluator|val|vals|valid|validate|validation|vali|test|tests|testing|tst|infer|inference|"
    r"predict|prediction|dev|metric|metrics|query|gallery|demo|visual\w*|vis|show|plot|display|draw|export|score|calib\w*)(?![a-z])"
    r"|^(eval|test|valid|infer)|(Eval|Test|Valid|Infer|Predict)|(?<![a-z])(eval|test|val)(data|set|loader)"
)


def assume(name: str, compared: Any) -> bool | None:
    """A flag or the name of a split, read as when the script trains; None for any other name.

    `compared` is the constant that it is compared with, None for a plain test of a flag.
    """
    if isinstance(compared, bool):
        flag = assume(name, None)
        return None if flag is None else flag is compared
    if isinstance(compared, str) and compared.lower() in ("true", "false"):
        return assume(name, compared.lower() == "true")
    if isinstance(compared, str):
        if not (_SPLIT.search(name) or _FLAG.match(name)):
            return None
        side = role([compared])
        return None if side is None else side == "train"
    if compared is not None:
        return None
    if _FLAG.match(name):
        return True
    return False if _NOT_FLAG.match(name) else None


def assumption(view: str) -> Callable[[str, Any], bool | None]:
    """What flags are taken for: `assume` for the view "train", the other way round for "eval"."""
    return assume if view == "train" else _assume_not


def _assume_not(name: str, compared: Any) -> bool | None:
    taken = assume(name, compared)
    return None if taken is None else not taken


def role(words: list[str]) -> str | None:
    """ "train" or "eval" when the words mention only one of them, else None."""
    trains = any(_speaks(word)[0] for word in words)
    evaluates = any(_speaks(word)[1] for word in words)
    return None if trains == evaluates else "train" if trains else "eval"


@lru_cache(maxsize=4096)
def _speaks(word: str) -> tuple[bool, bool]:
    """Whether a word refers to training, and whether to evaluation."""
    return _TRAINS.search(word) is not None, _EVALUATES.search(word) is not None


def purpose(given: dict[str, Any]) -> str | None:
    """ "train" or "eval" when constants that were passed say so: do_train=False, usage="test"."""
    found = set()
    for name, value in given.items():
        if isinstance(value, bool):
            flag = assume(name, None)
            found.add(None if flag is None else "train" if flag is value else "eval")
        elif isinstance(value, str) and _SPLIT.search(name):
            found.add(role([value]))
    found.discard(None)
    return found.pop() if len(found) == 1 else None
