"""Loads as bars: on one scale, marked where the other answer has them, the named rows first."""

from __future__ import annotations

from kassay.kinds.frames import Alternative, Cell, Frame, Grid, Row
from kassay.report.loads import load_bars


def rows(loads: dict[str, int], guilty: str = "") -> tuple[Row, ...]:
    return tuple(
        Row(name, (Cell(text="t"), Cell(text=str(load), numeric=True)), guilty=name == guilty)
        for name, load in loads.items()
    )


def frame(loads: dict[str, int], best: dict[str, int] | None = None, guilty: str = "") -> Frame:
    other = None
    if best is not None:
        table = Grid(
            ("member", "load"), tuple(Row(n, (Cell(text=str(k), numeric=True),)) for n, k in best.items())
        )
        other = Alternative("Compared with the certified optimum", "", (), table)
    table = Grid(("member", "subscribed", "load"), rows(loads, guilty))
    return Frame("round-1", "1", "Round 1", table, alternative=other)


def test_bars_are_on_one_scale_and_marked_at_the_optimum() -> None:
    bars = load_bars(frame({"m0": 0, "m1": 2}, {"m0": 1, "m1": 1}, guilty="m1"))
    assert bars is not None
    assert [(row.name, row.width, row.best, row.guilty) for row in bars.rows] == [
        ("m0", 0.0, 50.0, False),
        ("m1", 100.0, 50.0, True),
    ]
    assert bars.spoken == "loads m0 0, m1 2; optimum m0 1, m1 1"


def test_of_many_the_guilty_the_fullest_and_the_emptiest_are_drawn() -> None:
    bars = load_bars(frame({f"m{n}": n for n in range(9)}, guilty="m4"))
    assert bars is not None
    assert {row.name for row in bars.rows} == {"m4", "m8", "m7", "m0"}
    assert bars.left_out == 5
    assert all(row.best is None for row in bars.rows)


def test_rows_without_loads_have_no_bars() -> None:
    assert (
        load_bars(Frame("step-1", "1", "s", Grid(("record", "goes to"), (Row("r", (Cell(text="3"),)),))))
        is None
    )
    assert load_bars(frame({"m0": 3})) is None
