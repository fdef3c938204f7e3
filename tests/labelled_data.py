"""scikit-learn's digits and two photographs in every format whose samples can be looked at."""

import json
import struct
from pathlib import Path

import google_crc32c
import numpy as np
import polars as pl
from PIL import Image
from sklearn.datasets import load_digits, load_sample_images

DIGITS = load_digits()
#: How many samples of the digits are written, and their labels.
COUNT = 400
IMAGES, LABELS = DIGITS.images[:COUNT].astype(np.uint8), DIGITS.target[:COUNT]
FORMATS = (
    "csv",
    "tsv",
    "parquet",
    "ndjson",
    "npz",
    "npz-small",
    "npy",
    "idx",
    "cifar",
    "tfrecord",
    "folders",
    "listed",
    "coco",
    "tar",
)


def photographs() -> list[Image.Image]:
    return [Image.fromarray(array) for array in load_sample_images().images]


def png(array: np.ndarray) -> bytes:
    from io import BytesIO

    stream = BytesIO()
    Image.fromarray(array).save(stream, "PNG")
    return stream.getvalue()


def _masked(data: bytes) -> int:
    crc = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def tfrecord(path: Path, rows: list[dict[str, object]]) -> None:
    """Examples as TensorFlow writes them: bytes, or an integer."""
    with path.open("wb") as file:
        for row in rows:
            entries = b""
            for name, value in row.items():
                kind = (
                    _field(1, _field(1, value))
                    if isinstance(value, bytes)
                    else _field(3, _field(1, _varint(int(value))))
                )
                entries += _field(1, _field(1, name.encode()) + _field(2, kind))
            data = _field(1, entries)
            head = struct.pack("<Q", len(data))
            file.write(head + struct.pack("<I", _masked(head)) + data + struct.pack("<I", _masked(data)))


def mindrecord(path: Path, images: np.ndarray = IMAGES, labels: np.ndarray = LABELS) -> None:
    from mindspore.mindrecord import FileWriter

    writer = FileWriter(str(path), 1)
    writer.add_schema(
        {
            "label": {"type": "int32"},
            "file": {"type": "string"},
            "image": {"type": "bytes"},
            "box": {"type": "float32", "shape": [2, 2]},
        }
    )
    rows = [
        {"label": int(y), "file": f"{n}.x", "image": png(x * 15), "box": np.full((2, 2), n, np.float32)}
        for n, (x, y) in enumerate(zip(images, labels, strict=True))
    ]
    writer.write_raw_data(rows)
    writer.commit()


def write(folder: Path, kind: str, images: np.ndarray = IMAGES, labels: np.ndarray = LABELS) -> str:
    """The digits in one format; returns what data.train.path should be."""
    if kind in ("csv", "tsv", "parquet", "ndjson"):
        pixels = images.reshape(len(images), -1)
        table = pl.DataFrame({**{f"pixel{n}": pixels[:, n] for n in range(pixels.shape[1])}, "label": labels})
        path = folder / f"train.{kind}"
        if kind == "tsv":
            table.write_csv(path, separator="\t")
        else:
            getattr(table, f"write_{kind}")(path)
    elif kind == "npz":
        np.savez(folder / "train.npz", images=images, labels=labels)
    elif kind == "npz-small":
        np.savez_compressed(folder / "train.npz-small.npz", x=images.reshape(len(images), -1), y=labels)
        return "train.npz-small.npz"
    elif kind == "npy":
        (folder / "train").mkdir()
        np.save(folder / "train" / "labels.npy", np.eye(10, dtype=np.uint8)[labels])
        np.save(folder / "train" / "images.npy", images.astype(np.float32) / 16)
        return "train"
    elif kind == "idx":
        (folder / "train").mkdir()
        head = b"\0\0\x08\x01" + len(labels).to_bytes(4, "big")
        (folder / "train" / "train-labels-idx1-ubyte").write_bytes(head + labels.astype(np.uint8).tobytes())
        sides = b"".join(side.to_bytes(4, "big") for side in images.shape)
        (folder / "train" / "train-images-idx3-ubyte").write_bytes(b"\0\0\x08\x03" + sides + images.tobytes())
        return "train"
    elif kind == "cifar":
        large = np.kron(images, np.ones((1, 4, 4), np.uint8)).reshape(len(images), 1024) * 15
        np.column_stack((labels.astype(np.uint8), large, large, large)).tofile(folder / "data_batch_1.bin")
        return "data_batch_1.bin"
    elif kind == "tfrecord":
        rows = [
            {"image": png(x * 15), "label": int(y), "name": f"n{n}".encode()}
            for n, (x, y) in enumerate(zip(images, labels, strict=True))
        ]
        tfrecord(folder / "train.tfrecord", rows)
    elif kind == "mindrecord":
        mindrecord(folder / "train.mindrecord", images, labels)
    elif kind == "folders":
        for n, (x, y) in enumerate(zip(images, labels, strict=True)):
            place = folder / "train" / str(y)
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{n}.png").write_bytes(png(x * 15))
        return "train"
    elif kind == "listed":
        (folder / "train" / "img").mkdir(parents=True)
        for n, x in enumerate(images):
            (folder / "train" / "img" / f"{n}.png").write_bytes(png(x * 15))
        rows = "".join(f"{n}.png,{y}\n" for n, y in enumerate(labels))
        (folder / "train" / "labels.csv").write_text("file,label\n" + rows)
        return "train"
    elif kind == "coco":
        (folder / "train").mkdir()
        for n, picture in enumerate(photographs()):
            picture.save(folder / "train" / f"{n}.jpg")
        boxes = [
            {"id": n, "image_id": n % 2, "category_id": int(y), "bbox": [10 + n, 20, 100, 50]}
            for n, y in enumerate(labels)
        ]
        content = {
            "images": [{"id": n, "file_name": f"{n}.jpg"} for n in range(2)],
            "annotations": boxes,
            "categories": [{"id": n, "name": f"{n}"} for n in range(10)],
        }
        (folder / "train" / "instances.json").write_text(json.dumps(content))
        return "train"
    elif kind == "tar":
        from webdataset import TarWriter

        with TarWriter(str(folder / "train.tar")) as writer:
            for n, (x, y) in enumerate(zip(images, labels, strict=True)):
                writer.write({"__key__": f"{n:05}", "png": png(x * 15), "cls": int(y)})
    return f"train.{kind}"
