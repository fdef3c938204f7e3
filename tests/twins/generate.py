"""Writes twins as projects: python tests/twins/generate.py FOLDER [NAME ...]"""

import sys
from pathlib import Path

from building import build
from experiments import CLEAN, FAULTY

if __name__ == "__main__":
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    for twin in (*CLEAN, *FAULTY):
        if twin.name in names or not names:
            print(build(twin, folder / twin.name), flush=True)
