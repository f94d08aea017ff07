"""Writes `docs/guards.md`: every guard of coordinator and clients, and what notices its removal.

`python docs/writers/guards.py > docs/guards.md` reads the record and the reasons (`tests/guards`).
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from tests.guards.__main__ import every_guard
from tests.guards.catalogue import modules, name_of
from tests.guards.forks import HANGS
from tests.guards.record import RECORD, Record, read
from tests.guards.removal import FAILS, NOT_MET, OTHER_STATES, Came
from tests.guards.suites import FILES

REASONS: Final = RECORD.with_name("reasons.toml")
EXPLORE: Final = "kassay explore "
SWITCH_RUNS: Final = FILES[1]
STOPS: Final = ("dead end", "livelock")
"""What an exploration shows besides broken invariants."""

INVARIANT: Final = "an exploration: an invariant is broken"
STOP: Final = "an exploration: a dead end or a livelock"
RAISED: Final = "an exploration: the model raises an exception, or does not end"
TRACE: Final = "a genuine trace of Kafka's coordinator: the model does something else"
TEST: Final = "a test of the model, or of a broken rule (`docs/switches.md`), fails"
OTHERS: Final = "an exploration has another number of states, and nothing is broken; with the reason"
NOT_NOTICED: Final = "nothing; with the reason"
UNTOLD: Final = "nothing; the reason is not known"
WAYS: Final = (INVARIANT, STOP, RAISED, TRACE, TEST, OTHERS, NOT_NOTICED, UNTOLD)

BY_HAND: Final = 229
"""Guards that a single check noticed outside the recorded runs: mostly a test written for them."""

NOTHING_CHECKS: Final = (
    "No listed exploration, trace or test reaches it with the outcome that the removal changes."
)
NOT_INVESTIGATED: Final = "The reason is not known: nothing that was run breaks without it."

INTRODUCTION: Final = """# Guards, and what notices that one is removed

A guard is a condition in a function of the coordinator or of a client (the folders `coordinator` and
`clients` of `src/kassay/model/protocols`), or a row of their tables. Each is removed in turn:

* an early exit or refusal *never* happens, a conditional statement *always* runs, a filter lets everything
  pass;
* one side of a choice is *never* or *always* taken;
* one of several operands is *left out*;
* the event of a row is *impossible* in its state.

The model without the guard then runs, in this order,

* the explorations of [exhaustive-runs.md](exhaustive-runs.md) under the rules of 4.4, and those at whose
  bounds the broken rules of [switches.md](switches.md) are found, with none on, smallest first, up to a
  total number of states;
* the genuine traces of Kafka's own coordinator that the tests contain;
* the tests of the model, those of the guard's module first, and the test of each broken rule with it on.

A check runs only if it reaches the row, or the condition with the outcome that the removal changes. The
first that notices is recorded. An exploration notices by a broken invariant, a dead end, a livelock, an
exception, or by not ending. `./dev tox run -e guards` runs everything (`PYTHONPATH=docs python -m
tests.guards`: hours) and updates `tests/guards/record.json`, from which `python docs/writers/guards.py >
docs/guards.md` writes this page; `tests/guards/test_record.py` repeats a sample of the record."""


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


def noticed_by(came: Came) -> str:
    """What noticed and how, in a few words."""
    if came.how == HANGS:
        return "does not end"
    if way(came) is OTHERS:
        walk, counts = came.how.removeprefix(f"{OTHER_STATES} ").rsplit(": ", 1)
        return f"{counts.replace(' and not ', ' states and not ')}: {walk.removeprefix(EXPLORE)}"
    if way(came) is TEST:
        file, name = came.by.split("::", 1)
        if file == SWITCH_RUNS:
            return f"the broken rule {name.partition('[')[2][:-1]} is not found as it should be"
        return f"{came.how}: {file.removeprefix('tests/')} {name}"
    return f"{came.how}: {came.by.removeprefix(EXPLORE)}"


def _code(text: str) -> str:
    """As code within a row of a table."""
    return f"`{text.replace('`', '').replace('|', chr(92) + '|')}`"


def _within(name: str) -> tuple[str, str]:
    """The module of a guard, and the guard within it."""
    head, rest = name.split(": ", 1)
    places = [place for place in map(name_of, modules()) if head.startswith(f"{place}.")]
    place = max(places, key=len, default=head.rpartition(".")[0])
    text, removed = rest.rsplit("`", 1)
    return place, f"{head[len(place) + 1 :]}: {_code(text)} {removed.strip()}"


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


def _unnoticed(names: Iterable[str], record: Record, why: Mapping[str, str]) -> Iterator[str]:
    yield from ("Unnoticed:", "")
    shared: dict[str, list[str]] = {}
    for name in names:
        came = record.came[name]
        fact = NOTHING_CHECKS if came.how == NOT_MET else NOT_INVESTIGATED
        states = f" ({noticed_by(came)})" if way(came) is OTHERS else ""
        shared.setdefault(why.get(name, fact), []).append(_within(name)[1] + states)
    yield from (f"* {'; '.join(guards)}. *{reason}*" for reason, guards in shared.items())


def _module(names: list[str], record: Record, why: Mapping[str, str]) -> Iterator[str]:
    lost = [name for name in names if is_unbroken(record.came[name])]
    if lost:
        yield from (*_unnoticed(lost, record, why), "")
    if noticed := [name for name in names if name not in {*lost}]:
        yield from ("| guard | noticed by |", "|---|---|")
        yield from (f"| {_within(name)[1]} | {noticed_by(record.came[name])} |" for name in noticed)
        yield ""


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
            f"The code has changed since: {len(gone)} recorded guards no longer exist, "
            f"{len(new)} present guards are not recorded.",
            "",
        ]
    lines += [*_counts(record, why), ""]
    modules: dict[str, list[str]] = {}
    for name in record.came:
        modules.setdefault(_within(name)[0], []).append(name)
    for module, names in modules.items():
        lines += [f"## {module}", "", *_module(names, record, why)]
    return "\n".join(lines).rstrip("\n") + "\n"


def main() -> None:
    """Print the page."""
    today = {str(guard) for guard in every_guard()}
    sys.stdout.write(page(read(), Reasons.read().why, today))


if __name__ == "__main__":
    main()
