"""Child process: the rows of a MindRecord file as JSON Lines, read by MindSpore. Imports the standard library, numpy and mindspore only.

Lists of floats stay as they are; in place of bytes and long arrays of integers stands a digest, "" for empty ones.
Usage: python mindrecord_rows.py SOURCE TARGET; exits with NO_MINDSPORE where MindSpore cannot be imported.
"""

import hashlib
import json
import sys
from typing import Any

NO_MINDSPORE = 77


def plain(value: Any) -> Any:
    """A numpy value as JSON has it."""
    if value.ndim == 0:
        return value.item()
    if value.dtype.kind in "Uf":
        return value.ravel().tolist()
    content = value.tobytes()
    return (
        hashlib.blake2b(content, digest_size=16).hexdigest() if content.strip(b"\0") or value.dtype.kind != "S" else ""
    )


def main() -> None:
    source, target = sys.argv[1:]
    try:
        from mindspore.dataset import MindDataset
    except ImportError:
        sys.exit(NO_MINDSPORE)
    data = MindDataset([source], shuffle=False, num_parallel_workers=1)
    with open(target, "w", encoding="utf-8") as file:
        for row in data.create_dict_iterator(num_epochs=1, output_numpy=True):
            file.write(json.dumps({name: plain(value) for name, value in row.items()}) + "\n")


if __name__ == "__main__":
    main()
