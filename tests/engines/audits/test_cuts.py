"""A record that is missing in the middle of a log reads as a gap: it accuses no group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from kassay.engines.audits.values import LogAudit
from kassay.model.errors import InputError
from tests.engines.audits.histories.test_consumer import a_share_life
from tests.engines.audits.histories.test_streams import a_streams_life
from tests.engines.audits.logs import audited, found, of_records
from tests.offsets_log import Log
from tests.paths import ROOT
from tests.played_log import a_life, played, write_classic, write_consumer
from tests.played_targets import played_tasks, write_share, write_streams

FILES = [
    path
    for folder in (ROOT / "tests" / "data" / "kafka-tools", ROOT / "examples" / "cluster")
    for path in sorted(folder.glob("*.txt"))
    if "\n| offset: " in path.read_text() and path.name != "offsets-3.6.txt"
]


def _classic(spec: str) -> Log:
    log = Log()
    write_classic(log, "g", spec, played(spec, a_life()))
    return log


def _consumer(spec: str) -> Log:
    log = Log()
    write_consumer(log, "g", {"server-range": "range"}.get(spec, spec), played(spec, a_life()))
    return log


def _share() -> Log:
    log = Log()
    write_share(log, "g", played("share-simple", a_share_life()))
    return log


def _streams() -> Log:
    log = Log()
    write_streams(log, "g", played_tasks("streams-group-sticky", a_streams_life()))
    return log


def _two_of_a_kind() -> Log:
    """Two groups in one partition, one of which owns a partition twice."""
    log = _consumer("uniform")
    log.records += [
        replace(
            each, offset=len(log.records) + number, batch=each.batch + 10**6, key={**each.key, "groupId": "h"}
        )
        for number, each in enumerate(_consumer("server-range").records)
    ]
    return log


LOGS: dict[str, Callable[[], Log]] = {
    **{spec: partial(_classic, spec) for spec in ("range", "sticky", "cooperative-sticky")},
    **{spec: partial(_consumer, spec) for spec in ("uniform", "server-range")},
    "share": _share,
    "streams": _streams,
    "two groups": _two_of_a_kind,
}


def _accused_by_cuts(log: Log, length: int) -> list[tuple[int, object]]:
    """Each cut of this length, with what it is found to break that the whole log does not show."""
    whole = found(of_records(log.records))
    accused = []
    for at in range(len(log.records) - length + 1):
        new = found(of_records(log.records[:at] + log.records[at + length :])) - whole
        accused += [(at, new)] if new else []
    return accused


@pytest.mark.parametrize("name", LOGS)
def test_no_record_that_is_cut_out_accuses_a_group(name: str) -> None:
    assert _accused_by_cuts(LOGS[name](), 1) == []


@pytest.mark.slow
@pytest.mark.parametrize("length", [2, 3, 5, 8, 13, 21])
@pytest.mark.parametrize("name", LOGS)
def test_no_records_that_are_cut_out_together_accuse_a_group(name: str, length: int) -> None:
    assert _accused_by_cuts(LOGS[name](), length) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_line_that_is_cut_out_of_a_file_accuses_a_group(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    if not lines[-1].endswith("\n"):
        with pytest.raises(InputError, match=r"the file is cut: .* in the middle of a record"):
            audited("".join(lines))
        lines = lines[:-2]
    whole = found(audited("".join(lines)))
    *cuts, end = [at for at, line in enumerate(lines) if line.startswith("| ")]
    assert cuts
    with pytest.raises(InputError, match=r"the file is cut: .* in the middle of a batch"):
        audited("".join(lines[:end] + lines[end + 1 :]))
    accused = {at: found(audited("".join(lines[:at] + lines[at + 1 :]))) - whole for at in cuts}
    assert not any(accused.values()), accused


def test_a_single_gap_is_named() -> None:
    log = _consumer("uniform")
    cut = len(log.records) // 2
    audit: LogAudit = of_records(log.records[:cut] + log.records[cut + 1 :])
    assert any(f"offset {cut} is missing" in note or "offsets are missing" in note for note in audit.notes)
