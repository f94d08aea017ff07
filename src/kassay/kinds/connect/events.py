"""The events of a Connect cluster's history in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kassay.kinds.events import Event, EventForm
from kassay.writing.text import counted


def _joins(event: Event) -> str:
    running: Mapping[str, Any] = event.get("running") or {}
    work = " ".join([*running.get("connectors", ()), *running.get("tasks", ())])
    return f"{event['worker']} joins" + (f" (runs {work})" if work else "")


def _tasks(event: Event) -> str:
    return counted(event["tasks"], "task")


EVENT_FORMS: Final[Mapping[str, EventForm]] = {
    "WorkerJoin": EventForm(lambda e: f"{e['worker']} joining", _joins),
    "WorkerLeave": EventForm(lambda e: f"{e['worker']} leaving", lambda e: f"{e['worker']} leaves"),
    "LeaderChange": EventForm(lambda _: "the change of the leader", lambda _: "another worker leads"),
    "ConnectorCreate": EventForm(
        lambda e: f"connector {e['connector']} being created",
        lambda e: f"connector {e['connector']} is created with {_tasks(e)}",
    ),
    "ConnectorDelete": EventForm(
        lambda e: f"connector {e['connector']} being deleted",
        lambda e: f"connector {e['connector']} is deleted",
    ),
    "ConnectorResize": EventForm(
        lambda e: f"connector {e['connector']} changing to {_tasks(e)}",
        lambda e: f"connector {e['connector']} now has {_tasks(e)}",
    ),
    "MissedAssignment": EventForm(
        lambda e: f"the assignment that does not reach {e['worker']}",
        lambda e: f"the next assignment does not reach {e['worker']}",
    ),
    "SyncFailure": EventForm(
        lambda _: "the failed sync",
        lambda _: "the next assignment reaches no worker, and the leader knows it",
    ),
}
"""Each event of a cluster by its name."""
