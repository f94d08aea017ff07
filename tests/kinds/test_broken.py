"""What a board marks, and where."""

from kassay.kinds.broken import could_be_of, evidence

COULD_BE = {
    "step": 1, "round": 0, "by": "as sticky ends", "certified": False, "answer": {}, "measures": {},
    "instead_of": {}, "words": "1 1",
}  # fmt: skip


def test_names_of_a_violation_in_words_stand_for_the_last_step():
    marks = evidence(["balanced-kip54: t0-1 (of m1, with 4, could go to m0, with only 2)", "other: t2-0"])
    assert marks.names >= {"t0-1", "m0", "m1", "t2-0"}
    assert not marks.names & {"4", "2"}
    assert (marks.broken((0, 0), True), marks.broken((0, 0), False)) == (True, False)
    assert marks.guilty((0, 0), True) == marks.names
    assert marks.guilty((0, 0), False) == frozenset()


def test_places_that_are_kept_are_the_broken_ones():
    marks = evidence(
        ["c: t0-0"],
        [
            {"step": 1, "round": 0, "subject": "t0-0", "facts": {"owners": ["m0", "m1"], "count": 2}},
            {"step": 1, "round": 0, "subject": "t0-1", "facts": {}},
        ],
        COULD_BE,
    )
    assert marks.broken((1, 0), False)
    assert not marks.broken((2, 0), True)
    assert marks.guilty((1, 0), False) == {"t0-0", "t0-1", "m0", "m1"}
    assert marks.guilty((2, 0), True) == frozenset()
    assert marks.alternative((1, 0)) == could_be_of(COULD_BE)
    assert could_be_of(None) is None
    assert marks.alternative((0, 0)) is None


def test_a_text_that_is_no_violation_names_nobody():
    assert evidence(["nothing here"]).names == frozenset()
