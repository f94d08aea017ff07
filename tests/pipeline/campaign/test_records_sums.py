"""What tasks counted adds up to the same however the work was cut, and kinds leave names and numbers out."""

import json
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.runs.blocks import open_bench, play_block
from kassay.pipeline.campaign.lanes import lanes_of
from kassay.pipeline.campaign.records import CONTRADICTORY, ORDINARY, Key, Smallest, Sums, sums_of
from kassay.pipeline.campaign.shrinking import KINDS_MAX
from tests.pipeline.campaign.campaigns import SPEC

keys = st.builds(
    Key,
    st.sampled_from(["complete", "exists"]),
    st.sampled_from([ORDINARY, CONTRADICTORY]),
    st.sampled_from([f"{i:03x}" for i in range(2 * KINDS_MAX)]),
)
smallests = st.builds(
    Smallest, st.integers(1, 9), st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(0, 50)
)
kinds = st.dictionaries(keys, smallests, max_size=30)


def sums(found: dict[Key, Smallest]) -> Sums:
    return Sums(kinds=dict(found))


def added(parts: list[Sums]) -> Sums:
    total = Sums()
    for part in parts:
        total.add(part)
    return total


@given(st.lists(kinds, max_size=5), st.randoms(use_true_random=False))
def test_sums_add_up_in_any_order(parts: list[dict[Key, Smallest]], random: object) -> None:
    shuffled = list(parts)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert added([sums(p) for p in parts]).to_json() == added([sums(p) for p in shuffled]).to_json()


def looks() -> Iterator[tuple[int, object, object, object]]:
    lane = lanes_of(replace(SPEC, claims=("complete", "cooperative", "balanced-within-one"), gap=False))[0]
    with open_bench(lane.job) as bench:
        for index in range(40):
            case, seen = bench.look(index)
            yield index, case, seen, bench.driver


def test_histories_cut_in_two_and_sent_as_json_are_the_block_that_certify_plays() -> None:
    one, other = Sums(), Sums()
    for index, case, seen, driver in looks():
        (one if index < 17 else other).take(index, case, seen, driver)  # type: ignore[arg-type]
    both = added([sums_of(json.loads(json.dumps(part.to_json()))) for part in (other, one)])
    lane = lanes_of(replace(SPEC, claims=("complete", "cooperative", "balanced-within-one"), gap=False))[0]
    with open_bench(lane.job) as bench:
        tally = play_block(bench, 0, 40)
    assert both.tally.reached == tally.reached
    assert {c: (n.checked, n.failed, n.contradictory) for c, n in both.tally.counts.items()} == {
        c: (n.checked, n.failed, n.contradictory) for c, n in tally.counts.items()
    }
    assert {key.claim for key in both.kinds} == {c for c, n in tally.counts.items() if n.failed}
    for claim, count in tally.counts.items():
        if count.worst is not None:
            of_claim = [
                (key.input == CONTRADICTORY, found.size, found.history)
                for key, found in both.kinds.items()
                if key.claim == claim
            ]
            assert min(of_claim) == count.worst.rank
