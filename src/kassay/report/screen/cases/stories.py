"""What happened in a trace of anything but an assignor of groups, as tables."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from kassay.kinds.frames import guilty_at
from kassay.report import facts
from kassay.report.screen.console import Part, View, line, plain_table, stack
from kassay.writing.text import counted

Step = Mapping[str, Any]


class Marks(NamedTuple):
    """Whom the evidence names at each broken step, and what one of the answers could have been."""

    guilty: Mapping[int, frozenset[str]]
    possible: facts.CouldBe | None

    def names(self, number: int, *words: str) -> bool:
        """Whether the evidence at the step names one of these."""
        return not self.guilty.get(number, frozenset()).isdisjoint(words)

    def head(self, number: int, words: str) -> View:
        """The head of a step, marked if it is broken."""
        mark: list[Part] = [("  <- broken here", "bold red")] if number in self.guilty else []
        return line(words, *mark)

    def name(self, number: int, *words: str, indent: str = "    ") -> View:
        """The first of the words, marked if the evidence at the step names one of them."""
        if self.names(number, *words):
            return line(indent, (words[0] + "!", "bold red"))
        return line(indent + words[0])

    def below(self, number: int) -> list[View]:
        """What the step's answer could have been, if that is known."""
        possible = self.possible
        if possible is None or possible.place[0] != number:
            return []
        return [line(f"    {possible.line}", style="green")]


def other_story(
    steps: Sequence[Step],
    steps_max: int,
    *,
    broken: Iterable[Mapping[str, Any]] = (),
    possible: facts.CouldBe | None = None,
) -> View:
    """The steps of a trace that has no rounds, of each kind the first ones; broken ones are marked."""
    if not steps:
        return stack()
    marks = Marks({step: named for (step, _), named in guilty_at(broken).items()}, possible)
    first = steps[0]
    if "moves" in first:
        return stack(*(_plan(step, number, marks) for number, step in enumerate(steps)))
    if "request" in first:
        return stack(*(_placement(step, number, marks) for number, step in enumerate(steps)))
    if "record" in first or "key" in first or "topic" in first:
        return _sending(steps, steps_max * 4, marks)
    rebalance = next((table for field, table in _REBALANCES.items() if field in first), None)
    if rebalance is None:
        return stack()
    before, shown = facts.window([number in marks.guilty for number in range(len(steps))], steps_max)
    parts: list[View] = []
    if before:
        parts.append(line(f"  {counted(before, 'rebalance')} before", style="dim"))
    for number in range(before, before + shown):
        parts += [rebalance(steps[number], number, marks), *marks.below(number)]
    if rest := len(steps) - before - shown:
        parts.append(line(f"  and {counted(rest, 'more rebalance')}", style="dim"))
    return stack(*parts)


def _words(values: Sequence[Any]) -> str:
    return " ".join(map(str, values)) or "-"


def _outcome(step: Step) -> list[View]:
    """The refusal or the failure of a step, if it is one."""
    if "refused" in step:
        refused = step["refused"]
        return [line(f"    refused: {refused['java_class']}: {refused['message']}", style="yellow")]
    if "failure" in step:
        failure = step["failure"]
        return [line(f"    {failure['kind']}: {failure['message']}", style="red")]
    return []


def _brokers(brokers: Sequence[Step]) -> str:
    def labelled(broker: Step) -> str:
        extras = ([str(broker["rack"])] if broker.get("rack") else []) + ["fenced"] * bool(
            broker.get("fenced")
        )
        return f"{broker['id']}" + (f" ({', '.join(extras)})" if extras else "")

    return ", ".join(map(labelled, brokers)) or "none"


def _placement(step: Step, number: int, marks: Marks) -> View:
    request = step["request"]
    head = (
        f"  {counted(request['partitions'], 'new partition')}, "
        f"{counted(request['replication_factor'], 'replica')} each, "
        f"on brokers {_brokers(request['brokers'])}"
    )
    placed = [(f"{n} (existing)", replicas) for n, replicas in enumerate(request.get("existing", []))]
    rows = [
        (marks.name(number, str(n), f"partition {n}"), _words(replicas))
        for n, replicas in [*placed, *step.get("answer", [])]
    ]
    table = plain_table(("    partition", "replicas, preferred leader first"), rows)
    return stack(marks.head(number, head), table, *_outcome(step), *marks.below(number))


def _plan(step: Step, number: int, marks: Marks) -> View:
    request = step["request"]
    rows = [_moved(row, "start") for row in request["before"]]
    for move in step["moves"]:
        ends = ["-" if move[end] is None else str(move[end]) for end in ("source", "target")]
        rows.append(_moved(move, " -> ".join(ends)))
    table = plain_table(("    partition", "move", "replicas afterwards"), rows)
    head = marks.head(number, f"  brokers {_brokers(request['brokers'])}")
    return stack(head, table, *_outcome(step), *marks.below(number))


def _moved(row: Step, move: str) -> tuple[str, str, str]:
    return f"    {row['topic']}-{row['partition']}", move, _words(row["replicas"])


def _sending(sends: Sequence[Step], most: int, marks: Marks) -> View:
    before, shown_sends = facts.window([number in marks.guilty for number in range(len(sends))], most)
    rows, possible = [], []
    for number, sent in list(enumerate(sends))[before : before + shown_sends]:
        key = sent.get("key")
        shown = "no key" if key is None else f"key {base64.b64decode(key).hex() or 'empty'}"
        asked = "" if sent.get("partition") is None else f", partition {sent['partition']}"
        partitions = f"{sent['partitions']}{_leaderless(sent.get('unavailable') or [])}"
        answer = sent.get("answer")
        if answer is None:
            answer = sent.get("refused", sent.get("failure", {})).get("message", "no answer")
        record = marks.head(number, f"    {number + 1}: {shown}{asked}")
        rows.append((record, sent.get("topic"), partitions, answer))
        possible += marks.below(number)
    table = plain_table(("    record", "for", "partitions", "goes to"), rows)
    rest = len(sends) - before - shown_sends
    left_out = [line(f"  {counted(before, 'record')} before", style="dim")] if before else []
    more = [line(f"  and {counted(rest, 'more record')}", style="dim")] if rest else []
    return stack(*left_out, table, *possible, *more)


def _leaderless(gone: Sequence[int]) -> str:
    """The partitions without a leader; only their number where they are many."""
    if not gone:
        return ""
    return f", without a leader {_words(gone) if len(gone) <= 8 else f'{len(gone)} of them'}"


def _rebalance(step: Step, number: int, marks: Marks) -> View:
    rest = ", at rest" if step.get("at_rest") else ""
    probing = ", asks for another" if step.get("probing_rebalance") else ""
    head = (
        f"  rebalance {number + 1}{rest}{probing}: tasks {_words(step['tasks'])}; "
        f"with state {_words(step['stateful'])}; {step['standby_replicas']} standby copies"
    )
    if keys := step.get("rack_aware_tags"):
        head += f" over {_words(keys)}"
    processes = step["processes"]
    placed = any(process.get("rack") or process.get("tags") for process in processes)
    rows = []
    answer = step.get("answer")
    for process in processes:
        given = "no answer" if answer is None else _both(answer.get(process["id"]))
        place = (_place(process),) if placed else ()
        rows.append((marks.name(number, process["id"]), process["threads"], *place, _both(process), given))
    where = ("where",) if placed else ()
    table = plain_table(("    process", "threads", *where, "had", "is given"), rows)
    return stack(marks.head(number, head), table, *_outcome(step))


def _place(process: Step) -> str:
    """The rack of a process and its tags."""
    rack = process.get("rack")
    tags = [f"{key}={value}" for key, value in process.get("tags", {}).items()]
    return _words([*([f"rack {rack}"] if rack is not None else []), *tags])


def _connect_rebalance(step: Step, number: int, marks: Marks) -> View:
    rest = ", at rest" if step.get("at_rest") else ""
    delay = f", all rejoin in {step['delay_ms']} ms" if step.get("delay_ms") else ""
    connectors = _words([f"{name}[{tasks}]" for name, tasks in step["connectors"]])
    lost = f"; missing {_work(step['lost'])}" if any(step["lost"].values()) else ""
    head = f"  rebalance {number + 1} at {step['now_ms']} ms{rest}{delay}: connectors {connectors}{lost}"
    rows = []
    answer = step.get("answer")
    for worker in step["workers"]:
        change = None if answer is None else answer.get(worker["id"])
        starts_and_stops = (
            ("no answer" if answer is None else "no entry",) * 2
            if change is None
            else (_work(change["assigned"]), _work(change["revoked"]))
        )
        rows.append((marks.name(number, worker["id"]), _work(worker["running"]), *starts_and_stops))
    table = plain_table(("    worker", "runs", "is to start", "is to stop"), rows)
    return stack(marks.head(number, head), table, *_outcome(step))


def _work(work: Step) -> str:
    return _words([*work["connectors"], *work["tasks"]])


def _both(tasks: Step | None) -> str:
    if tasks is None:
        return "no entry"
    standby = f" | standby {_words(tasks['standby'])}" if tasks["standby"] else ""
    return _words(tasks["active"]) + standby


_REBALANCES: Final[Mapping[str, Callable[[Step, int, Marks], View]]] = {
    "tasks": _rebalance,
    "workers": _connect_rebalance,
}
"""What tells a rebalance, by a field that only its kind of step has."""
