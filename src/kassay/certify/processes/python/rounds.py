"""A whole round of a group in one request to a Python class in a child process."""

from __future__ import annotations

from collections.abc import Sequence

from kassay.certify.processes.python.calls import PythonCall, PythonCalls, PythonReplies, PythonRequest
from kassay.certify.processes.python.objects import RemoteAssignor, user_data_of
from kassay.model.calls import Failure, failure_of
from kassay.model.failure import TargetFailure
from kassay.model.groups.assignor import Assignor
from kassay.model.groups.group import Assignment
from kassay.model.groups.rounds import AssignCall, Learned, RoundAnswers


class PythonRounds:
    """The door of a child for a whole round, and for all that a group learns of it.

    What reports a generation of its own is asked for that between the calls of a round: then there is no door
    for them.
    """

    def __init__(self, calls: PythonCalls) -> None:
        self._calls = calls
        self.asks = not calls.loaded.reports_generation

    def holds(self, assignors: Sequence[Assignor]) -> bool:
        """Whether all of these live in the present process."""
        return self._calls.alive and all(
            isinstance(each, RemoteAssignor) and each.child is self._calls and each.life == self._calls.life
            for each in assignors
        )

    def ask(
        self, first: AssignCall, members: Sequence[Assignor], looks: Sequence[AssignCall]
    ) -> RoundAnswers:
        """One request; the child answers call by call."""
        group, leader = first.group, _own(first.assignor)
        said = [_own(each).user_data_call(member.topics) for each, member in zip(members, group.members)]
        says = [call for call in said if call is not None]
        calls = [*says, leader.assign_call(first.cluster, group)]
        body = calls[-1].body
        for look in looks:
            again = look.group is group and look.cluster is first.cluster
            asked = _own(look.assignor)
            calls.append(
                PythonCall(asked, "assign", body) if again else asked.assign_call(look.cluster, look.group)
            )
        request = PythonRequest(calls, len(says) + 1, tuple(group.by_id) if says else ())
        replies = self._calls.send(self._calls.guard_of(calls[0].asked, calls[0].method), request)
        user_data: tuple[bytes | None, ...] = (None,) * len(members)
        if says:
            user_data = tuple([user_data_of(replies.next()[0]) for _ in says])
        leader.mutated = None
        try:
            answer, leader.mutated = replies.next()
        except TargetFailure as failure:
            return RoundAnswers(user_data, failure_of(failure))
        seen = tuple([self._look(replies, _own(look.assignor)) for look in looks])
        return RoundAnswers(user_data, leader.answer_of(answer), seen, leader.mutated)

    def _look(self, replies: PythonReplies, asked: RemoteAssignor) -> Assignment | Failure:
        """What is answered to the next second look; none of them ends the round."""
        try:
            self._calls.guard_of(asked, "assign")
            return asked.answer_of(replies.next()[0])
        except TargetFailure as failure:
            return failure_of(failure)

    def tell(self, learned: Sequence[Learned]) -> None:
        """One request, which ends with the first who fails."""
        calls = [call for each in learned if (call := _own(each.assignor).learned_call(each)) is not None]
        if calls:
            guarded = self._calls.guard_of(calls[0].asked, calls[0].method)
            replies = self._calls.send(guarded, PythonRequest(calls, len(calls)))
            for _ in calls:
                replies.next()


def _own(assignor: Assignor) -> RemoteAssignor:
    """The assignor, which is the child's own: the door holds it."""
    assert isinstance(assignor, RemoteAssignor), assignor
    return assignor
