"""Play histories with real clients on a genuine broker, and judge their reports."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.common import (
    bootstrap_option,
    client_option,
    config_option,
    fetch_option,
    from_option,
    group_option,
    histories_option,
    json_option,
    release_option,
    seed_option,
    to_option,
)
from kassay.cli.migrating import migrate_members
from kassay.cli.options import commas, pairs, present, say, typed_again
from kassay.cli.rehearsing import Rehearsing, rehearse_rollout

if TYPE_CHECKING:
    from kassay.api.live import LiveHistories
    from kassay.engines.live.run import LiveOptions

PLACE = 340
HISTORIES = 3


@click.command("live", epilog="Example: kassay live --fetch --clients java:range*2,librdkafka:range")
@click.argument("files", nargs=-1, metavar="[SCRIPT|FILE...]", shell_complete=completing.file)
@click.option("--clients", metavar="SPEC,...", help="Set the members, e.g. java:range*2,librdkafka:range.")
@click.option(
    "--program", "programs", multiple=True, metavar="NAME=COMMAND", help="Add an own client; repeatable."
)
@histories_option(default=HISTORIES)
@release_option()
@click.option("--upgrade-to", metavar="RELEASE", help="Upgrade the brokers to this release, and back.")
@click.option("--migrate", is_flag=True, help="Change the members' protocol under each policy, and back.")
@click.option("--brokers", metavar="N|RACK,...", help="Start 1 or 3, or one in each rack.  [default: 1]")
@config_option
@fetch_option
@bootstrap_option
@click.option("--yes", is_flag=True, help="Do not ask before using that cluster.")
@group_option
@from_option
@to_option("none")
@client_option
@click.option("--clean", is_flag=True, help="End and remove what earlier runs left, and exit.")
@seed_option
@json_option
def command(files: tuple[str, ...], clean: bool, **chosen: Any) -> int:
    """Play histories with real clients on a genuine broker, and judge what the clients report.

    --clients get generated histories; a SCRIPT (TOML) is played as it stands. With the FILEs of `what-if` and
    --to TARGET, or --library A,B, the rollout of that group is rehearsed. Starts a broker of its own on the
    loopback, with the properties of --config, and ends all that it starts. Exits with 1 if a claim is
    violated, with 3 if a claim could never be judged.
    """
    if clean:
        return _clean()
    from kassay.api.live import live
    from kassay.engines.live.prepare import prepared, ready_programs
    from kassay.engines.live.script import is_script
    from kassay.model.errors import InputError
    from kassay.report.screen.blocks import described_view
    from kassay.report.screen.console import bar

    scripts = [file for file in files if is_script(file)]
    rollout = Rehearsing(
        tuple(file for file in files if file not in scripts),
        chosen["group"],
        chosen["strategy"],
        chosen["targets"],
        commas(chosen["library"], "--library") or (),
    )
    if (chosen["clients"] is not None) + len(scripts) + (not rollout.is_empty) != 1:
        raise InputError(
            "expected one of --clients, such as java:range*2,librdkafka:range, a SCRIPT and a group's FILEs"
        )
    clients, script = commas(chosen["clients"], "--clients") or (), scripts[0] if scripts else None
    programs, config = pairs(chosen["programs"], "--program"), pairs(chosen["configs"], "--config")
    fetch, bootstrap = chosen["fetch"], chosen["bootstrap"]
    wanted = {key: chosen[key] for key in ("histories", "release", "upgrade_to", "seed")}
    wanted |= {"brokers": _brokers(chosen["brokers"]), "config": config}
    options, named = prepared(clients, script, programs, bootstrap=bootstrap, **wanted)
    complete = partial(ready_programs, named, fetch=fetch)
    if not rollout.is_empty:
        return rehearse_rollout(rollout, options, named, complete, chosen["json_path"])
    if chosen["migrate"]:
        return migrate_members(options, named, complete, chosen["json_path"])
    if bootstrap is not None:
        _agree(options, bootstrap, yes=chosen["yes"])
    with bar("playing", None if script else chosen["histories"]) as progress:
        result = live(
            script,
            clients=clients,
            programs=programs,
            fetch=fetch,
            bootstrap_server=bootstrap,
            progress=progress,
            **wanted,
        )
    present(result.to_json(), lambda: described_view(result.described()), chosen["json_path"])
    _write_page(result)
    return result.result.exit_code


def _brokers(text: str | None) -> int | tuple[str, ...] | None:
    """How many brokers, or the rack of each; raises `InputError`."""
    if text is None:
        return None
    return int(text) if text.isdecimal() else commas(text, "--brokers")


def _write_page(result: LiveHistories) -> None:
    """Write the page of the result next to its scripts and recordings."""
    from kassay.writing.files import write_text

    again = typed_again(click.get_current_context())
    write_text(result.page(again), str(Path(result.result.folder) / "live.html"))


def _agree(options: LiveOptions, bootstrap: str, *, yes: bool) -> None:
    """Say what will be created on the cluster, and ask; without a terminal `--yes` is required."""
    from kassay.model.errors import InputError

    host, _, port = bootstrap.rpartition(":")
    if not host or not port.isdigit():
        raise InputError(f"--bootstrap-server {bootstrap}: expected HOST:PORT")
    names = sorted({topic for each in options.scripts() for topic in each.topics})
    topics = ", ".join(f"kassay-<run>-<number>-{name}" for name in names)
    say(
        f"kassay: creates on {bootstrap}, and removes: topics {topics}, groups kassay-<run>-<number>",
        err=True,
    )
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError("--bootstrap-server: expected --yes where there is no terminal to ask")
    if not click.confirm("Use this cluster?", err=True):
        raise InputError("--bootstrap-server: not used")


def _clean() -> int:
    """Remove what earlier runs left here."""
    from kassay.engines.live.folder import clean
    from kassay.writing.text import counted

    done = clean()
    say(f"removed {counted(done.folders, 'run')}, ended {counted(done.processes, 'process')}")
    for run in done.busy:
        say(f"not removed: {run}, which still runs")
    return 0
