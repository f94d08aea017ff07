"""The protocol of a kind of target, for code that names no kind: makes, plays, shrinks and shows its cases.

A family has one driver for each of its kinds. The driver derives all it can from the shape of a case (smaller
cases, sizes, small scopes, what can be removed); a kind overrides this where its own version measures better.
Parts that need a solver or another heavy module are imported in the methods that use them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, NamedTuple, TypeVar

from kassay.assignors.plain_answers import DOCUMENTS
from kassay.kinds.cuts import one_or_two
from kassay.kinds.frames import Frame, Reported, plain_frames
from kassay.kinds.judging import Examination, Played, Subject, judge, plain
from kassay.kinds.measures import RuleFigures
from kassay.kinds.recorded import steps_of
from kassay.kinds.words import (
    Asserts,
    EventForm,
    Offer,
    OwnWords,
    PlainCall,
    ShownAnswer,
    TimedSizes,
    few,
    noun_of,
    sentence_of,
)
from kassay.model.calls import Failure, Look, Refusal
from kassay.model.errors import InputError
from kassay.model.kinds import Kind, Verdict
from kassay.model.shape import scopes
from kassay.model.shape.codec import Shape
from kassay.model.shape.cuts import cuts, size_of
from kassay.model.shape.names import mentioned, renamed
from kassay.model.shape.removal import Removal, removals
from kassay.properties.profile import Profile
from kassay.properties.registry import Claim, Evidence, situations_within
from kassay.properties.sources import Source
from kassay.properties.wide.ranges import Size, WideRange

if TYPE_CHECKING:
    from kassay.assignors.registry import Reference
    from kassay.kinds.broken import BrokenStep
    from kassay.kinds.measures import Asking, How, MeasuredRest
    from kassay.kinds.search import WorstSearch

Case = TypeVar("Case")

SMALL_MAX: Final = 4000
"""The number of smallest cases that are tried where a case cannot be cut further."""
SCOPE_SIZE_MAX: Final = 14
"""The size, as the shape counts it, up to which small cases are enumerated."""
CELL_SLACK: Final = 3
"""How much the cases of a cell may have beyond their members and partitions, as the shape counts it."""


class ScopeCell(NamedTuple):
    """The numbers of members (brokers, processes) and partitions (tasks); `pasts`: with earlier owners."""

    members: int
    partitions: int
    pasts: bool

    @property
    def size(self) -> tuple[int, int]:
        """Members and partitions."""
        return self.members, self.partitions


class CellOptions(NamedTuple):
    """Which cases of a cell to make: all, or one of those that a proof or a symmetric target treats the same.

    `equal`: equal subscriptions only. Without `idle`: no members without subscriptions. Without `racks`:
    brokers without racks. `alike_by_rack`: one of the requests that differ only in the ids of brokers, the
    order within each rack being the same.
    """

    equal: bool = False
    idle: bool = True
    racks: bool = True
    alike_by_rack: bool = False


EVERY_CASE: Final = CellOptions()
"""All cases of a cell."""


class RunWishes(NamedTuple):
    """What a run wants of generated cases: the profile's name and shape, the assumptions, and the claims.

    `member_configs` are the configurations that the user names, `mixed` says whether members run different
    targets.
    """

    name: str
    shape: str
    assume: frozenset[str]
    claims: frozenset[str]
    member_configs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    mixed: bool = False


class Driver(ABC, Generic[Case]):
    """One kind of target: how its cases are made, played, shrunk and written.

    `form` is the shape of a case, `narration` that of a reported step. `aims` names the recipe that is
    certain to reach a situation, by the situation's name; `events` has the words for each event. `asks` is
    the method of an object of the kind that answers, `goals` name the values in `measures`. `options` are the
    options of a run that only some kinds use: `member-config`, `shape`, `sizes`, `exhaustive`. `answers` is
    the shape of an answer in a trace; None for a kind whose traces record no answers. `pasts` says
    whether small cases have a separate past, None where a kind has no small cases; `usual_scope` is the scope
    of a hunt without a time limit. `measured` says whether `rest` measures what was played, `shapes` are the
    ids of the shapes of large cases. `countable` are the things that a case can have very many of, `ranges`
    its numbers and other properties with classes of values; wide names are derived from the shape.
    """

    asks: ClassVar[str] = "assign"
    goals: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[frozenset[str]] = frozenset({"sizes"})
    pasts: ClassVar[bool | None] = None
    follows_protocol: ClassVar[bool] = False
    measured: ClassVar[bool] = False
    shapes: ClassVar[tuple[str, ...]] = ()
    usual_scope: ClassVar[tuple[int, int]] = (3, 3)
    countable: ClassVar[tuple[Size, ...]] = ()
    ranges: tuple[WideRange, ...] = ()
    form: Shape[Case]
    narration: Shape[Any]
    answers: Shape[Any] | None = None
    aims: Mapping[str, str] = MappingProxyType({})
    events: Mapping[str, EventForm] = MappingProxyType({})

    @property
    def shares_objects(self) -> bool:
        """Whether one object serves several groups in turn, as in a broker or a controller."""
        return True

    @property
    def optimum(self) -> str:
        """The reference whose answers are certified optima; empty where there is none."""
        return ""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._situations = tuple(
            (within, tuple((each.id, each.seen, bool(each.parts)) for each in same))
            for within, same in situations_within(kind)
        )

    # Making and playing cases

    @abstractmethod
    def generate(self, source: Source, profile: Any, aim: str = "") -> Case:
        """A case built from the source's choices: any, or one by the recipe called `aim`."""

    def profile(self, wanted: RunWishes) -> Profile:
        """The profile of the cases that a run generates."""
        return Profile("large" if wanted.shape else wanted.name, wanted.assume, wanted.shape)

    def sized(self, source: Source, profile: Any, sizes: Mapping[str, int]) -> Case:
        """A case with these numbers of its `countable` things and everything else as small as possible."""
        raise NotImplementedError(f"cases of {self.kind} have nothing to count")

    def wide_profile(self, profile: Any, wanted: frozenset[str]) -> Any:
        """The profile of a case that shows these spaces of names and ranges; by default the same."""
        return profile

    def unnamed(self, assume: frozenset[str]) -> frozenset[str]:
        """The spaces of names that a target of the kind does not see under these assumptions."""
        return frozenset()

    @abstractmethod
    def play(self, case: Case, subject: Subject) -> Iterable[Played]:
        """Run the case on the subject, with the second looks that its claims need."""

    def examine(self, case: Case, subject: Subject) -> Examination:
        """Play the case, check every claim during the play, and count the situations that were reached."""
        subject.renew()
        return self.judged(case, self.play(case, subject), subject)

    def judged(self, case: Case, plays: Iterable[Any], subject: Subject) -> Examination:
        """Check every claim on the plays of the case, and count the situations that were reached."""
        examination = Examination()
        for played in plays:
            examination.plays.append(played)
            examination.rebalances += self.rebalances(case, played)
            if not subject.assume or self.is_within(played, subject.assume):
                judge(played, subject, examination, self.best, self.compared(played))
            scene = self.scene(case, played)
            if scene is not None:
                self._look_around(scene, examination.reached)
            if subject.watch is not None:
                subject.watch(played)
        return examination

    def _look_around(self, scene: object, reached: dict[str, int]) -> None:
        """Count the situations that the scene is in."""
        for within, situations in self._situations:
            if within(scene):
                for name, seen, has_parts in situations:
                    part = seen(scene)
                    if part:
                        reached[f"{name}:{part}" if has_parts else name] += 1

    def rebalances(self, case: Case, played: Any) -> int:
        """The number of calls."""
        return len(played.steps)

    def scene(self, case: Case, played: Any) -> object:
        """What situations are searched in; None if there is nothing to search."""
        return played

    def is_within(self, played: Any, assume: frozenset[str]) -> bool:
        """Whether the input satisfies the assumptions; by default no other is generated."""
        return True

    def best(self, outcome: Any, claim: Claim) -> Any:
        """The certified best for an outcome, as the claim reads it; None if there is none."""
        return None

    def compared(self, played: Any) -> Sequence[Any]:
        """The parts that are checked against the certified best; by default the outcomes."""
        outcomes: Sequence[Any] = played.outcomes
        return outcomes

    @property
    def ranked_by(self) -> tuple[str, ...]:
        """The claims beyond validity that rank targets of the kind; empty where they are not ranked."""
        return ()

    def rest(self, played: Any) -> MeasuredRest | None:
        """The played outcomes compared with the certified best; None where there is no answer to measure."""
        return None

    def ask_instance(self, problem: Any, how: How) -> Asking:
        """What calls a target with an instance of the kind's family; raises `OutOfTimeError`."""
        raise InputError(f"targets of kind {self.kind} answer no instances")

    def timed(self, claim: Claim, subject: Subject, seconds: float) -> TimedSizes:
        """The result of timing the subject for a claim about time, within a limit in seconds."""
        return TimedSizes(Verdict.UNKNOWN, f"targets of kind {self.kind} are not timed")

    def figures(self, rule: Reference) -> RuleFigures:
        """Tables of a reference's figures, from a run of it, by name."""
        return RuleFigures()

    def own_words(self) -> OwnWords:
        """What one object gets back from its own answers, where two are called with the same input."""
        return OwnWords()

    # Smaller cases, and small ones: derived from the shape

    def read(self, document: Any) -> Case | None:
        """The case that the document holds; None where the shape does not read it."""
        try:
            return self.form.read(document, "case")
        except InputError:
            return None

    def _readable(self, documents: Iterable[Any]) -> Iterator[Case]:
        return (case for document in documents if (case := self.read(document)) is not None)

    def shrink_candidates(self, case: Case) -> Iterator[Case]:
        """Cases that are a little smaller, the boldest cuts first; then the smallest of all."""
        size = self.size(case)

        def smaller(larger: Case) -> Iterator[Case]:
            return self._readable(cuts(self.form.node, self.form.write(larger)))

        yield from (less for less in one_or_two(case, smaller) if self.size(less) < size)
        yield from (less for less in islice(self.smallest(case), SMALL_MAX) if self.size(less) < size)

    def smallest(self, case: Case) -> Iterator[Case]:
        """The smallest cases, with the fixed fields of the shape as in this case."""
        document = self.form.write(case)
        largest = min(sum(size_of(self.form.node, document)[:2]), SCOPE_SIZE_MAX)
        return self._readable(scopes.documents(self.form.node, largest, document))

    def restarts(self, case: Case, subject: Subject) -> Iterator[Case]:
        """Cases that start in a state that this one reaches when the subject plays it; by default none."""
        return iter(())

    def size(self, case: Case) -> tuple[int, ...]:
        """The sort key by which one case is smaller than another."""
        return size_of(self.form.node, self.form.write(case))

    def cell(self, cell: ScopeCell, options: CellOptions = EVERY_CASE) -> Iterator[Case]:
        """Every case of the cell's size and little more; without a past no event happens."""
        largest = cell.members + cell.partitions + CELL_SLACK
        small = scopes.documents(self.form.node, largest, items_max=max(cell.size))
        for case in self._readable(small):
            counts = self.counts(case)
            if (counts["members"], counts["partitions"]) == cell.size and (
                counts["events"] > 0
            ) is cell.pasts:
                yield case

    def scope(self, profile: Any, members_max: int, partitions_max: int) -> Iterator[Case]:
        """Every case of an exhaustive scope."""
        for members in range(1, members_max + 1):
            for partitions in range(1, partitions_max + 1):
                for pasts in (False, True) if self.pasts else (False,):
                    yield from self.cell(ScopeCell(members, partitions, pasts))

    @property
    def left_out(self) -> Mapping[str, tuple[str, ...]]:
        """What no scope of the kind has, in words, each with the situations that need it.

        Derived cells leave out what is far larger than their members and partitions.
        """
        return MappingProxyType({f"cases larger than their scope by more than {CELL_SLACK}": ()})

    def search(self) -> WorstSearch | None:
        """How the worst cases of the kind are searched; None where they are not."""
        return None

    @property
    def long_changes(self) -> int:
        """The number of changes of the longest case of `long_case`: buffers of 4,096 answers overflow."""
        return 4_100

    @property
    def life_s(self) -> float:
        """The most seconds of a time budget that an object lives for through many cases or changes."""
        return 5.0

    def long_case(self, changes: int) -> Case | None:
        """A case of many small changes, of which one object answers all; None where objects live shortly.

        Every change brings names that none before it had.
        """
        return None

    def under_other_names(self, case: Case, number: int) -> Case:
        """The case under names that no case of another number has; numbers that name things stay."""
        document = self.form.write(case)
        names = {
            space: {old: f"{old}-{number}" for old in own if isinstance(old, str)}
            for space, own in mentioned(self.form.node, document).items()
        }
        return self.read(renamed(self.form.node, document, names)) or case

    def removals(self, document: Mapping[str, Any]) -> Iterator[Removal]:
        """Each thing that can be removed from the document of a case, in words."""
        return removals(self.form.node, document, self.event_words)

    def event_words(self, event: Mapping[str, Any]) -> str:
        """What happened, as a noun: `m1 leaving`."""
        return noun_of(self.events, event)

    def event_sentence(self, event: Mapping[str, Any]) -> str:
        """What happened, as a sentence: `m1 leaves`."""
        return sentence_of(self.events, event)

    # What is reported of a case

    @abstractmethod
    def counts(self, case: Case) -> Mapping[str, int]:
        """Members, partitions and events of a case, for the report."""

    def narrate(self, case: Case, subject: Subject) -> list[dict[str, Any]]:
        """A play of the case on the subject, step by step, without second looks."""
        subject.renew()
        return self.narrated(list(self.play(case, replace(subject, twin=None, repeats=False))))

    def narrated(self, plays: Sequence[Any]) -> list[dict[str, Any]]:
        """The plays of a case, step by step, in the form of the report."""
        return [dict(self.document_of(step)) for played in plays for step in steps_of(played)]

    @abstractmethod
    def document_of(self, step: Any) -> Mapping[str, Any]:
        """One step in the form of the report."""

    def frames(self, reported: Reported) -> list[Frame]:
        """A reported case as frames, for a terminal and a page."""
        return plain_frames(reported, self.event_sentence)

    def places(
        self,
        number: int,
        played: Any,
        thing: Any,
        evidence: Sequence[Evidence],
        evidence_of: Callable[[Any], Sequence[Evidence]],
    ) -> list[tuple[int, ...]]:
        """The place of each piece of evidence in the reported case.

        By default the whole case is one run. `number` is that of what was played, `evidence_of` returns the
        evidence against one part of the thing. Evidence about something other than a step is placed where the
        evidence says, or at the end.
        """
        steps = played.steps
        place = next((i for i, step in enumerate(steps) if step is thing), None)
        if place is not None:
            return [(place,)] * len(evidence)
        return [(len(steps) - 1 if each.at is None else each.at,) for each in evidence]

    def place_words(self, narration: Sequence[Mapping[str, Any]], step: int, turn: int | None) -> str:
        """The place of a reported step, to follow a sentence: ` at rebalance 3`; empty without a place."""
        call = self.kind.nouns.call
        return f" at {call} {step + 1}" if call else ""

    # Recorded answers

    def calls_of(self, answer: Any) -> Sequence[Any]:
        """What the calls of `asks` return, one by one, for a recorded answer."""
        return (answer,)

    def answering(self, next_answer: Callable[..., Any]) -> Any:
        """An object of the kind that answers with recorded answers."""
        return SimpleNamespace(**{self.asks: next_answer})

    def restored(self, step: Any, answer: Any) -> Any:
        """The answer of a repeat call of the step, from what a trace records of it."""
        return answer

    def recorded_more(self, step: Any) -> Mapping[str, Any]:
        """What a trace records of a step beyond its answers; by default nothing."""
        return {}

    def with_more(self, step: Any, more: Mapping[str, Any]) -> Any:
        """The step with what `recorded_more` returned for it."""
        return step

    # Comparing and replacing answers

    @abstractmethod
    def parts(self, answer: Any) -> Mapping[str, object]:
        """An answer as assigned parts by owner: two answers are equal if these are."""

    def comparable(self, answer: Any, other: Any) -> Any:
        """The answer without what has no counterpart in the other one that it is compared with."""
        return answer

    def measures(self, arguments: tuple[Any, ...], answer: Any) -> Mapping[str, object]:
        """The quality of an answer, by each of the `goals`; `arguments` are those of the call."""
        return {}

    def offers(self, claim: Claim, broken: BrokenStep, step: Any) -> Iterator[Offer]:
        """Answers of the kind's own that may keep the claim, the best known first."""
        return iter(())

    def late_offers(self, step: Any) -> Iterator[Offer]:
        """Answers that are tried after those of the references."""
        return iter(())

    def answer_of(self, target: Any, step: Any) -> Any:
        """A reference's answer to the step's input."""
        return getattr(target, self.asks)(step.request)

    def is_proven(self, step: Any) -> bool:
        """Whether the answer of the kind's `optimum` to the step's input is certified."""
        return True

    def arguments(self, step: Any) -> tuple[Any, ...]:
        """The arguments of the step's call."""
        return (step.request,)

    def instead(self, thing: Any, place: tuple[int, ...], step: Any, then: Any) -> Any:
        """What was judged, with the step replaced by another."""
        return replace(thing, steps=tuple(then if each is step else each for each in thing.steps))

    def shown(self, place: tuple[int, ...], step: Any, answer: Any) -> ShownAnswer:
        """An answer that replaces the step's, in the form of a trace."""
        then = replace(step, answer=answer)
        document = self.document_of(then)
        return ShownAnswer(
            document.get("answer", document.get("moves", document.get("refused"))),
            self._measured(step, answer),
            {} if isinstance(step.answer, Failure) else self._measured(step, step.answer),
            self.words(then),
        )

    def _measured(self, step: Any, answer: Any) -> dict[str, Any]:
        """The goals of an answer by name; none for a refusal."""
        if isinstance(answer, Refusal):
            return {}
        return {name: plain(value) for name, value in self.measures(self.arguments(step), answer).items()}

    def words(self, step: Any) -> str:
        """The step's answer in one line."""
        return few([f"{part} {_text(value)}" for part, value in self.parts(step.answer).items()]) or "nothing"

    def asserts(self, claim: str, broken: BrokenStep, step: Any) -> Asserts | None:
        """What must hold of the answer, as Python; None where this takes more than this one answer."""
        return None

    def plain_call(
        self, form: str, extras: tuple[str, ...], broken: BrokenStep, step: Any
    ) -> PlainCall | None:
        """How to call a user's class of that form with the step's input; None where it has no such call."""
        if form in DOCUMENTS and hasattr(step, "request"):
            from kassay.assignors.plain import FORMS

            return PlainCall(self.asks, (FORMS[form].write(step.request),))
        return None

    def repeats(self, step: Any, new: Callable[[Mapping[str, str]], Any]) -> bool:
        """Whether a new object, called once, gives the same answer; one with state of its own may not."""
        return True

    def second_answers(self, step: Any, new: Callable[[Mapping[str, str]], Any], look: Look) -> bool | None:
        """Whether a second call, of the same object or of another, differs; None where that is not known."""
        return None

    @property
    def answer_as_python(self) -> str:
        """The part of `answer` by which two calls are compared, as Python."""
        return "answer"

    def config_of(self, step: Any) -> Mapping[str, str]:
        """The configuration of the object that answered the step, beyond the run's."""
        return {}


def _text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
