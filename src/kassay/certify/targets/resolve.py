"""From what a user writes to something that can be asked.

range, placement:striped                a reference, in this process
kafka-python:sticky                     a client library, in this process
exec:COMMAND                            any program, as a child process
path/file.py[:Name], pkg.mod[:Name]     a Python class, in a child process unless told otherwise
NAME                                    an entry point of the group `kassay.targets`
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Final

from kassay.certify.processes.host import LIMITS, Limits, Start
from kassay.certify.targets import classes, local, programs
from kassay.certify.targets.target import Request, Target, Way
from kassay.model.errors import InputError, TargetNotFound
from kassay.model.groups.assignor import RebalanceProtocol

WAYS: Final[tuple[Way, ...]] = (local.WAY, programs.WAY, classes.WAY)


def resolve(
    spec: str,
    *,
    in_process: bool = False,
    limits: Limits = LIMITS,
    config: Mapping[str, str] | None = None,
    protocol: RebalanceProtocol | None = None,
) -> Target:
    """What the spec names, loaded once to see that it loads.

    Raises `InputError` for a spec or an option that makes no sense, `TargetNotFound`, and
    `TargetNotLoadable`; each one line that says what, where, and what was expected. A user's code runs
    in a child process unless `in_process`.
    """
    if not spec.strip() or not spec.isprintable():
        raise InputError(f"target {spec!r}: expected {_expected()}")
    request = Request(spec, in_process, Start(limits, config=tuple(sorted((config or {}).items()))), protocol)
    for way in WAYS:
        if (target := way.resolve(request)) is not None:
            return target
    near = difflib.get_close_matches(spec, [name for way in WAYS for name in way.names()], n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise TargetNotFound(f"there is no target {spec!r}{hint}; expected {_expected()}")


def _expected() -> str:
    *forms, last = [form for way in WAYS for form in way.expected()]
    return f"{', '.join(forms)}, or {last}"
