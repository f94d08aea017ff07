"""`kassay gap`: tables, JSON, both solvers, failing targets, and the hunt."""

import json

import pytest

from kassay.solver.instances.brokers_and_tasks import placement
from kassay.solver.instances.suites import STAIRS, ladder, to_line
from tests.cli.runner import here, kassay, one_line, valid

STUCK = {
    "family": "A",
    "name": "stuck",
    "members": [
        {"id": "m0", "topics": ["t1"], "owned": [["t1", 0], ["t1", 1]]},
        {"id": "m1", "topics": ["t1", "t2"], "owned": [["t2", 0]]},
        {"id": "m2", "topics": ["t2"], "owned": []},
    ],
    "topics": [{"name": "t1", "partitions": 2}, {"name": "t2", "partitions": 1}],
}
RAISES = """
class Assignor:
    name = "raises"
    def assign(self, partitions_per_topic, members):
        raise ValueError("no")
"""

FIRST = """
class Assignor:
    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        for topic, count in partitions_per_topic.items():
            reader = min(member["id"] for member in members if topic in member["topics"])
            given[reader] += [(topic, p) for p in range(count)]
        return given
"""


def gaps(done):
    found = valid(json.loads(done.stdout), "gap-1")
    return {each["target"]: each for each in found["targets"]}


@pytest.fixture
def stuck(tmp_path):
    (tmp_path / "stuck.json").write_text(json.dumps(STUCK))
    return "stuck.json"


def test_the_one_move_rules_leave_a_member_idle_that_the_optimum_does_not(tmp_path, stuck):
    targets = ("sticky", "cooperative-sticky", "uniform", "optimal-sticky", "optimal-cooperative")
    done = kassay("gap", *targets, "--suite", stuck, "--json", "-", cwd=tmp_path)
    assert done.returncode == 0
    found = gaps(done)
    for name in ("sticky", "cooperative-sticky"):
        (each,) = found[name]["instances"]
        assert (each["loads"], each["optimal_loads"]) == ([0, 1, 2], [1, 1, 1])
        assert (each["balance"], each["spread"], each["movement"]) == (2, 2, None)
    for name in ("optimal-sticky", "optimal-cooperative"):
        (each,) = found[name]["instances"]
        assert (each["loads"], each["balance"], each["movement"], each["rack"]) == ([1, 1, 1], 0, 0, 0)


def test_a_rule_that_forgets_moves_more(tmp_path):
    document = {
        "family": "A",
        "name": "settled",
        "members": [
            {"id": "a", "topics": ["t"], "owned": [["t", 1], ["t", 2]]},
            {"id": "b", "topics": ["t"], "owned": [["t", 0], ["t", 3]]},
        ],
        "topics": [{"name": "t", "partitions": 4}],
    }
    (tmp_path / "settled.json").write_text(json.dumps(document))
    done = kassay("gap", "roundrobin", "sticky", "--suite", "settled.json", "--json", "-", cwd=tmp_path)
    found = gaps(done)
    assert found["roundrobin"]["gaps"]["movement"]["worst"] == 2
    assert found["roundrobin"]["gaps"]["movement"]["worst_name"] == "settled"
    assert found["sticky"]["gaps"]["movement"]["worst"] == 0


@pytest.mark.slow
def test_the_bench_suite_as_a_table_and_as_json(tmp_path):
    targets = ("range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "optimal-sticky")
    done = kassay("gap", *targets, "--suite", "bench", "--json", "gap.json", cwd=tmp_path)
    assert done.returncode == 0
    for word in ("balance", "movement", "rack", "p99", "at zero", "24 instances set aside"):
        assert word in done.stdout
    document = valid(json.loads((tmp_path / "gap.json").read_text()), "gap-1")
    assert (document["set_aside"], document["unsolved"]) == (24, [])
    found = {each["target"]: each for each in document["targets"]}
    assert all(each["answered"] == 28 and not each["failed"] for each in found.values())
    assert found["range"]["gaps"]["balance"]["worst"] > 0
    assert found["cooperative-sticky"]["rounds"] > 28 == found["sticky"]["rounds"]
    for objective in ("balance", "movement", "rack"):
        distribution = found["optimal-sticky"]["gaps"][objective]
        assert (distribution["judged"], distribution["worst"], distribution["at_zero"]) == (28, 0, 1.0)
    for each in found.values():
        for row in each["instances"]:
            assert all(row[objective] is None or row[objective] >= 0 for objective in ("balance", "rack"))


@pytest.mark.slow
def test_a_target_that_fails_is_counted_and_said(tmp_path, stuck):
    (tmp_path / "raises.py").write_text(RAISES)
    done = kassay("gap", "raises.py", "range", "--suite", stuck, "--json", "gap.json", cwd=tmp_path)
    assert done.returncode == 1
    assert "raises.py failed on stuck: " in done.stdout
    found = valid(json.loads((tmp_path / "gap.json").read_text()), "gap-1")["targets"]
    assert [len(each["failed"]) for each in found] == [1, 0]


def test_a_target_that_is_not_there_does_not_stop_the_others(tmp_path, stuck):
    done = kassay("gap", "no-such", "range", "--suite", stuck, "--json", "-", cwd=tmp_path)
    assert done.returncode == 4
    assert "there is no target 'no-such'" in done.stderr
    assert list(gaps(done)) == ["range"]


@pytest.mark.slow
def test_the_hunt_ends_at_3_members_x_3_partitions_and_shows_the_staircase(tmp_path):
    done = kassay(
        "hunt", "--on", "sticky", "--worst", "gap", "--time", "60s", "--json", "hunt.json", cwd=tmp_path
    )
    assert done.returncode == 0
    found = valid(json.loads((tmp_path / "hunt.json").read_text()), "gap-hunt-1")
    assert found["finished"]
    smallest = found["smallest"]["balance"]
    instance = smallest["instance"]
    assert (len(instance["members"]), sum(t["partitions"] for t in instance["topics"])) == (3, 3)
    assert (smallest["loads"], smallest["optimal_loads"]) == ([0, 1, 2], [1, 1, 1])
    spreads = [(each["steps"], each["spread"], each["balance"]) for each in found["staircase"]]
    assert [steps for steps, _, _ in spreads] == [3, 5, 8, 12]
    assert [gap for _, _, gap in spreads] == sorted({gap for _, _, gap in spreads})
    assert [(each["loads"][-1] - each["loads"][0]) for each in found["staircase"]] == [2, 4, 7, 11]
    assert [(e["optimal_loads"][-1] - e["optimal_loads"][0]) for e in found["staircase"]] == [0, 0, 3, 6]
    assert "staircase" in done.stdout
    kept = ".kassay/instances/sticky-balance.json"
    assert f"again: kassay gap sticky --suite {kept}" in done.stdout
    again = gaps(kassay("gap", "sticky", "--suite", kept, "--json", "-", cwd=tmp_path))
    assert again["sticky"]["instances"][0]["balance"] == found["worst"]["balance"]["balance"]


@pytest.mark.slow
def test_the_hunt_finds_nothing_against_the_optimum(tmp_path):
    done = kassay(
        "hunt", "--on", "optimal-cooperative", "--worst", "gap", "--time", "60s", "--json", "-", cwd=tmp_path
    )
    assert done.returncode == 0
    found = valid(json.loads(done.stdout), "gap-hunt-1")
    assert found["looked_at"] == len(STAIRS) + sum(1 for _ in ladder(0))
    assert (found["finished"], found["failed"]) == (True, [])
    assert found["smallest"] == found["worst"] == {}
    assert [(each["steps"], each["balance"]) for each in found["staircase"]] == [(n, 0) for n in STAIRS]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("placement:striped",), "expected an assignor of consumer groups"),
        (("range", "--suite", "none"), "found 'none'"),
        (("range", "installed"), "installed: only with --rank"),
        (("no-such", "--suite", "tiny"), "suite: found 'tiny', expected one of small, bench, large"),
        (("range", "--order", "x"), "--order"),
        (("range", "--suite", "bad.json"), "bad.json: members: missing"),
        (("range", "--suite", "none.json"), "no such file"),
        ((), "expected a TARGET, or --rank for all references"),
        (("range", "--histories", "5"), "--histories: only with --rank"),
    ],
)
def test_bad_input_is_one_line(tmp_path, arguments, said):
    (tmp_path / "bad.json").write_text('{"family": "A", "topics": []}')
    assert said in one_line(here("gap", *arguments, cwd=tmp_path), 2)


@pytest.mark.slow
def test_a_user_file_is_measured_too(tmp_path, stuck):
    (tmp_path / "first.py").write_text(FIRST)
    done = kassay("gap", "first.py", "--suite", stuck, "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    (each,) = gaps(done)["first.py"]["instances"]
    assert (each["loads"], each["balance"]) == ([0, 1, 2], 2)


def test_without_an_instance_to_measure_on_nothing_is_known(tmp_path):
    (tmp_path / "other.jsonl").write_text(to_line(placement("create", brokers=3, partitions=4, rf=2)) + "\n")
    done = kassay("gap", "range", "--suite", "other.jsonl", cwd=tmp_path)
    assert done.returncode == 3, done.stdout + done.stderr


@pytest.mark.parametrize("more", [(), ("--rank",)])
def test_an_instance_that_is_none_is_one_line_whatever_targets_are_missing(tmp_path, more):
    """Found by fuzzing: the target that is not there was told before the file that cannot be read."""
    (tmp_path / "none.json").write_text("{}")
    said = one_line(kassay("gap", *more, "--suite", "none.json", "no-such", "range", cwd=tmp_path), 2)
    assert "none.json" in said


def test_a_page_shows_the_worst_case_and_keeps_it_as_an_instance(tmp_path, stuck):
    done = here("gap", "sticky", "--suite", stuck, "--out", "pages", cwd=tmp_path)
    assert done.returncode == 0
    assert "report: pages/gap.html" in done.stderr
    page = (tmp_path / "pages" / "gap.html").read_text()
    kept = "pages/instances/sticky-worst.json"
    assert f"kassay gap sticky --suite {kept}" in page
    again = here("gap", "sticky", "--suite", kept, "--json", "-", cwd=tmp_path)
    (each,) = gaps(again)["sticky"]["instances"]
    assert (each["loads"], each["optimal_loads"]) == ([0, 1, 2], [1, 1, 1])


def test_a_page_that_cannot_be_written_is_told_before_the_work(tmp_path, stuck):
    (tmp_path / "file").touch()
    for command in (("gap", "sticky", "--suite", stuck), ("gap", "--rank", "sticky"), ("explore", "classic")):
        told = one_line(here(*command, "--out", "file/x", cwd=tmp_path), 2)
        assert "--out" in told
