"""Client libraries: what `--clients` names, the strategies that each has, and how its program is started.

`--clients java@4.4.0:range*2,librdkafka:range,java:consumer/uniform`: a library, for Java a release, the
strategies joined by `+`, `consumer` with an assignor of the broker or another type of group, and how many
such members.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kassay.engines.genuine.jars import (
    NEWEST_RELEASE,
    STREAMS_JARS,
    broker_jars,
    class_path,
    jars_of,
)
from kassay.engines.jars.java import find_java
from kassay.engines.live.assignors import jar_of, own_assignor
from kassay.engines.live.group_types import PLAIN, SHARE, STREAMS, STREAMS_CLASSIC, TYPES, type_of
from kassay.engines.live.kits import KITS, fetch_program, kit_command
from kassay.engines.live.program import Protocol
from kassay.engines.live.script import MEMBERS_MAX, LiveSeat
from kassay.model.errors import InputError
from kassay.reading.documents import one_of, shown

CLASSES: Final = Path(__file__).parent / "java"
"""The folder of our classes, for the class path.

They are compiled for Java 17 against the jars of a broker 4.4.0 and of Kafka Streams 4.4.0:

    javac --release 17 -g:none -cp 'JARS/*:STREAMS/*' -d src/kassay/engines/live/java \\
        src/kassay/engines/live/java/kassay/live/*.java
"""
JVM: Final = (
    "-Xmx64m",
    "-Xss512k",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Xshare:auto",
)
CONSUMER: Final = "consumer"
FOUR: Final = ("range", "roundrobin", "sticky", "cooperative-sticky")


@dataclass(frozen=True)
class Library:
    """A client library: its strategies in classic groups, its consumer groups, and its program.

    `mains` are the classes of its programs by type of group, of Java. `module` and `package` are those of a
    Python library; `kit` is the toolchain of another one's program.
    """

    name: str
    strategies: tuple[str, ...]
    consumer: bool
    module: str = ""
    package: str = ""
    program: str = ""
    kit: str = ""
    mains: Mapping[str, str] = field(default_factory=dict)


LIBRARIES: Final[Mapping[str, Library]] = {
    each.name: each
    for each in (
        Library(
            "java",
            FOUR,
            consumer=True,
            mains={
                PLAIN: "Member",
                STREAMS: "StreamsMember",
                STREAMS_CLASSIC: "StreamsMember",
                SHARE: "ShareMember",
            },
        ),
        Library(
            "librdkafka",
            ("range", "roundrobin", "cooperative-sticky"),
            consumer=True,
            module="confluent_kafka",
            package="confluent-kafka",
            program="librdkafka",
        ),
        Library(
            "kafka-python",
            FOUR,
            consumer=False,
            module="kafka",
            package="kafka-python>=3",
            program="kafka_python",
        ),
        Library(
            "aiokafka",
            ("range", "roundrobin", "sticky"),
            consumer=False,
            module="aiokafka",
            package="aiokafka",
            program="aio",
        ),
        Library("kafkajs", ("roundrobin",), consumer=False, program="kafkajs", kit="node"),
        Library("platformatic", ("roundrobin",), consumer=True, program="platformatic", kit="node"),
        Library("franz-go", FOUR, consumer=True, program="franz", kit="go"),
        Library("sarama", FOUR, consumer=False, program="sarama", kit="go"),
        Library("segmentio", ("range", "roundrobin"), consumer=False, program="segmentio", kit="go"),
    )
}
_SPEC: Final = re.compile(
    r"(?P<name>[a-z][a-z0-9-]*)(?:@(?P<release>\d+\.\d+\.\d+))?:(?P<how>[^:*]+)(?:\*(?P<times>[1-9]\d?))?"
)
_CONSUMER_ALONE: Final = {"franz-go": ("uniform", "range")}
"""Assignors of the broker that a library can name, where it cannot name every one."""
_FORM: Final = "LIBRARY:STRATEGY, such as java:range*2 or librdkafka:cooperative-sticky"


@dataclass(frozen=True)
class ClientPrograms:
    """How programs are started: own ones by name, and Java's with these jars, which are of this release."""

    own: Mapping[str, Sequence[str]]
    jars: tuple[Path, ...] = ()
    release: str = NEWEST_RELEASE

    def command(self, seat: LiveSeat) -> list[str]:
        """The command line of a member; raises `InputError` with what is missing and what installs it."""
        name = seat.client.partition("@")[0]
        if name in self.own:
            return [*self.own[name]]
        library = self.library(name)
        if library.mains:
            java = find_java(f"the client {name}", "java").program
            own = [Path(jar) for jar in map(jar_of, seat.strategies) if jar]
            main = library.mains[type_of(seat).name]
            return [java, *JVM, "-cp", class_path(self._jars(seat), CLASSES, *own), f"kassay.live.{main}"]
        if library.kit:
            return kit_command(KITS[library.kit], name, library.program)
        require_installed(library)
        return [sys.executable, "-P", "-m", f"{__package__}.programs.{library.program}"]

    def _jars(self, seat: LiveSeat, *, fetch: bool = False) -> tuple[Path, ...]:
        """The jars of a member in Java; raises `InputError`."""
        release = self.release_of(seat)
        jars = self.jars if release == self.release else broker_jars(release, fetch=fetch)
        if type_of(seat).name not in (STREAMS, STREAMS_CLASSIC):
            return jars
        if any(each.name.startswith(STREAMS_JARS.marker) for each in jars):
            return jars  # those of a distribution
        return (*jars_of(STREAMS_JARS, release, fetch=fetch), *jars)

    def release_of(self, seat: LiveSeat) -> str:
        """The release of Kafka's own client that the member is."""
        return seat.client.partition("@")[2] or self.release

    def fetch(self, seats: Sequence[LiveSeat]) -> None:
        """Install the jars, and the programs in Node and Go, of these members; raises `InputError`."""
        for seat in {(seat.client, type_of(seat).name): seat for seat in seats}.values():
            library = LIBRARIES.get(seat.client.partition("@")[0])
            if library is None or library.name in self.own:
                continue
            if library.mains:
                self._jars(seat, fetch=True)
            if library.kit:
                fetch_program(KITS[library.kit], library.name, library.program)

    def loaded(self, seat: LiveSeat) -> tuple[str, ...]:
        """The strategies of a member as its program loads them; raises `InputError`."""
        client = seat.client.partition("@")[0]
        if client in self.own or seat.protocol == CONSUMER:
            return seat.strategies
        where = f"{seat.name} ({seat.client})"
        known = self.library(client).strategies
        return tuple(
            name if name in known else own_assignor(client, name, where) or name for name in seat.strategies
        )

    def library(self, name: str, where: str = "--clients") -> Library:
        """The library of this name; raises `InputError`, which begins with `where`."""
        if name not in LIBRARIES:
            raise InputError(f"{where} {name}: expected {one_of([*LIBRARIES, *self.own], name)}")
        return LIBRARIES[name]

    def seats(self, specs: Sequence[str]) -> tuple[LiveSeat, ...]:
        """The members of these specs, named m1, m2, ...; raises `InputError`."""
        seats: list[LiveSeat] = []
        for spec in specs:
            match = _SPEC.fullmatch(spec)
            if match is None:
                raise InputError(f"--clients {shown(spec)}: expected {_FORM}")
            strategies, protocol = self._how(match["name"], match["how"], spec)
            client = match["name"] + (f"@{match['release']}" if match["release"] else "")
            if match["release"] and match["name"] != "java":
                raise InputError(f"--clients {spec}: only java takes a release")
            for _ in range(int(match["times"] or 1)):
                seats.append(LiveSeat(f"m{len(seats) + 1}", client, strategies, protocol))
        if len(seats) > MEMBERS_MAX:
            raise InputError(f"--clients: {len(seats)} members, expected at most {MEMBERS_MAX}")
        return tuple(seats)

    def _how(self, name: str, how: str, spec: str) -> tuple[tuple[str, ...], Protocol]:
        """The strategies and the protocol that a spec names; raises `InputError`."""
        if how in TYPES and how != PLAIN:
            if name not in self.own and how not in self.library(name).mains:
                raise InputError(f"--clients {spec}: kassay's program of {name} has no {how} groups")
            protocol = TYPES[how].protocol
            return (() if how == protocol else (STREAMS,)), protocol
        if how == CONSUMER or how.startswith(f"{CONSUMER}/"):
            if name not in self.own and not self.library(name).consumer:
                raise InputError(f"--clients {spec}: kassay's program of {name} has no consumer groups")
            assignor = how.partition("/")[2]
            if assignor and assignor not in (able := _CONSUMER_ALONE.get(name, (assignor,))):
                raise InputError(f"--clients {spec}: {name} has {', '.join(able)}, not {assignor}")
            return tuple(filter(None, [assignor])), "consumer"
        strategies = tuple(how.split("+"))
        if name not in self.own:
            known = self.library(name).strategies
            for strategy in strategies:
                if strategy not in known and own_assignor(name, strategy, f"--clients {spec}") is None:
                    raise InputError(f"--clients {spec}: {name} has {', '.join(known)}, not {strategy}")
        return strategies, "classic"


def require_installed(library: Library) -> None:
    """Raises `InputError` with the command that installs the library's package if it is missing."""
    if importlib.util.find_spec(library.module) is None:
        raise InputError(
            f"the client {library.name} needs a package: expected `pip install '{library.package}'`, "
            "or `pip install 'kassay[clients]'` for all"
        )
