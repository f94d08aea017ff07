"""The command that serves a class of a jar: our shim on Java, with flags for a small, watched process.

The shim (`shim/kassay/*.java`, with its compiled classes) calls Kafka by reflection only, so one build serves
every release. `javac --release 11 -d src/kassay/certify/jars/shim src/kassay/certify/jars/shim/kassay/*.java`
compiles it; running it needs only a runtime.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

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


def command(
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
