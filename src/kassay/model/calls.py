"""The result of one call of a target: an answer, a refusal or a failure, plus repeat calls."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Final, Generic, NamedTuple, TypeVar

from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.lazy import lazy
from kassay.model.shape import codec
from kassay.model.shape.codec import TEXT, Field

A = TypeVar("A")
"""The answer of a target."""
R = TypeVar("R")
"""The request to a target."""
T = TypeVar("T")
S = TypeVar("S", bound="Call[Any, Any]")


class Failure(NamedTuple):
    """The target gave no usable answer; `message` is one line.

    `raised` holds the names of the raised class and its base classes, nearest first.
    """

    kind: FailureKind
    message: str
    raised: tuple[str, ...] = ()


class Refusal(NamedTuple):
    """The target refused, as Kafka would with an error of the class `java_class`."""

    java_class: str
    message: str


class Look(StrEnum):
    """The kinds of repeat calls.

    AGAIN: the same object and the same input, after a call of another object. OTHER: another object with the
    same configuration. PERMUTED: another object, and the input in another order. PROCESS: the same case in
    another process with another hash seed.
    """

    AGAIN = "again"
    OTHER = "other"
    PERMUTED = "permuted"
    PROCESS = "process"


class Probe(NamedTuple, Generic[A]):
    """The answer of a repeat call."""

    look: Look
    answer: A | Failure


@dataclass(frozen=True)
class Call(Generic[R, A]):
    """One call: the request, the answer, and the answers of repeat calls.

    `mutated` lists what the target changed in its input.
    """

    request: R
    answer: A | Failure
    probes: tuple[Probe[A], ...] = ()
    mutated: str | None = None

    @property
    def given(self) -> A:
        """The answer; raises `LookupError` if there is none."""
        if isinstance(self.answer, Failure):
            raise LookupError(self.answer.message)
        return self.answer

    @property
    def contradictory(self) -> bool:
        """Whether the request contradicts itself; only owned partitions of group members can."""
        return False

    @lazy
    def departing(self) -> tuple[Probe[A], ...]:
        """The repeat calls whose answer differs from the first or is missing."""
        answer = self.answer
        return tuple(
            [look for look in self.probes if isinstance(look.answer, Failure) or look.answer != answer]
        )


def attempt(ask: Callable[[], A]) -> A | Failure:
    """The answer, or a failure if the call raises an exception."""
    try:
        return ask()
    except Exception as error:  # the target's own code
        return failure_of(error)


def call(
    step: type[S],
    ask: Callable[[T, R], A],
    new: Callable[[], T],
    request: R,
    looks: Collection[Look] = (),
    *,
    permuted: Callable[[R], R] | None = None,
    twin: Callable[[], T] | None = None,
) -> S:
    """A step with a new object: the answer, and the requested repeat calls.

    A target whose object cannot be made has no answer. An object with `another` makes the other objects
    itself: it may have lived longer than they.
    `permuted` returns the request in another order; `twin` makes an object in another process, which is
    called too if the first call had an answer.
    """
    target = attempt(new)
    if isinstance(target, Failure):
        return step(request, target)

    def elsewhere(make: Callable[[], T], received: R) -> A | Failure:
        return attempt(lambda: ask(make(), received))

    answer = attempt(partial(ask, target, request))
    mutated = getattr(target, "mutated", None)
    own = getattr(target, "another", None)
    other = new if own is None else partial(own, {})
    probes: list[Probe[A]] = []
    if Look.OTHER in looks:
        probes.append(Probe(Look.OTHER, elsewhere(other, request)))
    if Look.PERMUTED in looks and permuted is not None:
        probes.append(Probe(Look.PERMUTED, elsewhere(other, permuted(request))))
    if Look.AGAIN in looks:
        probes.append(Probe(Look.AGAIN, attempt(partial(ask, target, request))))
    if twin is not None and not isinstance(answer, Failure):
        probes.append(Probe(Look.PROCESS, elsewhere(twin, request)))
    return step(request, answer, tuple(probes), mutated)


def failure_of(error: Exception) -> Failure:
    """The failure for an exception of the target."""
    if isinstance(error, TargetFailure):
        return Failure(error.kind, error.message, error.raised)
    names = tuple(cls.__name__ for cls in type(error).__mro__)
    text = " ".join(str(error).split())
    return Failure(FailureKind.RAISED, f"raised {names[0]}: {text}" if text else f"raised {names[0]}", names)


class ReportedFailure(NamedTuple):
    """A failure as a trace keeps it: the name of its kind, and one line."""

    kind: str
    message: str


NO_ANSWER: Final = {
    "failure": Field(codec.record(ReportedFailure, kind=TEXT, message=TEXT), None, sparse=True),
    "refused": Field(codec.record(Refusal, java_class=TEXT, message=TEXT), None, sparse=True),
}
"""The fields that `answer_to_json` writes."""


def answer_to_json(answer: Failure | Refusal) -> dict[str, Any]:
    """The document of a missing answer."""
    if isinstance(answer, Failure):
        return {"failure": {"kind": answer.kind.value, "message": answer.message}}
    return {"refused": answer._asdict()}
