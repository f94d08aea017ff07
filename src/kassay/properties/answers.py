"""Claims on the answers of every kind: that the target answers, and that it repeats its answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from kassay.model.calls import Failure, Look, Probe, Refusal
from kassay.model.errors import FailureKind
from kassay.model.kinds import Kind
from kassay.properties.registry import Evidence, always, claim
from kassay.writing.text import series

OF_UNANSWERED: Final = frozenset({"total", "terminates"})
"""The claims that also check calls without an answer."""

_CALLS: Final = {
    Look.AGAIN: ("in the first call", "in the second"),
    Look.OTHER: ("from one object", "from another"),
    Look.PERMUTED: ("in one input order", "in another"),
    Look.PROCESS: ("in one process", "in another"),
}
"""The two calls of each repeat, in words."""
_SECOND: Final = {
    Look.AGAIN: "In a second call with the same input, ",
    Look.OTHER: "On another object with the same input, ",
    Look.PERMUTED: "With the same input in another order, ",
    Look.PROCESS: "In another process, ",
}
"""The second call of each repeat, in words that begin a sentence."""

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
    """A call (or a record) without an answer, under its name in the evidence.

    `look` is that of a repeat call. `begins` are words that begin its sentence.
    """

    subject: str
    answer: Failure | Refusal
    look: Look | None = None
    begins: str = ""


class Difference(NamedTuple):
    """Where a second answer differs from the first one in a way that matters.

    `shown` are words: what begins the sentence (`m0 gets`), the first value, and the second.
    """

    subject: str
    first: object
    then: object
    shown: tuple[str, str, str]

    def between(self, first_call: str, second_call: str) -> str:
        """The sentence, with words for the two calls."""
        begins, first, then = self.shown
        return f"{begins} {first} {first_call} and {then} {second_call}."


def shown_lists(first: Collection[Any], then: Collection[Any]) -> tuple[str, str]:
    """Both lists in words, those first that the other one lacks."""
    return (
        series(sorted(first, key=lambda each: each in then)),
        series(sorted(then, key=lambda each: each in first)),
    )


def without_answer(method: str, answer: Failure | Refusal, begins: str = "") -> str:
    """The sentence on a call without an answer."""
    message = answer.message
    if isinstance(answer, Refusal):
        what = f"refused with {answer.java_class.rpartition('.')[2]}: {message}"
    elif message.startswith(f"{method} "):
        what = message.removeprefix(f"{method} ")
    elif message.startswith("raised"):
        what = message
    else:
        what = f"gave no answer: {message}"
    return f"{begins}{method}() {what}{'' if what.endswith('.') else '.'}"


def unanswered_calls(call: str) -> Callable[[CheckedCall], Iterator[Unanswered]]:
    """A function that finds a step's calls without an answer, for targets called by `call`."""

    def calls(step: CheckedCall) -> Iterator[Unanswered]:
        if isinstance(step.answer, _NO_ANSWER):
            yield Unanswered(call, step.answer)
        elif not step.departing:
            return
        for probe in step.probes:
            if isinstance(probe.answer, _NO_ANSWER):
                yield Unanswered(call, probe.answer, probe.look, _SECOND[probe.look])

    return calls


def answer_claims(
    kinds: Kind | tuple[Kind, ...],
    source: str,
    unanswered: Callable[[S], Iterable[Unanswered]],
    may_decline: Callable[[S, Unanswered], bool] = lambda *_: False,
) -> None:
    """Register `total` and `terminates`; `may_decline` says where an error or a refusal is an answer."""
    method = _method_of(kinds)

    def evidence(call: Unanswered, what: str) -> Evidence:
        second = {} if call.look is None else {"second call": call.look.value}
        words = without_answer(method, call.answer, call.begins)
        return Evidence(call.subject, {what: call.answer.message, **second}, words)

    def total(step: S) -> Iterator[Evidence]:
        """A call with well-formed input never fails, except where Kafka documents a refusal."""
        for call in unanswered(step):
            failure = call.answer
            spent = isinstance(failure, Failure) and failure.kind in _SPENT
            if not spent and not may_decline(step, call):
                yield evidence(call, "no answer" if isinstance(failure, Failure) else "refused")

    def terminates(step: S) -> Iterator[Evidence]:
        """Every call returns within the limits of time and memory."""
        for call in unanswered(step):
            if isinstance(call.answer, Failure) and call.answer.kind in _SPENT:
                yield evidence(call, "no answer")

    for predicate, fix in (
        (
            total,
            "answer every well-formed input, including missing topics, no members and empty lists",
        ),
        (terminates, "bound loops and memory, so that every call ends"),
    ):
        claim(predicate.__name__, kinds=kinds, validity=True, breakable=always, source=source, fix=fix)(
            predicate
        )


def changed_input(method: str, what: str) -> Evidence:
    """The evidence against a call that changed its input."""
    return Evidence("the input", {"changed": what}, f"{method}() changed the input: {what}.")


def _method_of(kinds: Kind | tuple[Kind, ...]) -> str:
    return (kinds if isinstance(kinds, Kind) else kinds[0]).method


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
    method = _method_of(kinds)

    def looked(step: S, looks: tuple[Look, ...]) -> bool:
        for probe in step.probes:  # noqa: SIM110  # runs on every step: `any` makes a generator for it
            if probe.look in looks:
                return True
        return False

    def differing(step: S, looks: tuple[Look, ...]) -> Iterator[Evidence]:
        for look, answer in step.departing:
            if look in looks:
                second = {"second call": look.value}
                if isinstance(answer, Failure):
                    words = without_answer(method, answer, _SECOND[look])
                    yield Evidence(method, {"no answer": answer.message, **second}, words)
                    continue
                for each in differences(step, answer):
                    facts = {**second, "first": each.first, "then": each.then}
                    yield Evidence(each.subject, facts, each.between(*_CALLS[look]))

    def is_pure(step: S) -> Iterator[Evidence]:
        """The input is unchanged, and the same input gets the same answer from this and any other object."""
        if step.mutated:
            yield changed_input(method, step.mutated)
        yield from differing(step, _HERE)

    def deterministic(step: S) -> Iterator[Evidence]:
        """The answer depends on the input alone: not on process, hash seed, time or earlier calls."""
        yield from differing(step, _ANYWHERE)

    def order_independent(step: S) -> Iterator[Evidence]:
        """The order of members, topics, owned partitions, processes and brokers changes nothing."""
        yield from differing(step, _TURNED)

    hash_order = "KAFKA-12898: answers that follow a hash order"
    claim(
        "deterministic",
        kinds=kinds,
        looks=_ANYWHERE,
        breakable=lambda step: looked(step, _ANYWHERE) and is_open(step),
        source=hash_order,
        fix="sort before deciding, and depend on no set order, hash, clock, random number or earlier call",
    )(deterministic)
    if pure is not None:
        claim(
            "pure",
            kinds=kinds,
            validity=True,
            looks=_HERE,
            breakable=always,
            source=pure,
            fix="compute the answer from the unchanged input alone, and keep nothing between calls",
        )(is_pure)
    if order is not None:
        claim(
            "order-independent",
            kinds=kinds,
            looks=_TURNED,
            breakable=lambda step: looked(step, _TURNED) and is_open(step),
            source=order,
            fix="sort members, topics and owned partitions by name before assigning anything",
        )(order_independent)
