"""Lanes: one for each target and profile, in the order of the spec."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.kinds.judging import Subject
from kassay.model.calls import Failure
from kassay.model.connect.kinds import CONNECT
from kassay.model.errors import InputError, TargetNotFound
from kassay.model.streams.kinds import STREAMS
from kassay.pipeline.campaign.plan.lanes import digests, lanes_of
from kassay.pipeline.campaign.plan.spec import Spec, TargetSpec, read_spec
from kassay.pipeline.campaign.records.campaign import create, reopen
from kassay.pipeline.campaign.records.store import Local
from tests.paths import EXAMPLES, ROOT


def test_a_reopened_campaign_has_the_lanes_in_their_order(tmp_path: Path) -> None:
    # Plans name lanes by number: a header that is written with sorted keys must not change the order.
    spec = Spec("n", (TargetSpec("sticky"), TargetSpec("range")), (("small", 5), ("large", 2)))
    made, store = create(spec, Local(tmp_path)), Local(tmp_path)
    again = reopen(store)
    assert again.spec == spec
    assert [(x.target, x.profile, x.histories) for x in again.lanes] == [
        (x.target, x.profile, x.histories) for x in made.lanes
    ]


@pytest.mark.slow_cases("campaign_findings")
@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.toml")), ids=lambda path: path.stem)
def test_the_campaigns_of_the_benchmarks_can_be_run(path: Path) -> None:
    spec = read_spec(path)
    lanes = lanes_of(spec)
    assert len(lanes) == len(spec.targets) * len(spec.histories) > 0


SPEC = Spec(
    "n",
    (
        TargetSpec("range"),
        TargetSpec("cooperative-sticky", protocol="cooperative"),
        TargetSpec("placement:striped"),
    ),
    (("small", 5), ("shape:range-idle", 2)),
    claims=("complete", "replicas-distinct", "converges:2"),
    seed=9,
)


def test_each_target_is_played_on_each_profile_with_the_claims_that_speak_of_it() -> None:
    lanes = lanes_of(SPEC)
    wanted = [(target.spec, profile, n) for target in SPEC.targets for profile, n in SPEC.histories]
    assert [(lane.target, lane.profile, lane.histories) for lane in lanes] == wanted
    assert [lane.number for lane in lanes] == list(range(6))
    claims = [lane.job.options.claims for lane in lanes]
    assert claims[:4] == [("complete", "converges:2")] * 4
    assert claims[4:] == [("replicas-distinct",)] * 2
    assert {lane.job.options.seed for lane in lanes} == {9}


def test_large_histories_have_more_time_a_call_unless_the_spec_says_how_much() -> None:
    limits = [lane.job.target.start.limits.call_timeout_s for lane in lanes_of(SPEC)]
    assert limits == [2.0, 20.0] * 3
    chosen = replace(SPEC, call_timeout_s=0.5)
    assert {lane.job.target.start.limits.call_timeout_s for lane in lanes_of(chosen)} == {0.5}
    assert [lane.job.target.protocol for lane in lanes_of(SPEC)[:3:2]] == ["eager", "cooperative"]
    assert digests(lanes_of(SPEC)) == dict.fromkeys(target.spec for target in SPEC.targets)


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(InputError, match=r"^campaign\.claims: "):
        lanes_of(replace(SPEC, claims=("no-such",)))
    with pytest.raises(InputError, match=r"^campaign\.claims: none is about .*, which is of kind placer"):
        lanes_of(replace(SPEC, claims=("complete",)))
    with pytest.raises(InputError, match=r"^campaign\.claims: converges:0: expected converges:VALUE with"):
        lanes_of(replace(SPEC, claims=("converges:0", "replicas-distinct")))
    with pytest.raises(TargetNotFound):
        lanes_of(replace(SPEC, targets=(TargetSpec("no-such"),)))


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        (TargetSpec("range", config={"k": "v"}), "range: config: nothing reads it, expected a target"),
        (
            TargetSpec("placement:striped", protocol="eager"),
            "placement:striped: protocol: does nothing with a",
        ),
    ],
)
def test_what_does_nothing_with_a_target_is_refused(target: TargetSpec, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        lanes_of(replace(SPEC, targets=(target,)))
    assert str(caught.value).startswith(complaint)


@pytest.mark.slow
def test_users_own_assignors_of_tasks_and_of_connect_have_lanes_that_travel() -> None:
    files = ("task_assignor.py", "member_task_assignor.py", "connect_assignor.py")
    spec = Spec("n", tuple(TargetSpec(f"{EXAMPLES}/{file}") for file in files), (("small", 5),))
    lanes = pickle.loads(pickle.dumps(lanes_of(spec)))
    kinds = [lane.job.target.kind for lane in lanes]
    assert kinds == [STREAMS, STREAMS, CONNECT]
    for lane in lanes:
        job = lane.job
        with job.target.open() as host:
            (played,) = job.driver.play(job.case(0), Subject(host.new, job.target.protocol, ()))
        assert played.steps
        assert not any(isinstance(step.answer, Failure) for step in played.steps)
