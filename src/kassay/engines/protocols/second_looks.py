"""A user's target in a model that keeps one answer to each request: every call is repeated first.

An answer that depends on more than the request would be explored as if it were the only one. Each call is
therefore repeated as `certify` repeats it: on a new object, on the same object, on one in another process
with another hash seed, and with members in another order if the target declares `order-independent`. With
each new request an earlier one is repeated as well, after other calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from kassay.engines.protocols.plugged import UsersTasks
from kassay.engines.targets.resolve import Target
from kassay.kinds.words import few
from kassay.model.cluster import Cluster
from kassay.model.errors import TargetFailure, TargetNotLoadable
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.player import permuted
from kassay.model.streams.group import MemberTasks, StreamsGroup
from kassay.model.streams.kinds import STREAMS

Q = TypeVar("Q", bound=tuple[Any, ...])
"""The request, as the arguments of `assign`."""
A = TypeVar("A")
"""The answer."""

NewObject = Callable[[], Any]


class RepeatedForm(NamedTuple, Generic[Q, A]):
    """How requests of a kind are turned, and answers compared: who gets what, as texts, in any order."""

    turned: Callable[[Q, int], Q]
    parts: Callable[[A], dict[str, list[str]]]


class SecondLooks(Generic[Q, A]):
    """Calls a target and repeats each call; raises `TargetNotLoadable` if it fails or the answers differ."""

    def __init__(
        self, target: Target, new: NewObject, twin: NewObject | None, form: RepeatedForm[Q, A]
    ) -> None:
        self.target = target
        self._new, self._twin, self._form = new, twin, form
        self._object = new()
        self._answers: list[tuple[Q, A]] = []

    def __call__(self, request: Q) -> A:
        """The answer to the request, which was the same each time."""
        answer = self._call(self._object, request)
        for words, repeat in self._repeats(request):
            self._require_equal(words, answer, repeat())
        if self._answers:
            # Every earlier request comes up again, after as many other ones as came before it.
            earlier, before = self._answers[len(self._answers) // 2]
            self._require_equal("called again later", before, self._call(self._object, earlier))
        self._answers.append((request, answer))
        return answer

    def _repeats(self, request: Q) -> Iterator[tuple[str, Callable[[], A]]]:
        """The repeat calls of this request, each with its words."""
        yield "a new object", lambda: self._call(self._new(), request)
        yield "the same object again", lambda: self._call(self._object, request)
        twin = self._twin
        if twin is not None:
            yield "another process", lambda: self._call(twin(), request)
        if "order-independent" in self.target.claims:
            for turn in range(2):
                turned = self._form.turned(request, turn)
                yield "members in another order", partial(self._in_new, turned)

    def _in_new(self, request: Q) -> A:
        return self._call(self._new(), request)

    def _call(self, instance: Any, request: Q) -> A:
        try:
            answer: A = instance.assign(*request)
        except TargetFailure as error:
            raise TargetNotLoadable(f"{self.target.name}: cannot be explored: {error}") from None
        return answer

    def _require_equal(self, words: str, first: A, then: A) -> None:
        before, after = self._form.parts(first), self._form.parts(then)
        if before != after:
            raise TargetNotLoadable(
                f"{self.target.name}: cannot be explored: answers one request in two ways: first "
                f"{_shown(before)}, then ({words}) {_shown(after)}"
            )


def _shown(parts: dict[str, list[str]]) -> str:
    return few([f"{who} {' '.join(what) or '-'}" for who, what in sorted(parts.items())]) or "nothing"


def _turned_group(request: tuple[Cluster, Group], turn: int) -> tuple[Cluster, Group]:
    return permuted(*request, turn)


def _turned_tasks(request: tuple[StreamsGroup], _: int) -> tuple[StreamsGroup]:
    (group,) = request
    return (replace(group, members=group.members[::-1], subtopologies=group.subtopologies[::-1]),)


def _partitions(answer: Assignment) -> dict[str, list[str]]:
    return {member_id: [str(tp) for tp in sorted(tps)] for member_id, tps in answer.items()}


def _tasks(answer: Mapping[str, MemberTasks]) -> dict[str, list[str]]:
    return {
        member_id: [*map(str, sorted(active)), *(f"standby {task}" for task in sorted(standby))]
        for member_id, (active, standby) in answer.items()
    }


class UsersAssignor:
    """A user's assignor with the interface of the models: a name and a protocol."""

    def __init__(self, target: Target, looks: SecondLooks[tuple[Cluster, Group], Assignment]) -> None:
        self.name = target.name
        self.protocols = (target.protocol,)
        self._looks = looks

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The answer; raises `TargetNotLoadable` if it fails or differs, which leaves nothing to explore."""
        return self._looks((cluster, group))


@contextmanager
def opened(target: Target) -> Iterator[UsersAssignor | UsersTasks]:
    """The target as an assignor of the models, open inside the block with a twin in another process."""
    with target.open(hash_seed=0) as host, target.open(hash_seed=1) as other:
        new, twin = partial(host.new, {}), partial(other.new, {})
        if target.kind == STREAMS:
            of_tasks = SecondLooks(target, new, twin, RepeatedForm(_turned_tasks, _tasks))
            yield UsersTasks(target.name, lambda group: of_tasks((group,)))
        else:
            yield UsersAssignor(
                target, SecondLooks(target, new, twin, RepeatedForm(_turned_group, _partitions))
            )
