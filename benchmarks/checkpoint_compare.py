"""Compares two large MindSpore checkpoints: readers/tensor_comparison.py against a script of load_checkpoint and numpy.

Both give the same numbers of every tensor, in processes of their own, by turns; times include the start of Python. With torch
installed, the second checkpoint is written as .pth too, and compared with the first.

    python benchmarks/checkpoint_compare.py --size 1.5 --rounds 5
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from _measuring import report, row
from checkpoint_scan import measure

OURS = """
import json, sys
from accucheck.readers.checkpoints import open_checkpoint
from accucheck.readers.tensor_comparison import compare, pair
pairs = pair(*(open_checkpoint(path).weights for path in sys.argv[1:3]))
found = compare(pairs.same, int(sys.argv[3]), rtol=1e-5, atol=1e-8)
print(json.dumps({left.name: [c.largest, c.mean, c.relative, c.cosine, c.outside, c.equal, c.nan, c.inf] for left, _, c in found}))
"""

# What one writes in five minutes: load both, then a line of numpy a question.
USER = """
import json, sys
import numpy as np
import mindspore as ms
one, other = (ms.load_checkpoint(path) for path in sys.argv[1:3])
found = {}
for name in one:
    a, b = one[name].asnumpy(), other[name].asnumpy()
    finite = np.isfinite(a) & np.isfinite(b)
    nan = int((np.isnan(a) != np.isnan(b)).sum())
    inf = int(((np.isinf(a) | np.isinf(b)) & ~np.isnan(a) & ~np.isnan(b) & (a != b)).sum())
    outside = int((~np.isclose(a, b, equal_nan=True)).sum())
    equal = int(((a == b) | np.isnan(a) & np.isnan(b)).sum())
    if not finite.all():
        a, b = a[finite], b[finite]
    d, a, b = np.abs(a - b), a.ravel(), b.ravel()
    norm = np.linalg.norm(b)
    found[name] = [float(d.max()), float(d.mean(dtype=np.float64)), float(np.linalg.norm(d) / norm),
                   float(np.dot(a, b) / np.linalg.norm(a) / norm), outside, equal, nan, inf]
print(json.dumps(found))
"""


def make(first: Path, second: Path, size: float) -> None:
    """Two checkpoints of about `size` GB: tensors that moved, every fourth that did not, and infinities of several kinds."""
    import mindspore as ms
    import numpy as np

    generator = np.random.default_rng(0)
    width = int((size * 1e9 / 4 / (22 * 12)) ** 0.5) // 8 * 8
    shapes = [(width, width)] * 88 + [(4 * width, width)] * 22 + [(width, 4 * width)] * 22 + [(width,)] * 139
    sides: tuple[list[dict[str, object]], list[dict[str, object]]] = ([], [])
    for index, shape in enumerate(shapes):
        one = generator.standard_normal(shape, np.float32)
        other = one if index % 4 == 0 else one + np.float32(1e-3) * generator.standard_normal(shape, np.float32)
        if index == 1:
            one.flat[:4], other.flat[:4] = (np.nan, np.inf, np.inf, 1), (np.nan, np.inf, -np.inf, np.nan)
        for side, values in zip(sides, (one, other), strict=True):
            side.append({"name": f"layer{index}.weight", "data": ms.Tensor(values)})
    for side, path in zip(sides, (first, second), strict=True):
        ms.save_checkpoint(side, str(path))
    try:
        import torch
    except ImportError:
        return
    state = {str(entry["name"]): torch.from_numpy(entry["data"].asnumpy()) for entry in sides[1]}  # type: ignore[attr-defined]
    torch.save(state, second.with_suffix(".pth"))


def agree(ours: dict[str, list[float]], user: dict[str, list[float]]) -> bool:
    """Counts and the largest difference alike; sums to 1e-4, for numpy adds in float32 where we do, in another order."""
    import math

    def same(one: float, other: float, exact: bool) -> bool:
        return one == other if exact else math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-9)

    return ours.keys() == user.keys() and all(
        # The rounding of the bound may go either way for a difference that meets it.
        abs(ours[name][4] - user[name][4]) <= 1 + 1e-6 * max(ours[name][5], user[name][4])
        and all(same(ours[name][at], user[name][at], at in (0, 5, 6, 7)) for at in (0, 1, 2, 3, 5, 6, 7))
        for name in ours
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=float, default=1.5, help="GB of each checkpoint")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--make", type=Path, nargs=2, help="only write the checkpoints")
    options = parser.parse_args()
    if options.make:
        make(*options.make, options.size)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, name)) for name in ("a.ckpt", "b.ckpt")]
        # In a child: a process counts the memory of the one it was forked from as its own.
        subprocess.run([sys.executable, __file__, "--make", *paths, "--size", str(options.size)], check=True)
        size = sum(Path(path).stat().st_size for path in paths)
        mixed = [paths[0], str(Path(folder, "b.pth"))]
        works = {"user": (USER, paths), "ours": (OURS, paths)}
        if Path(mixed[1]).exists():
            works["pth"] = (OURS, mixed)
        runs: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
        answers = {}
        for _ in range(options.rounds):
            for name, (script, files) in works.items():
                seconds, memory, answers[name] = measure(script, *files, options.threads)
                runs[name].append((seconds, memory))
    median = {name: statistics.median(seconds for seconds, _ in values) for name, values in runs.items()}
    memory = {name: max(peak for _, peak in values) for name, values in runs.items()}
    print(f"{size:,} bytes in two files, {len(answers['ours'])} tensors each, {options.rounds} rounds, medians")
    print(f"  load_checkpoint + numpy   {median['user']:7.2f} s  peak {memory['user']:7.0f} MB")
    print(f"  tensor_comparison         {median['ours']:7.2f} s  peak {memory['ours']:7.0f} MB")
    same = agree(answers["ours"], answers["user"])  # type: ignore[arg-type]
    print(f"  ratio {median['user'] / median['ours']:.1f}x; same answers: {same}")
    if "pth" in median:
        print(f"  .ckpt against .pth        {median['pth']:7.2f} s  peak {memory['pth']:7.0f} MB")
        print(
            f"  {median['pth'] / median['ours']:.2f} times as long as two .ckpt; same answers: {answers['pth'] == answers['ours']}"
        )
    if not same or answers.get("pth", answers["ours"]) != answers["ours"]:
        raise SystemExit("the answers differ")
    sides = {name: list(zip(*values, strict=True)) for name, values in runs.items()}
    peer, size_of = "load_checkpoint and numpy", f"two files of {options.size:g} GB"
    rows = [
        row(f"time, {size_of}", sides["ours"][0], "s", peer, sides["user"][0]),
        row(f"largest process, {size_of}", memory["ours"], "MB", peer, memory["user"], rounds=options.rounds),
    ]
    if "pth" in sides:
        rows.append(row(".ckpt against .pth", sides["pth"][0], "s", "two .ckpt", sides["ours"][0]))
    return report(rows, ["torch"])


if __name__ == "__main__":
    raise SystemExit(main())
