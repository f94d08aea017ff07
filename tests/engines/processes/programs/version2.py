"""A program of version 2 that does as it is told, and how it is opened."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from kassay.engines.processes.host import Limits, Start
from kassay.engines.processes.programs.host import ProgramHost
from kassay.engines.processes.programs.program import Program
from tests.engines.processes.children import DATA

START = Start(Limits(call_timeout_s=60, start_timeout_s=60))
ALL = "new,user_data,on_assignment,drop,round,batch"
PROGRAM = Program((sys.executable, str(DATA / "program2.py")), "exec:program2", "program2.py")


def program(
    supports: str = ALL, *faults: str, hello: dict[str, Any] | None = None, log: Path | None = None
) -> Program:
    """The program with these calls of version 2, faults, parts of its answer to hello, and a log of requests."""
    environment = {"PROGRAM2_HELLO": json.dumps(hello or {}), "PROGRAM2_LOG": str(log or "")}
    return replace(PROGRAM, argv=(*PROGRAM.argv, supports, *faults), environment=tuple(environment.items()))


def opened(
    supports: str = ALL,
    *faults: str,
    hello: dict[str, Any] | None = None,
    log: Path | None = None,
    start: Start = START,
) -> ProgramHost:
    """A host of that program."""
    return ProgramHost(program(supports, *faults, hello=hello, log=log), start)


def requests(log: Path) -> list[dict[str, Any]]:
    """What the program was asked, hello left out."""
    read = [json.loads(line) for line in log.read_text().splitlines()]
    return [request for request in read if request["call"] != "hello"]
