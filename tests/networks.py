"""Running a live probe on a network that a test writes."""

from pathlib import Path
from typing import Any

import msgspec

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding
from findings import found_by

HEAD = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import Parameter, Tensor, nn, ops

def create(rows=64, batch=16):
    random = np.random.default_rng(0)
    x = random.standard_normal((rows, 8)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.int32)
    made = ds.NumpySlicesDataset({"x": x, "label": y}, shuffle=False)
    return made.batch(batch) if batch else made
"""


def run(name: str, root: Path, body: str, *, params: dict[str, Any] | None = None, **spec: Any) -> list[Finding]:
    """The findings of a probe on net.py, whose class Net is the network and whose create() the training pipeline."""
    module = probe.load(name)
    (root / "net.py").write_text(HEAD + body)
    given = {"network": {"call": "net:Net"}, "pipelines": {"train": {"call": "net:create"}}, **spec}
    case = Case(root=str(root), spec=msgspec.convert(given, CaseFile))
    return found_by(module, case, probe.params(module, params or {}))
