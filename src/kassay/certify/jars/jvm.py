"""The program that asks a class of a jar: our shim on a Java, with flags for a small process under watch.

The shim (`shim/kassay/*.java`, its classes beside them) calls Kafka by reflection alone, so one build serves
every release. `javac --release 11 -d src/kassay/certify/jars/shim src/kassay/certify/jars/shim/kassay/*.java`
makes its classes; no more than a run time is needed to use them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

SHIM: Final = Path(__file__).parent / "shim"
"""The folder of the shim's classes, for a class path."""
MAIN: Final = "kassay.Shim"

_FLAGS: Final = (
    "-XX:+IgnoreUnrecognizedVMOptions",  # not every Java from 11 on has all of them
    "-XX:+UseSerialGC",  # no threads for a heap this small
    "-XX:TieredStopAtLevel=1",  # twice as fast over the short life of a run
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+DisplayVMOutputToStderr",  # or the machine's last words stand among the answers
    "-XX:-UsePerfData",  # leaves a file behind where the machine is killed
    "-XX:-CreateCoredumpOnCrash",
    "-XX:+ErrorFileToStderr",
    "-Dslf4j.internal.verbosity=ERROR",  # nobody needs to hear that nothing is logged
)
_HEAP: Final = 4
"""Of the memory of the process, by which it is judged, the heap gets one part of so many."""


def command(
    java: str, paths: Iterable[str], class_name: str, *, protocol: str = "", memory_mib: int = 512
) -> tuple[str, ...]:
    """The command line of a program that speaks exec protocol 2 for the class of that full name.

    A group plays the protocol, where that is known: before an eager rebalance members give everything up.
    """
    settings = [f"-Xmx{max(1, memory_mib // _HEAP)}m"]
    if protocol:
        settings.append(f"-Dkassay.protocol={protocol}")
    class_path = os.pathsep.join([str(SHIM), *paths])
    return (java, *_FLAGS, *settings, "-cp", class_path, MAIN, class_name)
