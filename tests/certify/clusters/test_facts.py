"""Facts of the outputs: each one changes the answer, warns, or is named as not used."""

import json

import pytest

from kassay.certify.clusters.facts import NOT_USED
from tests.certify.clusters.cluster import TITLES, observed, offsets, topics
from tests.cli.runner import here, valid
from tests.paths import ROOT

CLUSTERS = ROOT / "tests" / "data" / "clusters"
GENUINE = ["cg-all.txt", "cg-all-members-verbose.txt", "cg-all-state.txt"]


def answer(folder, *arguments, command="what-if", schema="what-if-1"):
    done = here(command, *arguments, "--json", "-", cwd=CLUSTERS / folder)
    assert done.returncode == 0, done.stderr
    return valid(json.loads(done.stdout), schema)


@pytest.mark.parametrize(("command", "schema"), [("what-if", "what-if-1"), ("scale", "scale-1")])
def test_a_topic_with_offsets_and_no_owner_is_named_with_its_lag(command, schema):
    found = answer("D3-lost-topic", "lost.txt", "lost-topics.txt", command=command, schema=schema)
    assert found["warnings"] == [
        "b: 2 partitions with offsets, no owner, lag 179,986: lost, or no longer subscribed?"
    ]


def test_an_old_tool_shows_such_a_topic_too():
    found = answer("D3-lost-topic", "p02-old-note.txt", "--to", "range")
    assert found["warnings"] == [
        "other: 2 partitions with offsets, no owner, lag 1,503: lost, or no longer subscribed?"
    ]


def test_topics_of_unlike_load_and_the_lag_of_each_member_stand_next_to_the_counts():
    found = answer("W-topic-skew", "a1-topicskew.txt", "--to", "range")
    today, best = found["today"]["loads"], found["candidates"][0]["steps"][0]["loads"]
    assert (today["spread"], today["topics"][0]) == (0, {"topic": "big", "least": 0, "most": 2})
    assert (today["lag"]["least"], today["lag"]["most"]) == (20, 20_000)
    assert (best["lag"]["most"], best["topics"][0]["most"]) == (10_010, 1)
    screen = here("what-if", "a1-topicskew.txt", cwd=CLUSTERS / "W-topic-skew").stdout
    assert "by topic: big 0 to 2, small 0 to 2 a member" in screen
    assert "10,010" in screen and "20,000" in screen


LEADERS = ["fr-groups.txt", "fr-topics.txt", "--racks", "fr-b.csv", "--racks", "fr-r.csv", "--to", "sticky"]


def test_reads_within_a_rack_are_counted_from_followers_and_from_leaders():
    found = answer("W-leader-rack", *LEADERS)
    assert found["today"]["racks"] == {"matched": 3, "of": 3, "led": 0}
    both = here("what-if", *LEADERS, cwd=CLUSTERS / "W-leader-rack").stdout
    assert "reads within the rack: 100 % with fetching from followers, 0 % from leaders" in both
    titles = {"leader": ("led there", "same rack "), "follower": ("same rack ", "led there")}
    for fetch, (has, lacks) in titles.items():
        one = here("what-if", *LEADERS, "--fetch-from", fetch, cwd=CLUSTERS / "W-leader-rack").stdout
        (row,) = (line for line in one.splitlines() if line.startswith("settled under"))
        assert has in f"{row} " and lacks not in row


@pytest.mark.parametrize(
    ("group", "files", "field", "said"),
    [
        ("c-mixed", GENUINE, "warnings", "1 of 2 members still uses the classic protocol (cm-2)"),
        (
            "g-idle",
            [GENUINE[0], GENUINE[2]],
            "warnings",
            "the state counts 3 members, the rows show 2: 1 member",
        ),
        ("g-idle", [GENUINE[0]], "not_shown", "members without partitions are not in the offsets view"),
        ("g-lost", GENUINE, "warnings", "lonely: 3 partitions with offsets, no owner, lag 0"),
        ("g-range", [*GENUINE, "topics.txt", "brokers.txt"], "not_shown", "the members' racks are not given"),
        ("c-uniform", [GENUINE[0]], "assumptions", "the consumer protocol, since the member ids are bare"),
    ],
)
def test_a_genuine_group_says_what_its_outputs_lack(group, files, field, said):
    found = answer("genuine", *files, "--group", group, "--to", "sticky")
    assert any(each.startswith(said) for each in found[field]), found[field]


def test_static_members_are_counted():
    found = answer("genuine", *GENUINE, "--group", "g-coop", "--to", "sticky")
    assert found["static_members"] == 1
    done = here("what-if", *GENUINE, "--group", "g-coop", "--to", "sticky", cwd=CLUSTERS / "genuine")
    assert "3 members (1 static)" in done.stdout


ROWS = [
    {"TOPIC": f"{t}", "PARTITION": p, "CONSUMER-ID": m}
    for t, p, m in [("t", 0, "a"), ("t", 1, "b"), ("u", 0, "a")]
]
USUAL = {
    "GROUP": "g",
    "CURRENT-OFFSET": "5",
    "LOG-END-OFFSET": "9",
    "LAG": "4",
    "HOST": "/h",
    "CLIENT-ID": "c",
}
STATE = {
    "GROUP": "g",
    "COORDINATOR (ID)": "b:1 (1)",
    "ASSIGNMENT-STRATEGY": "range",
    "STATE": "Stable",
    "#MEMBERS": "2",
}
TOPIC = {
    "TopicId": "AAAAAAAAAAAAAAAAAAAAAA",
    "PartitionCount": "2",
    "Configs": "a=b",
    "Leader": "1",
    "Replicas": "1,2",
}
MEMBER = {
    "GROUP": "g",
    "CONSUMER-ID": "{}",
    "GROUP-INSTANCE-ID": "i-{}",
    "HOST": "/h",
    "CLIENT-ID": "c",
    "#PARTITIONS": "1",
    "CURRENT-EPOCH": "3",
    "CURRENT-ASSIGNMENT": "t:{}",
    "TARGET-EPOCH": "3",
    "TARGET-ASSIGNMENT": "t:{}",
}


def table(rows):
    titles = list(rows[0])
    return (
        "\n".join([" ".join(titles), *(" ".join(str(row[each]) for each in titles) for row in rows)]) + "\n"
    )


def said(*texts):
    """All that is said of the group that these outputs show, and the answer for it."""
    group = observed(*texts)
    return (
        group.to_json(),
        group.group.members,
        group.cluster,
        group.scales,
        group.stability,
        group.labels,
        {each.member_id: each.host for each in group.consumers},
    )


def without_host(answer):
    return answer[:-1]


OFFSETS = [{**row, **USUAL} for row in ROWS]


@pytest.mark.parametrize(
    ("field", "value", "used"),
    [
        ("TOPIC", "v", True),
        ("LAG", "40", True),
        ("CLIENT-ID", "d", True),
        ("CONSUMER-ID", "z", True),
        ("PARTITION", "7", True),
        ("HOST", "/other", False),
        ("CURRENT-OFFSET", "6", False),
        ("LOG-END-OFFSET", "7", False),
    ],
)
def test_each_field_of_the_offsets_view_is_used_or_named(field, value, used):
    changed = [{**OFFSETS[0], field: value}, *OFFSETS[1:]]
    differs = without_host(said(table(OFFSETS))) != without_host(said(table(changed)))
    assert differs is used and (field in NOT_USED) is not used


@pytest.mark.parametrize(
    ("field", "value", "used"),
    [
        ("ASSIGNMENT-STRATEGY", "sticky", True),
        ("STATE", "Assigning", True),
        ("#MEMBERS", "3", True),
        ("COORDINATOR (ID)", "b:2 (2)", False),
    ],
)
def test_each_field_of_the_state_view_is_used_or_named(field, value, used):
    rows = table(OFFSETS)
    differs = said(rows, table([STATE])) != said(rows, table([{**STATE, field: value}]))
    assert differs is used and (field in NOT_USED) is not used


@pytest.mark.parametrize(
    ("field", "value", "used"),
    [
        ("CONSUMER-ID", "z", True),
        ("GROUP-INSTANCE-ID", "other", True),
        ("CLIENT-ID", "d", True),
        ("CURRENT-EPOCH", "2", True),
        ("TARGET-EPOCH", "4", True),
        ("CURRENT-ASSIGNMENT", "t:5", True),
        ("TARGET-ASSIGNMENT", "t:5", True),
        ("HOST", "/other", False),
    ],
)
def test_each_field_of_the_members_view_is_used_or_named(field, value, used):
    rows = [{name: cell.format(n) for name, cell in MEMBER.items()} for n in range(2)]
    changed = [{**rows[0], field: value}, rows[1]]
    differs = without_host(said(table(rows))) != without_host(said(table(changed)))
    assert differs is used and (field in NOT_USED) is not used


BROKERS = "h:1 (id: 0 rack: a) -> (\n)\nh:2 (id: 1 rack: b) -> (\n)\nh:3 (id: 2 rack: c) -> (\n)\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("PartitionCount: 2", "PartitionCount: 3"),
        ("Leader: 0", "Leader: 1"),
        ("Leader: 0", "Leader: none"),
        ("Replicas: 0,1", "Replicas: 0,2"),
        ("Isr: 0,1", "Isr: 0"),
    ],
)
def test_each_field_of_a_topic_is_used(old, new):
    described = topics({"t": 2})
    rows = offsets({"a": ["t-0"], "b": ["t-1"]})
    changed = described.replace(old, new)
    if "Count" in old:
        changed += "\tTopic: t\tPartition: 2\tLeader: 2\tReplicas: 2,0\tIsr: 2,0\n"
    assert said(rows, described, BROKERS) != said(rows, changed, BROKERS)


def test_what_is_not_used_is_named_in_the_document_with_a_reason():
    assert observed(TITLES + "\ng t 0 1 1 0 a /h c\n").to_json()["not_used"] == NOT_USED


def test_a_count_that_was_edited_by_hand_is_a_warning():
    members = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n"
    group = observed(members + "g m /h c 1 orders(0,1)\ng n /h d 0 -\n")
    assert group.warnings == ("f1:2: #PARTITIONS is 1, but the assignment next to it has 2: edited by hand?",)
