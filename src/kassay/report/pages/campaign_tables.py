"""The tables of a campaign's page: their columns from the study tables, with their titles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kassay.report.pages.gap_views import TableView
from kassay.report.screen.campaign import Row, shown

GAP_COLUMNS: Final = (
    ("target", "target"),
    ("profile", "profile"),
    ("instances", "instances"),
    ("unbalanced_share", "not optimal"),
    ("balance_mean", "balance gap, mean"),
    ("balance_p99", "p99"),
    ("balance_max", "worst"),
    ("spread_max", "worst spread"),
    ("movement_mean", "needless moves, mean"),
    ("movement_max", "worst moves"),
    ("rack_max", "worst rack"),
)
WORST_COLUMNS: Final = (
    ("target", "target"),
    ("profile", "profile"),
    ("index", "history"),
    ("members", "members"),
    ("partitions", "partitions"),
    ("balance_worst", "balance gap"),
    ("spread_worst", "spread"),
    ("movement_worst", "needless moves"),
    ("rack_worst", "rack"),
)
TASK_COLUMNS: Final = (
    ("profile", "profile"),
    ("tasks", "tasks"),
    ("seconds", "seconds"),
    ("p50_s", "median"),
    ("p90_s", "p90"),
    ("p99_s", "p99"),
    ("max_s", "longest"),
    ("max_to_median", "longest to median"),
    ("peak_kib", "peak KiB"),
    ("attempts", "tries after the first"),
)
BATCH_COLUMNS: Final = (
    ("batch", "batch"),
    ("histories", "histories"),
    ("tasks", "tasks"),
    ("seconds", "seconds"),
    ("p50_s", "median"),
    ("p90_s", "p90"),
    ("max_s", "longest"),
    ("longest_share", "longest of all seconds"),
)


def columns_table(rows: Sequence[Row], columns: Sequence[tuple[str, str]]) -> TableView:
    """The columns (key, title) of the rows; texts are left-aligned, numbers right-aligned."""
    texts = {n for n, (key, _) in enumerate(columns) if any(isinstance(row[key], str) for row in rows)}
    cells = tuple(tuple(shown(row[key], key) for key, _ in columns) for row in rows)
    numeric = tuple(n for n in range(len(columns)) if n not in texts)
    return TableView(tuple(title for _, title in columns), cells, numeric)
