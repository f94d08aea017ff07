"""Traces as ITF: a state a round, and every number, set and function as ADR-015 spells it."""

from kassay.model.itf import to_itf

ROUND = {
    "generation": 3,
    "topics": {"t": 2},
    "members": [{"id": "a", "owned": [["t", 1]]}, {"id": "b", "owned": []}],
    "answer": {"a": [["t", 0]], "b": [["t", 1]]},
}


def number(value):
    return {"#bigint": str(value)}


def partitions(*numbers):
    return {"#set": [{"#tup": ["t", number(n)]} for n in numbers]}


def test_a_round_is_spelled_in_itf():
    assert to_itf([{"rounds": [ROUND]}]) == {
        "#meta": {"format": "ITF", "source": "kassay"},
        "vars": ["round", "generation", "topics", "owned", "answer"],
        "states": [
            {
                "#meta": {"index": 0},
                "round": number(0),
                "generation": number(3),
                "topics": {"#map": [["t", number(2)]]},
                "owned": {"#map": [["a", partitions(1)], ["b", partitions()]]},
                "answer": {"#map": [["a", partitions(0)], ["b", partitions(1)]]},
            }
        ],
    }


def test_rounds_are_counted_through_all_rebalances():
    document = to_itf([{"rounds": [ROUND, ROUND]}, {}, {"rounds": [ROUND]}])
    assert [state["#meta"]["index"] for state in document["states"]] == [0, 1, 2]
    assert [state["round"] for state in document["states"]] == [number(0), number(1), number(2)]
    assert all(set(state) == {"#meta", *document["vars"]} for state in document["states"])


def test_a_round_without_an_answer_has_an_empty_one():
    (state,) = to_itf([{"rounds": [{**ROUND, "answer": None}]}])["states"]
    assert state["answer"] == {"#map": []}
    (bare,) = to_itf([{"rounds": [{}]}])["states"]
    assert bare["generation"] == number(-1)
