"""The data set classes and samplers of mindspore.dataset and how each orders its samples, as dataset_classes.json has them.

Read from MindSpore 2.10.0's own signatures and runs (a test repeats that). `access` of a source: "random" (a sampler picks
by index; no shuffle argument means shuffled), "files" (read through; shuffled by default too) or "generator" (random access
when the source object has __getitem__, otherwise read through in its own order).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

#: Methods of a data set that give its batches, one after the other.
ITERATORS = ("create_dict_iterator", "create_tuple_iterator")


class SourceClass(msgspec.Struct, frozen=True):
    """`parameters` in their order; `shuffle` is the default of that parameter: None, True or "GLOBAL" all mean shuffled; `whole`
    names the columns beside the samples whose type is one of whole numbers, as the numbers of classes are; `sorts`: reads its files in
    the order of their names, in whatever order it is given them."""

    access: str
    parameters: list[str]
    shuffle: bool | str | None = None
    whole: list[str] = []
    sorts: bool = False


class SamplerClass(msgspec.Struct, frozen=True):
    """`order`: random, sequential, fixed (the given indices, the same in every epoch) or by-shuffle (its `shuffle`)."""

    parameters: list[str]
    order: str
    shuffle: bool | None = None


class Methods(msgspec.Struct, frozen=True):
    """`keeps`: methods whose result is a data set in the order of the one they are called on; `shuffle`: its parameters."""

    keeps: list[str]
    shuffle: list[str]


class DatasetClasses(msgspec.Struct, frozen=True):
    """`former`: names that classes had before MindSpore 1.1, which are among the sources as well."""

    mindspore: str
    former: dict[str, str]
    sources: dict[str, SourceClass]
    samplers: dict[str, SamplerClass]
    methods: Methods


@cache
def load() -> DatasetClasses:
    written = Path(__file__).with_name("dataset_classes.json").read_bytes()
    found = msgspec.json.decode(written, type=DatasetClasses)
    found.sources.update({old: found.sources[name] for old, name in found.former.items()})
    return found
