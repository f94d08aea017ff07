"""Rules of the models that are right as well: another client, another log, what no release has yet."""

from __future__ import annotations

from typing import Final

from kassay.engines.protocols.settings import WITH_CLIENTS, WITH_INTERVALS, WITH_LOGS, WITH_TARGETS

VARIANTS: Final[dict[str, tuple[str, ...]]] = {
    "corrected_client": WITH_CLIENTS,
    "compacted_log": WITH_LOGS,
    "late_targets": WITH_INTERVALS,
    "offload": WITH_TARGETS,
    "regex": ("kip848",),
    "fresh_topics": ("streams",),
}
"""The models that have each; `kassay explore --switch` chooses them."""
WORDS: Final = {
    "corrected_client": "clients without the known faults of Kafka's",
    "compacted_log": "a new coordinator reads a compacted log",
    "late_targets": "an interval separates successive targets of a group (KIP-1263)",
    "offload": "targets are computed in the background (KIP-1263; not in 4.4)",
    "regex": "members subscribe by a regular expression that the coordinator resolves",
    "fresh_topics": "the application starts without internal topics",
}
