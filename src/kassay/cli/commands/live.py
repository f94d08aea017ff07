"""Play histories with real clients on a genuine broker, and judge what the clients report."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kassay.cli import completing
from kassay.cli.migrating import migrate_members
from kassay.cli.options import Duration, FilePath, commas, json_option, present, say, seed_option
from kassay.cli.rehearsing import Rehearsing, rehearse_rollout

if TYPE_CHECKING:
    from kassay.certify.live.brokers import BrokerShape
    from kassay.certify.live.clients import ClientPrograms
    from kassay.certify.live.run import LiveOptions
    from kassay.certify.live.script import LiveScript, LiveSeat

PLACE = 340
HISTORIES = 3


@click.command("live", epilog="Example: kassay live --fetch --clients java:range*2,librdkafka:range")
@click.argument("files", nargs=-1, metavar="[FILE...]", shell_complete=completing.file)
@click.option("--rehearse", is_flag=True, help="Rehearse a rollout for the group in the FILEs.")
@click.option("--group", metavar="NAME", help="Rehearse for this group of several.")
@click.option(
    "--from", "start", metavar="TARGET", shell_complete=completing.target, help="Set the present assignor."
)
@click.option(
    "--to", "goal", metavar="TARGET", shell_complete=completing.target, help="Roll out this assignor."
)
@click.option(
    "--client", metavar="LIBRARY", shell_complete=completing.client, help="Set its library.  [default: java]"
)
@click.option(
    "--to-client", metavar="LIBRARY", shell_complete=completing.client, help="Roll out this library instead."
)
@click.option("--release", default="4.4.0", show_default=True, help="Set the release of the broker.")
@click.option("--kafka-home", type=FilePath(), metavar="DIR", help="Use the jars of this distribution.")
@click.option("--fetch", is_flag=True, help="Download what is missing (jars, packages), once.")
@click.option("--brokers", type=click.Choice(["1", "3"]), help="Start so many brokers.  [default: 1]")
@click.option("--upgrade-to", metavar="RELEASE", help="Upgrade the brokers to this release, and back.")
@click.option("--migrate", is_flag=True, help="Change the members' protocol under each policy, and back.")
@click.option("--racks", metavar="RACK,...", help="Place brokers and members in these racks in turn.")
@click.option(
    "--broker-assignor", type=FilePath(), metavar="JAR", help="Load this jar's assignors into the brokers."
)
@click.option(
    "--broker-config",
    "configs",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set this in the brokers; repeatable.",
)
@click.option("--bootstrap-server", metavar="HOST:PORT", help="Use this cluster for tests instead.")
@click.option("--yes", is_flag=True, help="Do not ask before using that cluster.")
@click.option("--clients", metavar="SPEC,...", help="Set the members, e.g. java:range*2,librdkafka:range.")
@click.option(
    "--program", "programs", multiple=True, metavar="NAME=COMMAND", help="Add an own client; repeatable."
)
@click.option(
    "--histories", type=click.IntRange(1), default=HISTORIES, show_default=True, help="Play this many."
)
@click.option("--time", "seconds", type=Duration(), help="Start no further history after this time.")
@click.option("--script", type=FilePath(), metavar="FILE", help="Play this script instead.")
@click.option(
    "--again",
    type=click.IntRange(0, 20),
    default=4,
    show_default=True,
    help="Replay a script that breaks a claim.",
)
@click.option("--no-shrink", is_flag=True, help="Do not look for a smaller script.")
@click.option("--clean", is_flag=True, help="End and remove what earlier runs left, and exit.")
@seed_option
@json_option
def command(
    files: tuple[str, ...],
    rehearse: bool,
    group: str | None,
    start: str | None,
    goal: str | None,
    client: str | None,
    to_client: str | None,
    release: str,
    kafka_home: Path | None,
    fetch: bool,
    brokers: str | None,
    upgrade_to: str | None,
    migrate: bool,
    racks: str | None,
    broker_assignor: Path | None,
    configs: tuple[str, ...],
    bootstrap_server: str | None,
    yes: bool,
    clients: str | None,
    programs: tuple[str, ...],
    histories: int,
    seconds: float | None,
    script: Path | None,
    again: int,
    no_shrink: bool,
    clean: bool,
    seed: int,
    json_path: str | None,
) -> int:
    """Play histories with real clients on a genuine broker, and judge what the clients report.

    Starts a broker of its own on the loopback, and ends all that it starts. Exits with 1 if a claim is
    violated, with 3 if a claim could never be judged.
    """
    if clean:
        return _clean()
    from kassay.certify.live.clients import ClientPrograms
    from kassay.certify.live.run import LiveOptions, fetch_releases, live, require_own, require_programs
    from kassay.certify.live.script import read_script
    from kassay.model.errors import InputError
    from kassay.report.screen.console import bar
    from kassay.report.screen.live import live_view

    rollout = Rehearsing(files, group, start, goal, client, to_client)
    if not rehearse and not rollout.is_empty:
        raise InputError("FILE, --group, --from, --to, --client, --to-client: expected --rehearse with them")
    if (clients is not None) + (script is not None) + rehearse != 1:
        raise InputError(
            "expected one of --clients, such as java:range*2,librdkafka:range, --script FILE and --rehearse"
        )
    own = _own(programs)
    named = ClientPrograms(own, (), release)
    seats = named.seats(commas(clients, "--clients") or ()) if clients is not None else ()
    shape = _shape(brokers or (upgrade_to and "3"), racks, configs, script)
    read = read_script(str(script)) if script is not None else None
    more: tuple[LiveScript, ...] = ()
    if upgrade_to is not None:
        scripts = _upgrade(seats, shape, release, upgrade_to)
        read, more = scripts[0], scripts[1:]

    def complete(members: Sequence[LiveSeat]) -> ClientPrograms:
        """The programs with the jars of the broker, and with what the members need."""
        ready = _with_jars(named, release, kafka_home, fetch)
        if fetch:
            ready.fetch(members)
        require_programs(ready, members)
        return ready

    options = LiveOptions(
        seats,
        read,
        more,
        histories,
        seconds,
        seed,
        again,
        not no_shrink,
        bootstrap=bootstrap_server,
        cluster=shape,
        assignor=broker_assignor,
    )
    require_own(options)
    if rehearse:
        return rehearse_rollout(rollout, options, named, complete, json_path)
    if migrate:
        return migrate_members(options, named, complete, json_path)
    ready = complete(options.members)
    fetch_releases(options, fetch=fetch)
    if bootstrap_server is not None:
        _agree(options, bootstrap_server, yes=yes)
    with bar("playing", None if read else histories) as progress:
        result = live(options, ready, lambda done, words: progress(done, words))
    present(result.to_json(), lambda: live_view(result), json_path)
    return result.exit_code


def _with_jars(named: ClientPrograms, release: str, home: Path | None, fetch: bool) -> ClientPrograms:
    """The programs with the jars of the broker, which kassay's own helper needs too.

    Wrong options come before a missing Java, and a missing Java before a download.
    """
    from dataclasses import replace

    from kassay.certify.genuine.jars import broker_jars
    from kassay.certify.jars.java import find_java

    if fetch:
        find_java("kassay live", "java")
    jars = broker_jars(release, home=home, fetch=fetch)
    find_java("kassay live", "java")
    return replace(named, jars=jars)


def _shape(
    brokers: str | None, racks: str | None, configs: tuple[str, ...], script: Path | None
) -> BrokerShape:
    """The brokers that the options want; raises `InputError`."""
    from kassay.certify.live.brokers import BrokerShape
    from kassay.cli.options import pairs
    from kassay.model.errors import InputError

    if script is not None and (brokers or racks):
        raise InputError("--brokers, --racks: a script has them in [brokers] and [[member]]")
    return BrokerShape(
        int(brokers or 1), tuple(commas(racks, "--racks") or ()), settings=pairs(configs, "--broker-config")
    )


def _upgrade(
    seats: Sequence[LiveSeat], shape: BrokerShape, release: str, upgrade_to: str
) -> tuple[LiveScript, ...]:
    """The scripts of a rolling upgrade, one for each type of group; raises `InputError`."""
    from kassay.certify.live.script import require_release
    from kassay.certify.live.upgrade import upgrade_scripts
    from kassay.model.errors import InputError

    if not seats:
        raise InputError("--upgrade-to: expected --clients with it")
    require_release(upgrade_to, "--upgrade-to")
    return upgrade_scripts(seats, shape, release, upgrade_to)


def _own(programs: tuple[str, ...]) -> dict[str, list[str]]:
    """The own client programs by name; raises `InputError`."""
    from kassay.certify.live.clients import LIBRARIES
    from kassay.cli.options import pairs
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
    from kassay.certify.live.folder import clean
    from kassay.writing.text import counted

    done = clean()
    say(f"removed {counted(done.folders, 'run')}, ended {counted(done.processes, 'process')}")
    for run in done.busy:
        say(f"left alone: {run}, which still runs")
    return 0
