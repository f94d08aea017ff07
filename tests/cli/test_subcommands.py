"""Commands below a command, as they stand in the help."""

import click
import pytest

from kassay.cli.main import run
from kassay.cli.subcommands import Subcommands


def test_a_command_stands_with_its_whole_first_sentence_in_the_order_of_its_file():
    group = Subcommands("many")
    for name, text in (
        ("zebra", "Run, as 0.5 of them do.  And rest.\n\nMore."),
        ("ape", None),
        ("bee", "No stop"),
    ):
        group.add_command(click.Command(name, help=text))
    shown = group.get_help(click.Context(group, terminal_width=200))
    assert "  zebra  Run, as 0.5 of them do.\n" in shown
    assert "rest" not in shown
    assert shown.index("zebra") < shown.index("ape") < shown.index("bee  ")


@pytest.mark.parametrize(
    ("words", "said"),
    [((), "Test:"), (("campaign",), "counts exactly once."), (("fleet",), "cited shapes.")],
)
def test_a_group_without_a_command_prints_its_help_laid_out_and_ends_with_2(words, said, capsys):
    assert run([*words]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("Usage: kassay")
    assert said in " ".join(streams.err.split())
    assert "..." not in streams.err.replace("TARGET...", "").partition("\n")[2].replace("[ARGS]...", "")
    assert streams.err.count("\n") > 10
