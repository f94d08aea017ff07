"""Writes `docs/settings.md`: every key of `[tool.kassay]`, from the options of the commands.

`python docs/writers/settings.py > docs/settings.md`; tests compare the page with the options.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

import click

from kassay.cli.main import cli
from kassay.writing.text import Markdown, code, inline, table

_HEAD: Final = """\
# Settings: options in `pyproject.toml`

Store the options of every run in the `pyproject.toml` of the folder where you run the command. The key is the option's name
without the dashes:

```toml
[tool.kassay]
seed = 7                     # for every command that has --seed

[tool.kassay.certify]        # for `kassay certify` alone; overrides the table above
histories = 2500
jobs = 2
report = "html,junit"
config = ["partition.assignment.weights=on"]
in-process = false

[tool.kassay.campaign.run]   # for `kassay campaign run` alone
master = "local[2]"
```

`claims`, `claims-file`, `assume` and `exhaustive` leave claims or inputs out: the verdict's line, the reports and the JSON (`narrowed_by`)
name those that come from the file.

An option on the command line overrides both tables. A flag is `true` or `false`; a repeatable option is a list; any other value is
the option's value as a string or a number: `time = "60s"`, `histories = 2500`. Arguments, such as a TARGET, are only possible on
the command line. `kassay replay` uses the conditions stored in the trace and ignores these settings.

An unknown key, or a key that the table's command does not have, ends every command with code 2 and one line: the file, the key, what
was expected, and the nearest existing name. So does a value that its option would refuse:

```
kassay: pyproject.toml: tool.kassay.certify.histores: expected an option of this command by its name, without dashes (did you mean histories?)
kassay: pyproject.toml: tool.kassay.certify.histories: 'many' is not a valid integer range.
```

## Keys by command

Generated from the commands: `python docs/writers/settings.py > docs/settings.md`.
"""  # noqa: E501  # a message is shown in one line, as it is printed


def page() -> str:
    """The page."""
    lines = [_HEAD]
    for path, command in leaves():
        rows = [
            (code(name), _kind(option), _default(option), inline(_words(option)))
            for name, option in keys(command)
        ]
        if rows:
            lines += [f"### `[tool.kassay.{'.'.join(path)}]`", ""]
            lines += [*table(("key", "value", "default", "meaning"), rows), ""]
    return "\n".join(lines)


def leaves() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that is not a group, with the names that lead to it."""
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            yield from (((name, below), leaf) for below, leaf in command.commands.items())
        elif command is not None:
            yield (name,), command


def keys(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    """The keys of a command: the long names of its options."""
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            yield next(name for name in option.opts if name.startswith("--")).removeprefix("--"), option


def _kind(option: click.Option) -> Markdown:
    if option.is_flag:
        return inline("true or false")
    if isinstance(option.type, click.Choice):
        text = ", ".join(str(choice) for choice in option.type.choices)
        return inline(f"one of {text}")
    return inline(("a list of strings" if option.multiple else option.type.name).lower())


def _default(option: click.Option) -> Markdown:
    """The default that the help shows; flags have none."""
    default = option.default
    parts = default if isinstance(default, tuple | list) else (default,)
    named = [str(part) for part in parts if isinstance(part, str | int | float)]
    return code(" ".join(named)) if option.show_default and named and not option.is_flag else inline("")


def _words(option: click.Option) -> str:
    return " ".join((option.help or "").split())


if __name__ == "__main__":
    sys.stdout.write(page())
