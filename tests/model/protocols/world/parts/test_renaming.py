"""What renaming knows of a value, and how generations are counted anew."""

import pytest

from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.world.parts.renaming import NOTHING, SAME, Count, facts_of
from tests.model.protocols.world.parts.walked import WORLDS, everything, ids, some


@pytest.mark.parametrize(("make", "chosen"), WORLDS)
def test_facts_are_those_of_all_parts(make, chosen):
    _, states = some(make, chosen)
    for cell in {cell for state in states for cell in (*state.clients, state.broker)}:
        found = list(everything(cell))
        facts = facts_of(cell.value)
        assert facts.names == ids(found)
        assert facts.renumber == any(not name.endswith("-1") for name in facts.names)
        numbers = [n for n in found if isinstance(n, int) and n >= 1]
        assert facts.low <= min(numbers, default=1 << 30), "timers' payloads hold generations as well"
        assert facts.high >= max(numbers, default=0)


def test_generations_are_counted_from_the_shift_and_less_from_each_gap_on():
    count = Count(3, ((6, 1), (9, 2)))
    assert [count(number) for number in range(-2, 13)] == [-2, -1, 0, 0, 0, 0, 1, 2, 2, 3, 4, 3, 4, 5, 6]
    assert [SAME(number) for number in range(-2, 4)] == list(range(-2, 4))


@pytest.mark.parametrize(
    ("value", "names", "low", "renumber"),
    [
        (ClassicClient(), set(), None, False),
        (ClassicClient(member_id="c1-1", generation=4), {"c1-1"}, 4, False),
        (ClassicClient(member_id="c1-2", generation=0), {"c1-2"}, None, True),
        (ClassicClient(member_id="no id", generation=-1), set(), None, False),
    ],
    ids=["fresh", "first", "second", "unnumbered"],
)
def test_a_value_without_numbered_ids_and_generations_has_no_facts(value, names, low, renumber):
    facts = facts_of(value)
    assert (facts.names, facts.renumber) == (names, renumber)
    assert facts.low == (NOTHING.low if low is None else low)
    assert (facts is NOTHING) == (not names and low is None)
