"""Targets given as values: a spec, a path, a class, or a target that is already loaded."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

from kassay.engines.processes.host import LIMITS, Limits
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.errors import InputError, TargetError
from kassay.model.kinds import RebalanceProtocol

TargetLike: TypeAlias = str | Path | type | Target
"""A target spec, the path of a file, a class at the top level of a module, or a loaded target."""


def several(targets: TargetLike | Iterable[TargetLike]) -> tuple[TargetLike, ...]:
    """One target, or several, each once; raises `InputError` for none."""
    one = isinstance(targets, str | Path | type | Target)
    every = (targets,) if one else tuple(dict.fromkeys(targets))  # type: ignore[arg-type]
    if not every:
        raise InputError("targets: found none, expected at least one")
    return every  # type: ignore[return-value]


@contextmanager
def loaded(
    targets: Iterable[TargetLike],
    *,
    in_process: bool = False,
    limits: Limits = LIMITS,
    config: Mapping[str, str] | None = None,
    protocol: RebalanceProtocol | None = None,
) -> Iterator[list[Target]]:
    """The targets under these conditions, which those that are loaded already keep of their own.

    All are tried before the first `TargetError` is raised, as `InputError` for what is no target comes first.
    """
    ready: list[Target] = []
    errors: list[TargetError] = []
    with ExitStack() as stack:
        for target in targets:
            if isinstance(target, Target):
                ready.append(target)
                continue
            spec = stack.enter_context(_given(target))
            try:
                ready.append(
                    resolve(spec, in_process=in_process, limits=limits, config=config, protocol=protocol)
                )
            except TargetError as error:
                errors.append(error)
        if errors:
            raise errors[0]
        yield ready


@contextmanager
def _given(target: str | Path | type) -> Iterator[str]:
    """The spec of the target; the target of a class can be loaded inside the block only.

    Raises `InputError` for a class that is not at the top level of a module in a file.
    """
    if not isinstance(target, type):
        yield str(target)
        return
    with _importable(target):
        yield _spec_of(target)


def _spec_of(cls: type) -> str:
    """The target spec of a class: its file and its name."""
    if "." in cls.__qualname__:
        raise InputError(f"{cls.__qualname__}: expected a class at the top level of a module")
    return f"{_file_of(cls)}:{cls.__name__}"


def _file_of(cls: type) -> str:
    try:
        return inspect.getfile(cls)
    except (OSError, TypeError):
        raise InputError(f"{cls.__qualname__}: expected a class of a file, found one typed in") from None


@contextmanager
def _importable(cls: type) -> Iterator[None]:
    """Add the folder above the class's packages to the path, where child processes look as well.

    pytest imports test modules without that.
    """
    folder = str(Path(_file_of(cls)).resolve().parents[cls.__module__.count(".")])
    sys.path.append(folder)
    try:
        yield
    finally:
        sys.path.reverse()
        sys.path.remove(folder)
        sys.path.reverse()
