"""Each item on data and data processing, on real data sets and pipelines: the clean twin is right, the faulty one is found.

The data are scikit-learn's wine table, its two photographs and its digits, written by MindSpore, Pillow and polars; each
pair goes through the real command line, live probes included.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits, load_sample_image, load_wine

from command_line import accucheck

TWINS = ("clean", "faulty")

PIPELINES = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as vision

FAULTY = {faulty}


def wine(batch_size=16):
    table = np.loadtxt("data/wine.csv", delimiter=",", skiprows=1, dtype=np.float32)
    features, label = table[:, :-1], table[:, -1].astype(np.int32)
    if not FAULTY:
        features = (features - features.mean(0)) / features.std(0)
    return ds.NumpySlicesDataset((features, label), ["features", "label"], shuffle=True).batch(batch_size)


def photos(training, batch_size=4):
    data = ds.ImageFolderDataset("data/photos", shuffle=training and not FAULTY, decode=True)
    steps = [vision.Resize((48, 48))]
    if training or not FAULTY:
        steps += [vision.Normalize([121.0, 117.0, 104.0], [70.0, 68.0, 71.0])]
    else:
        steps += [vision.Rescale(1 / 255, 0.0)]
    return data.map(steps + [vision.HWC2CHW()], "image").batch(batch_size)


def album(batch_size=4):
    data = ds.ImageFolderDataset("data/photos", shuffle=True, decode=True)
    scale = 1.0 if FAULTY else 1 / 255
    return data.map([vision.Resize((48, 48)), vision.Rescale(scale, 0.0), vision.HWC2CHW()], "image").batch(batch_size)


def digits(num_shards=1, shard_id=0, batch_size=32):
    shard_id = 0 if FAULTY else shard_id
    data = ds.MindDataset(
        "data/digits.mindrecord", ["image", "label"], num_shards=num_shards, shard_id=shard_id, shuffle=not FAULTY
    )
    data = data.map([vision.Decode(), vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()], "image")
    return data.batch(batch_size)


class Rows:
    def __init__(self):
        table = np.load("data/tokens.npz")
        self.rows = [row[: length] for row, length in zip(table["ids"], table["lengths"])]
        self.labels = table["labels"]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        shown = np.ones(len(row) - (3 if FAULTY else 0), np.int32)
        return row, shown, self.labels[index]


def tokens(batch_size=16):
    data = ds.GeneratorDataset(Rows(), ["ids", "mask", "label"], shuffle=True)
    return data.padded_batch(batch_size, pad_info={{"ids": ([64], 0), "mask": ([64], 0)}})
"""


def write_wine(path: Path, missing: bool) -> None:
    found = load_wine()
    rows = [[f"{value:g}" for value in row] + [str(label)] for row, label in zip(found.data, found.target, strict=True)]
    if missing:
        rows[5][2] = rows[40][0] = "nan"
    lines = [",".join([*(name.replace("/", "_") for name in found.feature_names), "label"])]
    path.write_text("\n".join(lines + [",".join(row) for row in rows]) + "\n")


def write_photos(folder: Path) -> None:
    for name in ("china", "flower"):
        photo = load_sample_image(f"{name}.jpg")
        place = folder / name
        place.mkdir(parents=True)
        for number in range(40):
            top, left = 60 * (number // 8), 60 * (number % 8)
            Image.fromarray(photo[top : top + 120, left : left + 120]).save(place / f"{number:02}.jpg", quality=92)


def write_digits(path: Path, faulty: bool) -> None:
    import io

    from mindspore.mindrecord import FileWriter

    found = load_digits()
    rows, nines = [], 0
    for image, label in zip(found.images, found.target, strict=True):
        nines += label == 9
        if faulty and label == 9 and nines > 1:
            continue
        stream = io.BytesIO()
        Image.fromarray((image * 15).astype(np.uint8)).convert("RGB").save(stream, "PNG")
        rows.append({"image": stream.getvalue(), "label": int(label)})
    if faulty:
        rows.append({"image": rows[7]["image"], "label": (rows[7]["label"] + 1) % 9})
    writer = FileWriter(str(path), 1)
    writer.add_schema({"image": {"type": "bytes"}, "label": {"type": "int32"}})
    writer.write_raw_data(rows)
    writer.commit()


def write_tokens(path: Path, faulty: bool) -> None:
    found = load_digits()
    pixels = found.images.reshape(-1, 64).astype(np.int32) + (not faulty)  # 0 is kept for the padding, or not
    lengths = 40 + found.target * 2
    np.savez(path, ids=pixels, lengths=lengths, labels=found.target.astype(np.int32))


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {}
    for name in TWINS:
        root, faulty = tmp_path_factory.mktemp(name), name == "faulty"
        (root / "data").mkdir()
        (root / "dataset.py").write_text(PIPELINES.format(faulty=faulty))
        write_wine(root / "data/wine.csv", missing=False)
        write_wine(root / "data/missing.csv", missing=faulty)
        write_photos(root / "data/photos")
        write_photos(root / "data/album")
        files = sorted((root / "data/photos").rglob("*.jpg"))
        sums = [
            f"{hashlib.md5(file.read_bytes()).hexdigest()}  {file.relative_to(root / 'data/photos')}" for file in files
        ]
        (root / "photos.md5").write_text("\n".join(sums) + "\n")
        if faulty:
            Image.open(files[3]).rotate(90).save(files[3])
            photo = root / "data/album/flower/07.jpg"
            photo.write_bytes(photo.read_bytes()[:900])
        write_digits(root / "data/digits.mindrecord", faulty)
        write_tokens(root / "data/tokens.npz", faulty)
        made[name] = root
    return made


#: item, what of the case it needs, how the clean twin comes out, and the codes that the faulty one must show.
CASES = {
    "ds.01 table": ("ds.01", {"data.train": {"path": "data/missing.csv", "label": "label"}}, "ok", {"nan-values"}),
    "ds.01 pictures": ("ds.01", {"data.train": {"path": "data/album"}}, "ok", {"images-truncated"}),
    "ds.02 MindRecord": ("ds.02", {"data.train": {"path": "data/digits.mindrecord"}}, "undecided", {"conflict"}),
    "ds.03 MindRecord": ("ds.03", {"data.train": {"path": "data/digits.mindrecord"}}, "ok", {"rare-class"}),
    "ds.04 pictures": (
        "ds.04",
        {"data.train": {"path": "data/photos"}, "data.reference": {"manifest": "photos.md5"}},
        "ok",
        {"different"},
    ),
    "dp.01 table": ("dp.01", {"pipelines.train": {"call": "dataset:wine"}}, "ok", {"scales-differ"}),
    "dp.01 pictures": ("dp.01", {"pipelines.train": {"call": "dataset:album"}}, "ok", {"out-of-range"}),
    "dp.02 pictures": (
        "dp.02",
        {
            "pipelines.train": {"call": "dataset:photos", "args": {"training": True}},
            "pipelines.eval": {"call": "dataset:photos", "args": {"training": False}},
        },
        "ok",
        {"values-differ"},
    ),
    "dp.03 MindRecord": ("dp.03", {"pipelines.train": {"call": "dataset:digits"}}, "ok", {"source-order"}),
    "dp.04 tokens": (
        "dp.04",
        {
            "pipelines.train": {"call": "dataset:tokens"},
            "design.padding": {"value": 0, "side": "right", "mask": "mask"},
        },
        "ok",
        {"value-is-real", "mask-disagrees"},
    ),
    "dp.05 MindRecord": (
        "dp.05",
        {
            "pipelines.train": {"call": "dataset:digits"},
            "pipelines.shard_args": {"count": "num_shards", "index": "shard_id"},
            "runtime.distributed": {"devices": 4},
        },
        "ok",
        {"not-sharded"},
    ),
}


@pytest.mark.mindspore
@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_clean_twin_is_right_and_the_faulty_one_is_found(name: str, twins: dict[str, Path]) -> None:
    item, keys, clean, codes = CASES[name]
    settings = [word for key, value in keys.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    found = {}
    for twin, root in twins.items():
        ran = accucheck("run", root, "--json", "--live", "--only", item, *settings, timeout=300)
        assert ran.code in (0, 1), ran
        (answer,) = (one for one in json.loads(ran.out)["items"] if one["id"] == item)
        assert not [result for result in answer["results"] if result["status"] == "failed"], answer
        found[twin] = answer
    assert found["clean"]["suggestion"] == clean, said(found["clean"])
    assert found["faulty"]["suggestion"] == "problem", said(found["faulty"])
    assert codes <= {finding["code"] for result in found["faulty"]["results"] for finding in result["findings"]}, said(
        found["faulty"]
    )


def said(answer: dict) -> list[str]:
    """What the probes found, to read when it is not as expected."""
    return [
        f"{result['probe']} {result['status']} {finding['level']} {finding['code']}: {finding['message']}"
        for result in answer["results"]
        for finding in result["findings"]
    ]
