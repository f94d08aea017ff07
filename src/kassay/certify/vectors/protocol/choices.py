"""The free choices of a genuine trace, read from the step that is being checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kassay.certify.vectors.protocol.codec import partitions_of
from kassay.model.protocols.values.choices import ASSIGNOR, LEADER, PROTOCOL, Target, TargetAsk
from kassay.model.protocols.values.groups import PREPARING, STABLE
from kassay.model.protocols.values.requests import REVOCATION, Armed, Partitions, SetTimer


class TraceChoices:
    """Answers as the trace went on; `turn_to` moves it to the next step."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._before: Mapping[str, Any] = {}
        self._step: Mapping[str, Any] = {"state": {}}
        self._fired: Iterator[list[str]] = iter(())

    def turn_to(self, step: Mapping[str, Any]) -> None:
        """The next step is to be answered for."""
        self._known |= {*_ids(self._step), self._step.get("event", {}).get("member")}
        self._before = self._step["state"]
        self._step = step
        self._fired = iter(step["fired"])

    def pick(self, kind: str, options: Sequence[str]) -> str:
        """The option that shows in the state after the step."""
        if len(options) == 1:
            return options[0]
        state, before = self._step["state"], self._before
        if kind == LEADER:
            return self._leader(options)
        outvoted = (before.get("state"), state.get("state")) == (STABLE, PREPARING)
        if kind == PROTOCOL and outvoted and self._step["event"]["event"] == "join":
            # A static member came back and the vote went against the present protocol: hence the rebalance.
            return next(option for option in options if option != before["protocol"])
        chosen = state.get("assignor" if kind == ASSIGNOR else "protocol")
        return chosen if chosen in options else options[0]

    def _leader(self, options: Sequence[str]) -> str:
        """The leader after the step; where another change hides it, the first in map order."""
        chosen = self._step["state"].get("leader")
        if chosen in options:
            return str(chosen)
        for state in (self._step["state"], self._before):
            for member in state.get("members", ()):
                if member["id"] in options:
                    return str(member["id"])
        return options[0]

    def member_id(self, prefix: str) -> str:
        """The id that turns up in this step for the first time."""
        used = {*self._known, self._step["event"].get("member")}
        fresh = [member_id for member_id in _ids(self._step) if member_id not in used]
        return next((each for each in fresh if each.startswith(prefix)), f"{prefix}-never shown")

    def target(self, ask: TargetAsk) -> Target:
        """The target after the step, for the members asked about.

        A target whose write failed is not shown. All that can then be seen of it is whether the member
        had to give something up: that armed its revocation timer, which a failed write does not undo.
        """
        state = self._step["state"]
        target: dict[str, Partitions] = {member.member_id: member.target for member in ask.members}
        for record in self._step["records"]:
            if record["type"] == "target" and not record.get("tombstone"):
                target[record["member"]] = partitions_of(record["partitions"])
        for member, tps in state.get("target", {}).items():
            target[member] = partitions_of(tps)
        if "write_fails" in self._step["event"]:
            target |= {member.member_id: self._unwritten(member.member_id) for member in ask.members}
        return tuple((member.member_id, target[member.member_id]) for member in ask.members)

    def _unwritten(self, member_id: str) -> Partitions:
        """Nothing for a member whose revocation timer runs, else what the member has."""
        if any(timer[:2] == [REVOCATION, member_id] for timer in self._step["state"]["timers"]):
            return ()
        members = self._before.get("members", ())
        return next((partitions_of(m["assigned"]) for m in members if m["id"] == member_id), ())

    def first_of(self, due: Armed) -> SetTimer:
        """Of the timers due, the one that fired next."""
        expected = next(self._fired, None)
        for order in due:
            if expected is not None and [order.timer.kind, order.timer.member_id or None] == expected:
                return order
        return due[0]


def _ids(step: Mapping[str, Any]) -> list[str]:
    """Every member id that a step shows beside the one that it is about, without repeats."""
    state = step["state"]
    ids = [response.get("member") for response in step.get("responses", ())]
    ids += [member["id"] for member in state.get("members", ())]
    ids += state.get("pending_join", ())
    ids += [member for _, member, _ in state.get("timers", ())]
    ids += [member["id"] for record in step.get("records", ()) for member in record.get("members", ())]
    return [member for member in dict.fromkeys(ids) if member]
