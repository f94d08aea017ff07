from kassay.engines.processes.returned import EARLIER, EMPTIED_MAX, KEPT_MAX, EarlierAnswer, containers


def test_after_every_other_call_answer_and_input_are_emptied():
    returned = EarlierAnswer()
    for number in range(4):
        answer, members = {"m0": [("t0", 0)]}, [{"id": "m0", "topics": ["t0"]}]
        topics = members[0]["topics"]
        assert returned.take(answer, (members,)) is None
        assert answer["m0"], "not before the reply is made"
        returned.finish()
        assert (answer, members, topics) == (
            ({}, [], [])
            if number % 2 == 0
            else ({"m0": [("t0", 0)]}, [{"id": "m0", "topics": ["t0"]}], ["t0"])
        )


def test_a_change_of_an_earlier_answer_is_seen_at_the_next_call():
    returned = EarlierAnswer()
    returned.take({}, ())
    returned.finish()
    kept = {"m0": [("t0", 0)]}
    assert returned.take(kept, ()) is None
    returned.finish()
    kept["m0"].append(("t0", 1))
    assert returned.take({"m0": []}, ()) == EARLIER
    returned.finish()
    assert returned.take({"m0": []}, ()) is None


def test_large_answers_are_neither_kept_nor_emptied():
    returned = EarlierAnswer()
    large = {f"m{number}": [number] for number in range(EMPTIED_MAX + 1)}
    returned.take(large, ())
    returned.finish()
    assert len(large) == EMPTIED_MAX + 1
    returned.take({f"m{number}": [] for number in range(KEPT_MAX)}, ())
    returned.finish()
    assert len(containers([[]] * 9, 4)) == 5
