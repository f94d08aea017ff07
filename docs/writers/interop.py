"""Writes `docs/interop.md`: which client libraries can be in a group together, from `docs/interop.json`.

`python docs/writers/interop.py > docs/interop.md`; `kassay interop --out docs` adds plays.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from kassay.engines.live.interop import InteropResult, LibraryPair, PairResult, read_results
from kassay.report.screen.interop import by_strategy, matrix
from kassay.writing.text import code, counted, table

RESULTS: Final = Path(__file__).parents[1] / "interop.json"
OFTEN: Final = 5
_HEAD: Final = """\
# Interop: which client libraries can share a group, led by whom?

Which client libraries can be members of one group, and does it matter which of them leads? During a migration a group may have members of
several libraries for weeks. The leader, one of them, reads what the others send and assigns their partitions. The same name of a strategy
does not mean that this works; where it depends on the leader, the group breaks when its leader restarts.

<!-- by hand: starts a broker and clients: Java, Maven, Go, about 3 minutes -->
```console
$ kassay interop java,librdkafka,sarama --strategy roundrobin --fetch
```

plays every ordered pair of these libraries on a genuine broker and judges what the two own by the claims of [live histories](live.md). The
first joins alone, so it leads, and it stays the leader until it leaves. The second joins; the first leaves, so that the second leads; the
first comes back. `--protocol consumer` plays groups in which the broker assigns (KIP-848).

| option | meaning |
|---|---|
| `--strategy NAME,...` | the strategy of both; only libraries that have it are paired |
| `--histories 5` | play each pair until so many plays are decided; plays that differ make it `unstable` |
| `--out DIR` | begin or continue `interop.json` with every play there, and write `interop.html` |
| `--json FILE` | the result |

Exit codes: 0 if every pair agrees with either leader, 1 if one does not, 2 if an input is wrong or something is missing, 3 if nothing could be
judged. Results that are whole are printed without a broker.
"""  # noqa: E501  # lines of a page
_CELLS: Final = """\
The first of a pair leads (rows). A cell is what the two own of 10 partitions when the group has settled, or after 18 s:

* `agrees`: both own what the strategy claims, five each;
* `10/0`: partitions of the first and of the second, where they do not;
* `recovers`: they agree after a client had reported errors. A leader that cannot read the other's subscription stops sending heartbeats, and
  is put out of the group when its session ends; then the other leads. With a session of 45 s that takes as long;
* `unstable`: plays differ;
* `unknown`: a stall of the machine touched every play;
* `-`: not played.
"""  # noqa: E501  # lines of a page

_KNOWN: Final = """\
## Known to their maintainers

Searched for in the issues of the libraries on 27 November 2026:

* segmentio/kafka-go marks its subscription as version 1 and leaves the owned partitions out, which version 1 has:
  segmentio/kafka-go#1156 (open), with a change proposed in #1172. Java, kafka-python and librdkafka cannot read it as leaders; franz-go,
  sarama and aiokafka can.
* As leader it refuses subscriptions that are longer than it expects: segmentio/kafka-go#1196 (closed).
* @platformatic/kafka does the same as the first; no issue was found.
* kafkajs names its round robin `RoundRobinAssigner`, so no broker lets it into a group with another library, unless with an assigner of your
  own by another name.
"""  # noqa: E501  # lines of a page


def page(result: InteropResult) -> str:
    """The page."""
    parts = [_HEAD, *_measured(result), _CELLS]
    for title, pairs in by_strategy(result):
        head, rows = matrix(pairs)
        parts += [
            f"## {title[0].upper()}{title[1:]}",
            "",
            *table(_codes(head), [_row(row) for row in rows]),
            "",
        ]
    parts += [*_leaders(result), *_reasons(result), _KNOWN, *_often(result), *_shared(result)]
    return "\n".join(parts).rstrip() + "\n"


def _codes(names: Sequence[str]) -> tuple[str, ...]:
    return (names[0], *map(code, names[1:]))


def _row(row: Sequence[str]) -> tuple[str, ...]:
    return (code(row[0]), *row[1:])


def _measured(result: InteropResult) -> Iterator[str]:
    """When and with what it was measured."""
    plays = [play for each in result.pairs for play in each.plays]
    dates = sorted({play.date for play in plays})
    yield "## What was measured"
    yield ""
    yield (
        f"{counted(len(result.pairs), 'pair')} in order, {len(plays):,} plays, on a broker of Kafka "
        f"{result.release}, {' to '.join(dict.fromkeys((dates[0], dates[-1])))}. Every play is in "
        "[`interop.json`](interop.json). This page is written from it: "
        "`python docs/writers/interop.py > docs/interop.md`."
    )
    yield ""
    yield from table(("library", "version"), [(code(k), v) for k, v in sorted(result.versions().items())])
    yield ""


def _cell(result: InteropResult, pair: LibraryPair) -> str:
    return next((each.cell() for each in result.pairs if each.pair == pair), "")


def _leaders(result: InteropResult) -> Iterator[str]:
    """The pairs whose outcome depends on who leads."""
    rows = []
    for each in result.pairs:
        pair = each.pair
        other = _cell(result, LibraryPair(pair.strategy, pair.protocol, pair.second, pair.first))
        cells = {each.cell(), other}
        if pair.protocol == "classic" and pair.first < pair.second and len(cells - {"", "unknown"}) == 2:
            rows.append((pair.strategy, code(pair.first), code(pair.second), each.cell(), other))
    yield "## Where it depends on who leads"
    yield ""
    if not rows:
        yield "Nowhere."
    else:
        yield "Partitions are those of the leader, then of the other."
        yield ""
        yield from table(("strategy", "A", "B", "A leads", "B leads"), rows)
    yield ""


def _reasons(result: InteropResult) -> Iterator[str]:
    """How many pairs do not agree at once, and where what their clients reported is."""
    differing = [
        each for each in result.pairs if (each.cell(), each.cell(handed=True)) != ("agrees", "agrees")
    ]
    yield "## What does not agree"
    yield ""
    yield (
        f"{counted(len(differing), 'pair')} in order, with the first as leader or with the second, after the "
        "first left and came back. [`interop.json`](interop.json) has for each play what a client reported, "
        "or the claim that is broken."
    )
    yield ""


def _often(result: InteropResult) -> Iterator[str]:
    """The pairs that were played often."""
    often = [each for each in result.pairs if len(each.decided) >= OFTEN]
    if not often:
        return
    unstable = sum(each.unstable for each in often)
    yield "## Played again"
    yield ""
    yield (
        f"{counted(len(often), 'pair')} in order were played at least {OFTEN} times: "
        f"{len(often) - unstable} had the same outcomes each time, {unstable} are called unstable."
    )
    yield ""
    rows = [
        (
            each.pair.strategy,
            code(each.pair.first),
            code(each.pair.second),
            str(len(each.decided)),
            _seen(each),
        )
        for each in often
    ]
    yield from table(("strategy", "first", "second", "plays", "outcomes"), rows)
    yield ""


def _seen(each: PairResult) -> str:
    """The outcomes of all plays, each with how often it was seen."""
    cells = [", then ".join(play.cells()) for play in each.decided]
    kinds = dict.fromkeys(cells)
    return cells[0] if len(kinds) == 1 else "; ".join(f"{kind} ({cells.count(kind)})" for kind in kinds)


def _shared(result: InteropResult) -> Iterator[str]:
    """Whether groups that share the broker have other outcomes than one alone."""
    compared = []
    for each in result.pairs:
        alone = {play.cells() for play in each.decided if play.jobs == 1}
        shared = {play.cells() for play in each.decided if play.jobs > 1}
        if alone and shared:
            compared.append(alone == shared)
    jobs = max((play.jobs for each in result.pairs for play in each.plays), default=1)
    yield "## Groups that shared the broker"
    yield ""
    yield (
        f"Up to {jobs} groups were played on the broker at a time. Whether that changes an outcome: "
        f"{counted(len(compared), 'pair')} in order were played alone on the broker as well, and "
        f"{sum(compared)} of them had the same outcomes alone and shared."
    )


if __name__ == "__main__":
    sys.stdout.write(page(read_results(str(RESULTS))))
