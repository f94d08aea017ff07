"""A state as bytes and its steps: the same whichever process looks, in whatever order."""

from kassay.pipeline.walk.worker import WalkBench
from tests.pipeline.walk.walks import WORLDS, walk_of


def levels(bench: WalkBench) -> list[dict[int, bytes]]:
    """All states by distance."""
    level, seen, every = dict(bench.first()), set[int](), list[dict[int, bytes]]()
    while level:
        seen |= level.keys()
        every.append(level)
        bench.begin()
        met = dict(pair for number, data in level.items() for pair in bench.expanded(number, data).sent)
        level = {number: data for number, data in met.items() if number not in seen}
    return every


def test_benches_that_saw_other_things_before_agree() -> None:
    """Cells are numbered as they are met; neither bytes nor the choice among renamed states show it."""
    walk = walk_of(WORLDS["renamed"])
    first, last = WalkBench(walk), WalkBench(walk)
    every = levels(first)
    written = {number: data for level in every for number, data in level.items()}
    for number, data in reversed(written.items()):
        first.begin()
        last.begin()
        one, other = first.expanded(number, data), last.expanded(number, data)
        assert one == other
        assert all(written[target] == data for target, data in other.sent)


def test_what_was_sent_is_not_sent_again_in_a_task() -> None:
    bench = WalkBench(walk_of(WORLDS["draft"]))
    ((number, data),) = bench.first()
    bench.begin()
    first, again = bench.expanded(number, data), bench.expanded(number, data)
    assert {target for target, _ in first.sent} == {*first.targets} - {number}
    assert not again.sent
    bench.begin()
    assert bench.expanded(number, data).sent == first.sent
