"""Small campaigns for tests, and their tables as hashes and rows."""

from pathlib import Path
from typing import Any

from kassay.pipeline import tables
from kassay.pipeline.campaign.records import Campaign, create
from kassay.pipeline.campaign.runner import carry_on
from kassay.pipeline.campaign.spec import Pace, Spec, TargetSpec
from kassay.pipeline.campaign.study import CampaignOutcome, finish
from kassay.pipeline.campaign.tables import TABLES
from kassay.pipeline.store import Local

STUDIED = ("runs", "gaps", "verdicts", "findings", "reached")
SPEC = Spec(
    name="test",
    seed=11,
    targets=(TargetSpec("range"), TargetSpec("cooperative-sticky")),
    histories=(("small", 60), ("shape:range-idle", 4)),
    claims=("complete", "subscribed", "exists", "cooperative", "balanced-within-one"),
    gap=True,
    pace=Pace(batch_histories=25),
)


def run(spark: Any, spec: Spec, folder: Path) -> tuple[Campaign, CampaignOutcome]:
    campaign = create(spec, Local(folder))
    carry_on(spark, campaign)
    return campaign, finish(spark, campaign)


def hashes(spark: Any, campaign: Campaign) -> dict[str, tables.Summary]:
    """The hash of the deterministic columns of every table of the study."""
    found = [TABLES[name] for name in STUDIED]
    return {t.name: tables.summary(campaign.table(spark, t), t.deterministic) for t in found}
