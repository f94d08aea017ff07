"""Findings: the representative history of each violation, shrunk by Spark tasks.

Two findings are the same if target, claim, class of input and kind of violation agree. The history of
the smallest size, then of the lowest index, represents it. Shrinking preserves class and kind, so that
the reported violation is the one found. The findings of a campaign, read from their table, and their
traces as files.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.engines.runs.blocks import Bench, open_bench
from kassay.engines.runs.counterexamples import counterexample, smallest_case
from kassay.kinds.judging import Examination, Subject
from kassay.kinds.protocol import Driver
from kassay.model.errors import InputError
from kassay.pipeline.campaign.lanes import Lane
from kassay.pipeline.campaign.records import (
    CONTRADICTORY,
    HEADER,
    Campaign,
    Key,
    Smallest,
    bucket_of,
    kind_of,
)
from kassay.pipeline.campaign.tables import FINDINGS
from kassay.pipeline.store import Store
from kassay.pipeline.tables import arrow_struct, signed
from kassay.pipeline.workers import TargetFile, as_on_driver, on_workers, sources_of
from kassay.properties.claims import parse_claim
from kassay.properties.sources import derive_seed
from kassay.reading.documents import suggestion
from kassay.reading.values import read_as
from kassay.writing.files import file_name, json_text, write_text
from kassay.writing.text import storable

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession


KINDS_MAX: Final = 8
"""Kinds of violation reported per target, claim and class of input: the smallest ones."""
SHRINK_SECONDS: Final = 120.0
"""Last resort for a target with very slow calls; ordinary findings take far less."""
UNITS_MAX: Final = 200_000
"""Tries times members and partitions: large histories get fewer tries, on any machine."""


class WantedFinding(NamedTuple):
    """A finding to report: its representative, and the number of further kinds that are not reported."""

    lane: int
    key: Key
    representative: Smallest
    others: int


@dataclass(frozen=True)
class Shrinking:
    """The findings as sent to the workers: row i of the input refers to wanted i."""

    lanes: Mapping[int, Lane]
    files: Mapping[str, TargetFile]
    wanted: tuple[WantedFinding, ...]
    tries: int


def wanted_of(campaign: Campaign) -> tuple[WantedFinding, ...]:
    """The findings to report, by target, claim, class of input and size."""
    best: dict[tuple[str, Key], WantedFinding] = {}
    for lane, sums in campaign.sums.items():
        for key, smallest in sums.kinds.items():
            place = campaign.lanes[lane].target, key
            here = WantedFinding(lane, key, smallest, 0)
            known = best.get(place, here)
            both = smallest if known is here else known.representative.and_(smallest)
            best[place] = min(known, here, key=_rank)._replace(representative=both)
    grouped: dict[tuple[str, str, str], list[WantedFinding]] = {}
    for (target, key), finding in best.items():
        grouped.setdefault((target, key.claim, key.input), []).append(finding)
    return tuple(
        one._replace(others=max(0, len(same) - KINDS_MAX))
        for _, same in sorted(grouped.items())
        for one in sorted(same, key=_rank)[:KINDS_MAX]
    )


def _rank(one: WantedFinding) -> tuple[tuple[int, ...], int, int, str]:
    """Small before large, early before late, then by the order of the profiles."""
    return one.representative.size, one.representative.history, one.lane, one.key.bucket


def findings(spark: SparkSession, campaign: Campaign) -> DataFrame:
    """The rows of the table, each representative shrunk."""
    wanted = wanted_of(campaign)
    lanes = {one.lane: campaign.lanes[one.lane] for one in wanted}
    files = sources_of(lane.job.target for lane in lanes.values())
    work = Shrinking(lanes, files, wanted, campaign.spec.shrink_tries if campaign.spec.shrink else 0)
    numbers = spark.range(0, len(wanted), 1, max(1, len(wanted)))
    return numbers.mapInArrow(on_workers(partial(shrink_all, work)), FINDINGS.ddl)


def shrink_all(work: Shrinking, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The findings in the input, shrunk; for `mapInArrow`."""
    import pyarrow as pa

    schema = pa.schema(list(arrow_struct(FINDINGS)))
    for batch in batches:
        rows = [_row(work, work.wanted[number]) for number in batch.column(0).to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, schema)


class OneKind:
    """A driver that sees only one class of input and one kind of violation."""

    def __init__(self, driver: Driver[Any], key: Key) -> None:
        self._driver = driver
        self._key = key
        self.shrink_candidates, self.restarts = driver.shrink_candidates, driver.restarts
        self.size, self.form = driver.size, driver.form

    def examine(self, case: Any, subject: Subject) -> Examination:
        """The examination of the case, without other violations."""
        seen = self._driver.examine(case, subject)
        mine = [v for v in seen.violations if bucket_of(v) == self._key.bucket]
        if self._key.input == CONTRADICTORY and not all(v.contradictory for v in mine):
            mine = []
        return replace(seen, violations=mine)


def _row(work: Shrinking, wanted: WantedFinding) -> dict[str, Any]:
    lane, key, index = work.lanes[wanted.lane], wanted.key, wanted.representative.history
    with open_bench(as_on_driver(lane.job, work.files)) as bench:
        smallest, kind = _shrunk(bench, wanted, work.tries)
    return {
        "identity": identity_of(lane.target, key, kind),
        "target": lane.target,
        "profile": lane.profile,
        "claim": key.claim,
        "input": key.input,
        "kind": kind,
        "failed": wanted.representative.failed,
        "others": wanted.others,
        "history": index,
        "seed": signed(derive_seed(lane.job.options.seed, index)),
        "members": smallest.members,
        "partitions": smallest.partitions,
        "events": smallest.events,
        "message": storable(smallest.message),
        "trace": json_text(smallest.trace.to_json()),
    }


def _shrunk(bench: Bench, wanted: WantedFinding, tries_max: int) -> tuple[Any, str]:
    """The representative as a minimal counterexample, and its kind of violation."""
    key, index = wanted.key, wanted.representative.history
    claim = parse_claim(key.claim, bench.job.target.kind)
    driver, case = OneKind(bench.driver, key), bench.job.case(index)
    counts = bench.driver.counts(case)
    tries = min(tries_max, UNITS_MAX // max(1, counts["members"] * 4 + counts["partitions"]))
    least = smallest_case(bench, driver, claim, case, seconds=SHRINK_SECONDS, tries=tries)
    smallest = counterexample(bench, claim, least, contradictory=key.input == CONTRADICTORY, index=index)
    return smallest, kind_of(least.play.violations[0]) if least.play else storable(smallest.message)


def identity_of(target: str, key: Key, kind: str) -> str:
    """The identity of a finding."""
    return blake2b("\x1f".join((target, key.claim, key.input, kind)).encode(), digest_size=8).hexdigest()


KEPT_SCHEMA: Final = "kassay/campaign-findings/2"
KEPT_TABLE: Final = f"tables/{FINDINGS.name}"


@dataclass(frozen=True)
class KeptFinding:
    """One row of the table: the broken claim, the number of histories, and the smallest as a trace."""

    identity: str
    target: str
    profile: str
    claim: str
    input: str
    kind: str
    failed: int
    others: int
    history: int
    seed: int
    members: int
    partitions: int
    events: int
    message: str
    trace: str

    def to_json(self) -> dict[str, Any]:
        """All fields but the trace."""
        return {name: value for name, value in vars(self).items() if name != "trace"}


def read_findings(store: Store, spark: SparkSession | None = None) -> list[KeptFinding]:
    """The findings of the campaign in the store, by target, claim, class of input and history.

    A local folder is read without Spark; other locations need the session. Raises `InputError` if there is no
    campaign, or if its findings are not written yet.
    """
    if store.read(HEADER) is None:
        raise InputError(f"{store.place}: no {HEADER}, expected the folder of a campaign")
    if not store.names(KEPT_TABLE):
        raise InputError(
            f"{store.place}/{KEPT_TABLE}: no findings yet; `kassay campaign run FOLDER` writes them"
        )
    rows = _by_arrow(Path(store.place)) if spark is None else _by_spark(store, spark)
    where = f"{store.place}/{KEPT_TABLE}"
    findings = [read_as(KeptFinding, row, f"{where}, row {n}") for n, row in enumerate(rows, 1)]
    return sorted(findings, key=lambda one: (one.target, one.claim, one.input, one.history, one.kind))


def chosen(findings: Sequence[KeptFinding], names: Sequence[str] = ()) -> list[KeptFinding]:
    """The findings of these targets and claims; all targets or claims if none of them is named.

    Raises `InputError` for a name without findings, unless there are no findings at all.
    """
    targets, claims = {one.target for one in findings}, {one.claim for one in findings}
    known = targets | claims
    for name in names:
        if known and name not in known:
            near = suggestion(name, known) or f", expected one of {', '.join(sorted(known))}"
            raise InputError(f"{name!r}: no finding is of it{near}")
    targets, claims = targets & set(names) or targets, claims & set(names) or claims
    return [one for one in findings if one.target in targets and one.claim in claims]


def save_traces(findings: Iterable[KeptFinding], folder: Path) -> Iterator[str]:
    """Write each finding's trace as a file for `kassay replay` and `kassay explain`; yields the paths.

    File names consist of target, claim and identity, so that saving again writes the same files. Raises
    `InputError` for a trace that is not JSON (a damaged table), and if a file cannot be written.
    """
    for one in findings:
        path = str(folder / file_name(one.target, one.claim, one.identity, suffix=".json"))
        try:
            trace = json.loads(one.trace)
        except ValueError:
            raise InputError(
                f"{KEPT_TABLE}: the trace of finding {one.identity} is no JSON; the table is damaged, and "
                "`kassay campaign run FOLDER` writes it again"
            ) from None
        write_text(json_text(trace, indent=1) + "\n", path)
        yield path


def _by_arrow(folder: Path) -> list[dict[str, Any]]:
    if importlib.util.find_spec("pyarrow") is None:
        raise InputError("the pipeline needs pyarrow: expected `pip install 'kassay[spark]'`")
    from pyarrow import ArrowException
    from pyarrow.parquet import read_table

    try:
        rows: list[dict[str, Any]] = read_table(folder / KEPT_TABLE).to_pylist()
    except (ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{folder / KEPT_TABLE}: cannot be read as Parquet ({reason})") from None
    return rows


def _by_spark(store: Store, spark: SparkSession) -> list[dict[str, Any]]:
    frame = spark.read.parquet(store.address(KEPT_TABLE))
    return [row.asDict() for row in frame.collect()]
