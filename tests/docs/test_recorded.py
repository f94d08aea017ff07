"""Data that is recorded once and that no test repeats: the totals of a page are those of its file."""

import csv
import re

import pytest

from tests.docs.markdown import flat
from tests.paths import DOCS

TOTALS = {
    "conform/differences.csv": ("conform.md", r"has (27) differences", 27),
    "conform/coverage.csv": ("conform.md", r"reach (920) of the 1,396 branches", 11),
    "conform/not-reached.csv": ("conform.md", r"the methods that (stay) unreached", 8),
    "explorer-speed/runs.csv": ("explorer-speed.md", r"has (eight) worlds", 8),
    "networks/random.csv": ("networks.md", r"has (19) worlds", 19),
    "protocol-findings/migrations.csv": ("protocol-findings.md", r"has (20) complete explorations", 20),
    "exhaustive-runs/runs.csv": ("exhaustive-runs.md", r"Each of the (\d+) commands", None),
}
"""The file of a page, what the page says of it, and its rows."""


def recorded(path):
    with (DOCS / path).open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


@pytest.mark.parametrize("path", TOTALS)
def test_a_page_counts_the_rows_of_its_file(path):
    name, said, count = TOTALS[path]
    page, rows = (DOCS / name).read_text(encoding="utf-8"), recorded(path)
    assert f"({path})" in page
    found = re.search(said, flat(page))
    assert found is not None
    assert len(rows) == (int(found[1]) if count is None else count)
    assert all(None not in row.values() and None not in row for row in rows)


def test_no_world_of_a_run_is_unlike_its_representative():
    assert {row["unlike their representative"] for row in recorded("explorer-speed/runs.csv")} == {"none"}


def test_what_random_explorations_find_is_counted_on_the_page():
    found = [row["found"] for row in recorded("networks/random.csv")]
    assert (found.count("nothing"), found.count("zombies only"), len(found)) == (14, 2, 19)
    assert "14 show nothing, two zombies only, and three a known finding" in flat(
        (DOCS / "networks.md").read_text(encoding="utf-8")
    )


def test_migrations_that_break_nothing_are_counted_on_the_page():
    rows = recorded("protocol-findings/migrations.csv")
    states = [int(row["states"]) for row in rows]
    assert sum(row["what breaks"] == "nothing" for row in rows) == 11
    page = flat((DOCS / "protocol-findings.md").read_text(encoding="utf-8"))
    assert f"{min(states):,} to {max(states):,} states" in page
    assert "Eleven break nothing" in page


def test_the_branches_on_the_page_are_those_of_the_file():
    (row,) = [row for row in recorded("conform/coverage.csv") if row["class"] == "GroupMetadataManager"]
    assert (row["reached"], row["of"]) == ("920", "1396")
