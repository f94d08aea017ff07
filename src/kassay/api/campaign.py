"""Millions of histories on Spark: a campaign of targets and shapes, with its tables in Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from kassay.report.result import PlottedResult, Progress, no_progress
from kassay.writing.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    from kassay.pipeline.campaign.records import Campaign
    from kassay.pipeline.store import Store
    from kassay.report.plot import Plot

OUT: Final = ".kassay/campaign"


@dataclass(frozen=True, repr=False)
class CampaignReport(PlottedResult):
    """The results of a campaign so far, whose tables are in the folder `place`.

    `document` has verdicts, findings, study tables and totals; `traces` are those of the findings, in their
    order, as JSON for `kassay.replay`. `exit_code`: 1 for a violated claim, 3 for an unknown one or missing
    histories, else 0.
    """

    place: str
    document: Mapping[str, Any]
    traces: tuple[str, ...]
    exit_code: int

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """The verdict of each target's claims, for each profile and for `*`, all of them."""
        verdicts: list[dict[str, Any]] = self.document["verdicts"]
        return verdicts

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Each finding, with its trace."""
        return [each | {"trace": trace} for each, trace in zip(self.document["findings"], self.traces)]

    @property
    def studies(self) -> Mapping[str, list[dict[str, Any]]]:
        """The study tables by name, among them the gaps from the certified optimum."""
        studies: Mapping[str, list[dict[str, Any]]] = self.document["studies"]
        return studies

    def summary(self) -> str:
        """How many histories were played, and what was found."""
        played = f"{self.document['histories']:,} of {self.document['totals']['of']:,} histories"
        return f"{played}, {counted(len(self.traces), 'finding')}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/campaign-report/2`."""
        return dict(self.document)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each verdict."""
        return self.verdicts

    def plots(self) -> dict[str, Plot]:
        """The charts of the page, by the first words of their titles."""
        from kassay.report.pages.campaign import charts_of
        from kassay.report.plot import plots_by_title

        return plots_by_title(charts_of(self.document))

    def page(self, again: str = "") -> str:  # noqa: ARG002 - the folder reproduces it
        """The page `report.html`."""
        from kassay.report.pages.campaign import render

        return render(self.document, self.traces, self.place)


def campaign(
    spec: str | PathLike[str],
    *,
    out: str | PathLike[str] = OUT,
    format: str | None = None,  # noqa: A002  # the option's name
    config: Mapping[str, str] | None = None,
    progress: Progress = no_progress,
) -> CampaignReport:
    r"""Run the campaign of a TOML file, or resume the one in a folder; needs `pip install 'kassay[spark]'`.

    Every history counts exactly once. The tables are written to `out`, which is resumed if it has begun; a
    folder may be hdfs://, s3a://, ... `format` is that of the tables, parquet or delta; parquet if a new
    campaign names none. `config` has properties of Spark: without `spark.master` every core of this machine
    works. `progress` is called with the histories done. Raises `InputError` for a spec or a folder that
    cannot be used, and without Spark.

    >>> import kassay
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> spec = '[campaign]\nname = "few"\nseed = 1\ntargets = ["sticky"]\n[histories]\nsmall = 40\n'
    >>> _ = (folder / "few.toml").write_text(spec)
    >>> kassay.campaign(folder / "few.toml", out=folder / "out", config={"spark.master": "local[1]"})
    <CampaignReport: 40 of 40 histories, ...>
    """
    from pathlib import Path

    from kassay.pipeline.campaign.records import create, header_of, reopen
    from kassay.pipeline.campaign.spec import read_spec
    from kassay.pipeline.store import Local
    from kassay.reading.documents import is_folder

    place = str(spec)
    if "://" in place or is_folder(place):
        if "://" not in place:  # before a lock would create the folder
            header_of(Local(Path(place)))
        settings = _settings(place, format, config or {})
        return _worked(place, settings, lambda store: reopen(store, format_=format), progress)
    read = read_spec(Path(place))
    settings = _settings(str(out), format, config or {})
    return _worked(str(out), settings, lambda store: create(read, store, format, place), progress)


def _settings(place: str, format_: str | None, config: Mapping[str, str]) -> dict[str, str]:
    """The properties of the session: those of the tables' format, and the given ones. Raises `InputError`."""
    from pathlib import Path

    from kassay.pipeline.campaign.records import HEADER
    from kassay.pipeline.formats import PARQUET, settings_of
    from kassay.pipeline.store import Local

    if format_ is None and "://" not in place:
        format_ = (Local(Path(place)).read(HEADER) or {}).get("format")
    return {**settings_of(format_ or PARQUET), **config}


def _worked(
    place: str, config: Mapping[str, str], opening: Callable[[Store], Campaign], progress: Progress
) -> CampaignReport:
    """Open the campaign, verify its tables, and play the rest; raises `InputError`."""
    from kassay.pipeline.campaign.progress import ProgressLines
    from kassay.pipeline.campaign.runner import carry_on, verify
    from kassay.pipeline.campaign.study import finish

    with _opened(place, config, opening, progress) as (spark, campaign):
        if bad := verify(spark, campaign):
            progress(0, f"damaged, to be played again: batch {', '.join(map(str, bad))}")
        lines = ProgressLines(progress)
        carry_on(spark, campaign, lines.progress, lines.tick)
        outcome = finish(spark, campaign)
        traces = tuple(row["trace"] for row in outcome.findings)
        document = outcome.to_json(campaign.spec)
        return CampaignReport(campaign.store.place, document, traces, outcome.exit_code)


@contextmanager
def _opened(
    place: str, config: Mapping[str, str], opening: Callable[[Store], Campaign], progress: Progress
) -> Iterator[tuple[SparkSession, Campaign]]:
    """A session and the campaign in the location, under an exclusive lock.

    A local location is checked before Spark starts, to report its errors without a delay of half a minute.
    """
    from pathlib import Path

    from kassay.model.errors import InputError
    from kassay.pipeline.campaign.records import HEADER
    from kassay.pipeline.formats import require_format
    from kassay.pipeline.spark import CAMPAIGN_HEAP, session_of
    from kassay.pipeline.store import LocalTrial, open_store

    if "://" not in place:
        local = LocalTrial(Path(place))
        with local.locked():
            opening(local)
    begun = session_of(
        config, "kassay campaign", CAMPAIGN_HEAP, lambda words: progress(0, words), remote=True
    )
    with begun as spark:
        store = open_store(place, spark)
        with store.locked():
            campaign = opening(store)
            try:
                require_format(spark, campaign.format)
            except InputError:
                if not campaign.planned:  # nothing begun: the next run may choose another format
                    store.remove(HEADER)
                raise
            yield spark, campaign
