"""The answers of a target in one play of a case, as JSON, and the same play rebuilt from them.

A target whose answers differ from play to play may break a claim in one play and keep it in the next. Its
recorded answers give the claims the same calls to check again, without the target.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.kinds.judging import Examination, Played, Subject
from kassay.model.calls import Failure, Look, Probe, Refusal
from kassay.model.errors import FailureKind, InputError, TargetFailure
from kassay.model.shape import codec
from kassay.model.shape.codec import TEXT, Field, Shape, listed, record

if TYPE_CHECKING:
    from kassay.kinds.protocol import Driver

Recorded = tuple[Mapping[str, Any], ...]
"""The answers of one play, step by step, as JSON; empty for a kind that declares no form of answers."""

_FAILURE: Final = record(
    Failure, kind=codec.enum(FailureKind), message=TEXT, raised=Field(listed(TEXT), (), sparse=True)
)
_REFUSED: Final = record(Refusal, java_class=TEXT, message=TEXT)
_ANSWERS: Final = ("answer", "failure", "refused")


class _Again(NamedTuple):
    """The answer of a repeat call, as its form reads it."""

    look: Look
    answer: Any


class _Step(NamedTuple):
    """One recorded step; `more` is what the kind records in addition."""

    answer: Any
    again: tuple[_Again, ...] = ()
    mutated: str | None = None
    more: Mapping[str, Any] | None = None


def answered(form: Shape[Any]) -> Shape[Any]:
    """An answer of the form, a failure or a refusal, as an object with one of three fields."""
    forms = {"answer": form, "failure": _FAILURE, "refused": _REFUSED}

    def read(value: object, path: str) -> Any:
        document = codec.mapping(value, path, _ANSWERS)
        if len(document) != 1:
            raise codec.wrong(path, f"one of {', '.join(_ANSWERS)}", list(document))
        ((name, part),) = document.items()
        return forms[name].read(part, codec.inside(path, name))

    def write(answer: Any) -> dict[str, Any]:
        if isinstance(answer, Failure):
            return {"failure": _FAILURE.write(answer)}
        if isinstance(answer, Refusal):
            return {"refused": _REFUSED.write(answer)}
        return {"answer": form.write(answer)}

    return Shape(read, write)


def steps_of(played: Any) -> list[Any]:
    """Every step of what was played, each once, in the order of its calls."""
    first = played.steps[0] if played.steps else None
    steps: dict[int, Any] = {}
    for value in _values(played):
        for each in value if isinstance(value, tuple) else (value,):
            if type(each) is type(first):
                steps.setdefault(id(each), each)
    return list(steps.values())


def _values(played: Any) -> Iterator[Any]:
    yield played.steps
    yield from (getattr(played, field.name) for field in fields(played) if field.name != "steps")


def recorded(driver: Driver[Any], plays: Iterable[Played]) -> Recorded:
    """The answers in the plays of one case."""
    if driver.answers is None:
        return ()
    form = answered(driver.answers)
    return tuple(_written(driver, form, step) for played in plays for step in steps_of(played))


def _written(driver: Driver[Any], form: Shape[Any], step: Any) -> Mapping[str, Any]:
    document = dict(form.write(step.answer))
    if step.probes:
        document["again"] = [{"look": each.look.value, **form.write(each.answer)} for each in step.probes]
    if step.mutated is not None:
        document["changed"] = step.mutated
    more = driver.recorded_more(step)
    return {**document, "more": more} if more else document


def _read(form: Shape[Any], value: object, path: str) -> _Step:
    document = dict(codec.mapping(value, path))
    again = listed(Shape(lambda each, at: _again(form, each, at))).read(
        document.pop("again", []), codec.inside(path, "again")
    )
    mutated = codec.optional(TEXT).read(document.pop("changed", None), codec.inside(path, "changed"))
    more = codec.optional(codec.OBJECT).read(document.pop("more", None), codec.inside(path, "more"))
    return _Step(form.read(document, path), again, mutated, more)


def _again(form: Shape[Any], value: object, path: str) -> _Again:
    document = dict(codec.mapping(value, path))
    look = codec.enum(Look).read(document.pop("look", None), codec.inside(path, "look"))
    return _Again(look, form.read(document, path))


class _Script:
    """Answers in their order, in place of the target; `is_over` once a call found none."""

    def __init__(self, answers: Sequence[Any]) -> None:
        self._left = list(reversed(answers))
        self.is_over = False

    def next(self, *_: object) -> Any:
        """The next answer; raises the failure if it is one."""
        if not self._left:
            self.is_over = True
            raise TargetFailure(FailureKind.RAISED, "no answer is left")
        answer = self._left.pop()
        if isinstance(answer, Failure):
            raise TargetFailure(answer.kind, answer.message, raised=answer.raised)
        return answer

    @property
    def is_used_up(self) -> bool:
        """Whether there were as many calls as answers."""
        return not self._left and not self.is_over


def rebuilt(
    driver: Driver[Any], case: Any, subject: Subject, answers: Recorded, path: str = "answers"
) -> list[Any]:
    """The plays of the case with the recorded answers, repeat calls included, without the target.

    The subject has to have the claims with which the answers were recorded. Raises `InputError` for answers
    that do not fit the case.
    """
    if driver.answers is None:
        raise InputError(f"{path}: targets of kind {driver.kind} record no answers")
    form = answered(driver.answers)
    read = [_read(form, value, f"{path}[{i}]") for i, value in enumerate(answers)]
    script = _Script([call for step in read for call in driver.calls_of(step.answer)])
    without = replace(
        subject,
        new=lambda _: driver.answering(script.next),
        twin=None,
        watch=None,
        repeats=False,
    )
    plays = list(driver.play(case, without))
    steps = [step for played in plays for step in steps_of(played)]
    if not script.is_used_up or len(steps) != len(read):
        raise InputError(f"{path}: {len(read)} answers do not fit the case, which has {len(steps)} steps")
    whole = {id(step): _completed(driver, step, kept) for step, kept in zip(steps, read, strict=True)}
    return [_with_steps(played, whole) for played in plays]


def _completed(driver: Driver[Any], step: Any, kept: _Step) -> Any:
    """The step with what a play without the target lacks."""
    probes = tuple(Probe(each.look, driver.restored(step, each.answer)) for each in kept.again)
    complete = replace(step, probes=probes, mutated=kept.mutated)
    return driver.with_more(complete, kept.more) if kept.more else complete


def _with_steps(played: Any, whole: Mapping[int, Any]) -> Any:
    """What was played, with each step replaced wherever it occurs."""

    def exchanged(value: Any) -> Any:
        if isinstance(value, tuple) and not hasattr(value, "_fields"):
            return tuple(whole.get(id(each), each) for each in value)
        return whole.get(id(value), value)

    if not is_dataclass(played) or isinstance(played, type):
        raise TypeError(f"expected a dataclass, got {type(played).__name__}")
    changed = {f.name: exchanged(getattr(played, f.name)) for f in fields(played) if f.init}
    return replace(played, **changed)


def examined(
    driver: Driver[Any], case: Any, subject: Subject, answers: Recorded, path: str = "answers"
) -> Examination:
    """What the subject's claims say of the recorded answers; raises as `rebuilt` does."""
    return driver.judged(case, rebuilt(driver, case, subject, answers, path), subject)
