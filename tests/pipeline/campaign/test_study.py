"""What a campaign comes to, whole or unfinished."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kassay.pipeline.campaign.records import create, reopen
from kassay.pipeline.campaign.runner import carry_on
from kassay.pipeline.campaign.study import ALL, CampaignOutcome, finish
from kassay.pipeline.campaign.watching import CampaignProgress
from kassay.pipeline.store import Local
from kassay.report.pages.campaign import render
from tests.pipeline.campaign.campaigns import SPEC


class Killed(Exception):
    pass


@pytest.mark.parametrize(
    ("verdicts", "played", "code"),
    [
        (["holds", "holds"], 60, 0),
        (["holds", "holds"], 59, 3),
        (["holds", "unknown"], 60, 3),
        (["unknown", "violated"], 60, 1),
        (["violated"], 3, 1),
        ([], 60, 3),
    ],
)
def test_the_exit_code_speaks_of_all_profiles_and_of_all_histories(verdicts, played, code) -> None:
    rows = [{"profile": ALL, "verdict": verdict} for verdict in verdicts]
    of_one_profile = {"profile": "small", "verdict": "violated"}
    outcome = CampaignOutcome([*rows, of_one_profile], [], [], {}, {"histories": played, "of": 60})
    assert outcome.exit_code == code


@pytest.mark.spark
def test_an_unfinished_campaign_is_told_as_what_it_is(spark: Any, tmp_path: Path) -> None:
    store = Local(tmp_path)

    def stop(progress: CampaignProgress) -> None:
        raise Killed

    with pytest.raises(Killed):
        carry_on(spark, create(replace(SPEC, histories=(("small", 60),)), store), stop)
    campaign = reopen(store)
    outcome = finish(spark, campaign)
    assert outcome.totals["histories"] == 50
    assert outcome.totals["of"] == 120
    assert {row["histories"] for row in outcome.verdicts if row["profile"] == "small"} == {25}
    assert outcome.studies["leaderboard"][0]["histories"] == 25
    traces = [row["trace"] for row in outcome.findings]
    page = render(outcome.to_json(campaign.spec), traces, campaign.store.place)
    assert "The campaign is not complete: all figures are of these, 120 planned." in page
    totals = outcome.totals
    assert totals["histories_per_s"] == pytest.approx(50 / totals["elapsed_s"], abs=0.1)
    assert totals["peak_kib"]["all"] is None or totals["peak_kib"]["all"] >= totals["peak_kib"]["java"] > 0
