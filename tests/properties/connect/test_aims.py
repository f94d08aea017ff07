"""Recipes reach what they are for, whatever the source says."""

import pytest

from kassay.model.connect.kinds import CONNECT
from kassay.properties.connect.aims import CONNECT_AIMS, aimed_connect_history
from kassay.properties.connect.situations import reached_by
from kassay.properties.registry import situations_of
from kassay.properties.sources import Seeded


@pytest.mark.parametrize(("name", "aim"), CONNECT_AIMS.items())
def test_a_recipe_reaches_its_situation(name, aim):
    assert all(name in reached_by(aimed_connect_history(Seeded(seed), aim)) for seed in range(30))


def test_every_situation_has_a_recipe():
    assert {situation.id for situation in situations_of(CONNECT)} == CONNECT_AIMS.keys()
