"""Answers about groups as tables."""

from kassay.engines.clusters.given import GivenCluster
from kassay.report.blocks import RowsBlock, VerdictBlock
from kassay.report.grouped import holdings, table_described
from tests.paths import ROOT

VERDICT = VerdictBlock("Answered", "plain", "group", "two")


def test_rows_are_texts_under_their_names():
    rows = [{"step": "today", "members": 2, "range": [1, 2]}, {"step": "leave", "members": 1, "range": None}]
    ((verdict, _, table),) = table_described("scale", VERDICT, rows).sections
    assert verdict == VERDICT
    assert table == RowsBlock(
        ("step", "members", "range"), (("today", "2", "1 2"), ("leave", "1", "-")), ("members",)
    )
    assert table_described("scale", VERDICT, []).sections == ((VERDICT,),)


def test_holdings_have_a_row_for_each_member():
    given = GivenCluster(
        tuple(str(ROOT / "examples/cluster" / name) for name in ("groups.txt", "topics.txt"))
    )
    group = given.observed(given.inputs())
    assert sorted(row["partitions"] for row in holdings(group)) == [0, 1, 3, 3, 3, 3]
