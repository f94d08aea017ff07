"""Optima and proofs as tables: numbers shortened without a lie, every status counted."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from kassay.certify.optimum.solve import line_of, solve
from kassay.reading.documents import Located
from kassay.report.screen.optima import assignment_view, optimum_row, optimum_table, proof_view, runs
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.instances.brokers_and_tasks import placement
from kassay.solver.instances.groups import consumer
from kassay.solver.proofs.prove import proofs


def shown(view):
    console = Console(width=200, file=StringIO())
    console.print(view)
    return console.file.getvalue()


def spelled(text):
    """The numbers that a text without a gap stands for."""
    numbers = []
    for part in text.split():
        count, times, value = part.partition("x")
        numbers += [int(value)] * int(count) if times else [int(part)]
    return numbers


@given(st.lists(st.integers(0, 6)).map(sorted), st.integers(1, 9))
def test_runs_stand_for_their_numbers(numbers, most):
    text = runs(numbers, most)
    if "..." in text:
        start, end = (spelled(part) for part in text.split("..."))
        assert numbers[: len(start)] == start
        assert numbers[len(numbers) - len(end) :] == end
        assert len(text.split()) <= max(most, 2 * (most // 3 + 1)) + 1
    else:
        assert spelled(text) == numbers


def line(document, **options):
    return solve(Located(document, "here"), MOVEMENT_FIRST, **options)


def test_a_row_tells_the_optimum_or_why_there_is_none():
    found = line(consumer("join", 1, members=3, partitions=7))
    name, status, loads, moved, racks, value, _, proven = optimum_row(line_of(found))
    assert (name, str(status), loads, moved, racks) == (
        found["name"], "optimal", "2 2 3", found["moved"], found["rack_mismatch"]
    )  # fmt: skip
    assert value == found["upper"] == found["lower"]
    assert found["bound"].startswith(proven)
    none = optimum_row(line_of(line(placement("add", 1, brokers=4, partitions=4), solver="z3")))
    assert (str(none[1]), none[2:6]) == ("unknown", ("-",) * 4)
    assert "does not take placements" in none[-1]
    assert optimum_row(line_of(found | {"status": "interval", "lower": 3}))[5] == f"3..{found['upper']}"


def test_several_rows_are_counted_by_status():
    found = line(consumer("join", 1, members=3, partitions=7))
    results = [found, found, found | {"status": "unknown", "why": "x"}]
    rows = [optimum_row(line_of(each)) for each in results]
    assert shown(optimum_table(rows)).splitlines()[-1] == "3 instances: 2 optimal, 1 unknown"
    assert "instances:" not in shown(optimum_table(rows[:1]))


@pytest.mark.parametrize(("members", "short"), [(12, True), (13, False)])
def test_a_short_assignment_is_shown_member_by_member(members, short):
    found = line(consumer("join", 1, members=members, partitions=26))
    text = shown(assignment_view(line_of(found)))
    assert (text.strip() != "") is short
    if short:
        rows = [row.split() for row in text.splitlines()[1:]]
        assert [int(row[1]) for row in rows] == [len(row) - 2 for row in rows]
        assert sorted(int(row[1]) for row in rows) == found["loads"]


def test_a_proof_is_told_with_its_counterexample_and_counted():
    lines = shown(proof_view(list(proofs(["ceil-range-even"])))).splitlines()
    refuted = next(i for i, text in enumerate(lines) if text.startswith("ceil-range-even/all"))
    assert "refuted" in lines[refuted]
    assert lines[refuted + 1].strip() == "not for P = 4, C = 3, N = 2"
    assert "refuted as expected" in lines[-1]
