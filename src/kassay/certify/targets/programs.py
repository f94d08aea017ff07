"""Programs: whatever answers JSON lines on its standard output."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from typing import Final

from kassay.certify.processes.host import Start
from kassay.certify.processes.program import Program, ProgramHost
from kassay.certify.targets.resolve import Meta, Request, Target, Way, digest_of
from kassay.model.errors import InputError, TargetNotFound, TargetNotLoadable
from kassay.model.kinds import Kind
from kassay.reading.specs import command_of

EXPECTED = "exec:COMMAND"
CLASSES_ALONE: Final = frozenset({Kind.PARTITIONER})
"""Kinds that no program can be of."""


@dataclass(frozen=True)
class ProgramOpener:
    """Starts the program, which is always a process of its own."""

    program: Program

    @property
    def repeats(self) -> bool:
        """In a child process."""
        return True

    def __call__(self, start: Start, *, apart: bool) -> ProgramHost:  # noqa: ARG002
        """The program as a child process under limits."""
        return ProgramHost(self.program, start)


def resolve(request: Request) -> Target | None:
    """The program of an `exec:` spec, which has said hello once; None for another spec."""
    command = command_of(request.spec)
    if command is None:
        return None
    try:
        argv = tuple(shlex.split(command))
    except ValueError as error:
        raise InputError(f"{request.spec}: {error}, expected {EXPECTED} as a shell would split it") from None
    if not argv:
        raise InputError(f"{request.spec}: no command, expected {EXPECTED}")
    executable = shutil.which(argv[0])
    if executable is None:
        raise TargetNotFound(
            f"{request.spec}: there is no program {argv[0]!r}, expected one on the PATH or a path"
        )
    opener = ProgramOpener(Program(argv, command.strip()))
    with opener(request.start, apart=True) as host:
        hello = host.hello
    table = {name: getattr(hello, name) for name in ("kind", "level", "protocol", "claims", "assumes")}
    meta = Meta.of(f"{request.spec}: hello", table)
    if meta.kind in CLASSES_ALONE:
        raise TargetNotLoadable(
            f"{request.spec}: hello: kind: a {meta.kind} is no program, expected a class in a Python file"
        )
    return Target(
        spec=request.spec,
        name=hello.name,
        kind=meta.kind,
        opener=opener,
        protocol=request.protocol or meta.protocol,
        claims=meta.claims,
        assumes=meta.assumes,
        digest=digest_of((executable, *argv[1:])),
        start=request.start,
        level=meta.level,
    )


WAY = Way(20, lambda: [EXPECTED], resolve, list)
