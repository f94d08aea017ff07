"""An assignor of one's own as a strategy: a Python file, a jar, or a file or package of npm.

A script has it as it is written; a program gets what its library loads: a path, or the names of classes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kassay.engines.jars.classes import candidates
from kassay.engines.targets.node import folder_with
from kassay.kinds.groups.java import CLIENT_INTERFACE
from kassay.model.errors import InputError
from kassay.reading.documents import is_file

JAR: Final = ".jar"
SUFFIXES: Final = {"kafka-python": (".py",), "kafkajs": (".js", ".mjs", ".cjs"), "java": (JAR,)}
"""The libraries that take an assignor of one's own, and how such a file is named."""


def jar_of(strategy: str) -> str:
    """The jar that a strategy `FILE.jar` or `FILE.jar!CLASS` names; empty for another one."""
    path = strategy.partition("!")[0]
    return path if path.endswith(JAR) else ""


def own_assignor(client: str, strategy: str, spec: str) -> str | None:
    """What a program loads for a strategy that is a file or a package; None if it is neither.

    Raises `InputError` if there is no such file, or not one assignor in a jar.
    """
    path = strategy.partition("!")[0] if client == "java" else strategy
    if path.endswith(SUFFIXES.get(client, ("\0",))):
        if not is_file(path):
            raise InputError(f"{spec}: {path}: no such file")
        return _class(strategy, spec) if client == "java" else str(Path(path).resolve())
    if client == "kafkajs":
        return _package(strategy)
    return None


def _class(strategy: str, spec: str) -> str:
    """The class of an assignor in a jar: the one that is named, or the only one there is."""
    path, _, name = strategy.partition("!")
    classes = [one.name for one in candidates([path]) if CLIENT_INTERFACE in one.interfaces]
    named = [each for each in classes if not name or each == name or each.rpartition(".")[2] == name]
    if len(named) == 1:
        return named[0]
    if not classes:
        raise InputError(f"{spec}: no class of {path} implements ConsumerPartitionAssignor")
    raise InputError(f"{spec}: expected {path}!CLASS, one of {', '.join(classes)}")


def _package(name: str) -> str | None:
    """The folder of a package of npm; None if it is not installed."""
    folder = folder_with(name)
    return None if folder is None else str((folder / "node_modules" / name).resolve())
