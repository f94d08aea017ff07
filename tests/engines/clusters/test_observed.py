"""A group read off the outputs: members, owners, what is unowned, what was assumed, what is refused.

Who owns what, read off two views together.
"""

import pytest

from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.clusters.observed import lags_of
from kassay.engines.clusters.stability import ownership
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.groups import read_groups
from tests.engines.clusters.cluster import observed, offsets, topics
from tests.reading.kafka.outputs import output

APPS = ["app-1", "app-2", "app-3"]


def loads(group):
    return {group.labels[member.member_id]: len(member.owned) for member in group.group.members}


@pytest.mark.parametrize(
    "names",
    [
        ["groups-offsets-3.9"],
        ["groups-members-2.8"],
        ["groups-members-static-2.8"],
        ["groups-members-classic-4.4"],
        ["groups-members-3.9", "groups-offsets-3.9"],
        ["groups-members-plain-2.8", "groups-offsets-verbose-4.4"],
        ["groups-offsets-1.1"],
    ],
)
def test_every_dialect_gives_the_same_group(names):
    group = observed(*[output(f"{name}.txt") for name in names])
    assert loads(group) == {"app-1": 2, "app-2": 2, "app-3": 0}
    assert group.cluster.counts == {"orders": 11, "refunds": 2}
    assert len(group.unowned) == 9
    assert not group.is_consumer_group


def test_a_consumer_group_in_the_middle_of_a_step():
    group = observed(output("groups-members-4.4.txt"), output("groups-state-verbose-4.4.txt"))
    assert group.is_consumer_group and group.strategy == "uniform"
    assert "rebalancing" in group.warnings[0]


@pytest.mark.parametrize("name", ["groups-members-3.9", "groups-members-plain-2.8"])
def test_without_topics_the_offsets_view_is_asked_for(name):
    with pytest.raises(InputError, match=r"f1:3: .*expected .*offsets view as well.*--group billing"):
        observed(output(f"{name}.txt"))


def test_of_several_groups_one_must_be_named():
    text = output("groups-several-2.8.txt")
    with pytest.raises(InputError, match=r"3 groups \('billing', 'idle-jobs', 'mailer'\): expected --group"):
        observed(text)
    assert loads(observed(text, group="mailer")) == {"m": 1}
    with pytest.raises(InputError, match=r"there is no group 'mailr' \(did you mean mailer\?\)"):
        observed(text, group="mailr")
    with pytest.raises(InputError, match="'idle-jobs': has no members"):
        observed(text, group="idle-jobs")


def test_partitions_that_topics_have_and_nobody_owns_are_unowned():
    group = observed(offsets({"a": ["t-0"], "b": ["t-1"]}), topics({"t": 3, "other": 5}))
    assert group.unowned == (TopicPartition("t", 2),)
    assert group.cluster.counts == {"t": 3}
    assert [member.topics for member in group.group.members] == [("t",), ("t",)]


def test_subscriptions_and_racks_by_any_name_of_a_member():
    group = observed(
        offsets({"a": ["t-0"], "b": ["u-0"]}),
        "consumer,topics\nc-a,t\n/h-b,u t\n",
        "consumer,rack\nh-a,east\nb,west\n",
    )
    assert [member.topics for member in group.group.members] == [("t",), ("t", "u")]
    assert [member.rack for member in group.group.members] == ["east", "west"]
    assert len(group.assumptions) == 1
    assert any(each.startswith("the replicas' racks are not given") for each in group.gaps)


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        ([offsets({"a": ["t-9"]}), topics({"t": 3})], "topic 't': found partition 9 in the group's outputs"),
        (
            [offsets({"a": ["t-0"]}), "consumer,rack\nz,r\n"],
            "f2:2: consumer: found 'z', expected a member id",
        ),
        ([offsets({"a": ["t-0"]}), "consumer,topics\na,u\n"], "f2:2: topics: found 'u', expected a topic"),
        (
            [offsets({"a": ["t-99999"]})],
            "topic 't': found partition 99999 and 0 more, expected the output of",
        ),
        ([offsets({"a": ["t-0"]}), offsets({"b": ["t-0"]})], "f2:2: CONSUMER-ID: found 'b', expected 'a'"),
        ([output("groups-state-3.9.txt")], "group 'billing': no output shows ownership"),
        ([topics({"t": 1})], "f1: no consumer group, expected the output of kafka-consumer-groups.sh"),
    ],
)
def test_what_does_not_fit_together_is_refused(texts, complaint):
    with pytest.raises(InputError) as caught:
        observed(*texts)
    assert str(caught.value).startswith(complaint)


def test_lags_come_from_the_offsets_view_or_from_lines():
    view = output("groups-offsets-3.9.txt")
    group = observed(view)
    assert lags_of(taken(view), group)[TopicPartition("orders", 0)] == 58
    lines = "topic,partition,lag\norders,2,7\nx,0,1\n"
    assert lags_of(taken(view, lines), group) == {TopicPartition("orders", 2): 7}
    with pytest.raises(InputError, match="--lag: no lag of a partition that the group reads"):
        lags_of(taken("topic,partition,lag\nx,0,1\n"), group)


def taken(*texts):
    inputs = ClusterInputs()
    for number, text in enumerate(texts):
        inputs.take(text, f"f{number}")
    return inputs


STATES = output("groups-state-3.9.txt")
EMPTY = STATES.replace("Stable   ", "Empty    ").replace("3\n", "0\n")
REBALANCING = STATES.replace("Stable   ", "Preparing")


@pytest.mark.parametrize("texts", [(STATES, EMPTY), (EMPTY, STATES)])
def test_one_state_with_members_is_enough_to_ask_for_the_offsets_view(texts):
    with pytest.raises(InputError, match="no output shows ownership"):
        observed(*texts)


def test_a_group_whose_states_all_count_no_members_has_none():
    with pytest.raises(InputError, match="'billing': has no members"):
        observed(EMPTY, EMPTY)


@pytest.mark.parametrize("texts", [(STATES, REBALANCING), (REBALANCING, STATES), (REBALANCING,)])
def test_one_state_that_is_not_stable_is_warned_of(texts):
    group = observed(output("groups-offsets-3.9.txt"), *texts)
    assert any("was rebalancing" in warning for warning in group.warnings)
    quiet = observed(output("groups-offsets-3.9.txt"), STATES, STATES)
    assert not any("was rebalancing" in warning for warning in quiet.warnings)


MEMBERS = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n"


def read(*texts):
    outputs = [read_groups(text, f"f{number}") for number, text in enumerate(texts, start=1)]
    warnings = []
    owned, _ = ownership(sum(outputs[1:], outputs[0]), "g", warnings)
    return {member: sorted(map(str, tps)) for member, tps in owned.items()}, warnings


def test_lost_topics_come_from_the_offsets_view():
    owned, warnings = read(MEMBERS + "g a /h c 2 (0), (1)\n", offsets({"a": ["t-1", "u-0"]}))
    assert (owned, warnings) == ({"a": ["t-1", "u-0"]}, [])


def test_two_views_of_different_times_are_refused_where_counts_differ():
    with pytest.raises(InputError, match="f1:2: #PARTITIONS: found 2, expected 1, which the offsets view"):
        read(MEMBERS + "g a /h c 2 (0), (1)\n", offsets({"a": ["t-1"]}))


def test_members_of_one_view_alone_are_warned_of_and_double_owners_are_not_stable():
    owned, warnings = read(MEMBERS + "g a /h c 1 t(0)\ng b /h c 1 t(0)\n", offsets({"z": ["t-1"]}))
    assert owned == {"a": ["t-0"], "b": ["t-0"]}
    assert "1 member of the offsets view is not in the members view" in warnings[0]
    rows = MEMBERS + "g a /h c 1 t(0)\ng b /h c 1 t(0)\n"
    assert observed(rows).stability.reasons == ("1 partition has several owners (t-0)",)


def test_a_negative_lag_is_0_and_warned_of():
    rows = offsets({"a": ["t-0"], "b": ["t-1"]}).replace(" - - - a ", " 9 5 -4 a ")
    seen = observed(rows)
    assert seen.scales.lags == {("t", 0): 0}
    assert seen.warnings == (
        "1 partition with a LAG below 0, taken as 0: t-0: a committed offset past the end of the log, "
        "truncated or created again?",
    )


@pytest.mark.parametrize(("count", "words"), [(1, "the topic"), (2, "both topics"), (3, "all 3 topics")])
def test_the_assumed_subscription_is_said_in_plain_words(count, words):
    rows = offsets({"a": [f"t{number}-0" for number in range(count)]})
    said = f"each member subscribes to {words} of the group; override with a consumer,topics file"
    assert said in observed(rows).assumptions
