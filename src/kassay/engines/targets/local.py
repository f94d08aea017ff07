"""Targets in kassay's own process: references, client libraries, and files with `--in-process`.

Their exceptions become a `TargetFailure`. An alarm interrupts a call that takes too long if that is possible:
in the main thread, outside C calls, and not in code that repeatedly catches everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

from kassay.assignors import registry
from kassay.assignors.plain import PlainDocument
from kassay.assignors.plain_answers import check_user_data
from kassay.engines.processes.host import Host, Start
from kassay.engines.processes.load import TargetSource
from kassay.engines.processes.python.host import PythonHost
from kassay.engines.processes.references import ReferenceHost
from kassay.engines.processes.values import changed, check_answer
from kassay.engines.targets.resolve import PYTHON, Offer, Request, Target, Way
from kassay.kinds.alarm import guarded
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import TargetNotLoadable
from kassay.model.groups.assignor import Assignor, AssignorBase, GroupMetadata
from kassay.model.groups.group import Assignment, Group

T = TypeVar("T")


class LocalAssignor:
    """An assignor in this process with the interface of one in a child: answers or `TargetFailure`s.

    With `strict` the answer is checked, and the input is checked for changes. A reference does not need that:
    it receives frozen values and builds its own.
    """

    def __init__(
        self,
        inner: Assignor,
        timeout_s: float,
        *,
        name: str = "",
        source: str | None = None,
        strict: bool = False,
    ) -> None:
        self.inner = inner
        self.timeout_s = timeout_s
        self.source = source
        self.strict = strict
        self.name = name or inner.name
        self.protocols = tuple(getattr(inner, "protocols", ()))
        self.mutated: str | None = None

    @property
    def reported_generation(self) -> int | None:
        """The generation that the object's own subscription would carry, if it has one."""
        return getattr(self.inner, "reported_generation", None)

    def configure(self, config: Mapping[str, str]) -> None:
        """Pass the configuration on."""
        self._guarded("configure", self.inner.configure, config)

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """The user data that the object adds to its subscription."""
        data = self._guarded("subscription_user_data", self.inner.subscription_user_data, topics)
        return self._guarded("subscription_user_data", check_user_data, data) if self.strict else data

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The object's answer."""
        if not self.strict:
            answer = self._guarded("assign", self.inner.assign, cluster, group)
            self.mutated = getattr(self.inner, "mutated", None)
            return answer
        copies = Cluster(cluster.topics, cluster.brokers), Group(group.members, group.leader, group.assigned)
        pairs, data = self._guarded("assign", lambda: check_answer(self.inner.assign(*copies)))
        self.mutated = changed((cluster, group), copies)
        return Assignment.of(pairs, data)

    def on_assignment(
        self, assignment: tuple[TopicPartition, ...], user_data: bytes | None, metadata: GroupMetadata
    ) -> None:
        """Pass the member's assignment to the object."""
        self._guarded("on_assignment", self.inner.on_assignment, assignment, user_data, metadata)

    def _guarded(self, call: str, function: Callable[..., T], *args: Any) -> T:
        return guarded(call, self.timeout_s, self.source, function, *args)


class LocalDocument:
    """A plain assignor of tasks or of connectors in this process, with the interface of one in a child."""

    def __init__(self, inner: PlainDocument, timeout_s: float, *, source: str | None = None) -> None:
        self.inner = inner
        self.name = inner.name
        self.timeout_s = timeout_s
        self.source = source
        self.mutated: str | None = None

    def configure(self, config: Mapping[str, str]) -> None:
        """Pass the configuration on."""
        guarded("configure", self.timeout_s, self.source, self.inner.configure, config)

    def assign(self, request: Any) -> Any:
        """The object's answer."""
        answer = guarded("assign", self.timeout_s, self.source, self.inner.assign, request)
        self.mutated = self.inner.mutated
        return answer


class LocalHost(Host):
    """Makes objects in this process, which fail independently; `close` has no effect."""

    def __init__(self, make: Callable[[Mapping[str, str]], Any]) -> None:
        self._make = make

    def new(self, config: Mapping[str, str]) -> Any:
        """A new, configured object."""
        return self._make(config)


@dataclass(frozen=True)
class OwnClass:
    """Makes objects of kassay's own classes; `trusted` ones run without checks and alarms around calls."""

    factory: Callable[[], Any]
    trusted: bool = True

    @property
    def repeats(self) -> bool:
        """Kassay's own objects give the same answers under every hash seed."""
        return self.trusted

    def __call__(self, start: Start, *, apart: bool) -> Host:
        """In this process, or in a child: an assignor like a user's class, other objects as pickles."""
        if not apart:
            return LocalHost(self._maker(start))
        if self._is_assignor:
            source = TargetSource(module=self.factory.__module__, class_name=self.factory.__name__)
            return PythonHost(source, start)
        return ReferenceHost(self.factory, start.hash_seed, start.surroundings)

    @property
    def _is_assignor(self) -> bool:
        return isinstance(self.factory, type) and issubclass(self.factory, AssignorBase)

    def _maker(self, start: Start) -> Callable[[Mapping[str, str]], Any]:
        """What makes a new object; objects of other kinds are not configured."""
        factory, trusted = self.factory, self.trusted
        if not self._is_assignor:
            return lambda _: factory()
        if trusted and getattr(factory, "configure", None) is AssignorBase.configure:
            return lambda _: factory()
        settings, timeout_s = dict(start.config), start.limits.call_timeout_s

        def make(config: Mapping[str, str]) -> Any:
            """A new assignor, configured."""
            assignor = factory() if trusted else LocalAssignor(factory(), timeout_s)
            assignor.configure({**settings, **config})
            return assignor

        return make


def resolve(request: Request) -> Target | None:
    """The reference of that name, or a client library's assignor; None if the spec names neither.

    Its spec is the reference's own, so that records name the requested release.
    """
    reference = registry.find(request.spec) or registry.find_foreign(request.spec)
    if reference is None:
        return None
    if reference.library:
        try:
            reference.factory()
        except registry.LibraryMissing as error:
            raise TargetNotLoadable(f"{request.spec}: {error}") from None
    return Target(
        spec=reference.spec,
        name=reference.spec if reference.library else reference.name,
        kind=reference.kind,
        opener=OwnClass(reference.factory, trusted=not reference.library),
        protocol=request.speaks((reference.protocol,)),
        claims=reference.claims,
        start=request.start,
        versions=(PYTHON, *_version_of(reference.library)),
        configures=reference.configures,
        sends_generations=reference.sends_generations,
        alike_by_rack=reference.alike_by_rack,
        level=reference.level,
    )


def _version_of(library: str) -> tuple[tuple[str, str], ...]:
    """The library's name and version, if one is installed under that name."""
    try:
        return ((library, version(library)),) if library else ()
    except PackageNotFoundError:
        return ()


def _offers() -> list[Offer]:
    """The client libraries' assignors."""
    return [
        Offer(
            spec,
            reference.kind,
            reference.protocol,
            reference.claims,
            reference.summary,
            reference.source,
            partial(_missing, reference),
        )
        for spec, reference in registry.load_foreign().items()
    ]


def _missing(reference: registry.Reference) -> str:
    try:
        reference.factory()
    except registry.LibraryMissing as error:
        return str(error)
    return ""


def _expected() -> list[str]:
    libraries = (f"{library}:NAME" for library in registry.libraries())
    return ["a reference (kassay list assignors)", *libraries]


WAY = Way(10, _expected, resolve, lambda: [*registry.load_all(), *registry.load_foreign()], _offers)
