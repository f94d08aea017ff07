"""Defaults of the commands from `[tool.kassay]` of a pyproject.toml, by the options' public names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import click

from kassay.model.errors import InputError
from kassay.reading.documents import suggestion


class Setting(NamedTuple):
    """The value of an option, and its position."""

    value: object
    where: str


def defaults(
    table: Mapping[str, object],
    place: str,
    command: click.Command,
    above: Mapping[str, Setting] | None = None,
) -> dict[str, Any]:
    """The command's `default_map` for click, with each value as on the command line.

    An option in the table of a group applies to every command below that has it; a command's own table takes
    precedence. `place` is the file and the table's name, `above` the settings of the outer tables. Raises
    InputError for a key that is neither a command nor an option, and for a value that its option refuses.
    """
    commands = dict(_subcommands(command))
    options = {name for leaf in _leaves(command) for name in _options(leaf)}
    tables, settings = dict[str, Mapping[str, object]](), dict(above or {})
    for key, value in table.items():
        name, where = key.replace("_", "-"), f"{place}.{key}"
        if name in commands:
            if not isinstance(value, Mapping):
                raise InputError(f"{where}: expected a table with options of this command, got {value!r}")
            tables[name] = value
        elif name in options:
            settings[name] = Setting(value, where)
        else:
            raise InputError(f"{where}: {_unknown(name, [*commands, *options], of_group=bool(commands))}")
    if not isinstance(command, click.Group):
        return {
            str(o.name): _taken(o, settings[name])
            for name, o in _options(command).items()
            if name in settings
        }
    return {
        name: defaults(tables.get(name, {}), f"{place}.{name}", below, settings)
        for name, below in commands.items()
    }


def _subcommands(command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if (below := command.get_command(context, name)) is not None:
                yield name, below


def _leaves(command: click.Command) -> list[click.Command]:
    """The commands below a group that are not groups; the command itself if it is not a group."""
    return [leaf for _, below in _subcommands(command) for leaf in _leaves(below)] or [command]


def _options(command: click.Command) -> dict[str, click.Option]:
    """The options of one command by public name, without dashes."""
    return {
        name.removeprefix("--"): option
        for option in command.params
        if isinstance(option, click.Option)
        for name in option.opts
        if name.startswith("--")
    }


def _unknown(name: str, known: Iterable[str], *, of_group: bool) -> str:
    what = "a command, or an option of one" if of_group else "an option of this command"
    return f"expected {what} by its name, without dashes{suggestion(name, known)}"


def _taken(option: click.Option, setting: Setting) -> bool | str | list[str]:
    """The value of a flag, else the text as on the command line; a list if the option is repeatable."""
    value, where = setting
    if option.is_flag:
        if not isinstance(value, bool):
            raise InputError(f"{where}: expected true or false, got {value!r}")
        return value
    parts = value if option.multiple and isinstance(value, list) else [value]
    if option.multiple is not isinstance(value, list) or not all(
        type(part) in (str, int, float) for part in parts
    ):
        expected = "a list of texts" if option.multiple else "a text or a number"
        raise InputError(f"{where}: expected {expected}, got {value!r}")
    text = [str(part) for part in parts] if option.multiple else str(value)
    try:
        option.type_cast_value(click.Context(click.Command(None)), text)
    except click.BadParameter as error:
        raise InputError(f"{where}: {error.message}") from None
    return text
