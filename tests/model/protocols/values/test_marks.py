"""The walk that rewrites by type: all that is marked, in order again, and nothing else.

What renaming knows of a value, and how generations are counted anew.
"""

from __future__ import annotations

import pytest

from kassay.model.explore.states import Interned
from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.coordinator.runtime import CoordinatorHost
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.groups import ClassicGroup, ClassicMember, CoordinatorState, Persisted
from kassay.model.protocols.values.marks import NOTHING, SAME, Count, Mark, facts_of, rewritten
from kassay.model.protocols.values.records import (
    CURRENT,
    EPOCH,
    MEMBER,
    TARGET,
    LogHistory,
    LogRecord,
    OffsetValue,
    offset_records,
)
from kassay.model.protocols.values.requests import InitialDelay, SetTimer, Subscription, Timer, UserData
from tests.model.protocols.world.walked import WORLDS, everything, ids, some

MEMBERS = tuple(
    ClassicMember(name, "", name[:2], 6, 6, (("range", Subscription(("t",))),)) for name in ("c1-1", "c2-1")
)
GROUP = ClassicGroup(generation=3, leader="c2-1", members=MEMBERS, pending_join=("c1-2",))


def marked(value):
    """What is marked in a value, by mark."""
    parts = {mark: set() for mark in Mark}
    assert rewritten(value, lambda mark, part: parts[mark].add(part) or part) is value
    return parts


def test_every_mark_is_found_at_any_depth():
    parts = marked(GROUP)
    assert parts[Mark.MEMBER_ID] == {"c1-1", "c2-1", "c1-2"}
    assert parts[Mark.CLIENT_ID] == {"c1", "c2"}
    assert parts[Mark.GENERATION] == {3, requests.NO_GENERATION}
    assert parts[Mark.REQUEST] == {requests.NO_REQUEST}
    assert marked(Persisted(None, undo=(GROUP,))) == parts
    assert marked(Interned(GROUP))[Mark.CELL]


def test_one_field_holds_generations_and_other_numbers():
    (offset,) = offset_records([(requests.TopicPartition("t", 0), 7)])
    assert offset.value == OffsetValue(7)
    assert not marked(offset)[Mark.GENERATION]
    assert marked(LogRecord((EPOCH, ""), 7))[Mark.GENERATION] == {7}
    assert not marked(SetTimer(Timer(requests.JOIN), 5, InitialDelay(5, 9)))[Mark.GENERATION]
    assert marked(SetTimer(Timer(requests.SYNC), 5, (9,)))[Mark.GENERATION] == {9}
    remembering = Subscription(("t",), generation=4, user_data=(UserData(2, ()),))
    assert marked(remembering)[Mark.GENERATION] == {2, 4}


def test_what_is_in_the_order_of_ids_is_sorted_anew():
    swapped = {"c1-1": "c2-1", "c2-1": "c1-1"}
    after = rewritten(GROUP, lambda _, part: swapped.get(part, part))
    assert [member.member_id for member in after.members] == ["c1-1", "c2-1"]
    assert [member.client_id for member in after.members] == ["c2", "c1"]
    assert after.leader == "c1-1"


def test_what_is_in_another_order_keeps_it():
    """On a clock timers stand as they are due: one that is renamed does not pass another."""
    armed = (SetTimer(Timer(requests.SESSION, "c2-2"), 3), SetTimer(Timer(requests.SESSION, "c1-1"), 6))
    host = CoordinatorHost(Interned(CoordinatorState()), armed)
    renamed = rewritten(host, lambda _, part: "c2-1" if part == "c2-2" else part)
    assert [(order.timer.member_id, order.due) for order in renamed.armed] == [("c2-1", 3), ("c1-1", 6)]


def test_of_a_batch_only_the_targets_of_several_members_are_in_the_order_of_ids():
    """What a batch has of one member before what it has of another stays before it."""
    kinds = [(CURRENT, "c1-1"), (TARGET, "c1-1"), (TARGET, "c2-1"), (MEMBER, "c2-1"), (MEMBER, "c1-1")]
    history = LogHistory((tuple(LogRecord(key, None) for key in kinds),))
    swapped = {"c1-1": "c2-1", "c2-1": "c1-1"}
    (batch,) = rewritten(history, lambda _, part: swapped.get(part, part)).batches
    assert [record.key for record in batch] == [
        (CURRENT, "c2-1"),
        (TARGET, "c1-1"),
        (TARGET, "c2-1"),
        (MEMBER, "c1-1"),
        (MEMBER, "c2-1"),
    ]


@pytest.mark.parametrize(("make", "chosen"), WORLDS)
def test_facts_are_those_of_all_parts(make, chosen):
    _, states = some(make, chosen)
    for cell in {cell for state in states for cell in (*state.clients, state.broker)}:
        found = list(everything(cell))
        facts = facts_of(cell.value)
        assert facts.names == ids(found)
        assert facts.renumber == any(not name.endswith("-1") for name in facts.names)
        numbers = [n for n in found if isinstance(n, int) and n >= 1]
        assert facts.low <= min(numbers, default=1 << 30), "timers' payloads hold generations as well"
        assert facts.high >= max(numbers, default=0)


def test_generations_are_counted_from_the_shift_and_less_from_each_gap_on():
    count = Count(3, ((6, 1), (9, 2)))
    assert [count(number) for number in range(-2, 13)] == [-2, -1, 0, 0, 0, 0, 1, 2, 2, 3, 4, 3, 4, 5, 6]
    assert [SAME(number) for number in range(-2, 4)] == list(range(-2, 4))


@pytest.mark.parametrize(
    ("value", "names", "low", "renumber"),
    [
        (ClassicClient(), set(), None, False),
        (ClassicClient(member_id="c1-1", generation=4), {"c1-1"}, 4, False),
        (ClassicClient(member_id="c1-2", generation=0), {"c1-2"}, None, True),
        (ClassicClient(member_id="no id", generation=-1), set(), None, False),
    ],
    ids=["fresh", "first", "second", "unnumbered"],
)
def test_a_value_without_numbered_ids_and_generations_has_no_facts(value, names, low, renumber):
    facts = facts_of(value)
    assert (facts.names, facts.renumber) == (names, renumber)
    assert facts.low == (NOTHING.low if low is None else low)
    assert (facts is NOTHING) == (not names and low is None)
