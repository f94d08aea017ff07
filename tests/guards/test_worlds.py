"""The worlds that a removed guard is put to."""

from kassay.model.protocols.values.releases import NEWEST
from tests.docs.test_exhaustive_runs import runs
from tests.guards.worlds import listed


def test_every_row_of_the_list_is_a_world_of_the_newest_release_and_no_world_stands_twice():
    worlds = listed()
    rows = {run.command: run.figures.states for run in runs() if not run.release}
    assert rows.items() <= {(world.command, world.states) for world in worlds}
    assert {world.settings.release for world in worlds} == {NEWEST}
    assert not any(world.settings.switches for world in worlds)
    assert len({world.settings for world in worlds}) == len(worlds) > len(rows)
    assert {"classic", "kip848", "migration", "streams"} == {world.settings.model for world in worlds}
