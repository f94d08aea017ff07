"""The options of the clock are the fields of its times, and need a clock."""

from dataclasses import fields, is_dataclass

import click
import pytest

from kassay.cli.clock_options import OPTIONS, clock_options, timing_of
from kassay.model.errors import InputError
from kassay.model.protocols.world.timed.clock import Timing

NONE = dict.fromkeys(OPTIONS)


def names():
    return {each.name for each in fields(Timing)} if is_dataclass(Timing) else set(Timing._fields)


def test_every_option_sets_a_field_of_the_times():
    assert OPTIONS.keys() <= names()
    command = click.command()(clock_options(lambda **_: None))
    spelled = {option.name: option.opts[0] for option in command.params}
    assert spelled == {"clock": "--clock", **{field: option for field, (option, _) in OPTIONS.items()}}


@pytest.mark.parametrize("clock", ["ticks", "T1"])
@pytest.mark.parametrize("field", OPTIONS)
def test_a_time_that_is_given_is_set_and_the_others_keep_their_defaults(clock, field):
    chosen = {**NONE, field: 3, "clock": clock}
    if field in ("session", "heartbeat", "max_poll"):
        chosen |= {"session": 3, "heartbeat": 1, "max_poll": 3} | {field: 3 if field != "heartbeat" else 1}
    found = timing_of(chosen)
    given = {name: value for name, value in chosen.items() if name != "clock" and value is not None}
    assert found == Timing(**given)
    assert timing_of({**NONE, "clock": clock}) == Timing()


@pytest.mark.parametrize("clock", ["timeless", "T0"])
def test_a_time_without_a_clock_is_refused(clock):
    assert timing_of({**NONE, "clock": clock}) is None
    with pytest.raises(InputError) as refused:
        timing_of({**NONE, "delay": 2, "clock": clock})
    assert str(refused.value) == "--delay: timeless has no clock; expected --clock ticks as well"
