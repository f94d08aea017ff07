"""Which client libraries can be in a group together, led by whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from kassay.report.result import Progress, Result, no_progress

if TYPE_CHECKING:
    from pathlib import Path

    from kassay.engines.live.interop import InteropResult, LibraryPair, PairResult

RELEASE: Final = "4.4.0"
RESULTS: Final = "interop.json"


@dataclass(frozen=True, repr=False)
class LibrariesTogether(Result):
    """Every ordered pair of the libraries, with what became of the group under each leader."""

    result: InteropResult

    @property
    def verdict(self) -> str:
        """`agrees` if every pair does with either leader, `unknown` if none was judged, else `differs`."""
        return self.result.word

    @property
    def pairs(self) -> tuple[PairResult, ...]:
        """The pairs, each with its plays."""
        return self.result.pairs

    def summary(self) -> str:
        """How many pairs agree."""
        from kassay.report.screen.interop import summary

        return summary(self.result)

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/interop/1`."""
        return self.result.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each pair: what it came to with the first as leader, and with the second."""
        return [
            {**asdict(each.pair), "cell": each.cell(), "handed": each.cell(handed=True)}
            for each in self.pairs
        ]

    def page(self, again: str = "") -> str:  # noqa: ARG002 - the results lie next to it
        """The page `interop.html`."""
        from kassay.report.pages.interop import render

        return render(self.result)


def interop(
    *libraries: str,
    strategies: Sequence[str] = (),
    protocol: str = "classic",
    release: str = RELEASE,
    histories: int = 1,
    out: str | PathLike[str] | None = None,
    fetch: bool = False,
    progress: Progress = no_progress,
) -> LibrariesTogether:
    """Play every ordered pair of client libraries in one group, and see whether they agree.

    The first of a pair leads, then the second, in `histories` each. `strategies` are `range`, or `uniform`
    where `protocol` is `consumer`. `out` keeps every play in interop.json, and continues what is there.
    `fetch` downloads jars and clients once. Raises `InputError` for what cannot be played here.

    >>> import kassay
    >>> kassay.interop("librdkafka", "kafka-python", fetch=True)
    <LibrariesTogether: 2 of 2 pairs in order agree with either leader...>
    """
    from pathlib import Path

    from kassay.engines.live.clients import ClientPrograms
    from kassay.engines.live.interop import pairs_of
    from kassay.engines.live.interop_run import left
    from kassay.reading.documents import wrong

    if protocol not in ("classic", "consumer"):
        raise wrong("protocol", protocol, "classic or consumer")
    if histories < 1:
        raise wrong("histories", histories, "a whole number from 1 on")
    results = None if out is None else Path(out) / RESULTS
    named = ClientPrograms({}, (), release)
    chosen = tuple(strategies) or (("uniform",) if protocol == "consumer" else ("range",))
    every = pairs_of(libraries, chosen, "consumer" if protocol == "consumer" else "classic", named)
    before = _before(results, release)
    lacking = [pair for pair in every if left(before, pair, histories)]
    result = _played(lacking, named, before, results, histories, fetch, progress) if lacking else before
    return LibrariesTogether(result.of(every))


def _before(results: Path | None, release: str) -> InteropResult:
    """The results of the file that is continued; none if there is no such file yet."""
    from kassay.engines.live.interop import InteropResult, read_results
    from kassay.reading.documents import is_there

    if results is None or not is_there(str(results)):
        return InteropResult(release)
    return read_results(str(results), release)


def _played(
    lacking: Sequence[LibraryPair],
    named: Any,
    before: InteropResult,
    results: Path | None,
    histories: int,
    fetch: bool,
    progress: Progress,
) -> InteropResult:
    """The results with what they lacked; each play is kept at once. Raises `InputError`."""
    from kassay.engines.live.interop_run import InteropOptions
    from kassay.engines.live.interop_run import interop as play
    from kassay.engines.live.prepare import ready_programs
    from kassay.writing.files import json_text, write_text

    known = sum(len(each.plays) for each in before.pairs)

    def keep(result: InteropResult, words: str) -> None:
        """Show one more play, and keep the results so far."""
        progress(sum(len(each.plays) for each in result.pairs) - known, words)
        if results is not None:
            write_text(json_text(result.to_json()), str(results))

    ready = ready_programs(named, [seat for pair in lacking for seat in pair.script().seats], fetch=fetch)
    return play(InteropOptions(lacking, histories), ready, before, keep)
