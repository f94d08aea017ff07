"""Histories from a seed."""

import pytest

from kassay.engines.conform.intentions import KINDS, NUMBERS, SLOTS, WEIGHTS, draw


def test_a_seed_and_a_number_are_one_history():
    assert draw(1, 2) == draw(1, 2)
    assert len({repr(draw(seed, number)) for seed in range(3) for number in range(3)}) == 9


def test_the_kinds_take_turns():
    assert [draw(0, number).setup.kind for number in range(len(KINDS) + 1)] == [*KINDS, KINDS[0]]
    assert draw(0, 5, ("regex",)).setup.kind == "regex"


@pytest.mark.parametrize("kind", KINDS)
def test_every_act_of_a_kind_is_drawn(kind):
    histories = [draw(0, number, (kind,)) for number in range(40)]
    intentions = [each for history in histories for each in history.intentions]
    assert {each.act for each in intentions} == WEIGHTS[kind].keys()
    assert {each.slot for each in intentions} == {*range(SLOTS)}
    assert {len(each.numbers) for each in intentions} == {NUMBERS}
    assert any(each.write_fails for each in intentions)
