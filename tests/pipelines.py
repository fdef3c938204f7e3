"""Running a live probe on a pipeline that a test writes."""

from pathlib import Path
from typing import Any

import msgspec

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Progress

HEAD = """
import os, sys, time
import numpy as np
import mindspore.dataset as ds
from mindspore.dataset import transforms, vision

random = np.random.default_rng(0)
N = 600
LABELS = np.repeat(np.arange(6), N // 6).astype(np.int32)
IMAGES = np.arange(N * 4, dtype=np.float32).reshape(N, 4) / (N * 4)

def sliced(**how):
    return ds.NumpySlicesDataset({"image": IMAGES, "label": LABELS}, **how)
"""


def run(
    name: str,
    root: Path,
    body: str,
    *,
    params: dict[str, Any] | None = None,
    pipelines: dict[str, Any] | None = None,
    **spec: Any,
) -> list[Finding]:
    """The findings of a probe on pipe.py, whose function create() is the training pipeline unless `pipelines` says more."""
    module = probe.load(name)
    (root / "pipe.py").write_text(HEAD + body)
    given = {"pipelines": pipelines or {"train": {"call": "pipe:create"}}, **spec}
    case = Case(root=str(root), spec=msgspec.convert(given, CaseFile))
    events = list(module.run(case, probe.params(module, params or {})))
    assert all(isinstance(event, (Finding, Progress)) for event in events)
    return [event for event in events if isinstance(event, Finding)]


def codes(findings: list[Finding]) -> list[str]:
    return [finding.code for finding in findings]


def cifar(folder: Path) -> None:
    """Digits of scikit-learn in the binary form of CIFAR-10: a file has 10,000 pictures, or MindSpore does not read it."""
    import numpy as np
    from sklearn.datasets import load_digits

    digits = load_digits()
    chosen = np.arange(10_000) % len(digits.target)
    images = np.kron(digits.images * 15, np.ones((4, 4))).astype(np.uint8).reshape(-1, 1024)
    rows = np.concatenate([digits.target.astype(np.uint8)[:, None], images, images, images], axis=1)
    folder.mkdir(parents=True)
    (folder / "data_batch_1.bin").write_bytes(rows[chosen].tobytes())


def folders(root: Path, count: int = 12) -> None:
    """Pictures of noise below one folder a class."""
    import numpy as np
    from PIL import Image

    for label in "abc":
        (root / label).mkdir(parents=True)
        for number in range(count):
            pixels = np.random.default_rng(number).integers(0, 256, (12, 10, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(root / label / f"{number}.png")


def mindrecord(path: Path, rows: list[dict[str, Any]], schema: dict[str, Any]) -> None:
    from mindspore.mindrecord import FileWriter

    writer = FileWriter(str(path), 1)
    writer.add_schema(schema, "s")
    writer.write_raw_data(rows)
    writer.commit()


def tfrecord(path: Path, rows: list[dict[str, Any]]) -> None:
    """Rows of whole numbers or of lists of floating-point numbers as TFRecord."""
    import struct

    import google_crc32c

    def message(field: int, content: bytes) -> bytes:
        length, digits = len(content), bytearray()
        while length > 0x7F:
            digits.append(length & 0x7F | 0x80)
            length >>= 7
        return bytes([field << 3 | 2, *digits, length]) + content

    def feature(value: Any) -> bytes:
        if isinstance(value, int):
            return message(3, message(1, bytes([value])))
        return message(2, message(1, struct.pack(f"<{len(value)}f", *value)))

    def masked(data: bytes) -> bytes:
        crc = google_crc32c.value(data)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    with path.open("wb") as file:
        for row in rows:
            features = (
                message(1, message(1, name.encode()) + message(2, feature(value))) for name, value in row.items()
            )
            record = message(1, b"".join(features))
            head = struct.pack("<Q", len(record))
            file.write(head + masked(head) + record + masked(record))
