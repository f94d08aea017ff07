"""Clusters, members and histories as documents: written, read back, and refused with the field that is wrong."""

import json

import pytest
from hypothesis import HealthCheck, given, settings

from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.errors import FailureKind, InputError
from kassay.model.groups.documents import HISTORY, rebalanced_to_json, step_to_json
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.step import Rebalanced, Step
from tests.strategies import histories

CASE = {
    "cluster": {"brokers": [], "topics": [{"name": "t", "partitions": 2}]},
    "reports": "joined",
    "changes": [[{"event": "Join", "member": {"id": "a", "topics": ["t"]}, "config": {}}]],
}
STEP = Step(
    Cluster((Topic("t", 2), Topic("empty", 0))),
    Group((Member("a", ("t",), (TopicPartition("t", 1),), 4, "r"),)),
    Assignment({"a": (TopicPartition("t", 1), TopicPartition("t", 0))}),
    5,
)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(histories())
def test_every_history_survives_the_round_trip(history):
    document = json.loads(json.dumps(HISTORY.write(history)))
    assert HISTORY.read(document, "case") == history


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.pop("changes"), r"case.changes: missing"),
        (lambda d: d.update(changes=[]), "expected at least the change"),
        (lambda d: d["changes"][0][0].update(event="Explode"), r"changes\[0\]\[0\].event: unknown event"),
        (lambda d: d["changes"][0][0]["member"].update(owned=[["t"]]), r"owned\[0\]: expected a pair"),
        (lambda d: d["changes"][0][0]["member"].update(owned=[["t", 0], ["t", 0]]), "listed twice"),
        (lambda d: d["cluster"]["topics"].append({"name": "t", "partitions": 1}), "'t' is listed twice"),
        (lambda d: d["cluster"]["topics"][0].update(partitions=-1), "at least 0"),
        (lambda d: d["cluster"]["topics"][0].update(weights=[1]), "expected 2 entries"),
        (lambda d: d.update(reports="sometimes"), "joined or got"),
    ],
)
def test_a_damaged_history_is_refused_by_field(change, said):
    document = json.loads(json.dumps(CASE))
    change(document)
    with pytest.raises(InputError, match=said):
        HISTORY.read(document, "case")


def test_a_round_shows_claims_and_answer_in_their_order():
    assert step_to_json(STEP) == {
        "generation": 5,
        "leader": None,
        "topics": {"t": 2},
        "members": [
            {
                "id": "a",
                "topics": ["t"],
                "owned": [["t", 1]],
                "generation": 4,
                "rack": "r",
                "instance_id": None,
            }
        ],
        "answer": {"a": [["t", 1], ["t", 0]]},
    }


def test_a_round_without_an_answer_shows_how_it_failed():
    broken = Step(STEP.cluster, STEP.group, Failure(FailureKind.DIED, "gone"), 5)
    document = rebalanced_to_json(Rebalanced(3, (), (STEP, broken), settled=False, revocations=0))
    assert (document["change"], document["settled"]) == (3, False)
    assert document["rounds"][0] == step_to_json(STEP)
    assert document["rounds"][1]["failure"] == {"kind": "died", "message": "gone"}
    assert "answer" not in document["rounds"][1]
