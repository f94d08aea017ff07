"""Rows of the tables are guards as well: removed one at a time, and told when they are asked for."""

import pytest

from kassay.model.protocols.clients.classic_state import CLIENT, ClassicEvent, ClassicState
from kassay.model.protocols.table import IGNORE, IMPOSSIBLE, IllegalTransition, look_up
from tests.guards.forks import in_forks
from tests.guards.rows import remove_row, rows, tables, watch_rows
from tests.model.protocols.test_table import TABLES


def test_every_table_of_the_two_rooms_is_taken_apart_and_none_twice():
    ours = {name: machine for name, machine in TABLES.items() if not name.startswith(("zookeeper", "draft"))}
    assert {id(table) for _, _, table in tables()} == {id(machine.table) for machine in ours.values()}
    assert len([*tables()]) == len(ours)


def test_every_row_but_the_impossible_ones_is_a_guard_of_its_own():
    every = [*rows()]
    assert len({str(place.guard) for place in every}) == len(every) > 300
    assert all(place.table[place.state][place.event] is not IMPOSSIBLE for place in every)
    assert any(place.table[place.state][place.event] is IGNORE for place in every)


def in_a_fork(work):
    ((_, answer),) = in_forks([()], lambda _: work(), 1, 60)
    return answer


def test_an_event_without_its_row_is_impossible_there_alone():
    place = next(place for place in rows() if place.table is CLIENT)
    others = [one for one in rows() if one != place]

    def gone():
        remove_row(place.guard)
        with pytest.raises(IllegalTransition):
            look_up(place.table, place.state, place.event)
        return [str(one.guard) for one in others if one.table[one.state][one.event] is IMPOSSIBLE]

    assert in_a_fork(gone) == []
    look_up(place.table, place.state, place.event)


def test_a_row_tells_that_it_was_asked_for():
    def told():
        heard = []
        watch_rows(lambda guard: heard.append(str(guard)))
        look_up(CLIENT, ClassicState.STABLE, ClassicEvent.ILLEGAL_GENERATION)
        return heard

    assert in_a_fork(told) == [
        f"clients.classic_state.CLIENT: `{ClassicState.STABLE}: {ClassicEvent.ILLEGAL_GENERATION}` impossible"
    ]
