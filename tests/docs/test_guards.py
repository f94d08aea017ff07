"""The page of guards is what its writer prints; every guard without which nothing is broken has its reason."""

from __future__ import annotations

import pytest

from tests.docs.markdown import rows, section
from tests.guards.__main__ import every_guard
from tests.guards.forks import HANGS
from tests.guards.record import Record, read
from tests.guards.removal import FAILS, NOT_MET, OTHER_STATES, UNNOTICED, Came
from tests.paths import DOCS
from writers.guards import (
    INVARIANT,
    NOT_NOTICED,
    OTHERS,
    RAISED,
    STOP,
    TEST,
    TRACE,
    UNTOLD,
    WAYS,
    Reasons,
    page,
    unbroken,
    way,
)

RECORD = read()
TODAY = {str(guard) for guard in every_guard()}
AGAIN = "regenerate it: python docs/writers/guards.py > docs/guards.md"
WALK = "kassay explore classic"
GUARD = "coordinator.step.step: `a | b` left out"


@pytest.mark.slow
def test_the_page_is_what_its_writer_prints() -> None:
    assert page(RECORD, Reasons.read().why, TODAY) == (DOCS / "guards.md").read_text(encoding="utf-8"), AGAIN


def test_each_guard_without_which_nothing_is_broken_has_its_reason_and_no_other() -> None:
    why = Reasons.read().why
    assert {*why} == {*unbroken(RECORD)}, "say why in docs/guards/reasons.toml"
    assert all(reason.endswith(".") for reason in why.values())


def test_nearly_every_guard_of_today_is_on_record() -> None:
    assert len(TODAY - RECORD.came.keys()) < len(TODAY) / 20, "python -m tests.guards goes on where it was"


def test_no_guard_has_two_reasons(tmp_path) -> None:
    (tmp_path / "reasons.toml").write_text('[[reason]]\nwhy = "So."\nguards = ["a", "b", "a"]\n')
    with pytest.raises(ValueError, match="two reasons for a"):
        Reasons.read(tmp_path / "reasons.toml")


@pytest.mark.parametrize(
    ("came", "ways"),
    [
        (Came(WALK, "epochs-in-order in 3 steps", 9), INVARIANT),
        (Came(WALK, "dead end in 3 steps", 9), STOP),
        (Came(WALK, "raises KeyError"), RAISED),
        (Came("", HANGS), RAISED),
        (Came("protocol-classic p1", "step 3 (join)"), TRACE),
        (Came("protocol-classic p1", "raises KeyError"), TRACE),
        (Came("tests/a/test_b.py::test_c", FAILS), TEST),
        (Came("", f"{OTHER_STATES} {WALK}: 9 and not 8"), OTHERS),
        (Came("", UNNOTICED), NOT_NOTICED),
        (Came("", NOT_MET), NOT_NOTICED),
    ],
)
def test_each_way_to_notice_is_counted_as_what_it_is(came: Came, ways: str) -> None:
    assert way(came) == ways
    shown = rows(page(Record([], {GUARD: came}), {}, [GUARD]))[: len(WAYS) + 1]
    counts = {row["noticed by"]: row["guards"] for row in shown}
    untold = ways in (NOT_NOTICED, OTHERS)
    assert counts == dict.fromkeys(WAYS, "0") | {UNTOLD if untold else ways: "1", "all": "1"}
    told = rows(page(Record([], {GUARD: came}), {GUARD: "So."}, [GUARD]))[: len(WAYS) + 1]
    assert {row["noticed by"]: row["guards"] for row in told}[ways] == "1"


def test_a_module_has_a_row_that_counts_its_guards() -> None:
    other, more = "coordinator.step.step: `c` never", "coordinator.step.step: `d` always"
    asked = [{"states": 1_000, "walked": 2_000, "traces": 0, "tested": 4}]
    came = {other: Came("", NOT_MET), more: Came("", f"{OTHER_STATES} {WALK}: 9 and not 8")}
    record = Record(asked, {GUARD: Came(WALK, "dead end in 3 steps", 9), **came})
    shown = page(record, dict.fromkeys(came, "It saves work."), [GUARD, *came, "one more"])
    runs = "explorations of up to 1,000 states, up to 2,000 for one guard in total"
    assert f"* {runs}; tests of 4 seconds.\n" in shown
    assert "0 recorded guards no longer exist in the code, and 1 guards of the code are not recorded" in shown
    assert rows(section(shown, "By module")) == [
        {
            "module": "coordinator.step",
            "guards": "3",
            "exploration": "1",
            "trace": "0",
            "test": "0",
            "nothing": "2",
        }
    ]
