"""What matters where two targets differ, and the difference as a test that fails."""

import json
from dataclasses import replace

import pytest

from kassay.engines.causes.cause import cause_of_difference, difference_as_python, paragraph_of_difference
from kassay.engines.diff.compare import By, Lead
from kassay.engines.diff.document import Side, TargetDifference
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol
from kassay.model.trace import Conditions


def joins(*members):
    return [
        {"event": "Join", "member": {"id": name, "topics": ["t0"], **more}, "config": {}}
        for name, more in members
    ]


CLAIM = {"owned": [["t0", 0], ["t0", 1]], "generation": 0}
DIFFERENCE = TargetDifference(
    kind=CLIENT,
    left=Side("sticky"),
    right=Side("cooperative-sticky", protocol=RebalanceProtocol.COOPERATIVE),
    by=By.ANSWER,
    lead=Lead.RIGHT,
    contradictory=False,
    case={
        "cluster": {"topics": [{"name": "t0", "partitions": 2}]},
        "changes": [joins(("m0", {}), ("m1", CLAIM))],
    },
    lines=("different: m0 differs: sticky gives t0-1, cooperative-sticky gives nothing.",),
    conditions=Conditions(in_process=True),
)


def test_the_claim_that_makes_them_differ_is_named_and_how_much_it_takes(tmp_path):
    cause = cause_of_difference(DIFFERENCE, tmp_path)
    assert cause.conditions == ("m1 owning t0-0 and t0-1",)
    assert cause.extents == ("2 members", "2 partitions of t0")
    said = paragraph_of_difference(DIFFERENCE, cause)
    assert said.startswith(
        "sticky and cooperative-sticky differ. m0 differs: sticky gives t0-1, cooperative-sticky gives nothing."
    )
    assert "The violation needs m1 owning t0-0 and t0-1; without it, they agree." in said


def test_two_that_agree_now_and_one_that_is_not_there_are_told(tmp_path):
    same = replace(DIFFERENCE, right=DIFFERENCE.left)
    said = paragraph_of_difference(same, cause_of_difference(same, tmp_path))
    assert "Replayed, they agreed" in said
    assert "cannot be determined: no such file." in paragraph_of_difference(DIFFERENCE, None, "no such file")


@pytest.mark.parametrize("fails", [True, False])
def test_the_test_fails_while_they_differ(tmp_path, fails):
    path = tmp_path / "difference.json"
    mended = replace(DIFFERENCE, right=DIFFERENCE.right if fails else DIFFERENCE.left)
    path.write_text(json.dumps(mended.to_json()))
    space: dict[str, object] = {}
    exec(compile(difference_as_python(path), "t.py", "exec"), space)
    (test,) = [value for name, value in space.items() if name.startswith("test_")]
    if fails:
        with pytest.raises(AssertionError):
            test()
    else:
        test()


def test_what_is_not_usual_is_said(tmp_path):
    path = tmp_path / "difference.json"
    by_quality = replace(
        DIFFERENCE,
        by=By.QUALITY,
        conditions=Conditions(config={"a": "b"}, assume=("no-racks",), memory_mib=64),
    )
    path.write_text(json.dumps(by_quality.to_json()))
    text = difference_as_python(path)
    for said in ("by='quality'", "lead='right'", "config={'a': 'b'}", "assume=['no-racks']", "memory=64"):
        assert said in text
    assert "call_timeout" not in text
