"""Claims on the answers of every kind: that the target answers, and that it repeats its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from kassay.model.calls import Failure, Look, Probe, Refusal
from kassay.model.errors import FailureKind
from kassay.model.kinds import Kind
from kassay.properties.registry import Evidence, always, claim

OF_UNANSWERED: Final = frozenset({"total", "terminates"})
"""The claims that also check calls without an answer."""

_NO_ANSWER: Final = (Failure, Refusal)
_SPENT: Final = (FailureKind.TIMEOUT, FailureKind.MEMORY)
_HERE: Final = (Look.AGAIN, Look.OTHER)
_ANYWHERE: Final = (*_HERE, Look.PROCESS)
_TURNED: Final = (Look.PERMUTED,)


class CheckedCall(Protocol):
    """A call with its second looks, of any kind."""

    @property
    def answer(self) -> Any:
        """The answer, or why there is none."""

    @property
    def probes(self) -> tuple[Probe[Any], ...]:
        """The second looks."""

    @property
    def departing(self) -> tuple[Probe[Any], ...]:
        """The second looks without an answer, or with one that may differ in a way that matters."""

    @property
    def mutated(self) -> str | None:
        """The part of its input that the target changed."""


S = TypeVar("S", bound=CheckedCall)


class Unanswered(NamedTuple):
    """A call (or a record) without an answer, under its name in the evidence."""

    subject: str
    answer: Failure | Refusal


class Difference(NamedTuple):
    """Where a second answer differs from the first one in a way that matters."""

    subject: str
    first: object
    then: object


def unanswered_calls(call: str) -> Callable[[CheckedCall], Iterator[Unanswered]]:
    """A function that finds a step's calls without an answer, for targets called by `call`."""

    def calls(step: CheckedCall) -> Iterator[Unanswered]:
        if isinstance(step.answer, _NO_ANSWER):
            yield Unanswered(call, step.answer)
        elif not step.departing:
            return
        for probe in step.probes:
            if isinstance(probe.answer, _NO_ANSWER):
                yield Unanswered(f"{call}, second call {probe.look.value}", probe.answer)

    return calls


def answer_claims(
    kinds: Kind | tuple[Kind, ...],
    source: str,
    unanswered: Callable[[S], Iterable[Unanswered]],
    may_decline: Callable[[S, Unanswered], bool] = lambda *_: False,
) -> None:
    """Register `total` and `terminates`; `may_decline` says where an error or a refusal is an answer."""

    def total(step: S) -> Iterator[Evidence]:
        """A well-formed input never raises; only what Kafka documents as refused may be declined."""
        for call in unanswered(step):
            failure = call.answer
            spent = isinstance(failure, Failure) and failure.kind in _SPENT
            if not spent and not may_decline(step, call):
                what = "no answer" if isinstance(failure, Failure) else "refused"
                yield Evidence(call.subject, {what: failure.message})

    def terminates(step: S) -> Iterator[Evidence]:
        """It answers within the limits of time and memory."""
        for subject, failure in unanswered(step):
            if isinstance(failure, Failure) and failure.kind in _SPENT:
                yield Evidence(subject, {"no answer": failure.message})

    for predicate, fix in (
        (
            total,
            "answer every input of its form: topics that are not there, no members, empty lists included",
        ),
        (terminates, "bound its loops and what it keeps, so that it ends on every input"),
    ):
        claim(predicate.__name__, kinds=kinds, validity=True, breakable=always, source=source, fix=fix)(
            predicate
        )


def repeated_claims(
    kinds: Kind | tuple[Kind, ...],
    differences: Callable[[S, Any], Iterable[Difference]],
    is_open: Callable[[S], bool],
    *,
    pure: str | None = None,
    order: str | None = None,
) -> None:
    """Register `deterministic`, and `pure` and `order-independent` where their sources are given.

    `is_open` says whether two valid answers exist that differ in a way that matters: only there, and with a
    second look, can a second answer break the first and the last of these claims. Any call may change its
    input.
    """

    def looked(step: S, looks: tuple[Look, ...]) -> bool:
        for probe in step.probes:  # noqa: SIM110  # runs on every step: `any` makes a generator for it
            if probe.look in looks:
                return True
        return False

    def differing(step: S, looks: tuple[Look, ...]) -> Iterator[Evidence]:
        for look, answer in step.departing:
            if look in looks:
                if isinstance(answer, Failure):
                    yield Evidence(f"second call {look.value}", {"no answer": answer.message})
                else:
                    for subject, first, then in differences(step, answer):
                        yield Evidence(subject, {"second call": look.value, "first": first, "then": then})

    def is_pure(step: S) -> Iterator[Evidence]:
        """The input is unchanged, and the same input gets the same answer from this and any other object."""
        if step.mutated:
            yield Evidence("the input", {"changed": step.mutated})
        yield from differing(step, _HERE)

    def deterministic(step: S) -> Iterator[Evidence]:
        """The answer depends on the input alone: not on process, hash seed, time or earlier calls."""
        yield from differing(step, _ANYWHERE)

    def order_independent(step: S) -> Iterator[Evidence]:
        """The order in which members, topics, processes, brokers and claims are listed changes nothing."""
        yield from differing(step, _TURNED)

    hash_order = "KAFKA-12898: answers that follow a hash order"
    claim(
        "deterministic",
        kinds=kinds,
        looks=_ANYWHERE,
        breakable=lambda step: looked(step, _ANYWHERE) and is_open(step),
        source=hash_order,
        fix="sort before it decides: walk no set, hash, clock, random number or state of earlier calls",
    )(deterministic)
    if pure is not None:
        claim(
            "pure",
            kinds=kinds,
            validity=True,
            looks=_HERE,
            breakable=always,
            source=pure,
            fix="answer by its input alone, change none of it, and keep nothing between calls",
        )(is_pure)
    if order is not None:
        claim(
            "order-independent",
            kinds=kinds,
            looks=_TURNED,
            breakable=lambda step: looked(step, _TURNED) and is_open(step),
            source=order,
            fix="sort members, topics and owned partitions by their names before it deals anything out",
        )(order_independent)
