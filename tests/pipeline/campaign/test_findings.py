"""What is told of the findings that tasks counted, and what looks at one kind of them.

What a campaign keeps of its findings: chosen by name, saved as traces that replay, read with and without Spark.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.runs.blocks import open_bench
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT
from kassay.pipeline.campaign.findings import (
    KINDS_MAX,
    KeptFinding,
    OneKind,
    chosen,
    read_findings,
    save_traces,
    wanted_of,
)
from kassay.pipeline.campaign.lanes import lanes_of
from kassay.pipeline.campaign.records import CONTRADICTORY, Campaign, Key, Smallest, Sums, bucket_of
from kassay.pipeline.campaign.spec import TargetSpec
from kassay.pipeline.store import Local
from kassay.properties.claims import parse_claim
from tests.cli.runner import here, one_line, valid
from tests.paths import DOCS
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
    claim = parse_claim("balanced-within-one", CLIENT)
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


TRACE = (DOCS / "traces" / "sticky-balanced-kip54.json").read_text()
NAMES = st.sampled_from("abc")


def finding(target: str = "sticky", claim: str = "balanced-kip54", **more: Any) -> KeptFinding:
    plain = KeptFinding(
        "0" * 16, target, "small", claim, "contradictory", "k", 3, 0, 323, 7, 2, 4, 1, f"{claim}: t0-1", TRACE
    )
    return replace(plain, **more)


@given(
    st.lists(st.tuples(NAMES, NAMES), max_size=8),
    st.sets(NAMES),
    st.sets(NAMES),
)
def test_what_is_chosen_is_of_the_names_and_in_the_order(
    rows: list[tuple[str, str]], targets: set[str], claims: set[str]
) -> None:
    findings = [finding(*row, history=number) for number, row in enumerate(rows)]
    targets &= {one.target for one in findings}
    claims &= {one.claim for one in findings}
    some = chosen(findings, sorted(targets | claims))
    targets = (targets | claims) & {one.target for one in findings}
    claims = (targets | claims) & {one.claim for one in findings}
    every = [
        one
        for one in findings
        if one.target in (targets or {one.target}) and one.claim in (claims or {one.claim})
    ]
    assert some == every


def test_a_name_that_no_finding_has_is_refused_where_there_are_findings() -> None:
    with pytest.raises(InputError, match=r"'stiky': no finding is of it \(did you mean sticky\?\)"):
        chosen([finding()], ["stiky"])
    with pytest.raises(InputError, match=r"'x': no finding is of it, expected one of balanced-kip54"):
        chosen([finding()], ["x"])
    assert chosen([], ["any"]) == []


def test_a_saved_trace_is_one_that_replays_and_is_told(tmp_path: Path) -> None:
    (path,) = save_traces([finding()], tmp_path / "traces")
    assert Path(path).name == "sticky-balanced-kip54-0000000000000000.json"
    assert here("replay", path, cwd=tmp_path).returncode == 1
    told = here("explain", path, cwd=tmp_path)
    assert (told.returncode, "balanced-kip54" in told.stdout) == (0, True)
    assert list(save_traces([finding()], tmp_path / "traces")) == [path]


def test_a_trace_that_is_no_json_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the trace of finding 0{16} is no JSON; the table is damaged"):
        list(save_traces([finding(trace="{")], tmp_path))


def test_a_folder_without_a_campaign_or_without_findings_is_one_line(tmp_path: Path) -> None:
    told = one_line(here("campaign", "findings", "out", cwd=tmp_path), 2)
    assert told == "kassay: out: no campaign.json, expected the folder of a campaign"
    assert not (tmp_path / "out").exists()
    Local(tmp_path / "out").write("campaign.json", {})
    told = one_line(here("campaign", "findings", "out", cwd=tmp_path), 2)
    assert told.endswith("no findings yet; `kassay campaign run FOLDER` writes them")


@pytest.mark.spark
def test_a_campaigns_findings_are_listed_and_saved_as_spark_reads_them(spark: Any, tmp_path: Path) -> None:
    small = replace(SPEC, histories=(("small", 40),), claims=("exists", "balanced-within-one"), gap=False)
    run(spark, small, tmp_path / "out")
    plain = read_findings(Local(tmp_path / "out"))
    assert plain
    assert plain == read_findings(Local(tmp_path / "out"), spark)
    target = plain[0].target
    done = here("campaign", "findings", "out", target, "--out", "kept", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = valid(json.loads(done.stdout), "campaign-findings-2")
    assert document["total"] == len(plain)
    mine = [one for one in plain if one.target == target]
    assert [row["identity"] for row in document["findings"]] == [one.identity for one in mine]
    for row, one in zip(document["findings"], mine, strict=True):
        assert json.loads((tmp_path / row["saved"]).read_text()) == json.loads(one.trace)
        assert here("replay", row["saved"], cwd=tmp_path).returncode == 1


@pytest.mark.spark
def test_a_damaged_table_is_one_line(spark: Any, tmp_path: Path) -> None:
    place = tmp_path / "out" / "tables" / "findings"
    Local(tmp_path / "out").write("campaign.json", {})
    place.mkdir(parents=True)
    (place / "part-0.parquet").write_bytes(b"no parquet")
    assert "cannot be read as Parquet" in one_line(here("campaign", "findings", "out", cwd=tmp_path), 2)
    (place / "part-0.parquet").unlink()
    spark.createDataFrame([("x", "range")], "identity string, target string").write.mode("overwrite").parquet(
        f"file://{place}"
    )
    told = one_line(here("campaign", "findings", "out", cwd=tmp_path), 2)
    assert "tables/findings, row 1" in told
