"""The page of worst cases: its small sizes are what the search finds now, and no row is above the bound."""

import pytest

from kassay.engines.hunts.worst import STEPS, Badness, worst_case
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import resolve
from tests.docs.markdown import rows
from tests.paths import DOCS
from writers import worst_cases

ROWS = rows((DOCS / "worst-cases.md").read_text(encoding="utf-8"))
TABLE = {row["rule"]: row for row in ROWS if "rule" in row}
SIZES = [f"{members} x {partitions}" for members, partitions in worst_cases.SIZES]


def test_every_rule_has_its_row_and_none_is_above_the_bound() -> None:
    assert list(TABLE) == [*worst_cases.RULES, "proven: at most"]
    for row in TABLE.values():
        assert all(int(row[size]) <= int(TABLE["proven: at most"][size]) for size in SIZES)


def test_the_other_kinds_are_below_what_is_proven() -> None:
    found = [row for row in ROWS if "rule" not in row]
    assert len(found) == len(worst_cases.OTHERS)
    for row in found:
        values = [row[size].split(" of ") for size in SIZES[: worst_cases.OTHERS_SIZES]]
        assert all(len(value) == 1 or int(value[0]) <= int(value[1]) for value in values)


def test_no_curve_falls() -> None:
    for row in TABLE.values():
        assert [int(row[size]) for size in SIZES] == sorted(int(row[size]) for size in SIZES)


@pytest.mark.parametrize("rule", ["range", "sticky"])
@pytest.mark.parametrize("size", worst_cases.SIZES[:2])
def test_small_sizes_are_as_they_are_found(rule: str, size: tuple[int, int]) -> None:
    case = worst_case(resolve(rule), Badness.GAP, size, RunOptions(), worst_cases.STEPS)
    assert str(case.value) == TABLE[rule]["{} x {}".format(*size)]
    assert worst_cases.STEPS < STEPS
