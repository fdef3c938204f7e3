"""The page of a network: complete in itself, quick with many nodes, and what others wrote in it stays text."""

import time
from pathlib import Path

import pytest

from accucheck.errors import ReadError
from accucheck.language import Language
from accucheck.network import matching, page, stored
from accucheck.network.tree import Network
from accucheck.readers.tensors import TensorInfo
from browser import CHROMIUM, browser

WILD = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"
#: Cells and weights of the page whose time is taken, and seconds until it can be used.
NODES, SECONDS = 5000, 2.0


def network(*names: str, shape: tuple[int, ...] = (2, 3)) -> Network:
    return stored.of_tensors([TensorInfo(name, "float32", shape, "x") for name in names], "net.ckpt", "ckpt")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_the_page_in_a_browser(tmp_path: Path) -> None:
    large = [f"blocks.{number // 4}.part{number % 4}.weight" for number in range(NODES)]
    pages = {
        "large": page.write(network(*large), Language.EN),
        "wild": page.write(network(f"a.{WILD}.weight", f"b{WILD}.bias"), Language.ZH),
        "beside": page.write(own := network("net.fc.weight"), Language.EN, matching.put(own, network("fc.weight"))),
    }
    for name, content in pages.items():
        (tmp_path / f"{name}.html").write_bytes(content)
    with browser() as opened:
        begun = time.perf_counter()
        opened.open(tmp_path / "large.html")
        assert opened.evaluate("document.body.dataset.ready") == "yes"
        assert time.perf_counter() - begun < SECONDS
        assert opened.requests == [(tmp_path / "large.html").resolve().as_uri()] and not opened.complaints
        # What is folded is not made; the search finds it, and opens the tree there.
        assert opened.evaluate("document.querySelectorAll('.row').length") < 700
        opened.evaluate("search.value = '977'; search.dispatchEvent(new Event('input'))")
        assert "blocks.977" in opened.evaluate("document.querySelector('#found').textContent")
        opened.evaluate("search.value = 'blocks.977.part3.weight'; search.dispatchEvent(new Event('input'))")
        assert opened.evaluate("document.querySelector('.row[aria-selected=true] .name').textContent") == "weight"
        assert "blocks.977.part3.weight" in opened.evaluate("document.querySelector('#details').textContent")

        opened.open(tmp_path / "wild.html")
        assert opened.evaluate("document.title") == "net.ckpt" and not opened.complaints
        assert opened.evaluate("document.images.length") == 0
        assert opened.evaluate("accucheckFind('wei')[0]") == f"a.{WILD}.weight"

        opened.open(tmp_path / "beside.html")
        opened.evaluate("search.value = 'net.fc.weight'; search.dispatchEvent(new Event('input'))")
        assert "⇔ fc.weight float32 2×3" in opened.evaluate("document.querySelector('#tree').textContent")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_the_page_finds_what_the_terminal_finds(tmp_path: Path) -> None:
    names = [
        f"layer{layer}.{block}.{leaf}"
        for layer in (1, 3)
        for block in range(3)
        for leaf in ("bn1.gamma", "conv1.weight")
    ]
    one = network(*names)
    (tmp_path / "a.html").write_bytes(page.write(one, Language.EN))
    with browser() as opened:
        opened.open(tmp_path / "a.html")
        for query in ("3bg", "CONV", "l1 gamma", "xyz", "weight", "layer3"):
            found = [
                one.weights[hit.number].name if hit.weight else one.cells[hit.number].name for hit in one.find(query)
            ]
            assert opened.evaluate(f"accucheckFind('{query}')") == found, query


def test_more_rows_than_a_browser_shows_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "ROWS", 3)
    with pytest.raises(ReadError) as caught:
        page.write(network("a.weight", "b.weight"), Language.EN)
    assert caught.value.code == "graph-page-large"
