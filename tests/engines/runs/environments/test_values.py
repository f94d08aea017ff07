import os
from datetime import UTC, datetime

from kassay.engines.runs.environments.coverage import clock_classes
from kassay.engines.runs.environments.values import (
    HOST_NAMES,
    environments,
    hours_of_week,
    rare_instants,
    variable_names,
    with_variable,
    zones,
)
from kassay.model.surroundings import FIELDS, Surroundings


def test_environments_differ_from_each_other_in_everything():
    planned = environments(("/a", "/b", "/c", "/d"))
    assert len(planned) == 4
    for name in FIELDS:
        assert len({getattr(each, name) for each in planned}) == 4, name
        assert None not in {getattr(each, name) for each in planned}, name


def test_the_hours_of_a_week_meet_every_pair_and_the_first_24_every_hour_and_day():
    times = [datetime.fromtimestamp(at, UTC) for at in hours_of_week()]
    assert len({(at.weekday(), at.hour) for at in times}) == 168
    first = times[:24]
    assert {at.hour for at in first} == set(range(24))
    assert {at.weekday() for at in first} == set(range(7))
    for part, values in (
        ("month", range(1, 13)),
        ("day", range(1, 32)),
        ("minute", range(60)),
        ("second", range(60)),
    ):
        assert {getattr(at, part) for at in times} == set(values), part


def test_rare_instants_are_rare():
    words = clock_classes(rare_instants())
    for part in ("month's end", "29 February", "after 2038"):
        assert part in words


def test_host_names_end_with_every_digit_and_many_letters():
    last = {name[-1] for name in HOST_NAMES}
    assert set("0123456789") <= last
    assert all(len(name) < 65 for name in HOST_NAMES)
    assert len(set(zones())) == 8


def test_a_variable_is_unset_empty_and_has_several_values():
    base = Surroundings(variables=(("X", "1"), ("Y", "2")))
    found = [dict(each.variables).get("X") for each in with_variable(base, "X")]
    assert found[:2] == [None, ""]
    assert len(set(found)) > 8
    assert all(dict(each.variables)["Y"] == "2" for each in with_variable(base, "X"))
    assert dict(next(with_variable(Surroundings(), "X", os.environ)).variables) == {
        name: value for name, value in os.environ.items() if name != "X"
    }
    assert variable_names(["PATH", "MINE", "TZ", "PYTHONPATH"]) == ("MINE",)
