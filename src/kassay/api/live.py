"""Histories with real clients on a genuine broker, judged by what the clients report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from kassay.report.result import DescribedResult, Progress, no_progress
from kassay.writing.text import counted

if TYPE_CHECKING:
    from kassay.engines.live.result import LiveClaimCount, LiveFinding, LiveResult
    from kassay.report.blocks import Described

RELEASE: Final = "4.4.0"
HISTORIES: Final = 3


@dataclass(frozen=True, repr=False)
class LiveHistories(DescribedResult):
    """What was played and found; scripts and recordings are in the folder of the result."""

    result: LiveResult

    @property
    def verdict(self) -> str:
        """`violated`, `unknown` if a claim could never be judged, or `holds`."""
        return self.result.word

    @property
    def findings(self) -> tuple[LiveFinding, ...]:
        """Each violation of a claim: step, clients, how often it was seen, and its smallest script."""
        return self.result.findings

    @property
    def counts(self) -> list[LiveClaimCount]:
        """How often each claim was judged, was unknown and was violated."""
        return self.result.counts()

    def summary(self) -> str:
        """The verdict, and how much was played and found."""
        histories = counted(len(self.result.played), "history")
        return f"{self.verdict}, {histories}, {counted(len(self.findings), 'finding')}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/live/1`."""
        return self.result.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each claim."""
        return [
            {
                "claim": each.claim,
                "judged": each.judged,
                "unknown": each.unknown,
                "violated": each.violated,
                "why": "; ".join(each.why),
            }
            for each in self.counts
        ]

    def described(self) -> Described:
        """The run as blocks."""
        from kassay.report.described_runs import live_described

        return live_described(self.result)


def live(
    script: str | PathLike[str] | None = None,
    *,
    clients: Sequence[str] = (),
    programs: Mapping[str, str] | None = None,
    histories: int = HISTORIES,
    release: str = RELEASE,
    upgrade_to: str | None = None,
    brokers: int | Sequence[str] | None = None,
    config: Mapping[str, str] | None = None,
    fetch: bool = False,
    bootstrap_server: str | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> LiveHistories:
    """Play histories with real clients on a genuine broker, and judge what the clients report.

    Either a `script`, a TOML file, or generated `histories` for `clients`, specs such as `java:range*2`;
    `programs` adds clients of your own, command lines by name. It starts a broker of its own on the loopback,
    with the properties of `config`, and ends all that it starts: `brokers` is 1 or 3, or the rack of each.
    With `upgrade_to` they are upgraded to that release and back. `bootstrap_server` plays on that cluster
    instead, without asking; what is created there is removed. `fetch` downloads jars and clients once. Raises
    `InputError` for what cannot be played here.

    >>> import kassay
    >>> played = kassay.live(clients=["librdkafka:range", "kafka-python:range"], histories=1, fetch=True)
    >>> played.verdict, played.findings
    ('holds', ())
    """
    from kassay.engines.live import run
    from kassay.engines.live.prepare import prepared, ready_programs
    from kassay.model.errors import InputError
    from kassay.reading.documents import wrong

    if histories < 1:
        raise wrong("histories", histories, "a whole number from 1 on")
    if bool(clients) == (script is not None):
        raise InputError("expected one of --clients, such as java:range*2,librdkafka:range, and a SCRIPT")
    options, named = prepared(
        clients,
        None if script is None else str(script),
        programs or {},
        histories=histories,
        release=release,
        upgrade_to=upgrade_to,
        brokers=brokers,
        config=config or {},
        bootstrap=bootstrap_server,
        seed=seed,
    )
    ready = ready_programs(named, options.members, fetch=fetch)
    run.fetch_releases(options, fetch=fetch)
    return LiveHistories(run.live(options, ready, progress))
