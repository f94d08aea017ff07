"""Boards of groups: members, what they claim and are given, and what nobody has."""

from kassay.report.pages.boards.traces import board_of
from tests.report.pages.boards.boards import HELD, drawn, opened, rows, trace


def test_tiles_say_what_is_kept_new_and_guilty():
    frame = opened(drawn(HELD / "sticky-balanced-kip54.json"))
    assert frame.table.columns == ("member", "reads", "claims", "is given", "load")
    assert rows(frame.table) == {
        "m0 ✕": ["t0", "", "+t0-0 ✕t0-1", "2"],
        "m1 ✕": ["t0, t1, t2", "t0-1 t1-2 generation -1", "✕t0-1 +t1-0 t1-2 +t2-0", "4"],
    }
    assert frame.broken
    assert frame.events == ("m0 joins (reads t0)", "m1 joins (reads t0, t1, t2, claims t0-1 t1-2)")


def test_what_nobody_is_given_stands_in_a_row_of_its_own():
    board = drawn(HELD / "assignors.py_FirstTakesAll-complete.json")
    assert rows(opened(board).table)["nobody"][2].split()[-1] == "✕t0-3"


def test_an_optimum_stands_beside_the_round_that_it_is_of():
    document = trace(HELD / "uniform-balanced-optimal.json")
    (step,) = document["told"]
    members = [member["id"] for member in step["rounds"][0]["members"]]
    answer = {member: [["t0", number]] for number, member in enumerate(members)}
    document["broken"] = [{"step": 0, "round": 0, "subject": "loads", "facts": {"are": [1, 2, 3]}}]
    document["could_be"] = {
        "step": 0, "round": 0, "by": "the optimum", "certified": True, "answer": answer,
        "measures": {"loads": [1, 1, 1]}, "instead_of": {"loads": [1, 2, 3]}, "words": "1 1 1",
    }  # fmt: skip
    frame = opened(board_of(document, "trace-1"))
    assert frame.beside.title == "Beside the certified optimum"
    assert frame.beside.measures == (("loads", "1 2 3", "1 1 1"),)
    assert rows(frame.beside.table) == {
        member: [f"+t0-{number}", "1"] for number, member in enumerate(members)
    }


def test_the_place_that_the_evidence_names_is_opened():
    document = trace(HELD / "sticky-converges.json")
    document["broken"] = [{"step": 0, "round": 1, "subject": "m0", "facts": {"moved": ["t0-0"]}}]
    board = board_of(document, "trace-1")
    assert [frame.broken for frame in board.frames] == [False, True, False]
    assert board.opens == 1
    assert "m0 ✕" in rows(opened(board).table)
    assert not any("✕" in name for name in rows(board.frames[2].table))
