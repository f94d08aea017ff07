"""Classes in jars, one Java process per class path: users' classes, and assignors of Kafka's own client."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kassay.assignors import registry
from kassay.engines.jars.classes import candidates, is_configurable, require_kafka
from kassay.engines.jars.java import find_java, shim_command
from kassay.engines.processes.host import Start
from kassay.engines.processes.programs.host import ProgramHost
from kassay.engines.processes.programs.program import Program
from kassay.engines.targets.resolve import (
    Meta,
    Offer,
    Request,
    Target,
    Way,
    digest_of,
    loading,
    protocols,
    sources_in,
)
from kassay.model.errors import InputError, TargetNotFound
from kassay.reading.documents import suggestion
from kassay.reading.jars import ClassPath
from kassay.reading.specs import JAR, Inside, RuleSpec, parse

CLIENTS: Final = "kafka-clients"
CLIENTS_VARIABLE: Final = "KASSAY_KAFKA_CLIENTS"
"""The environment variable for the jar of Kafka's client, with further jars after colons."""
_EXPECTED: Final = ("jar:PATHS!CLASS", f"{CLIENTS}:NAME[@JAR]")
_ASSIGNORS: Final = {
    name: f"org.apache.kafka.clients.consumer.{simple}Assignor"
    for name, simple in (
        ("range", "Range"),
        ("roundrobin", "RoundRobin"),
        ("sticky", "Sticky"),
        ("cooperative-sticky", "CooperativeSticky"),
    )
}
"""The client's own assignors by the names of their rules."""
_OF_CLIENTS: Final = "org.apache.kafka.common.TopicPartition"
_OF_LOGGING: Final = "org.slf4j.LoggerFactory"
_SHOWN: Final = 8
"""The maximum number of a jar's classes to list if the requested one is missing."""


@dataclass(frozen=True)
class JarOpener:
    """Starts a Java process that makes objects of a class."""

    label: str
    java: str
    paths: tuple[str, ...]
    class_name: str

    @property
    def repeats(self) -> bool:
        """Whether objects give the same answers in every host: those in a child process do."""
        return True

    def __call__(self, start: Start, *, apart: bool) -> ProgramHost:  # noqa: ARG002
        """The Java process as a child under limits."""
        argv = shim_command(
            self.java,
            self.paths,
            self.class_name,
            protocol=start.protocol,
            memory_mib=start.limits.memory_mib,
        )
        program = Program(
            argv,
            label=self.label,
            name=self.class_name.rpartition(".")[2],
            class_name=self.class_name,
            expected=f"what a Java from 11 on ({self.java}) loads from its class path and {CLIENTS_VARIABLE}",
        )
        return ProgramHost(program, start)


def resolve(request: Request) -> Target | None:
    """The class that the spec names, of which one object was made; None for a spec of another form."""
    spec = parse(request.spec)
    if isinstance(spec, Inside) and spec.scheme == JAR:
        with loading(request.spec):
            paths, name = _with_client(spec.places), _class_of(request.spec, spec)
        return _target(request, paths, name, spec.places)
    if isinstance(spec, RuleSpec) and spec.prefix == CLIENTS:
        if spec.name not in _ASSIGNORS:
            hint = suggestion(spec.name, _ASSIGNORS)
            raise TargetNotFound(
                f"{request.spec}: expected {CLIENTS}: and one of {', '.join(_ASSIGNORS)}{hint}"
            )
        with loading(request.spec):
            paths = _with_client([spec.at] if spec.at else [])
        if not paths:
            raise TargetNotFound(
                f"{request.spec}: no jar of Kafka's client, expected {CLIENTS}:{spec.name}@JAR "
                f"or a jar named by {CLIENTS_VARIABLE}"
            )
        reference = registry.find(spec.name)
        assert reference is not None, "kassay has each of them"
        return _target(request, paths, _ASSIGNORS[spec.name], paths, spec.rule, reference.claims)
    return None


def _target(
    request: Request,
    paths: Sequence[str],
    class_name: str,
    sources: Sequence[str],
    name: str = "",
    claims: tuple[str, ...] = (),
) -> Target:
    """The class as a target with these sources; raises `TargetNotFound` and `TargetNotLoadable`."""
    with loading(request.spec):
        java = find_java("a class of a jar", "java").program
        class_path = ClassPath(paths)
        require_kafka(request.spec, class_path, class_name, CLIENTS_VARIABLE)
        configures = is_configurable(class_name, class_path)
    absolute = tuple(os.path.abspath(path) for path in paths)  # noqa: PTH100  # resolves no link
    opener = JarOpener(request.spec, java, absolute, class_name)
    with opener(request.start, apart=True) as host:
        hello, introduced = host.hello, host.introduced()
    table = {part: getattr(hello, part) for part in ("kind", "level", "protocol", "claims", "assumes")}
    meta = Meta.of(f"{request.spec}: hello", table)
    supported = protocols(request.spec, introduced.protocols)
    return Target(
        spec=request.spec,
        name=name or introduced.name or hello.name,
        kind=meta.kind,
        opener=opener,
        protocol=request.speaks(supported) if supported else request.protocol or meta.protocol,
        claims=claims or meta.claims,
        assumes=meta.assumes,
        digest=digest_of(sources),
        sources=sources_in(sources),
        start=request.start,
        configures=configures,
        is_program=True,
        level=meta.level,
        versions=tuple(sorted(hello.versions.items())),
    )


def _class_of(label: str, spec: Inside) -> str:
    """The full name of the requested class; raises `TargetNotFound`, and `InputError` for a bad jar."""
    class_path = ClassPath(spec.places)
    if spec.name is None:
        names = [candidate.name for candidate in candidates(spec.places)]
        if len(names) == 1:
            return names[0]
        raise TargetNotFound(f"{label}: {_listed(names)}, expected {_EXPECTED[0]}")
    if class_path.find(spec.name):
        return spec.name
    nested = spec.name.replace(".", "$")
    names = [
        name
        for jar in class_path.jars
        for name in jar.names
        if name == nested or name.endswith((f".{nested}", f"${nested}"))
    ]
    if not names:
        there = [candidate.name for candidate in candidates(spec.places)]
        hint = suggestion(spec.name, there) or suggestion(spec.name, (n.rpartition(".")[2] for n in there))
        raise TargetNotFound(f"{label}: there is no class {spec.name!r}{hint}; {_listed(there)}")
    if len(set(names)) > 1:
        raise TargetNotFound(f"{label}: {', '.join(sorted(set(names)))} are called so, expected one of them")
    return names[0]


def _listed(names: Sequence[str]) -> str:
    """The testable classes of the first jar, in words."""
    if not names:
        return "the first jar has no class that kassay can test"
    more = len(names) - _SHOWN
    return f"the first jar holds {', '.join(names[:_SHOWN])}" + (f" and {more} more" if more > 0 else "")


def _with_client(paths: Sequence[str]) -> tuple[str, ...]:
    """The complete class path: with Kafka's client if the environment names it, and its logging library."""
    class_path = ClassPath(paths)
    named = [path for path in os.environ.get(CLIENTS_VARIABLE, "").split(os.pathsep) if path]
    if named and not class_path.find(_OF_CLIENTS):
        class_path = ClassPath([*paths, *named])
    paths = [jar.path for jar in class_path.jars]
    if class_path.find(_OF_LOGGING) is None:
        holders = [Path(jar.path).parent for jar in class_path.jars if jar.find(_OF_CLIENTS)]
        paths += [str(path) for folder in holders[:1] for path in sorted(folder.glob("slf4j-api-*.jar"))[-1:]]
    return tuple(paths)


def _offers() -> list[Offer]:
    """The assignors of Kafka's own client."""
    references = registry.load_all()
    return [
        Offer(
            f"{CLIENTS}:{name}",
            references[name].kind,
            references[name].protocol,
            references[name].claims,
            f"The {name} of Kafka's own client.",
            _ASSIGNORS[name],
            _missing,
        )
        for name in _ASSIGNORS
    ]


def _missing() -> str:
    """What is missing and how to install it, in one line; empty if nothing is."""
    try:
        if not _with_client([]):
            return f"no jar of Kafka's client: ./dev jars fetches one, {CLIENTS_VARIABLE} names it"
        find_java(CLIENTS, "java")
    except InputError as error:
        return str(error)
    return ""


WAY = Way(25, lambda: _EXPECTED, resolve, lambda: [f"{CLIENTS}:{name}" for name in _ASSIGNORS], _offers)
