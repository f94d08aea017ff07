from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.plain import application_of, group_document
from kassay.model.shape.legal import TAG_KEYS, TAG_VALUES
from kassay.model.streams.documents import TASK_HISTORY
from kassay.model.streams.events import ProcessJoin
from kassay.model.streams.history import TaskChange, TaskHistory, first_request, next_request
from kassay.model.streams.tasks import CHANGELOG, RUNNING, ClientTasks, TaskAssignment, TaskId, process_id

TASK = TaskId(0, 0)
ONE, OTHER = process_id(0), process_id(1)


def second_request(changelog, lag):
    history = TaskHistory(
        (1,), 1, (ProcessJoin(ONE, 1), ProcessJoin(OTHER, 1)), standby_replicas=1, changelog=changelog
    )
    answer = TaskAssignment({ONE: ClientTasks((TASK,)), OTHER: ClientTasks((), (TASK,))})
    return next_request(first_request(history), answer, TaskChange(lags=(lag,)))


@given(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_a_copy_lacks_at_most_the_whole_changelog(changelog, lag):
    request = second_request(changelog, lag)
    lags = {client.process_id: client.lag_of[TASK] for client in request.clients}
    assert lags == {ONE: RUNNING, OTHER: min(lag, changelog)}
    assert {process["lags"]["0_0"] for process in application_of(request)["processes"]} == set(lags.values())
    for member in group_document(request)["members"]:
        held = {changelog - max(lags[member["process_id"]], 0)} if member["task_offsets"] else set()
        assert set(member["task_offsets"].values()) == held
        assert set(member["task_end_offsets"].values()) == {changelog for _ in held}


@given(st.integers(0, 2**63 - 1))
def test_a_history_keeps_the_length_of_its_changelogs_and_writes_only_an_unusual_one(changelog):
    history = TaskHistory((1,), 1, (ProcessJoin(ONE, 1),), changelog=changelog)
    document = TASK_HISTORY.write(history)
    assert TASK_HISTORY.read(document, "case") == history
    assert ("changelog" in document) is (changelog != CHANGELOG)


def test_tags_have_the_lengths_that_kafka_allows():
    assert TAG_KEYS.accepts("k" * 20)
    assert not TAG_KEYS.accepts("k" * 21)
    assert not TAG_KEYS.accepts("\U0001f680" * 11)
    assert not TAG_KEYS.accepts("a,b")
    assert not TAG_KEYS.accepts(" a")
    assert TAG_VALUES.accepts("a,b" * 10)
    assert not TAG_VALUES.accepts("v" * 31)
    assert not TAG_VALUES.accepts("")
