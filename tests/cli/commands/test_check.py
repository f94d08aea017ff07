"""`kassay check`: the checker alone, what it refuses, and the published optima."""

import copy
import gzip
import json
import subprocess
import sys

import pytest

from kassay.engines.optimum.solve import solve
from kassay.reading.documents import Located
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.check.check import Outcome, check_certificate
from kassay.solver.instances.brokers_and_tasks import placement, tasks
from kassay.solver.instances.groups import consumer
from kassay.solver.instances.suites import suite, to_line
from tests import house
from tests.cli.runner import kassay, valid
from tests.paths import PUBLISHED

CHECKERS = {"kassay.solver"} | {
    f"kassay.{name}" for name in house.modules() if name.startswith("solver.check")
}
WATCHED = """
import sys
from kassay.cli.main import run
code = run(["check", sys.argv[1]])
print(*sorted(name for name in sys.modules if name.startswith("kassay.solver")), file=sys.stderr)
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""


def solved(document, seconds=60.0):
    return solve(Located(document, document["name"]), MOVEMENT_FIRST, seconds=seconds)


@pytest.fixture(scope="module")
def results():
    return [
        solved(consumer("random", 5, members=5, partitions=14)),
        solved(consumer("weighted", 5, members=3, partitions=7)),
        solved(consumer("copart", 5, members=3, partitions=9)),
        solved(placement("add", 5, brokers=6, partitions=9)),
        solved(tasks("join", 5, clients=4, tasks=8)),
    ]


def test_nothing_of_the_solver_is_loaded(tmp_path, results):
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(each) + "\n" for each in results))
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(tmp_path / "all.jsonl")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": accepted: ") == len(results)
    solver, packages = done.stderr.splitlines()
    assert set(solver.split()) == CHECKERS
    assert not {"z3", "networkx", "ortools"} & set(packages.split())


def test_a_result_that_says_more_than_its_certificate_is_refused(results):
    for result in results:
        assert check_certificate(result).accepted, result["name"]
        for field in ("lower", "upper", "moved", "sum_squares", "max_weight"):
            damaged = copy.deepcopy(result)
            if field in damaged:
                damaged[field] += 1
                assert check_certificate(damaged).accepted is False, (result["name"], field)
        damaged = copy.deepcopy(result)
        damaged["loads"][0] -= 1
        assert check_certificate(damaged).accepted is False, result["name"]
        damaged = copy.deepcopy(result)
        given = damaged["assignment"]
        if result["family"] == "B":
            given = {topic: rows[::-1] for topic, rows in given.items()}
        damaged["assignment"] = dict(zip(given, reversed(given.values()), strict=True))
        if damaged["assignment"] != result["assignment"]:
            assert check_certificate(damaged).accepted is False, result["name"]


def test_a_refused_certificate_is_exit_1_with_the_reason(tmp_path, results):
    damaged = copy.deepcopy(results[0])
    owners = damaged["certificate"]["assignment"]
    giver = max(owners, key=lambda member: sum(map(len, owners[member].values())))
    taker = next(member for member in owners if member != giver)
    topic = next(iter(owners[giver]))
    owners[taker].setdefault(topic, []).append(owners[giver][topic].pop())
    damaged["assignment"] = owners
    (tmp_path / "two.jsonl").write_text(json.dumps(damaged) + "\n" + json.dumps(results[0]) + "\n")
    done = kassay("check", "two.jsonl", "--json", "-", cwd=tmp_path)
    assert done.returncode == 1
    refused, accepted = [valid(json.loads(line), "check-2") for line in done.stdout.splitlines()]
    assert (refused["verdict"], accepted["verdict"]) == ("refused", "accepted")
    assert refused["reason"]
    human = kassay("check", "two.jsonl", cwd=tmp_path)
    assert f"{refused['name']}: refused: {refused['reason']}" in human.stdout


@pytest.mark.slow_cases("consumers", "placements")
@pytest.mark.parametrize("name", ["consumers", "placements", "tasks"])
def test_published_optima_are_proven_and_their_instances_are_those_of_the_suite(name):
    family = {"consumers": "A", "placements": "B", "tasks": "C"}[name]
    instances = gzip.decompress((PUBLISHED / f"{name}.jsonl.gz").read_bytes()).decode().splitlines()
    assert instances == [to_line(each) for each in suite("bench") if each["family"] == family]
    optima = gzip.decompress((PUBLISHED / f"{name}-optima.jsonl.gz").read_bytes()).decode().splitlines()
    assert [json.loads(line)["name"] for line in instances] == [json.loads(line)["name"] for line in optima]
    for line in optima:
        found = json.loads(line)
        checked = check_certificate(found)
        on_word = found["certificate"].get("prover")
        assert checked.outcome is (Outcome.ON_WORD if on_word else Outcome.ACCEPTED), checked
        valid({**found, "elapsed_s": 0.0}, "optimum-2")
        if found["status"] == "optimal":
            assert checked.reason.startswith("optimal")


@pytest.mark.parametrize("name", ["consumers", "placements"])
def test_published_certificates_are_for_the_published_instances(name):
    instances = gzip.decompress((PUBLISHED / f"{name}.jsonl.gz").read_bytes()).decode().splitlines()
    optima = gzip.decompress((PUBLISHED / f"{name}-optima.jsonl.gz").read_bytes()).decode().splitlines()
    for posed, answered in zip(map(json.loads, instances), map(json.loads, optima), strict=True):
        inside = answered["certificate"]["instance"]
        assert {t["name"]: t["partitions"] for t in inside["topics"]} == {
            t["name"]: t["partitions"] for t in posed["topics"]
        }
        who = "members" if name == "consumers" else "brokers"
        assert {each["id"] for each in inside[who]} == {each["id"] for each in posed[who]}


def test_the_line_and_the_document_name_the_question(tmp_path, results):
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(each) + "\n" for each in results))
    documents = kassay("check", "all.jsonl", "--json", "-", cwd=tmp_path).stdout.splitlines()
    human = kassay("check", "all.jsonl", cwd=tmp_path).stdout.splitlines()
    for line, text in zip(documents, human, strict=True):
        question = valid(json.loads(line), "check-2")["question"]
        assert f"[minimised: {', then '.join(question['objectives'])}; " in text
        assert all(f"; {cost} for each {thing}" in text for thing, cost in question["costs"].items())


def test_a_refused_certificate_has_no_question(tmp_path, results):
    damaged = copy.deepcopy(results[0])
    damaged["sum_squares"] += 1
    (tmp_path / "one.json").write_text(json.dumps(damaged))
    done = kassay("check", "one.json", "--json", "-", cwd=tmp_path)
    assert (done.returncode, valid(json.loads(done.stdout), "check-2")["question"]) == (1, None)
