"""From one client library to another: defaults next to each other, and whether both fit into one group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kassay.engines.clusters.clients.rules import (
    ClientLibrary,
    ClientRules,
    PairRun,
    measured_clients,
)
from kassay.engines.clusters.rolling_scene import ClientSetting

SCHEMA: Final = "kassay/client-change/1"
CONSUMER: Final = "consumer"
"""The consumer protocol, in the place of an assignor of the classic one."""


@dataclass(frozen=True)
class ClientChange:
    """Two libraries. `assignor`: the group's own today, None if no group is given."""

    old: ClientLibrary
    new: ClientLibrary
    assignor: str | None = None

    @property
    def runs(self) -> tuple[PairRun, ...]:
        """What was measured of both in one group."""
        return measured_clients().runs_of(self.old.name, self.new.name)

    @property
    def shared(self) -> tuple[str, ...]:
        """The assignors under which both were members of one group."""
        return tuple(run.assignor for run in self.runs if run.is_shared)

    @property
    def common(self) -> tuple[str, ...]:
        """The assignors that both send without any setting, by their names on the wire."""
        new = self.new.rules.sent.protocols
        return tuple(name for name in self.old.rules.sent.protocols if name in new)

    @property
    def present(self) -> str:
        """The group's assignor, else the first that the old library sends without any setting."""
        return self.assignor or self.old.rules.sent.protocols[0]

    def setting_of(self, assignor: str) -> str:
        """The new library's setting for the assignor."""
        remote = ClientSetting(remote="uniform")
        return self.new.rules.written(remote if assignor == CONSUMER else ClientSetting((assignor,)))

    def to_json(self) -> dict[str, Any]:
        """The document of `kassay what-if --library A,B --json`."""
        return {
            "schema": SCHEMA,
            "measured": {"broker": measured_clients().broker, "date": measured_clients().date},
            "libraries": [[each.name, each.rules.version] for each in (self.old, self.new)],
            "defaults": [list(row) for row in default_rows(self)],
            "assignor": self.assignor,
            "common_by_default": list(self.common),
            "shared": list(self.shared),
            "runs": [
                {
                    "assignor": run.assignor,
                    "first": list(run.first),
                    "alone": run.alone,
                    "second": list(run.second),
                    "error": run.error,
                    "shared": run.is_shared,
                }
                for run in self.runs
            ],
        }


def default_rows(change: ClientChange) -> Iterator[tuple[str, str, str]]:
    """The default of each setting, old and new."""
    for title, read in _DEFAULTS.items():
        old, new = (read(each.rules) for each in (change.old, change.new))
        yield title, old, new


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:g} s"


def _learns(rules: ClientRules) -> str:
    return _seconds(rules.source.metadata_ms) if rules.source.metadata_ms else "never"


_DEFAULTS: Final[Mapping[str, Callable[[ClientRules], str]]] = {
    "assignors": lambda rules: ", ".join(rules.sent.protocols),
    "session timeout": lambda rules: _seconds(rules.sent.session_ms),
    "rebalance timeout": lambda rules: _seconds(rules.sent.rebalance_ms),
    "version of the subscription": lambda rules: str(rules.sent.subscription),
    "heartbeat (source)": lambda rules: _seconds(rules.source.heartbeat_ms),
    "without an offset (source)": lambda rules: rules.source.reset,
    "learns of partitions within (source)": _learns,
    "consumer protocol": lambda rules: "yes" if rules.consumer.setting else "no",
}
