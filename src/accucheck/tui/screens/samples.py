"""Samples of the labels, one at a time: what it is, what its label says, and whether that is right."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static
from textual.worker import get_current_worker

from ... import marks
from ...errors import UserError
from ...marks import Judgement, Plan, Record
from ...model import Finding, Progress
from ..runner import told
from ..signs import plain, wrap
from ..verbs import BACK, FILTER, HELP, PALETTE, Verb, VerbScreen
from ..widgets.findings import message_of
from ..widgets.keybar import KeyBar

if TYPE_CHECKING:
    from ...readers.contents import Content as Sample

#: A judgement is shown by the sign of a state: shape, word and colour.
_SIGNS = {Judgement.RIGHT: "ok", Judgement.WRONG: "problem", Judgement.UNSURE: "undecided"}
ROLES = ("train", "eval")
#: The probe that has the words for what could not be read of labels.
PROBE = "label_conflicts"
#: So many of these are told in full.
GAPS = 3
#: Lines of text that are shown of one sample.
_LINES = 400
#: Samples that are held in memory at a time, with pictures of up to 1.2 MB.
HELD = 150


class SamplesScreen(VerbScreen[bool]):
    """The result is whether a mark has changed."""

    CSS = """
    SamplesScreen #head { dock: top; height: 2; padding: 0 1; background: $primary-background; text-wrap: nowrap; text-overflow: ellipsis; }
    SamplesScreen #body { height: 1fr; padding: 0 1; }
    SamplesScreen #picture { height: auto; align-horizontal: center; }
    SamplesScreen #text { height: 1fr; }
    SamplesScreen #rate { height: 2; padding: 0 1; background: $surface; text-wrap: nowrap; text-overflow: ellipsis; }
    """
    VERBS: ClassVar[list[Verb]] = [
        Verb("mark-right", "r", "mark('right')", "command-mark-right", "key-right"),
        Verb("mark-wrong", "w", "mark('wrong')", "command-mark-wrong", "key-wrong"),
        Verb("mark-unsure", "d", "mark('unsure')", "command-mark-unsure", "key-unsure"),
        Verb("mark-none", "delete,backspace", "mark('')", "command-mark-none"),
        Verb("undo", "u", "undo", "command-undo-mark", "key-undo"),
        Verb("sample-previous", "left,left_square_bracket,p", "step(-1)", "command-sample-previous", "key-back-one"),
        Verb("sample-next", "right,right_square_bracket,space", "step(1)", "command-sample-next", "key-forward"),
        Verb("sheet", "g", "sheet", "command-sheet", "key-sheet"),
        BACK,
        Verb("sample-note", "n", "note", "command-sample-note", "key-note"),
        HELP,
        Verb("sample-open", "o", "open", "command-sample-open", "key-open"),
        Verb("role", "t", "role", "command-role", "key-role"),
        FILTER,
        Verb("sample-copy", "y", "copy", "command-sample-copy"),
        PALETTE,
    ]
    HERE = ("help-samples",)

    def __init__(self) -> None:
        super().__init__()
        self.record = Record()
        self.role = ROLES[0]
        self.place = 0
        self.words = ""  # only samples with all of these are gone through
        self.samples: dict[int, Sample | UserError] = {}
        self.changed = False
        self._before: list[tuple[Record, str, int]] = []  # for undo: the marks, and where they were being made
        self._warned = False  # that the marks cannot be stored: a second Esc leaves all the same
        self._state = "samples-loading"  # until there is a plan: what is going on
        self._error: UserError | None = None
        self._reading = range(0)
        self._saved: Record | None = None
        self._saving = threading.Lock()
        self._shown: tuple[object, ...] = ()

    @property
    def plan(self) -> Plan | None:
        return self.record.plans.get(self.role)

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        with Vertical(id="body"):
            yield Vertical(id="picture")
            with VerticalScroll(id="text"):
                yield Static(id="fields", markup=False)
        yield Static(id="rate", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#text", VerticalScroll).focus()
        self.show()
        self._begin()

    async def rebuild(self) -> None:
        self.show()

    # --- plan and samples, in threads ---------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="samples")
    def _begin(self) -> None:
        """Load the plan, draw one where there is none, and read the samples back."""
        case, worker, role = self.app.project.case, get_current_worker(), self.role
        gaps: list[Finding] = []
        try:
            record = marks.load(case)
            if role not in record.plans:
                if self.app.session.read_only:
                    self._tell(self._cannot, role, None)
                    return
                record, gaps = self._draw(record, role)
                if worker.is_cancelled:
                    return
                marks.save(case, record)
        except Exception as error:  # a reader lost in a stranger's bytes
            self._tell(self._cannot, role, told(error, case.name))
            return
        self._tell(self._planned, role, record, gaps)

    @work(thread=True, exclusive=True, group="reading")
    def _read(self, role: str, plan: Plan, places: list[int]) -> None:
        worker, left = get_current_worker(), list(places)
        try:
            for place, sample in marks.contents(self.app.project.case, plan, places):
                if worker.is_cancelled:
                    return
                left.remove(place)
                self._tell(self._arrived, role, place, sample)
        except Exception as error:  # a reader lost in a stranger's bytes
            for place in left:
                self._tell(self._arrived, role, place, told(error, plan.samples[place].path))

    def _draw(self, record: Record, role: str) -> tuple[Record, list[Finding]]:
        """The record with a new plan, and what could not be read for it."""
        from ... import sampling

        worker = get_current_worker()

        def progress(step: Progress) -> None:
            if worker.is_cancelled:
                raise _ScreenLeft
            self._tell(self._drawing, step)

        try:
            plan, gaps = sampling.drawn_now(
                self.app.project.case, role, sampling.SEED, sampling.COUNT, self.app.who, progress
            )
        except _ScreenLeft:
            return record, []
        return marks.with_plan(record, role, plan), gaps

    def _tell(self, act: Callable[..., object], *data: object) -> None:
        """Call a method in the thread of the screen, unless the screen has been left meanwhile."""
        if self.is_attached and not get_current_worker().is_cancelled:
            self.call_later(act, *data)

    def _cannot(self, role: str, error: UserError | None) -> None:
        if role != self.role:  # the person has gone on to the other data meanwhile
            return
        self._error, self._state = error, "" if error is not None else "samples-none-read-only"
        self.show()

    def _drawing(self, step: Progress) -> None:
        self._state = "samples-drawing"
        share = step.done / step.total if step.total else 0.0
        self.query_one("#head", Static).update(plain(f"{self.speech.say(self._state)}  {share:.0%}"))

    def _planned(self, role: str, record: Record, gaps: list[Finding]) -> None:
        if role != self.role:
            return
        lines = [plain(message_of(PROBE, gap.code, gap.data, self.speech)).plain for gap in gaps[:GAPS]]
        lines += [self.speech.say("gaps-more", count=len(gaps) - GAPS)] if len(gaps) > GAPS else []
        if lines:
            self.notify("\n".join(lines), severity="warning", timeout=15, markup=False)
        self.record, self._saved, self._state = record, record, ""
        plan = self.plan
        assert plan is not None
        self.place = next((at for at, one in enumerate(plan.samples) if one.judgement is None), 0)
        self.show()

    def _read_around(self, plan: Plan) -> None:
        """Read the sample looked at and those near it; what is far from it is let go."""
        first = max(0, min(self.place - HELD // 5, len(plan.samples) - HELD))
        self._reading = range(first, min(first + HELD, len(plan.samples)))
        self.samples = {place: sample for place, sample in self.samples.items() if place in self._reading}
        self._read(self.role, plan, [place for place in self._reading if place not in self.samples])

    def _arrived(self, role: str, place: int, sample: Sample | UserError) -> None:
        if role == self.role:
            self.samples[place] = sample
            if place == self.place:
                self.show()

    # --- showing ------------------------------------------------------------------------------------------------------

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self.show)

    def show(self) -> None:
        """The sample looked at, and the rate so far."""
        if not self.is_mounted:
            return
        self.show_keys()
        say, plan = self.speech.say, self.plan
        head, rate = self.query_one("#head", Static), self.query_one("#rate", Static)
        if self._error is not None or self._state or plan is None:
            words = self._error.text(self.speech.language) if self._error is not None else say(self._state)
            head.update(plain(say("samples-title"), "bold"))
            self._show_body(None, plain(wrap(words, max(20, self.size.width - 4)), "$text-warning"))
            rate.update("")
            return
        sample = plan.samples[self.place]
        label = marks.class_name(self.app.project.case, sample.label)
        counter = f"{self.place + 1}/{len(plan.samples)}"
        if self.words:
            fitting = self.fitting(plan)
            at = fitting.index(self.place) + 1 if self.place in fitting else "-"
            counter = f"{at}/{len(fitting)} ({plain(self.words).plain})"
        parts: list[Content | str | tuple[str, str]] = [
            (f"{say('samples-title')}  {say(f'role-{self.role}')}  {counter}  ", "$text-muted")
        ]
        if sample.judgement is not None:
            sign = _SIGNS[sample.judgement]
            parts += [self.speech.sign(sign), f" {say(f'mark-{sample.judgement.value}')}"]
        if sample.mark is not None:
            parts.append((f"  {say('marked-by', who=plain(sample.mark.who).plain)}", "$text-muted"))
        parts += ["\n", (f"{say('sample-label')} ", "$text-muted"), plain(label, "bold"), "  "]
        parts.append(plain(sample.id, "$text-accent"))
        if sample.mark is not None and sample.mark.note:
            parts.append(plain(f"  {say('note')}{say('colon')}{sample.mark.note}".replace("\n", " "), "$text-muted"))
        head.update(Content.assemble(*parts))
        content = self.samples.get(self.place)
        if content is None and self.place not in self._reading:
            self._read_around(plan)
        if content is None:
            self._show_body(None, Content.styled(say("sample-loading"), "$text-muted"))
        elif isinstance(content, UserError):
            self._show_body(None, plain(wrap(content.text(self.speech.language), self._width), "$text-warning"))
        else:
            self._show_body(content, self._fields(content))
        rate.update(self._rate(plan))

    @property
    def _width(self) -> int:
        return max(20, self.size.width - 3)

    def _fields(self, content: Sample) -> Content:
        """The fields of a sample, a single one without its name; and why its picture cannot be shown."""
        lines: list[Content] = []
        if content.problem is not None:
            text = content.problem.text(self.speech.language)
            lines.append(plain(wrap(text, self._width), "$text-warning"))
        for name, value in content.fields:
            text = value if len(content.fields) == 1 else f"{name}: {value}"
            shown = plain(wrap(text.replace("\t", "    "), self._width, 0 if len(content.fields) == 1 else 2))
            lines.append(
                shown if len(content.fields) == 1 else shown.stylize("bold $accent", 0, len(plain(name).plain) + 1)
            )
        if content.size is not None:
            lines.append(
                Content.styled(
                    self.speech.say("picture-size", width=content.size[0], height=content.size[1]), "$text-muted"
                )
            )
        return Content("\n").join([line for part in lines for line in part.split("\n")][:_LINES])

    def _show_body(self, content: Sample | None, text: Content) -> None:
        from ..widgets.picture import drawn, environment_way

        self.query_one("#fields", Static).update(text)
        area, body = self.query_one("#picture", Vertical), self.query_one("#body").size
        picture = content.picture if content is not None else None
        shown = (self.role, self.place, id(picture), body)
        if shown == self._shown:
            return
        self._shown = shown
        area.remove_children()
        if picture is not None and body.width > 2 and body.height > 2:
            lines = text.plain.count("\n") + 1
            room = body.height - min(lines, max(1, body.height // 3))
            how = environment_way(only_ascii=self.speech.only_ascii)
            area.mount(drawn(picture, body.width - 2, max(1, room), how))
        self.query_one("#text", VerticalScroll).scroll_home(animate=False)

    def rate_line(self, plan: Plan) -> Content:
        """The rate so far in a line."""
        return self._rate(plan).split("\n")[0]

    def sign_of(self, sample: marks.Sample) -> str:
        """The state that a judgement is shown as; empty for none."""
        return _SIGNS[sample.judgement] if sample.judgement is not None else ""

    def want(self, places: list[int]) -> None:
        """Read these samples, unless they are read."""
        plan = self.plan
        if plan is not None and not self._state and any(place not in self._reading for place in places):
            self._read_around(plan)

    def _rate(self, plan: Plan) -> Content:
        say, rate = self.speech.say, marks.rate(plan)
        saved = "saved" if self._saved is self.record else "saving"
        if self.app.session.read_only:
            saved = "read-only"
        first = say("rate-left", left=rate.left, unsure=rate.unsure, state=say(saved))
        if not rate.looked:
            second = say("rate-none")
        else:
            data = {"wrong": rate.wrong, "looked": rate.looked, "share": rate.share, "low": rate.low, "high": rate.high}
            second = say("rate-wrong" if rate.wrong else "rate-right", **data)
            if rate.wrong and rate.weighted is not None:
                second += say("rate-weighted", weighted=rate.weighted)
        return Content.assemble((second, "bold"), "\n", (first, "$text-muted"))

    # --- marking ------------------------------------------------------------------------------------------------------

    def why_not(self, verb: str) -> str | None:
        say, plan = self.speech.say, self.plan
        if verb in ("back", "help", "palette", "jump"):
            return None
        if verb == "role":
            key = f"data.{ROLES[1 - ROLES.index(self.role)]}.path"
            return None if self.app.project.case.get(key) is not None else say("no-other-data", key=key)
        if self._error is not None:
            return self._error.text(self.speech.language)
        if self._state or plan is None:
            return say(self._state or "samples-loading")
        if verb == "sample-open":
            return say("samples-done") if marks.rate(plan).left == 0 else None
        if verb == "mark-none" and plan.samples[self.place].judgement is None:
            return say("mark-none-here")
        if verb == "undo":
            return self.app.why_not_change() or (None if self._before else say("nothing-to-undo"))
        if verb.startswith("mark-") or verb == "sample-note":
            return self.app.why_not_change()
        return None

    def action_mark(self, judgement: str) -> None:
        """Judge the sample looked at, save, and go on; an empty judgement takes the mark back."""
        plan = self.plan
        if plan is None:
            return
        self._change(Judgement(judgement) if judgement else None, None)
        if judgement:
            if later := [at for at in self.fitting(plan) if at > self.place]:
                self.place = later[0]
            elif marks.rate(self.record.plans[self.role]).left == 0:
                self.notify(self.speech.say("samples-done"), timeout=4, markup=False)
            else:
                self.action_open()
        self.show()

    def judge(self, judgement: str) -> None:
        """Judge the sample looked at and save, without going on; an empty judgement takes the mark back."""
        if self.plan is not None:
            self._change(Judgement(judgement) if judgement else None, None)

    def action_sheet(self) -> None:
        """Many samples at a time."""
        from .sheet import SheetScreen

        self.app.push_screen(SheetScreen(self))

    def action_undo(self) -> None:
        """Take the last mark or note back, and go to its sample."""
        self.record, role, self.place = self._before.pop()
        if role != self.role:
            self.role, self.samples, self._reading = role, {}, range(0)
        self._save()
        self.show()

    def _change(self, judgement: Judgement | None, note: str | None) -> None:
        self._before.append((self.record, self.role, self.place))
        self.record = marks.marked(self.record, self.role, self.place, judgement, note, self.app.who)
        self.changed = True
        self._save()

    @work(thread=True, group="save")
    def _save(self) -> None:
        try:
            self._store()
        except UserError as error:
            self._tell(self._unsaved, error)
        else:
            self._tell(self._marked)

    def _marked(self) -> None:
        self.app.drop_drafts("sample")
        self.show()

    def _store(self) -> None:
        """Store the marks, unless they are. Raises SaveError."""
        with self._saving:
            record = self.record
            if self._saved is not None and record is not self._saved:
                marks.save(self.app.project.case, record)
                self._saved = record

    def _unsaved(self, error: UserError) -> None:
        self.app.show_error(f"{error.text(self.speech.language)}\n{self.speech.say('marks-not-saved')}")

    def on_unmount(self) -> None:
        """The screen was left in another way than by Esc: what is not stored yet is stored now."""
        try:
            self._store()
        except UserError:
            pass  # it was said when the mark was made
        else:
            self.app.drop_drafts("sample")

    @work
    async def action_note(self) -> None:
        plan = self.plan
        if plan is None:
            return
        sample = plan.samples[self.place]
        old = sample.mark.note if sample.mark is not None else ""
        number = self.place + 1
        title = lambda: self.speech.say("note-title", item=f"{number}")  # noqa: E731
        item = self.app.checklist.item if self.app.checklist is not None else None
        key = f"sample {item.id if item is not None else '?'} {self.role} {self.place}"
        note = await self.app.write_note(title, old, key)
        if note != old:
            self._change(sample.judgement, note)
            self.show()

    # --- moving -------------------------------------------------------------------------------------------------------

    def action_step(self, by: int) -> None:
        if (plan := self.plan) is not None and not self._state:
            count = len(plan.samples)
            order = [(self.place + by * steps) % count for steps in range(1, count)]
            fitting = set(self.fitting(plan))
            self.place = next((at for at in order if at in fitting), self.place)
            self.show()

    def fitting(self, plan: Plan) -> list[int]:
        """The places of the samples that have all words of the filter: in class, mark, note or name."""
        wanted = self.words.casefold().split()
        return [at for at, one in enumerate(plan.samples) if not wanted or self._fits(one, wanted)]

    def _fits(self, sample: marks.Sample, wanted: list[str]) -> bool:
        mark = self.speech.say(f"mark-{sample.judgement.value}" if sample.judgement is not None else "mark-open")
        note = sample.mark.note if sample.mark is not None else ""
        text = " ".join([marks.class_name(self.app.project.case, sample.label), mark, note, sample.id]).casefold()
        return all(word in text for word in wanted)

    async def action_filter(self) -> None:
        """Ask for the words that the samples gone through must have."""
        self._ask_words()

    @work
    async def _ask_words(self) -> None:
        from .dialogs import AskLine

        say, plan = self.speech.say, self.plan
        words = await self.app.push_screen_wait(AskLine(lambda: self.speech.say("samples-filter"), self.words))
        if words is None or plan is None:
            return
        before, self.words = self.words, words
        fitting = self.fitting(plan)
        if not fitting:
            self.words = before
            self.notify(say("filter-none"), severity="warning", markup=False)
        elif self.place not in fitting:
            self.place = fitting[0]
        self.show()

    def action_open(self) -> None:
        """Go to the next sample that is not marked."""
        plan = self.plan
        if plan is None or self._state:
            return
        count = len(plan.samples)
        order = [(self.place + by) % count for by in range(1, count + 1)]
        fitting = set(self.fitting(plan))
        self.place = next((at for at in order if at in fitting and plan.samples[at].judgement is None), self.place)
        self.show()

    def action_role(self) -> None:
        """The samples of the other data, where the case names them."""
        other = ROLES[1 - ROLES.index(self.role)]
        self.role, self.place, self.samples, self._reading = other, 0, {}, range(0)
        self._state, self._error, self._shown = "samples-loading", None, ()
        self.show()
        self._begin_after_save()

    @work(thread=True, exclusive=True, group="samples")
    def _begin_after_save(self) -> None:
        try:
            self._store()
        except UserError as error:
            self._tell(self._unsaved, error)
            return
        self._tell(self._begin)

    def action_copy(self) -> None:
        if (plan := self.plan) is None:
            return
        sample = plan.samples[self.place]
        lines = [sample.id, sample.label]
        content = self.samples.get(self.place)
        if content is not None and not isinstance(content, UserError):
            lines += [f"{name}: {value}" for name, value in content.fields]
        self.app.copy_to_clipboard("\n".join(lines))
        self.notify(self.speech.say("copied"), timeout=2)

    def action_back(self) -> None:
        if self.words:  # one level after the other
            self.words = ""
            self.show()
            return
        try:
            self._store()
        except UserError as error:
            if not self._warned:
                self._warned = True
                self._unsaved(error)
                return
        self.dismiss(self.changed)


class _ScreenLeft(Exception):
    """The screen was left while the sample was being drawn."""
