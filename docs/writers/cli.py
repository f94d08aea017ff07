"""The contract of the command line as data: commands, arguments, options, exit codes.

`python docs/writers/cli.py > docs/cli.json` writes it; `tests/docs/test_cli.py` holds it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import click

from kassay.cli.main import EXIT_CODES, cli

_CODES = re.compile(r"Exit codes?:? (.*?)\.(?:\s|$)|(Exits with .*?)\.(?:\s|$)", re.DOTALL)
_DEFAULT = re.compile(r"  \[default: (.*)\]$")


def leaves(command: click.Command = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """The commands by name, those below a group too; the root under the empty name."""
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    if not path:
        yield "", command
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from leaves(below, (*path, name))


def options(command: click.Command) -> Iterator[click.Option]:
    """The options of a command, without --help."""
    return (each for each in command.params if isinstance(each, click.Option))


def name_of(option: click.Option) -> str:
    """The long name of an option."""
    return max(option.opts, key=len)


def words_of(option: click.Option) -> str:
    """What an option's help says before the default."""
    return _DEFAULT.sub("", option.help or "")


def contract() -> dict[str, Any]:
    """Everything that a script may rely on."""
    commands = {name: _command(command) for name, command in leaves()}
    every = [name_of(option) for _, command in leaves() for option in options(command)]
    return {
        "first_level": len(cli.list_commands(click.Context(cli))),
        "options": len(every),
        "names": len({*every}),
        "exit_codes": dict(EXIT_CODES),
        "commands": commands,
    }


def _command(command: click.Command) -> dict[str, Any]:
    found = _CODES.search(" ".join((command.help or "").split()))
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    codes = (found[1] or found[2]) if found else None
    return {
        "arguments": [each.make_metavar(click.Context(command)) for each in arguments],
        "options": {name_of(option): _option(option) for option in options(command)},
        **({"exit_codes": codes} if codes else {}),
    }


def _option(option: click.Option) -> dict[str, Any]:
    said = _DEFAULT.search(option.help or "")
    default = said[1] if said else option.default if option.show_default else None
    facts = {
        "help": words_of(option),
        "default": default,
        "values": [*option.type.choices] if isinstance(option.type, click.Choice) else None,
        "repeatable": option.multiple or None,
    }
    return {name: value for name, value in facts.items() if value is not None}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(contract(), indent=1) + "\n")
