"""How long a partition had no reader: between the last commit of a reader and the record of the next one."""

import json

from hypothesis import given
from hypothesis import strategies as st

from kassay.certify.audits.readers import CommitTimes, PartitionReaders, committed
from kassay.certify.audits.values import LogMoment
from kassay.model.cluster import TopicPartition
from kassay.reading.kafka.lines import Place
from tests.certify.audits.logs import member, only, tps
from tests.offsets_log import Log

TP = TopicPartition("orders", 0)


def commit_key(group, tp):
    fields = {"group": group, "topic": tp.topic, "partition": tp.partition}
    return json.dumps({"type": "1", "data": fields}).encode()


def at(time):
    return LogMoment(Place("f", 1), time, time)


def readers(*commits, group="g"):
    times = CommitTimes()
    for time in commits:
        times.take(commit_key(group, TP), time)
    return PartitionReaders(group, times)


def taken(reader, time, name, members=("a", "b"), within=None):
    return [
        (each.least, each.most, each.partitions)
        for each in reader.assign({TP: name}, members, at(time), 1, within)
    ]


@given(st.integers(1, 9), st.integers(1, 30), st.integers(0, 50))
def test_a_reader_that_commits_steadily_and_dies_is_missed_between_two_commits(every, count, silent):
    commits = [number * every for number in range(1, count + 1)]
    reader = readers()
    assert taken(reader, 0, "a") == []
    for time in commits:
        reader.commits.take(commit_key("g", TP), time)
    now = commits[-1] + silent
    ((least, most, partitions),) = taken(reader, now, "b")
    assert (most, partitions) == (silent, 1)
    assert least == (max(0, silent - every) if count > 1 else 0)


def test_a_reader_that_never_commits_says_nothing():
    reader = readers()
    assert taken(reader, 0, "a") == []
    assert taken(reader, 10, "b") == [(0, None, 1)]


def test_a_commit_of_an_earlier_reader_says_nothing_of_this_one():
    reader = readers(5)
    assert taken(reader, 10, "a") == []
    assert taken(reader, 90, "b") == [(0, None, 1)]


def test_what_a_record_takes_away_has_no_reader_from_then_on():
    reader = readers()
    assert taken(reader, 0, "a") == []
    reader.release([TP], at(20))
    reader.release([TP], at(25))
    assert taken(reader, 30, "a") == [(10, None, 1)]


def test_a_partition_that_stays_is_read_and_so_it_is_under_another_id():
    reader = readers()
    assert taken(reader, 0, "a") == taken(reader, 10, "a") == []
    reader.rename({"a": "a2"})
    assert taken(reader, 20, "a2") == []
    reader.forget()
    assert taken(reader, 30, "b") == []


def test_a_dead_member_is_replaced_within_its_session_and_the_wait_for_the_others():
    reader = readers()
    assert taken(reader, 0, "a") == []
    reader.commits.take(commit_key("g", TP), 1)
    assert taken(reader, 1000, "b", within=300) == [(0, 300, 1)]


@given(st.text(max_size=8), st.text(max_size=8))
def test_the_key_of_a_commit_names_its_group_and_partition(group, topic):
    assert committed(commit_key(group, TopicPartition(topic, 1))) == (group, TopicPartition(topic, 1))


def test_what_a_key_of_another_form_says():
    of_text = b'{"data":{"group":"g","topic":"t","partition":"0"}}'
    assert [committed(key) for key in (b"{", b'{"data":{"topic":1}}', b"[]", of_text)] == [None] * 4


def test_a_member_that_dies_leaves_its_partitions_without_a_reader():
    log = Log()
    a, b = member("a", tps("orders", 0, 1)), member("b", tps("orders", 2, 3))
    log.classic("billing", 1, "range", "a", [a, b])
    for _ in range(5):
        log.next(1000)
        for number in range(4):
            log.commit("billing", tps("orders", number)[0], 7)
    log.next(6000)
    log.classic("billing", 2, "range", "b", [member("b", tps("orders", 0, 1, 2, 3))])
    group = only(log)
    (unread,) = group.without_reader
    assert (unread.least, unread.most, unread.partitions) == (4000, 10_000, 2), "each commits every 5 s"
    assert group.longest_unread is unread
