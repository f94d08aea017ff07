"""Hypothesis strategies: the inputs that kassay generates, for tests of your own.

    from hypothesis import given
    from kassay.strategies import groups

    @given(groups())
    def test_every_member_gets_an_answer(group):
        answer = MyAssignor().assign(**group)
        assert answer.keys() == {member["id"] for member in group["members"]}

They are the generators of `kassay certify` with Hypothesis as the source of choices: they reach the same
situations, and shrink to small inputs. Values are dicts and lists. `AssignorMachine` is a state machine for
an assignor (`docs/state-machines.md`).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from hypothesis import reject
from hypothesis import strategies as st

from kassay.assignors.plain import EXTRAS, PlainAssignor, plain_input, plain_request
from kassay.kinds.protocol import Driver, RunWishes
from kassay.kinds.registry import driver_for
from kassay.model.groups.player import Player
from kassay.model.groups.step import Step
from kassay.model.kinds import Kind, every_kind
from kassay.properties.assumptions import parse_assumptions
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.machines.groups import GroupMachine
from kassay.properties.sources import Drawn
from kassay.reading.documents import wrong

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from kassay.assignors.registry import Reference
    from kassay.model.streams.tasks import TaskRequest

Document = dict[str, Any]


def groups(
    rule: str = "sticky", *, extras: Sequence[str] = (), assume: Sequence[str] = ()
) -> SearchStrategy[Document]:
    """Consumer groups before a rebalance, as the keywords of `assign(partitions_per_topic, members)`.

    A group has a history: its members own what the reference `rule` assigned to them, also while some were
    away, so that owned partitions can be stale, conflicting or gone. `rule` is a target spec of
    `kassay list assignors`. `extras` adds `replica_racks`, `partition_weights` or `assignable`; `assume`
    narrows the groups, as `--assume` does. Raises `InputError` for an unknown name.
    """
    unknown = [name for name in extras if name not in EXTRAS]
    if unknown:
        raise wrong("extras", unknown[0], ", ".join(EXTRAS))
    return _rebalances(rule, assume).map(lambda step: _plain_group(step, extras))


def histories(
    kind: str = "assignor", *, profile: str = "small", assume: Sequence[str] = (), aim: str = ""
) -> SearchStrategy[Document]:
    """Histories of a kind of target, as the `case` of `kassay.testing.violations` and `differences`.

    `kind` is one of `kassay list kinds`; where targets are called once, such as placers, a case is a request.
    `profile` is small, large or mixed. `aim` is a situation (`kassay list situations`) that every history
    reaches. Raises `InputError` for an unknown name.
    """
    wanted = _Wanted(kind, assume, profile)
    aims = wanted.driver.aims
    if aim and aim not in aims:
        raise wrong("aim", aim, ", ".join(sorted(aims)))
    return wanted.cases(aims.get(aim, "")).map(wanted.driver.form.write)


def placements(*, assume: Sequence[str] = ()) -> SearchStrategy[Document]:
    """Requests to a placer, as the keywords of `place(num_partitions, replication_factor, brokers)`.

    In some, `existing` has the replicas of existing partitions, as a keyword. In some there are too few
    brokers, or only some have a rack: the right answer is a `ValueError`.
    """
    return _Wanted("placer", assume).cases().map(lambda case: plain_request(case.request))


def instances(family: str = "A") -> SearchStrategy[Document]:
    """Instances for `kassay.optimum`, of family A (consumers), B (placement), C (tasks) or D (share groups).

    What was assigned before is part of them, as in a rebalance. Raises `InputError` for another family.
    """
    if family == "A":
        from kassay.solver.groups.problem import Problem

        return _rebalances("sticky").map(lambda step: Problem.of(step.cluster, step.group).document())
    if family == "B":
        from kassay.solver.placement.problem import PlacementProblem

        return _Wanted("planner").cases().map(lambda request: PlacementProblem.of_plan(request).document())
    if family == "C":
        from kassay.solver.streams.problem import problem_of

        return _requests_of_tasks("streams-sticky").map(lambda request: problem_of(request).document())
    if family == "D":
        from kassay.solver.groups.shares import ShareProblem

        return _rebalances("share-simple").map(
            lambda step: ShareProblem.of(step.cluster, step.group).document()
        )
    raise wrong("family", family, "A, B, C or D")


class AssignorMachine(GroupMachine):
    """Subclass it with your `assignor`, a class as `kassay certify` takes it, and its `claims`.

    `protocol` is `RebalanceProtocol.EAGER` unless you say so. `TestCase` of the subclass runs under pytest
    and unittest; rules of your own call `self.happens(...)`.
    """

    assignor: ClassVar[type]

    @classmethod
    def new(cls, config: Mapping[str, str]) -> PlainAssignor:
        """A new object of the class, configured."""
        own = PlainAssignor(
            cls.assignor(),
            name=cls.assignor.__name__,
            protocol=cls.protocol,
            extras=_keywords(cls.assignor),
        )
        own.configure(config)
        return own


@cache
def _keywords(assignor: Any) -> frozenset[str]:
    """The extras that the class has a parameter for."""
    return frozenset(EXTRAS).intersection(inspect.signature(assignor.assign).parameters)


class _Wanted:
    """A kind of target with the profile of its cases."""

    def __init__(self, kind: str, assume: Sequence[str] = (), profile: str = "small") -> None:
        if profile not in ("small", "large", "mixed"):
            raise wrong("profile", profile, "small, large or mixed")
        self.kind = _kind(kind)
        self.driver: Driver[Any] = driver_for(self.kind)
        assumed = parse_assumptions(list(assume))
        self.profile = self.driver.profile(RunWishes(profile, "", assumed, frozenset()))
        if isinstance(self.profile, GroupProfile):
            # Hypothesis prefers few choices: five members without one would stay in every minimal example.
            self.profile = replace(self.profile, gradual=0)

    def cases(self, aim: str = "") -> SearchStrategy[Any]:
        """The cases that the driver generates; `aim` is a recipe of the driver."""

        @st.composite
        def case(draw: DrawFn) -> Any:
            return self.driver.generate(Drawn(draw), self.profile, aim)

        return case()


def _kind(name: str) -> Kind:
    for kind in every_kind():
        if kind.certified and name in (kind.meta, kind.name):
            return kind
    raise wrong("kind", name, ", ".join(sorted(kind.meta or kind.name for kind in every_kind())))


def _rule(spec: str, family: str) -> Reference:
    from kassay.assignors.registry import find

    rule = find(spec)
    if rule is None or rule.kind.family != family:
        raise wrong("rule", spec, f"a reference of the family {family} (kassay list assignors)")
    return rule


def _rebalances(spec: str, assume: Sequence[str] = ()) -> SearchStrategy[Step]:
    """The last rebalance of a history in which members follow the rule, before its answer is in effect."""
    rule = _rule(spec, "groups")
    player = Player(lambda _: rule.factory(), rule.protocol)

    def last_step(history: Any) -> Step:
        rebalances = list(player.play(history))
        return rebalances[-1].steps[0] if rebalances else reject()

    return _Wanted(rule.kind.name, assume).cases().map(last_step)


def _plain_group(step: Step, extras: Sequence[str]) -> Document:
    counts, members, *more = plain_input(step.cluster, step.group, extras)
    named = {name: value for name, value in zip(EXTRAS, more) if name in extras}
    return {"partitions_per_topic": counts, "members": members, **named}


def _requests_of_tasks(spec: str) -> SearchStrategy[TaskRequest]:
    """The last request of a Streams application that follows the rule."""
    from kassay.model.streams.history import asking, run_tasks

    ask = asking(_rule(spec, "streams").factory)
    return _Wanted("streams").cases().map(lambda history: run_tasks(history, ask).steps[-1].request)
