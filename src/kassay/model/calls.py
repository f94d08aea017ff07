"""What one call of a target came to: an answer, a refusal or a failure, and how second looks answered."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Final, Generic, NamedTuple, TypeVar

from kassay.model.failure import FailureKind, TargetFailure
from kassay.model.lazy import lazy
from kassay.model.shape import codec
from kassay.model.shape.codec import TEXT, Field

A = TypeVar("A")
"""What a target answers."""
R = TypeVar("R")
"""What it is asked."""
T = TypeVar("T")
S = TypeVar("S", bound="Call[Any, Any]")


class Failure(NamedTuple):
    """The target gave no usable answer; `message` is one line.

    `raised` are the names of the class and base classes of what was raised, nearest first.
    """

    kind: FailureKind
    message: str
    raised: tuple[str, ...] = ()


class Refusal(NamedTuple):
    """The target declined, as Kafka would with an error of the class `java_class`."""

    java_class: str
    message: str


class Look(StrEnum):
    """Ways of asking a second time.

    AGAIN: the same object, the same input, another object having answered in between. OTHER: another
    object configured alike. PERMUTED: another object, what is asked being listed in another order.
    PROCESS: the same case in another process with another hash seed.
    """

    AGAIN = "again"
    OTHER = "other"
    PERMUTED = "permuted"
    PROCESS = "process"


class Probe(NamedTuple, Generic[A]):
    """A second answer to what was asked."""

    look: Look
    answer: A | Failure


@dataclass(frozen=True)
class Call(Generic[R, A]):
    """One call: what was asked, what was answered, and how second looks answered.

    `mutated` says what of its input the target changed.
    """

    request: R
    answer: A | Failure
    probes: tuple[Probe[A], ...] = ()
    mutated: str | None = None

    @property
    def given(self) -> A:
        """The answer; raises `LookupError` where there is none."""
        if isinstance(self.answer, Failure):
            raise LookupError(self.answer.message)
        return self.answer

    @property
    def contradictory(self) -> bool:
        """Whether what was asked contradicts itself: only claims of a group's members can."""
        return False

    @lazy
    def departing(self) -> tuple[Probe[A], ...]:
        """The second looks that had another answer than the first, or none."""
        answer = self.answer
        return tuple(
            [look for look in self.probes if isinstance(look.answer, Failure) or look.answer != answer]
        )


def asked(ask: Callable[[], A]) -> A | Failure:
    """The answer; a failure in place of whatever is raised."""
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
    """A step with a new object: the answer, and those second looks that are asked for.

    `permuted` gives the request in another order; `twin` makes an object in another process, which is
    asked too where the first one had an answer.
    """
    target = new()
    answer = asked(partial(ask, target, request))
    mutated = getattr(target, "mutated", None)
    probes: list[Probe[A]] = []
    if Look.OTHER in looks:
        probes.append(Probe(Look.OTHER, asked(partial(ask, new(), request))))
    if Look.PERMUTED in looks and permuted is not None:
        probes.append(Probe(Look.PERMUTED, asked(partial(ask, new(), permuted(request)))))
    if Look.AGAIN in looks:
        probes.append(Probe(Look.AGAIN, asked(partial(ask, target, request))))
    if twin is not None and not isinstance(answer, Failure):
        probes.append(Probe(Look.PROCESS, asked(partial(ask, twin(), request))))
    return step(request, answer, tuple(probes), mutated)


def failure_of(error: Exception) -> Failure:
    """The failure that an exception of the target stands for."""
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
    """How there is no answer, as a document."""
    if isinstance(answer, Failure):
        return {"failure": {"kind": answer.kind.value, "message": answer.message}}
    return {"refused": answer._asdict()}
