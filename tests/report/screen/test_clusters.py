"""Rolling restarts on screen: settings to copy, what is in force, the way back.

A group at each number of members, on screen.

What would become of a group, on screen: labels, warnings, hostile names.
"""

import io

from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.clusters.mixes import Members
from kassay.engines.clusters.rolling_scene import ClientSetting
from kassay.engines.clusters.rollout import Rollout, rollout
from kassay.engines.clusters.scale import scale
from kassay.engines.clusters.whatif import what_if
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import TopicPartition
from kassay.report.screen.clusters import scale_view, spans, what_if_view
from kassay.report.screen.console import console, stack
from kassay.report.screen.rollouts import paths_in_short, paths_view
from tests.engines.clusters.cluster import observed, offsets, topics


def shown(view):
    file = io.StringIO()
    console(file=file).show(stack(*view))
    return file.getvalue()


def test_each_step_says_what_to_set_what_is_in_force_and_the_way_back():
    text = shown(paths_view([rollout(resolve("range"), resolve("cooperative-sticky"), Members(6, 0))]))
    assert "       partition.assignment.strategy=cooperative-sticky,range\n" in text
    assert "range in force for 5 restarts, cooperative-sticky once the last has left; 12 rebalances" in text
    assert "after 1 restart at most, then a member is refused" in text
    assert "not safe: partition.assignment.strategy=cooperative-sticky: a member is refused with" in text


def test_the_brokers_policy_comes_first():
    text = shown(paths_view([rollout(resolve("range"), resolve("uniform"), Members(6, 0))]))
    assert text.index("group.consumer.migration.policy=bidirectional\n") < text.index(
        "  1. restart 6 members"
    )


def test_without_a_safe_way_that_is_said_and_without_a_change_too():
    lost = Rollout(ClientSetting(("a",)), ClientSetting(("b",)), (), False, 3, (), (("x", "SOME_ERROR"),))
    assert "no safe rolling restart" in shown(paths_view([lost]))
    assert "no safe rolling restart" in shown(paths_in_short([lost]))
    same = rollout(resolve("range"), resolve("range"), Members(3, 0))
    assert "that is how the members are configured now" in shown(paths_view([same]))
    assert "range" not in shown(paths_in_short([same]))


def test_counts_marks_and_lags():
    file = io.StringIO()
    group = observed(offsets({"a": ["t-0", "t-1"], "b": []}))
    lags = {TopicPartition("t", 0): 5, TopicPartition("t", 1): 3}
    console(file=file).show(scale_view(scale(group, resolve("sticky"), 3, lags=lags, seconds=60)))
    rows = [line.split() for line in file.getvalue().splitlines()]
    assert ["1", "2", "0", "0", "0", "0", "0", "8", "8"] in rows
    assert ["2", "(today)", "1", "0", "0", "1", "0", "1", "5", "5", "safe,", "useful"] in rows
    assert ["safe", "numbers", "of", "members", "with", "sticky:", "2;"] in [row[:7] for row in rows]
    text = " ".join(file.getvalue().split())
    assert (
        "today: 2 members, 0 to 2 partitions a member, spread 2, lag 8 in all, 8 of the busiest; this" in text
    )
    assert "useful steps with sticky (members: partitions of the busiest): 1: 2, 2-3: 1" in text
    assert text.index("useful steps") < text.index("members a member spread idle")


@given(st.sets(st.integers(1, 40)))
def test_spans_say_every_count_once(counts):
    said = set()
    for part in spans(sorted(counts)).split():
        first, _, last = part.partition("-")
        said |= set(range(int(first), int(last or first) + 1))
    assert said == counts


def what_if_shown(*texts, specs=("range",)):
    file = io.StringIO()
    console(file=file).show(what_if_view(what_if(observed(*texts), [resolve(spec) for spec in specs]), None))
    return file.getvalue()


def test_today_comes_first_then_each_candidate_then_the_optimum():
    text = what_if_shown(offsets({"a": ["t-0", "t-1"], "b": []}), topics({"t": 3}))
    lines = [line.split()[0] for line in text.splitlines() if line.strip()]
    assert lines[0] == "group"
    assert [word for word in lines if word in ("today", "range", "optimum")] == ["today", "range", "optimum"]
    assert "0 to 2 partitions a member, spread 2; the busiest is c-a with 2; 1 member idle: c-b" in text
    assert "1 partition unowned now: the optimum assigns t-2 to c-b" in text


def test_one_partition_and_one_lag_are_said_as_one():
    rows = offsets({"a": ["t-0"], "b": ["t-1"]}).replace(" - - - ", " 1 6 5 ")
    text = what_if_shown(rows).splitlines()
    assert "today: 1 partition each; the busiest is c-a with 1" in text
    assert "lag per member: 5" in text


def test_names_that_a_terminal_would_obey_are_shown():
    text = what_if_shown(offsets({"\x1b[31ma": ["t-0"], "b": ["t-1"]}))
    assert "\x1b" not in text
