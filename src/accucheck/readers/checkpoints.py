"""Opens a checkpoint of any framework by its content, or a folder of its parts, and tells weights from training state.

    checkpoint = open_checkpoint("net.ckpt")
    for info in checkpoint.tensors:
        for values in chunks(info): ...

Only headers are read here; nothing in a file is executed, and neither MindSpore nor torch is needed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from .. import system
from ..errors import ReadError, from_os_error
from . import ckpt, safetensors
from .tensors import CHUNK, DTYPES, TensorInfo, chunks, natural, open_regular, read

__all__ = ["CHUNK", "DTYPES", "Checkpoint", "TensorInfo", "chunks", "open_checkpoint", "read", "verify"]

READABLE = ".ckpt, .safetensors, .pth, .pt, .bin"
MAX_FILES = 4096


class Checkpoint(msgspec.Struct, frozen=True):
    """The tensors of a file or a folder, in their order there.

    `format` is ckpt, safetensors or torch, joined by + when a folder mixes them. `files` are those the tensors are in;
    parts that repeat a name (ranks, epochs) keep it, told apart by `path` of the tensor. `texts` are strings kept beside the
    tensors; `crc` is the CRC-32 each file says it should have.
    """

    path: str
    format: str
    files: list[str]
    tensors: list[TensorInfo]
    texts: dict[str, str] = {}
    crc: dict[str, int] = {}

    @property
    def weights(self) -> list[TensorInfo]:
        """The tensors that are no state of an optimizer or of the training loop."""
        return [info for info in self.tensors if info.role == "weight"]


def open_checkpoint(path: str | os.PathLike[str], *, most: int | None = None) -> Checkpoint:
    """What a .ckpt, .safetensors, .pth, .pt or .bin holds, or a folder of them. Raises ReadError, also for one with more than `most`
    tensors (without it, as many as no network has), before these are read.

    Of a folder: the files that its *.index.json lists; else all .ckpt and .safetensors in it and in its rank_* folders; else
    the files of torch in it.
    """
    path = os.fspath(path)
    is_folder = Path(path).is_dir()
    files = _files(path) if is_folder else [path]
    counted, limit = 0, most or ckpt.MAX_TENSORS
    for name in files:
        counted += _count(name, limit)
        if counted > limit:
            raise ReadError("checkpoint-tensors", path=path, limit=limit)
    found = _folder(path, files) if is_folder else _file(path)
    return msgspec.structs.replace(found, tensors=_with_roles(found.tensors))


def verify(checkpoint: Checkpoint) -> list[str]:
    """The files whose content does not have the CRC-32 they carry. Reads them whole; those without one are passed over."""
    wrong = []
    for path, expected in checkpoint.crc.items():
        with open_regular(path) as file:
            if safetensors.looks_like(system.pread(file.fileno(), 32, 0), os.fstat(file.fileno()).st_size):
                actual = safetensors.checksum([info for info in checkpoint.tensors if info.path == path])
            else:
                actual = ckpt.checksum(file)
        if actual != expected:
            wrong.append(path)
    return wrong


def _file(path: str) -> Checkpoint:
    with open_regular(path) as file:
        head = system.pread(file.fileno(), 32, 0)
        size = os.fstat(file.fileno()).st_size
        if head.startswith((b"PK", b"\x80\x02")):
            from . import torch_file  # and zipfile, which the other formats do without

            if head.startswith((torch_file.ZIP, torch_file.LEGACY)):
                return Checkpoint(path, "torch", [path], torch_file.scan(file, path))
        # Before .ckpt: the length of a header may begin with the same byte.
        if safetensors.looks_like(head, size):
            tensors, texts = safetensors.scan(file, path)
            crc = texts.get("crc_num", "")
            return Checkpoint(
                path, "safetensors", [path], tensors, texts, {path: int(crc)} if _NUMBER.match(crc) else {}
            )
        if head.startswith(ckpt.ENCRYPTED):
            raise ReadError("encrypted", path=path, format=ckpt.FORMAT)
        if head.startswith(b"\n"):
            found = ckpt.scan(file, path)
            crcs = {} if found.crc is None else {path: found.crc}
            return Checkpoint(path, "ckpt", [path], found.tensors, found.texts, crcs)
    raise ReadError("unknown-format", path=path, expected=READABLE)


_NUMBER = re.compile(r"\d{1,20}$", re.ASCII)


def _count(path: str, most: int) -> int:
    """How many tensors a file holds, counted up to some more than `most` without reading them; 0 for one of torch, whose directory is
    bounded, and for what is no checkpoint."""
    with open_regular(path) as file:
        head, size = system.pread(file.fileno(), 32, 0), os.fstat(file.fileno()).st_size
        if safetensors.looks_like(head, size):
            return safetensors.count(file, most)
        return ckpt.count(file, path, most) if head.startswith(b"\n") else 0


def _files(path: str) -> list[str]:
    """The files of a folder that hold the parts of a checkpoint. Raises ReadError."""
    try:
        names = sorted(entry.name for entry in os.scandir(path))
        ranks = [name for name in names if re.match(r"rank_\d+$", name) and Path(path, name).is_dir()]
        names += [f"{rank}/{entry.name}" for rank in ranks for entry in os.scandir(os.path.join(path, rank))]
    except OSError as error:
        raise from_os_error(error, path)
    files: Iterable[str] = ()
    if indices := [name for name in names if name.endswith(".index.json")]:
        files = _indexed(os.path.join(path, indices[0]))
    for suffixes in ((".ckpt", ".safetensors"), (".pth", ".pt", ".bin")):
        files = files or sorted(
            (name for name in names if name.endswith(suffixes) and not Path(path, name).is_dir()),
            key=natural,
        )
    files = list(files)
    if len(files) > MAX_FILES:  # what a part of them lacks would count as missing
        raise ReadError("checkpoint-files", path=path, count=len(files), limit=MAX_FILES)
    return [os.path.join(path, name) for name in files]


def _folder(path: str, files: list[str]) -> Checkpoint:
    parts = [_file(name) for name in files]
    if not parts:
        raise ReadError("unknown-format", path=path, expected=READABLE)
    return Checkpoint(
        path,
        "+".join(sorted({part.format for part in parts})),
        [part.path for part in parts],
        [info for part in parts for info in part.tensors],
        {key: value for part in parts for key, value in part.texts.items()},
        {key: value for part in parts for key, value in part.crc.items()},
    )


class _Index(msgspec.Struct):
    weight_map: dict[str, str]


def _indexed(path: str) -> list[str]:
    """The files a {"weight_map": {tensor: file}} lists, by name only: an index must not lead out of its folder."""
    try:
        with open_regular(path) as file:
            if os.fstat(file.fileno()).st_size > safetensors.HEADER_LIMIT:
                size = os.fstat(file.fileno()).st_size
                raise ReadError("too-large", path=path, size=size, limit=safetensors.HEADER_LIMIT)
            files = sorted(set(msgspec.json.decode(Path(path).read_bytes(), type=_Index).weight_map.values()))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise ReadError("malformed", path=path, format="JSON", offset=0, expected='{"weight_map": {name: file}}')
    except OSError as error:
        raise from_os_error(error, path)
    if bad := [name for name in files if name != Path(name).name or name in ("", ".", "..")]:
        raise ReadError("malformed", path=path, format="JSON", offset=0, expected=f"file: {bad[0][:200]}")
    return files


#: Containers of a torch training checkpoint that hold no weights.
_STATE_HOLDERS = re.compile(
    r"(optimi[sz]ers?|optim|opt)(_states?|_state_dicts?)?$|opt_state$|(lr_)?schedulers?|scaler|rng_", re.I
)

#: Names MindSpore's optimizers, loss scale managers and checkpoint callbacks give to their own parameters.
_STATE_NAMES = re.compile(
    r"(.*\.)?(global_step|learning_rate(_.*)?|momentum|beta[12]_power|scale_(sense|value)|loss_scale|current_iterator_step"
    r"|last_overflow_iterator_step|cov_step|optimizer_weight_shard_size|epoch(_num)?|(state_)?step(_num)?|cur_(epoch|step)_num|lr"
    r"|num_batches_tracked|graceful_(init|exit)|matrix_[ag]_inv_.*)$"
)

#: Prefixes of optimizer state, before the name of the weight it belongs to. In MindSpore and in mindspore.mint.
_STATE_PREFIX = re.compile(
    r"(moments|moment[12]|exp_avg(_sq)?|max_exp_avg_sq|exp_inf|adam_[mv]|lamb_[mv]|vhat|mean_(grad|square)|momentum_buf"
    r"|momentum_buffer|accum_update|accu_grads|grad_sum)\."
)
#: The same, but also likely names of layers: state only before the name of a weight of the same checkpoint.
_LIKELY_PREFIX = re.compile(r"(accum|linear|stat|prev|moment|step_size|square_avg|sum|ax_?|acc_grads?)\.")


def state_names(given: Iterable[str]) -> set[str]:
    """The names among those of a network that belong to an optimizer or to the training loop."""
    names = set(given)

    def is_state(name: str) -> bool:
        likely = _LIKELY_PREFIX.match(name)
        return bool(
            _STATE_HOLDERS.match(name.partition(".")[0])
            or _STATE_NAMES.match(name)
            or _STATE_PREFIX.match(name)
            or (likely and name[likely.end() :] in names)
        )

    return {name for name in names if is_state(name)}


def _with_roles(tensors: list[TensorInfo]) -> list[TensorInfo]:
    states = state_names(info.name for info in tensors)
    replace: Callable[..., TensorInfo] = msgspec.structs.replace
    return [replace(info, role="state") if info.name in states else info for info in tensors]
