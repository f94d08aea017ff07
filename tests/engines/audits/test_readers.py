"""How long a partition had no reader: between the last commit of a reader and the record of the next one."""

import json

from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.audits.readers import CommitTimes, PartitionReaders, committed
from kassay.engines.audits.values import GroupAudit, GroupProtocol, LogMoment, UnreadTime, audit_document
from kassay.model.cluster import TopicPartition
from kassay.reading.kafka.lines import Place
from kassay.report.screen.audits import no_reader
from tests.engines.audits.logs import audited, member, of_records, only, tps
from tests.offsets_log import Log, dump

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


@given(st.lists(st.integers(1, 9), min_size=2, max_size=20), st.integers(0, 50))
def test_a_task_is_read_while_its_thread_commits_any_of_its_sources(gaps, silent):
    sources = (TP, TopicPartition("refunds", 1))
    times = CommitTimes()
    reader = PartitionReaders("g", times, lambda _: sources)
    task = TopicPartition("0", 1)
    assert reader.assign({task: "a"}, ("a", "b"), at(0), 1, None) == []
    now = 0
    for number, gap in enumerate(gaps):
        now += gap
        times.take(commit_key("g", sources[number % 2]), now)
    (found,) = reader.assign({task: "b"}, ("a", "b"), at(now + silent), 2, None)
    assert found.most == silent and 0 <= found.least <= silent


def streams_group(log, epoch, **tasks):
    """A target of these threads, taken at once."""
    log.streams_epoch("app", epoch, 0)
    for name, active in tasks.items():
        log.streams_target("app", name, tps("0", *active))
    log.streams_target_epoch("app", epoch)
    for name, active in tasks.items():
        log.streams_current("app", name, epoch, tps("0", *active))
    log.next(1000)


def a_streams_group():
    log = Log()
    log.topology("app", {"0": (("orders", "refunds"), False)})
    for name in ("a", "b"):
        log.streams_member("app", name, f"p-{name}", client=name)
    streams_group(log, 1, a=(0, 1), b=(2, 3))
    return log


def a_dies(log):
    """The thread dies, its session ends 6 s later, and the other one gets its tasks."""
    log.next(6000)
    log.streams_member("app", "a", None)
    log.streams_target("app", "a", None)
    log.streams_current("app", "a", None)
    streams_group(log, 2, b=(0, 1, 2, 3))
    return only(log)


def test_a_thread_that_dies_leaves_its_tasks_without_a_reader():
    log = a_streams_group()
    for _ in range(5):
        log.next(1000)
        for number in range(4):
            log.commit("app", TopicPartition("orders", number), 7)
    group = a_dies(log)
    (unread,) = group.without_reader
    assert (unread.least, unread.most, unread.partitions) == (4000, 10_000, 2), "each commits every 5 s"
    assert group.unread_unknown is None
    document = audit_document(of_records(log.records), (), None)
    assert document["groups"][0]["without_reader_unknown"] is None


def test_without_commits_it_is_said_why_nothing_is_known_of_tasks():
    group = a_dies(a_streams_group())
    assert group.without_reader and group.unread_most is None
    assert group.unread_unknown == (
        "the file has no offsets that the group committed before partitions changed hands"
    )


def share_group(log, epoch, **given):
    log.share_epoch("s", epoch)
    for name, tps_ in given.items():
        log.share_target("s", name, tps_)
    log.share_target_epoch("s", epoch)
    for name, tps_ in given.items():
        log.share_current("s", name, epoch, tps_)
    log.next(2000)


def test_a_partition_of_a_share_group_has_a_reader_while_any_member_has_it():
    log = Log()
    log.shareable("s", {"A": "orders"}, tps("A", 0, 1))
    for name in ("a", "b"):
        log.share_member("s", name, ["orders"])
    share_group(log, 1, a=tps("A", 0), b=tps("A", 0, 1))
    share_group(log, 2, a=tps("A", 1), b=tps("A", 1))
    share_group(log, 3, a=tps("A", 0), b=tps("A", 1))
    group = only(log)
    (unread,) = group.without_reader
    assert (unread.least, unread.most, unread.partitions) == (2000, None, 1)
    assert group.unread_most is None and "a share group commits no offsets" in (group.unread_unknown or "")


def test_a_group_that_gives_nothing_on_says_so_instead_of_a_figure():
    group = only(a_streams_group())
    assert group.unread_most is None
    assert group.unread_unknown == (
        "no record in the file takes a partition from one member and gives it to another"
    )


def test_times_of_which_some_are_unknown_are_marked():
    times = [UnreadTime(0, 9000, 1, 2, at(1)), UnreadTime(10_000, None, 1, 3, at(2))]
    group = GroupAudit("g", GroupProtocol.CLASSIC, without_reader=times)
    assert (group.unread_most, no_reader(group)) == (10_000, "10 s+")
    assert group.unread_unknown == "no offsets were committed before 1 of 2 changes of reader"


def test_readers_stay_where_the_name_of_their_topic_is_learned_later():
    reader = readers()
    of_id = TopicPartition("FSJ0OeS0SKytqE1MDkB7nA", 0)
    assert reader.assign({of_id: "a"}, ("a", "b"), at(0), 1, None) == []
    reader.name_topics(lambda tps: [TopicPartition("orders", number) for _, number in tps])
    reader.release([TP], at(5))
    assert taken(reader, 20, "b") == [(15, None, 1)]


def test_records_without_times_are_the_reason():
    log = a_streams_group()
    streams_group(log, 2, a=(0,), b=(1, 2, 3))
    streams_group(log, 3, a=(0, 1), b=(2, 3))
    (group,) = audited(dump(log.records, metadata=False)).groups
    assert (group.unread_most, group.unread_unknown) == (None, "the records have no times")
