"""The documented tables are the tables."""

import pytest

from kassay.pipeline.campaign.tables import TABLES, Table
from tests.paths import DOCS

TEXT = (DOCS / "campaigns.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_every_column_is_documented(table: Table) -> None:
    section = TEXT.split(f"### `{table.name}` (version {table.version})")[1].split("###")[0]
    for column in table.columns:
        sure = "yes" if column.deterministic else "no"
        assert f"| `{column.name}` | `{column.type}` | {sure} | {column.meaning} |" in section
