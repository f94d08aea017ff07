"""The values of the full form come out of the channel as they went in."""

from __future__ import annotations

import marshal
from typing import ClassVar

import pytest
from hypothesis import given, settings

from kassay.assignors.plain_answers import Malformed
from kassay.engines.processes.values import (
    changed,
    check_answer,
    decode,
    decode_learned,
    encode,
    encode_learned,
)
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.assignor import AssignorBase, GroupMetadata
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.history import History
from kassay.model.groups.player import Player
from kassay.model.kinds import RebalanceProtocol
from tests.strategies import histories

CLUSTER = Cluster((Topic("t", 2, ((0, 1), (1,)), (5, 7)), Topic("u", 1)), (Broker(0, "x"), Broker(1)))
MEMBER = Member("a", ("t", "u"), (TopicPartition("t", 0),), 4, "x", "i", b"\xff")
GROUP = Group((MEMBER, Member("b", ())), "a", frozenset({TopicPartition("t", 0)}))


class Passes(AssignorBase):
    """Notes each input, and gives nothing to anybody."""

    name = "passes"
    inputs: ClassVar[list[tuple[Cluster, Group]]] = []

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        self.inputs.append((cluster, group))
        return Assignment({member.member_id: () for member in group.members})


@settings(max_examples=20)
@given(histories())
def test_every_input_of_a_history_is_made_anew(history: History) -> None:
    Passes.inputs.clear()
    list(Player(lambda config: Passes(), RebalanceProtocol.EAGER).play(history))
    for given_input in [*Passes.inputs, (CLUSTER, GROUP)]:
        anew = decode(marshal.loads(marshal.dumps(encode(*given_input))))
        assert anew == given_input
        assert changed(given_input, anew) is None
        assert all(isinstance(tp, TopicPartition) for member in anew[1].members for tp in member.owned)


@pytest.mark.parametrize("user_data", [None, b"", b"\x00!"])
def test_what_a_member_learns_is_made_anew(user_data: bytes | None) -> None:
    told = ((TopicPartition("t", 1), TopicPartition("u", 0)), user_data, GroupMetadata(3, "a", "i"))
    anew = decode_learned(marshal.loads(marshal.dumps(encode_learned(*told))))
    assert anew == told
    assert isinstance(anew[2], GroupMetadata)
    assert all(isinstance(tp, TopicPartition) for tp in anew[0])


def test_what_was_changed_is_named() -> None:
    before, after = decode(encode(CLUSTER, GROUP)), decode(encode(CLUSTER, GROUP))
    after[0].counts["t"] = 3
    assert changed(before, after) == "cluster.counts was changed"
    assert changed(before, (CLUSTER, Group((MEMBER,), "a"))) == "group was changed"


def test_an_answer_is_read_whether_assignment_or_mapping() -> None:
    tp = TopicPartition("t", 0)
    answer = Assignment({"a": (tp,), "b": ()}, user_data={"a": b"", "b": b"x"})
    given_lists, user_data = check_answer(answer)
    assert {member: list(map(tuple, tps)) for member, tps in given_lists.items()} == {
        "a": [("t", 0)],
        "b": [],
    }
    assert user_data == {"a": b"", "b": b"x"}
    assert check_answer({"a": [("t", 0)], "b": []}) == (given_lists, {})
    with pytest.raises(Malformed, match=r"expected a kassay\.model\.groups\.group\.Assignment"):
        check_answer([("a", ())])
