import numpy as np
import pytest
from PIL import Image

from accucheck.errors import ReadError
from accucheck.readers.images import check


def picture(path, mode="RGB"):
    shape = (96, 80, 3) if mode == "RGB" else (96, 80)
    Image.fromarray(np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8), mode).save(path)
    return path


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.bmp", "a.gif", "a.tiff", "a.webp", "a.ppm"])
def test_sound_images(tmp_path, name):
    assert check(picture(tmp_path / name))[0] == "ok"
    assert check(picture(tmp_path / name, "L"))[0] == "ok"


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.bmp"])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_truncated(tmp_path, name, share):
    path = picture(tmp_path / name)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    assert check(path)[0] == "truncated"


def test_cut_within_the_header(tmp_path):
    for name in ("a.jpg", "a.png"):
        path = picture(tmp_path / name)
        path.write_bytes(path.read_bytes()[:12])
        assert check(path)[0] == "truncated"


def test_empty_and_undecodable(tmp_path):
    path = tmp_path / "a.jpg"
    path.write_bytes(b"")
    assert check(path) == ("empty", "")
    path.write_bytes(b"<html>404 not found</html>")
    assert check(path)[0] == "undecodable"
    data = bytearray(picture(tmp_path / "b.png").read_bytes())
    data[60:200] = bytes(140)
    (tmp_path / "b.png").write_bytes(data)
    assert check(tmp_path / "b.png")[0] == "undecodable"


def test_what_this_decoder_does_not_know_may_be_sound(tmp_path):
    path = tmp_path / "a.tiff"
    path.write_bytes(b"II*\0" + bytes(100))
    assert check(path)[0] == "unsupported"
    path = tmp_path / "b.jpg"
    path.write_bytes(b"\0\0\0\x18ftypheic" + bytes(100))
    assert check(path)[0] == "unsupported"


def test_a_bomb_is_not_decoded(tmp_path, monkeypatch):
    path = picture(tmp_path / "a.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    assert check(path)[0] == "unsupported"


def test_missing_and_folder(tmp_path):
    for path, code in ((tmp_path / "none.jpg", "not-found"), (tmp_path, "is-directory")):
        with pytest.raises(ReadError) as error:
            check(path)
        assert error.value.code == code
