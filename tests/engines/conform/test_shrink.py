"""A history is made small as long as it shows its cause."""

from kassay.engines.conform import intentions as i
from kassay.engines.conform.intentions import draw
from kassay.engines.conform.shrink import shrink
from kassay.engines.genuine.coordinator import CONFIG


def acts(history):
    return [intention.act for intention in history.intentions]


def test_what_the_cause_does_not_need_is_left_out():
    history = next(h for h in (draw(0, n) for n in range(0, 400, 4)) if acts(h).count(i.JOIN) > 3)
    small = shrink(history, lambda other: acts(other).count(i.JOIN) >= 2)
    assert acts(small) == [i.JOIN, i.JOIN]
    assert {(each.slot, each.numbers, each.write_fails) for each in small.intentions} == {(0, (), "")}
    assert small.setup.topics == {}
    ordinary = CONFIG | {"classic_initial_rebalance_delay_ms": 0, "consumer_assignment_interval_ms": 0}
    assert small.setup.config == ordinary


def test_what_the_cause_needs_stays():
    history = draw(0, 1)
    place = next(n for n, each in enumerate(history.intentions) if each.slot == 2)
    needed = history.intentions[place]
    small = shrink(history, lambda other: needed in other.intentions)
    assert small.intentions == (needed,)


def test_the_tries_are_bounded():
    tried = []
    shrink(draw(0, 1), lambda other: bool(tried.append(other)), tries=7)
    assert len(tried) == 7
