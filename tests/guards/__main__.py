"""Removes every guard of the coordinator and of the clients in turn: `python -m tests.guards`.

First each listed world and each genuine trace is asked which conditions it meets, and with which outcomes
(`--met FILE` keeps that). Then each guard is removed and the worlds that can notice are walked, smallest first,
within `--walked` states a guard, then the traces. What came of it is added to `tests/guards/record.json`, guard by
guard, so that an interrupted run goes on; a guard that is on record is left out unless `--anew`, or nobody has noticed
it yet and `--again` asks more of them.
"""

import argparse
import json
import os
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.guards.catalogue import Guard, guards, modules
from tests.guards.forks import HANGS, in_forks
from tests.guards.removal import NOT_MET, Came, Judge, Met, judged, outcomes_in
from tests.guards.worlds import Trace, World, listed, traces

RECORD = Path(__file__).parent / "record.json"
TRACES_AT_ONCE = 100


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.guards", description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--states", type=int, default=5_000, help="of the largest world")
    parser.add_argument("--walked", type=int, default=12_000, help="states of a guard's worlds together")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a guard, after which it hangs")
    parser.add_argument("--traces", type=int, default=20, help="that are asked of a guard")
    parser.add_argument("--only", nargs="*", default=[""], help="guards whose name begins so")
    parser.add_argument("--met", type=Path, help="a file to keep what is met in, or to read it from")
    parser.add_argument("--anew", action="store_true", help="judge also what is on record")
    parser.add_argument("--again", action="store_true", help="judge also what nobody has noticed so far")
    return parser.parse_args()


def _met(worlds: list[World], jobs: int, kept: Path | None) -> Met:
    """What is met where; smaller worlds come first."""
    groups: list[list[Judge]] = [[world] for world in worlds]
    every = traces()
    groups += [list(every[start : start + TRACES_AT_ONCE]) for start in range(0, len(every), TRACES_AT_ONCE)]
    answers: dict[int, Any] = {}
    digest = sha256(b"".join(path.read_bytes() for path in modules())).hexdigest()
    if kept is not None and kept.exists():
        document = json.loads(kept.read_text())
        if document["digest"] != digest:
            raise SystemExit(f"{kept}: of other sources; expected none, or what these came to")
        answers = {int(number): answer for number, answer in document["answers"].items()}
    waiting = [number for number in range(len(groups)) if number not in answers]
    for number, answer in in_forks(waiting, lambda number: outcomes_in(groups[number]), jobs, 3_600):
        answers[number] = answer
        print(f"met: {len(answers)} of {len(groups)}", flush=True)
        if kept is not None:
            kept.write_text(json.dumps({"digest": digest, "answers": answers}))
    met = Met()
    pairs = [pair for number, group in enumerate(groups) for pair in zip(group, answers[number])]
    for judge, (states, outcomes) in sorted(pairs, key=lambda pair: (isinstance(pair[0], Trace), pair[1][0])):
        met.add(judge, states, [(module, number, outcome) for module, number, outcome in outcomes])
    return met


def main() -> None:
    """Judge what is asked for and tell what came of it."""
    asked = _asked()
    worlds = [world for world in listed() if world.states <= asked.states]
    met = _met(worlds, asked.jobs, asked.met)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    every = [guard for guard in guards() if any(str(guard).startswith(name) for name in asked.only)]
    noticed = {name for name, came in record.items() if came["by"] or not asked.again}
    chosen = [guard for guard in every if asked.anew or str(guard) not in noticed]

    met_by = {guard: met.by(guard) for guard in chosen}
    record |= {str(guard): Came("", NOT_MET)._asdict() for guard in chosen if not met_by[guard]}
    chosen = [guard for guard in chosen if met_by[guard]]
    print(f"{len(every)} guards, {len(chosen)} to judge", flush=True)

    def work(guard: Guard) -> Came:
        return judged(guard, met_by[guard], asked.walked, asked.traces)

    for done, (guard, answer) in enumerate(in_forks(chosen, work, asked.jobs, asked.limit), start=1):
        came = Came("", HANGS) if answer == HANGS else Came(*answer)
        record[str(guard)] = came._asdict()
        RECORD.write_text(json.dumps(dict(sorted(record.items())), indent=1, ensure_ascii=False) + "\n")
        print(f"{done} of {len(chosen)}: {guard}: {came.how} {came.by}", flush=True)
    for how, count in Counter(record[str(guard)]["how"].split(" in ")[0] for guard in every).most_common():
        print(f"{count:5} {how}")


if __name__ == "__main__":
    main()
