"""Lanes: one for each target and profile, in the order of the spec.

However the work is cut, every history is in exactly one chunk.
"""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.kinds.judging import Subject
from kassay.model.calls import Failure
from kassay.model.connect.kinds import CONNECT
from kassay.model.errors import InputError, TargetNotFound
from kassay.model.streams.kinds import STREAMS
from kassay.pipeline.campaign.lanes import TRUST_MAX, Chunk, Lane, chunks_of, digests, lanes_of, next_batch
from kassay.pipeline.campaign.records import create, reopen
from kassay.pipeline.campaign.spec import Pace, Spec, TargetSpec, read_spec
from kassay.pipeline.store import Local
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


LANES = lanes_of(
    Spec("n", tuple(TargetSpec(name) for name in ("range", "roundrobin")), (("small", 1), ("large", 1)))
)
costs = st.dictionaries(st.integers(0, 3), st.floats(1e-5, 30), max_size=4)
paces = st.builds(
    Pace,
    batch_seconds=st.floats(0.1, 100),
    batch_histories=st.none() | st.integers(1, 50),
    task_seconds=st.floats(0.1, 10),
)


@given(st.lists(st.integers(1, 400), min_size=4, max_size=4), costs, paces, st.integers(1, 8))
def test_batches_and_chunks_cover_everything_once(
    sizes: list[int], known: dict[int, float], pace: Pace, slots: int
) -> None:
    lanes = [Lane(lane.number, lane.profile, size, lane.job) for lane, size in zip(LANES, sizes, strict=True)]
    played: list[Chunk] = []
    upto: dict[int, int] = {}
    while batch := next_batch(lanes, upto, known, pace, slots):
        for part in batch:
            assert part.start == upto.get(part.lane, 0) < part.stop
            upto[part.lane] = part.stop
        chunks = chunks_of(batch, known, pace, slots)
        assert sum(c.stop - c.start for c in chunks) == sum(p.stop - p.start for p in batch)
        played += chunks
    for lane in lanes:
        seen = [i for c in played if c.lane == lane.number for i in range(c.start, c.stop)]
        assert sorted(seen) == list(range(lane.histories))


@given(
    st.lists(st.integers(1, 400), min_size=4, max_size=4),
    st.lists(st.floats(1e-4, 30), min_size=4, max_size=4),
    paces,
    st.integers(1, 8),
)
def test_no_straggler_however_skewed_the_lanes(
    sizes: list[int], seconds: list[float], pace: Pace, slots: int
) -> None:
    # Tasks are handed out in order to whoever is free; the work of a history is what it was taken for.
    batch, costs = [Chunk(lane, 0, size) for lane, size in enumerate(sizes)], dict(enumerate(seconds))
    busy = [0.0] * slots
    lengths = []
    for chunk in chunks_of(batch, costs, pace, slots):
        lengths.append(costs[chunk.lane] * (chunk.stop - chunk.start))
        busy[busy.index(min(busy))] += lengths[-1]
    assert max(lengths) <= max(pace.task_seconds, *seconds) + 1e-9
    # Nobody is at work for longer than an even share and the last task that it took on.
    assert max(busy) <= sum(lengths) / slots + max(lengths) + 1e-6
    # The largest come first, so what is taken on last is small where there are many.
    assert lengths == sorted(lengths, reverse=True)


def test_a_cost_known_from_few_histories_makes_no_long_task() -> None:
    # One cheap history was seen of each; all others take a thousand times as long.
    batch = [Chunk(lane, 1, 61) for lane in range(4)]
    chunks = chunks_of(batch, dict.fromkeys(range(4), 0.001), Pace(), 2)
    assert max(c.stop - c.start for c in chunks) <= TRUST_MAX
    later = chunks_of([Chunk(0, 1000, 61_000)], {0: 0.001}, Pace(), 2)
    assert max(c.stop - c.start for c in later) == 4000


def test_expensive_chunks_come_first() -> None:
    batch = [Chunk(0, 0, 100), Chunk(1, 0, 3)]
    chunks = chunks_of(batch, {0: 0.01, 1: 5.0}, Pace(task_seconds=2.0), 2)
    assert [c.lane for c in chunks][:3] == [1, 1, 1]
    assert all(c.stop - c.start == 1 for c in chunks if c.lane == 1)


def test_an_error_of_a_target_names_the_file_of_the_spec(tmp_path: Path) -> None:
    for target, error in (("nosuch.py:X", TargetNotFound), ("exec:", InputError)):
        spec = Spec("n", (TargetSpec(target),), (("small", 5),))
        with pytest.raises(error, match=r"^c\.toml: .*expected"):
            create(spec, Local(tmp_path / "out"), None, "c.toml")
