"""What traces of placers, planners, partitioners and assignors of tasks and of Connect look like on a terminal."""

import pytest
from rich.console import Console

from kassay.certify.targets.resolve import resolve
from kassay.kinds.judging import Subject
from kassay.kinds.registry import driver_for
from kassay.kinds.views import frames_of
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.sources import Seeded
from kassay.report.screen.story import story
from kassay.writing.text import counted


def shown(spec, case, steps, frames_max=8):
    driver = driver_for(resolve(spec).kind)
    screen = Console(width=300)
    with screen.capture() as out:
        screen.print(story(frames_of(driver.kind, steps, driver.form.write(case)), frames_max))
    return out.get()


def told(spec, seed):
    target = resolve(spec)
    driver = driver_for(target.kind)
    case = driver.generate(Seeded(seed), GroupProfile(kind=target.kind))
    with target.open() as host:
        return case, driver.narrate(case, Subject(host.new, RebalanceProtocol.EAGER, ()))


@pytest.mark.parametrize("seed", range(12))
def test_a_placement_is_told_partition_by_partition(seed):
    case, steps = told("placement:rack-aware", seed)
    text = shown("placement:rack-aware", case, steps)
    placed, each = case.request.partitions, case.request.replication_factor
    assert f"{counted(placed, 'new partition')} of {counted(each, 'replica')} each" in text
    rows = [f"{n} on {' '.join(map(str, row))}" for n, row in steps[0].get("answer", [])]
    words = " ".join(text.split())
    assert all(row in words for row in rows)
    assert ("refused: " in text) == ("refused" in steps[0])


@pytest.mark.parametrize("seed", range(12))
def test_a_plan_is_told_move_by_move(seed):
    case, steps = told("plan:optimal", seed)
    text = shown("plan:optimal", case, steps, 100)
    assert all(f"{tp.topic}-{tp.partition}" in text for tp, _ in case.before)
    assert text.count("before it: ") == text.count("After move ") == len(steps[0]["moves"])
    assert all(
        f"{m['topic']}-{m['partition']} on {' '.join(map(str, m['replicas']))}" in text
        for m in steps[0]["moves"]
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_sending_is_told_record_by_record(seed):
    case, steps = told("partitioner:explicit", seed)
    text = shown("partitioner:explicit", case, steps, 100)
    keys = [record.key for record, _ in case.records if record.key]
    assert all(key.hex() in text for key in keys)
    assert len([line for line in text.splitlines() if line.strip()]) == len(case.records) + 2


@pytest.mark.parametrize("seed", range(12))
def test_an_application_is_told_rebalance_by_rebalance(seed):
    case, steps = told("streams-high-availability", seed)
    text = shown("streams-high-availability", case, steps, 100)
    assert text.count("  Rebalance ") == len(steps)
    assert all(join.process_id in text for join in case.processes)
    assert "at rest" in text
    assert ("more rebalance" in shown("streams-high-availability", case, steps, 1)) == (len(steps) > 1)


def test_racks_and_tags_are_told_where_processes_have_any():
    case, steps = told("streams-high-availability", 1)
    plain = shown("streams-high-availability", case, steps, 1)
    assert "rack r1" not in plain and "spread over" not in plain
    steps[0]["rack_aware_tags"] = ["zone"]
    steps[0]["processes"][0] |= {"rack": "r1", "tags": {"zone": "a", "host": "h"}}
    text = shown("streams-high-availability", case, steps, 1)
    assert f"Standby copies: {steps[0]['standby_replicas']}, spread over zone" in text
    assert "rack r1, zone=a, host=h)" in text


def test_a_call_without_an_answer_is_told():
    case, steps = told("streams-sticky", 1)
    step = steps[0]
    del step["answer"]
    failed = {**step, "failure": {"kind": "raised", "message": "no idea"}}
    assert "raised: no idea" in shown("streams-sticky", case, [failed])
    assert "no answer" in shown("streams-sticky", case, [step])


def test_nothing_is_told_of_nothing():
    case, _ = told("streams-sticky", 1)
    assert shown("streams-sticky", case, []).strip() == ""


@pytest.mark.parametrize("seed", range(12))
def test_a_connect_cluster_is_told_worker_by_worker(seed):
    case, steps = told("connect-incremental", seed)
    text = shown("connect-incremental", case, steps, 100)
    assert text.count("  Rebalance ") == len(steps)
    assert all(name in text for name, _ in case.connectors)
    assert text.count(" ms, at rest") == sum(step["at_rest"] for step in steps)
    assert text.count("All rejoin in ") == sum(step["delay_ms"] > 0 for step in steps)
    lines = iter(text.splitlines())
    for step in steps:
        for worker in step["workers"]:
            row = next(line for line in lines if line.startswith(f"    {worker['id']} "))
            change = step["answer"][worker["id"]]
            for work in (worker["running"], change["assigned"], change["revoked"]):
                assert " ".join([*work["connectors"], *work["tasks"]]) in row


def test_a_connect_cluster_without_an_answer_is_told_too():
    case, steps = told("connect-incremental", 3)
    silent = {name: value for name, value in steps[0].items() if name not in {"answer", "delay_ms"}}
    failed = silent | {"failure": {"kind": "raised", "message": "assign raised KeyError"}}
    text = shown("connect-incremental", case, [failed])
    assert "no answer" in text
    assert "raised: assign raised KeyError" in text
    assert "no entry" in shown("connect-incremental", case, [steps[0] | {"answer": {}}])
