"""A command group whose help shows the whole first sentence of each subcommand."""

from __future__ import annotations

import re
from typing import Final

import click

_SENTENCE: Final = re.compile(r".+?\.(?=\s|$)", re.DOTALL)


class Subcommands(click.Group):
    """A group; without a subcommand it prints its help and exits with 2."""

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002  # click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        """Write the subcommands in order of definition, each with its whole first sentence."""
        rows = [(name, _sentence(command)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """The names in order of definition."""
        return [*self.commands]


def _sentence(command: click.Command) -> str:
    """The first sentence of a command's help."""
    text = (command.help or "").partition("\n\n")[0]
    sentence = _SENTENCE.match(text)
    return " ".join((sentence[0] if sentence else text).split())
