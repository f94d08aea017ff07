"""Regular expressions of a consumer group: when they are resolved, and what becomes of who subscribes by one."""

from __future__ import annotations

from kassay.model.protocols.coordinator.consumer.group import group_state
from kassay.model.protocols.coordinator.consumer.regexes import is_valid, matched
from kassay.model.protocols.values import errors
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.groups import ASSIGNING, STABLE, UNREVOKED
from kassay.model.protocols.values.records import Regex, ResolutionApplied, ResolutionRun
from kassay.model.protocols.values.requests import Config, MetadataChanged, image_of
from tests.model.protocols.coordinator.drive import Drive, tps

LATER = 10_001


def join(drive: Drive, member: str, regex: str, **more):
    more = {"subscribed_topic_names": (), "subscribed_topic_regex": regex} | more
    return drive.modern(member, **more)


def resolve(drive: Drive) -> None:
    drive.note(drive.runtime.deliver(drive.host, ResolutionApplied()))


def publish(drive: Drive, number: int, **topics: int) -> None:
    image = image_of(topics.items())
    drive.note(drive.runtime.deliver(drive.host, MetadataChanged(image, number)))


def under_way(drive: Drive) -> bool:
    return bool(drive.host.state.background.tasks)


def resolved(drive: Drive) -> dict[str, tuple[str, ...]]:
    return {regex: result.topics for regex, result in drive.consumer.resolved}


def subscribed() -> Drive:
    """Member a subscribes by fo.*, which is resolved, and has all that it matches."""
    drive = Drive()
    join(drive, "a", "fo.*")
    resolve(drive)
    drive.modern("a", 1, topic_partitions=())
    return drive


def test_a_new_expression_matches_nothing_until_it_is_resolved_and_is_assigned_by_the_next_heartbeat():
    drive = Drive(topics={"foo": 2, "bar": 1})
    assert join(drive, "a", "fo.*").member_epoch == 1 and under_way(drive)
    assert drive.consumer.epoch == 1, "nothing to assign yet"
    resolve(drive)
    assert resolved(drive) == {"fo.*": ("foo",)} and not under_way(drive)
    assert group_state(drive.consumer) == ASSIGNING and drive.member("a").assigned == ()
    assert drive.modern("a", 1, topic_partitions=()).assignment == tps(0, 1)
    assert group_state(drive.consumer) == STABLE


def test_an_expression_that_does_not_compile_is_refused_where_it_is_new():
    drive = Drive()
    assert join(drive, "a", "(foo").error == errors.INVALID_REGULAR_EXPRESSION
    assert drive.group is None and not under_way(drive)
    assert is_valid("fo.*") and not is_valid("(foo")
    assert matched("b.*", image_of({"foo": 1, "bar": 1}.items())) == ("bar",)


def test_the_task_reads_the_image_that_there_is_when_it_runs():
    drive = Drive()
    join(drive, "a", "fo.*")
    publish(drive, 2, foo=4, fob=1)
    drive.note(drive.runtime.deliver(drive.host, ResolutionRun()))
    publish(drive, 3, foo=4, fob=1, foc=1)
    resolve(drive)
    assert resolved(drive) == {"fo.*": ("fob", "foo")}
    ((_, result),) = drive.consumer.resolved
    assert result.image == 2


def test_a_created_topic_is_seen_ten_seconds_after_the_last_resolution():
    drive = subscribed()
    publish(drive, 2, foo=4, fob=1)
    drive.modern("a", 2, topic_partitions=tps(0, 1, 2, 3))
    assert not under_way(drive), "resolved a moment ago"
    drive.wait(LATER)
    drive.modern("a", 2)
    assert under_way(drive)
    drive.modern("a", 2)
    resolve(drive)
    assert resolved(drive) == {"fo.*": ("fob", "foo")}


def test_a_result_that_is_the_old_one_bumps_where_a_topic_of_it_has_grown_meanwhile():
    """`handleRegularExpressionsResult` compares the hash of the metadata as well."""
    for partitions, more in ((4, 0), (5, 1)):
        drive = subscribed()
        drive.wait(LATER)
        publish(drive, 2, foo=4, bar=1)
        drive.modern("a", drive.member("a").epoch)
        assert under_way(drive)
        publish(drive, 3, foo=partitions, bar=1)
        before = drive.consumer.epoch
        resolve(drive)
        assert resolved(drive) == {"fo.*": ("foo",)}
        assert drive.consumer.epoch == before + more


def test_a_deleted_topic_waits_for_the_refresh_interval():
    drive = Drive(topics={"foo": 4, "bar": 1})
    join(drive, "a", "fo.*")
    resolve(drive)
    publish(drive, 2, bar=1)
    for _ in range(40):
        drive.wait(15_000)
        drive.modern("a", drive.member("a").epoch, topic_partitions=())
    assert not under_way(drive), "ten minutes are not over"
    drive.wait(LATER)
    drive.modern("a", drive.member("a").epoch)
    assert under_way(drive)
    resolve(drive)
    assert resolved(drive) == {"fo.*": ()}


def test_a_failover_forgets_the_task_and_the_next_heartbeat_begins_it_anew():
    drive = Drive()
    join(drive, "a", "fo.*")
    drive.reload()
    assert not under_way(drive)
    drive.modern("a", 1)
    assert under_way(drive)


def test_who_brings_a_known_expression_bumps_at_once_and_who_brings_a_new_one_gives_up_what_it_has():
    drive = subscribed()
    assert drive.member("a").assigned == tps(0, 1, 2, 3)
    epoch = drive.consumer.epoch
    join(drive, "b", "fo.*")
    assert drive.consumer.epoch == epoch + 1
    drive.wait(LATER)
    has = drive.member("a").assigned
    drive.modern("a", drive.member("a").epoch, topic_partitions=has, subscribed_topic_regex="f.o")
    member = drive.member("a")
    assert (member.state, member.assigned, member.pending) == (UNREVOKED, (), has)


def test_who_drops_its_expression_bumps_at_once_and_the_last_one_writes_its_end():
    drive = subscribed()
    epoch, written = drive.consumer.epoch, len(drive.records)
    drive.modern("a", drive.member("a").epoch, topic_partitions=(), subscribed_topic_regex="")
    assert drive.consumer.epoch == epoch + 1 and resolved(drive) == {}
    assert r.LogRecord((r.REGEX, Regex("fo.*")), None) in drive.records[written:]


def test_where_nobody_subscribes_by_an_expression_any_more_nothing_is_resolved():
    """`maybeUpdateRegularExpressions` schedules no task for no expression, however long ago the last one was."""
    drive = subscribed()
    drive.wait(LATER)
    drive.modern("a", drive.member("a").epoch, topic_partitions=(), subscribed_topic_regex="")
    assert not under_way(drive)


def test_a_member_that_goes_takes_along_what_only_it_subscribed_to():
    drive = subscribed()
    join(drive, "b", "b.*")
    drive.modern("a", -1)
    assert resolved(drive) == {}
    drive.wait(LATER)
    drive.modern("b", drive.member("b").epoch)
    resolve(drive)
    assert resolved(drive) == {"b.*": ()}


def test_a_result_whose_subscriber_is_gone_is_left_out():
    drive = Drive()
    join(drive, "a", "fo.*"), join(drive, "b", "b.*")
    drive.modern("a", -1)
    resolve(drive)
    assert resolved(drive) == {}, "b's came too late for this task"
    drive.modern("b", drive.member("b").epoch)
    assert under_way(drive)


def test_a_result_that_cannot_be_written_is_lost_and_asked_for_again():
    drive = Drive()
    join(drive, "a", "fo.*")
    drive.note(drive.runtime.deliver(drive.host, ResolutionApplied(), "NOT_ENOUGH_REPLICAS"))
    assert resolved(drive) == {} and not under_way(drive)
    drive.modern("a", 1)
    assert under_way(drive)


def test_in_2024_an_expression_was_refused():
    drive = Drive(Config(switches=frozenset({"regexes_refused"})))
    assert join(drive, "a", "fo.*").error == errors.INVALID_REQUEST


def test_who_changes_its_expression_stands_still_until_the_last_resolution_is_ten_seconds_old():
    drive = Drive(topics={"foo": 4, "bar": 1})
    join(drive, "a", "fo.*"), join(drive, "b", "b.*")
    drive.wait(20_000)
    resolve(drive)
    for _ in range(2):
        drive.modern("a", drive.member("a").epoch, topic_partitions=drive.member("a").assigned)
        drive.modern("b", drive.member("b").epoch, topic_partitions=drive.member("b").assigned)
        resolve(drive)
        drive.wait(10_001)
    has, epoch = drive.member("a").assigned, drive.consumer.epoch
    assert has == tps(0, 1, 2, 3)
    join(drive, "c", "c.*")
    resolve(drive)
    drive.modern("a", drive.member("a").epoch, topic_partitions=has)
    changed = drive.modern("a", drive.member("a").epoch, topic_partitions=has, subscribed_topic_regex="fo+")
    assert changed.assignment == () and not under_way(drive)
    began = drive.now
    while drive.member("a").assigned != has:
        assert not any(set(has) & set(member.assigned) for member in drive.consumer.members)
        drive.wait(5_000)
        for member in ("a", "b", "c"):
            present = drive.member(member)
            drive.modern(member, present.epoch, topic_partitions=present.assigned)
        resolve(drive)
    assert 15_000 <= drive.now - began <= 20_000
    assert drive.consumer.epoch > epoch
