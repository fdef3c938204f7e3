"""Reads from the training script what it does about missing values and broken samples: dropped, filled, filtered, caught.

Shows each place: dropna, fillna, nan_to_num, interpolation, imputers, tests for NaN, data set filters, a try around decoding,
a test whether a picture could be read. Catches nothing by itself: whether values are missing is for missing_values to count,
and whether they are handled well is for a person to say, so the suggestion is never ok. Never imports or runs the script.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Kind, Level, Progress, Verdict, Where
from ..probe import script_example
from . import _gaps

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    "missing-dropped": {
        "en": "{call} drops samples or columns with missing values.",
        "zh": "{call} 丢弃含有缺失值的样本或列。",
    },
    "missing-filled": {"en": "{call} fills missing values.", "zh": "{call} 填补缺失值。"},
    "missing-tested": {
        "en": "{call} tests for missing values; see here how they are handled.",
        "zh": "{call} 检查缺失值，具体如何处理请查看此处代码。",
    },
    "missing-ignored": {"en": "{call} leaves missing values out of a statistic.", "zh": "{call} 在统计时忽略缺失值。"},
    "missing-marked": {
        "en": "{call} is configured with the values that stand for missing data.",
        "zh": "{call} 指定了哪些取值代表缺失。",
    },
    "samples-filtered": {"en": "{call} keeps only samples that pass a test.", "zh": "{call} 只保留满足条件的样本。"},
    "errors-caught": {
        "en": "Errors while decoding a sample are caught here; see here what is used instead.",
        "zh": "此处捕获样本解码时的错误，改用什么数据请查看代码。",
    },
    "picture-tested": {
        "en": "Here the script looks whether a picture could be read at all.",
        "zh": "此处检查图片是否读取成功。",
    },
    "errors-skipped": {
        "en": "{call} with {mode}: samples that fail vanish from training without a word.",
        "zh": "{call} 设为 {mode}：出错的样本会悄悄从训练中消失。",
    },
    "none-seen": {
        "en": "As far as it could be followed, nothing that {path} runs handles missing values or broken samples; they would reach the "
        "network unchanged.",
        "zh": "在能够分析到的范围内，{path} 执行的代码没有处理缺失值或损坏样本，它们会原样进入网络。",
    },
    "nothing-read": {
        "en": "{path} trains on data that it makes itself; nothing is read from outside.",
        "zh": "{path} 用自身生成的数据训练，不读取外部数据。",
    },
    **_gaps.MESSAGES,
}
WORDS: Words = {}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.analysis import read_scripts
    from ..script.missing import examine
    from ..script.pipelines import of_scripts

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    for said in examine(of_scripts(scripts))[:40]:
        where = Where(path=said.source.path, line=said.line)
        code: list[Evidence] = (
            [] if said.code in ("none-seen", "nothing-read") else [said.source.code(said.line, said.last)]
        )
        yield Finding(said.code, Level.INFO, where, said.data, code, incomplete=said.code != "nothing-read")
    yield Progress(len(scripts.sources), len(scripts.sources), "files")


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Never ok: code alone does not tell whether values are missing, nor whether what it does about them is right."""
    codes = {finding.code for finding in findings}
    return Verdict.NOT_APPLICABLE if codes == {"nothing-read"} else Verdict.UNDECIDED


_example = partial(
    script_example,
    "import mindspore as ms\nimport mindspore.dataset as ds\nimport numpy as np\nimport pandas as pd\nfrom mindspore import nn",
)


_TRAIN = """
data = ds.NumpySlicesDataset((x, y), ["x", "y"]).batch(32)
ms.Model(nn.Dense(2, 1), nn.MSELoss()).train(10, data)
"""

EXAMPLES = [
    _example(
        "a table whose gaps are filled",
        """
table = pd.read_csv("train.csv")
table = table.fillna(table.mean())
x, y = table[["a", "b"]].values, table["y"].values
"""
        + _TRAIN,
        Verdict.UNDECIDED,
        "missing-filled",
    ),
    _example(
        "rows dropped, and a mask of NaN",
        """
table = pd.read_csv("train.csv").dropna(subset=["y"])
x, y = table[["a", "b"]].values, table["y"].values
x[np.isnan(x)] = 0
"""
        + _TRAIN,
        Verdict.UNDECIDED,
        "missing-dropped",
        "missing-tested",
    ),
    _example(
        "a filter on the data set",
        """
data = ds.MindDataset("train.mindrecord", ["x", "y"])
data = data.filter(lambda x: not np.isnan(x).any(), ["x"]).batch(32)
ms.Model(nn.Dense(2, 1), nn.MSELoss()).train(10, data)
""",
        Verdict.UNDECIDED,
        "samples-filtered",
    ),
    _example(
        "pictures that do not decode",
        """
import cv2

class Pictures:
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, index):
        image = cv2.imread(self.paths[index])
        if image is None:
            image = np.zeros((32, 32, 3), np.uint8)
        return image.transpose(2, 0, 1) / 255, 0

    def __len__(self):
        return len(self.paths)

data = ds.GeneratorDataset(Pictures(ms.paths), ["x", "y"]).batch(32)
ms.Model(nn.Conv2d(3, 8, 3), nn.MSELoss()).train(10, data)
""",
        Verdict.UNDECIDED,
        "picture-tested",
    ),
    _example(
        "nothing is done about it",
        """
table = pd.read_csv("train.csv")
x, y = table[["a", "b"]].values, table["y"].values
"""
        + _TRAIN,
        Verdict.UNDECIDED,
        "none-seen",
    ),
    _example(
        "data made by the script itself",
        """
x = np.random.uniform(-10, 10, (1000, 2)).astype(np.float32)
y = x.sum(axis=1)
"""
        + _TRAIN,
        Verdict.NOT_APPLICABLE,
        "nothing-read",
    ),
    _example(
        "a test of the loss is no handling of missing values",
        """
table = pd.read_csv("train.csv")
x, y = table[["a", "b"]].values, table["y"].values
net = nn.Dense(2, 1)
for batch in ds.NumpySlicesDataset((x, y), ["x", "y"]).batch(32).create_tuple_iterator():
    loss = nn.MSELoss()(net(batch[0]), batch[1])
    if np.isnan(loss.asnumpy()):
        break
""",
        Verdict.UNDECIDED,
        "none-seen",
    ),
]
