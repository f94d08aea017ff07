"""Kinds whose case is one request to a new object: what they need beyond their shape and claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from kassay.kinds.judging import Calls, Subject, plain
from kassay.kinds.protocol import Driver
from kassay.model.calls import NO_ANSWER, Call, Failure, answer_to_json, call
from kassay.model.shape import codec
from kassay.model.shape.codec import Field
from kassay.properties.sources import Source, random_document

R = TypeVar("R")


class RequestDriver(Driver[R], Generic[R]):
    """Calls `asks` of a new object with the request; the answer is a mapping.

    `step` is the class of the calls, `permuted` lists the request in another order, for kinds where that must
    not matter. Requests are generated from the shape.
    """

    step: ClassVar[type[Call[Any, Any]]] = Call
    permuted: ClassVar[Callable[[Any], Any] | None] = None
    pasts = False
    narration = codec.document(request=codec.OBJECT, answer=Field(codec.OBJECT, None), **NO_ANSWER)
    answers = replace(codec.OBJECT, write=plain)

    def generate(self, source: Source, profile: Any, aim: str = "") -> R:
        """A request built from the source's choices; generated again where the shape's checks refuse it."""
        while True:
            case = self.read(random_document(self.form, source))
            if case is not None:
                return case

    def play(self, case: R, subject: Subject) -> Iterator[Calls[Any]]:
        """The one call; an answer is an outcome too."""
        ask = partial(_ask, self.asks)
        step: Any = call(
            self.step,
            ask,
            partial(subject.new, {}),
            case,
            subject.looks,
            permuted=type(self).permuted,
            twin=subject.new_twin,
        )
        yield Calls((step,), () if isinstance(step.answer, Failure) else (step,))

    def document_of(self, step: Any) -> Mapping[str, Any]:
        """The request and its answer."""
        request = {"request": self.form.write(step.request)}
        if isinstance(step.answer, Failure):
            return {**request, **answer_to_json(step.answer)}
        return {**request, "answer": plain(step.answer)}

    def parts(self, answer: Any) -> Mapping[str, object]:
        """The answer itself."""
        return dict(answer)


def _ask(method: str, target: Any, request: Any) -> Any:
    return getattr(target, method)(request)
