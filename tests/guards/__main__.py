"""Removes every guard of the coordinator and of the clients in turn.

`PYTHONPATH=docs python -m tests.guards`, since walks are those that a script of `docs` lists.

First each listed world, each genuine trace and each of their tests is asked which conditions it meets, and with which
outcomes, and which rows of tables (`--met FILE` keeps that). Then each guard is removed and the worlds that can notice
are walked, smallest first, within `--walked` states a guard, then the traces, then the tests. What came of it is added
to `docs/guards/record.json`, guard by guard, so that an interrupted run goes on; a guard that is on record is left
out unless `--anew`, or nobody has noticed it yet and `--again` asks more of them.
"""

import argparse
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.guards.catalogue import Guard, guards, modules
from tests.guards.forks import HANGS, in_forks
from tests.guards.record import RECORD, Record, read
from tests.guards.removal import (
    NOT_MET,
    OTHER_STATES,
    Came,
    Judge,
    Met,
    Outcome,
    judged,
    outcomes_in,
    outcomes_in_tests,
)
from tests.guards.rows import rows
from tests.guards.suites import UnitTest, with_tests
from tests.guards.worlds import World, listed, traces

TRACES_AT_ONCE = 100
MET_S = 3_600
"""Seconds for a world, some traces, or all tests, to say what they meet."""


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.guards", description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--states", type=int, default=5_000, help="of the largest world")
    parser.add_argument("--walked", type=int, default=12_000, help="states of a guard's worlds together")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a guard, after which it hangs")
    parser.add_argument("--traces", type=int, default=20, help="that are asked of a guard")
    parser.add_argument("--tested", type=float, default=2, help="seconds of a guard's tests together")
    parser.add_argument("--only", nargs="*", default=[""], help="guards whose name begins so")
    parser.add_argument("--met", type=Path, help="a file to keep what is met in, or to read it from")
    parser.add_argument("--anew", action="store_true", help="judge also what is on record")
    parser.add_argument("--again", action="store_true", help="judge also what nobody has noticed so far")
    return parser.parse_args()


def _parts(worlds: list[World]) -> dict[str, Callable[[], Any]]:
    """What is asked at once: each world, some hundred traces, all tests."""
    every = traces()
    starts = range(0, len(every), TRACES_AT_ONCE)
    return (
        {world.command: lambda world=world: outcomes_in([world]) for world in worlds}
        | {
            f"traces {start}": lambda start=start: outcomes_in(every[start : start + TRACES_AT_ONCE])
            for start in starts
        }
        | {"tests": outcomes_in_tests}
    )


def _answers(worlds: list[World], jobs: int, kept: Path | None) -> dict[str, Any]:
    """What each part says that it meets; what the file has of it is not asked again."""
    digest = sha256(b"".join(path.read_bytes() for path in modules())).hexdigest()
    answers: dict[str, Any] = {}
    if kept is not None and kept.exists():
        document = json.loads(kept.read_text())
        if document["digest"] != digest:
            raise SystemExit(f"{kept}: of other sources; expected none, or what these came to")
        answers = document["answers"]
    parts = _parts(worlds)
    waiting = [name for name in parts if name not in answers]
    for name, answer in in_forks(waiting, lambda name: parts[name](), jobs, MET_S):
        answers[name] = answer
        print(f"met: {len(answers)} of {len(parts)}", flush=True)
        if kept is not None:
            kept.write_text(json.dumps({"digest": digest, "answers": answers}))
    return answers


def _told(worlds: list[World], answers: dict[str, Any]) -> Iterator[tuple[Judge, int, list[Outcome]]]:
    """The judges with their states and what they meet; smaller worlds come first, tests last."""
    walked = [(world, *answers[world.command][0]) for world in worlds]
    yield from sorted(walked, key=lambda one: int(one[1]))
    every = traces()
    for start in range(0, len(every), TRACES_AT_ONCE):
        yield from (
            (trace, *told) for trace, told in zip(every[start:], answers[f"traces {start}"], strict=False)
        )
    yield from ((UnitTest(name, seconds), 0, met) for name, seconds, met in answers["tests"])


def _met(worlds: list[World], jobs: int, kept: Path | None) -> Met:
    """What is met where."""
    met = Met()
    for judge, states, outcomes in _told(worlds, _answers(worlds, jobs, kept)):
        met.add(judge, states, [(module, number, outcome) for module, number, outcome in outcomes])
    return met


def every_guard() -> list[Guard]:
    """The conditions, then the rows."""
    return [*guards(), *(place.guard for place in rows())]


def _kept(former: Came | None, came: Came) -> Came:
    """What goes on record: of one that nobody notices, whatever is known already of its walks."""
    if came.by or came.how.startswith(OTHER_STATES) or not former or former.how == NOT_MET:
        return came
    return former


def main() -> None:
    """Judge what is asked for and tell what came of it."""
    asked = _asked()
    met = _met([world for world in listed() if world.states <= asked.states], asked.jobs, asked.met)
    record = read() if RECORD.exists() else Record([], {})
    record.asked.append({name: getattr(asked, name) for name in ("states", "walked", "traces", "tested")})
    every = [guard for guard in every_guard() if any(str(guard).startswith(name) for name in asked.only)]
    noticed = {name for name, came in record.came.items() if came.by or not asked.again}
    chosen = [guard for guard in every if asked.anew or str(guard) not in noticed]

    met_by = {guard: met.by(guard) for guard in chosen}
    record.came.update({str(guard): Came("", NOT_MET) for guard in chosen if not met_by[guard]})
    chosen = [guard for guard in chosen if met_by[guard]]
    print(f"{len(every)} guards, {len(chosen)} to judge", flush=True)

    def work(guard: Guard) -> Came:
        return judged(guard, met_by[guard], asked.walked, asked.traces, asked.tested)

    for done, (guard, answer) in enumerate(in_forks(chosen, work, asked.jobs, asked.limit), start=1):
        came = Came("", HANGS) if answer == HANGS else Came(*answer)
        came = record.came[str(guard)] = _kept(record.came.get(str(guard)), came)
        record.write()
        print(f"{done} of {len(chosen)}: {guard}: {came.how} {came.by}", flush=True)
    for how, count in Counter(record.came[str(guard)].how.split(" in ")[0] for guard in every).most_common():
        print(f"{count:5} {how}")


if __name__ == "__main__":
    with_tests(main)
