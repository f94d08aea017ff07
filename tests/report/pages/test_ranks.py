"""A leaderboard's page: every target in order, every claim with its verdict."""

from __future__ import annotations

import pytest

from kassay.engines.optimum import rank as ranking
from kassay.engines.runs.options import Budget
from kassay.engines.targets.resolve import resolve
from kassay.model.kinds import Verdict
from kassay.reading.documents import Located
from kassay.report.pages.ranks import render, view_of
from kassay.solver.instances.groups import consumer
from tests.browser import sound

ORDER = ("balance", "movement", "rack")


@pytest.fixture(scope="module")
def ranked() -> list[ranking.Ranked]:
    instances = [Located(consumer("random", seed, members=3, partitions=6), f"r-{seed}") for seed in (1, 2)]
    targets = [resolve(spec) for spec in ("sticky", "range")]
    return ranking.rank(targets, instances, "here", order=ORDER, seed=1, budget=Budget(histories=12))[1]


def test_the_order_and_the_claims_are_those_of_the_ranking(ranked: list[ranking.Ranked]) -> None:
    view = view_of(ranked, "here", ORDER, 1, missing={"aiokafka:range": "pip install"}, again="x")
    assert view.leaderboard is not None
    assert [row[1] for row in view.leaderboard.rows] == [each.spec for each in ranked]
    assert view.claims is not None
    assert view.claims.head == ("claim", *(each.spec for each in ranked))
    for row in view.claims.rows:
        for each, cell in zip(ranked, row[1:], strict=True):
            (claim,) = (claim for claim in each.certificate.claims if claim.id == row[0])
            assert str(claim.verdict) in str(cell)
    assert "aiokafka:range is not here: pip install" in view.doubts
    broken = any(each.claims(Verdict.VIOLATED) for each in ranked)
    assert (view.look == "bad") is broken


@pytest.mark.browser
def test_the_page_in_a_browser(open_page, ranked: list[ranking.Ranked]) -> None:
    page = open_page(render(ranked, "here", ORDER, 1, missing={}, again="x"), dark=True)
    sound(page)
