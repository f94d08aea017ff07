"""`kassay.hunt` is what the command shows."""

import pytest

import kassay
from kassay.api.hunt import HuntedClaims, WorstCases, WorstGaps
from kassay.model.errors import InputError, TargetNotFound
from tests.api.same import without_times

CLAIM = "max(load) - min(load) <= 1"


def test_the_function_returns_what_the_command_writes(command, tmp_path):
    hunted = kassay.hunt(CLAIM, on=["range", "roundrobin"], exhaustive=(2, 2), histories=0, out=tmp_path)
    options = ("--exhaustive", "2x2", "--histories", "0", "--out", str(tmp_path))
    document = command("hunt", CLAIM, "--on", "range", "--on", "roundrobin", *options)
    assert without_times(hunted.to_json()) == without_times(document)
    assert isinstance(hunted, HuntedClaims) and [row["target"] for row in hunted.rows()] == [
        "range",
        "roundrobin",
    ]
    assert repr(hunted) == "<HuntedClaims: 2 of 2 hunts found a counterexample>"
    assert len(hunted.counterexamples) == 2 and CLAIM.partition(" <=")[0] in hunted.page()


def test_the_worst_case_of_a_rule(command, tmp_path):
    worst = kassay.hunt(on="range", worst="spread", size=(2, 3), histories=20, out=tmp_path)
    options = ("--worst", "spread:2x3", "--histories", "20", "--out", str(tmp_path))
    assert worst.to_json() == command("hunt", "--on", "range", *options)
    assert isinstance(worst, WorstCases) and len(worst.counterexamples) == len(worst.rows()) == 1
    assert "Worst case" in worst.page()


def test_the_instances_farthest_from_the_optimum(tmp_path):
    gaps = kassay.hunt(on="range", worst="gap", seconds=0.1, config={"client.id": "a"}, out=tmp_path)
    assert isinstance(gaps, WorstGaps) and {"target", "objective", "gap"} == gaps.rows()[0].keys()
    assert gaps.to_json()["target"] == "range"
    assert "certified optimum" in gaps.plots()["staircase-range"].svg
    page = gaps.page()
    assert all(path in page for path in gaps.paths["range"].values()) and "--config client.id=a" in page


@pytest.mark.parametrize(
    ("claims", "options", "said"),
    [
        (CLAIM, {"worst": "spread"}, "expected one of the two"),
        ((), {}, "claims: expected at least one"),
        ((), {"worst": "spred"}, "did you mean spread"),
        ((), {"worst": "spread"}, "expected a size in members and partitions"),
        ((), {"worst": "spread", "size": (1, 1), "histories": 0}, "has at least one"),
    ],
)
def test_misuse_raises(claims, options, said):
    with pytest.raises(InputError, match=said):
        kassay.hunt(claims, on="range", **options)


def test_a_target_that_does_not_load_raises():
    with pytest.raises(TargetNotFound):
        kassay.hunt(CLAIM, on=["range", "no-such"])
