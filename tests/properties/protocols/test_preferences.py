"""What the members of a group ask for, and that the epoch goes up when it changes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.protocols.values.groups import ConsumerGroup, ConsumerMember
from kassay.properties.protocols.preferences import DEFAULT, preferred
from kassay.properties.protocols.registry import PREFERENCES
from tests.explored import explore
from tests.properties.protocols.asking import answers, broken

NAME = "preference-takes-effect"
asked = st.lists(st.sampled_from(["", "uniform", "range"]), max_size=5)


def group(asked_for, epoch=3):
    members = tuple(ConsumerMember(f"m{i}", assignor=name) for i, name in enumerate(asked_for))
    return ConsumerGroup(epoch, 3, members=members)


@settings(max_examples=60)
@given(asked)
def test_most_votes_count_whoever_has_them_and_a_tie_is_left_open(names):
    counts = {name: names.count(name) for name in names if name}
    top = [name for name, count in counts.items() if count == max(counts.values())]
    expected = DEFAULT if not counts else top[0] if len(top) == 1 else ""
    assert preferred(group(names)) == preferred(group(reversed(names))) == expected


@settings(max_examples=60)
@given(asked, asked)
def test_a_change_without_another_epoch_is_a_breach_and_none_else_is(before, after):
    was, now = preferred(group(before)), preferred(group(after))
    changes = bool(before and after and was and now and was != now)
    silent = answers(NAME, PREFERENCES, group(before), group(after))
    assert silent == (
        broken(f"the group prefers {now} to {was}, and its epoch is still 3") if changes else None
    )
    assert answers(NAME, PREFERENCES, group(before), group(after, epoch=4)) == ([] if changes else None)


def test_nobody_asking_is_asking_for_the_default():
    assert answers(NAME, PREFERENCES, group(["range"]), group([""]))
    assert answers(NAME, PREFERENCES, group([DEFAULT]), group([""])) is None


@pytest.mark.slow
def test_a_running_member_that_changes_its_mind_makes_such_a_tie():
    result = explore("kip848", partitions=1, remote_assignors=("range", ""), faults="assignor=1")
    assert result.exploration.violations == ()
    assert [len(one.trace) for one in result.exploration.liveness.livelocks] == [16, 16]
    for livelock in result.exploration.liveness.livelocks:
        assert any(step.action and step.action.name == "prefers uniform" for step in livelock.trace)
    before = explore(
        "kip848", partitions=1, remote_assignors=("range", ""), faults="assignor=1", release="2024-10"
    )
    assert before.verdict == "holds"
