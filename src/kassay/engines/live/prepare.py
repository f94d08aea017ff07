"""What a run of live histories wants, from plain values: brokers, members, scripts and programs."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from kassay.engines.genuine import jars
from kassay.engines.jars import java
from kassay.engines.live.brokers import COUNTS, BrokerShape
from kassay.engines.live.clients import LIBRARIES, ClientPrograms
from kassay.engines.live.run import LiveOptions, require_own, require_programs
from kassay.engines.live.script import LiveScript, LiveSeat, read_script, require_release
from kassay.engines.live.upgrade import upgrade_scripts
from kassay.model.errors import InputError

ASSIGNORS: Final = "group.consumer.assignors"
"""A jar as the value of this property is loaded into the brokers, and its assignors are set."""


def prepared(
    clients: Sequence[str],
    script: str | None,
    programs: Mapping[str, str],
    *,
    histories: int,
    release: str,
    upgrade_to: str | None,
    brokers: int | Sequence[str] | None,
    config: Mapping[str, str],
    bootstrap: str | None,
    seed: int,
) -> tuple[LiveOptions, ClientPrograms]:
    """What to play, and the programs by name, without jars; raises `InputError`.

    `clients` are specs of members, `programs` command lines of own clients by name. `brokers`: how many, or
    the rack of each.
    """
    named = ClientPrograms(_own(programs), (), release)
    seats = named.seats(clients) if clients else ()
    settings = dict(config)
    assignor = Path(settings.pop(ASSIGNORS)) if settings.get(ASSIGNORS, "").endswith(".jar") else None
    wanted = brokers if brokers is not None else 3 if upgrade_to else 1
    if script is not None and (brokers is not None or upgrade_to):
        raise InputError("--brokers: a script has them in [brokers] and [[member]]")
    shape = _shape(wanted, settings)
    scripts: tuple[LiveScript, ...] = () if script is None else (read_script(script),)
    if upgrade_to is not None:
        if not seats:
            raise InputError("--upgrade-to: expected --clients with it")
        require_release(upgrade_to, "--upgrade-to")
        scripts = upgrade_scripts(seats, shape, release, upgrade_to)
    options = LiveOptions(
        seats,
        scripts[0] if scripts else None,
        scripts[1:],
        histories,
        None,
        seed,
        bootstrap=bootstrap,
        cluster=shape,
        assignor=assignor,
    )
    require_own(options)
    return options, named


def ready_programs(named: ClientPrograms, members: Sequence[LiveSeat], *, fetch: bool) -> ClientPrograms:
    """The programs with the jars of the broker, and with what the members need; raises `InputError`.

    A missing Java comes before a download.
    """
    if fetch:
        java.find_java("a broker", "java")
    needed = jars.broker_jars(named.release, home=jars.kafka_home(), fetch=fetch)
    java.find_java("a broker", "java")
    ready = replace(named, jars=needed)
    if fetch:
        ready.fetch(members)
    require_programs(ready, members)
    return ready


def _shape(brokers: int | Sequence[str], settings: Mapping[str, str]) -> BrokerShape:
    """The brokers that are wanted; raises `InputError`."""
    count = brokers if isinstance(brokers, int) else len(brokers)
    racks = () if isinstance(brokers, int) else tuple(brokers)
    if count not in COUNTS:
        raise InputError(
            f"--brokers {','.join(racks) or count}: expected 1 or 3, or as many racks such as a,b,c"
        )
    return BrokerShape(count, racks, settings=settings)


def _own(programs: Mapping[str, str]) -> dict[str, list[str]]:
    """The own client programs by name; raises `InputError`."""
    own = {}
    for name, words in programs.items():
        try:
            own[name] = shlex.split(words)
        except ValueError as error:
            raise InputError(f"--program {name}: {error}, expected a command line") from None
        if not own[name] or name in LIBRARIES or not name.replace("-", "").isalnum() or not name.islower():
            raise InputError(f"--program {name}: expected a new lower-case name and a command")
    return own
