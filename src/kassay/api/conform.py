"""The coordinator model compared with Kafka's own coordinator, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kassay.report.result import DescribedResult, Progress, no_progress
from kassay.writing.text import counted

if TYPE_CHECKING:
    from kassay.engines.conform.run import ConformCause, ConformResult
    from kassay.report.blocks import Described

RELEASE: Final = "4.4.0"
SECONDS: Final = 60.0
"""How long a comparison takes that has no limit."""


@dataclass(frozen=True, repr=False)
class Conformance(DescribedResult):
    """The steps compared, where model and Kafka differ, and the invariants that Kafka itself breaks."""

    result: ConformResult

    @property
    def holds(self) -> bool:
        """Whether nothing differs, and Kafka breaks nothing but what is known."""
        return self.result.holds

    @property
    def differences(self) -> tuple[ConformCause, ...]:
        """Differences of one cause each, with the smallest script that shows it: kassay is wrong."""
        return self.result.differences

    @property
    def broken(self) -> tuple[ConformCause, ...]:
        """Invariants that Kafka does not keep, with the smallest script that shows it."""
        return self.result.broken

    def summary(self) -> str:
        """How many steps were compared, and what was found."""
        steps = counted(sum(self.result.steps.values()), "step")
        return f"{steps}, {counted(len(self.differences), 'difference')}, {len(self.broken)} broken by Kafka"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/conform/1`."""
        return self.result.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each cause; `of` says whether the model differs or Kafka breaks an invariant."""
        causes = [("model", each) for each in self.differences] + [("kafka", each) for each in self.broken]
        return [
            {
                "of": whose,
                "cause": each.cause,
                "histories": each.histories,
                "steps": each.steps,
                "known": each.known.letter if each.known else "",
            }
            for whose, each in causes
        ]

    def described(self) -> Described:
        """The comparison as blocks."""
        from kassay.report.described_runs import conform_described

        return conform_described(self.result)


def conform(
    *kinds: str,
    release: str = RELEASE,
    steps: int | None = None,
    seconds: float | None = None,
    runtime: str = "kassay",
    seed: int = 0,
    fetch: bool = False,
    progress: Progress = no_progress,
) -> Conformance:
    """Play random histories on Kafka's own coordinator and on kassay's model, and compare every step.

    `kinds` of histories are classic, consumer, migration, regex and streams; all by default. It ends after
    `steps` or `seconds`, whichever comes first, or 60 s without either. `runtime` is `kassay` or `kafka`;
    `fetch` downloads the jars of the release once. Raises `InputError` without jars or Java, and for an
    unknown kind, release or runtime.

    >>> import kassay
    >>> compared = kassay.conform("classic", steps=100)
    >>> compared.holds, compared.differences
    (True, ())
    """
    from kassay.engines.conform.run import ConformSettings
    from kassay.engines.conform.run import conform as compare
    from kassay.engines.genuine.jars import coordinator_jars, kafka_home

    until = SECONDS if seconds is None and steps is None else seconds
    settings = ConformSettings(release, steps, until, seed, kinds, runtime)
    jars = coordinator_jars(release, home=kafka_home(), fetch=fetch)
    return Conformance(compare(settings, jars, progress=progress))
