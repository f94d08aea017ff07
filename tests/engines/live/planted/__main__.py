"""Clean runs and runs with a planted fault, with real clients; each run is a line of a JSON lines file.

A run whose number is in the file is not played again, so a campaign goes on where it was stopped, and plays
what failed with it. `summary`
prints the figures of both. Recordings are kept as pickles, so that `summary` can judge them again.
"""

import argparse
import json
import os
import pickle
import signal
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from kassay.engines.genuine.jars import broker_jars
from kassay.engines.live import run as live_run
from kassay.engines.live.claims.rulings import CLAIMS, Word
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.folder import noted
from kassay.engines.live.judge import judge
from kassay.engines.live.run import LiveOptions
from kassay.engines.live.running import LiveFailed
from kassay.engines.live.script import LiveScript, LiveSeat
from tests.engines.live.planted.draws import draw_clean, draw_fault
from tests.engines.live.planted.stops import left, stopped

HERE = Path(__file__).parent


BATCH = 8
"""How many runs share a broker, one after another, each with a group and topics of its own."""


@dataclass(frozen=True)
class Batch(LiveOptions):
    """Scripts that are played one after another on one broker."""

    many: tuple[LiveScript, ...] = ()

    def scripts(self):
        yield from self.many


def played(scripts, programs, out, names, done, progress=lambda _, __: None):
    """Play the scripts; `done` gets the place, the recording and the verdict of each one that was played.

    Recordings are kept in files. Returns how many were played, and why the batch ended early.
    """
    kept = []

    def keep(recording):
        verdict = judge(recording)
        (out / f"{names[len(kept)]}.pickle").write_bytes(pickle.dumps(recording))
        kept.append(recording)
        done(len(kept) - 1, recording, verdict)
        return verdict

    live_run.judge = keep
    seats = tuple(seat for script in scripts for seat in script.seats)
    options = Batch(seats=seats, many=tuple(scripts), again=0, base=out / "runs")
    try:
        return len(kept), live_run.live(options, programs, progress).failed
    except LiveFailed as failure:
        return len(kept), str(failure)


def rulings(recording, verdict):
    """What was violated: step, claim, action, text."""
    actions = recording.script.actions
    return [[r.step, r.claim, actions[r.step - 1].words, r.text] for r in verdict.violated]


def programs_of(scripts):
    """The programs, with what the members need fetched."""
    programs = ClientPrograms({}, broker_jars(fetch=True))
    programs.fetch([seat for script in scripts for seat in script.seats])
    return programs


def clean_runs(given, numbers, write):
    """Clean runs, each as a line."""
    scripts = [draw_clean(given.seed, number, given.libraries) for number in numbers]

    def done(index, recording, verdict):
        seats = recording.script.seats
        write(
            numbers[index],
            clients=[f"{s.client}:{'+'.join(s.strategies) or s.protocol}" for s in seats],
            changed_owner=verdict.figures.changed_owner,
            violated=rulings(recording, verdict),
        )

    return played(scripts, programs_of(scripts), given.out, [f"clean-{n}" for n in numbers], done)[1]


def planted(script, fault, programs, notes):
    """The script and the programs with the fault in them; the notes' name is that of the faulty program."""
    if fault.kind == "differs":
        file = notes.with_suffix(".py")
        template = (HERE / "assignor.txt").read_text()
        file.write_text(template.format(notes=str(notes), variant=fault.variant))
        strategies = (str(file.resolve()),)
    else:
        command = [
            sys.executable,
            str(HERE / "faulty.py"),
            fault.kind,
            str(notes),
            *programs.command(LiveSeat("", fault.library, ())),
        ]
        programs = replace(programs, own={**programs.own, notes.stem: command})
        strategies = None
    seats = tuple(
        seat
        if seat.name != fault.member
        else replace(seat, strategies=strategies)
        if strategies
        else replace(seat, client=notes.stem)
        for seat in script.seats
    )
    return replace(script, seats=seats), programs


class BrokerKiller:
    """Kills the broker of the one run below a folder, in a step (from 1 on); `words` is what was done then.

    It comes half a second after the step's action, so that the step cannot have ended.
    """

    def __init__(self, base, step):
        self.base, self.step, self.words = base, step, None

    def progress(self, _, words):
        self.step -= 1
        if self.step == 0:
            threading.Timer(0.5, self.kill, [words]).start()

    def kill(self, words):
        folders = [each for each in self.base.glob("*") if (each / "bootstrap").exists()]
        folder = max(folders, key=lambda each: each.stat().st_mtime)
        broker = next(each for each in noted(folder) if each.program == "/bin/sh" and each.runs)
        self.words = words
        os.kill(broker.pid, signal.SIGKILL)


def fault_runs(given, numbers, write):
    """Runs with a fault, each as a line: whether it had an effect, in which step, and what was found there."""
    drawn = {number: draw_fault(given.seed, number, given.libraries) for number in numbers}
    own = {number: each for number, each in drawn.items() if each[1].kind != "broker"}
    for number in drawn.keys() - own.keys():
        broker_run(given, number, *drawn[number], write)
    programs, ready = programs_of([script for script, _ in own.values()]), []
    files = {number: (given.out / f"fault-{number}.notes").resolve() for number in own}
    for number, (script, fault) in own.items():
        files[number].unlink(missing_ok=True)
        script, programs = planted(script, fault, programs, files[number])
        ready.append(script)

    def done(index, recording, verdict):
        number = [*own][index]
        script, fault = own[number]
        step, broken = effect(recording, fault, files[number]), rulings(recording, verdict)
        unknown = [r for r in verdict.rulings if r.word is Word.UNKNOWN and r.step in (0, step)]
        write(
            number,
            fault=fault.kind,
            library=fault.library,
            clients=[seat.client for seat in script.seats],
            effect=step > 0,
            step=step,
            found=any(each[0] == step for each in broken),
            unknown=[f"{r.claim}: {r.text}" for r in unknown],
            violated=broken,
        )

    return played(ready, programs, given.out, [f"fault-{n}" for n in own], done)[1] if ready else ""


def broker_run(given, number, script, fault, write):
    """A run whose broker is killed: it has to end with the step in which that was."""
    base = given.out / f"broker-{number}"
    base.mkdir(parents=True, exist_ok=True)
    killer = BrokerKiller(base / "runs", 1 + fault.variant % len(script.actions))
    _, failed = played([script], programs_of([script]), base, ["run"], lambda *_: None, killer.progress)
    found = f", {killer.words}: " in failed and "the broker ended by itself" in failed
    write(
        number,
        fault="broker",
        library="broker",
        effect=killer.words is not None,
        found=found,
        violated=failed,
    )


def effect(recording, fault, notes):
    """The step in which the fault, as it noted itself, first did something that is wrong; 0 if it never did."""
    if not notes.exists():
        return 0
    for note in map(json.loads, notes.read_text().splitlines()):
        step = sum(each.began <= note["t"] for each in recording.steps)
        if fault.kind not in ("keeps", "early"):
            return step
        topic, number = note["partition"]
        for later in range(step, len(recording.steps) + 1):
            for name, owned in recording.steps[later - 1].group.members.items():
                mine = name == fault.member
                if not mine and any(
                    (topic.endswith(f"-{p.topic}"), p.partition) == (True, number) for p in owned
                ):
                    return later
            if fault.kind == "early":
                return step
    return 0


def summary(out):
    """The figures of the campaign."""
    for kind in KINDS:
        file = out / f"{kind}.jsonl"
        rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        failed = [each for each in rows if "failed" in each]
        print(f"{kind}: {len(rows)} runs, {len(failed)} failed, {sum(e['seconds'] for e in rows):,.0f} s")
        if kind == "clean":
            clean_summary(out, rows)
            continue
        if kind == "stops":
            stops_summary(rows)
            continue
        effective = [each for each in rows if each.get("effect")]
        for name in sorted({each["fault"] for each in effective}):
            mine = [each for each in effective if each["fault"] == name]
            libraries = Counter(each["library"] for each in mine)
            print(
                f"  {name}: {sum(e['found'] for e in mine)} of {len(mine)} found in its step", dict(libraries)
            )
        print(f"  all: {sum(e['found'] for e in effective)} of {len(effective)}")
        for each in effective:
            if not each["found"]:
                print("  missed:", json.dumps(each))


def stops_summary(rows):
    """By signal: how many runs, how many had processes when they were stopped, and what any of them left."""
    for name in sorted({each["signal"] for each in rows}):
        mine = [each for each in rows if each["signal"] == name]
        busy = sum(each["started"] > 2 for each in mine)
        print(
            f"  {name}: {len(mine)} runs, {busy} with a broker or clients, {sum(map(left, mine))} left something"
        )
        print("  exit codes:", dict(Counter(each["exit"] for each in mine)))
    for each in filter(left, rows):
        print("  left:", json.dumps(each))


def clean_summary(out, rows):
    """For each library and claim: judged, unknown (why), violated."""
    words, why = Counter(), {}
    moved = sum(each.get("changed_owner", 0) > 0 for each in rows)
    print(
        f"  {moved} with a partition that changes its owner, {sum(bool(e.get('violated')) for e in rows)} alarms"
    )
    for row in rows:
        path = out / f"clean-{row['number']}.pickle"
        for ruling in judge(pickle.loads(path.read_bytes())).rulings if path.exists() else ():
            for client in ruling.clients:
                words[client, ruling.claim, ruling.word] += 1
                if ruling.word is Word.UNKNOWN:
                    why.setdefault((client, ruling.claim), set()).add(ruling.text)
        if row.get("violated"):
            print("  alarm:", row["number"], row["clients"], row["violated"])
    for client in sorted({key[0] for key in words}):
        total = Counter()
        for claim in CLAIMS:
            counts = [words[client, claim, w] for w in (Word.HOLDS, Word.UNKNOWN, Word.VIOLATED)]
            total.update(judged=counts[0] + counts[2], unknown=counts[1])
            print(f"  {client:13} {claim:16}", *counts, "; ".join(sorted(why.get((client, claim), ()))))
        print(f"  {client:13} judged {total['judged']} of {total.total()}")


def stop_runs(given, numbers, write):
    """Runs that are stopped, each as a line."""
    for number in numbers:
        write(number, **stopped(number, given.seed, given.out / "stops"))
    return ""


KINDS = {"clean": clean_runs, "faults": fault_runs, "stops": stop_runs}


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.engines.live.planted", description=__doc__)
    parser.add_argument("kind", choices=["clean", "faults", "stops", "summary"])
    parser.add_argument("--numbers", default="0-99", help="which runs, from-to")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--libraries", default="java,librdkafka,kafka-python,aiokafka", type=lambda t: t.split(",")
    )
    parser.add_argument("--out", type=Path, default=Path(".kassay/planted"))
    given = parser.parse_args()
    if given.kind == "summary":
        summary(given.out)
        return
    given.out.mkdir(parents=True, exist_ok=True)
    file = given.out / f"{given.kind}.jsonl"
    done = {json.loads(line)["number"] for line in file.read_text().splitlines()} if file.exists() else set()
    first, _, last = given.numbers.partition("-")
    left_over = [number for number in range(int(first), int(last) + 1) if number not in done]
    began = [time.monotonic()]

    def write(number, **row):
        now = time.monotonic()
        row = {"number": number, **row, "seconds": row.get("seconds", round(now - began[0], 1))}
        began[0] = now
        with file.open("a") as lines:
            lines.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)

    for start in range(0, len(left_over), BATCH):
        if failed := KINDS[given.kind](given, left_over[start : start + BATCH], write):
            print(failed, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
