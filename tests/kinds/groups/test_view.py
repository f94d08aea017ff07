"""Frames of groups: members, what they own and are assigned, and what no member has."""

from dataclasses import replace

from kassay.kinds.groups.view import group_frames
from kassay.report.pages.layout import board_of
from tests.kinds.boards import HELD, drawn, opened, read, rows, told, trace


def test_tiles_say_what_is_kept_new_and_guilty():
    frame = opened(drawn(HELD / "sticky-balanced-kip54.json"))
    assert frame.table.columns == ("member", "subscribed", "owned", "assigned", "load")
    assert rows(frame.table) == {
        "m0 ✕": ["t0", "", "+t0-0 ✕t0-1", "2"],
        "m1 ✕": ["t0, t1, t2", "t0-1 t1-2 generation -1", "✕t0-1 +t1-0 t1-2 +t2-0", "4"],
    }
    assert frame.broken
    assert frame.events == (
        "m0 joins (subscribes to t0)",
        "m1 joins (subscribes to t0, t1 and t2, owns t0-1 and t1-2)",
    )


def test_what_nobody_is_given_stands_in_a_row_of_its_own():
    board = drawn(HELD / "assignors.py_FirstTakesAll-complete.json")
    assert rows(opened(board).table)["unassigned"][2].split()[-1] == "✕t0-3"


def test_an_optimum_stands_beside_the_round_that_it_is_of():
    document = trace(HELD / "uniform-balanced-optimal.json")
    (step,) = document["narration"]
    members = [member["id"] for member in step["rounds"][0]["members"]]
    answer = {member: [["t0", number]] for number, member in enumerate(members)}
    broken = {"step": 0, "round": 0, "subject": "loads", "facts": {"are": [1, 2, 3]}}
    could_be = {
        "step": 0, "round": 0, "by": "the optimum", "certified": True, "answer": answer,
        "measures": {"loads": [1, 1, 1]}, "instead_of": {"loads": [1, 2, 3]}, "words": "1 1 1",
    }  # fmt: skip
    frame = opened(board_of(replace(read(document), broken=(broken,), could_be=could_be), "trace-1"))
    assert frame.alternative.title == "Compared with the certified optimum"
    assert frame.alternative.measures == (("loads", "1 2 3", "1 1 1"),)
    assert rows(frame.alternative.table) == {
        member: [f"+t0-{number}", "1"] for number, member in enumerate(members)
    }


def test_the_place_that_the_evidence_names_is_opened():
    broken = {"step": 0, "round": 1, "subject": "m0", "facts": {"moved": ["t0-0"]}}
    recorded = read(trace(HELD / "sticky-converges.json"))
    board = board_of(replace(recorded, broken=(broken,)), "trace-1")
    assert [frame.broken for frame in board.frames] == [False, True, False]
    assert board.opens == 1
    assert "m0 ✕" in rows(opened(board).table)
    assert not any("✕" in name for name in rows(board.frames[2].table))


MEMBER = {"id": "a", "topics": ["t"], "owned": [], "generation": -1, "rack": None, "instance_id": None}
ROUND = {"generation": 4, "topics": {"t": 1}, "leader": None, "members": [], "answer": {}}


def frames(*rounds):
    return group_frames(told({"change": 0, "settled": True, "rounds": list(rounds)}), str)


def test_an_empty_assignment_is_not_no_entry():
    member = MEMBER | {"owned": [["t", 0]], "generation": 3}
    shown = [
        rows(frame.table)["a"]
        for frame in frames(
            ROUND | {"members": [member], "answer": {"a": []}},
            ROUND | {"members": [member], "answer": {}},
            {name: value for name, value in ROUND.items() if name != "answer"} | {"members": [member]},
        )
    ]
    assert [cells[:2] for cells in shown] == [["t", "\u2212t-0 generation 3"]] * 3
    assert [cells[2] for cells in shown] == ["", "no entry", "no answer"]


def test_a_member_that_owns_nothing_has_its_generation_and_what_is_its_own():
    (frame,) = frames(
        ROUND
        | {
            "configs": {"a": {"prefer": "t"}},
            "members": [
                MEMBER | {"generation": 3, "user_data": "0001"},
                MEMBER | {"id": "b", "instance_id": "i", "rack": "r", "user_data": "00" * 9},
            ],
        }
    )
    assert [row.cells[1].words for row in frame.table.rows[:2]] == ["generation 3", ""]
    assert [row.extras for row in frame.table.rows[:2]] == [
        "prefer=t, user data 0001",
        "static i, rack r, user data 00000000.. (9 bytes)",
    ]


def test_a_round_of_a_share_group_says_what_may_not_be_given_out():
    topics = {"topics": {"t": 3, "u": 1}}
    plain, withheld = frames(ROUND | topics, ROUND | topics | {"assignable": [["t", 0], ["t", 2]]})
    assert plain.notes == ("Topics: t (3 partitions), u (1 partition)",)
    assert withheld.notes == (*plain.notes, "Not assignable: t-1 u-0")


def test_a_failed_call_says_why():
    (frame,) = frames(ROUND | {"failure": {"kind": "RAISED", "message": "raised KeyError"}})
    assert frame.failure == "RAISED: raised KeyError"
