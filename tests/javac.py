"""Java in tests: sources compiled and put into jars, and the jars that `./dev jars` fetches."""

import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.paths import ROOT

JARS = ROOT / ".jars"
CLIENT = JARS / "kafka-clients-3.9.0.jar"


def client(name: str = CLIENT.name) -> Path:
    """The jar of a Kafka client; the test is skipped where it was not fetched."""
    if not (JARS / name).exists():
        pytest.skip(f"needs {name}: ./dev jars" + ("" if name == CLIENT.name else " --all"))
    return JARS / name


def javac() -> str:
    """The compiler; the test is skipped where there is none."""
    program = shutil.which("javac")
    if program is None:
        pytest.skip("needs javac")
    return program


def compiled(
    sources: Mapping[str, str] | Iterable[Path], folder: Path, *class_path: Path, release: int = 11
) -> Path:
    """The folder, into which the sources were compiled: files, or texts by file name."""
    if isinstance(sources, Mapping):
        written = folder.with_name(f"{folder.name}-sources")
        for name, text in sources.items():
            path = written / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        sources = [written / name for name in sources]
    options = ["--release", str(release), "-nowarn", "-Xlint:-options", "-d", str(folder)]
    if class_path:
        options += ["-cp", os.pathsep.join(map(str, class_path))]
    subprocess.run([javac(), *options, *map(str, sources)], check=True)
    return folder


def jar(path: Path, folder: Path) -> Path:
    """A jar of what lies in the folder; the same bytes whenever it is made."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*.class")):
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix())
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    return path
