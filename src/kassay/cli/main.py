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
from click.formatting import wrap_text

from kassay import __version__
from kassay.cli import commands
from kassay.cli.output import reader_gone, survive_readers
from kassay.model.errors import Discontinued, InputError, TargetError

EXIT_USAGE: Final = 2
EXIT_UNKNOWN: Final = 3
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
    7: "CI and assistants",
}
"""Sections of the help, by the hundreds of a command's `PLACE`."""
OTHERS: Final = "More"

_FIRST: Final = (
    ("Does my assignor keep what it claims?", "kassay certify my_assignor.py"),
    ("I have none yet: write an example with its test.", "kassay init"),
    ("What would another assignor do to my group?", "kassay what-if groups.txt topics.txt"),
    ("What is wrong with my replicas, and what fixes it?", "kassay place topics.txt brokers.txt"),
    ("What does an assignor of Kafka do?", "kassay explain sticky"),
)
"""What `kassay` alone shows: what to do first, and how."""
EXIT_CODES: Final = (
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


FLOWS_MOST_S: Final = 3.0
"""What OR-tools would gain is not worth a line below so many CPU seconds."""


def tell_of_ortools() -> None:
    """Say on standard error what OR-tools would have gained, after a command that spent long without it."""
    if "kassay.solver.algorithms.bulk_flow" not in sys.modules:
        return
    from kassay.cli.options import complain
    from kassay.solver.algorithms.bulk_flow import spent_without_s

    if (spent := spent_without_s()) > FLOWS_MOST_S:
        complain(
            f"{spent:.0f} s of this were large flows, which take OR-tools a quarter of the time: "
            "pip install 'kassay[cpsat]'"
        )


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
            tell_of_ortools()
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

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write usage, the commands by section, exit codes and options: one screen."""
        formatter.write_usage(ctx.command_path, "[OPTIONS] COMMAND [ARGS]...")
        self.format_commands(ctx, formatter)
        codes = "; ".join(f"{code} {words}" for code, words in EXIT_CODES)
        options = "--version, --completion bash|zsh|fish, -h or --help, which each command has."
        for words in (f"Exit codes: {codes}. Of several targets, the gravest counts.", f"Options: {options}"):
            formatter.write(f"{wrap_text(words, formatter.width)}\n")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the files' text, without imports, in the order for newcomers."""
        lines = []
        for name in self.list_commands(ctx):
            text = pkgutil.get_data(commands.__name__, f"{name.replace('-', '_')}.py") or b""
            head = _HEAD.match(text.decode())
            lines.append((int(head["place"]), name, head["line"]) if head else (sys.maxsize, name, ""))
        for title, rows in groupby(sorted(lines), lambda each: SECTIONS.get(each[0] // 100, OTHERS)):
            formatter.write(f"{title}:\n")
            formatter.indent()
            formatter.write_dl([(name, line) for _, name, line in rows], col_max=12)
            formatter.dedent()


def _print_completion(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    """Print the script for a shell, for `eval "$(kassay --completion bash)"`."""
    if shell is None or context.resilient_parsing:
        return
    from kassay.cli.completing import source
    from kassay.cli.options import say

    for line in source(shell, context.command).splitlines():
        say(line)
    context.exit()


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="kassay")
@click.option(
    "--completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    expose_value=False,
    is_eager=True,
    callback=_print_completion,
    help="Print the shell script that completes commands, and exit.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Proves what Kafka's assignment rules really do."""
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
    except click.UsageError as error:
        return _say(f"{error.format_message().rstrip('.')}{_helping(error.ctx)}", EXIT_USAGE)
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
    except Discontinued as error:
        return _say(str(error), EXIT_UNKNOWN)
    except MemoryError:
        return _say("out of memory, expected a smaller input or a machine with more", EXIT_UNKNOWN)
    except Exception as error:  # last resort: an internal error is exit code 70, never a traceback
        from kassay.cli.options import fault

        return fault(error)


def _unread() -> int:
    """The exit code of a command without a verdict: 130 if its output was closed before it was read, or 0."""
    sys.stdout.flush()
    return EXIT_INTERRUPTED if reader_gone() else 0


def _helping(context: click.Context | None) -> str:
    """The end of an error of usage: which help shows what is accepted."""
    return "" if context is None else f"; see {context.command_path} --help"


def _say(message: str, code: int) -> int:
    from kassay.cli.options import complain  # imported late, since a help without errors does not need it

    complain(message)
    return code


def _first() -> Iterator[str]:
    """What to do first."""
    yield "kassay proves what Kafka's assignment rules really do. Start with one of these:"
    for question, command in _FIRST:
        yield from ("", f"  {question}", f"    {command}")
    yield from ("", "All commands: kassay --help")


def _help(error: click.exceptions.NoArgsIsHelpError) -> int:
    from kassay.cli.options import say

    is_root = error.ctx is None or error.ctx.parent is None
    for line in _first() if is_root else error.format_message().splitlines():
        say(line, err=True)
    return EXIT_USAGE
