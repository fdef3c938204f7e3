"""Rows of pytorch_apis.json run on both: copied as it stands the call gives something else, written as the row says the same."""

import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from accucheck.knowledge.pytorch_apis import known, look_up

pytestmark = [pytest.mark.mindspore, pytest.mark.part(1)]
torch = pytest.importorskip("torch")

NOW = "2.10.0"
DRAWN = np.random.default_rng(0)
MATRIX = DRAWN.normal(size=(4, 3)).astype(np.float32)
SQUARE = DRAWN.normal(size=(3, 3)).astype(np.float32)
SERIES = DRAWN.normal(size=(5, 2, 3)).astype(np.float32)  # (step, sample, feature)
SAMPLES = list(range(40))


def image(axes: int) -> np.ndarray:
    return np.random.default_rng(axes).normal(3, 2, size=(2, 3, *[6] * axes)).astype(np.float32)


def m(values: Any) -> Any:
    from mindspore import Tensor

    return Tensor(values)


def t(values: Any) -> Any:
    return torch.tensor(values)


def plain(value: Any) -> Any:
    """Tensors as arrays, whatever holds them."""
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if hasattr(value, "asnumpy"):
        return value.asnumpy()
    return value.detach().numpy() if isinstance(value, torch.Tensor) else value


def alike(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, str):
        return one == other
    one, other = np.asarray(one), np.asarray(other)
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-4, atol=1e-5)


def mindspore() -> Any:
    return importlib.import_module("mindspore")


def layer(name: str, *args: Any, **options: Any) -> Any:
    return getattr(mindspore().nn, name)(*args, **options)


def twins(there: Any, here: Any) -> Any:
    """The network of MindSpore with the weights of PyTorch's, by name or as `renamed`."""
    given = dict(there.named_parameters())
    for parameter in here.trainable_params():
        found = given[renamed(parameter.name)].detach().numpy()
        parameter.set_data(m(found.reshape(parameter.shape)))
    return here


def renamed(name: str) -> str:
    for own, there in (("dense1", "linear1"), ("dense2", "linear2"), ("gamma", "weight"), ("beta", "bias")):
        name = name.replace(own, there)
    return name


def packed(name: str) -> tuple[Callable[[], Any], ...]:
    """A recurrent layer over two series of different length: outputs, padded with zeros."""
    there = getattr(torch.nn, name)(3, 4)

    def reference() -> Any:
        series = torch.nn.utils.rnn.pack_padded_sequence(t(SERIES), [5, 3])
        return torch.nn.utils.rnn.pad_packed_sequence(there(series)[0])[0]

    def run(*lengths: Any) -> Any:
        return twins(there, layer(name, 3, 4))(m(SERIES), None, *lengths)[0]

    return reference, run, lambda: run(m(np.array([5, 3], np.int32)))


def cell(name: str) -> tuple[Callable[[], Any], ...]:
    there = getattr(torch.nn, name)(3, 4)
    zeros = np.zeros((2, 4), np.float32)

    def run(*state: Any) -> Any:
        return twins(there, layer(name, 3, 4))(m(SERIES[0]), *state)

    state = (lambda: (m(zeros), m(zeros))) if name == "LSTMCell" else (lambda: m(zeros))
    return lambda: there(t(SERIES[0])), run, lambda: run(state())


def pool(axes: int) -> tuple[Callable[[], Any], ...]:
    name = f"MaxPool{axes}d"
    return (
        lambda: getattr(torch.nn, name)(2)(t(image(axes))),
        lambda: layer(name, 2)(m(image(axes))),
        lambda: layer(name, 2, 2)(m(image(axes))),
    )


def convolution(there: str, here: str, axes: int) -> tuple[Callable[[], Any], ...]:
    reference = getattr(torch.nn, there)(3, 4, 3)

    def run(**options: Any) -> Any:
        return twins(reference, layer(here, 3, 4, 3, **options))(m(image(axes)))

    return lambda: reference(t(image(axes))), run, lambda: run(pad_mode="valid", has_bias=True)


def instances(axes: int) -> tuple[Callable[[], Any], ...]:
    name = f"InstanceNorm{axes}d"
    return (
        lambda: getattr(torch.nn, name)(3)(t(image(axes))),
        lambda: layer(name, 3)(m(image(axes))),
        lambda: layer("GroupNorm", 3, 3)(m(image(axes))),
    )


def scattered() -> tuple[Callable[[], Any], ...]:
    index, source = np.array([[0, 1], [2, 0]]), np.array([[10.0, 20.0], [30.0, 40.0]], np.float32)

    def reference() -> Any:
        x = torch.zeros(2, 3)
        x.scatter_(1, t(index), t(source))
        return x

    def run(keep: bool) -> Any:
        x = m(np.zeros((2, 3), np.float32))
        result = x.scatter(1, m(index), m(source))
        return result if keep else x

    return reference, lambda: run(False), lambda: run(True)


def clipped() -> tuple[Callable[[], Any], ...]:
    gradients = [np.array([3.0, 4.0], np.float32), np.array([12.0], np.float32)]

    def reference() -> Any:
        weights = [torch.zeros(one.shape, requires_grad=True) for one in gradients]
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.grad = t(gradient)
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        return [weight.grad for weight in weights]

    def run(keep: bool) -> Any:
        given = [m(one) for one in gradients]
        result = mindspore().ops.clip_by_norm(given, 1.0)
        return result if keep else given

    return reference, lambda: run(False), lambda: run(True)


def attention() -> tuple[Callable[[], Any], ...]:
    there = torch.nn.MultiheadAttention(8, 2, bias=False)
    series = np.random.default_rng(1).normal(size=(5, 2, 8)).astype(np.float32)
    mask = np.triu(np.ones((5, 5), bool), 1)
    hidden = np.zeros((2, 5), bool)
    hidden[1, 4] = True

    def run(**options: Any) -> Any:
        here = twins(there, layer("MultiheadAttention", 8, 2, **options))
        return here(*[m(series)] * 3, attn_mask=m(mask), key_padding_mask=m(hidden))

    def reference() -> Any:
        return there(*[t(series)] * 3, attn_mask=t(mask), key_padding_mask=t(hidden))

    return reference, lambda: run(bias=False), lambda: run(has_bias=False)


def encoder() -> tuple[Callable[[], Any], ...]:
    there = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), 2)
    series = np.random.default_rng(1).normal(size=(5, 2, 8)).astype(np.float32)
    mask = np.triu(np.ones((5, 5), bool), 1)

    def run(**masks: Any) -> Any:
        one = layer("TransformerEncoderLayer", 8, 2, 16, dropout=0.0)
        return twins(there, layer("TransformerEncoder", one, 2))(m(series), **masks)

    return lambda: there(t(series), mask=t(mask)), lambda: run(mask=m(mask)), lambda: run(src_mask=m(mask))


def names(name: str, *args: Any) -> tuple[Callable[[], Any], ...]:
    def run() -> Any:
        return [parameter.name for parameter in layer(name, *args).trainable_params()]

    return (
        lambda: sorted(one for one, _ in getattr(torch.nn, name)(*args).named_parameters()),
        lambda: sorted(run()),
        lambda: sorted(map(renamed, run())),
    )


def parameters() -> tuple[Callable[[], Any], ...]:
    there = torch.nn.Linear(2, 2)
    there.weight.requires_grad = False

    def run(method: str) -> Any:
        here = layer("Dense", 2, 2)
        here.weight.requires_grad = False
        return [parameter.name for parameter in getattr(here, method)()]

    return (
        lambda: [name for name, _ in there.named_parameters()],
        lambda: run("trainable_params"),
        lambda: run("get_parameters"),
    )


def order(**options: Any) -> list[int]:
    """The samples as GeneratorDataset gives them."""
    data = importlib.import_module("mindspore.dataset")
    if isinstance(sampler := options.get("sampler"), tuple):
        options["sampler"] = getattr(data, sampler[0])(*sampler[1:])
    rows = data.GeneratorDataset(SAMPLES, ["value"], **options)
    return [int(row[0]) for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def shards(**options: Any) -> tuple[Callable[[], Any], ...]:
    def run(**more: Any) -> Any:
        sampler = importlib.import_module("mindspore.dataset").DistributedSampler
        return [order(sampler=sampler(7, rank, shuffle=False, **more)) for rank in range(7)]

    def reference() -> Any:
        sampler = torch.utils.data.distributed.DistributedSampler
        return [list(sampler(SAMPLES, 7, rank, shuffle=False)) for rank in range(7)]

    return reference, lambda: run(drop_last=False), run


def decomposed(rebuilt: bool) -> tuple[Callable[[], Any], ...]:
    def product(u: Any, s: Any, last: Any) -> Any:
        u, s, last = plain(u), plain(s), plain(last)
        return [u.shape, s, last.shape, (u[:, : len(s)] * s) @ last]

    def run(full: bool) -> Any:
        s, u, v = mindspore().ops.svd(m(MATRIX), full_matrices=full)
        return product(u, s, plain(v).T)

    if rebuilt:
        return (
            lambda: product(*torch.linalg.svd(t(MATRIX))),
            lambda: product(*mindspore().ops.svd(m(MATRIX))),
            lambda: run(True),
        )
    return (
        lambda: product(*[*(found := torch.svd(t(MATRIX)))[:2], found[2].T]),
        lambda: product(*mindspore().ops.svd(m(MATRIX))),
        lambda: run(False),
    )


class Row(NamedTuple):
    """PyTorch's call, the same call copied to MindSpore, and the call as the row says."""

    api: str
    there: Callable[[], Any]
    copied: Callable[[], Any]
    mended: Callable[[], Any] | None


SLOPES = np.array([-2.0, -1.0, 0.0, 1.0], np.float32)
LOGS, TARGETS = np.log(np.array([[0.2, 0.8], [0.5, 0.5]], np.float32)), np.array([[0.3, 0.7], [0.1, 0.9]], np.float32)
VOLUME = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

ROWS = [
    Row(
        "torch.nn.LeakyReLU",
        lambda: torch.nn.LeakyReLU()(t(SLOPES)),
        lambda: layer("LeakyReLU")(m(SLOPES)),
        lambda: layer("LeakyReLU", 0.01)(m(SLOPES)),
    ),
    *(Row(f"torch.nn.MaxPool{axes}d", *pool(axes)) for axes in (2, 3)),
    Row("torch.nn.Conv1d", *convolution("Conv1d", "Conv1d", 1)),
    Row("torch.nn.ConvTranspose3d", *convolution("ConvTranspose3d", "Conv3dTranspose", 3)),
    *(Row(f"torch.nn.InstanceNorm{axes}d", *instances(axes)) for axes in (1, 2, 3)),
    *(Row(f"torch.nn.{name}", *packed(name)) for name in ("RNN", "GRU", "LSTM")),
    *(Row(f"torch.nn.{name}", *cell(name)) for name in ("RNNCell", "GRUCell", "LSTMCell")),
    Row("torch.nn.MultiheadAttention", *attention()),
    Row("torch.nn.TransformerEncoder", *encoder()),
    Row("torch.nn.TransformerEncoderLayer", *names("TransformerEncoderLayer", 8, 2, 16)),
    Row("torch.nn.Transformer", *names("Transformer", 8, 2, 1, 1, 16)),
    Row("torch.nn.Parameter", *parameters()),
    Row(
        "torch.nn.ModuleDict",
        lambda: len(torch.nn.ModuleDict({"a": torch.nn.ModuleDict({"b": torch.nn.ReLU()})})),
        lambda: len(layer("CellDict", {"a": layer("CellDict", {"b": layer("ReLU")})})),
        None,
    ),
    Row(
        "torch.nn.functional.kl_div",
        lambda: torch.nn.functional.kl_div(t(LOGS), t(np.log(TARGETS)), reduction="sum", log_target=True),
        lambda: mindspore().ops.kl_div(m(LOGS), m(np.log(TARGETS)), reduction="sum", log_target=True),
        lambda: mindspore().ops.kl_div(m(LOGS), m(TARGETS), reduction="sum"),
    ),
    Row("torch.nn.utils.clip_grad_norm_", *clipped()),
    Row("torch.Tensor.scatter_", *scattered()),
    Row(
        "torch.Tensor.size",
        lambda: tuple(t(VOLUME).size()),
        lambda: m(VOLUME).size,
        lambda: m(VOLUME).shape,
    ),
    Row(
        "torch.Tensor.std",
        lambda: [t(VOLUME).std(), t(VOLUME).std(dim=1)],
        lambda: [m(VOLUME).std(), m(VOLUME).std(dim=1)],
        lambda: [m(VOLUME).std(ddof=1), m(VOLUME).std(axis=1, ddof=1)],
    ),
    Row(
        "torch.Tensor.to",
        lambda: t(VOLUME).to(torch.int32),
        lambda: m(VOLUME + 0.5).to("cuda"),
        lambda: m(VOLUME).to(mindspore().int32),
    ),
    Row(
        "torch.Tensor.amax",
        lambda: t(VOLUME).amax(dim=1, keepdim=True),
        lambda: m(VOLUME).amax(dim=1, keepdim=True),
        lambda: m(VOLUME).amax(axis=1, keepdims=True),
    ),
    Row(
        "torch.bucketize",
        lambda: torch.bucketize(3.0, t([1.0, 4.0])),
        lambda: mindspore().ops.bucketize(3.0, [1.0, 4.0]),
        lambda: mindspore().ops.bucketize(m(3.0), [1.0, 4.0]),
    ),
    Row(
        "torch.diag",
        lambda: torch.diag(t(SQUARE)),
        lambda: mindspore().ops.diag(m(SQUARE)),
        lambda: mindspore().ops.diagonal(m(SQUARE)),
    ),
    Row("torch.svd", *decomposed(False)),
    Row("torch.linalg.svd", *decomposed(True)),
    Row(
        "torch.linalg.diagonal",
        lambda: torch.linalg.diagonal(t(VOLUME)),
        lambda: mindspore().ops.diagonal(m(VOLUME)),
        lambda: mindspore().ops.diagonal(m(VOLUME), dim1=-2, dim2=-1),
    ),
    Row(
        "torch.linalg.cross",
        lambda: torch.linalg.cross(t(SQUARE), t(SQUARE[::-1].copy())),
        lambda: mindspore().ops.cross(m(SQUARE), m(SQUARE[::-1].copy())),
        lambda: mindspore().ops.cross(m(SQUARE), m(SQUARE[::-1].copy()), dim=-1),
    ),
    Row(
        "torch.linalg.vander",
        lambda: torch.linalg.vander(t([1.0, 2.0, 3.0])),
        lambda: mindspore().ops.vander(m([1.0, 2.0, 3.0])),
        lambda: mindspore().ops.vander(m([1.0, 2.0, 3.0])).asnumpy()[:, ::-1],
    ),
    Row(
        "torch.linalg.lu_factor",
        lambda: torch.linalg.lu_factor(t(SQUARE))[1],
        lambda: importlib.import_module("mindspore.scipy.linalg").lu_factor(m(SQUARE))[1],
        lambda: importlib.import_module("mindspore.scipy.linalg").lu_factor(m(SQUARE))[1] + 1,
    ),
    Row(
        "torch.take_along_dim",
        lambda: torch.take_along_dim(t(MATRIX), t([[0], [1], [2], [0]]), 1),
        lambda: mindspore().numpy.take_along_axis(m(MATRIX), indices=m([[0], [1], [2], [0]]), dim=1),
        lambda: mindspore().numpy.take_along_axis(m(MATRIX), m([[0], [1], [2], [0]]), 1),
    ),
    *(
        Row(
            "torch.Tensor.norm",
            lambda order=order: t(MATRIX).norm(order),
            lambda order=order: m(MATRIX).norm(order),
            lambda order=order: m(MATRIX).reshape(-1).norm(order),
        )
        for order in (1, 2, float("inf"))
    ),
    Row(
        "torch.Tensor.nanmedian",
        lambda: t(SQUARE).nanmedian(),
        lambda: m(SQUARE).nanmedian(),
        lambda: m(SQUARE).reshape(-1).nanmedian()[0],
    ),
    Row(
        "torch.nanmedian",
        lambda: torch.nanmedian(t(SQUARE)),
        lambda: mindspore().ops.nanmedian(m(SQUARE)),
        lambda: mindspore().ops.nanmedian(m(SQUARE).reshape(-1))[0],
    ),
    Row(
        "torch.Tensor.equal",
        lambda: t(SQUARE).equal(t(SQUARE)),
        lambda: m(SQUARE).equal(m(SQUARE)),
        lambda: (m(SQUARE) == m(SQUARE)).all(),
    ),
    Row(
        "torch.Tensor.aminmax",
        lambda: [*t(MATRIX).aminmax()],
        lambda: m(MATRIX).aminmax(),
        lambda: m(MATRIX).reshape(-1).aminmax(),
    ),
    Row(
        "torch.aminmax",
        lambda: [*torch.aminmax(t(MATRIX))],
        lambda: mindspore().ops.aminmax(m(MATRIX)),
        lambda: mindspore().ops.aminmax(m(MATRIX).reshape(-1)),
    ),
    Row(
        "torch.histogram",
        lambda: torch.histogram(t(SQUARE))[0],
        lambda: mindspore().numpy.histogram(m(SQUARE))[0],
        lambda: mindspore().numpy.histogram(m(SQUARE), 100)[0],
    ),
    Row(
        "torch.utils.data.DataLoader",
        lambda: [int(one) for one in torch.utils.data.DataLoader(SAMPLES)],
        order,
        lambda: order(shuffle=False),
    ),
    Row("torch.utils.data.distributed.DistributedSampler", *shards()),
    Row(
        "torch.utils.data.SequentialSampler",
        lambda: list(torch.utils.data.SequentialSampler(SAMPLES)),
        lambda: order(sampler=("SequentialSampler", SAMPLES)),
        lambda: order(sampler=("SequentialSampler",)),
    ),
    Row(
        "torch.utils.data.RandomSampler",
        lambda: sorted(torch.utils.data.RandomSampler(SAMPLES)),
        lambda: sorted(order(sampler=("RandomSampler", SAMPLES))),
        lambda: sorted(order(sampler=("RandomSampler",))),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.api)
def test_what_differs_does_so_and_the_words_mend_it(row: Row) -> None:
    found = look_up(row.api, NOW)
    assert found is not None and found.status == "differs"
    there = plain(row.there())
    try:
        copied = plain(row.copied())
    except (TypeError, ValueError, RuntimeError, IndexError):
        pass
    else:
        assert not alike(there, copied)
    if row.mended is not None:
        assert alike(there, plain(row.mended()))


@pytest.mark.parametrize(
    ("api", "there", "here"),
    [
        ("torch.Tensor.expand", lambda: t(SQUARE[:, :1]).expand(2, -1, 4), lambda: m(SQUARE[:, :1]).expand(2, -1, 4)),
        ("torch.Tensor.repeat", lambda: t(VOLUME).repeat(2, 1, 1, 3), lambda: m(VOLUME).tile(2, 1, 1, 3)),
        ("torch.linalg.matrix_power", lambda: torch.linalg.matrix_power(t(SQUARE), 3), lambda: power(3)),
        (
            "torch.linalg.slogdet",
            lambda: [*torch.linalg.slogdet(t(SQUARE))],
            lambda: mindspore().ops.slogdet(m(SQUARE)),
        ),
        (
            "torch.special.digamma",
            lambda: torch.special.digamma(t(TARGETS)),
            lambda: mindspore().ops.digamma(m(TARGETS)),
        ),
    ],
)
def test_what_is_the_same_gives_the_same(api: str, there: Callable[[], Any], here: Callable[[], Any]) -> None:
    found = look_up(api, NOW)
    assert found is not None and found.status in ("consistent", "otherwise")
    assert alike(plain(there()), plain(here()))


def power(exponent: int) -> Any:
    return mindspore().ops.matrix_power(m(SQUARE), exponent)


def test_an_older_form_that_differs_is_told_beside_the_one_that_is_alike() -> None:
    found = look_up("torch.nn.functional.smooth_l1_loss", NOW)
    assert found is not None and found.status == "consistent"
    assert [one.api for one in found.counterparts if one.differs] == ["ops.smooth_l1_loss"]
    assert mindspore().ops.smooth_l1_loss(m(MATRIX), m(-MATRIX)).shape == MATRIX.shape
    assert torch.nn.functional.smooth_l1_loss(t(MATRIX), t(-MATRIX)).shape == ()


def test_buffers_are_not_in_a_saved_checkpoint(tmp_path: Path) -> None:
    ms = mindspore()
    net = ms.nn.Dense(2, 2)
    net.register_buffer("counts", m(np.ones(2, np.float32)))
    ms.save_checkpoint(net, str(tmp_path / "net.ckpt"))
    assert "counts" in net.state_dict()
    assert sorted(ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == ["bias", "weight"]


def test_transforms_of_images() -> None:
    vision = importlib.import_module("mindspore.dataset.vision")
    picture = np.full((4, 5, 3), 51, np.uint8)
    assert vision.ToTensor()(picture) == pytest.approx(0.2)
    assert vision.ToTensor()(picture.astype(np.float32)) == pytest.approx(0.2)  # ToTensor of PyTorch leaves 51
    channels_first = vision.ToTensor()(picture)
    with pytest.raises(RuntimeError):
        vision.Normalize([0.1] * 3, [0.1] * 3)(channels_first)
    assert vision.Normalize([0.1] * 3, [0.1] * 3, is_hwc=False)(channels_first) == pytest.approx(1)
    with pytest.raises(ValueError, match="channel"):
        vision.ToPIL()(channels_first)
    assert vision.ToPIL()(picture).size == (5, 4)


def read(loader: str, folder: Path, column: str = "label", **options: Any) -> list[np.ndarray]:
    data = getattr(importlib.import_module("mindspore.dataset"), loader)(str(folder), **options)
    return [row[column] for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


def test_digits_are_read_from_the_raw_folder_and_shuffled(tmp_path: Path) -> None:
    for name, count in (("train", 40), ("t10k", 5)):
        head = (2051).to_bytes(4, "big") + b"".join(size.to_bytes(4, "big") for size in (count, 28, 28))
        (tmp_path / f"{name}-images-idx3-ubyte").write_bytes(head + bytes(count * 784))
        head = (2049).to_bytes(4, "big") + count.to_bytes(4, "big")
        (tmp_path / f"{name}-labels-idx1-ubyte").write_bytes(head + bytes(range(count)))
    assert read("MnistDataset", tmp_path, usage="train") != list(range(40))
    assert read("MnistDataset", tmp_path, usage="train", shuffle=False) == list(range(40))
    assert len(read("MnistDataset", tmp_path)) == 45
    assert read("MnistDataset", tmp_path, "image", usage="test")[0].shape == (28, 28, 1)
    with pytest.raises(ValueError, match="does not exist"):
        read("MnistDataset", tmp_path / "MNIST")


def test_folders_of_images_are_not_decoded(tmp_path: Path) -> None:
    image = importlib.import_module("PIL.Image")
    for number in range(40):
        (tmp_path / f"{number:02}").mkdir()
        image.new("RGB", (5, 4)).save(tmp_path / f"{number:02}" / "a.png")
    assert read("ImageFolderDataset", tmp_path) != list(range(40))
    assert read("ImageFolderDataset", tmp_path, shuffle=False) == list(range(40))
    assert read("ImageFolderDataset", tmp_path, "image")[0].ndim == 1
    assert read("ImageFolderDataset", tmp_path, "image", decode=True)[0].shape == (4, 5, 3)


@pytest.mark.parametrize(("name", "file", "labels"), [("10", "test_batch.bin", 1), ("100", "test.bin", 2)])
def test_small_pictures_are_read_from_the_binary_version(tmp_path: Path, name: str, file: str, labels: int) -> None:
    rows = np.zeros((10_000, labels + 3072), np.uint8)
    rows[:, labels - 1] = np.arange(10_000) % 10
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary" / file).write_bytes(rows.tobytes())
    found = read(f"Cifar{name}Dataset", tmp_path / "binary", "label" if labels == 1 else "fine_label", usage="test")
    assert len(found) == 10_000 and found[:50] != [n % 10 for n in range(50)]
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / file.removesuffix(".bin")).write_bytes(rows.tobytes())
    with pytest.raises((RuntimeError, ValueError)):
        read(f"Cifar{name}Dataset", tmp_path / "python", usage="test")


def test_a_spectrogram_is_that_of_pytorch() -> None:
    audio = importlib.import_module("mindspore.dataset.audio")
    wave = np.random.default_rng(0).normal(size=(1, 64)).astype(np.float32)
    there = torch.stft(t(wave), 16, 8, window=torch.hann_window(16), return_complex=True).abs() ** 2
    assert alike(plain(there), audio.Spectrogram(16)(wave))
    with pytest.raises(TypeError, match="window"):
        audio.Spectrogram(16, window=np.hanning)


def test_boxes_are_kept_by_a_mask() -> None:
    boxes = [[0, 0, 10, 10, 0.9], [1, 1, 11, 11, 0.8], [20, 20, 30, 30, 0.7], [0, 0, 9, 9, 0.95]]
    found, places, kept = mindspore().ops.NMSWithMask(0.5)(m(np.array(boxes, np.float32)))
    assert found.asnumpy()[:, 4] == pytest.approx([0.95, 0.9, 0.8, 0.7])
    assert places.asnumpy().tolist() == [0, 1, 2, 3]
    assert kept.asnumpy().tolist() == [True, False, False, True]


def test_a_network_is_rewritten_and_a_tree_flattened() -> None:
    pytree = importlib.import_module("mindspore.utils._pytree")
    leaves, structure = pytree.tree_flatten({"a": (1, [2, 3]), "b": 4})
    assert leaves == [1, 2, 3, 4]
    assert pytree.tree_unflatten(structure, leaves) == {"a": (1, [2, 3]), "b": 4}
    assert {"create", "replace", "insert", "erase", "get_network"} <= {
        *dir(importlib.import_module("mindspore.rewrite").SymbolTree)
    }


PLACES = [
    *("ops", "nn", "mint", "mint.nn", "mint.nn.functional", "mint.linalg", "mint.special", "mint.optim"),
    *("mint.distributed", "communication", "communication.comm_func", "amp", "numpy", "scipy", "scipy.linalg"),
    *("dataset", "dataset.vision", "dataset.text", "dataset.audio", "dataset.transforms", "parallel"),
    *("parallel.auto_parallel", "parallel.distributed", "parallel.nn", "experimental.optim"),
    *("experimental.optim.lr_scheduler", "common.initializer", "nn.probability.distribution", "runtime", "hal"),
    *("utils", "profiler", "train", "rewrite", "Tensor", "nn.Cell"),
]
SPACES = [
    *("torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.utils.rnn"),
    *("torch.linalg", "torch.special", "torch.fft", "torch.optim", "torch.optim.lr_scheduler", "torch.utils.data"),
    *("torch.distributed", "torch.distributions", "torch.autograd", "torch.amp", "torch.random"),
    *("torch.utils.checkpoint", "torch.profiler", "torch.Tensor", "torch.nn.Module"),
]
#: Of one name, and something else.
OTHER = {
    *("torch.Gradient", "torch.Node", "torch.Storage", "torch.TensorType", "torch.Type", "torch.Value", "torch.cond"),
    *("torch.fill", "torch.while_loop", "torch.Tensor.apply_", "torch.Tensor.index", "torch.Tensor.indices"),
    *("torch.Tensor.map_", "torch.Tensor.resize", "torch.Tensor.resize_", "torch.Tensor.geometric_"),
    *("torch.Tensor.eig", "torch.eig", "torch.lstsq", "torch.nn.Module.T_destination", "torch.nn.Module.compile"),
    *("torch.autograd.ProfilerActivity", "torch.distributed.Logger", "torch.optim.lr_scheduler.Optimizer"),
}


def test_what_is_missing_is_there_under_no_name_of_its_own() -> None:
    there: dict[str, str] = {}
    for place in PLACES:
        owner = mindspore()
        for part in place.split("."):
            owner = getattr(owner, part, None) or importlib.import_module(f"mindspore.{place}")
        there |= {plain_name(name): f"{place}.{name}" for name in dir(owner) if name[0] != "_"}
    names = set(known().table)
    for space in SPACES:
        module, _, last = space.rpartition(".")
        owner = getattr(importlib.import_module(module), last) if module else importlib.import_module(space)
        names |= {f"{space}.{name}" for name in dir(owner) if name[0] != "_" and own(getattr(owner, name))}
    found = {
        name: there[plain_name(name.rpartition(".")[2])]
        for name in names - OTHER
        if (status := look_up(name, NOW))
        and status.status == "missing"
        and plain_name(name.rpartition(".")[2]) in there
    }
    assert len(names) > 2000
    assert found == {}


def plain_name(name: str) -> str:
    return name.lower().replace("_", "")


def own(thing: Any) -> bool:
    """Whether it is PyTorch's, not something that a module of it imports."""
    if not callable(thing) or inspect.ismodule(thing) or thing is torch.Tensor:
        return False
    return str(getattr(thing, "__module__", None) or "torch").startswith("torch")


#: What would be its name, for what five projects use and nothing does.
LACKING = {
    "torch.distributed.rpc.rpc_sync": r"rpc|rref|remote",
    "torch.distributed.autograd.context": r"distautograd|distributedautograd",
    "torch.distributed.optim.DistributedOptimizer": r"distributedoptimizer$",
    "torch.futures.Future": r"futures?$|waitall$",
    "torch.nested.nested_tensor": r"nestedtensor",
    "torch.nn.utils.parametrize.register_parametrization": r"parametriz|weightnorm|spectralnorm",
    "torchtext.legacy.datasets.SNLI": r"snli",
}


def test_what_five_projects_lack_is_defined_nowhere() -> None:
    folder = Path(str(mindspore().__file__)).parent
    defined = set()
    for path in folder.rglob("*.py"):
        if "_akg" in path.parts:  # compiles kernels
            continue
        defined |= set(re.findall(r"^(?:def|class) ([A-Za-z]\w*)", path.read_text("utf-8", "replace"), re.MULTILINE))
    assert len(defined) > 5000
    for api, pattern in LACKING.items():
        found = look_up(api, NOW)
        assert found is not None and found.status == "missing", api
        assert [name for name in defined if re.match(pattern, plain_name(name))] == [], api
    lbfgs = look_up("torch.optim.LBFGS", NOW)
    assert lbfgs is not None and lbfgs.status == "missing"
    optimizers = (mindspore().nn, mindspore().mint.optim, mindspore().experimental.optim)
    assert [name for place in optimizers for name in dir(place) if "bfgs" in name.lower()] == []
