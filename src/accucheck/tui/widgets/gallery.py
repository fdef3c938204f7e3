"""Pictures of a finding with their captions, as many as fit side by side; each is decoded in a thread, within bounds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.app import ComposeResult
from textual.containers import ItemGrid, Vertical
from textual.content import Content
from textual.widgets import Static

from ...errors import ReadError, UserError
from ...model import Images
from ..signs import plain

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..app import Walkthrough

#: Pictures that are shown; the text names all.
MOST = 24
#: Pictures that come onto the screen together, for each time lays all of them out anew.
AT_ONCE = 8
#: Cells of one.
WIDTH, HEIGHT = 26, 10


class Gallery(ItemGrid):
    DEFAULT_CSS = f"""
    Gallery {{ height: auto; keyline: none; grid-gutter: 1 2; grid-rows: auto; }}
    Gallery > Vertical {{ height: auto; width: {WIDTH}; }}
    Gallery Static {{ width: {WIDTH}; }}
    Gallery .caption {{ color: $text-muted; }}
    """
    app: Walkthrough

    def __init__(self, images: Images) -> None:
        super().__init__(min_column_width=WIDTH)
        self._images = images

    def compose(self) -> ComposeResult:
        captions = [*self._images.captions, *[""] * len(self._images.paths)]
        for path, caption in list(zip(self._images.paths, captions, strict=False))[:MOST]:
            with Vertical():
                yield Static(self.app.speech.say("sample-loading"), classes="picture", markup=False)
                yield Static(plain(caption or path), classes="caption", markup=False)

    def on_mount(self) -> None:
        self._draw()

    @work(exclusive=True)
    async def _draw(self) -> None:
        from .picture import environment_way, library

        case, how = self.app.project.case, environment_way(only_ascii=self.app.speech.only_ascii)
        if how != "ascii":
            await asyncio.to_thread(library)
        ready: list[tuple[Vertical, Image | Content]] = []
        boxes = list(self.query(Vertical))
        for path, box in zip(self._images.paths, boxes, strict=False):
            try:
                if case.alone:  # no file is opened that a session names which came without its project
                    raise UserError("session-alone", path=str(self.app.session.path))
                ready.append((box, await asyncio.to_thread(_decoded, case.path(path), case.relative(path))))
            except UserError as error:
                ready.append((box, plain(error.text(self.app.speech.language), "$text-warning")))
            if len(ready) == AT_ONCE or box is boxes[-1]:
                await self._show(ready, how)
                ready = []

    async def _show(self, ready: list[tuple[Vertical, Image | Content]], how: str) -> None:
        from .picture import drawn

        with self.app.batch_update():
            for box, picture in ready:
                if not box.is_attached or not (places := box.query(".picture")):  # the person went on meanwhile
                    return
                if isinstance(picture, Content):
                    places.first(Static).update(picture)
                else:
                    await box.mount(drawn(picture, WIDTH, HEIGHT, how), before=0)
                    await places.remove()


def _decoded(path: Path, shown: str) -> Image:
    """The picture, made small. Raises ReadError when it is missing, damaged or too large."""
    from ...readers.contents import decoded

    if path.exists() and not path.is_file():  # a pipe of that name would never end
        raise ReadError("is-directory" if path.is_dir() else "not-regular", path=shown)
    return decoded(path, shown)[0]
