"""From what a user writes to something that can be asked: target specs, and hosts of their objects.

range, placement:striped                a reference, in this process
path/file.py[:Name], pkg.mod[:Name]     a Python class, in a child process unless told otherwise
exec:COMMAND                            any program, as a child process
kafka-python:sticky                     a client library, in this process
NAME                                    an entry point of the group `kassay.targets`
"""

from __future__ import annotations

import difflib
import hashlib
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, Protocol, Self

from kassay.assignors import registry
from kassay.assignors.foreign import kafka_python
from kassay.assignors.plain.assignor import PlainAssignor
from kassay.assignors.plain.partitioner import PlainPartitioner
from kassay.assignors.plain.placer import PlainPlacer
from kassay.certify.processes.load import FULL, PARTITIONER, PLACER, Loaded, NotLoadable, TargetSource, load
from kassay.certify.processes.program import Program, ProgramChild
from kassay.certify.processes.references import ReferenceHost
from kassay.certify.processes.remote import PythonChild
from kassay.certify.targets.local import LocalAssignor, LocalHost, guarded
from kassay.model.errors import InputError, KassayError
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.kinds import GROUPS, Kind

ENTRY_POINTS: Final = "kassay.targets"
EXPECTED: Final = (
    "a reference (kassay list assignors), path/file.py[:Name], pkg.mod[:Name], exec:COMMAND, "
    "kafka-python:NAME, or an entry point of kassay.targets"
)
_KINDS: Final = {
    "assignor": Kind.CLIENT,
    "server-assignor": Kind.SERVER,
    "placer": Kind.PLACER,
    "partitioner": Kind.PARTITIONER,
}
_FORMS: Final = {PLACER: (Kind.PLACER, "place"), PARTITIONER: (Kind.PARTITIONER, "partition")}
"""The kind of a form, and the method that says so; every other form is an assignor's."""
_MODULE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class TargetNotFound(KassayError):
    """There is no target of that name; exit code 4."""


class TargetNotLoadable(KassayError):
    """The target is there and cannot be loaded or started; exit code 4."""


@dataclass(frozen=True)
class Limits:
    """What a call, and the start of a target, may take."""

    call_timeout_s: float = 2.0
    memory_mib: int = 512
    start_timeout_s: float = 10.0


class Host(Protocol):
    """Where objects of a target live; a context manager that closes itself."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def new(self, config: Mapping[str, str]) -> Any:
        """A new, configured object in the full form: an `Assignor`, a `Placer`, ..., as the kind says."""

    def restart(self) -> None:
        """A new process in place of one that died; the objects made before are gone."""

    def close(self) -> None:
        """End whatever was started; the context's end does the same."""


@dataclass(frozen=True)
class Target:
    """One thing under test.

    `claims` are declared ones, validity not included.
    `digest` is the SHA-256 of the source file where there is one. `isolated`: in a child process.
    `source` is the class for a child, `factory` makes objects in this process, `program` is a command.
    A `trusted` one, kassay's own, is asked without the checks and the alarm around every call.
    A target can be pickled and opened in another process.
    """

    spec: str
    name: str
    kind: Kind
    protocol: RebalanceProtocol
    claims: tuple[str, ...]
    assumes: tuple[str, ...]
    digest: str | None
    isolated: bool
    limits: Limits = Limits()
    config: tuple[tuple[str, str], ...] = ()
    source: TargetSource | None = None
    program: Program | None = None
    factory: Callable[[], Any] | None = None
    trusted: bool = False

    def open(self, *, hash_seed: int | None = None) -> Host:
        """A host of the target's objects; a context manager.

        With a hash seed a child process of that seed, also for assignors that run in this process
        otherwise. Raises `TargetNotLoadable` when the target no longer loads.
        """
        limits = vars(self.limits)
        try:
            if self.program is not None:
                program = ProgramChild(
                    self.program, protocol=self.protocol, hash_seed=hash_seed or 0, **limits
                )
                return ChildHost(self, program)
            if self.source is not None and (self.isolated or hash_seed is not None):
                child = PythonChild(self.source, protocol=self.protocol, hash_seed=hash_seed or 0, **limits)
                return ChildHost(self, child)
            if self.factory is not None and hash_seed is not None:
                return ReferenceHost(self.factory, hash_seed)
            if self.factory is not None:
                return LocalHost(partial(_reference_object, self, self.factory))
            assert self.source is not None
            return LocalHost(partial(_local_object, self, *load(self.source)))
        except NotLoadable as error:
            raise TargetNotLoadable(str(error)) from None


class ChildHost:
    """A host whose objects live in a child process."""

    def __init__(self, target: Target, child: PythonChild | ProgramChild) -> None:
        self.child = child
        self._target = target

    def new(self, config: Mapping[str, str]) -> Any:
        """A new object; starts another process if the last one is gone."""
        try:
            return self.child.new({**dict(self._target.config), **config})
        except NotLoadable as error:
            raise TargetNotLoadable(str(error)) from None

    def restart(self) -> None:
        """A new process; the objects made before are gone."""
        try:
            self.child.restart()
        except NotLoadable as error:
            raise TargetNotLoadable(str(error)) from None

    def close(self) -> None:
        """End the process and everything it started."""
        self.child.close()

    def __enter__(self) -> ChildHost:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _reference_object(target: Target, factory: Callable[[], Any], config: Mapping[str, str]) -> Any:
    """A reference or a client library's assignor; other kinds than assignors are handed out as they are."""
    made = factory()
    if not hasattr(made, "assign") or not hasattr(made, "configure"):
        return made
    if target.trusted:
        made.configure({**dict(target.config), **config})
        return made
    local = LocalAssignor(made, target.limits.call_timeout_s)
    local.configure({**dict(target.config), **config})
    return local


def _local_object(target: Target, cls: type, loaded: Loaded, config: Mapping[str, str]) -> Any:
    """A user's class in this process, behind the same checks as in a child."""
    seconds = target.limits.call_timeout_s
    made = guarded(loaded.class_name, seconds, loaded.file, cls)
    if loaded.form == PLACER:
        return PlainPlacer(made, source=loaded.file)
    if loaded.form == PARTITIONER:
        return PlainPartitioner(made, source=loaded.file)
    if loaded.form == FULL:
        local = LocalAssignor(made, seconds, name=loaded.name, source=loaded.file, strict=True)
    else:
        plain = PlainAssignor(
            made,
            name=loaded.name,
            protocol=target.protocol,
            extras=frozenset(loaded.extras),
            source=loaded.file,
        )
        local = LocalAssignor(plain, seconds, source=loaded.file)
    if hasattr(made, "configure"):
        local.configure({**dict(target.config), **config})
    return local


def resolve(
    spec: str,
    *,
    in_process: bool = False,
    limits: Limits = Limits(),
    config: Mapping[str, str] | None = None,
    protocol: RebalanceProtocol | None = None,
) -> Target:
    """What the spec names, loaded once to see that it loads.

    Raises `InputError` for a spec or an option that makes no sense, `TargetNotFound`, and
    `TargetNotLoadable`; each one line that says what, where, and what was expected. A user's code runs
    in a child process unless `in_process`.
    """
    if not spec.strip() or not spec.isprintable():
        raise InputError(f"target {spec!r}: expected {EXPECTED}")
    asked = _Asked(spec, in_process, limits, tuple(sorted((config or {}).items())), protocol)
    if (found := registry.find(spec)) is not None:
        return _reference(asked, found)
    prefix, _, rest = spec.partition(":")
    if prefix == "exec":
        return _program(asked, rest)
    if prefix == "kafka-python":
        return _kafka_python(asked, rest)
    if (source := _source(spec)) is not None:
        return _python(asked, source)
    raise _unknown(spec)


@dataclass(frozen=True)
class _Asked:
    """The arguments of `resolve`."""

    spec: str
    in_process: bool
    limits: Limits
    config: tuple[tuple[str, str], ...]
    protocol: RebalanceProtocol | None

    def speaks(self, supported: tuple[RebalanceProtocol, ...]) -> RebalanceProtocol:
        """The protocol to use with something that supports only these; the first unless one was asked for."""
        if self.protocol is None:
            return supported[0]
        if self.protocol not in supported:
            names = " and ".join(supported)
            raise InputError(f"{self.spec}: speaks {names} only, --protocol {self.protocol} was asked for")
        return self.protocol


def _source(spec: str) -> TargetSource | None:
    """The class that the spec names in a file, a module or an entry point; None if it names none."""
    place, colon, name = spec.rpartition(":")
    if not colon or "/" in name or name.endswith(".py"):
        place, name = spec, ""
    if colon and place != spec and not name.isidentifier():
        raise InputError(f"target {spec!r}: {name!r} is no class name, expected {EXPECTED}")
    if place.endswith(".py") or "/" in place:
        return TargetSource(file=place, class_name=name or None)
    if _MODULE.fullmatch(place) and (name or "." in place):
        return TargetSource(module=place, class_name=name or None)
    for point in entry_points(group=ENTRY_POINTS, name=spec):
        return TargetSource(module=point.module, class_name=point.attr or None)
    return None


def _unknown(spec: str) -> KassayError:
    names = [*registry.load_all(), *(f"kafka-python:{name}" for name in kafka_python.TARGETS)]
    names += [point.name for point in entry_points(group=ENTRY_POINTS)]
    near = difflib.get_close_matches(spec, names, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return TargetNotFound(f"there is no target {spec!r}{hint}; expected {EXPECTED}")


def _reference(asked: _Asked, found: registry.Reference) -> Target:
    assignor = isinstance(found.factory, type) and found.kind in GROUPS
    return Target(
        spec=asked.spec,
        name=found.name,
        kind=found.kind,
        protocol=asked.speaks((found.protocol,)),
        claims=found.claims,
        assumes=(),
        digest=None,
        isolated=False,
        limits=asked.limits,
        config=asked.config,
        source=TargetSource(module=found.factory.__module__, class_name=found.factory.__name__)
        if assignor
        else None,
        factory=found.factory,
        trusted=True,
    )


def _kafka_python(asked: _Asked, name: str) -> Target:
    try:
        found = kafka_python.find(name)
    except kafka_python.LibraryMissing as error:
        raise TargetNotLoadable(f"{asked.spec}: {error}") from None
    return Target(
        spec=asked.spec,
        name=asked.spec,
        kind=Kind.CLIENT,
        protocol=asked.speaks(found.factory.protocols),
        claims=found.claims,
        assumes=(),
        digest=None,
        isolated=False,
        limits=asked.limits,
        config=asked.config,
        source=TargetSource(module=found.factory.__module__, class_name=found.factory.__name__),
        factory=found.factory,
    )


def _python(asked: _Asked, source: TargetSource) -> Target:
    """A user's class; loaded in a child that is ended again, or here with `in_process`."""
    digest = None
    if source.file is not None:
        path = Path(source.file)
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "no such file"
            raise TargetNotFound(f"{source.file}: {what}, expected a Python file")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    try:
        if asked.in_process:
            _, loaded = load(source)
        else:
            child = PythonChild(source, **vars(asked.limits))
            child.close()
            loaded = child.loaded
    except NotLoadable as error:
        raise TargetNotLoadable(str(error)) from None
    kind, _ = _FORMS.get(loaded.form, (Kind.CLIENT, "assign"))
    said = _Said.of(source.label, loaded.meta, default=kind)
    if said.kind != kind and {said.kind, kind} & {Kind.PLACER, Kind.PARTITIONER}:
        method = dict(_FORMS.values()).get(said.kind, "assign")
        raise TargetNotLoadable(
            f"{source.label}: META kind is {loaded.meta['kind']!r}, but {loaded.class_name} has no {method}"
        )
    supported = _protocols(source.label, loaded.protocols)
    return Target(
        spec=asked.spec,
        name=loaded.name,
        kind=said.kind,
        protocol=asked.speaks(supported) if supported else asked.protocol or said.protocol,
        claims=said.claims,
        assumes=said.assumes,
        digest=digest,
        isolated=not asked.in_process,
        limits=asked.limits,
        config=asked.config,
        source=source,
    )


def _program(asked: _Asked, command: str) -> Target:
    try:
        argv = tuple(shlex.split(command))
    except ValueError as error:
        raise InputError(f"{asked.spec}: {error}, expected exec:COMMAND as a shell would split it") from None
    if not argv:
        raise InputError(f"{asked.spec}: no command, expected exec:COMMAND")
    if shutil.which(argv[0]) is None:
        raise TargetNotFound(
            f"{asked.spec}: there is no program {argv[0]!r}, expected one on the PATH or a path"
        )
    program = Program(argv, command.strip())
    try:
        child = ProgramChild(program, **vars(asked.limits))
    except NotLoadable as error:
        raise TargetNotLoadable(f"exec:{error}") from None
    child.close()
    hello = child.hello
    meta = {"kind": hello.kind, "protocol": hello.protocol, "claims": hello.claims, "assumes": hello.assumes}
    said = _Said.of(asked.spec, meta, default=Kind.CLIENT)
    return Target(
        spec=asked.spec,
        name=hello.name,
        kind=said.kind,
        protocol=asked.protocol or said.protocol,
        claims=said.claims,
        assumes=said.assumes,
        digest=None,
        isolated=True,
        limits=asked.limits,
        config=asked.config,
        program=program,
    )


@dataclass(frozen=True)
class _Said:
    """What a target says of itself, checked; only the keys that are read."""

    kind: Kind
    protocol: RebalanceProtocol
    claims: tuple[str, ...]
    assumes: tuple[str, ...]

    @classmethod
    def of(cls, label: str, meta: Mapping[str, Any], *, default: Kind) -> _Said:
        """The checked values of a `META` or of an answer to hello; raises `TargetNotLoadable`."""
        kind = meta.get("kind")
        if kind is not None and (not isinstance(kind, str) or kind not in _KINDS):
            raise TargetNotLoadable(f"{label}: META kind is {kind!r}, expected one of {', '.join(_KINDS)}")
        protocol = meta.get("protocol") or RebalanceProtocol.EAGER
        return cls(
            kind=default if kind is None else _KINDS[kind],
            protocol=_protocols(label, (protocol,))[0],
            claims=_texts(label, meta, "claims"),
            assumes=_texts(label, meta, "assumes"),
        )


def _protocols(label: str, names: Iterable[object]) -> tuple[RebalanceProtocol, ...]:
    found = []
    for name in names:
        if not isinstance(name, str) or name not in set(RebalanceProtocol):
            raise TargetNotLoadable(f"{label}: the protocol is {name!r}, expected eager or cooperative")
        found.append(RebalanceProtocol(name))
    return tuple(found)


def _texts(label: str, meta: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = meta.get(key) or ()
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise TargetNotLoadable(f"{label}: META {key} is {values!r}, expected a list of ids")
    return tuple(values)
