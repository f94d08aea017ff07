"""Answers that may keep a promise where a target's breaks it, the best known first."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

from kassay.assignors import registry
from kassay.kinds.broken import BrokenStep
from kassay.kinds.protocol import Driver
from kassay.model.calls import Failure
from kassay.model.cluster import TopicPartition
from kassay.model.connect.kinds import CONNECT
from kassay.model.errors import KassayError
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import CONSUMER_GROUPS, SHARE
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.model.partitioners.sends import ProducerSendsStep, send_all
from kassay.model.placement.kinds import PLANNER
from kassay.model.placement.request import Placement
from kassay.model.placement.step import PlacementStep, place
from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment
from kassay.properties.groups.balance import ORDER, RACK_FIRST, order_of
from kassay.properties.registry import Promise

OPTIMUM: Final = "the certified optimum"
BEFORE: Final = "what it was before"
_OPTIMAL: Final = {
    SHARE: "optimal-share",
    STREAMS: "optimal-streams",
    CONNECT: "optimal-connect",
    PLANNER: "plan:optimal",
}
"""The references that are closed forms of the optimum, or answer by the solver."""
_REFERENCES_MAX: Final = 6
Offer = tuple[str, Any]
"""Who says so, and the answer."""


def offers(driver: Driver[Any], promised: Promise, broken: BrokenStep, step: Any) -> Iterator[Offer]:
    """Answers that may keep the promise, the best known first."""
    thing = broken.thing
    if isinstance(thing, Rebalanced):
        turn = broken.place[-1]
        before = thing.steps[turn - 1].answer if turn else thing.before
        if isinstance(before, Assignment):
            yield BEFORE, before
    if isinstance(step, Step) and driver.kind in CONSUMER_GROUPS:
        yield from _of_a_group(promised, step)
    elif isinstance(step, PlacementStep) and (rows := _best_rows(step)) is not None:
        yield OPTIMUM, rows
    for reference in references(driver.kind, promised, _protocol(step)):
        try:
            yield _named(reference, step), _asked(reference, step)
        except (KassayError, ValueError, KeyError, LookupError):
            continue  # a reference that refuses the input has nothing to offer
    if isinstance(step, TaskStep):
        yield "each task where it weighs least", _by_threads(step)


def _protocol(step: Any) -> RebalanceProtocol | None:
    return step.protocol if isinstance(step, Step) else None


def _of_a_group(promised: Promise, step: Step) -> Iterator[Offer]:
    """The certified optimum in the order of goals that the promise names, then in the others.

    In a round of a cooperative target what changes hands has to wait, so the rule that does so comes first.
    """
    from kassay.kinds.groups.oracle import best_of_group

    if step.protocol is RebalanceProtocol.COOPERATIVE and step.group.claimants:
        in_rounds = registry.find("optimal-cooperative")
        if in_rounds is not None and promised.claim.id in (*in_rounds.claims, "complete", "single-owner"):
            yield OPTIMUM, in_rounds.factory().assign(step.cluster, step.group)
    for order in dict.fromkeys((order_of(promised), ORDER, RACK_FIRST)):
        yield OPTIMUM, _in_full(step.group, best_of_group(step, order).assignment)
    yield "the heaviest first, to who carries least", _heaviest_first(step)


def _heaviest_first(step: Step) -> Assignment:
    """The partitions by weight, each to the reader that carries least by then."""
    cluster, readers = step.cluster, step.group.subscribers
    carried = dict.fromkeys(step.group.by_id, 0)
    given: dict[str, list[TopicPartition]] = {member_id: [] for member_id in carried}
    read = (tp for topic, tps in cluster.partitions.items() if topic in readers for tp in tps)
    for tp in sorted(read, key=lambda tp: (-cluster.weight(tp), tp)):
        who = min(readers[tp.topic], key=lambda member_id: (carried[member_id], member_id))
        carried[who] += cluster.weight(tp)
        given[who].append(tp)
    return Assignment(given)


def _by_threads(step: TaskStep) -> TaskAssignment:
    """Active tasks so that each weighs as little as it can, with the fewest leaving their process.

    The k-th task of a process with c threads weighs k/c. Standby copies stay with those who are given them.
    """
    request = step.request
    threads = {client.process_id: client.capacity for client in request.clients}
    held = {client.process_id: [*client.previous_active] for client in request.clients}
    room = dict.fromkeys(threads, 0)
    for _ in request.tasks if threads else ():
        lightest = min(threads, key=lambda p: (Fraction(room[p] + 1, threads[p]), room[p] >= len(held[p]), p))
        room[lightest] += 1
    active = {process: sorted(held[process])[: room[process]] for process in threads}
    kept = {task for tasks in active.values() for task in tasks}
    free = iter(sorted(set(request.tasks) - kept))
    for process, tasks in active.items():
        tasks += [task for _, task in zip(range(room[process] - len(tasks)), free, strict=False)]
    given = {} if isinstance(step.answer, Failure) else step.answer.processes
    copies = {process: given.get(process, ClientTasks()).standby for process in threads}
    return TaskAssignment(
        {
            process: ClientTasks(
                tuple(sorted(tasks)), tuple(task for task in copies[process] if task not in tasks)
            )
            for process, tasks in active.items()
        }
    )


def _in_full(group: Group, assignment: Assignment) -> Assignment:
    """The assignment with an entry for each member, in their order."""
    return Assignment({member.member_id: assignment.get(member.member_id, ()) for member in group.members})


def references(
    kind: Kind, promised: Promise, protocol: RebalanceProtocol | None, *, all_of_them: bool = False
) -> list[registry.Reference]:
    """Those of the kind that declare the promise's claim, closed forms of the optimum first.

    What is held against every target, all of them keep. `all_of_them` adds those that declare nothing of it.
    """

    def declares(reference: registry.Reference) -> bool:
        return promised.claim.validity or any(
            spelled.partition(":")[0] == promised.claim.id for spelled in reference.claims
        )

    of_kind = [
        reference
        for reference in registry.load_all().values()
        if reference.kind is kind and (protocol is None or reference.protocol is protocol)
    ]
    first = _OPTIMAL.get(kind)
    of_kind.sort(key=lambda reference: (not declares(reference), reference.spec != first))
    return [each for each in of_kind if all_of_them or declares(each)][:_REFERENCES_MAX]


def _named(reference: registry.Reference, step: Any) -> str:
    """Whose answer it is; of the optimum's references, where their answer is proven, that of the optimum."""
    if _OPTIMAL.get(reference.kind) == reference.spec:
        from kassay.kinds.streams.oracle import is_proven

        if not isinstance(step, TaskStep) or is_proven(step.request):
            return OPTIMUM
    return f"as {reference.spec} answers"


def _asked(reference: registry.Reference, step: Any) -> Any:
    """What the reference answers to what was asked."""
    target = reference.factory()
    if isinstance(step, Step):
        return _in_full(step.group, target.assign(step.cluster, step.group))
    if isinstance(step, PlacementStep):
        return place(lambda: target, step.request).answer
    if isinstance(step, ProducerSendsStep):
        return send_all(target, step.request)
    return target.assign(step.request) if hasattr(target, "assign") else target.plan(step.request)


def _best_rows(step: PlacementStep) -> Placement | None:
    """The certified best replicas of the new partitions, those that exist staying; None if there are none."""
    from kassay.kinds.placement.oracle import best_rows

    return best_rows(step.request)
