"""`kassay.explore` is what the command shows."""

import pytest

import kassay
from kassay.api.explore import BrokenRules, ComparedReleases, ExploredModel
from kassay.model.errors import InputError
from tests.api.same import without_times


def test_the_function_returns_what_the_command_writes(command):
    explored = kassay.explore(
        "classic",
        partitions=1,
        faults={"crash": 1},
        release="4.0.2",
        protocol="eager",
        switches=["no_generation_fence"],
        config={"group.instance.id": "1"},
    )
    options = "--partitions 1 --faults crash=1 --release 4.0.2 --protocol eager --switch no_generation_fence"
    document = command("explore", "classic", *options.split(), "--config", "group.instance.id=1")
    assert without_times(explored.to_json()) == without_times(document)
    assert isinstance(explored, ExploredModel) and explored.states == document["states"]


def test_a_violation_has_its_trace_a_row_and_a_page():
    explored = kassay.explore("zookeeper", switches="zk_no_owner_guard")
    assert repr(explored) == "<ExploredModel: zookeeper violated (single-current-owner), 34 states>"
    assert [row["invariant"] for row in explored.rows() if row["severity"] == "real"] == [
        each.invariant for each in explored.violations
    ]
    assert str(explored.trace[0]) == "c1 -> zookeeper: start(register, watch)"
    assert "Reproduce" not in explored.page() and "kassay explore" in explored.page("kassay explore")


def test_releases_are_compared(command):
    compared = kassay.explore("kip848", partitions=1, faults="loss=1", against="4.2.1")
    document = command("explore", "kip848", "--partitions", "1", "--faults", "loss=1", "--against", "4.2.1")
    assert without_times(compared.to_json()) == without_times(document)
    assert isinstance(compared, ComparedReleases) and len(compared.rows()) == len(compared.trace) > 0
    assert not compared.holds and "Then 4.2.1" in compared.page()


def test_each_rule_is_broken_in_turn(command):
    broken = kassay.explore("zookeeper", switches="each")
    assert broken.to_json() == command("explore", "zookeeper", "--switch", "each")
    assert isinstance(broken, BrokenRules) and broken.holds and len(broken.rows()) == len(broken.switches)
    assert "Reproduce" not in broken.page()


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        ("clasic", {}, "did you mean classic"),
        ("classic", {"faults": {"crush": 1}}, "did you mean crash"),
        ("classic", {"states": "all"}, "states: found 'all', expected"),
        ("classic", {"config": {"spark.master": "local"}}, "Spark explores by the command only"),
    ],
)
def test_misuse_raises(model, options, said):
    with pytest.raises(InputError, match=said):
        kassay.explore(model, **options)
