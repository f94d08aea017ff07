"""Every output that Kafka's own tools printed is read as what it is, or refused by its name."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.replicas.sources import ClusterSources, take_file
from kassay.model.errors import InputError
from tests.reading.kafka.outputs import FOLDER

GENUINE = FOLDER / "genuine"
PATHS = sorted(GENUINE.glob("*/*.txt"))
OUTPUTS = [path for path in PATHS if path.name != "COMMANDS.txt"]
PLACED = re.compile("topics|brokers|log-dirs|reassign-generate")
OFFSETS: dict[str, tuple[int, dict[str, int]]] = {
    "billing": (6, {"billing-1": 3, "billing-2": 3}),
    "audit": (6, {"audit-1": 6}),
    "gone": (3, {}),
}
"""By group the partitions with offsets, and how many of them each client owns."""
NAMED = {
    "list": r"a list of names|kafka-groups.sh --list|kafka-consumer-groups.sh --list",
    "quorum": "kafka-metadata-quorum.sh",
    "reassign": "kafka-reassign-partitions.sh|the tool failed: Error: Unknown broker id 9|a reassignment",
    "groups-missing": "the tool failed: Error",
    "topics-list": "a list of names",
    "dump": "kafka-dump-log",
    "topics-unavailable": "found lines of 1 of",
    "log-dirs": "kafka-log-dirs.sh",
    "groups-state-verbose-mailer": "the tool failed: Error: Executing consumer group command failed",
    "share-members-verbose": "the tool failed: Exception|an empty file",
    "groups-gone": "the tool failed: Consumer group `gone` does not exist",
    "share-list": "format not recognised",
}
"""What is refused, by the beginning of its name, and as what."""


def taken(path: Any) -> ClusterInputs:
    inputs = ClusterInputs()
    inputs.take(path.read_text(encoding="utf-8"), path.name)
    return inputs


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_output_is_read_or_refused_by_name(path: Any) -> None:
    try:
        inputs = taken(path)
    except InputError as error:
        names = [what for name, what in NAMED.items() if name in path.stem]
        assert names and any(re.search(what, str(error)) for what in names), str(error)
        return
    assert inputs.groups or inputs.others or inputs.topics or inputs.brokers
    assert inputs.cleaned == []
    assert [note for note in inputs.notes if "does not exist" in note] == (
        [f"{path.name}: Error: Consumer group 'mailer' does not exist."]
        if path.parent.name.startswith("2") and path.stem in ("groups-all", "groups-all-state")
        else []
    )


@pytest.mark.parametrize("group", OFFSETS)
def test_the_same_group_reads_the_same_from_the_tools_of_every_release(group: str) -> None:
    seen = set()
    for path in OUTPUTS:
        if not re.fullmatch(rf"groups-(?:offsets-|offsets-verbose-)?{group}", path.stem):
            continue
        try:
            (outputs,) = taken(path).groups
        except InputError as error:
            assert "does not exist or is rebalancing" in str(error) and "0.9.0.1" in path.parent.name
            continue
        count, owned = OFFSETS[group]
        rows = outputs.offsets
        assert len({(row.topic, row.partition) for row in rows}) == len(rows) == count, path
        assert Counter(row.client_id for row in rows if row.member) == owned, path
        assert {row.lag for row in rows} == {0}, path
        seen.add(path.parent.name)
    assert len(seen) >= 5


@pytest.mark.parametrize(
    ("name", "strategy"),
    [("groups-state-billing", "range"), ("groups-state", "range"), ("groups-state-mailer", None)],
)
def test_states_of_every_release(name: str, strategy: str | None) -> None:
    states = [taken(path).groups[0].states for path in OUTPUTS if path.stem == name]
    assert states and all((row.state, row.members) == ("Stable", 2) for (row,) in states)
    assert strategy is None or all(row.strategy == strategy for (row,) in states)


def test_members_of_every_release() -> None:
    rows = {
        path: taken(path).groups[0].members
        for path in OUTPUTS
        if re.fullmatch("groups-members(?:-verbose)?(?:-billing)?", path.stem)
    }
    assert len({path.parent.name for path in rows}) == 5
    for path, members in rows.items():
        assert sorted((row.client_id, row.partitions) for row in members) == [
            ("billing-1", 3),
            ("billing-2", 3),
        ], path
        assert all((row.owned is None) is (row.lost or "verbose" not in path.stem) for row in members), path


@pytest.mark.parametrize(
    "path",
    [path for path in OUTPUTS if PLACED.match(path.stem) and not re.search("list|unavail", path.stem)],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_what_place_reads(path: Any) -> None:
    sources = ClusterSources()
    take_file(sources, str(path))
    assert sources.topics or sources.current or sources.brokers or sources.log_dirs
    if path.stem == "topics" and "4.4.0" not in str(path):
        counts = {each.name: each.partition_count for each in sources.topics}
        assert (counts["orders"], counts["mails"]) == (6, 3)


def test_there_are_many_outputs_in_many_dialects() -> None:
    assert len(OUTPUTS) >= 110 and len({path.parent for path in OUTPUTS}) == 8
