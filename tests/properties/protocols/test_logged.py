"""Memory is the log, numbers are given once, timers wait for what is there: as predicates, and as walks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.conform.broken import Watch
from kassay.engines.protocols.views import views_of
from kassay.model.explore.values import Severity
from kassay.model.protocols.coordinator.takeovers import FIRST_REQUESTS, refused_takeovers
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.groups import (
    COMPLETING,
    EMPTY,
    PREPARING,
    STABLE,
    ClassicGroup,
    ClassicMember,
    ConsumerGroup,
    ConsumerMember,
    CoordinatorState,
)
from kassay.model.protocols.values.records import EPOCH, EpochValue, LogRecord
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup
from kassay.properties.protocols import logged, registry
from kassay.properties.protocols.registry import ArmedTimers, GivenNumbers, LoggedGroup
from tests.explored import explore
from tests.paths import DOCS
from tests.properties.protocols.asking import answers, broken

MEMBER = ClassicMember("a", "", "c", 1, 1, (("range", requests.RawMetadata("x")),))
FINDINGS = {
    "A": (
        "migration",
        {"partitions": 1, "kinds": (("classic",), ("consumer",)), "faults": "failover=1,leave=1"},
    ),
    "B": (
        "classic",
        {"static": 1, "mode": "cooperative", "partitions": 1, "faults": "failover=1,pause=1"},
    ),
    "C": ("classic", {"static": 1, "faults": "write=1"}),
}


def real(letter):
    model, chosen = FINDINGS[letter]
    found = explore(model, **chosen).exploration.violations
    return {one.invariant: one.length for one in found if one.severity is Severity.REAL}


def test_a_join_that_removes_an_empty_consumer_group_is_found_unaided():
    found = real("A")
    assert found["memory-is-log"] == found["every-log-loads"] == 6


@pytest.mark.slow
def test_a_generation_that_is_given_out_twice_is_found_unaided():
    assert {"generation-once", "commits-fenced", "single-current-owner"} <= set(real("B"))


def test_a_join_timer_that_throws_is_found_unaided():
    assert {"no-exception-in-timer", "no-timer-of-what-is-gone"} == set(real("C"))


@pytest.mark.parametrize("model", ["classic", "kip848", "streams"])
def test_with_a_failover_alone_memory_is_the_log(model):
    result = explore(model, partitions=1, faults="failover=1")
    assert {logged.MEMORY, logged.LOADS} <= result.exploration.checked
    assert result.verdict == "holds"


def test_without_a_failover_no_log_is_kept_and_none_is_compared():
    assert registry.LOGGED not in views_of(explore("kip848", partitions=1).built).views


def classic(state=STABLE, generation=1, members=(MEMBER,), **changes):
    return ClassicGroup(state, generation, "consumer", "range", "a", members)._replace(**changes)


@pytest.mark.parametrize(
    "memory",
    [
        classic(members=(MEMBER._replace(is_new=True, awaiting_sync=3),), pending_sync=("a",)),
        classic(
            members=(MEMBER._replace(protocols=(*MEMBER.protocols, ("sticky", MEMBER.protocols[0][1]))),)
        ),
        classic(PREPARING, 9),
    ],
)
def test_what_no_record_has_is_not_compared(memory):
    assert not answers(logged.MEMORY, registry.LOGGED, LoggedGroup(memory, classic()))


def test_a_group_that_is_in_the_log_alone_is_a_fault():
    said = answers(logged.MEMORY, registry.LOGGED, LoggedGroup(None, ConsumerGroup(3, 3)))
    assert said == broken("in memory there is no group, in the log a consumer group")
    said = answers(logged.MEMORY, registry.LOGGED, LoggedGroup(classic(EMPTY, 1, ()), classic(EMPTY, 0, ())))
    assert said == broken("memory has generation 1, in the log 0")


def test_streams_memory_that_starts_anew_is_not_compared():
    memory = StreamsTaskGroup(2, 2, endpoint_epoch=4, delayed=True, shutdown_by="m", copies=((("0", 0), ()),))
    assert not answers(logged.MEMORY, registry.LOGGED, LoggedGroup(memory, StreamsTaskGroup(2, 2)))


@given(st.integers(0, 3), st.integers(0, 3))
def test_new_epochs_are_those_above_the_old_one(old, new):
    new_numbers = logged.new_numbers(ConsumerGroup(old, old), ConsumerGroup(new, new))
    assert new_numbers == tuple(range(old + 1, new + 1))


def test_a_join_phase_gives_out_its_generation_once():
    before, after = classic(PREPARING, 1), classic(COMPLETING, 2)
    assert logged.new_numbers(before, after) == (2,)
    assert logged.new_numbers(after, after._replace(state=STABLE)) == ()
    assert logged.new_numbers(classic(STABLE, 4), ConsumerGroup(5, 5)) == (5,)
    held = GivenNumbers(before, (("c1", "a", 2), ("c2", "b", 2), ("c3", "a", 1)))
    said = answers(logged.ONCE, registry.GIVEN_OUT, held, GivenNumbers(after, ()))
    assert [severity for severity, _ in said] == ["real", "outcome"], "b is no member: nothing of it counts"


def test_a_timer_of_a_group_that_is_gone_is_a_fault_that_of_a_member_an_outcome():
    join = requests.SetTimer(requests.Timer(requests.JOIN), 0)
    session = requests.SetTimer(requests.Timer(requests.SESSION, "a"), 0)
    armed = (join, session)
    assert answers(logged.GONE, registry.ARMED, ArmedTimers(classic(PREPARING), armed)) == []
    gone = answers(logged.GONE, registry.ARMED, ArmedTimers(None, armed))
    assert [severity for severity, _ in gone] == ["real", "outcome"]
    other = ConsumerGroup(2, 2, members=(ConsumerMember("a"),))
    converted = answers(logged.GONE, registry.ARMED, ArmedTimers(other, armed))
    assert [severity for severity, _ in converted] == ["outcome", "outcome"]


def test_a_join_phase_that_ends_in_an_empty_group_throws():
    steps = ArmedTimers(classic(EMPTY, 0, ()), ()), ArmedTimers(classic(EMPTY, 1, ()), ())
    assert answers(logged.TIMER, registry.ARMED, *steps) == broken(
        "a join timer fires in an empty group: IllegalStateException"
    )


def test_each_protocol_may_take_an_empty_group_that_is_in_memory_and_in_the_log():
    log = (LogRecord((EPOCH, ""), EpochValue(3, ())),)
    held = CoordinatorState(ConsumerGroup(3, 3))
    assert list(refused_takeovers(requests.Config(), held, log)) == []
    forgotten = dict(refused_takeovers(requests.Config(), CoordinatorState(), log))
    assert list(forgotten) == ["Streams"] and "not a Streams group" in forgotten["Streams"]
    assert {name for name, _ in FIRST_REQUESTS} == {"classic", "consumer", "Streams"}


def test_every_row_of_what_is_unwritten_names_its_source():
    for row in logged.UNWRITTEN:
        assert row.why and "." in row.source, row
    assert "leader" in logged.unwritten("classic", "Empty")
    assert "leader" not in logged.unwritten("classic", "Stable")
    assert Watch(None).broken == []


def test_the_page_has_every_row_of_what_is_unwritten():
    page = (DOCS / "conform.md").read_text(encoding="utf-8")
    for row in logged.UNWRITTEN:
        where = f", {row.when}" if row.when else ""
        assert f"| {row.type}{where} | {row.why} | `{row.source}` |" in page
