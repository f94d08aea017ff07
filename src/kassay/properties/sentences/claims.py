"""A sentence as a claim: built on demand, counted and judged like the built-in ones.

The claim's id is the sentence itself, with its name if it has one, so that a trace, a certificate or a
campaign's records contain all that a replay needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.model.kinds import Kind
from kassay.properties.registry import Claim, ClaimKind, Evidence, Scope
from kassay.properties.sentences.grammar import SentenceError
from kassay.properties.sentences.meaning import NOTHING, Sentence, sentence
from kassay.properties.sentences.vocabulary import Undefined, Vocabulary
from kassay.writing.text import series

SOURCE: Final = "the user's own sentence"
NAME: Final = re.compile(r"\s*([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\s*=(?!=)\s*")
CACHED: Final = 256


@lru_cache(maxsize=CACHED)
def sentence_claim(spelled: str, kind: Kind) -> Claim:
    """The claim of `SENTENCE` or `NAME = SENTENCE`; raises `InputError` with the column."""
    named = NAME.match(spelled)
    read = sentence(spelled, vocabulary_of(kind), named.end() if named else 0)
    judged = _Judged(read, vocabulary_of(kind))
    body = " ".join(spelled[named.end() if named else 0 :].split())
    return Claim(
        ClaimKind(
            id=f"{named[1]} = {body}" if named else body,
            sentence=f"Always {body}.",
            scope=read.scope,
            predicate=judged.broken,
            breakable=judged.breakable,
            source=SOURCE,
            fix=judged.vocabulary.fix,
            applies=judged.applies,
            confirm=read.scope is Scope.REBALANCE,
        )
    )


def require_sentence(spelled: str) -> None:
    """Raise `InputError` for a sentence of no kind: the error of the kind that parses furthest."""
    from kassay.properties.sentences.words import VOCABULARIES

    complaints = []
    for kind in VOCABULARIES:
        try:
            sentence_claim(spelled, kind)
        except SentenceError as error:
            complaints.append(error)
        else:
            return
    raise max(complaints, key=lambda complaint: complaint.column)


def read_sentence(spelled: str, kind: Kind) -> Sentence:
    """The sentence, read for targets of a kind; raises `InputError`."""
    text, first = body_of(spelled)
    return sentence(text, vocabulary_of(kind), first)


def body_of(spelled: str) -> tuple[str, int]:
    """The text with the index where its sentence begins: after the name, if it has one."""
    named = NAME.match(spelled)
    return spelled, named.end() if named else 0


def vocabulary_of(kind: Kind) -> Vocabulary:
    """The words for targets of a kind; raises `InputError` where there are none."""
    from kassay.properties.sentences.words import VOCABULARIES

    if kind not in VOCABULARIES:
        able = ", ".join(map(str, VOCABULARIES))
        raise InputError(f"there are no sentences about targets of kind {kind}, expected one of {able}")
    return VOCABULARIES[kind]


class _Judged:
    """The predicates of a sentence's claim."""

    def __init__(self, read: Sentence, vocabulary: Vocabulary) -> None:
        self.read = read
        self.vocabulary = vocabulary
        self._scene: Callable[..., Any] = partial(_scene, vocabulary, read.scope)

    def applies(self, *things: Any) -> bool:
        """Whether the conditions hold, and everything that the sentence mentions exists."""
        try:
            scene = self._scene(things)
            if self.read.where is not None and not self.read.where(scene, NOTHING):
                return False
            self.read.says(scene, NOTHING)
        except Undefined:
            return False
        return True

    def breakable(self, *things: Any) -> bool:
        """Whether one of the other answers that are tried breaks the sentence."""
        scene = self._scene(things)
        return any(self._is_broken(other) for other in (scene, *self.vocabulary.others(scene)))

    def _is_broken(self, scene: Any) -> bool:
        read = self.read
        try:
            within = read.where is None or read.where(scene, NOTHING)
            return bool(within and not read.says(scene, NOTHING))
        except Undefined:
            return False

    def broken(self, *things: Any) -> Iterator[Evidence]:
        """The sentence is true wherever its conditions hold."""
        scene = self._scene(things)
        read = self.read
        if read.says(scene, NOTHING):
            return
        facts = dict(_facts(read, scene))
        if read.witness is None:
            yield _evidence(self.vocabulary.everything, facts)
            return
        variable, things_, says = read.witness
        for thing in things_.each(scene):
            if not says(scene, {variable: thing}):
                yield _evidence(f"{things_.meaning} {thing}", facts)
                return


def _evidence(subject: str, facts: dict[str, object]) -> Evidence:
    values = [f"{name} = {_shown(value)}" for name, value in facts.items()]
    measured = f", where {series(values, most=6)}" if values else ""
    return Evidence(subject, facts, f"The sentence is false for {subject}{measured}.")


def _shown(value: object) -> str:
    """The value of a measure, or its values by name."""
    if isinstance(value, Mapping):
        return f"({', '.join(f'{name}: {each}' for name, each in value.items())})"
    return f"({', '.join(map(str, value))})" if isinstance(value, tuple | list) else str(value)


def _scene(vocabulary: Vocabulary, scope: Scope, things: tuple[Any, ...]) -> Any:
    return vocabulary.scene(scope, things)


def _facts(read: Sentence, scene: Any) -> Iterator[tuple[str, object]]:
    """The values of the sentence's measures."""
    for name, value in read.read.items():
        try:
            yield name, value(scene, NOTHING)
        except Undefined:
            continue
