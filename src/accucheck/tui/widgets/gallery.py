"""Pictures of a finding with their captions, as many as fit side by side; each is decoded in a thread, within bounds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.containers import ItemGrid, ScrollableContainer, Vertical
from textual.content import Content
from textual.widgets import Static

from ...errors import UserError
from ...model import Images
from ..places import require_file
from ..signs import plain

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..app import Walkthrough

#: Pictures that are shown; the text names all.
MOST = 24
#: Pictures that come onto the screen together, when the last one comes into sight: each time lays all of them out anew.
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
        captions = [*images.captions, *[""] * len(images.paths)]
        self._rest = list(zip(images.paths, captions, strict=False))[:MOST]
        self._moved = asyncio.Event()

    def on_mount(self) -> None:
        if (view := self._view) is not None:
            self.watch(view, "scroll_y", self._look, init=False)
        self._draw()

    def on_resize(self) -> None:
        self._look()

    def _look(self) -> None:
        """Once it stands where it will stand."""
        self.call_after_refresh(self._moved.set)

    @property
    def _view(self) -> ScrollableContainer | None:
        return next((node for node in self.ancestors if isinstance(node, ScrollableContainer)), None)

    @work(exclusive=True)
    async def _draw(self) -> None:
        from .picture import environment_way, library

        case, how = self.app.project.case, environment_way(only_ascii=self.app.speech.only_ascii)
        if how != "ascii":
            await asyncio.to_thread(library)
        while self._rest and self.is_attached:
            some, self._rest = self._rest[:AT_ONCE], self._rest[AT_ONCE:]
            boxes = [self._box(caption or path) for path, caption in some]
            await self.mount(*boxes)
            ready: list[tuple[Vertical, Image | Content]] = []
            for (path, _), box in zip(some, boxes, strict=True):
                try:
                    if case.alone:  # no file is opened that a session names which came without its project
                        raise UserError("session-alone", path=str(self.app.session.path))
                    ready.append((box, await asyncio.to_thread(_decoded, case.path(path), case.relative(path))))
                except UserError as error:
                    ready.append((box, plain(error.text(self.app.speech.language), "$text-warning")))
            await self._show(ready, how)
            self._look()
            while self._rest:
                await self._moved.wait()
                self._moved.clear()
                if (view := self._view) is None or self.region.bottom <= view.region.bottom + HEIGHT:
                    break

    def _box(self, caption: str) -> Vertical:
        return Vertical(
            Static(self.app.speech.say("sample-loading"), classes="picture", markup=False),
            Static(plain(caption), classes="caption", markup=False),
        )

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

    require_file(path, shown)  # a pipe of that name would never end
    return decoded(path, shown)[0]
