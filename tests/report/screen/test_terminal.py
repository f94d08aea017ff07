"""A certificate on the terminal.

Frames on a terminal: what varies, the broken frame, the guilty, and what could have been.
"""

from dataclasses import replace

import pytest
from rich.console import Console

from kassay.engines.findings import broken_and_could_be
from kassay.engines.runs.environments.coverage import EnvironmentCoverage
from kassay.engines.targets.resolve import resolve
from kassay.kinds.frames import Cell, Frame, Grid, Row
from kassay.kinds.judging import Subject
from kassay.kinds.registry import driver_for
from kassay.kinds.views import frames_of
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol, Verdict
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.streams.kinds import STREAMS
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.sources import Seeded
from kassay.report import facts
from kassay.report.screen.console import console
from kassay.report.screen.terminal import Detail, certificate_view, story, window
from kassay.writing.text import counted
from tests.engines.cases import smallest


def test_the_terminal_shows_verdicts_and_the_smallest_case(certificates, capsys):
    screen = console()
    for certificate in certificates:
        screen.show(certificate_view(certificate))
    shown = capsys.readouterr().out
    assert "VIOLATED" in shown
    assert "3 members, 4 partitions" in shown
    assert "\x1b[" not in shown


def shown(capsys, certificate, detail):
    console().show(certificate_view(certificate, detail))
    return capsys.readouterr().out.splitlines()


def test_the_verdict_is_the_first_line_then_what_does_not_hold_and_the_warnings_last(every_mark, capsys):
    first, *others = shown(capsys, every_mark, Detail.USUAL)
    assert (
        first
        == f"NOT CERTIFIED  {every_mark.target}: 2 claims violated, 1 unknown, 1 holds, 1 known violation; 1 warning"
    )
    named = [line.split()[0] for line in others[: len(every_mark.claims) - 1]]
    assert named == [each.id for each in every_mark.claims if each.id != "holds"]
    assert others[-1] == "warning: unknown: unknown; a larger --time or --histories may decide"
    assert not [line for line in others if line.startswith("reached:")]


def test_findings_on_ordinary_input_come_first_then_the_most_frequent(certificates, capsys):
    for certificate in certificates:
        ids = [line.split(":")[0] for line in shown(capsys, certificate, Detail.USUAL) if ": " in line]
        expected = [each.id for each in facts.findings(certificate)]
        assert [each for each in dict.fromkeys(ids) if each in expected] == expected
        ranks = [(c.counterexample.trace.contradictory, -c.failed) for c in facts.findings(certificate)]
        assert ranks == sorted(ranks)


def test_quiet_is_the_verdict_with_what_is_violated(every_mark, capsys):
    (only,) = shown(capsys, every_mark, Detail.QUIET)
    assert only.startswith("NOT CERTIFIED")
    for claim in every_mark.claims:
        assert (claim.id in only.partition("violated (")[2].partition(")")[0].split(", ")) == (
            claim.verdict is Verdict.VIOLATED and claim.known is None
        )


def test_verbose_adds_what_was_reached_and_what_each_verdict_rests_on(every_mark, capsys):
    lines = shown(capsys, every_mark, Detail.VERBOSE)
    assert "reached: seen 3" in lines
    assert next(line for line in lines if line.startswith("  claim")).split() == [
        "claim",
        "verdict",
        "judged",
        "could",
        "fail",
        "elsewhere",
        "failed",
        "why",
    ]
    holds = next(result for result in every_mark.claims if result.id == "holds")
    row = next(line for line in lines if line.startswith("  holds "))
    assert row.split()[1:4] == ["holds", str(holds.judged), str(holds.checked)]


def test_what_the_machine_cannot_change_stands_in_the_verdict_and_the_rest_in_detail(every_mark, capsys):
    environment = EnvironmentCoverage(
        covered=("locale: 7 values",),
        gaps=("clock not changed (no library)",),
        lacking=("clock not shifted",),
    )
    certificate = replace(every_mark, environment=environment)
    assert shown(capsys, certificate, Detail.QUIET)[0].endswith("; clock not shifted")
    lines = shown(capsys, certificate, Detail.VERBOSE)
    assert "environment: locale: 7 values" in lines
    assert "environment: clock not changed (no library)" in lines
    short = replace(certificate, environment=EnvironmentCoverage(missed=("clock",)))
    (only,) = shown(capsys, short, Detail.QUIET)
    assert only.endswith(" warnings; environment not covered: clock")


def story_shown(kind, name):
    driver, case, subject, claim = smallest(kind, name)
    broken, possible = broken_and_could_be(driver, case, list(driver.play(case, subject)), subject, claim)
    screen = Console(width=250)
    with screen.capture() as out:
        steps, document = driver.narrate(case, subject), driver.form.write(case)
        screen.print(story(frames_of(kind, steps, document, (), broken, possible)))
    return out.get()


@pytest.mark.slow_cases("client-counts-partitions-words1")
@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        (
            CLIENT,
            "gives-twice",
            [
                "Round 1 of 1, generation 1  <- broken here",
                "Topics: t0 (1 partition)",
                "t0-0!",
                "optimum: t0-0 to m0, nothing to m1 (loads 1 and 0)",
            ],
        ),
        (CLIENT, "counts-partitions", ["Weights: ", "m99!", " (weights "]),
        (CLIENT, "forgets-racks", ["Replicas in racks: t0-0 ", "(rack "]),
        (CLIENT, "deals-by-member-id", ["(static ", "Round 2 of "]),
        (CLIENT, "serves-its-leader", ["m0 leads", "m1 leads"]),
        (PLACER, "repeats-broker", ["<- broken here", "0!", "optimum: partition 0 on brokers 0 and 1"]),
        (PARTITIONER, "remembers-keys", ["<- broken here", "possible: partition 0"]),
        (STREAMS, "ignores-threads", ["stable", "<- broken here", "0000!"]),
        (CONNECT, "gives-lost-work-to-one", ["w0!", ": w0 starts c0 and c0-0; w1 starts c0-1"]),
        (PLANNER, "goes-round-about", ["<- broken here", "optimum: no move"]),
    ],
)
def test_the_cause_is_at_a_glance(kind, name, words):
    text = story_shown(kind, name)
    assert [each for each in words if each not in text] == []
    assert text.count("<- broken here") == 1


def test_a_simple_trace_stays_simple():
    text = story_shown(CLIENT, "gives-twice")
    assert not any(word in text for word in ("leads", "Weights", "racks", "static", "user data", "-1"))


def test_a_broken_round_far_behind_is_shown():
    rounds = [
        {"generation": n, "topics": {"t": 1}, "members": [], "answer": {}, "leader": None} for n in range(20)
    ]
    broken = [{"step": 0, "round": 15, "subject": "t-0", "facts": {}}]
    steps = [{"change": 0, "settled": True, "rounds": rounds}]
    screen = Console(width=150)
    with screen.capture() as out:
        screen.print(story(frames_of(CLIENT, steps, {}, (), broken)))
    text = out.get()
    assert "8 rounds before" in text
    assert "Round 16 of 20, generation 15  <- broken here\n    Topics: t (1 partition)" in text
    assert "and 4 more rounds" in text


def test_of_a_large_table_the_guilty_rows_are_shown():
    rows = tuple(Row(f"m{n}", (Cell(text=str(n)),), guilty=n == 50) for n in range(70))
    screen = Console(width=150)
    with screen.capture() as out:
        screen.print(story([Frame("round-1", "1", "Round 1", Grid(("member", "load"), rows))], 8))
    text = out.get()
    assert "19 members before" in text
    assert "m50!" in text
    assert "and 19 more members" in text


def test_the_first_that_is_marked_is_always_shown():
    assert window([False] * 9, 4) == (0, 4)
    assert window([False] * 8 + [True], 4) == (5, 4)
    assert window([True] + [False] * 8, 4) == (0, 4)
    assert window([], 4) == (0, 0)


def shown_steps(spec, case, steps, frames_max=8):
    driver = driver_for(resolve(spec).kind)
    screen = Console(width=300)
    with screen.capture() as out:
        screen.print(story(frames_of(driver.kind, steps, driver.form.write(case)), frames_max))
    return out.get()


def narrated(spec, seed):
    target = resolve(spec)
    driver = driver_for(target.kind)
    case = driver.generate(Seeded(seed), GroupProfile(kind=target.kind))
    with target.open() as host:
        return case, driver.narrate(case, Subject(host.new, RebalanceProtocol.EAGER, ()))


@pytest.mark.parametrize("seed", range(12))
def test_a_placement_is_told_partition_by_partition(seed):
    case, steps = narrated("placement:rack-aware", seed)
    text = shown_steps("placement:rack-aware", case, steps)
    placed, each = case.request.partitions, case.request.replication_factor
    assert f"{counted(placed, 'new partition')} of {counted(each, 'replica')} each" in text
    rows = [f"{n} on {' '.join(map(str, row))}" for n, row in steps[0].get("answer", [])]
    words = " ".join(text.split())
    assert all(row in words for row in rows)
    assert ("refused: " in text) == ("refused" in steps[0])


@pytest.mark.parametrize("seed", range(12))
def test_a_plan_is_told_move_by_move(seed):
    case, steps = narrated("plan:optimal", seed)
    text = shown_steps("plan:optimal", case, steps, 100)
    assert all(f"{tp.topic}-{tp.partition}" in text for tp, _ in case.before)
    assert text.count("before it: ") == text.count("After move ") == len(steps[0]["moves"])
    assert all(
        f"{m['topic']}-{m['partition']} on {' '.join(map(str, m['replicas']))}" in text
        for m in steps[0]["moves"]
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_sending_is_told_record_by_record(seed):
    case, steps = narrated("partitioner:explicit", seed)
    text = shown_steps("partitioner:explicit", case, steps, 100)
    keys = [record.key for record, _ in case.records if record.key]
    assert all(key.hex() in text for key in keys)
    assert len([line for line in text.splitlines() if line.strip()]) == len(case.records) + 2


@pytest.mark.parametrize("seed", range(12))
def test_an_application_is_told_rebalance_by_rebalance(seed):
    case, steps = narrated("streams-high-availability", seed)
    text = shown_steps("streams-high-availability", case, steps, 100)
    assert text.count("  Rebalance ") == len(steps)
    assert all(join.process_id in text for join in case.processes)
    assert ", stable" in text
    assert ("more rebalance" in shown_steps("streams-high-availability", case, steps, 1)) == (len(steps) > 1)


def test_racks_and_tags_are_told_where_processes_have_any():
    case, steps = narrated("streams-high-availability", 1)
    plain = shown_steps("streams-high-availability", case, steps, 1)
    assert "rack r1" not in plain and "spread over" not in plain
    steps[0]["rack_aware_tags"] = ["zone"]
    steps[0]["processes"][0] |= {"rack": "r1", "tags": {"zone": "a", "host": "h"}}
    text = shown_steps("streams-high-availability", case, steps, 1)
    assert f"Standby copies: {steps[0]['standby_replicas']}, spread over zone" in text
    assert "rack r1, zone=a, host=h)" in text


def test_a_call_without_an_answer_is_told():
    case, steps = narrated("streams-sticky", 1)
    step = steps[0]
    del step["answer"]
    failed = {**step, "failure": {"kind": "raised", "message": "no idea"}}
    assert "raised: no idea" in shown_steps("streams-sticky", case, [failed])
    assert "no answer" in shown_steps("streams-sticky", case, [step])


def test_nothing_is_told_of_nothing():
    case, _ = narrated("streams-sticky", 1)
    assert shown_steps("streams-sticky", case, []).strip() == ""


@pytest.mark.parametrize("seed", range(12))
def test_a_connect_cluster_is_told_worker_by_worker(seed):
    case, steps = narrated("connect-incremental", seed)
    text = shown_steps("connect-incremental", case, steps, 100)
    assert text.count("  Rebalance ") == len(steps)
    assert all(name in text for name, _ in case.connectors)
    assert text.count(" ms, stable") == sum(step["at_rest"] for step in steps)
    assert text.count("All rejoin in ") == sum(step["delay_ms"] > 0 for step in steps)
    lines = iter(text.splitlines())
    for step in steps:
        for worker in step["workers"]:
            row = next(line for line in lines if line.startswith(f"    {worker['id']} "))
            change = step["answer"][worker["id"]]
            for work in (worker["running"], change["assigned"], change["revoked"]):
                assert " ".join([*work["connectors"], *work["tasks"]]) in row


def test_a_connect_cluster_without_an_answer_is_told_too():
    case, steps = narrated("connect-incremental", 3)
    silent = {name: value for name, value in steps[0].items() if name not in {"answer", "delay_ms"}}
    failed = silent | {"failure": {"kind": "raised", "message": "assign raised KeyError"}}
    text = shown_steps("connect-incremental", case, [failed])
    assert "no answer" in text
    assert "raised: assign raised KeyError" in text
    assert "no entry" in shown_steps("connect-incremental", case, [steps[0] | {"answer": {}}])
