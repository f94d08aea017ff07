"""`kassay optimum` and `kassay check`: results, certificates in a process of their own, bad input."""

import gzip
import json
import subprocess
import sys
from collections import Counter

import pytest

from kassay.solver.instances.brokers_and_tasks import placement, tasks
from kassay.solver.instances.groups import consumer
from kassay.solver.instances.suites import to_line
from tests.cli.runner import here, kassay, one_line, valid

GROUP = {
    "family": "A",
    "name": "three",
    "members": [
        {"id": "a", "topics": ["t"], "owned": [["t", 0], ["t", 1]]},
        {"id": "b", "topics": ["t", "u"], "owned": []},
        {"id": "c", "topics": ["u"], "owned": [["u", 0]]},
    ],
    "topics": [{"name": "t", "partitions": 2}, {"name": "u", "partitions": 1}],
}
TIGHT = {
    "family": "B",
    "name": "tight",
    "brokers": [{"id": 0, "max_replicas": 2}, {"id": 1, "max_replicas": 2}, {"id": 2}],
    "topics": [{"name": "t", "partitions": 5, "rf": 2}],
}

INTERVALS = {
    "A-copart-20x100-s1",
    "A-copart-30x300-s1",
    "A-weighted-10x40-s1",
    "A-weighted-20x100-s1",
    "A-weighted-30x300-s1",
    "A-weighted-50x500-s1",
    "C-join-10x60-sb1-s1",
    "C-join-20x200-sb1-s1",
    "C-join-40x600-sb1-s1",
    "C-leave-10x60-sb1-s1",
    "C-leave-20x200-sb1-s1",
    "C-leave-40x600-sb1-s1",
}
"""Of the bench suite, what is NP-hard and has a gap left between bound and answer; no time limit ends it."""


def lines(done):
    return [valid(json.loads(line), "optimum-2") for line in done.stdout.splitlines()]


def checked(path, cwd, code=0):
    done = kassay("check", str(path), "--json", "-", cwd=cwd)
    assert done.returncode == code, (done.stdout, done.stderr)
    return [valid(json.loads(line), "check-2") for line in done.stdout.splitlines()]


@pytest.fixture
def group(tmp_path):
    (tmp_path / "group.json").write_text(json.dumps(GROUP, indent=2))
    return "group.json"


@pytest.mark.slow
def test_one_instance_is_solved_and_its_certificate_accepted_elsewhere(tmp_path, group):
    done = kassay("optimum", group, "--json", "result.json", cwd=tmp_path)
    assert done.returncode == 0
    assert "optimal" in done.stdout
    (found,) = [
        valid(json.loads(line), "optimum-2") for line in (tmp_path / "result.json").read_text().splitlines()
    ]
    assert (found["loads"], found["moved"], found["status"]) == ([1, 1, 1], 1, "optimal")
    assert [each["verdict"] for each in checked("result.json", tmp_path)] == ["accepted"]
    (tmp_path / "bare.json").write_text(json.dumps(found["certificate"], indent=1))
    assert [each["verdict"] for each in checked("bare.json", tmp_path)] == ["accepted"]


def test_every_family_in_one_file_of_lines(tmp_path):
    documents = [
        consumer("random", 3, members=6, partitions=20),
        consumer("weighted", 3, members=4, partitions=9),
        consumer("copart", 3, members=4, partitions=12),
        placement("add", 3, brokers=6, partitions=12),
        tasks("join", 3, clients=4, tasks=9),
    ]
    text = "".join(to_line(document) + "\n" for document in documents)
    (tmp_path / "all.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    done = kassay("optimum", "all.jsonl.gz", "--time", "60s", "--json", "-", cwd=tmp_path)
    found = lines(done)
    assert [each["family"] for each in found] == ["A", "A", "A", "B", "C"]
    assert {each["status"] for each in found} == {"optimal"}
    assert "max_weight" in found[1]
    assert done.returncode == 0
    (tmp_path / "found.jsonl").write_text(done.stdout)
    words = [each["certificate"].get("prover") for each in found]
    outcomes = checked("found.jsonl", tmp_path, 3 if any(words) else 0)
    assert [each["word_of"] for each in outcomes] == words
    assert {each["verdict"] for each in outcomes if not each["word_of"]} == {"accepted"}


def test_standard_input_and_the_other_order(tmp_path):
    document = consumer("racks", 1, members=5, partitions=20)
    moved = {}
    for order in ("balance,movement,rack", "balance,rack,movement"):
        done = subprocess.run(
            [sys.executable, "-m", "kassay", "optimum", "-", "--order", order, "--json", "-"],
            input=json.dumps(document), capture_output=True, text=True, check=True, cwd=tmp_path,
        )  # fmt: skip
        (found,) = lines(done)
        assert found["order"] == order
        moved[order] = (found["moved"], found["rack_mismatch"])
    assert list(moved.values()) == [(4, 5), (8, 0)]


@pytest.mark.slow
def test_a_spent_time_limit_gives_an_interval_that_is_checked(tmp_path):
    (tmp_path / "big.json").write_text(to_line(consumer("random", 1, members=100, partitions=5000)))
    options = ("--time", "10ms", "--json", "late.json")
    done = kassay("optimum", "big.json", *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (3, "")
    assert json.loads((tmp_path / "late.json").read_text())["status"] == "interval"
    checked = kassay("check", "late.json", "big.json", cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert "accepted: interval" in checked.stdout


@pytest.mark.slow
def test_infeasible_is_said_with_its_witness_and_never_optimal(tmp_path):
    (tmp_path / "tight.json").write_text(json.dumps(TIGHT))
    done = kassay("optimum", "tight.json", "--json", "-", cwd=tmp_path)
    said = one_line(done, 2)
    assert "max_replicas" in said and "brokers 0, 1" in said
    (found,) = lines(done)
    assert (found["status"], found["witness"]) == ("infeasible", [0, 1])
    assert "brokers 0, 1" in one_line(kassay("optimum", "tight.json", cwd=tmp_path), 2)


def changed(**changes):
    return {**GROUP, **changes}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (changed(family="Z"), "group.json: family: found 'Z'"),
        ([], "group.json: found [], expected an object"),
        ("text", "group.json: found 'text'"),
        (changed(members=[]), "group.json: members: found []"),
        (changed(members=[*GROUP["members"], GROUP["members"][0]]), "members[3].id: member id 'a' is already"),
        (
            changed(members=[{"id": "a", "topics": ["gone"]}]),
            "members[0].topics[0]: found 'gone', expected the name of a topic",
        ),
        (changed(topics=[*GROUP["topics"], {"name": "t", "partitions": 1}]), "topics[2].name: topic 't'"),
        (
            changed(topics=[{"name": "t", "partitions": 2, "weights": [1, -1]}, GROUP["topics"][1]]),
            "topics[0].weights[1]: found -1",
        ),
        (changed(members=[{"id": "a", "topics": ["t"], "owned": [["t", 7]]}]), "members[0].owned[0][1]: found 7"),
        (
            {**TIGHT, "current": {"t": [[9], [], [], [], []]}, "removed": []},
            "current.t[0]",
        ),
        ({**TIGHT, "brokers": [{"id": 0}, {"id": 0}]}, "brokers[1].id"),
        ({**TIGHT, "topics": [{"name": "t", "partitions": 1, "rf": 4}]}, "topics[0].rf"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_that_names_the_field(tmp_path, group, document, said):
    (tmp_path / group).write_text(json.dumps(document))
    assert said in one_line(here("optimum", group, cwd=tmp_path), 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("optimum",), "Missing argument"),
        (("optimum", "missing.json"), "missing.json: no such file"),
        (("optimum", "."), "is a folder"),
        (("optimum", "broken.jsonl"), "broken.jsonl:2: not JSON"),
        (("optimum", "empty.json"), "empty"),
        (("optimum", "latin.json"), "not UTF-8"),
        (("optimum", "cut.json.gz"), "cannot be read"),
        (("optimum", "none"), "found 'none', expected one of small, bench, large"),
        (("optimum", "x.json", "--order", "rack"), "--order: found 'rack'"),
        (("check", "missing.json"), "missing.json: no such file"),
        (("check", "other.json"), "schema: found nothing, expected one of kassay/interval-certificate/1"),
        (("check", "number.json"), "found 7"),
    ],
)
def test_unreadable_files_are_one_line(tmp_path, arguments, said):
    (tmp_path / "broken.jsonl").write_text('{"family": "A"}\n{"family"\n')
    (tmp_path / "empty.json").write_text("\n")
    (tmp_path / "latin.json").write_bytes(b'{"name": "\xe4"}')
    (tmp_path / "cut.json.gz").write_bytes(gzip.compress(b"{}" * 100)[:20])
    (tmp_path / "other.json").write_text(json.dumps(GROUP))
    (tmp_path / "number.json").write_text("7")
    (tmp_path / "x.json").write_text(json.dumps(GROUP))
    assert said in one_line(here(*arguments, cwd=tmp_path), 2)


def test_a_bad_line_stops_the_others_before_anything_is_solved(tmp_path):
    bad = json.dumps(changed(topics=[]))
    (tmp_path / "two.jsonl").write_text(f"{json.dumps(GROUP)}\n{bad}\n")
    done = kassay("optimum", "two.jsonl", "--json", "-", cwd=tmp_path)
    assert "two.jsonl:2: members[0].topics[0]" in one_line(done, 2)
    assert not done.stdout


@pytest.mark.slow
def test_the_bench_suite_is_solved_and_checked_in_another_process(tmp_path):
    done = kassay("optimum", "bench", "--time", "60s", "--json", "bench.jsonl", cwd=tmp_path)
    found = [
        valid(json.loads(line), "optimum-2") for line in (tmp_path / "bench.jsonl").read_text().splitlines()
    ]
    assert len(found) == 52
    assert {each["name"] for each in found if each["status"] != "optimal"} == INTERVALS
    assert {each["status"] for each in found if each["name"] in INTERVALS} == {"interval"}
    assert all(each["bound"] for each in found)
    assert done.returncode == 3
    assert Counter(each["verdict"] for each in checked("bench.jsonl", tmp_path)) == {"accepted": 52}


@pytest.mark.slow
def test_the_small_suite_is_solved_and_checked_in_another_process(tmp_path):
    assert kassay("optimum", "small", "--json", "small.jsonl", cwd=tmp_path).returncode == 0
    assert Counter(each["verdict"] for each in checked("small.jsonl", tmp_path)) == {"accepted": 2400}


def test_why_a_balance_cannot_be_better(tmp_path):
    document = {
        "family": "A",
        "name": "lopsided",
        "members": [
            {"id": m, "rack": None, "topics": [t], "owned": []}
            for m, t in (("a", "t"), ("b", "u"), ("c", "u"))
        ],
        "topics": [
            {"name": name, "partitions": n, "racks": None, "weights": None}
            for name, n in (("t", 7), ("u", 2))
        ],
        "copartition": [],
    }
    (tmp_path / "lopsided.json").write_text(json.dumps(document))
    done = kassay("optimum", "lopsided.json", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0
    heaviest, lightest = valid(json.loads(done.stdout), "optimum-2")["why_not_better"]
    assert "t has 7 partitions" in heaviest
    assert "read by a alone" in heaviest
    assert "b, c read u" in lightest
    (tmp_path / "why.json").write_text(done.stdout)
    (outcome,) = checked("why.json", tmp_path)
    assert outcome["verdict"] == "accepted"
