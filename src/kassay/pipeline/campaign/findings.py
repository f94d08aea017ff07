"""The findings of a campaign, read from their table, and their traces as files."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kassay.model.errors import InputError
from kassay.pipeline.campaign.records import HEADER
from kassay.pipeline.campaign.tables import FINDINGS
from kassay.pipeline.store import MANIFEST, Store, files_in
from kassay.reading.documents import suggestion
from kassay.reading.values import read_as
from kassay.writing.files import file_name, json_text, write_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
    broken_by: str
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
    manifest = store.read(MANIFEST)
    files = files_in(store, KEPT_TABLE) if manifest is None else manifest["tables"].get(FINDINGS.name, [])
    rows = _by_arrow(Path(store.place), files) if spark is None else _by_spark(store, spark, files)
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


def _by_arrow(folder: Path, files: Sequence[str]) -> list[dict[str, Any]]:
    if importlib.util.find_spec("pyarrow") is None:
        raise InputError("the pipeline needs pyarrow: expected `pip install 'kassay[spark]'`")
    from pyarrow import ArrowException
    from pyarrow.parquet import read_table

    try:
        rows: list[dict[str, Any]] = [
            row for file in files for row in read_table(folder / file, partitioning=None).to_pylist()
        ]
    except (ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{folder / KEPT_TABLE}: cannot be read as Parquet ({reason})") from None
    return rows


def _by_spark(store: Store, spark: SparkSession, files: Sequence[str]) -> list[dict[str, Any]]:
    frame = spark.read.schema(FINDINGS.ddl).parquet(*map(store.address, files))
    return [row.asDict() for row in frame.collect()]
