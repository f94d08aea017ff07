"""The findings about Kafka's rules and client libraries': each trace in `docs/traces` replays and is told in the docs."""

import pytest

from kassay.certify.runs.replay import load_trace, read_trace, replay
from kassay.certify.targets.node import LIBRARIES
from tests import npm
from tests.paths import BASELINE, DOCS

TRACES = sorted((DOCS / "traces").glob("*.json"))


def connect_table(told):
    """The rounds of a trace of Kafka Connect as the rows of the tables in `docs/findings.md`."""

    def listed(work):
        return " ".join((*work["connectors"], *work["tasks"])) or "-"

    rows = ["| at ms | worker | runs | starts | stops | delay |", "|---|---|---|---|---|---|"]
    for step in told:
        for worker in step["workers"]:
            change = step["answer"][worker["id"]]
            lists = [listed(work) for work in (worker["running"], change["assigned"], change["revoked"])]
            rows.append(f"| {step['now_ms']} | {worker['id']} | {' | '.join(lists)} | {step['delay_ms']} |")
    return "\n".join(rows)


def task_table(told):
    """The rebalances of a trace of a task assignor as such rows."""

    def tasks(document):
        active = " ".join(document["active"]) or "-"
        return f"{active} \\| standby {' '.join(document['standby'])}" if document["standby"] else active

    rows = ["| rebalance | process | threads | had | is given |", "|---|---|---|---|---|"]
    for number, step in enumerate(told, start=1):
        for process in step["processes"]:
            who, given = process["id"], tasks(step["answer"][process["id"]])
            rows.append(f"| {number} | {who} | {process['threads']} | {tasks(process)} | {given} |")
    return "\n".join(rows)


def record_table(told):
    """The records of a trace of a partitioner as such rows."""
    rows = [
        "| record | topic | key | partitions | without a leader | is sent to |",
        "|---|---|---|---|---|---|",
    ]
    for number, record in enumerate(told, start=1):
        gone = " ".join(map(str, record["unavailable"])) or "-"
        cells = (number, record["topic"], record["key"] or "-", record["partitions"], gone, record["answer"])
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def table(told):
    """The rounds of a trace as the rows of the tables in `docs/findings.md`."""
    if "tasks" in told[0]:
        return task_table(told)
    if "key" in told[0]:
        return record_table(told)
    if "rounds" not in told[0]:
        return connect_table(told)

    def tiles(tps):
        return " ".join(f"{topic}-{number}" for topic, number in tps) or "-"

    rows = ["| round | member | subscribed | owned | is given |", "|---|---|---|---|---|"]
    rounds = [round_ for change in told for round_ in change["rounds"]]
    for number, round_ in enumerate(rounds, start=1):
        for member in round_["members"]:
            extras = [f"static {member['instance_id']}"] if member["instance_id"] else []
            extras += [f"rack {member['rack']}"] if member["rack"] else []
            who = f"{member['id']} ({', '.join(extras)})" if extras else member["id"]
            owned = f"{tiles(member['owned'])} @{member['generation']}" if member["owned"] else "-"
            given = tiles(round_["answer"].get(member["id"], ())) if "answer" in round_ else "no answer"
            rows.append(f"| {number} | {who} | {' '.join(member['topics']) or '-'} | {owned} | {given} |")
    return "\n".join(rows)


def replayable(path):
    """The trace, with the mark of what it takes to play it."""
    marks = {
        "aiokafka": pytest.mark.aiokafka,
        "kafkajs": pytest.mark.node,
        "platformatic": pytest.mark.node,
    }
    return pytest.param(
        path, marks=[marks[part] for part in path.stem.split("_") if part in marks], id=path.stem
    )


@pytest.mark.parametrize("path", [replayable(path) for path in TRACES])
def test_a_trace_still_shows_its_finding(path):
    if "kafka-python" in path.stem:
        pytest.importorskip("kafka")
    if (target := read_trace(path).target) in LIBRARIES:
        npm.installed(LIBRARIES[target].package)
    playback = load_trace(path)
    replayed = replay(playback)
    assert replayed.violations == playback.trace.violations
    assert list(replayed.narration) == list(playback.trace.narration)


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_a_trace_is_told_in_the_findings_as_it_is(path):
    text = (DOCS / "findings.md").read_text(encoding="utf-8")
    trace = read_trace(path)
    assert f"(traces/{path.name})" in text
    assert table(trace.narration) in text
    assert all(f"`{line}`" in text for line in trace.violations[:1])


def test_every_finding_of_the_baseline_has_a_trace():
    from kassay.certify.runs.baseline import read_baseline

    known = {(e.target, e.claim) for e in read_baseline(BASELINE)}
    assert known <= {(trace.target, trace.claim) for trace in map(read_trace, TRACES)}
