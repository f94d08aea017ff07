"""The `kassay` command: finds a subcommand without importing the others, and turns errors into exit codes."""

from __future__ import annotations

import importlib
import os
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import click

from kassay import __version__
from kassay.model.errors import InputError, KassayError

EXIT_VIOLATED: Final = 1
EXIT_USAGE: Final = 2
EXIT_UNKNOWN: Final = 3
EXIT_TARGET: Final = 4
EXIT_FAULT: Final = 70
EXIT_INTERRUPTED: Final = 130

COMMANDS: Final[dict[str, str]] = {
    "certify": "Put targets to the test: generated histories, claims, counterexamples, a certificate.",
    "replay": "Play a saved trace again.",
    "explain": "Tell a claim, a trace or a rule in words and numbers.",
    "list": "List assignors, placers, partitioners, claims, models, switches or suites.",
    "vectors": "Check golden vectors of Kafka's own outputs.",
    "campaign": "Run millions of histories on Spark: run, resume, report.",
    "fleet": "Replay the rebalances of a whole fleet of groups on Spark: generate, replay.",
    "optimum": "Find the best assignment or placement of an instance, with a certificate.",
    "check": "Check certificates of optima, with nothing of the solver loaded.",
    "gap": "Measure how far targets are from the certified optimum.",
    "prove": "Prove claims about formulas for all sizes, or show the smallest counterexample.",
    "explore": "Walk every state of a protocol model, with faults, and judge it.",
    "switches": "Break each rule of the protocol models in turn, and see that it is found.",
    "rank": "Rank targets by claims, gap, moves, rounds and time.",
}
"""Each command lives in the module of its name; the text stands here so that help imports none of them."""

_ATTRIBUTES: Final = "command"


class Commands(click.Group):
    """Subcommands that are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """The commands in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"kassay.cli.commands.{cmd_name.replace('-', '_')}")
        found: click.Command = getattr(module, _ATTRIBUTES)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list in the help, from the texts alone."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Example: kassay certify range --time 10s",
)
@click.version_option(__version__, prog_name="kassay")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Proves what Kafka's assignment rules really do.

    Exit codes: 0 certified, 1 a claim is violated, 2 usage, 3 something is unknown within the budget,
    4 a target could not be loaded, 70 a fault of kassay itself.
    """
    ctx.default_map = settings(Path("pyproject.toml"))


def settings(path: Path) -> dict[str, Any]:
    """The options in `[tool.kassay]`: those of a command in its own table, others for every command."""
    if not path.is_file():
        return {}
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {}).get("kassay", {})
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not TOML ({error})") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: [tool.kassay]: expected a table")
    shared = {name.replace("-", "_"): v for name, v in found.items() if not isinstance(v, dict)}
    return {
        name: shared | {k.replace("-", "_"): v for k, v in found.get(name, {}).items()} for name in COMMANDS
    }


def main(argv: list[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    sys.exit(run(argv))


def run(argv: list[str] | None = None) -> int:
    """The exit code of a command line; what went wrong is told in one line on standard error."""
    try:
        outcome = cli.main(args=argv, prog_name="kassay", standalone_mode=False)
        return outcome if isinstance(outcome, int) else 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        return _say("interrupted", EXIT_INTERRUPTED)
    except KeyboardInterrupt:
        return _say("interrupted", EXIT_INTERRUPTED)
    except click.ClickException as error:
        return _say(error.format_message(), EXIT_USAGE)
    except InputError as error:
        return _say(str(error), EXIT_USAGE)
    except BrokenPipeError:
        # Whoever read our output has had enough; closing it here keeps Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_INTERRUPTED
    except KassayError as error:
        if _is_target_error(error):
            return _say(str(error), EXIT_TARGET)
        return _fault(error)
    except Exception as error:  # the last line of defence: a fault of ours is exit 70, never a traceback
        return _fault(error)


def _is_target_error(error: KassayError) -> bool:
    from kassay.certify.targets.resolve import TargetNotFound, TargetNotLoadable

    return isinstance(error, TargetNotFound | TargetNotLoadable)


def _say(message: str, code: int) -> int:
    print(f"kassay: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201  # the one place that does
    return code


def _fault(error: Exception) -> int:
    if os.environ.get("KASSAY_TRACEBACK"):
        raise error
    return _say(
        f"a fault of kassay itself: {type(error).__name__}: {error} (KASSAY_TRACEBACK=1 shows where)",
        EXIT_FAULT,
    )
