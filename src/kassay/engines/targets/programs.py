"""Programs: anything that answers JSON lines on its standard output."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from kassay.engines.processes.host import Start
from kassay.engines.processes.programs.host import ProgramHost
from kassay.engines.processes.programs.program import Program
from kassay.engines.targets.resolve import Meta, Request, Target, Way, digest_of, protocols, sources_in
from kassay.model.errors import InputError, TargetNotFound, TargetNotLoadable
from kassay.reading.specs import command_of

EXPECTED = "exec:COMMAND"


@dataclass(frozen=True)
class ProgramOpener:
    """Starts the program, always as a process of its own."""

    program: Program

    @property
    def repeats(self) -> bool:
        """Whether objects give the same answers in every host: those in a child process do."""
        return True

    def __call__(self, start: Start, *, apart: bool) -> ProgramHost:  # noqa: ARG002
        """The program as a child process under limits."""
        return ProgramHost(self.program, start)


def resolve(request: Request) -> Target | None:
    """The program of an `exec:` spec, which has answered one hello; None for another spec."""
    command = command_of(request.spec)
    if command is None:
        return None
    try:
        argv = tuple(shlex.split(command))
    except ValueError:
        raise InputError(
            f"target {request.spec!r}: an open quote, or a backslash at the end, "
            f"expected {EXPECTED} as a shell would split it"
        ) from None
    if not argv:
        raise InputError(f"target {request.spec!r}: no command, expected {EXPECTED}")
    executable = shutil.which(argv[0])
    if executable is None:
        raise TargetNotFound(
            f"target {request.spec!r}: there is no program {argv[0]!r}, expected one on the PATH or a path"
        )
    program = Program(argv, label=f"exec:{command.strip()}", name=Path(argv[0]).name)
    opener = ProgramOpener(program)
    with opener(request.start, apart=True) as host:
        hello = host.hello
    table = {name: getattr(hello, name) for name in ("kind", "level", "protocol", "claims", "assumes")}
    meta = Meta.of(f"{request.spec}: hello", table)
    if hello.kassay < meta.kind.exec_version:
        raise TargetNotLoadable(
            f"{request.spec}: hello: kind: {meta.kind} is no program, "
            f"expected a class in a Python file, or version {meta.kind.exec_version} of the exec protocol"
        )
    supported = protocols(f"{request.spec}: hello", hello.protocols)
    return Target(
        spec=request.spec,
        name=hello.name,
        kind=meta.kind,
        opener=opener,
        protocol=request.speaks(supported) if supported else request.protocol or meta.protocol,
        claims=meta.claims,
        assumes=meta.assumes,
        digest=digest_of((executable, *argv[1:])),
        sources=sources_in((executable, *argv[1:])),
        start=request.start,
        versions=tuple(hello.versions.items()),
        is_program=True,
        level=meta.level,
    )


WAY = Way(20, lambda: [EXPECTED], resolve, list)
