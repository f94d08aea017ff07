"""`kassay gap --rank`: order, JSON, the same for the same seed."""

import json

import pytest

from kassay.solver.instances.groups import consumer
from kassay.solver.instances.suites import to_line
from tests.cli.runner import here, kassay, one_line, valid


@pytest.fixture
def few(tmp_path):
    shapes = ("join", "nested", "racks")
    text = "".join(to_line(consumer(shape, 2, members=8, partitions=40)) + "\n" for shape in shapes)
    (tmp_path / "few.jsonl").write_text(text)
    return "few.jsonl"


def ranked(done):
    found = valid(json.loads(done.stdout), "rank-2")["targets"]
    for each in found:
        del each["seconds"]
    return found


@pytest.mark.slow
def test_the_yardstick_stands_first_and_the_order_is_the_same_again(tmp_path, few):
    common = (
        "gap",
        "--rank",
        "range",
        "sticky",
        "optimal-sticky",
        "uniform",
        "--suite",
        few,
        "--histories",
        "60",
    )
    done = kassay(*common, "--json", "-", cwd=tmp_path)
    assert done.returncode == 1
    found = ranked(done)
    assert found[0]["target"] == "optimal-sticky"
    assert (found[0]["balance"], found[0]["moves"], found[0]["mismatches"]) == (0, 0, 0)
    assert not found[0]["claims"]["violated"]
    assert (
        "balanced-optimal" in next(each for each in found if each["target"] == "range")["claims"]["violated"]
    )
    assert [each["balance"] for each in found] == sorted(each["balance"] for each in found)
    again = kassay(*common, "--json", "-", cwd=tmp_path, env={"PYTHONHASHSEED": "7"})
    assert ranked(again) == found


def test_as_a_table_though_a_target_is_missing(tmp_path, few):
    targets = ("roundrobin", "range", "no-such")
    done = kassay("gap", "--rank", *targets, "--suite", few, "--histories", "20", cwd=tmp_path)
    assert done.returncode == 4
    assert done.stdout.index("roundrobin") < done.stdout.index("range breaks")


@pytest.mark.slow
@pytest.mark.parametrize(("histories", "verdict", "code"), [("120", "holds", 0), ("2", "unknown", 3)])
def test_the_exit_code_says_whether_all_claims_hold(tmp_path, few, histories, verdict, code):
    common = ("gap", "--rank", "optimal-sticky", "--suite", few, "--histories", histories)
    done = kassay(*common, "--json", "-", cwd=tmp_path)
    (one,) = ranked(done)
    assert done.returncode == code
    assert one["claims"][verdict] and not one["claims"]["violated"]
    assert bool(one["claims"]["unknown"]) is (code == 3)


@pytest.mark.slow
def test_all_references_by_default(tmp_path):
    found = ranked(kassay("gap", "--rank", "--histories", "100", "--json", "-", cwd=tmp_path))
    names = [each["target"] for each in found]
    assert set(names[:2]) == {"optimal-sticky", "optimal-cooperative"}
    assert {"range", "uniform@4.0.0", "uniform@4.0.1", "server-range", "cooperative-sticky"} <= set(names)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("partitioner:murmur2",), "expected an assignor of consumer groups"),
        (("range", "--suite", "x"), "found 'x'"),
        (("range", "installed"), "installed: ranks everything installed, expected no other TARGET"),
    ],
)
def test_bad_input_is_one_line(tmp_path, arguments, said):
    assert said in one_line(here("gap", "--rank", *arguments, cwd=tmp_path), 2)


@pytest.mark.slow
def test_all_that_is_installed_is_ranked_and_the_rest_is_told(tmp_path, few):
    common = ("gap", "--rank", "installed", "--suite", few, "--histories", "2", "--seed", "1")
    done = kassay(*common, "--json", "-", cwd=tmp_path, env={"KASSAY_KAFKA_CLIENTS": ""})
    document = valid(json.loads(done.stdout), "rank-2")
    here = {each["target"]: each["versions"] for each in document["targets"]}
    missing = {each["target"]: each["missing"] for each in document["missing"]}
    assert {"range", "sticky", "optimal-cooperative"} <= here.keys()
    assert all(versions["kassay"] for versions in here.values())
    assert not here.keys() & missing.keys()
    named = here | missing
    assert {
        "kafka-python:sticky",
        "aiokafka:range",
        "kafkajs:roundrobin",
        "kafka-clients:range",
    } <= named.keys()
    assert "KASSAY_KAFKA_CLIENTS" in missing["kafka-clients:range"]
    assert ("kafka-python" in here.get("kafka-python:sticky", ())) is ("kafka-python:sticky" in here)
    assert done.returncode in (1, 3)


def test_a_page_is_written_beside_the_table(tmp_path, few):
    typed = ("gap", "--rank", "sticky", "--suite", few, "--histories", "9", "--out", "pages")
    done = here(*typed, cwd=tmp_path)
    assert "report: pages/rank.html" in done.stderr
    page = (tmp_path / "pages" / "rank.html").read_text()
    assert "<h2>Leaderboard</h2>" in page
    assert "kassay gap --rank sticky --suite" in page
