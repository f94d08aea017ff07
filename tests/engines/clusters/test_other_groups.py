"""Share groups and Streams groups: read from genuine outputs, answered by their own rules."""

from __future__ import annotations

import pytest

from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.clusters.other_groups import scale_other, select_other, what_if_other
from kassay.model.errors import InputError
from tests.paths import DATA

GENUINE = DATA / "kafka-tools" / "genuine"
NEW, FIRST = GENUINE / "4.4.0", GENUINE / "4.0.2"


def read(*names: str, extra: str = "") -> ClusterInputs:
    inputs = ClusterInputs()
    for name in names:
        folder = NEW if (NEW / name).exists() else FIRST
        inputs.take((folder / name).read_text(encoding="utf-8"), name)
    if extra:
        inputs.take(extra, "extra")
    return inputs


def subject(*names: str, group: str | None = None, extra: str = ""):
    chosen = select_other(read(*names, extra=extra), group)
    assert chosen is not None
    return chosen


@pytest.mark.parametrize("group", ["s-one", "s-two"])
def test_the_rule_leaves_a_genuine_share_group_as_it_is(group: str) -> None:
    answer = what_if_other(subject("sg-all-members.txt", "sg-all-state.txt", group=group), None)
    assert answer.alarm is None and answer.steps[0].taken == 0 and not answer.failed
    assert (answer.today.members, answer.today.shared_most) == (2, 1)


def test_a_share_group_of_4_0_shares_every_partition() -> None:
    chosen = subject("share-members.txt", "share-state.txt", "share-offsets.txt")
    assert chosen.rule == "simple of 4.0" and chosen.observed.cluster.counts == {"orders": 6}
    answer = scale_other(chosen, 3)
    assert [(step.least, step.most, step.shared_least) for step in answer.steps] == [
        (6, 6, 1),
        (6, 6, 2),
        (6, 6, 3),
    ]


def test_more_members_than_partitions_share_them() -> None:
    answer = scale_other(subject("sg-all-members.txt", "sg-all-state.txt", group="s-one"), 12)
    assert [step.shared_most for step in answer.steps] == [1] * 6 + [2] * 6
    assert all(not step.idle and not step.unread for step in answer.steps)


@pytest.mark.parametrize("members", ["st-all-members.txt", "st-all-members-verbose.txt"])
def test_the_rule_leaves_a_genuine_streams_group_as_it_is(members: str) -> None:
    chosen = subject(members, "st-all-state.txt", "st-all.txt")
    assert chosen.observed.cluster.counts == {"0": 4} and len(set(chosen.processes.values())) == 1
    answer = what_if_other(chosen, "join:1,leave:1")
    assert answer.alarm is None
    assert [(step.members, step.least, step.most, step.taken) for step in answer.steps] == [
        (2, 2, 2, 0),
        (3, 1, 2, 1),
        (2, 2, 2, 0),
    ]
    assert any("topology" in gap for gap in chosen.observed.gaps)


def test_tasks_of_several_subtopologies_with_standby_copies_and_targets() -> None:
    text = (
        "GROUP MEMBER PROCESS CLIENT-ID ASSIGNMENTS\n"
        "app a p1 c1 ACTIVE: 0:[0,1]; 1:[0]; STANDBY: 1:[1]; TARGET-ACTIVE: 0:[0,1]; 1:[0];\n"
        "app b p2 c2 ACTIVE: 0:[2]; 1:[1]; STANDBY: 1:[0]; TARGET-ACTIVE: 0:[2,3]; 1:[1];\n"
        "app c p3 c3 \n"
    )
    inputs = ClusterInputs()
    inputs.take(text, "f")
    chosen = select_other(inputs, None)
    assert chosen is not None
    assert chosen.observed.cluster.counts == {"0": 3, "1": 2}
    assert chosen.observed.warnings == ("c2 has not reached its target assignment",)
    assert any("1 standby copy of each" in each for each in chosen.observed.assumptions)
    assert what_if_other(chosen, None).steps[0].standby == 2


def test_what_members_subscribe_to_can_be_said() -> None:
    said = "consumer,topics\nsh-1,orders mails\nsh-2,orders mails\n"
    chosen = subject("sg-all-members.txt", "sg-all-state.txt", group="s-two", extra=said)
    answer = what_if_other(chosen, None)
    assert answer.alarm == (
        "the rule would take 3 partitions from members of a group at rest: "
        "subscriptions differ from what is assumed"
    )
    assert not any("subscribes" in each for each in chosen.observed.assumptions)


@pytest.mark.parametrize(
    ("names", "group", "complaint"),
    [
        (["sg-all.txt"], "s-one", "no output has its members, expected kafka-share-groups.sh --describe"),
        (["st-all.txt"], None, "no output has its members, expected kafka-streams-groups.sh --describe"),
        (["sg-all-members.txt"], None, "2 groups .* expected --group with one"),
        (["sg-all-members.txt"], "s-on", "there is no group 's-on' .did you mean s-one"),
    ],
)
def test_what_is_missing_is_named_with_the_tool_of_the_group(names, group, complaint) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        select_other(read(*names), group)
    assert "kafka-consumer-groups" not in str(caught.value)


def test_a_consumer_group_next_to_them_is_not_one_of_them() -> None:
    inputs = read("sg-all-members.txt", "groups-members-verbose-billing.txt")
    assert select_other(inputs, None) is None and select_other(inputs, "billing") is None


@pytest.mark.parametrize("row", ["app a p c ACTIVE: what", "app a", "app a p c ACTIVE: 0:[x]"])
def test_a_row_that_is_no_row_is_refused_with_its_place(row: str) -> None:
    with pytest.raises(InputError, match=r"^f:2: "):
        ClusterInputs().take(f"GROUP MEMBER PROCESS CLIENT-ID ASSIGNMENTS\n{row}\n", "f")
