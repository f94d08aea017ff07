"""Kafka's jars: the coordinator's, a whole broker's with its tools, or Streams'; fetched once through Maven.

A distribution of Kafka (`kafka_2.13-4.4.0`) has them in `libs/`. `fetch` runs the `mvn` on the PATH, with
whatever repository it is configured for, and keeps about 27 MB (a broker: 54 MB, Streams: 93 MB) for each
release in kassay's cache: `KASSAY_CACHE`, else `XDG_CACHE_HOME/kassay`, else `~/.cache/kassay`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from kassay.model.errors import InputError
from kassay.writing.files import write_text

NEWEST_RELEASE: Final = "4.4.0"
HOME: Final = "KASSAY_KAFKA_HOME"
"""The variable with the folder of an unpacked distribution of Kafka, whose jars are used."""
_RELEASE: Final = re.compile(r"\d+(?:\.\d+){2}")
_COORDINATOR: Final = "kafka-group-coordinator-"
_POM: Final = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>kassay</groupId><artifactId>jars</artifactId><version>1</version>
  <dependencies>{}</dependencies>
</project>
"""
_DEPENDENCY: Final = """
    <dependency>
      <groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>
    </dependency>"""


class JarSet(NamedTuple):
    """What Maven fetches: artifacts (version None: the release), and the jar that completes them.

    `size` is in MB; `what` says what they are for a release.
    """

    artifacts: tuple[tuple[str, str, str | None], ...]
    marker: str
    folder: str
    size: int = 0
    what: str = ""

    def pom(self, release: str) -> str:
        """The project whose dependencies are these."""
        wanted = [each for each in self.artifacts if each[0] != _SLF4J or not release.startswith("3.")]
        listed = "".join(_DEPENDENCY.format(*each[:2], each[2] or release) for each in wanted)
        return _POM.format(listed)


_KAFKA: Final = "org.apache.kafka"
_SLF4J: Final = "org.slf4j"
COORDINATOR: Final = JarSet(
    (
        (_KAFKA, "kafka-group-coordinator", None),
        (_KAFKA, "kafka-metadata", None),
        ("com.fasterxml.jackson.core", "jackson-databind", "2.18.2"),
    ),
    _COORDINATOR,
    "kafka",
    27,
    "Kafka {}'s jars",
)
BROKER: Final = JarSet(
    # The jars of 4.x bring no binding of SLF4J, those of 3.x do: without one a broker does not even print
    # that it is up.
    ((_KAFKA, "kafka_2.13", None), (_KAFKA, "kafka-tools", None), (_SLF4J, "slf4j-simple", "1.7.36")),
    "kafka_2.13-",
    "kafka-brokers",
    54,
    "the jars of a Kafka {} broker",
)
STREAMS_JARS: Final = JarSet(
    ((_KAFKA, "kafka-streams", None),), "kafka-streams-", "kafka-streams", 93, "the jars of Kafka Streams {}"
)


def cache_folder(jars: JarSet = COORDINATOR) -> Path:
    """Where fetched jars are kept, a folder for each release."""
    if named := os.environ.get("KASSAY_CACHE"):
        return Path(named) / jars.folder
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "kassay" / jars.folder


def kafka_home() -> Path | None:
    """The distribution that `KASSAY_KAFKA_HOME` names, if any."""
    return Path(named) if (named := os.environ.get(HOME)) else None


def broker_jars(
    release: str = NEWEST_RELEASE, *, home: Path | None = None, fetch: bool = False
) -> tuple[Path, ...]:
    """The jars of a broker and of Kafka's tools, as `jars_of` has them."""
    return jars_of(BROKER, release, home=home, fetch=fetch)


def coordinator_jars(
    release: str = NEWEST_RELEASE, *, home: Path | None = None, fetch: bool = False
) -> tuple[Path, ...]:
    """The jars that Kafka's coordinator of this release needs, as `jars_of` has them."""
    return jars_of(COORDINATOR, release, home=home, fetch=fetch)


def jars_of(
    wanted: JarSet, release: str = NEWEST_RELEASE, *, home: Path | None = None, fetch: bool = False
) -> tuple[Path, ...]:
    """The jars of a release in order: of `home`, an unpacked distribution, or of the cache.

    `fetch` downloads those that the cache lacks. Raises `InputError`, one line that says what is needed, if
    they are not there.
    """
    _require_release(release)
    if home is not None:
        return _of_distribution(home, release, wanted)
    folder = cache_folder(wanted) / release
    if not _complete(folder, release, wanted) and fetch:
        _fetch(release, folder, wanted)
    if not _complete(folder, release, wanted):
        raise InputError(
            f"needs {wanted.what.format(release)}: expected {HOME}=DIR, an unpacked distribution of "
            f"Kafka, or --fetch, which downloads {wanted.size} MB through Maven into {folder}"
        )
    return tuple(sorted(folder.glob("*.jar")))


def release_of(text: str) -> tuple[int, ...]:
    """The numbers of a release, which compare as releases do; raises `InputError`."""
    _require_release(text)
    return tuple(map(int, text.split(".")))


def _require_release(release: str) -> None:
    if not _RELEASE.fullmatch(release):
        raise InputError(f"--release {release!r}: expected a release of Kafka such as {NEWEST_RELEASE}")


def _complete(folder: Path, release: str, jars: JarSet = COORDINATOR) -> bool:
    """Whether the folder has these jars of the release; it appears at once, with all of them."""
    return any(folder.glob(f"{jars.marker}{release}.jar"))


def _of_distribution(home: Path, release: str, jars: JarSet) -> tuple[Path, ...]:
    marker = jars.marker
    for folder in (home / "libs", home):
        names = [path.name for path in folder.glob(f"{marker}[0-9]*.jar")]
        if f"{marker}{release}.jar" in names:
            return tuple(sorted(folder.glob("*.jar")))
        if names:
            other = names[0].removeprefix(marker).removesuffix(".jar")
            raise InputError(f"{HOME}={home}: Kafka {other}, expected {release}, or --release {other}")
    raise InputError(f"{HOME}={home}: no libs/{marker}{release}.jar, expected a distribution of Kafka")


def _fetch(release: str, folder: Path, jars: JarSet = COORDINATOR) -> None:
    """Download the jars of a release; raises `InputError` without Maven, or if it fails."""
    maven = shutil.which("mvn")
    if maven is None:
        raise InputError(f"--fetch needs Maven: no mvn on the PATH; expected one, or {HOME}=DIR")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        pom, into = Path(temporary) / "pom.xml", Path(temporary) / "jars"
        write_text(jars.pom(release), str(pom))
        goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={into}"]
        done = subprocess.run(
            [maven, "-q", "-B", "-f", str(pom), *goal], capture_output=True, text=True, check=False
        )
        if done.returncode or not _complete(into, release, jars):
            raise InputError(f"--fetch: Maven could not get Kafka {release}: {_reason(done.stdout)}")
        if not _complete(folder, release, jars):
            into.rename(folder)


def _reason(text: str) -> str:
    """The first error in Maven's output."""
    return next((line for line in text.splitlines() if "ERROR" in line), "it printed no error")


def class_path(jars: Iterable[Path], *before: Path) -> str:
    """A class path of folders and jars."""
    return os.pathsep.join(map(str, [*before, *jars]))
