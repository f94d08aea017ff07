"""What is told of the findings that tasks counted, and what looks at one kind of them."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kassay.certify.runs.blocks import open_bench
from kassay.model.groups.kinds import CLIENT
from kassay.pipeline.campaign.plan.lanes import lanes_of
from kassay.pipeline.campaign.plan.spec import TargetSpec
from kassay.pipeline.campaign.records.campaign import Campaign
from kassay.pipeline.campaign.records.store import Local
from kassay.pipeline.campaign.records.sums import (
    CONTRADICTORY,
    Key,
    Smallest,
    Sums,
    bucket_of,
)
from kassay.pipeline.campaign.results.findings import KINDS_MAX, OneKind, wanted_of
from kassay.properties.promises import promise
from tests.pipeline.campaign.campaigns import SPEC
from tests.pipeline.campaign.records.test_sums import added, kinds, sums


@given(st.lists(kinds, min_size=2, max_size=2))
def test_what_is_told_is_the_smallest_and_what_is_left_out_is_counted(
    parts: list[dict[Key, Smallest]],
) -> None:
    campaign = Campaign(SPEC, lanes_of(replace(SPEC, targets=(TargetSpec("range"),))), Local(Path("unused")))
    campaign.planned = {0: []}
    campaign.done = {0: {"sums": {str(i): sums(part).to_json() for i, part in enumerate(parts)}}}
    everything = added([sums(part) for part in parts]).kinds
    wanted = wanted_of(campaign)
    assert len({one.key for one in wanted}) == len(wanted)
    for claim, of_input in {key[:2] for key in everything}:
        same = {key: found for key, found in everything.items() if key[:2] == (claim, of_input)}
        told = [one for one in wanted if one.key[:2] == (claim, of_input)]
        assert len(told) + told[0].others == len(same)
        assert len(told) <= KINDS_MAX
        assert all(one.representative == same[one.key] for one in told)
        largest = max((one.representative.size, one.representative.history) for one in told)
        left_out = [found for key, found in same.items() if key not in {one.key for one in told}]
        assert all((found.size, found.history) >= largest for found in left_out)


def test_a_driver_for_one_kind_sees_that_kind_only() -> None:
    found = promise("balanced-within-one", CLIENT)
    lane = lanes_of(replace(SPEC, claims=(found.id,), gap=False))[0]
    checked = 0
    with open_bench(lane.job) as bench:
        for index in range(40):
            case, seen = bench.look(index)
            alone = Sums()
            alone.take(index, case, seen, bench.driver)
            for key in alone.kinds:
                mine = OneKind(bench.driver, key).examine(case, bench.subject).violations
                assert mine
                assert {bucket_of(violation) for violation in mine} == {key.bucket}
                assert all(v.contradictory for v in mine) == (key.input == CONTRADICTORY)
                other = OneKind(bench.driver, key._replace(bucket="none"))
                assert not other.examine(case, bench.subject).violations
                checked += 1
    assert checked


@given(kinds, kinds)
def test_the_lane_that_stands_for_a_finding_is_the_one_with_its_smallest_history(
    first: dict[Key, Smallest], second: dict[Key, Smallest]
) -> None:
    target = replace(SPEC, targets=(TargetSpec("range"),))
    campaign = Campaign(target, lanes_of(target), Local(Path("unused")))
    parts = {0: first, 1: second}
    campaign.planned = {0: []}
    campaign.done = {0: {"sums": {str(lane): sums(part).to_json() for lane, part in parts.items()}}}
    for one in wanted_of(campaign):
        mine = parts[one.lane][one.key]
        assert mine.size == one.representative.size
        assert mine.history == one.representative.history
        others = [part[one.key] for part in parts.values() if one.key in part]
        assert all((mine.size, mine.history) <= (other.size, other.history) for other in others)


def test_a_finding_on_contradictory_input_is_not_told_by_a_case_that_is_ordinary() -> None:
    claim = promise("balanced-within-one", CLIENT)
    lane = lanes_of(replace(SPEC, claims=(claim.id,), gap=False))[0]
    with open_bench(lane.job) as bench:
        for index in range(40):
            case, examination = bench.look(index)
            ordinary = [v for v in examination.violations if not v.contradictory]
            for violation in ordinary:
                key = Key(claim.id, CONTRADICTORY, bucket_of(violation))
                assert OneKind(bench.driver, key).examine(case, bench.subject).violations == []
            if ordinary:
                return
    raise AssertionError("no case broke the claim on ordinary input")
