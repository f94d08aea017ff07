"""Resolves what a user writes to a target that can be called.

range, placement:striped                a reference, in this process
kafka-python:sticky                     a client library, in this process
mixed:SPEC,SPEC                         one group of several of these
exec:COMMAND                            any program, as a child process
jar:PATHS!CLASS, kafka-clients:sticky   a class of a jar, in a Java as a child process
node:PACKAGE!EXPORT, kafkajs:roundrobin an assigner of npm, in a Node as a child process
path/file.py[:Name], pkg.mod[:Name]     a Python class, in a child process by default
NAME                                    an entry point of the group `kassay.targets`
"""

from __future__ import annotations

import importlib
import pkgutil
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Protocol

from kassay.engines.processes.host import LIMITS, START, Host, Limits, Start
from kassay.model.errors import InputError, TargetNotFound, TargetNotLoadable
from kassay.model.kinds import Kind, RebalanceProtocol, every_kind, kind_called
from kassay.model.surroundings import Surroundings
from kassay.properties.assumptions import parse_assumptions
from kassay.properties.claims import parse_claim
from kassay.properties.registry import SENDS_NO_GENERATIONS
from kassay.reading.documents import at, is_file, suggestion, wrong
from kassay.reading.values import read_as

Level = Literal["process", "member"]
"""What a task assignor assigns tasks to."""

ORDINARY: Final = "assignor"
"""The kind of a target that declares none."""


class Opener(Protocol):
    """Makes hosts for a target's objects in any process; it can be pickled."""

    @property
    def repeats(self) -> bool:
        """Whether objects give the same answers in every host: they live in a child, or are kassay's own."""

    def __call__(self, start: Start, *, apart: bool) -> Host:
        """A host; `apart`: in a process with the start's hash seed. Raises `TargetNotLoadable`."""


@dataclass(frozen=True)
class Target:
    """One target under test; it can be pickled and opened in another process.

    `claims` are the declared ones, without validity. `digest` is the SHA-256 of the source if it has files,
    `sources` are their paths; `versions` are those of its other parts. `configures`: its objects accept a
    configuration. `is_program`: they live in a separate program, never in this process. `level` is that of a
    task assignor: process or member. `parts` are the specs of the implementations in its groups, if several.
    `sends_generations`: its members send the generation of their owned partitions. `alike_by_rack`: a placer
    that uses only the order of broker ids within each rack.
    """

    spec: str
    name: str
    kind: Kind
    opener: Opener
    protocol: RebalanceProtocol = RebalanceProtocol.EAGER
    claims: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    digest: str | None = None
    sources: tuple[str, ...] = ()
    start: Start = START
    versions: tuple[tuple[str, str], ...] = ()
    configures: bool = True
    is_program: bool = False
    level: Level = "process"
    parts: tuple[str, ...] = ()
    sends_generations: bool = True
    alike_by_rack: bool = False

    @property
    def traits(self) -> frozenset[str]:
        """The traits of the target that rule situations out."""
        return frozenset() if self.sends_generations else frozenset({SENDS_NO_GENERATIONS})

    def open(self, *, hash_seed: int | None = None, surroundings: Surroundings | None = None) -> Host:
        """A host of the target's objects; a context manager.

        With a hash seed or surroundings, a child process with these, even for objects that otherwise live in
        this process. Raises `TargetNotLoadable` if the target no longer loads.
        """
        seed = hash_seed if surroundings is None or surroundings.hash_seed is None else surroundings.hash_seed
        start = replace(self.start, hash_seed=seed or 0, protocol=self.protocol, surroundings=surroundings)
        return self.opener(start, apart=hash_seed is not None or surroundings is not None)


PYTHON: Final = ("python", platform.python_version())
"""The version of Python that runs a target's code."""


def sources_in(files: Iterable[str]) -> tuple[str, ...]:
    """Those of the paths that are files."""
    return tuple(filter(is_file, files))


def digest_of(files: Iterable[str]) -> str | None:
    """The SHA-256 of the files' concatenated bytes; None if none can be read."""
    digest, size = sha256(), 0
    for file in filter(is_file, files):
        with suppress(OSError), Path(file).open("rb") as stream:
            while part := stream.read(1 << 20):
                digest.update(part)
                size += len(part)
    return digest.hexdigest() if size else None


@dataclass(frozen=True)
class Request:
    """The arguments of `resolve`."""

    spec: str
    in_process: bool
    start: Start
    protocol: RebalanceProtocol | None

    def speaks(self, supported: tuple[RebalanceProtocol, ...]) -> RebalanceProtocol:
        """The protocol for a target that supports only these; the first unless the user requested one."""
        if self.protocol is None:
            return supported[0]
        if self.protocol not in supported:
            names = " and ".join(supported)
            raise InputError(f"{self.spec}: speaks {names} only, got --protocol {self.protocol}")
        return self.protocol


class Offer(NamedTuple):
    """An implementation that users know by name; it may be missing on this machine.

    `missing` says in one line what is missing and how to install it; empty if the target can be opened.
    """

    spec: str
    kind: Kind
    protocol: RebalanceProtocol
    claims: tuple[str, ...]
    summary: str
    source: str
    missing: Callable[[], str]


def _offers_nothing() -> Sequence[Offer]:
    return ()


class Way(NamedTuple):
    """A way to resolve specs: the form that it expects, and suggestions for misspelled specs.

    `resolve` returns None for a spec of another form. Ways are tried in the order of their places. `offers`
    are the third-party implementations that the way opens by name, installed or not.
    """

    place: int
    expected: Callable[[], Sequence[str]]
    resolve: Callable[[Request], Target | None]
    names: Callable[[], Sequence[str]]
    offers: Callable[[], Sequence[Offer]] = _offers_nothing


@dataclass(frozen=True)
class _MetaTable:
    """The keys of `META`, and those of a hello answer in addition to the program's own."""

    kind: str | None = None
    level: Level | None = None
    protocol: Literal["eager", "cooperative"] | None = None
    claims: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Meta:
    """The fields of a target's `META` or hello answer, validated like the command line."""

    kind: Kind
    protocol: RebalanceProtocol
    claims: tuple[str, ...]
    assumes: tuple[str, ...]
    level: Level = "process"

    @classmethod
    def of(cls, where: str, meta: Mapping[str, Any], *, default: Kind | None = None) -> Meta:
        """The validated values of the table; `default` is the kind of a table that names none.

        Without a default it is the kind of an ordinary assignor.

        Raises `TargetNotLoadable`, which names the place and the field, for an unknown key, a value of the
        wrong type, and an unknown kind, protocol, claim or assumption.
        """
        listed = {key: list(value) if isinstance(value, tuple) else value for key, value in meta.items()}
        try:
            table = read_as(_MetaTable, listed, where, closed=True)
            kind = _kind_of(table, where, default)
            if table.protocol == "cooperative" and not kind.speaks:
                raise InputError(f"{where}: protocol: found 'cooperative', but kind {kind} speaks none")
            for number, claim in enumerate(table.claims):
                with at(f"{where}: claims[{number}]"):
                    parse_claim(claim, kind)
            with at(f"{where}: assumes"):
                parse_assumptions(list(table.assumes), kind)
        except InputError as error:
            raise TargetNotLoadable(str(error)) from None
        return cls(
            kind=kind,
            protocol=RebalanceProtocol(table.protocol or kind.usual),
            claims=table.claims,
            assumes=table.assumes,
            level=table.level or "process",
        )


def _kind_of(table: _MetaTable, where: str, default: Kind | None) -> Kind:
    """The kind that the table selects; if it names a level, the kind whose targets have levels."""
    if table.kind is None and table.level is not None:
        return next(kind for kind in every_kind() if table.level in kind.levels)
    if table.kind is None:
        return default or _called(ORDINARY, where)
    kind = _called(table.kind, where)
    if table.level is not None and not kind.levels:
        able = next(each.meta for each in every_kind() if each.levels)
        raise InputError(f"{where}: level: only a {able} has one, but kind is {table.kind!r}")
    return kind


def _called(meta: str, where: str) -> Kind:
    kind = kind_called(meta)
    if kind is None:
        known = [each.meta for each in every_kind() if each.meta]
        raise wrong(f"{where}: kind", meta, " or ".join(map(repr, known)))
    return kind


@contextmanager
def loading(label: str) -> Iterator[None]:
    """A context that reads the files of a target: an `InputError` about them is `TargetNotLoadable`."""
    try:
        yield
    except InputError as error:
        raise TargetNotLoadable(f"{label}: {error}") from None


def protocols(label: str, names: Iterable[object]) -> tuple[RebalanceProtocol, ...]:
    """The rebalance protocols of these names; raises `TargetNotLoadable`."""
    spoken = []
    for name in names:
        if not isinstance(name, str) or name not in set(RebalanceProtocol):
            raise TargetNotLoadable(f"{label}: the protocol is {name!r}, expected eager or cooperative")
        spoken.append(RebalanceProtocol(name))
    return tuple(spoken)


@cache
def ways() -> tuple[Way, ...]:
    """The ways in the modules of this package, in order."""
    import kassay.engines.targets as package

    names = [module.name for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")]
    declared = [vars(importlib.import_module(name)).get("WAY") for name in names]
    return tuple(sorted((way for way in declared if way is not None), key=lambda way: way.place))


def resolve(
    spec: str,
    *,
    in_process: bool = False,
    limits: Limits = LIMITS,
    config: Mapping[str, str] | None = None,
    protocol: RebalanceProtocol | None = None,
) -> Target:
    """The target that the spec names, loaded once to check that it loads.

    Raises `InputError` for an invalid spec or option, `TargetNotFound`, and `TargetNotLoadable`; each is one
    line with the problem, the place, and what was expected. A user's code runs in a child process unless
    `in_process`.
    """
    if not spec.strip() or not spec.isprintable():
        raise InputError(f"target {spec!r}: expected {_expected()}")
    start = Start(limits, config=tuple(sorted((config or {}).items())))
    return resolve_request(Request(spec, in_process, start, protocol))


def resolve_request(request: Request) -> Target:
    """The target of the request's spec, by the first way that accepts its form; raises as `resolve` does."""
    for way in ways():
        if (target := way.resolve(request)) is not None:
            return target
    hint = suggestion(request.spec, (name for way in ways() for name in way.names()))
    raise TargetNotFound(f"there is no target {request.spec!r}{hint}; expected {_expected()}")


def _expected() -> str:
    *forms, last = [form for way in ways() for form in way.expected()]
    return f"{', '.join(forms)}, or {last}"
