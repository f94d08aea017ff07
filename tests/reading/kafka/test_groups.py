"""`kafka-consumer-groups --describe`: every dialect, what is told beside the tables, and complaints.

Assignments in the three dialects of the members view.

What users write of a group beside the outputs: racks, subscriptions, lags.
"""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka import groups
from kassay.reading.kafka.groups import (
    LAGS,
    RACKS,
    SUBSCRIPTIONS,
    is_groups,
    of_group,
    read_groups,
    read_lags,
    read_said,
    titles_of,
    with_brackets,
    with_colons,
)
from kassay.reading.wrapped import TitledTable
from tests.reading.kafka.outputs import FOLDER, output

APP = ("app-1-3f0c0a52-5f3e-4c0e-9a54-0d1a52b9a001", "app-2-51b7c6de-0c1b-45a1-8f06-3b9d11ce7002")
ORDERS = {("orders", 0): APP[0], ("orders", 1): None, ("orders", 2): APP[0], ("orders", 10): APP[1]}


@pytest.mark.parametrize("name", ["3.9", "verbose-4.4", "1.1"])
def test_the_offsets_view_tells_owners_lags_and_idle_members(name):
    read = read_groups(output(f"groups-offsets-{name}.txt"), "g.txt")
    owners = {(row.topic, row.partition): row.member for row in read.offsets if row.topic}
    assert owners == {**ORDERS, ("refunds", 1): APP[1]}
    (idle,) = [row for row in read.offsets if row.topic is None]
    assert (idle.client_id, idle.host) == ("app-3", "/10.0.0.13")
    assert [row.lag for row in read.offsets] == [58, 0, None, 3, 0, None]
    assert {row.group for row in read.offsets} == {"" if name == "1.1" else "billing"}


@pytest.mark.parametrize("name", ["2.8", "static-2.8", "classic-4.4"])
def test_the_members_view_tells_the_same_in_each_dialect_that_names_topics(name):
    read = read_groups(output(f"groups-members-{name}.txt"), "m.txt")
    assert [row.owned for row in read.members] == [
        (("orders", 0), ("orders", 2)),
        (("orders", 10), ("refunds", 1)),
        (),
    ]
    assert [row.partitions for row in read.members] == [2, 2, 0]
    statics = [row.instance_id for row in read.members]
    assert statics == (["pod-0", None, None] if name == "static-2.8" else [None] * 3)
    assert [row.client_id for row in read.members] == ["app-1", "app-2", "app-3"]


def test_a_dialect_that_lost_the_topics_says_so_of_members_that_own_something():
    read = read_groups(output("groups-members-3.9.txt"), "m.txt")
    assert [(row.owned, row.lost) for row in read.members] == [(None, True), (None, True), ((), False)]


def test_without_verbose_nothing_is_known_of_what_members_own():
    read = read_groups(output("groups-members-plain-2.8.txt"), "m.txt")
    assert [(row.owned, row.lost, row.partitions) for row in read.members] == [
        (None, False, 2),
        (None, False, 2),
        (None, False, 0),
    ]


def test_epochs_targets_and_who_was_upgraded():
    first, second, third = read_groups(output("groups-members-4.4.txt"), "m.txt").members
    assert (first.owned, first.target) == (
        (("orders", 0), ("orders", 2)),
        (("orders", 0), ("refunds", 0)),
    )
    assert (first.epoch, first.target_epoch, third.owned, third.target) == (7, 8, (), (("orders", 2),))
    assert first.is_consumer and second.is_consumer
    mixed = read_groups(output("groups-members-mixed-4.4.txt"), "m.txt").members
    assert [row.is_consumer for row in mixed] == [True, False]
    classic = read_groups(output("groups-members-classic-4.4.txt"), "m.txt").members
    assert [row.is_consumer for row in classic] == [False] * 3


def test_states_with_and_without_epochs_and_a_strategy():
    (stable,) = read_groups(output("groups-state-3.9.txt"), "s.txt").states
    assert (stable.strategy, stable.state, stable.members, stable.epoch) == (
        "cooperative-sticky",
        "Stable",
        3,
        None,
    )
    read = read_groups(output("groups-state-verbose-4.4.txt"), "s.txt")
    assert [(row.strategy, row.state, row.epoch) for row in read.states] == [("uniform", "Reconciling", 8)]
    assert read.rebalancing == {"billing"}
    empty = read_groups(output("groups-state-2.8.txt"), "s.txt")
    assert [(row.strategy, row.state, row.members) for row in empty.states] == [(None, "Empty", 0)]
    assert empty.empty == {"billing"}


def test_several_groups_in_one_text_are_told_apart():
    read = read_groups(output("groups-several-2.8.txt"), "g.txt")
    assert read.groups == ("billing", "idle-jobs", "mailer")
    one = of_group([read], "mailer")
    assert [(row.topic, row.partition, row.member) for row in one.offsets] == [("mails", 0, "m-1")]
    assert not one.empty


def test_every_fixture_of_groups_is_told_by_its_content_and_no_other_is():
    for path in sorted(FOLDER.glob("*.txt")):
        assert is_groups(path.read_text()) is path.name.startswith("groups-"), path.name


BILLING = "billing"
OFFSETS = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
MEMBERS = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n"


def test_a_table_that_was_trimmed_reads_the_same():
    text = OFFSETS + "billing orders 0 1 2 1 app-1 /h app\n"
    (row,) = read_groups(text, "g").offsets
    assert (row.topic, row.partition, row.lag, row.member, row.client_id) == ("orders", 0, 1, "app-1", "app")


def test_a_group_with_blanks_in_its_name_is_read_by_the_places_of_the_titles():
    titles = f"{'GROUP':<15} {'TOPIC':<15} {'PARTITION':<10} {'CURRENT-OFFSET':<15} {'LOG-END-OFFSET':<15} "
    titles += f"{'LAG':<15} {'CONSUMER-ID':<15} {'HOST':<15} CLIENT-ID\n"
    row = f"{'my old group':<15} {'orders':<15} {'0':<10} {'1':<15} {'2':<15} {'1':<15} {'m':<15} {'/h':<15} my app\n"
    (read,) = read_groups(titles + row, "g").offsets
    assert (read.group, read.topic, read.client_id) == ("my old group", "orders", "my app")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "g.txt: no table, expected the output of kafka-consumer-groups.sh --describe"),
        ("a b c\n", "g.txt:1: line: found 'a b c', expected the output of kafka-consumer-groups.sh"),
        (OFFSETS.replace("TOPIC", "TOPICS"), "g.txt:1: titles: found 'GROUP TOPICS PARTITION"),
        (
            MEMBERS.replace("#PARTITIONS", "N"),
            "g.txt:1: titles: found 'GROUP CONSUMER-ID HOST CLIENT-ID N ASS",
        ),
        (
            MEMBERS.replace("ASSIGNMENT", "CURRENT-ASSIGNMENT"),
            "g.txt:1: titles: found 'GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS CURRENT-",
        ),
        (OFFSETS + "g t 0\n", "g.txt:2: row: found 'g t 0', expected 9 columns: GROUP, TOPIC,"),
        (OFFSETS + "g t x 1 1 0 m /h c\n", "g.txt:2: PARTITION: found 'x', expected a number up to"),
        (OFFSETS + "g t 0 1 1 z m /h c\n", "g.txt:2: LAG: found 'z', expected a whole number or `-`"),
        (OFFSETS + "g - 0 1 1 0 m /h c\n", "g.txt:2: PARTITION: found '0', expected `-` with TOPIC alone"),
        (OFFSETS + "g - - - - - - - -\n", "g.txt:2: CONSUMER-ID: found '-', expected a member"),
        (
            MEMBERS + "g m /h c 1 orders0\n",
            "g.txt:2: ASSIGNMENT: found 'orders0', expected topic(0), topic(1)",
        ),
        (MEMBERS + "g - /h c 0 -\n", "g.txt:2: CONSUMER-ID: found '-', expected a member's id"),
        (
            "Error: Consumer group 'g' does not exist.\n",
            "g.txt:1: the tool failed: Error: Consumer group 'g'",
        ),
        (
            "GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE #MEMBERS\ng b:1 (1) range Stable -\n",
            "g.txt:2: #MEMBERS: found '-', expected how many members there are",
        ),
    ],
)
def test_complaints_name_file_line_and_field(text, complaint):
    with pytest.raises(InputError) as caught:
        read_groups(text, "g.txt")
    assert str(caught.value).startswith(complaint)


@pytest.mark.parametrize(("lag", "read"), [("-7", 0), ("-1", 0), ("0", 0), ("1", 1), ("-", None)])
def test_a_lag_below_0_is_none(lag, read):
    """A commit ahead of a stale end offset: the tool prints the difference as it is."""
    text = output("groups-offsets-3.9.txt").replace(" 58 ", f" {lag:<2} ", 1)
    assert read_groups(text, "g.txt").offsets[0].lag == read


NAMES = st.text("abcXYZ019._-", min_size=1, max_size=8)
BLOCKS = st.dictionaries(NAMES, st.lists(st.integers(0, 999_999), min_size=1, max_size=4), max_size=4)


@given(blocks=BLOCKS)
def test_what_kafka_prints_is_read_as_it_was(blocks):
    expected = tuple((topic, number) for topic, numbers in blocks.items() for number in numbers)
    lists = {topic: ",".join(map(str, numbers)) for topic, numbers in blocks.items()}
    assert with_brackets(", ".join(f"{topic}({each})" for topic, each in lists.items()), "F") == expected
    assert with_colons(";".join(f"{topic}:{each}" for topic, each in lists.items()), "F") == expected


@pytest.mark.parametrize("text", ["(0)", "(0,1,10,2)", "(0,1), (2)"])
def test_without_names_nothing_is_known(text):
    assert with_brackets(text, "F") is None


@pytest.mark.parametrize("text", ["orders", "orders(", "orders(x)", "orders()", "(0) orders", "orders(0)(1"])
def test_what_is_no_assignment_in_brackets_is_refused(text):
    with pytest.raises(InputError, match=r"^F: found"):
        with_brackets(text, "F")


@pytest.mark.parametrize("text", ["orders", ":1", "orders:", "orders:x", "orders:1,", "orders:1000000"])
def test_what_is_no_assignment_with_colons_is_refused(text):
    with pytest.raises(InputError, match=r"^F: found"):
        with_colons(text, "F")


def test_the_titles_say_what_it_is():
    assert titles_of("consumer, rack\n") == RACKS
    assert titles_of("\nConsumer,Topics\na,b\n") == SUBSCRIPTIONS
    assert titles_of("topic,partition,lag") == LAGS
    assert titles_of("4,rack-a\n") is None


def test_racks_and_subscriptions():
    (first, second) = read_said("consumer,rack\n# a comment\napp-1,az-a\napp-2,\n", "r.csv", RACKS)
    assert (first.consumer, first.values, str(first.place)) == ("app-1", ("az-a",), "r.csv:3")
    assert second.values == ()
    (only,) = read_said('consumer,topics\n"app-1","orders  refunds"\n', "s.csv", SUBSCRIPTIONS)
    assert only.values == ("orders", "refunds")


def test_lags():
    assert read_lags("topic,partition,lag\norders,3,70\n", "l.csv") == {TopicPartition("orders", 3): 70}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("topic,partition\n", r"l.csv:1: expected the titles topic,partition,lag"),
        ("topic,partition,lag\norders,x,1\n", r"l.csv:2: partition: found 'x'"),
        ("topic,partition,lag\norders,0,-1\n", r"l.csv:2: lag: found '-1', expected a whole number"),
        ("topic,partition,lag\norders,0\n", r"l.csv:2: line: found 'orders,0', expected topic,partition,lag"),
        ("topic,partition,lag\norders,0,1\norders,0,2\n", r"l.csv:3: lag: found '2', expected one lag"),
        ('topic,partition,lag\n"orders,0,1\n', r"l.csv:\d: not CSV"),
    ],
)
def test_complaints_name_the_line(text, complaint):
    with pytest.raises(InputError, match=complaint):
        read_lags(text, "l.csv")


CELL = st.sampled_from(
    ["-", "0", "7", "1000000", "-3", "9" * 19, "9" * 20, "unknown", "٣", "x", "a-1", "/10.0.0.1"]
)
TITLES = (
    "GROUP",
    "TOPIC",
    "PARTITION",
    "CURRENT-OFFSET",
    "LOG-END-OFFSET",
    "LAG",
    "CONSUMER-ID",
    "HOST",
    "CLIENT-ID",
)


@given(
    st.lists(st.lists(CELL, min_size=8, max_size=10), min_size=1, max_size=3),
    st.sampled_from([" ", "\t", "  "]),
)
def test_a_row_read_by_one_pattern_is_the_row_read_cell_by_cell(rows, blank):
    text = "\n".join([" ".join(TITLES), *(blank.join(cells) for cells in rows)])
    with patch.object(groups, "_PLAIN", ()):
        by_cell = read_or_error(text)
    assert read_or_error(text) == by_cell


@given(st.lists(CELL, max_size=11), st.sampled_from([" ", "\t", " \u2003"]), st.booleans())
def test_a_row_that_fits_one_pattern_fits_cell_by_cell(cells, blank, blanks):
    by_cell = TitledTable(" ".join(TITLES))
    by_cell._plain = None
    row = blank.join(cells)
    assert TitledTable(" ".join(TITLES)).fits(row, blanks=blanks) == by_cell.fits(row, blanks=blanks)


def read_or_error(text):
    try:
        return read_groups(text, "g.txt")
    except InputError as error:
        return str(error)


def test_the_parts_of_each_group_are_all_rows_of_the_text_in_their_order():
    outputs = read_groups(ALL_GROUPS, "all.txt")
    assert sorted(outputs.groups) == sorted({row.group for row in outputs.offsets})
    for name in outputs.groups:
        assert of_group([outputs], name).offsets == tuple(r for r in outputs.offsets if r.group == name)
    assert of_group([outputs], "none").offsets == ()


ALL_GROUPS = "\n".join(
    [" ".join(TITLES), *(f"g{n % 3} t {n} 1 2 1 m{n} /h c" for n in range(7)), "g9 t 1 - 2 - - - -"]
)
