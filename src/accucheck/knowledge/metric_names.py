"""What metrics are called: in training logs, in scripts and in what Model reports.

A name says what somebody meant; it never shows that a value is right.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple


class Called(NamedTuple):
    """How one metric is called, as parts of regular expressions that mind no case.

    `holds`: what a name of it holds, wherever in the name. `words`: what stands for it in a log, as a word of its own.
    `falls`: a lower value is better. `whole`: a name that is one of these, apart from how it is averaged, means this metric and no other.
    """

    holds: str
    words: str
    falls: bool = False
    whole: str = ""


METRICS = {
    "loss": Called(r"loss|entropy|nll|损失", r"loss(?:es)?|nll|损失", True),
    "accuracy": Called(
        r"acc|hit.?rate|top.?1|精度|准确",
        r"acc|accuracy|top[-_ ]?[15]|准确率|精度",
        whole=r"acc|accuracy|准确率",
    ),
    "precision": Called(r"prec|查准|精确", r"precision|查准率|精确率", whole=r"precision|查准率|精确率"),
    "recall": Called(
        r"recall|sensitiv|balanced|class.?acc|mpa|查全|召回",
        r"recall|sensitivity|查全率|召回率",
        whole=r"recall|sensitivity|查全率|召回率",
    ),
    "f1": Called(r"f1|f.?score|f.?measure|dice", r"f1|dice", whole=r"f1|dice"),
    "iou": Called(r"iou|jaccard|交并", r"m?iou|交并比", whole=r"iou|jaccard|交并比"),
    "kappa": Called(r"kappa", r"kappa", whole=r"kappa"),
    "mse": Called(r"(?<!r)mse|(?<!root.)mean.?squared?", r"mse", True, r"mse|mean[-_ ]?squared?[-_ ]?error"),
    "rmse": Called(r"rmse|root.?mean", r"rmse", True, r"rmse|root[-_ ]?mean[-_ ]?squared?[-_ ]?error"),
    "mae": Called(r"mae|absolute", r"mae", True, r"mae|mean[-_ ]?absolute[-_ ]?error"),
    "psnr": Called(r"psnr", r"psnr", whole=r"psnr"),
    "r2": Called(r"r2|r.?squared", r"r2", whole=r"r2|r[-_ ]?squared"),
    "perplexity": Called(r"perplexity|ppl|困惑", r"ppl|perplexity|困惑度", True, r"perplexity|ppl|困惑度"),
    "map": Called(r"\bm?ap\b|average.?precision", r"map(?:50)?"),
    "auc": Called(r"auc|\broc\b", r"auc"),
    "bleu": Called(r"bleu", r"bleu"),
    "rouge": Called(r"rouge", r"rouge"),
    "ssim": Called(r"ssim", r"ssim"),
    "errors of words": Called(r"[wct]er\b", r"[wct]er", True),
    "mape": Called(r"mape", r"mape", True),
    "fid": Called(r"\bfid\b", r"fid", True),
    "bits": Called(r"\bbp[bc]\b", r"bp[bc]", True),
}
#: A metric that falls may also be called an error; a log may call other things so.
_ERROR = r"err|error|误差"
#: What stands beside the name of a metric and says what it was measured on, or how it was averaged over classes.
_ON = r"(?:(?:val|valid|validation|eval|evaluation|test|dev)[-_ ]?)*"
_OVER = r"(?:(?:macro|micro|weighted|mean|avg|average|m)[-_ ]?)*"
_AFTER = r"(?:[-_ ]?(?:score|macro|micro|weighted|index|coefficient))*"

#: Any of them, without what has to stand around it.
WORDS = "|".join(called.words for called in METRICS.values())
#: What has to: a word of Latin letters ends where they end, and Chinese has no ends of words.
_BEGINS, _ENDS = "(?<![a-zA-Z0-9])", "(?![a-zA-Z])"
AS_A_WORD = f"{_BEGINS}(?:{WORDS}){_ENDS}"
_FALLS = "|".join(called.words for called in METRICS.values() if called.falls)
_LEAST = re.compile(f"(?i){_BEGINS}(?:{_FALLS}|{_ERROR}){_ENDS}")
_AVERAGED = re.compile(rf"(?i){_ON}(?:mean[-_ ]?)?(?:avg|average)[-_ ]?prec")


def is_least(name: str) -> bool:
    """Whether a lower value of a metric of this name is better."""
    return _LEAST.search(name) is not None


@cache
def families(name: str) -> tuple[str, ...]:
    """The metrics that a name may mean: each that it holds."""
    return tuple(family for family, called in METRICS.items() if re.search(called.holds, name, re.I))


@cache
def meant(name: str) -> str:
    """The metric that a name means and no other, as `val_f1` or `macro recall` do; "" where it may mean more, as `recall@5` does.

    An average of accuracies may be that of classes, which is a recall, and the average of precisions an area: these mean nothing.
    """
    for family, called in METRICS.items():
        over = "" if family == "accuracy" else _OVER
        if called.whole and re.fullmatch(rf"{_ON}{over}(?:{called.whole}){_AFTER}", name, re.I):
            return "" if _AVERAGED.match(name) else family
    return ""


#: Metrics that are shares, which may be told in percent.
SHARES = ("accuracy", "precision", "recall", "f1", "iou", "kappa")
#: Names, in small letters, of what is not of one evaluation, and of what may be meant to cover several.
_NOT_OF_ONE = re.compile(r"(?<![a-z])(?:best|max|min|highest|lowest|running|ema)(?![a-z])|so[ _]far|最")
_OF_SEVERAL = re.compile(r"avg|average|mean|overall|total|cumul|平均|累计|总")
_AMONG_BEST = re.compile(r"(?:top|hit|hits|acc|accuracy)[-_ ]?@?[-_ ]?(\d+)(?!\d)")
_OF_TRAINING = re.compile(r"train|训练")


def is_of_one_evaluation(name: str) -> bool:
    """Whether a number of this name, in small letters, may be that of one evaluation: the best of all, or a running mean, is not."""
    return _NOT_OF_ONE.search(name) is None


def may_cover_several(name: str) -> bool:
    """Whether a number of this name, in small letters, may be meant to cover several evaluations."""
    return _OF_SEVERAL.search(name) is not None


def among_best(name: str) -> int:
    """The k of a name, in small letters, like `top-5` or `hits@10`: the label is among the k best; 0 without one."""
    found = _AMONG_BEST.search(name)
    return int(found[1]) if found else 0


def is_of_training(name: str) -> bool:
    """Whether a name, in small letters, is that of a number of the training data."""
    return _OF_TRAINING.search(name) is not None
