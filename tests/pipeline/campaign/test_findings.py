"""What a campaign keeps of its findings: chosen by name, saved as traces that replay, read with and without Spark."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.pipeline.campaign.findings import (
    KeptFinding,
    chosen,
    read_findings,
    save_traces,
)
from kassay.pipeline.store import Local
from tests.cli.runner import here, one_line, valid
from tests.paths import DOCS
from tests.pipeline.campaign.campaigns import SPEC, run

TRACE = (DOCS / "traces" / "sticky-balanced-kip54.json").read_text()
NAMES = st.sampled_from("abc")


def finding(target: str = "sticky", claim: str = "balanced-kip54", **more: Any) -> KeptFinding:
    plain = KeptFinding(
        "0" * 16,
        target,
        "small",
        claim,
        "contradictory",
        "k",
        3,
        0,
        "",
        323,
        7,
        2,
        4,
        1,
        f"{claim}: t0-1",
        TRACE,
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
