"""Streams-public-sticky before 4.4: a process keeps at most tasks / all threads, rounded down, a thread.

Otherwise as since 4.4. So where tasks do not divide evenly, up to threads - 1 tasks leave the process that
ran them and are placed by load; with fewer tasks than threads, all of them are.
Source: Kafka `assignors.StickyTaskAssignor`, branches 3.8 to 4.3 (KIP-924), the same in all of them.
Cost: as `public_sticky`.
"""

from __future__ import annotations

from kassay.assignors.java_errors import DivisionByZeroError
from kassay.assignors.registry import reference
from kassay.assignors.streams.public_sticky import PublicPlacement, placed
from kassay.assignors.streams.sticky import ProcessPlacement
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import TaskAssignment, TaskRequest


class FlooredPlacement(PublicPlacement):
    """The public rule with the quota of the internal sticky rule of Kafka Streams."""

    kept_at_most = ProcessPlacement.kept_at_most


@reference(
    "streams-public-sticky",
    kind=STREAMS,
    claims=("standby-disjoint", "standby-count", "task-errors"),
    source="org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor",
    since="3.8",
)
class StreamsPublicStickyFloor:
    """Leaves tasks where they ran up to a share rounded down, then where copies are, then chooses by load."""

    name = "streams-public-sticky"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The tasks of all processes; raises `DivisionByZeroError` if there is no process."""
        if not request.clients:
            raise DivisionByZeroError("/ by zero")
        return placed(FlooredPlacement(request))
