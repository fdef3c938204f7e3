"""The network to look at: a tree to unfold, a search, what is known of each place, and the benchmark's beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Input, OptionList, Static, Tree
from textual.widgets.option_list import Option
from textual.widgets.tree import TreeNode

from ...errors import ReadError, UserError
from ...language import visible
from ...model import Finding
from ..signs import plain, wrap
from ..verbs import BACK, FILTER, HELP, PALETTE, Verb, VerbScreen
from ..widgets.keybar import KeyBar
from .dialogs import AskLine
from .evidence import write_new

if TYPE_CHECKING:
    from ...network.matching import NetworkMatch
    from ...network.tree import Network, SearchHit

#: What a search shows, children of one cell that are shown, lines of the head, and of the head of a terminal of fewer than so many lines.
_FOUND, _CHILDREN, _HEAD = 50, 2000, 6
_LOW, _HEAD_IF_LOW = 20, 4
_ASCII = str.maketrans({"→": "->", "×": "x", "⇔": "=", "±": "~", "…": "."})


class NetworkScreen(VerbScreen[None]):
    HORIZONTAL_BREAKPOINTS = [(0, "-normal"), (110, "-broad")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]
    CSS = """
    NetworkScreen #head { dock: top; height: auto; max-height: 6; padding: 0 1; background: $primary-background; }
    NetworkScreen #search { height: 1; border: none; padding: 0 1; background: $boost; display: none; }
    NetworkScreen #found { height: auto; max-height: 12; border: none; background: $surface; text-wrap: nowrap; display: none; }
    NetworkScreen #body { height: 1fr; }
    NetworkScreen Tree { height: 1fr; background: $background; }
    NetworkScreen #known { height: 30%; max-height: 8; border-top: solid $accent; padding: 0 1; }
    NetworkScreen.-low #head { max-height: 4; }
    NetworkScreen.-low #known { height: 4; }
    NetworkScreen.-broad #body { layout: horizontal; }
    NetworkScreen.-broad Tree { width: 3fr; height: 100%; }
    NetworkScreen.-broad #known { width: 2fr; height: 100%; max-height: 100%; border-top: none; border-left: solid $accent; }
    """
    VERBS: ClassVar[list[Verb]] = [
        BACK,
        FILTER,
        Verb("graph-mark", "n", "next_mark", "command-graph-mark", "key-graph-mark"),
        Verb("graph-beside", "b", "beside", "command-graph-beside", "key-graph-beside"),
        Verb("graph-save", "s", "save", "command-graph-save", "key-save-as"),
        HELP,
        PALETTE,
    ]
    HERE = ("help-graph",)

    def __init__(self, finding: Finding | None = None, of_item: Sequence[Finding] = ()) -> None:
        """`finding`: the one whose place is shown first; without one, the first of `of_item` that has a place here."""
        super().__init__()
        self._finding, self._of_item = finding, of_item
        self._network: Network | None = None
        self._beside: NetworkMatch | None = None
        self._error: UserError | None = None
        self._by_hit: dict[SearchHit, TreeNode[SearchHit]] = {}
        self._hits: list[SearchHit] = []
        self._marks = -1

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield Input(id="search", placeholder=self.speech.say("graph-search"))
        yield OptionList(id="found", markup=False)
        tree: Tree[SearchHit] = Tree("")
        if self.speech.only_ascii:
            tree.ICON_NODE, tree.ICON_NODE_EXPANDED, tree.show_guides = "> ", "v ", False
        with Container(id="body"):
            yield tree
            yield VerticalScroll(Static(id="details", markup=False), id="known")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#known", VerticalScroll).can_focus = False
        self.query_one("#head", Static).update(self.speech.say("graph-loading"))
        self.query_one(Tree).focus()
        self._load()

    async def rebuild(self) -> None:
        """Everything again, in another language."""
        self.query_one("#search", Input).placeholder = self.speech.say("graph-search")
        hit = self._chosen
        self._fill()
        if hit is not None:
            self._show(hit)
        self.show_keys()

    @work(thread=True, exclusive=True)
    def _load(self) -> None:
        """Read what the project names, the first that holds a network; in a thread, as a dump takes seconds."""
        from ...network import sources

        case = self.app.project.case
        error: UserError | None = None
        try:
            for path in sources.of_case(case):
                try:
                    network = sources.read(path, case.relative(path))
                except ReadError as problem:
                    error = error or problem
                else:
                    self.app.call_from_thread(self._loaded, network, None)
                    return
        except UserError as problem:
            error = error or problem
        self.app.call_from_thread(self._loaded, None, error)

    def _loaded(self, network: Network | None, error: UserError | None) -> None:
        if not self.is_attached:
            return
        self._network, self._error = network, error
        self._fill()
        if network is not None:
            from ...network.places import of_finding
            from ...network.tree import SearchHit

            findings = self._of_item if self._finding is None else [self._finding]
            hit = next((place for each in findings if (place := of_finding(network, each)) is not None), None)
            if self._finding is not None and hit is None:
                self.notify(self.speech.say("graph-not-there"), severity="warning", markup=False)
            bad = network.first_bad
            self._show(hit or (SearchHit(False, bad.cell) if bad is not None else SearchHit(False, 0)))
        self.show_keys()

    # --- the tree -----------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        from ...network.tree import SearchHit

        self._show_head()
        if self._network is None:
            return
        tree: Tree[SearchHit] = self.query_one(Tree)
        self._by_hit = {}
        tree.reset(self._label(SearchHit(False, 0)), SearchHit(False, 0))
        self._by_hit[SearchHit(False, 0)] = tree.root
        self._unfold(tree.root)
        tree.root.expand()

    def _show_head(self) -> None:
        width = max(20, self.size.width - 2)
        if self._error is not None:
            text = wrap(self._error.text(self.speech.language), width)
            self.query_one("#head", Static).update(plain(text, "$text-warning"))
        if self._network is None:
            return
        from ...network import telling

        lines = [telling.head(self._network, self.speech.language)]
        lines += telling.summary(self._network, self.speech.language, self._beside)
        shown = _HEAD if self.size.height >= _LOW else _HEAD_IF_LOW
        told = [part for line in lines for part in wrap(self._drawn(line), width, 2).split("\n")]
        if len(told) > shown:
            told[shown - 1 :] = [f"{told[shown - 1]} ..." if self.speech.only_ascii else f"{told[shown - 1]} …"]
        cut = [plain(line).truncate(width, ellipsis=not self.speech.only_ascii) for line in told]
        self.query_one("#head", Static).update(Content("\n").join(cut))

    def on_resize(self, _: Resize) -> None:
        if self.query("#head"):
            self._show_head()

    def _drawn(self, text: str) -> str:
        return visible(text).translate(_ASCII) if self.speech.only_ascii else visible(text)

    def _label(self, hit: SearchHit) -> Text:
        from ...network import telling

        assert self._network is not None
        label, kind, flow, held, marks = telling.row(self._network, hit, self.speech.language)
        text = Text(self._drawn(label), style="" if hit.weight else "bold", no_wrap=True)
        for part, style in ((kind, "cyan"), (flow, "dim"), (held, "dim")):
            text.append(f"  {self._drawn(part)}" if part else "", style)
        if self._beside is not None and hit.number in (self._beside.weights if hit.weight else self._beside.cells):
            there = (self._beside.weights if hit.weight else self._beside.cells)[hit.number]
            text.append(
                f"  {self._drawn('⇔ ' + telling.name_of(self._beside.other, type(hit)(hit.weight, there)))}", "dim"
            )
        text.append(f"  {marks}" if marks else "", "bold red" if self._is_bad(hit) else "yellow")
        within = {} if hit.weight else self._network.cells[hit.number].within
        inner = [
            f"{telling.say(mark, self.speech.language)} ×{within[mark]}" for mark in telling.ALL_MARKS if mark in within
        ]
        text.append(f"  ({self._drawn(', '.join(inner))})" if inner else "", "italic")
        return text

    def _is_bad(self, hit: SearchHit) -> bool:
        assert self._network is not None
        one = (self._network.weights if hit.weight else self._network.cells)[hit.number]
        return bool({"bad", "never-called", "unused", "not-finite-gradient"}.intersection(one.marks))

    def _unfold(self, node: TreeNode[SearchHit]) -> None:
        """Make the nodes below one, when it is opened first."""
        from ...network.tree import SearchHit

        if self._network is None or node.data is None or node.data.weight or node.children:
            return
        cell = self._network.cells[node.data.number]
        below = [
            *(SearchHit(True, number) for number in cell.weights),
            *(SearchHit(False, number) for number in cell.children),
        ]
        for hit in below[:_CHILDREN]:
            inner = None if hit.weight else self._network.cells[hit.number]
            opens = inner is not None and bool(inner.weights or inner.children)
            self._by_hit[hit] = node.add(self._label(hit), hit, allow_expand=opens)

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[SearchHit]) -> None:
        self._unfold(event.node)

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[SearchHit]) -> None:
        if event.node.data is not None:
            self._tell(event.node.data)

    def _tell(self, hit: SearchHit) -> None:
        from ...network import telling

        if self._network is None:
            return
        width = max(20, self.query_one("#known").size.width - 3)
        lines = []
        for word, value in telling.details(self._network, hit, self.speech.language, self._beside):
            line = plain(wrap(f"{word}  {self._drawn(value)}", width, 2))
            lines.append(line.stylize("bold $accent", 0, len(word)))
        self.query_one("#details", Static).update(Content("\n").join(lines))
        self.query_one("#known", VerticalScroll).scroll_home(animate=False)

    @property
    def _chosen(self) -> SearchHit | None:
        node = self.query_one(Tree).cursor_node
        return node.data if node is not None else None

    def _show(self, hit: SearchHit) -> None:
        """Open the tree at a place."""
        from ...network.tree import SearchHit as Place

        network = self._network
        assert network is not None
        cell = network.weights[hit.number].cell if hit.weight else network.cells[hit.number].parent
        for number in network.above(cell):
            node = self._by_hit.get(Place(False, number))
            if node is not None:
                self._unfold(node)
                node.expand()
        if (node := self._by_hit.get(hit)) is not None:
            tree: Tree[Place] = self.query_one(Tree)
            if tree.last_line >= 0:  # asked for: only then does the tree know in which line each node stands
                tree.move_cursor(node)
            self.call_after_refresh(tree.scroll_to_node, node, animate=False)
            self._tell(hit)

    # --- search -------------------------------------------------------------------------------------------------------

    async def action_filter(self) -> None:
        search = self.query_one("#search", Input)
        search.display = True
        search.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        from ...network import telling

        found, network = self.query_one("#found", OptionList), self._network
        found.clear_options()
        found.display = network is not None and bool(event.value.strip())
        if network is None or not found.display:
            self._hits = []
            return
        self._hits = network.find(event.value, _FOUND)
        found.add_options([Option(plain(self._drawn(telling.name_of(network, hit)))) for hit in self._hits])
        if not self._hits:
            found.add_option(Option(self.speech.say("filter-none"), disabled=True))
        else:
            found.highlighted = 0

    def on_input_submitted(self) -> None:
        self._take(self.query_one("#found", OptionList).highlighted)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._take(event.option_index)

    def _take(self, at: int | None) -> None:
        """Leave the search, for what was found."""
        hit = self._hits[at] if at is not None and at < len(self._hits) else None
        self._end_search()
        if hit is not None:
            self._show(hit)

    def _end_search(self) -> None:
        search = self.query_one("#search", Input)
        search.value, search.display, self._hits = "", False, []
        self.query_one("#found").display = False
        self.query_one(Tree).focus()

    def key_down(self) -> None:
        if self.focused is self.query_one("#search") and self._hits:
            self.query_one("#found").focus()

    # --- what can be done ---------------------------------------------------------------------------------------------

    def why_not(self, verb: str) -> str | None:
        if verb in ("filter", "graph-mark", "graph-beside", "graph-save") and self._network is None:
            return self.speech.say("graph-none")
        if verb == "graph-mark" and self._network is not None and not self._network.marked:
            return self.speech.say("graph-no-marks")
        return None

    def action_back(self) -> None:
        """Back out: of the search, then of the screen."""
        if self.query_one("#search").display:
            self._end_search()
        else:
            self.dismiss()

    def action_next_mark(self) -> None:
        """The next place that has a mark, what matters most first."""
        from ...network import telling
        from ...network.tree import each_marked

        assert self._network is not None
        places = list(dict.fromkeys(hit for mark in telling.ALL_MARKS for hit in each_marked(self._network, mark)))
        if places:
            self._marks = (self._marks + 1) % len(places)
            self._show(places[self._marks])

    def action_beside(self) -> None:
        """Set the benchmark's network beside this one, once."""
        if self._beside is None:
            self._load_beside()

    @work(thread=True, exclusive=True)
    def _load_beside(self) -> None:
        from ...network import matching, sources

        case = self.app.project.case
        assert self._network is not None
        try:
            path = sources.of_case(case, benchmark=True)[0]
            found = matching.put(self._network, sources.read(path, case.relative(path)))
        except UserError as error:
            self.app.call_from_thread(
                self.notify, error.text(self.speech.language), severity="warning", timeout=10, markup=False
            )
        else:
            self.app.call_from_thread(self._set_beside, found)

    def _set_beside(self, found: NetworkMatch) -> None:
        if not self.is_attached:
            return
        hit, self._beside = self._chosen, found
        self._fill()
        if hit is not None:
            self._show(hit)

    @work
    async def action_save(self) -> None:
        """Write the page that opens offline."""
        from ...network import page

        assert self._network is not None
        proposed = str(Path(self.app.project.case.root, "network.html"))
        target = await self.app.push_screen_wait(AskLine(self.speech.say("save-as-title"), proposed))
        if target is None:
            return
        try:
            content = page.write(self._network, self.speech.language, self._beside, self._chosen)
        except ReadError as error:
            self.app.show_error(error.text(self.speech.language))
        else:
            write_new(self, target, content)
