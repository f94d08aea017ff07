"""What is on record of a walk: one walk a folder, one version, levels without a gap."""

from dataclasses import replace
from pathlib import Path

import pytest

from kassay.model.errors import InputError
from kassay.pipeline.store import Local
from kassay.pipeline.walk.records import HEADER, LEVELS, Receipt
from tests.pipeline.walk.walks import WORLDS, journal_of

EAGER = WORLDS["eager"]


def receipt(level: int, states: int, led_to: int, noted: list[list[object]]) -> Receipt:
    return Receipt(level, states, 10 * states, led_to, 0, 0, noted, ["single-live-owner"], {}, 1.5)


def test_another_walk_is_not_mixed_in(tmp_path: Path) -> None:
    journal_of(EAGER, tmp_path)
    for other, difference in (
        (replace(EAGER, partitions=3), "of partitions 1, not 3"),
        (replace(EAGER, mode="cooperative"), "of mode eager, not cooperative"),
        (WORLDS["kip848"], "of model classic, not kip848"),
        (replace(EAGER, switches=frozenset({"no_withhold"})), "of switches"),
    ):
        with pytest.raises(InputError, match=f"has another walk, {difference}"):
            journal_of(other, tmp_path)


def test_states_of_another_version_are_not_read(tmp_path: Path) -> None:
    journal_of(EAGER, tmp_path)
    header = Local(tmp_path).read(HEADER)
    assert header is not None
    Local(tmp_path).write(HEADER, {**header, "kassay": "0.0.1"})
    with pytest.raises(InputError, match=r"begun by '0\.0\.1', expected"):
        journal_of(EAGER, tmp_path)


def test_levels_add_up_and_come_back(tmp_path: Path) -> None:
    journal = journal_of(EAGER, tmp_path)
    assert (journal.states, journal.waiting, journal.edges) == (0, 0, 0)
    name = "single-live-owner", "zombie"
    journal.sign(receipt(0, 1, 3, []))
    journal.sign(receipt(1, 3, 5, [[*name, 2, [1, 77, 78, "later"]], [*name, 1, [0, 99, 0, "nearer"]]]))
    journal.sign(receipt(2, 5, 0, [[*name, 4, [0, 1, 0, "far"]]]))
    for each in (journal, journal_of(EAGER, tmp_path)):
        assert (each.states, each.waiting, each.edges, each.elapsed_s) == (9, 0, 90, 4.5)
        assert each.noted().seen == {name: 7}
        assert each.noted().least == {name: (1, 99, 0, "nearer")}


def test_a_gap_ends_what_counts_as_done(tmp_path: Path) -> None:
    journal = journal_of(EAGER, tmp_path)
    for level in range(4):
        journal.sign(receipt(level, 1, 1, []))
    (tmp_path / LEVELS / "000002.json").unlink()
    assert [each.level for each in journal_of(EAGER, tmp_path).receipts] == [0, 1]


def test_what_is_no_receipt_is_said(tmp_path: Path) -> None:
    journal_of(EAGER, tmp_path)
    Local(tmp_path).write(f"{LEVELS}/000000.json", {"level": 0})
    with pytest.raises(InputError, match=r"levels/000000.json: no receipt of a level"):
        journal_of(EAGER, tmp_path)
