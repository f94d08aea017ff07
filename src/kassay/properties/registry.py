"""The one registry of claims and situations, and the arguments that claims take.

The argument after a claim's colon: a number in a range, or one of several words.

The one registry of claims and situations; decorators on their predicates fill it.

A claim that needs a situation which the run never reached stays `unknown`.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar

from kassay.model.calls import Look
from kassay.model.errors import InputError
from kassay.model.kinds import Kind, RebalanceProtocol


@dataclass(frozen=True)
class Parameter:
    """The argument that a claim takes after its colon, as text.

    `default` is the argument of a claim without a colon; an empty one means a rule of the claim's own.
    `expected` describes in words what `fits` accepts, and `example` is an accepted one.
    """

    default: str
    example: str
    expected: str
    fits: Callable[[str], bool]

    def require(self, claim_id: str, text: str) -> None:
        """Raise `InputError`, with what was expected, for a text that does not fit."""
        if not self.fits(text):
            spelled = f"{claim_id}:{text}"
            raise InputError(
                f"{spelled[:80]}: expected {claim_id}:VALUE with {self.expected}, "
                f"such as {claim_id}:{self.example}"
            )


@dataclass(frozen=True)
class NumberRange:
    """Decimal numbers from `least` to `most`; neither a sign nor an exponent, `nan` or `inf`."""

    least: float
    most: float
    whole: bool = False

    def __str__(self) -> str:
        return f"a {'whole ' if self.whole else ''}number from {self.least} to {self.most}"

    def __contains__(self, text: str) -> bool:
        form = r"[0-9]{1,9}" if self.whole else r"[0-9]{1,9}(\.[0-9]{1,9})?"
        return re.fullmatch(form, text) is not None and self.least <= float(text) <= self.most


def number(allowed: NumberRange, *, default: str = "", example: str = "") -> Parameter:
    """A number; `example` where the default is no number."""
    return Parameter(default, example or default, str(allowed), allowed.__contains__)


def one_of(*words: str) -> Parameter:
    """One of the words; the first is the default."""
    return Parameter(words[0], words[-1], f"one of {' | '.join(words)}", words.__contains__)


class Evidence(NamedTuple):
    """What is wrong: the subject (a partition, a member), named facts about it, and a sentence.

    The sentence, `words`, names the subject and ends with a full stop. `at` is the number, from 0, of the
    step that shows it, where the claim knows that.
    """

    subject: str
    facts: Mapping[str, object]
    words: str
    at: int | None = None


class Violation(NamedTuple):
    """One way in which a claim was broken; `contradictory` classifies the input that broke it."""

    claim: str
    evidence: Evidence
    contradictory: bool = False

    def __str__(self) -> str:
        return f"{self.claim}: {self.evidence.words}"


def as_text(value: object) -> str:
    """A fact's value in readable form."""
    if isinstance(value, tuple | list):
        return " ".join(as_text(item) for item in value) or "-"
    if isinstance(value, Mapping):
        return " ".join(f"{key}={as_text(item)}" for key, item in value.items()) or "-"
    return str(value)


class Scope(StrEnum):
    """The thing that a predicate checks.

    STEP: each answered call. OUTCOME: each answer that balance and movement are judged on. REBALANCE: a
    change with all its rounds, or a whole run. OPTIMUM: an outcome and the certified best for it. TIMING: the
    target is timed, outside the histories.
    """

    STEP = "step"
    OUTCOME = "outcome"
    REBALANCE = "rebalance"
    OPTIMUM = "optimum"
    TIMING = "timing"


Predicate = Callable[..., Iterator[Evidence]]


@dataclass(frozen=True)
class ClaimKind:
    """An id, one sentence, and a pure predicate that yields evidence against the claim.

    `validity` claims are checked on every target of their kind; those that are `validity_of` a protocol on
    every target that speaks it, with the argument `validity_argument`. `applies` says where the claim applies
    at all, `breakable` where some well-formed answer to the same input would break it, whatever the actual
    answer: these judgements count, and the claim can hold only with a `minimum` of them. Both take the
    predicate's arguments. `looks` are the second looks it needs. A claim with a `parameter` is written
    `id:argument`. `fix` continues "A fix must": what a target has to do that breaks the claim by its common
    cause; a trace may show another cause (`engines/causes/cause`).
    """

    id: str
    sentence: str
    scope: Scope
    predicate: Predicate
    breakable: Callable[..., bool]
    source: str
    fix: str
    validity: bool = False
    applies: Callable[..., bool] | None = None
    minimum: int = 50
    looks: frozenset[Look] = frozenset()
    confirm: bool = False
    parameter: Parameter | None = None
    validity_of: RebalanceProtocol | None = None
    validity_argument: str | None = None


def always(*_: object) -> bool:
    """For claims that can be broken wherever they are judged, e.g. by a call without an answer."""
    return True


CLAIMS: Final[dict[tuple[Kind, str], ClaimKind]] = {}

_ELSEWHERE: Final = ("machines", "protocols", "sentences")
"""Packages without claims about targets: their imports are heavy, the first needs Hypothesis."""

_F = TypeVar("_F", bound=Predicate)


def claim(
    claim_id: str,
    *,
    kinds: Kind | tuple[Kind, ...],
    source: str,
    fix: str,
    breakable: Callable[..., bool],
    scope: Scope = Scope.STEP,
    validity: bool = False,
    applies: Callable[..., bool] | None = None,
    minimum: int = 50,
    looks: tuple[Look, ...] = (),
    confirm: bool = False,
    parameter: Parameter | None = None,
    validity_of: RebalanceProtocol | None = None,
    validity_argument: str | None = None,
) -> Callable[[_F], _F]:
    """Register the predicate; its first docstring line is the claim's sentence."""
    own = (kinds,) if isinstance(kinds, Kind) else kinds
    needed = frozenset(looks)

    def register(predicate: _F) -> _F:
        sentence = (predicate.__doc__ or "").strip().splitlines()[0]
        for kind in own:
            if (kind, claim_id) in CLAIMS:
                raise ValueError(f"two predicates for claim {claim_id!r} of kind {kind}")
            CLAIMS[kind, claim_id] = ClaimKind(
                claim_id,
                sentence,
                scope,
                predicate,
                breakable,
                source,
                fix,
                validity,
                applies,
                minimum,
                needed,
                confirm,
                parameter,
                validity_of,
                validity_argument,
            )
        return predicate

    return register


@cache
def load() -> None:
    """Import every module that may register something; the claims on all answers come last."""
    import kassay.properties as root

    inside = [
        module.name
        for package in pkgutil.iter_modules(root.__path__)
        if package.ispkg and package.name not in _ELSEWHERE
        for module in pkgutil.iter_modules([f"{root.__path__[0]}/{package.name}"], f"{package.name}.")
    ]
    for name in sorted(inside, key=lambda name: (name.endswith(".answers"), name)):
        importlib.import_module(f"{root.__name__}.{name}")


def load_claims() -> dict[tuple[Kind, str], ClaimKind]:
    """Every claim by kind and id."""
    load()
    return CLAIMS


@dataclass(frozen=True)
class Claim:
    """A claim with its argument, if it takes one.

    `id` is the spelling used in reports: the claim's, with the argument where one was given.
    """

    kind: ClaimKind
    argument: str | None = None
    id: str = field(init=False)

    @property
    def value(self) -> str | None:
        """The predicate's second argument: the claim's argument, else the parameter's default."""
        parameter = self.kind.parameter
        return self.argument if self.argument is not None or parameter is None else parameter.default

    def __post_init__(self) -> None:
        given = "" if self.argument is None else f":{self.argument}"
        object.__setattr__(self, "id", self.kind.id + given)


_COMPARES: Final = frozenset("<>=!\u2264\u2265\u2260")
"""Characters that every sentence has and no claim's id or argument."""


def is_sentence(spelled: str) -> bool:
    """Whether the text is a sentence of the claim language rather than a claim's id."""
    return not _COMPARES.isdisjoint(spelled)


def split_claims(text: str) -> tuple[str, ...]:
    """The claims in a comma-separated list; commas inside an argument or in brackets do not separate.

    >>> split_claims("complete,scales:2,5,100x1000,stable,max(1, moved) <= 3")
    ('complete', 'scales:2,5,100x1000', 'stable', 'max(1, moved) <= 3')
    """
    known = {claim_id for _, claim_id in load_claims()}
    split: list[str] = []
    parts: list[str] = []
    for part in text.split(","):
        open_brackets = parts and parts[-1].count("(") > parts[-1].count(")")
        if open_brackets:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    for part in map(str.strip, parts):
        inside = split and ":" in split[-1] and not (is_sentence(split[-1]) or is_sentence(part))
        inside = inside and part.partition(":")[0] not in known
        if inside:
            split[-1] += f",{part}"
        elif part:
            split.append(part)
    return tuple(split)


def validity_claims(kind: Kind, protocol: RebalanceProtocol | None = None) -> list[Claim]:
    """The claims that are checked on every target of the kind that speaks the protocol, as registered."""
    return [
        Claim(c, c.validity_argument)
        for (of, _), c in load_claims().items()
        if of is kind and (c.validity or (c.validity_of is not None and c.validity_of is protocol))
    ]


def applies(held: ClaimKind, *things: Any) -> bool:
    """Whether the claim applies to these arguments of its predicate."""
    return held.applies is None or held.applies(*things)


_S = TypeVar("_S", bound=Callable[[Any], bool | str | None])


SENDS_NO_GENERATIONS: Final = "sends-no-generations"
"""The trait of a target whose members never report the generation of their owned partitions."""


@dataclass(frozen=True)
class Situation:
    """An input that a run should reach; `parts` are the variants that must all be reached, if it has any.

    `seen` says whether something that was played is in the situation, or in which part of it. It is called
    only where `within` holds, if that is given: several situations share a condition, which is evaluated
    once. A situation that an assumption or a trait of the target (`SENDS_NO_GENERATIONS`) in `excluded_by`
    rules out is not required, except by the claims that it `defines`: without it these have no content.
    """

    id: str
    kinds: tuple[Kind, ...]
    sentence: str
    seen: Callable[[Any], bool | str | None]
    required_by: tuple[str, ...]
    parts: tuple[str, ...] = ()
    excluded_by: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    within: Callable[[Any], bool] | None = None

    def reached(self, scene: Any) -> bool | str | None:
        """Whether something that was played is in the situation, or in which part of it."""
        return self.seen(scene) if self.within is None or self.within(scene) else None

    def is_required(self, claim_id: str, assume: frozenset[str]) -> bool:
        """Whether the claim needs it under these assumptions and traits."""
        if claim_id in self.defines:
            return True
        return claim_id in self.required_by and assume.isdisjoint(self.excluded_by)

    @property
    def names(self) -> list[str]:
        """The names under which it is counted: the id, or one for each part."""
        return [f"{self.id}:{part}" for part in self.parts] or [self.id]


SITUATIONS: Final[dict[tuple[Kind, str], Situation]] = {}


def situation(
    situation_id: str,
    *,
    kinds: Kind | tuple[Kind, ...],
    required_by: tuple[str, ...],
    parts: tuple[str, ...] = (),
    excluded_by: tuple[str, ...] = (),
    defines: tuple[str, ...] = (),
    sentence: str | None = None,
    within: Callable[[Any], bool] | None = None,
) -> Callable[[_S], _S]:
    """Register a predicate; the first line of its docstring is the sentence unless one is given."""
    own = (kinds,) if isinstance(kinds, Kind) else kinds

    def register(seen: _S) -> _S:
        says = sentence or (seen.__doc__ or "").strip().splitlines()[0]
        for kind in own:
            SITUATIONS[kind, situation_id] = Situation(
                situation_id, own, says, seen, required_by, parts, excluded_by, defines, within
            )
        return seen

    return register


def load_situations() -> dict[tuple[Kind, str], Situation]:
    """Every situation by kind and id."""
    load()
    return SITUATIONS


def situations_of(kind: Kind) -> tuple[Situation, ...]:
    """The situations of a kind."""
    return tuple(each for (of, _), each in load_situations().items() if of is kind)


def situations_within(kind: Kind) -> tuple[tuple[Callable[[Any], bool], tuple[Situation, ...]], ...]:
    """The situations of a kind, grouped by the condition that several of them share."""
    common: dict[Callable[[Any], bool], list[Situation]] = {}
    for each in situations_of(kind):
        common.setdefault(each.within or always, []).append(each)
    return tuple((within, tuple(situations)) for within, situations in common.items())
