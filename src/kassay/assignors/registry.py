"""Reference rules and client libraries' assignors by spec; decorators in their files register them.

A rule that Kafka changed has several references, one a file. Each is named by the rule and the first
release that behaves so (`uniform@4.0.1`); the rule alone means the newest.

*Releases* of Kafka are compared by their numbers; a span of releases belongs to one implementation of a rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeVar

from kassay.model.errors import InputError
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.model.modules import import_modules
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.reading.specs import RuleSpec, parse

Release = tuple[int, ...]
"""The numbers of a release: as many as any release has."""

EXPECTED: Final = "a release of Kafka such as 4.0.1 or 4.4"
_RELEASE: Final = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){1,3}")
_NUMBERS: Final = 4
"""Releases before 1.0 have four, as 0.10.2.1."""


class Held(Protocol):
    """An implementation that holds from certain releases on, each time until another takes over."""

    @property
    def since(self) -> tuple[str, ...]:
        """The releases as its author wrote them; the first names it."""


H = TypeVar("H", bound=Held)


def release_of(text: str) -> Release:
    """The release of that text, missing numbers being 0; raises `InputError` for any other text.

    >>> release_of("4.1") == release_of("4.1.0") < release_of("4.1.1") < release_of("4.10")
    True
    """
    if not _RELEASE.fullmatch(text):
        raise InputError(f"found {text!r}, expected {EXPECTED}")
    numbers = tuple(map(int, text.split(".")))
    return numbers + (0,) * (_NUMBERS - len(numbers))


def release_in(text: str) -> str | None:
    """The first release that a text names, None if it names none.

    >>> release_in("trunk of 2024-10-25, commit 1eb7644349cb (4.0.0-SNAPSHOT)")
    '4.0.0'
    """
    match = _RELEASE.search(text)
    return None if match is None else match[0]


def _turns(implementations: Iterable[H]) -> list[tuple[Release, str, H]]:
    """The implementations by the release in which each takes over, the oldest first."""
    turns = [(release_of(text), text, each) for each in implementations for text in each.since]
    return sorted(turns, key=lambda turn: turn[0])


def newest(implementations: Sequence[H]) -> H:
    """The implementation that holds in the newest release; the only one if no release is known."""
    turns = _turns(implementations)
    return turns[-1][2] if turns else implementations[0]


def holding(implementations: Sequence[H], release: str) -> H | None:
    """The implementation that holds in the release; None before the first.

    Raises `InputError` for a text that is no release.
    """
    wanted = release_of(release)
    until = [implementation for first, _, implementation in _turns(implementations) if first <= wanted]
    return until[-1] if until else None


def taking_over(implementations: Sequence[H], release: str) -> list[tuple[str, H]]:
    """The implementations that take over after the release and since when, the oldest first, each once.

    Raises `InputError` for a text that is no release.
    """
    wanted, over = release_of(release), [holding(implementations, release)]
    turns = []
    for first, text, implementation in _turns(implementations):
        if first > wanted and not any(implementation is each for each in over):
            over.append(implementation)
            turns.append((text, implementation))
    return turns


def oldest(implementations: Sequence[H]) -> str:
    """The first known release; empty if none is known."""
    turns = _turns(implementations)
    return turns[0][1] if turns else ""


def spans(implementations: Sequence[H], one: H) -> str:
    """The releases in which it holds, in words; empty if no release is known.

    A span ends before the release in which another takes over, and a fix that went into several lines
    makes several spans.
    """
    turns = _turns(implementations)
    words = []
    for place, (_, first, implementation) in enumerate(turns):
        if implementation is not one:
            continue
        after = next((text for _, text, other in turns[place + 1 :] if other is not one), None)
        words.append(f"{first} on" if after is None else f"{first} to before {after}")
    return ", ".join(words)


EAGER: Final = RebalanceProtocol.EAGER
COOPERATIVE: Final = RebalanceProtocol.COOPERATIVE


@dataclass(frozen=True)
class Reference:
    """One algorithm that kassay reimplements, or adapts from a client `library`.

    `factory` makes a new object; it raises `LibraryMissing`. `claims` are the claims that the rule declares
    beyond validity. `since` are the releases of Kafka that first behave so, each until another reference of
    the rule takes over: one, or several where a fix went into several lines; none where the rule is not
    Kafka's or its releases were not compared. `sends_generations`: its members report the generation of their
    owned partitions. `alike_by_rack`: a placer that uses only the order of broker ids within each rack, so
    that other ids in the same order change only the ids in its answer.
    """

    name: str
    kind: Kind
    factory: Callable[[], Any]
    claims: tuple[str, ...]
    source: str
    protocol: RebalanceProtocol = EAGER
    summary: str = ""
    library: str = ""
    since: tuple[str, ...] = ()
    sends_generations: bool = True
    alike_by_rack: bool = False

    @property
    def rule(self) -> str:
        """The rule's target spec without a release."""
        prefix = f"{self.library}:" if self.library else _PREFIXES.get(self.kind, "")
        return prefix + self.name

    @property
    def spec(self) -> str:
        """The target spec: with the first release if the rule has several references."""
        return self.rule if len(_RULES[self.rule]) == 1 else f"{self.rule}@{self.since[0]}"

    @property
    def level(self) -> Literal["process", "member"]:
        """Whether an assignor of Streams tasks assigns to processes or members; unused for other kinds."""
        return "member" if hasattr(self.factory, "assign_group") else "process"

    @property
    def configures(self) -> bool:
        """Whether its objects read the configuration of a run."""
        own = getattr(self.factory, "configure", None)
        return (
            isinstance(self.factory, type)
            and issubclass(self.factory, AssignorBase)
            and (own is not AssignorBase.configure)
        )

    @property
    def releases(self) -> str:
        """The releases in which the rule behaves so, in words; empty if unknown."""
        return spans(_RULES[self.rule], self)


class LibraryMissing(ImportError):
    """The client library, or this assignor of it, is missing; the message says what to install."""


OF_OLD: Final = "4.0.0"
"""The release of every rule at the time when each rule had one reference and documents named rules alone."""

_RULES: Final[dict[str, tuple[Reference, ...]]] = {}

_PREFIXES: Final = {PLACER: "placement:", PLANNER: "plan:", PARTITIONER: "partitioner:"}
_Factory = TypeVar("_Factory", bound=Callable[[], Any])


def reference(
    name: str,
    *,
    kind: Kind = CLIENT,
    claims: tuple[str, ...] = (),
    source: str,
    protocol: RebalanceProtocol = EAGER,
    library: str = "",
    since: str | tuple[str, ...] = (),
    sends_generations: bool = True,
    alike_by_rack: bool = False,
) -> Callable[[_Factory], _Factory]:
    """Register a class as a reference of the rule `name`; its first docstring line is its summary.

    Raises `ValueError` for a second reference of a rule that does not say since which release it holds.
    """

    def register(factory: _Factory) -> _Factory:
        summary = (factory.__doc__ or "").strip().splitlines()[0]
        releases = (since,) if isinstance(since, str) else since
        entry = Reference(
            name,
            kind,
            factory,
            claims,
            source,
            protocol,
            summary,
            library,
            releases,
            sends_generations,
            alike_by_rack,
        )
        others = _RULES.get(entry.rule, ())
        firsts = [release_of(release) for each in (*others, entry) for release in each.since]
        if len(set(firsts)) < len(firsts) or (others and not all(each.since for each in (*others, entry))):
            raise ValueError(f"two reference algorithms are called {entry.rule!r}")
        _RULES[entry.rule] = (*others, entry)
        return factory

    return register


def load_all() -> dict[str, Reference]:
    """Every algorithm of kassay's own by its spec, sorted by spec."""
    return {spec: reference for spec, reference in _registered().items() if not reference.library}


def load_foreign() -> dict[str, Reference]:
    """Every client library's assignor by its spec, whether the library is installed or not."""
    return {spec: reference for spec, reference in _registered().items() if reference.library}


def libraries() -> list[str]:
    """The client libraries that have adapters."""
    return sorted({reference.library for reference in load_foreign().values()})


def _registered() -> dict[str, Reference]:
    """Every algorithm by its spec, sorted by spec; imports all their files."""
    import_modules("kassay.assignors")
    return dict(sorted((each.spec, each) for references in _RULES.values() for each in references))


def find(spec: str) -> Reference | None:
    """The reference that a target spec names, None if it names no rule of kassay's own.

    A rule alone is its newest reference; `rule@release` is the one that holds in that release. Raises
    `InputError`, which names the spec, for an invalid release and for one before all that kassay knows.
    """
    import_modules("kassay.assignors")
    release = None
    if (references := _RULES.get(spec)) is None and isinstance(rule := parse(spec), RuleSpec):
        references, release = _RULES.get(rule.rule), rule.at
    if not references or references[0].library:
        return None
    if release is not None:
        return held_in(references, release, spec)
    return references[0] if len(references) == 1 else newest(references)


def held_in(references: tuple[Reference, ...], release: str, where: str) -> Reference:
    """The rule's reference that holds in the release; raises `InputError` with the place `where`."""
    first = oldest(references)
    if not first:
        raise InputError(f"{where}: no release is known of this rule, expected {references[0].rule}")
    try:
        reference = holding(references, release)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if reference is None:
        raise InputError(f"{where}: known since {first} only, expected that release or a later one")
    return reference


def changes_since(rule: str, release: str) -> tuple[Reference, tuple[tuple[str, Reference], ...]]:
    """The rule's reference in that release, and each later reference with its first release.

    Raises `InputError` for a rule that is none of Kafka's, and for a release that is invalid or too old.
    """
    parsed = parse(rule)
    before = find(f"{rule}@{release}") if isinstance(parsed, RuleSpec) and parsed.at is None else None
    if before is None:
        import_modules("kassay.assignors")
        known = [spec for spec, references in _RULES.items() if references[0].since]
        raise InputError(f"{rule!r}: expected a rule of Kafka, one of {', '.join(sorted(known))}")
    return before, tuple(taking_over(_RULES[before.rule], release))


def recorded(spec: str) -> str:
    """The current spec of the target that a document's spec means.

    New documents name a rule that has several references with its release. In older documents the rule alone
    means the rule as it was then.
    """
    import_modules("kassay.assignors")
    references = _RULES.get(spec, ())
    if len(references) < 2:
        return spec
    return (holding(references, OF_OLD) or held_in(references, oldest(references), spec)).spec


def find_foreign(spec: str) -> Reference | None:
    """The client library's assignor that a spec names, None if it names none; raises `InputError`."""
    there, rule = load_foreign(), parse(spec)
    library = rule.prefix or rule.name if isinstance(rule, RuleSpec) else ""
    names = [reference.name for reference in there.values() if reference.library == library]
    if names and spec not in there:
        raise InputError(f"{spec}: no such assignor, expected one of {', '.join(names)}")
    return there.get(spec)
