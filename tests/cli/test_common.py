"""Options that several commands have: their defaults, and what their helps say of these."""

from pathlib import Path

import click
import pytest

from kassay.cli.common import (
    NEWEST,
    histories_option,
    out_option,
    release_option,
    time_option,
    to_option,
)
from kassay.cli.options import FilePath
from kassay.engines.genuine.jars import NEWEST_RELEASE
from kassay.model.protocols.values import releases


def parsed(option, *words):
    """The values of a command with this option alone, and its help."""
    command = click.command("x")(option(lambda **values: values))
    return command.main([*words], standalone_mode=False), command.params[0].help


@pytest.mark.parametrize(
    ("option", "words", "values", "said"),
    [
        (time_option(), (), {"seconds": None}, "[default: none]"),
        (time_option(shown="30s"), ("--time", "2m"), {"seconds": 120.0}, "[default: 30s]"),
        (time_option("1s"), (), {"seconds": 1.0}, "Limit the time of each search."),
        (histories_option(), (), {"histories": None}, "[default: none]"),
        (histories_option(default=3), (), {"histories": 3}, "Play this many histories."),
        (release_option(None), (), {"release": None}, "[default: any]"),
        (out_option(None), (), {"out": None}, "[default: none]"),
        (out_option(".kassay", FilePath()), (), {"out": Path(".kassay")}, "to this folder."),
        (to_option("all"), ("--to", "a", "--to", "b"), {"targets": ("a", "b")}, "[default: all]"),
    ],
)
def test_defaults_are_set_or_said(option, words, values, said):
    found, words_of_help = parsed(option, *words)
    assert found == values
    assert said in words_of_help


def test_fewer_histories_than_make_sense_are_refused():
    assert parsed(histories_option(0), "--histories", "0")[0] == {"histories": 0}
    with pytest.raises(click.BadParameter):
        parsed(histories_option(), "--histories", "0")


def test_the_newest_release_is_the_same_everywhere():
    assert NEWEST == NEWEST_RELEASE == releases.NEWEST
