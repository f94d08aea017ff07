"""Users' Python classes: in files, in modules, and behind entry points."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points
from typing import Any, Final

from kassay.assignors.plain import OF_REQUESTS, PlainAssignor, PlainDocument
from kassay.assignors.plain_answers import DOCUMENTS, FULL
from kassay.engines.processes.host import Host, Start
from kassay.engines.processes.load import Loaded, TargetSource, load
from kassay.engines.processes.python.host import PythonHost
from kassay.engines.targets.local import LocalAssignor, LocalDocument, LocalHost
from kassay.engines.targets.resolve import (
    PYTHON,
    Meta,
    Request,
    Target,
    Way,
    digest_of,
    protocols,
    sources_in,
)
from kassay.kinds.alarm import guarded
from kassay.model.errors import InputError, TargetNotFound, TargetNotLoadable
from kassay.model.kinds import kind_of_form
from kassay.reading.documents import is_file, is_folder
from kassay.reading.specs import place_and_class

ENTRY_POINTS: Final = "kassay.targets"
EXPECTED: Final = "path/file.py[:Name], pkg.mod[:Name]"
_MODULE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True)
class UserClass:
    """Makes objects of a user's class: in a child process, or here if it is not `isolated`."""

    source: TargetSource
    isolated: bool

    @property
    def repeats(self) -> bool:
        """Whether objects give the same answers in every host: those in a child process do."""
        return self.isolated

    def __call__(self, start: Start, *, apart: bool) -> Host:
        """A child process under limits; if not isolated, the class is loaded in this process now."""
        if self.isolated or apart:
            return PythonHost(self.source, start)
        return LocalHost(partial(_local_object, start, *load(self.source)))


def _local_object(start: Start, cls: type, loaded: Loaded, config: Mapping[str, str]) -> Any:
    """A user's object in this process, with the same checks as in a child."""
    seconds = start.limits.call_timeout_s
    instance = guarded(loaded.class_name, seconds, loaded.file, cls)
    if loaded.form in OF_REQUESTS:
        return OF_REQUESTS[loaded.form](instance, source=loaded.file)
    local: LocalAssignor | LocalDocument
    if loaded.form in DOCUMENTS:
        document = PlainDocument(instance, loaded.form, name=loaded.name, source=loaded.file)
        local = LocalDocument(document, seconds, source=loaded.file)
    elif loaded.form == FULL:
        local = LocalAssignor(instance, seconds, name=loaded.name, source=loaded.file, strict=True)
    else:
        plain = PlainAssignor(
            instance,
            name=loaded.name,
            protocol=start.protocol,
            extras=frozenset(loaded.extras),
            source=loaded.file,
        )
        local = LocalAssignor(plain, seconds, source=loaded.file)
    if hasattr(instance, "configure"):
        local.configure({**dict(start.config), **config})
    return local


def resolve(request: Request) -> Target | None:
    """The class that the spec names, loaded once; None if it names none."""
    source = _source(request.spec)
    if source is None:
        return None
    if source.file is not None:
        _require_file(source.file)
    if request.in_process:
        _, loaded = load(source)
    else:
        with PythonHost(source, request.start) as host:
            loaded = host.loaded
    kind = kind_of_form(loaded.form)
    meta = Meta.of(f"{source.label}: META", loaded.meta, default=kind)
    if meta.kind is not kind and (meta.kind.forms or kind is not None):
        raise TargetNotLoadable(
            f"{source.label}: META kind is {loaded.meta['kind']!r}, "
            f"but {loaded.class_name} has no {meta.kind.method}"
        )
    supported = protocols(source.label, loaded.protocols)
    file = source.file or loaded.file or ""
    return Target(
        spec=request.spec,
        name=loaded.name,
        kind=meta.kind,
        opener=UserClass(source, isolated=not request.in_process),
        protocol=request.speaks(supported) if supported else request.protocol or meta.protocol,
        claims=meta.claims,
        assumes=meta.assumes,
        digest=digest_of([file]),
        sources=sources_in([file]),
        start=request.start,
        versions=(PYTHON,),
        configures=loaded.configures,
        level=meta.level,
    )


def _require_file(file: str) -> None:
    """Raise `TargetNotFound` unless the file exists."""
    if not is_file(file):
        what = "is a folder" if is_folder(file) else "no such file"
        raise TargetNotFound(f"{file}: {what}, expected a Python file")


def _source(spec: str) -> TargetSource | None:
    """The class that the spec names in a file, a module or an entry point; None if it names none."""
    place, name = place_and_class(spec)
    if place != spec and not name.isidentifier():
        raise InputError(f"target {spec!r}: {name!r} is no class name, expected {EXPECTED}")
    if place.endswith(".py") or "/" in place:
        return TargetSource(file=place, class_name=name or None)
    if _MODULE.fullmatch(place) and (name or "." in place):
        return TargetSource(module=place, class_name=name or None)
    for point in entry_points(group=ENTRY_POINTS, name=spec):
        return TargetSource(module=point.module, class_name=point.attr or None)
    return None


WAY = Way(
    30,
    lambda: [EXPECTED, f"an entry point of {ENTRY_POINTS}"],
    resolve,
    lambda: [point.name for point in entry_points(group=ENTRY_POINTS)],
)
