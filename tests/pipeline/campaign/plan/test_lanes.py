"""Lanes: one for each target and profile, in the order of the spec."""

from pathlib import Path

from kassay.pipeline.campaign.plan.spec import Spec, TargetSpec
from kassay.pipeline.campaign.records.campaign import create, reopen
from kassay.pipeline.campaign.records.store import Local


def test_a_reopened_campaign_has_the_lanes_in_their_order(tmp_path: Path) -> None:
    # Plans name lanes by number: a header that is written with sorted keys must not change the order.
    spec = Spec("n", (TargetSpec("sticky"), TargetSpec("range")), (("small", 5), ("large", 2)))
    made, store = create(spec, Local(tmp_path)), Local(tmp_path)
    again = reopen(store)
    assert again.spec == spec
    assert [(x.target, x.profile, x.histories) for x in again.lanes] == [
        (x.target, x.profile, x.histories) for x in made.lanes
    ]
