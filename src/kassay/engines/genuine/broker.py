"""A genuine broker of Kafka on the loopback, for tests and trials: started, used by Kafka's tools, ended.

Each process is broker and controller (KRaft), with as many listeners as are wanted, on free ports of
127.0.0.1 alone. Its folder is deleted afterwards, and it ends with its context. Memory:
384 MB of heap. Source: Kafka's `kafka.Kafka`, `StorageTool` and `config/server.properties`, 3.9 to 4.4.
"""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kassay.engines.genuine.jars import NEWEST_RELEASE, broker_jars, class_path, release_of
from kassay.engines.jars.java import find_java
from kassay.model.errors import InputError
from kassay.writing.files import write_text

CONTROLLER: Final = "CONTROLLER"
_JVM: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_CLUSTER_ID: Final = "kassayLiveKassayLiveQQ"
STARTED: Final = "Kafka Server started"
START_S: Final = 90.0
_FORMAT_S: Final = 180.0
_STOP_S: Final = 20.0
_SHOWN: Final = 1_500
_LOG4J: Final = "log4j.properties"
_LOG4J_SETTINGS: Final = """log4j.rootLogger=${kassay.log}, err
log4j.appender.err=org.apache.log4j.ConsoleAppender
log4j.appender.err.target=System.err
log4j.appender.err.layout=org.apache.log4j.SimpleLayout
"""
"""What a broker of 3.x logs; later ones use SLF4J's own binding."""
TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    "kafka-acls": ("org.apache.kafka.tools.AclCommand", "kafka.admin.AclCommand"),
    "kafka-consumer-groups": ("org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",),
    "kafka-storage": ("org.apache.kafka.tools.StorageTool", "kafka.tools.StorageTool"),
    "kafka-topics": ("org.apache.kafka.tools.TopicCommand",),
    "kafka-dump-log": ("org.apache.kafka.tools.DumpLogSegments", "kafka.tools.DumpLogSegments"),
    "kafka-reassign-partitions": ("org.apache.kafka.tools.reassign.ReassignPartitionsCommand",),
    "kafka-console-consumer": ("org.apache.kafka.tools.consumer.ConsoleConsumer",),
    "kafka-console-producer": ("org.apache.kafka.tools.ConsoleProducer",),
    "kafka-leader-election": ("org.apache.kafka.tools.LeaderElectionCommand",),
    "kafka-features": ("org.apache.kafka.tools.FeatureCommand",),
    "kafka-groups": ("org.apache.kafka.tools.GroupsCommand",),
    "kafka-console-share-consumer": ("org.apache.kafka.tools.consumer.ConsoleShareConsumer",),
}
"""The main class of each tool, the newest home first."""


@dataclass(frozen=True)
class GenuineBroker:
    """A broker: its jars, its folder, the port of each listener by name, and its id."""

    release: str
    jars: tuple[Path, ...]
    folder: Path
    ports: Mapping[str, int]
    node: int = 1

    def address(self, listener: str) -> str:
        """Host and port of a listener."""
        return f"127.0.0.1:{self.ports[listener]}"

    @property
    def properties(self) -> Path:
        """The file of its settings."""
        return self.folder / "server.properties"

    @property
    def server_command(self) -> list[str]:
        """The command line that starts the broker; it logs to standard error."""
        return _java(self, "kafka.Kafka", [str(self.properties)], heap="384m", level="info")

    def command(self, tool: str, *arguments: str) -> list[str]:
        """The command line of one of Kafka's tools."""
        return _java(self, _main_class(self.jars, tool), arguments, heap="128m", level="error")

    def tool(self, tool: str, *arguments: str, stdin: str = "", timeout_s: float = 120.0) -> str:
        """What a tool prints; it may have failed with exit code 0, and says so only there."""
        command = self.command(tool, *arguments)
        try:
            done = subprocess.run(
                command, input=stdin, text=True, capture_output=True, check=False, timeout=timeout_s
            )
        except subprocess.TimeoutExpired:
            raise InputError(
                f"Kafka {self.release}: {tool} took over {timeout_s:.0f} s, expected a quieter machine"
            ) from None
        return done.stdout + done.stderr


def _main_class(jars: Iterable[Path], tool: str) -> str:
    """The main class of the tool that these jars have; raises `InputError`."""
    import zipfile

    names: set[str] = set()
    for jar in jars:
        if jar.name.startswith(("kafka_", "kafka-tools", "kafka-server")):
            with zipfile.ZipFile(jar) as opened:
                names.update(opened.namelist())
    for main in TOOLS[tool]:
        if f"{main.replace('.', '/')}.class" in names:
            return main
    raise InputError(f"{tool}: these jars of Kafka do not have it")


def _java(broker: GenuineBroker, main: str, arguments: Iterable[str], *, heap: str, level: str) -> list[str]:
    """A command line of Java."""
    java = find_java("a broker", "java").program
    log = [f"-Dorg.slf4j.simpleLogger.defaultLogLevel={level}", f"-Dkassay.log={level.upper()}"]
    log.append(f"-Dlog4j.configuration=file:{broker.folder / _LOG4J}")
    return [java, f"-Xmx{heap}", *_JVM, *log, "-cp", class_path(broker.jars), main, *arguments]


def _free_ports(count: int) -> list[int]:
    """Ports of the loopback that are free now."""
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in opened]


def _protocols(release: str) -> str:
    """The protocols of groups that a broker of the release has, early ones included; features decide, too."""
    return "classic,consumer" + (",streams" if release_of(release) >= (4, 1) else "")


def _properties(
    broker: GenuineBroker, listeners: Mapping[str, str], quorum: Mapping[str, str], more: Mapping[str, str]
) -> str:
    """`server.properties`: `listeners` gives each its security protocol, `quorum` names the controllers."""
    advertised = [f"{name}://{broker.address(name)}" for name in listeners]
    protocols = [f"{name}:{protocol}" for name, protocol in listeners.items()]
    settings = {
        "process.roles": "broker,controller",
        "node.id": str(broker.node),
        **quorum,
        "listeners": ",".join([*advertised, f"{CONTROLLER}://{broker.address(CONTROLLER)}"]),
        "advertised.listeners": ",".join(advertised),
        "inter.broker.listener.name": next(iter(listeners)),
        "controller.listener.names": CONTROLLER,
        "listener.security.protocol.map": ",".join([*protocols, f"{CONTROLLER}:PLAINTEXT"]),
        "log.dirs": str(broker.folder / "data"),
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "1",
        "group.initial.rebalance.delay.ms": "0",
        "group.coordinator.rebalance.protocols": _protocols(broker.release),
        "num.network.threads": "1",
        "num.io.threads": "2",
        "auto.create.topics.enable": "false",
        "log.cleaner.dedupe.buffer.size": "2097152",  # the default takes 128 MB of the heap
        **more,
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())


@contextmanager
def genuine_broker(
    listeners: Mapping[str, str],
    *,
    release: str = NEWEST_RELEASE,
    fetch: bool = False,
    settings: Mapping[str, str] | None = None,
    format_options: Iterable[str] = (),
) -> Iterator[GenuineBroker]:
    """A broker that is up within the context; `listeners` maps names to security protocols.

    Raises `InputError` if jars or Java are missing, or if it does not start.
    """
    jars = broker_jars(release, fetch=fetch)
    with tempfile.TemporaryDirectory(prefix="kassay-broker-") as name:
        broker = formatted_broker(
            listeners, jars, Path(name), release=release, settings=settings, format_options=format_options
        )
        with _running(broker):
            yield broker


def formatted_broker(
    listeners: Mapping[str, str],
    jars: tuple[Path, ...],
    folder: Path,
    *,
    release: str = NEWEST_RELEASE,
    settings: Mapping[str, str] | None = None,
    format_options: Iterable[str] = (),
) -> GenuineBroker:
    """A broker that is not running: its settings and its formatted log in the folder, its ports free ones.

    Raises `InputError` without Java, or if the folder cannot be formatted.
    """
    ports = dict(zip([*listeners, CONTROLLER], _free_ports(len(listeners) + 1), strict=True))
    broker = GenuineBroker(release, jars, folder, ports)
    quorum = {"controller.quorum.bootstrap.servers": broker.address(CONTROLLER)}
    _format(broker, listeners, quorum, settings or {}, ["--standalone", *format_options])
    return broker


def formatted_brokers(
    listeners: Mapping[str, str],
    jars: tuple[Path, ...],
    folder: Path,
    settings: Sequence[Mapping[str, str]],
    *,
    release: str = NEWEST_RELEASE,
    format_options: Sequence[str] = (),
) -> tuple[GenuineBroker, ...]:
    """As many brokers as there are settings, formatted and not running, each in a folder of its own.

    Each of several is a controller too, so that any one of them can stop. Raises `InputError` as
    `formatted_broker` does.
    """
    if len(settings) == 1:
        only = settings[0]
        return (
            formatted_broker(
                listeners, jars, folder, release=release, settings=only, format_options=format_options
            ),
        )
    names = [*listeners, CONTROLLER]
    count = len(settings)
    free = _free_ports(len(names) * count)
    ports = [dict(zip(names, free[first::count])) for first in range(count)]
    brokers = tuple(
        GenuineBroker(release, jars, folder / str(node), own, node) for node, own in enumerate(ports, start=1)
    )
    voters = ",".join(f"{each.node}@{each.address(CONTROLLER)}" for each in brokers)
    quorum = {"controller.quorum.voters": voters}
    with ThreadPoolExecutor() as pool:
        done = pool.map(
            lambda each, more: _format(each, listeners, quorum, more, format_options), brokers, settings
        )
        list(done)
    return brokers


def _format(
    broker: GenuineBroker,
    listeners: Mapping[str, str],
    quorum: Mapping[str, str],
    more: Mapping[str, str],
    format_options: Iterable[str],
) -> None:
    """Write the broker's settings and format its log; raises `InputError`."""
    broker.folder.mkdir(parents=True, exist_ok=True)
    write_text(_LOG4J_SETTINGS, str(broker.folder / _LOG4J))
    write_text(_properties(broker, listeners, quorum, more), str(broker.properties))
    options = ["format", "--cluster-id", _CLUSTER_ID, "--config", str(broker.properties)]
    try:
        output = broker.tool("kafka-storage", *options, *format_options, timeout_s=_FORMAT_S)
    except subprocess.TimeoutExpired:
        output = f"no end within {_FORMAT_S:.0f} s"
    if not (broker.folder / "data" / "meta.properties").exists():
        release = broker.release
        raise InputError(f"Kafka {release}: the broker's folder was not formatted: {output[-_SHOWN:]}")


@contextmanager
def _running(broker: GenuineBroker) -> Iterator[None]:
    """The process of the broker, up; ended at the end."""
    log = broker.folder / "broker.log"
    command = broker.server_command
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True, env=os.environ
        )
    try:
        end = time.monotonic() + START_S
        while STARTED not in (text := log.read_text("utf-8", "replace")):
            if process.poll() is not None or time.monotonic() > end:
                raise InputError(f"Kafka {broker.release}: the broker did not start: {text[-_SHOWN:]}")
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
