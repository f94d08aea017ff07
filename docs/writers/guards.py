"""Writes `docs/guards.md`: every guard of coordinator and clients, and what notices its removal.

`python docs/writers/guards.py > docs/guards.md` reads the record and the reasons (`docs/guards`).
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from tests.guards.__main__ import every_guard
from tests.guards.catalogue import modules, name_of
from tests.guards.forks import HANGS
from tests.guards.record import RECORD, Record, read
from tests.guards.removal import FAILS, OTHER_STATES, Came

REASONS: Final = RECORD.with_name("reasons.toml")
EXPLORE: Final = "kassay explore "
STOPS: Final = ("dead end", "livelock")
"""What an exploration shows besides broken invariants."""

INVARIANT: Final = "an exploration: an invariant is broken"
STOP: Final = "an exploration: a dead end or a livelock"
RAISED: Final = "an exploration: the model raises an exception, or does not end"
TRACE: Final = "a genuine trace of Kafka's coordinator: the model does something else"
TEST: Final = "a test of the model, or of a [broken rule](switches.md), fails"
OTHERS: Final = "an exploration has another number of states, and nothing is broken; with the reason"
NOT_NOTICED: Final = "nothing; with the reason"
UNTOLD: Final = "nothing; the reason is not known"
WAYS: Final = (INVARIANT, STOP, RAISED, TRACE, TEST, OTHERS, NOT_NOTICED, UNTOLD)

COLUMN: Final = {
    INVARIANT: "exploration",
    STOP: "exploration",
    RAISED: "exploration",
    TRACE: "trace",
    TEST: "test",
    OTHERS: "nothing",
    NOT_NOTICED: "nothing",
}
"""The column of a module's row that counts a way."""
COLUMNS: Final = tuple(dict.fromkeys(COLUMN.values()))

BY_HAND: Final = 229
"""Guards that a single check noticed outside the recorded runs: mostly a test written for them."""

INTRODUCTION: Final = """# Guards: which condition of the model does no check need?

A guard is a condition in a function of the coordinator or of a client (the folders `coordinator` and
`clients` of `src/kassay/model/protocols`), or a row of their tables. Each guard is removed in turn:

* an early exit or refusal *never* happens, a conditional statement *always* runs, a filter passes everything;
* one side of a choice is *never* or *always* taken;
* one of several operands is *left out*;
* the event of a row is *impossible* in its state.

The model without the guard then runs, in this order:

1. the explorations of [exhaustive runs](exhaustive-runs.md) under the rules of 4.4, and those at whose bounds
   the [broken rules](switches.md) are found, with none on, smallest first, up to a total number of states;
2. the genuine traces of Kafka's own coordinator that the tests contain;
3. the tests of the model, those of the guard's module first, and the test of each broken rule with it on.

A check runs only if it reaches the row, or the condition with the outcome that the removal changes. The
first check that notices is recorded. An exploration notices by a broken invariant, a dead end, a livelock, an
exception, or by not ending."""

DATA: Final = """## Read the record

[guards/record.json](guards/record.json) says for each guard what noticed (`by`) and how (`how`);
[guards/reasons.toml](guards/reasons.toml) says for each guard that nothing notices why nothing breaks. The
name of a guard is its function, the condition and how it is removed:

```console
$ grep -A 4 'any_balanced._copies: `home' docs/guards/record.json
  "clients.any_balanced._copies: `home not in processes` left out": {
   "by": "kassay explore streams --config num.standby.replicas=1 --switch corrected_client",
   "how": "one-copy-per-process in 5 steps",
   "states": 39
  },
$ grep -B 3 '_standbys: `len' docs/guards/reasons.toml
[[reason]]
why = 'An early exit: the only way to place copies is the most even and keeps most.'
guards = [
  'clients.any_balanced._standbys: `len(candidates) < 2` never',
```

## Reproduce it

`./dev tox run -e guards` removes every guard (hours) and updates the record; `--only coordinator.consumer`
covers one module. `PYTHONPATH=docs python docs/writers/guards.py > docs/guards.md` writes this page.
`tests/guards/test_record.py` repeats a sample of the record, and `tests/docs/test_guards.py` fails if a guard
that nothing notices has no reason."""


class Reasons(NamedTuple):
    """Why nothing is broken: each reason with its guards."""

    why: Mapping[str, str]

    @classmethod
    def read(cls, path: Path = REASONS) -> Reasons:
        """The reasons in a file; raises `ValueError` if a guard has two."""
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["reason"]
        pairs = [(guard, flat(entry["why"])) for entry in entries for guard in entry["guards"]]
        if twice := [guard for guard, count in Counter(guard for guard, _ in pairs).items() if count > 1]:
            raise ValueError(f"{path.name}: two reasons for {', '.join(twice)}; expected one each")
        return cls(dict(pairs))


def flat(text: str) -> str:
    """The text in one line."""
    return " ".join(text.split())


def way(came: Came) -> str:
    """How a removal is noticed: one of `WAYS`, `NOT_NOTICED` if it is not."""
    if came.how == HANGS:
        return RAISED
    if not came.by:
        return OTHERS if came.how.startswith(OTHER_STATES) else NOT_NOTICED
    if came.how == FAILS:
        return TEST
    if not came.by.startswith(EXPLORE):
        return TRACE
    if came.how.startswith(STOPS):
        return STOP
    return RAISED if came.how.startswith("raises ") else INVARIANT


def is_unbroken(came: Came) -> bool:
    """Whether a removal breaks nothing: at most an exploration has another number of states."""
    return way(came) in (NOT_NOTICED, OTHERS)


def unbroken(record: Record) -> list[str]:
    """The guards whose removal breaks nothing, in the order of their names."""
    return sorted(name for name, came in record.came.items() if is_unbroken(came))


def module_of(name: str) -> str:
    """The module of a guard."""
    head = name.split(": ", 1)[0]
    places = [place for place in map(name_of, modules()) if head.startswith(f"{place}.")]
    return max(places, key=len, default=head.rpartition(".")[0])


def _asked(record: Record) -> Iterator[str]:
    for run in record.asked:
        parts = [
            f"explorations of up to {run['states']:,} states, up to {run['walked']:,} for one guard in total",
            f"up to {run['traces']:,} traces",
            f"tests of {run['tested']:g} seconds",
        ]
        asked = [part for part, name in zip(parts, ("walked", "traces", "tested")) if run[name]]
        yield f"* {'; '.join(asked)}."


def _counts(record: Record, why: Mapping[str, str]) -> Iterator[str]:
    untold = {*unbroken(record)} - why.keys()
    counts = Counter(UNTOLD if name in untold else way(came) for name, came in record.came.items())
    yield from ("| noticed by | guards |", "|---|---|")
    yield from (f"| {one} | {counts[one]:,} |" for one in WAYS)
    yield f"| all | {counts.total():,} |"


def _module(module: str, names: Sequence[str], record: Record) -> str:
    """The row of a module."""
    ways = Counter(COLUMN[way(record.came[name])] for name in names)
    return f"| {' | '.join([module, str(len(names)), *(str(ways[column]) for column in COLUMNS)])} |"


def page(record: Record, why: Mapping[str, str], today: Collection[str]) -> str:
    """The page as Markdown; `today` are the guards in the present code."""
    gone, new = record.came.keys() - {*today}, {*today} - record.came.keys()
    lines = [
        INTRODUCTION,
        "",
        "The recorded runs. Each covers the guards that no earlier run noticed; some cover single modules,",
        f"or ended early. Single checks, run by hand, noticed {BY_HAND} more guards:",
        "",
        *_asked(record),
        "",
    ]
    if gone or new:
        lines += [
            f"{len(gone)} recorded guards no longer exist in the code, and {len(new)} guards of the code are "
            "not recorded.",
            "",
        ]
    lines += [*_counts(record, why), "", "## By module", ""]
    modules: dict[str, list[str]] = {}
    for name in record.came:
        modules.setdefault(module_of(name), []).append(name)
    lines += [f"| module | guards | {' | '.join(COLUMNS)} |", f"|---|---|{'---|' * len(COLUMNS)}"]
    lines += [*(_module(module, names, record) for module, names in modules.items()), "", DATA]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the page."""
    today = {str(guard) for guard in every_guard()}
    sys.stdout.write(page(read(), Reasons.read().why, today))


if __name__ == "__main__":
    main()
