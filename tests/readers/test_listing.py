"""Listings: files that are kept on the disk, for there may be millions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from accucheck.readers.labels import class_folders
from accucheck.readers.places import Listing, RemotePath, listed


def test_files_come_back_in_order_with_their_bytes(tmp_path):
    names = [f"c{n % 7}/图 {n}.png" for n in range(2500)] + [os.fsdecode(b"c1/\xff\n.png")]
    listing = Listing(tmp_path)
    assert not listing and list(listing) == []
    for size, name in enumerate(names):
        listing.add(tmp_path / name, size)
        if size == 10:
            assert listing[10] == tmp_path / names[10]  # may be read while it grows
    paths = [tmp_path / name for name in names]
    assert len(listing) == 2501 and list(listing) == paths and listing.bytes == sum(range(2501))
    assert list(listing.sized()) == list(zip(paths, range(2501), strict=True))
    assert listing[-1] == paths[-1] and listing[998:1003] == paths[998:1003] and listing[2499:] == paths[2499:]
    with pytest.raises(IndexError):
        listing[2501]


def test_remote_files_come_back_with_their_file_system():
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    for name in ("a/1.png", "b/2.png"):
        system.pipe(f"/listing/{name}", b"123")
    root = RemotePath(system, "/listing", "memory://listing")
    listing = Listing(root)
    for file in listed(root):
        listing.add(file, file.size)
    assert list(listing) == list(listed(root)) and listing[1].system is system
    assert class_folders(root, listing)[1](listing[1]) == "b"


@pytest.mark.parametrize(
    ("names", "where", "classes"),
    [
        (["cat/1.png", "dog/a/1.png"], "*", ["cat", "dog"]),
        (["images/cat/1.png", "images/cat/2.png", "images/dog/x/y/1.png"], "images/*", ["cat", "cat", "dog"]),
        (["a/x/1.png", "a/y/1.png", "b/x/1.png"], "*", ["a", "a", "b"]),
        (["cat/1.png"], None, []),
        (["a/b/1.png", "a/2.png"], None, []),
        (["1.png", "cat/2.png"], None, []),
        ([], None, []),
    ],
)
def test_the_folders_of_classes_are_the_first_that_differ(names, where, classes):
    root = Path("/data")
    paths = [root / name for name in names]
    found = class_folders(root, paths)
    assert (found and found[0]) == where
    assert [found[1](path) for path in paths if found] == classes
