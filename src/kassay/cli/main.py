"""The `kassay` command: imports only the subcommand that runs, and turns errors into exit codes."""

from __future__ import annotations

import importlib
import io
import os
import pkgutil
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from kassay import __version__
from kassay.cli import commands
from kassay.cli.output import reader_gone, survive_readers
from kassay.model.errors import InputError, TargetError

EXIT_USAGE: Final = 2
EXIT_TARGET: Final = 4
EXIT_INTERRUPTED: Final = 130

_HEAD: Final = re.compile(r'"""(?P<line>.+?)(?:\n|""").*?^PLACE = (?P<place>\d+)$', re.DOTALL | re.MULTILINE)
"""The part of a command's file that the help reads: the first docstring line, and `PLACE`."""

SECTIONS: Final = {
    1: "Test",
    2: "Understand",
    3: "Your own cluster",
    4: "The optimum",
    5: "Protocols",
    6: "At scale",
    7: "CI and shell",
}
"""Sections of the help, by the hundreds of a command's `PLACE`."""
OTHERS: Final = "More"

_EXAMPLES: Final = (
    ("kassay certify my_assignor.py --time 60s", "Does my assignor satisfy its claims?"),
    ("kassay explain sticky", "What does this assignor of Kafka do?"),
    ("kassay diff sticky my_assignor.py", "Where do the two differ?"),
    ("kassay list claims", "Which claims can be checked?"),
    ("kassay init --github", "Run the same in CI."),
)
_EXIT_CODES: Final = (
    ("0", "certified, holds, done"),
    ("1", "a claim is violated"),
    ("2", "usage, or input that cannot be read"),
    ("3", "nothing violated, something unknown: budget spent, group not stable"),
    ("4", "a target could not be loaded"),
    ("70", "internal error of kassay"),
    ("130", "interrupted before any violation"),
)


class OutputClosed(Exception):
    """The reader closed the output. Not an OSError, for which click exits with 1, the code of a violation."""


@contextmanager
def _read() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise OutputClosed from None


class CommandVerdict(NamedTuple):
    """The exit code that a command returned; click itself returns a bare 0 for a help."""

    exit_code: int


class Commands(click.Group):
    """Subcommands that are imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """The commands by name: one per module of `kassay.cli.commands`."""
        return [module.name.replace("_", "-") for module in pkgutil.iter_modules(commands.__path__)]

    def make_context(self, *arguments: Any, **named: Any) -> click.Context:
        """Parse the command line; raises `OutputClosed` if the reader of the help has gone."""
        with _read():
            return super().make_context(*arguments, **named)

    def invoke(self, ctx: click.Context) -> Any:
        """The command's verdict, if any; raises `OutputClosed` if the reader of its output has gone."""
        with _read():
            outcome = super().invoke(ctx)
        return CommandVerdict(outcome) if isinstance(outcome, int) else None

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words name, and the rest of them; an unknown one fails with a similar name."""
        name = args[0]
        if not name.startswith("-") and name not in (known := self.list_commands(ctx)):
            from kassay.reading.documents import suggestion

            raise click.UsageError(f"No such command {name!r}{suggestion(name, known)}.", ctx)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section, examples, exit codes, and last the options."""
        self.format_commands(ctx, formatter)
        for title, rows in (("Examples", _EXAMPLES), ("Exit codes", _EXIT_CODES)):
            with formatter.section(title):
                formatter.write_dl(rows, col_max=45)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the files' text, without imports, in the order for newcomers."""
        lines = []
        for name in self.list_commands(ctx):
            text = pkgutil.get_data(commands.__name__, f"{name.replace('-', '_')}.py") or b""
            head = _HEAD.match(text.decode())
            lines.append((int(head["place"]), name, head["line"]) if head else (sys.maxsize, name, ""))
        for title, rows in groupby(sorted(lines), lambda each: SECTIONS.get(each[0] // 100, OTHERS)):
            with formatter.section(title):
                formatter.write_dl([(name, line) for _, name, line in rows])


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Each command has its own help with an example: kassay certify --help",
)
@click.version_option(__version__, prog_name="kassay")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Proves what Kafka's assignment rules really do.

    With several targets, the gravest exit code counts: 70, 4, 1, 130, 3, 0.
    """
    ctx.default_map = settings(Path("pyproject.toml"))


def settings(path: Path) -> dict[str, Any]:
    """The defaults in `[tool.kassay]`: a command's own table, and values for every command.

    Raises InputError for an unreadable file, and for an unknown command or option.
    """
    if not path.is_file():
        return {}
    # Not read through `reading`: every command starts with this, and few find such a table.
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {}).get("kassay", {})
    except (ValueError, RecursionError, AttributeError) as error:
        raise InputError(f"{path}: not TOML with tables ({error})") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    if not isinstance(table, dict):
        raise InputError(f"{path}: tool.kassay: expected a table, got {table!r}")
    if not table:
        return {}
    from kassay.cli.settings import defaults

    return defaults(table, f"{path}: tool.kassay", cli)


def main(argv: list[str] | None = None) -> None:
    """Run the command line and exit the process with its exit code, even if its output is closed."""
    survive_readers()
    sys.exit(run(argv))


def run(argv: list[str] | None = None) -> int:
    """The exit code of a command line; errors are reported in one line on standard error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # for names with characters that the terminal cannot show
    try:
        if "_KASSAY_COMPLETE" in os.environ:  # the shell requests completions
            from kassay.cli.completing import register

            register()
        typed = sys.argv[1:] if argv is None else argv
        outcome = cli.main(args=typed, prog_name="kassay", standalone_mode=False, obj=tuple(typed))
        sys.stdout.flush()
        return outcome.exit_code if isinstance(outcome, CommandVerdict) else _unread()
    except click.exceptions.Exit as error:
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted", EXIT_INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:  # a group without a command prints its help
        return _help(error)
    except click.ClickException as error:
        return _say(error.format_message(), EXIT_USAGE)
    except InputError as error:
        return _say(str(error), EXIT_USAGE)
    except (OutputClosed, BrokenPipeError):
        # closed here, or Python reports an error at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_INTERRUPTED
    except TargetError as error:
        return _say(str(error), EXIT_TARGET)
    except Exception as error:  # last resort: an internal error is exit code 70, never a traceback
        from kassay.cli.options import fault

        return fault(error)


def _unread() -> int:
    """The exit code of a command without a verdict: 130 if its output was closed before it was read, or 0."""
    sys.stdout.flush()
    return EXIT_INTERRUPTED if reader_gone() else 0


def _say(message: str, code: int) -> int:
    from kassay.cli.options import complain  # imported late, since a help without errors does not need it

    complain(message)
    return code


def _help(error: click.exceptions.NoArgsIsHelpError) -> int:
    from kassay.cli.options import say

    for line in error.format_message().splitlines():
        say(line, err=True)
    return EXIT_USAGE
