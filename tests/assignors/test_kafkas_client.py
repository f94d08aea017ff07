"""The references of Kafka's client beside that client, out of its jar: the same inputs, answer by answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.assignors import registry
from kassay.engines.processes.host import Limits
from kassay.engines.runs.replay import Instead, load_trace, replay
from kassay.engines.targets.resolve import resolve
from kassay.model.calls import Failure
from kassay.model.groups.group import Assignment, Group, previous_owners
from kassay.model.groups.metrics import moved
from kassay.model.groups.player import Player
from kassay.model.groups.step import Step
from kassay.model.java import hash_map_order
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.groups.histories.scenarios import history
from kassay.properties.sources import Seeded
from tests.javac import client, require_java
from tests.paths import DOCS

RULES = ("range", "roundrobin", "sticky", "cooperative-sticky")
PATIENT = Limits(call_timeout_s=120, start_timeout_s=120)
STICKY_EXACT = 0.97


def inputs(rule: str, count: int) -> Iterator[Step]:
    """So many inputs at least, out of histories that the jar's assignor plays, and what it answers."""
    require_java()
    target = resolve(f"kafka-clients:{rule}@{client()}", limits=PATIENT)
    with target.open() as host:
        player = Player(host.new, target.protocol)
        seed = 0
        while count > 0:
            seed += 1
            for rebalanced in player.play(history(Seeded(seed), GroupProfile())):
                yield from rebalanced.steps
                count -= len(rebalanced.steps)


def as_the_leader_has_it(group: Group) -> Group:
    """The members in the order of Java's hash table, each with a set of topics."""
    by_id = {member.member_id: member for member in group.members}
    return Group(
        tuple(
            by_id[name]._replace(topics=tuple(dict.fromkeys(by_id[name].topics)))
            for name in hash_map_order(by_id)
        ),
        group.leader,
    )


def alike(rule: str, step: Step) -> str:
    """How alike the answers of the reference and of the jar are."""
    reference = registry.find(rule)
    assert reference is not None
    group = as_the_leader_has_it(step.group)
    answer = step.answer
    try:
        own: Assignment = reference.factory().assign(step.cluster, group)
    except Exception:  # some input makes Kafka's rules raise, and so the references
        return "exact" if isinstance(answer, Failure) else "reference raises"
    if isinstance(answer, Failure):
        return f"jar raises: {answer.message}"
    if all(own.get(m.member_id, ()) == answer.get(m.member_id, ()) for m in group.members):
        return "exact"
    if own.same_sets(answer):
        return "same sets"
    return "same quality" if quality(step, own) == quality(step, answer) else "different"


def quality(step: Step, answer: Assignment) -> tuple[list[int], int]:
    """The loads, and how many partitions move."""
    loads = sorted(len(answer.get(member.member_id, ())) for member in step.group.members)
    return loads, len(moved(answer, previous_owners(step.cluster, step.group)))


def judge(rule: str, count: int) -> None:
    """Hold the answers to as many inputs to what the rule promises."""
    degrees = {True: Counter[str](), False: Counter[str]()}
    for step in inputs(rule, count):
        degrees[step.contradictory][alike(rule, step)] += 1
    ordinary, every = degrees[False], degrees[False] + degrees[True]
    assert every.total() >= count
    if rule == "roundrobin":
        assert set(every) == {"exact"}
    elif rule == "range":
        assert set(every) <= {"exact", "same sets"}
    else:
        assert set(ordinary) <= {"exact", "same sets", "same quality"}
        assert ordinary["exact"] >= STICKY_EXACT * ordinary.total()


@pytest.mark.java
@pytest.mark.parametrize("rule", RULES)
def test_the_references_answer_as_the_client_does(rule: str) -> None:
    judge(rule, 300)


def given(narration: object) -> list[dict[str, object]]:
    """What members were given, round by round; nothing for a round without an answer."""
    assert isinstance(narration, tuple | list)
    rounds = [round_ for change in narration for round_ in change["rounds"]]
    return [round_.get("answer", {}) for round_ in rounds]


@pytest.mark.java
@pytest.mark.parametrize(
    "path",
    sorted((DOCS / "traces").glob("sticky-*.json"))
    + sorted((DOCS / "traces").glob("cooperative-sticky-*.json")),
    ids=lambda path: path.stem,
)
def test_what_is_known_of_the_sticky_rules_the_released_client_does(path: Path) -> None:
    require_java()
    rule = load_trace(path).target.name
    instead = Instead(target=f"kafka-clients:{rule}@{client()}", call_timeout_s=PATIENT.call_timeout_s)
    replayed, recorded = replay(load_trace(path, instead)), load_trace(path).trace
    assert {each.partition(":")[0] for each in replayed.violations} == {recorded.claim}
    assert given(replayed.narration) == given(recorded.narration)


@pytest.mark.deep
@pytest.mark.parametrize("rule", RULES)
def test_the_references_answer_as_the_client_does_to_many_inputs(rule: str) -> None:
    judge(rule, 20_000)
