"""Requests of several calls, as they go to the child and come back."""

from __future__ import annotations

import pytest

from kassay.certify.processes.host import Host
from kassay.certify.processes.python.calls import PythonRequest
from kassay.certify.processes.python.host import PythonHost
from kassay.certify.processes.python.objects import RemoteAssignor
from kassay.model.failure import FailureKind, TargetFailure
from tests.certify.processes.hostile import CLUSTER, GROUP


def three(host: Host) -> tuple[PythonHost, list[RemoteAssignor]]:
    """The host, with an object that behaves, one that raises, and one more that behaves."""
    assert isinstance(host, PythonHost)
    return host, [host.new({"do": do}) for do in ("behave", "raises", "behave")]


def test_calls_that_are_not_needed_are_answered_whatever_became_of_the_others(host: Host) -> None:
    python, objects = three(host)
    calls = [each.assign_call(CLUSTER, GROUP) for each in objects]
    replies = python.send(python.guard_of(objects[0], "assign"), PythonRequest(calls))
    answers = [objects[0].answer_of(replies.next()[0])]
    with pytest.raises(TargetFailure) as caught:
        replies.next()
    answers.append(objects[2].answer_of(replies.next()[0]))
    assert caught.value.kind is FailureKind.RAISED
    assert answers == [objects[2].assign(CLUSTER, GROUP)] * 2


def test_after_a_needed_call_that_fails_nothing_more_is_done(host: Host) -> None:
    python, objects = three(host)
    calls = [each.assign_call(CLUSTER, GROUP) for each in objects]
    replies = python.send(python.guard_of(objects[0], "assign"), PythonRequest(calls, needed=3))
    replies.next()
    with pytest.raises(TargetFailure):
        replies.next()
    answer = objects[2].assign(CLUSTER, GROUP)  # whose reply is that of the next request
    assert sum(map(len, answer.values())) == 5
