"""Networks and clocks by name and by short id."""

import pytest

from kassay.model.errors import InputError
from kassay.model.protocols.world.parts.levels import ClockLevel, NetworkLevel


@pytest.mark.parametrize(
    ("kind", "short", "name"),
    [
        (NetworkLevel, "N0", "atomic"),
        (NetworkLevel, "N1", "steps"),
        (NetworkLevel, "N2", "astray"),
        (ClockLevel, "T0", "timeless"),
        (ClockLevel, "T1", "ticks"),
    ],
)
def test_a_short_id_and_a_name_are_the_same_level(kind, short, name):
    assert kind(short) is kind(name)
    assert str(kind(short)) == name


@pytest.mark.parametrize(
    ("kind", "spelled"), [(NetworkLevel, "N3"), (NetworkLevel, "T0"), (ClockLevel, "tick")]
)
def test_what_is_no_level_is_told_with_all_that_are(kind, spelled):
    with pytest.raises(InputError) as refused:
        kind(spelled)
    assert f"unknown level {spelled!r}" in str(refused.value)
    assert all(level in str(refused.value) for level in kind)
    assert "\n" not in str(refused.value)
