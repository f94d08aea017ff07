"""What a coordinator of Streams groups keeps in memory alone, and what comes of it: docs/protocol-findings.md."""

from __future__ import annotations

from kassay.model.protocols.coordinator.loading import appended, read, views
from kassay.model.protocols.coordinator.runtime import CoordinatorCall
from kassay.model.protocols.coordinator.step import LoadAsLeft, Unload
from kassay.model.protocols.coordinator.streams.group import active_processes, group_state
from kassay.model.protocols.values.records import LogHistory
from kassay.model.protocols.values.streams import TaskRoles
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup
from tests.model.protocols.coordinator.streams.threads import AT_ONCE, Threads, tasks

ONE = {"foo": 1, "counts": 1}
RUNS, COPIES, NOTHING = TaskRoles(tasks(0)), TaskRoles((), tasks(0)), TaskRoles()


def test_a_process_whose_copy_could_not_be_written_never_gets_the_task():
    threads = Threads(AT_ONCE._replace(num_standby_replicas=1), topics=ONE)
    threads.choices.given = {"a": RUNS, "b": COPIES, "b2": COPIES}
    threads.join("a")
    assert threads.join("b").tasks == COPIES
    threads.leave("b")
    refused = threads.join("b2", process_id="p-b", write_fails="NOT_ENOUGH_REPLICAS")
    assert refused.error == "COORDINATOR_NOT_AVAILABLE"
    assert threads.join("b2", process_id="p-b").tasks == NOTHING
    assert threads.member("b2").state == "UNRELEASED_TASKS"
    threads.choices.given = {"b2": RUNS}
    threads.leave("a")
    for _ in range(3):
        threads.beat("b2", NOTHING)
    assert group_state(threads.group) == "Reconciling"
    assert threads.member("b2").assigned.active == (), "nobody runs the task, and nobody ever will"
    threads.reload()
    assert threads.beat("b2", NOTHING).tasks == RUNS


def test_after_a_failover_a_client_may_know_the_count_of_endpoints_and_not_the_endpoints():
    threads = Threads()
    threads.choices.given = {"a": TaskRoles(tasks(0)), "b": TaskRoles(tasks(1))}
    threads.join("a", endpoint="host:1")
    threads.join("b", endpoint="host:2")
    threads.beat("b")
    known = threads.beat("a", endpoint_epoch=-1).endpoint_epoch
    assert known == 1
    threads.reload()
    threads.join("c", endpoint="host:3")
    told = threads.beat("a", endpoint_epoch=known)
    assert (told.error, told.endpoint_epoch, told.endpoints) == ("NONE", known, None)
    everything = threads.beat("a", endpoint_epoch=-1)
    assert [each.endpoint for each in everything.endpoints] == ["host:2", "host:3", "host:1"]


def test_that_a_host_is_gone_is_told_to_nobody_whose_tasks_stay_where_they_are():
    threads = Threads(AT_ONCE._replace(num_standby_replicas=1))
    threads.choices.given = {"a": TaskRoles(tasks(0, 1)), "b": TaskRoles(standby=tasks(0, 1))}
    threads.join("a", endpoint="host:1")
    threads.join("b", endpoint="host:2")
    told = threads.beat("a", endpoint_epoch=-1)
    assert [(each.endpoint, len(each.standby)) for each in told.endpoints] == [("host:2", 2), ("host:1", 0)]
    threads.leave("b")
    after = threads.beat("a", endpoint_epoch=told.endpoint_epoch)
    assert (after.error, after.endpoint_epoch, after.endpoints) == ("NONE", told.endpoint_epoch, None)
    everything = threads.beat("a", endpoint_epoch=-1)
    assert [each.endpoint for each in everything.endpoints] == ["host:1"]


def test_a_static_member_whose_id_another_claims_is_led_to_give_everything_up():
    threads = Threads(AT_ONCE._replace(num_warmup_replicas=2))
    threads.join("a")
    threads.join("b", group_instance_id="i")
    threads.beat("a", TaskRoles(tasks(0)))
    threads.beat("b", group_instance_id="i")
    assert threads.member("b").assigned.active == tasks(1)
    threads.join("c")
    assert threads.join("z", group_instance_id="i").error == "UNRELEASED_INSTANCE_ID"
    told = threads.beat("b", group_instance_id="i")
    assert threads.member("b").state == "UNREVOKED_TASKS"
    assert told.tasks == NOTHING, "although its target is what it has"
    assert dict(threads.group.target)["b"] == TaskRoles(tasks(1))


def test_a_log_that_was_compacted_while_it_was_read_frees_what_another_thread_of_the_process_has():
    """The count of active tasks is by process: who gives up what a mate was given takes it off the count."""
    threads = Threads()
    told = LogHistory()

    def noted() -> None:
        nonlocal told
        if threads.happened.records:
            told = appended(told, tuple(threads.happened.records))

    threads.join("a", process_id="p1")
    noted()
    threads.join("b", process_id="p1")
    noted()
    for name, owned in (("a", None), ("a", TaskRoles(tasks(0))), ("b", None)):
        threads.beat(name, owned)
        noted()
    threads.choices.given = {"a": TaskRoles(tasks(0)), "b": TaskRoles(tasks(1))}
    threads.join("c", process_id="p2")
    noted()
    threads.beat("a")
    noted()
    whole = read(tuple(record for batch in told.batches for record in batch), lambda _: False)
    assert isinstance(whole, StreamsTaskGroup) and not whole.counted
    lost = [log for log in views(told) if getattr(read(log, lambda _: False), "counted", ())]
    call = CoordinatorCall(threads.runtime, threads.host.deserted())
    call.take(Unload())
    call.take(LoadAsLeft(lost[0]))
    threads.host = call.host
    assert active_processes(threads.group) == {tasks(0)[0]: "p1"}, "b has 0_1, and nobody counts for it"
    threads.choices.given = {"a": TaskRoles(tasks(0)), "c": TaskRoles(tasks(1))}
    threads.join("d", process_id="p3")
    threads.beat("c")
    assert threads.member("b").assigned.active == threads.member("c").assigned.active == tasks(1)
