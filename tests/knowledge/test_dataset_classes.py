"""The data set classes as written down are those of MindSpore itself."""

import inspect
from pathlib import Path

import numpy as np
import pytest

from accucheck.knowledge import dataset_classes
from pipelines import tfrecord

pytestmark = [pytest.mark.mindspore, pytest.mark.part(1)]


def test_signatures_and_defaults_are_mindspores() -> None:
    import mindspore
    import mindspore.dataset as ds
    from mindspore.dataset.engine.datasets import MappableDataset, SourceDataset

    known = dataset_classes.load()
    if known.mindspore != mindspore.__version__:
        pytest.skip(f"written down from {known.mindspore}")
    classes = {name: getattr(ds, name) for name in dir(ds) if inspect.isclass(getattr(ds, name))}
    sources = {
        name: cls
        for name, cls in classes.items()
        if issubclass(cls, SourceDataset) and cls not in (SourceDataset, MappableDataset)
    }
    assert set(known.sources) - set(known.former) == set(sources)
    for name, cls in sources.items():
        parameters = inspect.signature(cls.__init__).parameters
        written = known.sources[name]
        assert written.parameters == [parameter for parameter in parameters if parameter != "self"], name
        default = parameters["shuffle"].default if "shuffle" in parameters else None
        assert written.shuffle == ("GLOBAL" if default is ds.Shuffle.GLOBAL else default), name
        generator, random = name == "GeneratorDataset", issubclass(cls, MappableDataset)
        assert written.access == ("generator" if generator else "random" if random else "files"), name
    for name, sampler in known.samplers.items():
        parameters = inspect.signature(classes[name].__init__).parameters
        assert sampler.parameters == [parameter for parameter in parameters if parameter != "self"], name
    for name in (*known.methods.keeps, "shuffle"):
        assert hasattr(ds.Dataset, name) or hasattr(ds.TextBaseDataset, name), name


def test_samplers_order_as_written_down() -> None:
    import mindspore.dataset as ds

    def epochs(sampler: object) -> list[list[int]]:
        dataset = ds.NumpySlicesDataset(np.arange(200), ["x"], sampler=sampler)
        rows = dataset.create_dict_iterator(num_epochs=2, output_numpy=True)
        return [[int(row["x"]) for row in rows] for _ in range(2)]

    made = {
        "RandomSampler": ds.RandomSampler(),
        "SequentialSampler": ds.SequentialSampler(),
        "DistributedSampler": ds.DistributedSampler(2, 0),
        "SubsetSampler": ds.SubsetSampler([3, 1, 2]),
        "SubsetRandomSampler": ds.SubsetRandomSampler(list(range(100))),
        "WeightedRandomSampler": ds.WeightedRandomSampler([1.0] * 200),
    }
    known = dataset_classes.load().samplers
    assert set(made) | {"PKSampler"} == set(known)
    for name, sampler in made.items():
        first, second = epochs(sampler)
        random = known[name].order == "random" or known[name].shuffle is True
        assert (first != second) is random, name
    assert epochs(ds.DistributedSampler(2, 0, shuffle=False))[0] == list(range(0, 200, 2))


def test_an_iterable_is_not_shuffled_even_when_asked() -> None:
    import mindspore.dataset as ds

    dataset = ds.GeneratorDataset(lambda: ((i,) for i in range(100)), ["x"], shuffle=True)
    assert [int(row["x"]) for row in dataset.create_dict_iterator(1, output_numpy=True)] == list(range(100))


@pytest.mark.parametrize("name", sorted({*dataset_classes.load().sources} - {*dataset_classes.load().former}))
def test_which_put_their_files_in_order(name: str) -> None:
    import mindspore.dataset as ds

    told = "sorted in a lexicographical order" in " ".join(
        (getattr(ds, name).__doc__ or "").replace("in lex", "in a lex").split()
    )
    assert dataset_classes.load().sources[name].sorts is told


@pytest.mark.parametrize("name", ["TextFileDataset", "CSVDataset", "TFRecordDataset", "MindDataset"])
def test_the_order_of_a_list_of_files(name: str, tmp_path: Path) -> None:
    import mindspore.dataset as ds

    files = [write(tmp_path, name, number) for number in (2, 1)]
    given = {"column_names": ["x"], "column_defaults": [""]} if name == "CSVDataset" else {}
    rows = getattr(ds, name)(files, shuffle=False, **given).create_tuple_iterator(num_epochs=1, output_numpy=True)
    found = [int(row[0].item()) for row in rows]
    assert found == ([1, 2] if dataset_classes.load().sources[name].sorts else [2, 1])


def write(folder: Path, name: str, number: int) -> str:
    """A file of one row that a data set class reads, which holds a number."""
    path = str(folder / f"{number}.rows")
    if name == "MindDataset":
        from mindspore.mindrecord import FileWriter

        writer = FileWriter(path)
        writer.add_schema({"x": {"type": "int32"}})
        writer.write_raw_data([{"x": number}])
        writer.commit()
    elif name == "TFRecordDataset":
        tfrecord(Path(path), [{"x": number}])
    else:
        Path(path).write_text(f"{number}\n")
    return path
