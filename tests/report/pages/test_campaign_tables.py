"""Tables of a campaign's page: numbers to the right, texts to the left, nothing is a dash."""

from kassay.report.pages.campaign_tables import BATCH_COLUMNS, GAP_COLUMNS, TASK_COLUMNS, columns_table
from tests.report.screen.campaign_document import BATCH, GAP, TASKS


def test_columns_of_texts_stand_to_the_left() -> None:
    table = columns_table([GAP], GAP_COLUMNS)
    assert table.head[:2] == ("target", "profile")
    assert table.numeric == tuple(range(2, len(GAP_COLUMNS)))
    assert table.rows[0][:4] == ("range", "small", "40", "25.00%")


def test_what_is_not_known_is_a_dash_and_no_rows_are_no_rows() -> None:
    assert "-" in columns_table([{**TASKS, "peak_kib": None}], TASK_COLUMNS).rows[0]
    assert columns_table([], BATCH_COLUMNS).rows == ()
    assert len(columns_table([BATCH], BATCH_COLUMNS).rows[0]) == len(BATCH_COLUMNS)
