"""Play histories with real clients on a genuine broker, and judge their reports."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
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
    from kassay.engines.live.brokers import BrokerShape
    from kassay.engines.live.clients import ClientPrograms
    from kassay.engines.live.result import LiveResult
    from kassay.engines.live.run import LiveOptions
    from kassay.engines.live.script import LiveScript, LiveSeat

PLACE = 340
HISTORIES = 3
ASSIGNORS = "group.consumer.assignors"
"""A jar as the value of this property is loaded into the brokers, and its assignors are set."""


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
    from kassay.engines.live.clients import ClientPrograms
    from kassay.engines.live.run import LiveOptions, fetch_releases, live, require_own, require_programs
    from kassay.engines.live.script import is_script, read_script
    from kassay.model.errors import InputError
    from kassay.report.described_runs import live_described
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
    rehearses = not rollout.is_empty
    if (chosen["clients"] is not None) + len(scripts) + rehearses != 1:
        raise InputError(
            "expected one of --clients, such as java:range*2,librdkafka:range, a SCRIPT and a group's FILEs"
        )
    release, fetch, upgrade_to = chosen["release"], chosen["fetch"], chosen["upgrade_to"]
    own = _own(chosen["programs"])
    named = ClientPrograms(own, (), release)
    seats = named.seats(commas(chosen["clients"], "--clients") or ()) if chosen["clients"] else ()
    settings = pairs(chosen["configs"], "--config")
    assignor = Path(settings.pop(ASSIGNORS)) if settings.get(ASSIGNORS, "").endswith(".jar") else None
    shape = _shape(chosen["brokers"] or (upgrade_to and "3"), settings, bool(scripts))
    read = read_script(scripts[0]) if scripts else None
    more: tuple[LiveScript, ...] = ()
    if upgrade_to is not None:
        of_types = _upgrade(seats, shape, release, upgrade_to)
        read, more = of_types[0], of_types[1:]

    def complete(members: Sequence[LiveSeat]) -> ClientPrograms:
        """The programs with the jars of the broker, and with what the members need."""
        ready = _with_jars(named, release, fetch)
        if fetch:
            ready.fetch(members)
        require_programs(ready, members)
        return ready

    options = LiveOptions(
        seats,
        read,
        more,
        chosen["histories"],
        None,
        chosen["seed"],
        bootstrap=chosen["bootstrap"],
        cluster=shape,
        assignor=assignor,
    )
    require_own(options)
    if rehearses:
        return rehearse_rollout(rollout, options, named, complete, chosen["json_path"])
    if chosen["migrate"]:
        return migrate_members(options, named, complete, chosen["json_path"])
    ready = complete(options.members)
    fetch_releases(options, fetch=fetch)
    if chosen["bootstrap"] is not None:
        _agree(options, chosen["bootstrap"], yes=chosen["yes"])
    with bar("playing", None if read else chosen["histories"]) as progress:
        result = live(options, ready, lambda done, words: progress(done, words))
    present(result.to_json(), lambda: described_view(live_described(result)), chosen["json_path"])
    _write_page(result)
    return result.exit_code


def _write_page(result: LiveResult) -> None:
    """Write the page of the result next to its scripts and recordings."""
    from kassay.report.described_runs import live_described
    from kassay.report.pages.blocks import render
    from kassay.writing.files import write_text

    again = typed_again(click.get_current_context())
    write_text(render(live_described(result), again), str(Path(result.folder) / "live.html"))


def _with_jars(named: ClientPrograms, release: str, fetch: bool) -> ClientPrograms:
    """The programs with the jars of the broker, which kassay's own helper needs too.

    Wrong options come before a missing Java, and a missing Java before a download.
    """
    from dataclasses import replace

    from kassay.engines.genuine.jars import broker_jars, kafka_home
    from kassay.engines.jars.java import find_java

    if fetch:
        find_java("kassay live", "java")
    jars = broker_jars(release, home=kafka_home(), fetch=fetch)
    find_java("kassay live", "java")
    return replace(named, jars=jars)


def _shape(brokers: str | None, settings: Mapping[str, str], has_script: bool) -> BrokerShape:
    """The brokers that the options want; raises `InputError`."""
    from kassay.engines.live.brokers import BrokerShape
    from kassay.model.errors import InputError

    if has_script and brokers:
        raise InputError("--brokers: a script has them in [brokers] and [[member]]")
    racks = () if brokers is None or brokers.isdigit() else commas(brokers, "--brokers") or ()
    number = str(len(racks)) if racks else brokers or "1"
    if number not in ("1", "3"):
        raise InputError(f"--brokers {brokers}: expected 1 or 3, or as many racks such as a,b,c")
    return BrokerShape(int(number), racks, settings=settings)


def _upgrade(
    seats: Sequence[LiveSeat], shape: BrokerShape, release: str, upgrade_to: str
) -> tuple[LiveScript, ...]:
    """The scripts of a rolling upgrade, one for each type of group; raises `InputError`."""
    from kassay.engines.live.script import require_release
    from kassay.engines.live.upgrade import upgrade_scripts
    from kassay.model.errors import InputError

    if not seats:
        raise InputError("--upgrade-to: expected --clients with it")
    require_release(upgrade_to, "--upgrade-to")
    return upgrade_scripts(seats, shape, release, upgrade_to)


def _own(programs: tuple[str, ...]) -> dict[str, list[str]]:
    """The own client programs by name; raises `InputError`."""
    from kassay.engines.live.clients import LIBRARIES
    from kassay.model.errors import InputError

    own = {}
    for name, words in pairs(programs, "--program").items():
        try:
            own[name] = shlex.split(words)
        except ValueError as error:
            raise InputError(f"--program {name}: {error}, expected a command line") from None
        if not own[name] or name in LIBRARIES or not name.replace("-", "").isalnum() or not name.islower():
            raise InputError(f"--program {name}: expected a new lower-case name and a command")
    return own


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
