"""TFRecord files as TensorFlow writes them, made with Google's protobuf and CRC-32C."""

import struct
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory


def _classes() -> Any:
    """tf.train.Example, built from the description of its messages."""
    file = descriptor_pb2.FileDescriptorProto(name="example.proto", package="made", syntax="proto3")

    def message(name: str, *fields: tuple[str, int, int, str], within: Any = None) -> Any:
        made = (within.nested_type if within else file.message_type).add(name=name)
        for title, number, kind, of in fields:
            repeated = kind < 0
            field = made.field.add(name=title, number=number, type=abs(kind), label=3 if repeated else 1)
            if of:
                field.type_name = of
        return made

    message("BytesList", ("value", 1, -12, ""))
    message("FloatList", ("value", 1, -2, ""))
    message("Int64List", ("value", 1, -3, ""))
    lists = [("bytes_list", 1, 11, ".made.BytesList"), ("float_list", 2, 11, ".made.FloatList")]
    feature = message("Feature", *lists, ("int64_list", 3, 11, ".made.Int64List"))
    feature.oneof_decl.add(name="kind")
    for field in feature.field:
        field.oneof_index = 0
    features = message("Features", ("feature", 1, -11, ".made.Features.FeatureEntry"))
    entry = message("FeatureEntry", ("key", 1, 9, ""), ("value", 2, 11, ".made.Feature"), within=features)
    entry.options.map_entry = True
    message("Example", ("features", 1, 11, ".made.Features"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("made.Example"))


Example = _classes()


def example(**given: Any) -> bytes:
    made = Example()
    for name, value in given.items():
        values = value if isinstance(value, (list, np.ndarray)) else [value]
        feature = made.features.feature[name]
        if len(values) and isinstance(values[0], bytes):
            feature.bytes_list.value.extend(values)
        elif len(values) and isinstance(values[0], (float, np.floating)):
            feature.float_list.value.extend(values)
        else:
            feature.int64_list.value.extend(int(one) for one in values)
    return made.SerializeToString()


def masked(data: bytes) -> bytes:
    crc = google_crc32c.value(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def write(path: Path, records: list[bytes]) -> Path:
    with path.open("wb") as file:
        for record in records:
            head = struct.pack("<Q", len(record))
            file.write(head + masked(head) + record + masked(record))
    return path
