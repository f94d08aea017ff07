"""Facts of the outputs: each one changes the answer, warns, or is named as not used."""

import json
from functools import cache

import pytest

from kassay.engines.clusters.events import parse_events
from kassay.engines.clusters.facts import NOT_USED
from kassay.engines.clusters.figures import racks_of
from kassay.engines.clusters.whatif import what_if
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import InputError
from tests.cli.runner import here, valid
from tests.engines.clusters.cluster import observed
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


LEADERS = ["fr-groups.txt", "fr-topics.txt", "fr-b.csv", "fr-r.csv", "--to", "sticky"]


def test_reads_within_a_rack_are_counted_from_followers_and_from_leaders():
    found = answer("W-leader-rack", *LEADERS)
    assert found["today"]["racks"] == {"matched": 3, "of": 3, "led": 0}
    both = here("what-if", *LEADERS, cwd=CLUSTERS / "W-leader-rack").stdout
    assert "reads within the rack: 100 % with fetching from followers, 0 % from leaders" in both
    (row,) = (line for line in both.splitlines() if line.startswith("settled under"))
    assert "led there" in row and "same rack " in f"{row} "


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
    "LEADER-EPOCH": "3",
    "OTHER": "1",
}
OFFSETS = [{**row, **USUAL} for row in ROWS]
STATES = [
    {
        "GROUP": "g",
        "COORDINATOR (ID)": "b:1 (1)",
        "ASSIGNMENT-STRATEGY": "uniform",
        "STATE": "Stable",
        "GROUP-EPOCH": "3",
        "TARGET-ASSIGNMENT-EPOCH": "3",
        "#MEMBERS": "2",
    }
]
MEMBERS = [
    {
        "GROUP": "g",
        "CONSUMER-ID": str(n),
        "GROUP-INSTANCE-ID": f"i-{n}",
        "HOST": "/h",
        "CLIENT-ID": "c",
        "#PARTITIONS": "1",
        "CURRENT-EPOCH": "3",
        "CURRENT-ASSIGNMENT": f"t:{n}",
        "TARGET-EPOCH": "3",
        "TARGET-ASSIGNMENT": f"t:{n}",
        "UPGRADED": "true",
    }
    for n in range(2)
]
TOPICS = """\
Topic: t\tTopicId: MR146C8fSzWgAgcASSBtAg\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: min.insync.replicas=1,a=b
\tTopic: t\tPartition: 0\tLeader: 0\tReplicas: 0,1\tIsr: 0,1\tElr: \tLastKnownElr: \tOffline: \tObservers: \tX: 1
\tTopic: t\tPartition: 1\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\tElr: \tLastKnownElr: \tOffline: \tObservers: \tX: 1
Topic: u\tPartitionCount: 1\tReplicationFactor: 1\tConfigs:
\tTopic: u\tPartition: 0\tLeader: 2\tReplicas: 2\tIsr: 2
"""
BROKERS = "".join(f"h:{n} (id: {n} rack: {rack} isFenced: false) -> (\n)\n" for n, rack in enumerate("abc"))
RACKS = "consumer,rack\na,a\nb,b\n"
SUBSCRIPTIONS = "consumer,topics\na,t u\nb,t u\n"
LAGS = "topic,partition,lag\nt,0,7\n"


def table(rows):
    titles = list(rows[0])
    return (
        "\n".join([" ".join(titles), *(" ".join(str(row[each]) for each in titles) for row in rows)]) + "\n"
    )


@cache
def report(*texts):
    """What `what-if` says of the group that these outputs show, and what it names as not used."""
    group = observed(*texts)
    if group.stability.is_stable:
        rule = resolve("range")
        document = what_if(group, [rule], parse_events("leave:1", group), rule).to_json()
    else:
        document = group.unstable_document()
    unused = document.pop("not_used")
    return (document, group.stability, group.labels), unused


def changed(rows, field, value):
    """The table of the rows, the first of them with another value in one column."""
    assert field in rows[0]
    return table([{**rows[0], field: value}, *rows[1:]])


VIEWS = {
    "offsets": (OFFSETS, []),
    "state": (STATES, [table(OFFSETS)]),
    "members": (MEMBERS, []),
}
USED = [
    ("offsets", "GROUP", "h"),
    ("offsets", "TOPIC", "v"),
    ("offsets", "PARTITION", "7"),
    ("offsets", "CURRENT-OFFSET", "6"),
    ("offsets", "LOG-END-OFFSET", "7"),
    ("offsets", "LAG", "40"),
    ("offsets", "CLIENT-ID", "d"),
    ("offsets", "CONSUMER-ID", "z"),
    ("state", "ASSIGNMENT-STRATEGY", "range"),
    ("state", "STATE", "Assigning"),
    ("state", "STATE", "Dead"),
    ("state", "GROUP-EPOCH", "4"),
    ("state", "TARGET-ASSIGNMENT-EPOCH", "2"),
    ("state", "#MEMBERS", "3"),
    ("members", "GROUP", "h"),
    ("members", "CONSUMER-ID", "z"),
    ("members", "GROUP-INSTANCE-ID", "other"),
    ("members", "GROUP-INSTANCE-ID", "-"),
    ("members", "CLIENT-ID", "d"),
    ("members", "#PARTITIONS", "2"),
    ("members", "CURRENT-EPOCH", "2"),
    ("members", "TARGET-EPOCH", "4"),
    ("members", "CURRENT-ASSIGNMENT", "t:5"),
    ("members", "TARGET-ASSIGNMENT", "t:5"),
    ("members", "UPGRADED", "false"),
]
"""View, field, and a value of it that changes the report: the contract, from which no field goes to NAMED."""
NAMED = [
    ("offsets", "HOST", "/other"),
    ("offsets", "LEADER-EPOCH", "4"),
    ("offsets", "OTHER", "2"),
    ("state", "COORDINATOR (ID)", "b:2 (2)"),
    ("members", "HOST", "/other"),
]
"""View, field, and a value of it that changes nothing."""


def before_and_after(view, field, value):
    rows, others = VIEWS[view]
    texts = ([table(rows)], [changed(rows, field, value)])
    if view == "state":
        others = others if field != "GROUP" else []
    try:
        return tuple(report(*others, *each) for each in texts)
    except InputError as error:
        return report(*others, *texts[0]), (str(error), {})


@pytest.mark.parametrize(("view", "field", "value"), USED)
def test_a_field_of_a_group_changes_the_report(view, field, value):
    (before, unused), (after, _) = before_and_after(view, field, value)
    assert before != after and field not in unused


@pytest.mark.parametrize(("view", "field", "value"), NAMED)
def test_a_field_of_a_group_that_changes_nothing_is_named(view, field, value):
    before, after = before_and_after(view, field, value)
    if field != "HOST":
        assert before == after
    assert field in before[1] and before[1].keys() == after[1].keys()


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_else_of_a_group_is_named(view):
    rows, others = VIEWS[view]
    _, unused = report(*others, table(rows))
    listed = {field for each, field, _ in NAMED if each == view or (each == "offsets" and others)}
    assert unused.keys() == listed
    assert {*rows[0]} == {field for each, field, _ in (*USED, *NAMED) if each == view} | (
        {"GROUP"} if view == "state" else set()
    )


CLUSTER = {"topics": TOPICS, "brokers": BROKERS, "racks": RACKS, "subscriptions": SUBSCRIPTIONS, "lags": LAGS}
OF_CLUSTER = [
    ("topics", "Topic", "Topic: u\t", "Topic: v\t"),
    ("topics", "PartitionCount", "PartitionCount: 1", "PartitionCount: 2"),
    ("topics", "ReplicationFactor", "ReplicationFactor: 2", "ReplicationFactor: 3"),
    ("topics", "MarkedForDeletion", "Configs: min", "MarkedForDeletion: true\tConfigs: min"),
    ("topics", "Partition", "Partition: 1", "Partition: 2"),
    ("topics", "Leader", "Leader: 0", "Leader: 1"),
    ("topics", "Leader", "Leader: 0", "Leader: none"),
    ("topics", "Leader", "Leader: 0", "Leader: 2"),
    ("topics", "Replicas", "Replicas: 0,1", "Replicas: 0,2"),
    ("topics", "Isr", "Isr: 0,1", "Isr: 0"),
    ("topics", "Isr", "Isr: 0,1", "Isr: 1"),
    ("topics", "Isr", "Isr: 0,1", "Isr: 0,1,2"),
    ("topics", "Elr", "\tElr: ", "\tElr: 1"),
    ("topics", "LastKnownElr", "LastKnownElr: ", "LastKnownElr: 1"),
    ("topics", "Offline", "Offline: ", "Offline: 1"),
    ("topics", "Observers", "Observers: ", "Observers: 1"),
    ("topics", "Adding Replicas", "Isr: 0,1", "Isr: 0,1\tAdding Replicas: 1"),
    ("topics", "Removing Replicas", "Isr: 0,1", "Isr: 0,1\tRemoving Replicas: 1"),
    ("brokers", "id", "id: 1 ", "id: 4 "),
    ("brokers", "rack", "rack: b", "rack: a"),
    ("brokers", "no rack", "rack: b", "rack: null"),
    ("brokers", "isFenced", "rack: b isFenced: false", "rack: b isFenced: true"),
    ("racks", "rack", "b,b", "b,a"),
    ("racks", "consumer", "b,b", ""),
    ("subscriptions", "topics", "b,t u", "b,t"),
    ("subscriptions", "consumer", "b,t u", ""),
    ("lags", "lag", "t,0,7", "t,0,8"),
    ("lags", "partition", "t,0,7", "t,1,7"),
    ("lags", "topic", "t,0,7", "v,0,7"),
]
"""File, field, and a change of it that changes the report."""
NAMED_OF_CLUSTER = [
    ("topics", "TopicId", "TopicId: MR146C8fSzWgAgcASSBtAg", "TopicId: NR146C8fSzWgAgcASSBtAg"),
    ("topics", "Configs: a", "a=b", "a=c"),
    ("topics", "Configs: min.insync.replicas", "replicas=1", "replicas=2"),
    ("topics", "X", "X: 1", "X: 2"),
    ("brokers", "host, port and API versions of brokers", "h:1", "h9:9093"),
]
"""File, name in the report, and a change of the field that changes nothing."""


def with_cluster(name=None, old="", new=""):
    """The report on the group with all files, one of them changed."""
    texts = dict(CLUSTER)
    if name is not None:
        assert old in texts[name]
        texts[name] = texts[name].replace(old, new)
    try:
        return report(table(OFFSETS), *texts.values())
    except InputError as error:
        return str(error), {}


@pytest.mark.parametrize(("name", "field", "old", "new"), OF_CLUSTER)
def test_a_field_of_topics_or_brokers_changes_the_report(name, field, old, new):
    (before, unused), (after, _) = with_cluster(), with_cluster(name, old, new)
    assert before != after and field not in unused


@pytest.mark.parametrize(("name", "field", "old", "new"), NAMED_OF_CLUSTER)
def test_a_field_of_topics_or_brokers_that_changes_nothing_is_named(name, field, old, new):
    before, after = with_cluster(), with_cluster(name, old, new)
    assert before == after and field in before[1]


def test_nothing_else_of_topics_or_brokers_is_named():
    of_group = {field for view, field, _ in NAMED if view == "offsets"}
    assert with_cluster()[1].keys() == of_group | {field for _, field, *_ in NAMED_OF_CLUSTER}


def test_what_is_not_used_is_named_in_the_document():
    shown = here("what-if", *GENUINE, "--group", "g-range", "--to", "range", cwd=CLUSTERS / "genuine").stdout
    assert "not used" not in shown
    found = answer("genuine", *GENUINE, "--group", "g-range", "--to", "range")
    assert found["not_used"] == {name: NOT_USED[name] for name in ("COORDINATOR (ID)", "HOST")}


def test_a_count_that_was_edited_by_hand_is_a_warning():
    members = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n"
    group = observed(members + "g m /h c 1 orders(0,1)\ng n /h d 0 -\n")
    assert group.warnings == ("f1:2: #PARTITIONS is 1, but the assignment next to it has 2: edited by hand?",)


def warnings_of(*texts):
    return "\n".join(observed(*texts).warnings)


STATE = table(STATES)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (
            [changed(OFFSETS, "LAG", "40")],
            "1 row with a LAG that is not LOG-END-OFFSET less CURRENT-OFFSET: t-0 (40, not 4): edited by hand?",
        ),
        (
            [table(OFFSETS), changed(OFFSETS, "LAG", "40")],
            "1 row with another LAG of the same partition: t-0 (4 at f1:2, 40 at f2:2): outputs of different",
        ),
        (
            [table(OFFSETS), changed(OFFSETS, "CONSUMER-ID", "-")],
            "1 row with another owner of the same partition: t-0 (a at f1:2, none): outputs of different times?",
        ),
        ([table(OFFSETS), changed(OFFSETS, "HOST", "/x")], "1 member with several HOSTs: a: outputs of"),
        ([table(OFFSETS), table(OFFSETS)], "f2 is the same as f1: read once"),
        (
            [table(OFFSETS), STATE, changed(STATES, "ASSIGNMENT-STRATEGY", "range")],
            "ASSIGNMENT-STRATEGY is uniform and range in outputs of the state: taken at different times?",
        ),
        (
            [table(OFFSETS), changed(STATES, "STATE", "Dead")],
            "the state is Dead, but 2 members have rows: outputs of different times?",
        ),
        (
            [table(OFFSETS), "Consumer group 'g' has no active members.\n"],
            "the tool says that it has no active members, but 2 members have rows: outputs of different times?",
        ),
        (
            [table(OFFSETS), changed(STATES, "TARGET-ASSIGNMENT-EPOCH", "2")],
            "its target is of epoch 2, the group at epoch 3, though the state is Stable: edited by hand?",
        ),
        ([changed(MEMBERS, "CURRENT-EPOCH", "4")], "0 has a later epoch than TARGET-EPOCH 3: outputs of"),
        (
            [changed(MEMBERS, "TARGET-EPOCH", "2")],
            "TARGET-EPOCH is 2 and 3 in rows of one group: of different",
        ),
        (
            [table(MEMBERS), changed(STATES, "GROUP-EPOCH", "2")],
            "0 and 1 have a later epoch than GROUP-EPOCH 2: outputs of different times?",
        ),
    ],
)
def test_outputs_that_contradict_themselves_are_a_warning(texts, said):
    assert said in warnings_of(*texts)


def test_no_warning_is_given_where_nothing_contradicts():
    assert warnings_of(table(OFFSETS), STATE, *CLUSTER.values()) == ""


@pytest.mark.parametrize(
    "said",
    [
        changed(STATES, "STATE", "Dead"),
        changed(STATES, "STATE", "Empty"),
        "Consumer group 'g' has no active members.\n",
    ],
)
def test_members_of_a_group_without_members_are_no_answer(said):
    group = observed(table(OFFSETS), said)
    assert not group.stability.is_stable and not any("rebalancing" in each for each in group.warnings)


def test_a_lag_that_the_tool_left_out_is_that_of_the_offsets():
    group = observed(changed(OFFSETS, "LAG", "-"))
    assert group.scales.lags is not None and sum(group.scales.lags.values()) == 12


def test_a_file_that_is_given_twice_is_read_once(tmp_path):
    (tmp_path / "g.txt").write_text(table(OFFSETS))
    done = here("what-if", "g.txt", "g.txt", "--to", "range", cwd=tmp_path)
    assert done.returncode == 0 and "warning: g.txt is given twice: read once" in done.stdout


def test_a_table_without_columns_that_no_answer_rests_on_is_read():
    rows = [{key: row[key] for key in row if key not in ("HOST", "CLIENT-ID", "OTHER")} for row in OFFSETS]
    assert observed(table(rows)).assignment == observed(table(OFFSETS)).assignment


def test_lags_that_are_not_known_are_no_zeros(tmp_path):
    (tmp_path / "g.txt").write_text(changed(OFFSETS, "LAG", "-").replace("t 0 a g 5 9", "t 0 a g - 9"))
    assert "t 0 a g - 9 -" in (tmp_path / "g.txt").read_text()
    done = here("what-if", "g.txt", "--to", "range", cwd=tmp_path).stdout
    assert "at least 4; " not in done and "lag per member: at least 4\n" in done
    arguments = ("scale", "g.txt", "--from", "range", "--lag", "--max-members", "2")
    found = valid(json.loads(here(*arguments, "--json", "-", cwd=tmp_path).stdout), "scale-1")
    assert {each["lag"]["unknown_partitions"] for each in found["counts"]} == {1}
    said = here(*arguments, cwd=tmp_path).stdout
    assert "8+" in said and "the lag of 1 partition is not known" in " ".join(said.split())


def test_no_lag_at_all_is_said():
    rows = [{**row, "CURRENT-OFFSET": "-", "LAG": "-"} for row in OFFSETS]
    assert "no lag is known: LAG is `-` in each row" in observed(table(rows)).gaps


@pytest.mark.parametrize(
    ("changed_brokers", "said"),
    [
        (
            BROKERS.replace("rack: b isFenced: false", "rack: b isFenced: true"),
            "broker 1 is fenced: no member fetches from there",
        ),
        (
            "\n".join(BROKERS.split("\n")[2:]),
            "broker 0 is not among the brokers: does not answer, its rack is not known",
        ),
    ],
)
def test_brokers_that_do_not_answer_but_lead_are_of_another_time(changed_brokers, said):
    warnings = warnings_of(table(OFFSETS), TOPICS, changed_brokers)
    assert said in warnings
    assert "leading or in sync by the topics' lines: outputs of different times?" in warnings


@pytest.mark.parametrize(
    ("leader", "isr", "racks"),
    [("1", "1,2,3", (3, 0)), ("none", "1,2,3", (0, 0)), ("1", "1", (0, 0))],
)
def test_what_no_member_can_fetch_is_no_read_within_a_rack(leader, isr, racks):
    """Each partition is led in rack a, with replicas in all three; no owner is in rack a."""
    rows = [f"\tTopic: t\tPartition: {p}\tLeader: {leader}\tReplicas: 1,2,3\tIsr: {isr}" for p in range(3)]
    described = "\n".join(["Topic: t\tPartitionCount: 3\tReplicationFactor: 3\tConfigs: ", *rows])
    owned = [{**OFFSETS[0], "PARTITION": p, "CONSUMER-ID": f"m{p}", "CLIENT-ID": f"c{p}"} for p in range(3)]
    brokers = "".join(f"h:{n} (id: {n} rack: {rack}) -> (\n)\n" for n, rack in enumerate("abc", 1))
    group = observed(table(owned), described, brokers, "consumer,rack\nm0,b\nm1,c\nm2,b\n")
    found = racks_of(group.cluster, group.group, group.assignment, group.scales)
    assert (found.matched, found.of, found.led) == (racks[0], 3, racks[1])
