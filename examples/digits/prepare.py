"""Writes scikit-learn's handwritten digits (1,797 real 8x8 images) as CSV files, and their MD5 sums into data.md5.

The same bytes on every run and every machine: the split is counted, not drawn, and the files are formatted by hand.
"""

import hashlib
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

HEADER = ",".join([f"pixel_{i}" for i in range(64)] + ["label"])
PARTS = 3


def split():
    """Every fifth image of each class is for validation: (1442, 65) and (355, 65), 64 pixels from 0 to 16 and the label."""
    digits = load_digits()
    rows = np.column_stack([digits.data, digits.target]).astype(int)
    validates = np.zeros(len(rows), dtype=bool)
    for label in range(10):
        validates[np.flatnonzero(digits.target == label)[4::5]] = True
    return rows[~validates], rows[validates]


def write_csv(path, rows):
    lines = [HEADER] + [",".join(str(value) for value in row) for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(("\n".join(lines) + "\n").encode())


def write_md5(path, files):
    """One line a file in the format of md5sum, so that `md5sum -c data.md5` checks it too."""
    lines = [f"{hashlib.md5(file.read_bytes()).hexdigest()}  {file.as_posix()}" for file in files]
    path.write_bytes(("\n".join(lines) + "\n").encode())


def main():
    train, val = split()
    for number, part in enumerate(np.array_split(train, PARTS)):
        write_csv(Path(f"data/train/part-{number}.csv"), part)
    write_csv(Path("data/val/part-0.csv"), val)
    write_md5(Path("data.md5"), sorted(Path("data").rglob("*.csv")))


if __name__ == "__main__":
    main()
