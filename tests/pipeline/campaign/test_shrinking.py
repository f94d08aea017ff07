"""Which findings are told, what looks at one kind of them, and which claims a shrunk history breaks besides."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.runs.blocks import open_bench
from kassay.model.groups.kinds import CLIENT
from kassay.pipeline.campaign import shrinking
from kassay.pipeline.campaign.kinds import Names, bucket_of
from kassay.pipeline.campaign.lanes import lanes_of
from kassay.pipeline.campaign.records import CONTRADICTORY, Campaign, Key, Smallest, Sums, reopen
from kassay.pipeline.campaign.shrinking import (
    KINDS_MAX,
    OneKind,
    Shrinking,
    WantedFinding,
    rows_of,
    wanted_of,
)
from kassay.pipeline.campaign.spec import TargetSpec
from kassay.pipeline.campaign.study import finish
from kassay.pipeline.store import Local
from kassay.properties.claims import parse_claim
from tests.pipeline.campaign.campaigns import SPEC, run
from tests.pipeline.campaign.test_records_sums import added, kinds, sums


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
    found = parse_claim("balanced-within-one", CLIENT)
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
                assert {bucket_of(each, Names.of(bench.driver, case)) for each in mine} == {key.bucket}
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
    claim = parse_claim("balanced-within-one", CLIENT)
    lane = lanes_of(replace(SPEC, claims=(claim.id,), gap=False))[0]
    with open_bench(lane.job) as bench:
        for index in range(40):
            case, examination = bench.look(index)
            ordinary = [v for v in examination.violations if not v.contradictory]
            for violation in ordinary:
                key = Key(claim.id, CONTRADICTORY, bucket_of(violation, Names.of(bench.driver, case)))
                assert OneKind(bench.driver, key).examine(case, bench.subject).violations == []
            if ordinary:
                return
    raise AssertionError("no case broke the claim on ordinary input")


def test_a_shrunk_history_is_checked_against_the_claims_that_no_history_broke() -> None:
    names = ("balanced-within-one", "balanced-kip54", "complete")
    lane = lanes_of(replace(SPEC, targets=(TargetSpec("range"),), claims=names, gap=False))[0]
    with open_bench(lane.job) as bench:
        index, key, smallest = next(
            (index, key, smallest)
            for index in range(60)
            for key, smallest in _alone(bench, index).kinds.items()
            if key.claim == names[0] and key.input != CONTRADICTORY
        )
    wanted = WantedFinding(0, key, smallest, 0)
    rows = [*rows_of(Shrinking({0: lane}, {}, (wanted,), 200, {"range": frozenset(names[1:])}), wanted)]
    own, *besides = rows
    assert (own["claim"], own["broken_by"], own["failed"]) == (names[0], "", 1)
    assert [(row["claim"], row["broken_by"], row["failed"], row["history"]) for row in besides] == [
        (names[1], names[0], 0, index)
    ]
    # Where every claim is broken already, there is nothing to find.
    assert len([*rows_of(Shrinking({0: lane}, {}, (wanted,), 200, {}), wanted)]) == 1
    assert shrinking._without_repeats([own, *besides, {**besides[0], "members": 99}]) == rows


def _alone(bench: Any, index: int) -> Sums:
    case, seen = bench.look(index)
    alone = Sums()
    alone.take(index, case, seen, bench.driver)
    return alone


@pytest.mark.spark
def test_what_is_shrunk_is_shrunk_once_and_what_was_damaged_again(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = replace(SPEC, histories=(("small", 40),), claims=("balanced-within-one",), gap=False)
    _, outcome = run(spark, spec, tmp_path / "out")
    once = outcome.findings
    assert once and all(not row["broken_by"] for row in once)
    shrunk, on_workers = [], shrinking.on_workers

    def counted(function: Any) -> Any:
        shrunk.append(function)
        return on_workers(function)

    monkeypatch.setattr(shrinking, "on_workers", counted)
    store = Local(tmp_path / "out")
    assert finish(spark, reopen(store)).findings == once and not shrunk
    (path,) = (tmp_path / "out" / "tables" / "findings").glob("*.parquet")
    path.write_bytes(path.read_bytes()[:-9])
    assert finish(spark, reopen(store)).findings == once and len(shrunk) == 1


def test_a_verdict_shown_by_another_claims_counterexample_is_violated() -> None:
    from kassay.pipeline.campaign.study import _shown, _unbroken

    def verdict(claim: str, profile: str, word: str) -> dict[str, Any]:
        return {
            "target": "t",
            "claim": claim,
            "profile": profile,
            "verdict": word,
            "why": "",
            "histories": 1000,
        }

    rows = [verdict("a", "*", "violated"), verdict("b", "*", "holds"), verdict("b", "small", "unknown")]
    assert _unbroken(rows) == {"t": {"b"}}
    finding: Mapping[str, Any] = {"target": "t", "claim": "b", "profile": "large", "broken_by": "a"}
    words = [_shown(row, [dict(finding)])["verdict"] for row in rows]
    assert words == ["violated", "violated", "unknown"]
    why = "broken by the counterexample to a, not in the 1,000 histories played"
    assert _shown(rows[1], [dict(finding)])["why"] == why
