"""Assignors of npm: those of kafkajs and @platformatic/kafka, and any with the same interfaces."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import kassay
from kassay.engines.processes.host import Start
from kassay.engines.processes.programs.host import ProgramHost
from kassay.engines.processes.programs.program import Program
from kassay.engines.targets.resolve import Offer, Request, Target, Way, digest_of, protocols, sources_in
from kassay.model.errors import InputError, TargetNotFound, TargetNotLoadable
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol
from kassay.reading.documents import is_file
from kassay.reading.specs import NODE, Inside, RuleSpec, parse

MODULES_VARIABLE: Final = "KASSAY_NODE_MODULES"
"""The environment variable for a folder node_modules, or for its parent folder."""
EXPECTED: Final = "node:PACKAGE!EXPORT"
HOST: Final = Path(kassay.__file__).parent / "assignors" / "foreign" / "node" / "host.mjs"
"""The program that calls an assigner."""
_INTERFACES: Final = "an assigner as kafkajs or @platformatic/kafka takes it (docs/targets.md)"
_ROUND_ROBIN: Final = ("balanced-within-one", "deterministic", "order-independent")


class _Export(NamedTuple):
    """An assignor: what to import, the name of the export, its claims.

    `release` is the package's release, as npm accepts it. A `file` is one inside the package that the package
    itself does not export.
    """

    module: str
    name: str
    claims: tuple[str, ...] = ()
    release: str = ""
    file: str = ""
    summary: str = ""

    @property
    def is_path(self) -> bool:
        """Whether it is in a separate file, in no package."""
        return self.module.startswith((".", "/"))

    @property
    def package(self) -> str:
        """The name of the package, without the path behind it."""
        return "/".join(self.module.split("/")[: 2 if self.module.startswith("@") else 1])


LIBRARIES: Final = {
    "kafkajs:roundrobin": _Export(
        "kafkajs",
        "PartitionAssigners.roundRobin",
        _ROUND_ROBIN,
        "@2",
        summary="kafkajs's round robin, its only assignor.",
    ),
    "platformatic:roundrobin": _Export(
        "@platformatic/kafka",
        "roundRobinAssigner",
        _ROUND_ROBIN,
        "@1",
        "dist/clients/consumer/partitions-assigners.js",
        "@platformatic/kafka's round robin, its only assignor.",
    ),
}
"""The libraries' own assignors."""
_PREFIXES: Final = frozenset(spec.partition(":")[0] for spec in LIBRARIES)


@dataclass(frozen=True)
class NodeOpener:
    """Starts the host program, which calls the assigner."""

    program: Program

    @property
    def repeats(self) -> bool:
        """Whether objects give the same answers in every host: those in a child process do."""
        return True

    def __call__(self, start: Start, *, apart: bool) -> ProgramHost:  # noqa: ARG002
        """Node as a child process under limits."""
        return ProgramHost(self.program, start)


def resolve(request: Request) -> Target | None:
    """The assigner that the spec names, of which one was made; None for a spec of another form."""
    spec = parse(request.spec)
    if isinstance(spec, RuleSpec) and spec.prefix in _PREFIXES:
        return _target(request, _library(request.spec, spec))
    if isinstance(spec, Inside) and spec.scheme == NODE:
        return _target(request, _Export(spec.places[0], spec.name or "default"))
    return None


def _library(label: str, spec: RuleSpec) -> _Export:
    """The library's assignor; raises `TargetNotFound` if it has none of that name."""
    if spec.rule not in LIBRARIES:
        names = [rule for rule in LIBRARIES if rule.startswith(f"{spec.prefix}:")]
        raise TargetNotFound(f"{label}: no such assignor, expected one of {', '.join(names)}")
    if spec.at is not None:
        raise InputError(f"{label}: its release is that of the package in node_modules, expected {spec.rule}")
    return LIBRARIES[spec.rule]


def _target(request: Request, export: _Export) -> Target:
    """The exported assigner as a target; raises `TargetNotFound` and `TargetNotLoadable`."""
    if export.is_path and not is_file(export.module):
        raise TargetNotFound(f"{request.spec}: no such file, expected a package of node_modules or a file")
    if missing := _missing(export):
        raise TargetNotLoadable(f"{request.spec}: {missing}")
    folder, name, source = _place(export)
    argv = (shutil.which("node") or "node", str(HOST), str(folder), name, export.name)
    opener = NodeOpener(Program(argv, label=request.spec, name=request.spec, expected=_INTERFACES))
    with opener(request.start, apart=True) as host:
        hello = host.hello
        host.introduced()
    return Target(
        spec=request.spec,
        name=request.spec,
        kind=CLIENT,
        opener=opener,
        protocol=request.speaks(protocols(request.spec, hello.protocols)),
        claims=export.claims,
        digest=digest_of([str(source)]),
        sources=sources_in([str(source)]),
        start=request.start,
        versions=tuple(hello.versions.items()),
        configures=False,
        is_program=True,
    )


def _missing(export: _Export) -> str:
    """What is missing and how to install it, in one line; empty if nothing is."""
    if shutil.which("node") is None:
        return "there is no node on the PATH, expected Node 18 or later"
    if export.is_path or folder_with(export.package) is not None:
        return ""
    return (
        f"there is no package {export.package!r} in node_modules of {Path.cwd()} or above; "
        f"npm install {export.package}{export.release}, or let {MODULES_VARIABLE} name its node_modules"
    )


def _place(export: _Export) -> tuple[Path, str, Path]:
    """The folder with node_modules, what to import there, and a file that identifies the package."""
    folder = None if export.is_path else folder_with(export.package)
    if folder is None:
        file = Path(export.module).absolute()
        return file.parent, str(file), file
    installed = folder / "node_modules" / export.package
    return folder, str(installed / export.file) if export.file else export.module, installed / "package.json"


def folder_with(package: str) -> Path | None:
    """The first folder whose node_modules contains the package."""
    held = (f for f in _folders() if is_file(str(f / "node_modules" / package / "package.json")))
    return next(held, None)


def _folders() -> Iterator[Path]:
    """The folders that may contain node_modules: those of the environment, then this one and its parents."""
    if named := os.environ.get(MODULES_VARIABLE):
        place = Path(named).absolute()
        yield place.parent if place.name == "node_modules" else place
    here = Path.cwd()
    yield from (here, *here.parents)


def _offers() -> list[Offer]:
    """The libraries' own assignors."""
    return [
        Offer(
            spec,
            CLIENT,
            RebalanceProtocol.EAGER,
            export.claims,
            export.summary,
            f"{export.package} {export.name} (npm install {export.package}{export.release})",
            partial(_missing, export),
        )
        for spec, export in LIBRARIES.items()
    ]


WAY = Way(26, lambda: [*LIBRARIES, EXPECTED], resolve, lambda: list(LIBRARIES), _offers)
