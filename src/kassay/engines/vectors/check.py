"""Golden-vector files: reads them, and checks each of their vectors against a target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from kassay.assignors.registry import find, release_in
from kassay.engines.targets.resolve import Target
from kassay.kinds.vectors import Factory, Format, load_formats
from kassay.model.errors import InputError
from kassay.model.modules import import_modules
from kassay.reading.documents import at, is_folder, is_there, read_json
from kassay.reading.others import what_document
from kassay.reading.values import read_as


@dataclass(frozen=True)
class _Header:
    algorithm: str
    format_version: Literal[1] = 1
    kafka_version: str = ""
    release: str | None = None


@dataclass(frozen=True)
class _VectorFile:
    header: _Header
    vectors: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Vectors:
    """The contents of a file: the algorithm of its vectors, and the Kafka release that made them.

    Without a `release` they are checked against the newest rule. `version` is the release in the words of the
    header.
    """

    algorithm: str
    release: str | None
    version: str
    vectors: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class FileResult:
    """The result of one file; `unknown` says why nothing could be checked, if so."""

    name: str
    passed: int
    failures: tuple[tuple[str, str], ...]
    unknown: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The file as `kassay/vectors/1` has it."""
        document: dict[str, Any] = {
            "name": self.name,
            "passed": self.passed,
            "failed": len(self.failures),
            "failures": [{"id": vector_id, "message": message} for vector_id, message in self.failures],
        }
        if self.unknown is not None:
            document["unknown"] = self.unknown
        return document


_EXPECTED: Final = "a vector file, JSON with the fields header and vectors"


def vector_files(paths: list[Path]) -> list[Path]:
    """The vector files among the paths and in the folders; raises `InputError` if there are none."""
    files: list[Path] = []
    for path in paths:
        if is_folder(path):
            inside = sorted(p for p in path.iterdir() if p.name.endswith((".json", ".json.gz")))
            if not inside:
                raise InputError(f"{path}: no vector files (.json or .json.gz) in this folder")
            files += inside
        elif is_there(path):
            files.append(path)
        else:
            raise InputError(f"{path}: no such file or folder")
    return files


def read_vectors(path: Path) -> Vectors:
    """The contents of the vector file; raises `InputError` for an invalid one.

    The header names the release, or the version of Kafka in words.
    """
    document = read_json(path, _EXPECTED)
    if not isinstance(document, dict) or not {"header", "vectors"} <= document.keys():
        raise InputError(f"{path}: {what_document(document)}, expected {_EXPECTED}")
    file = read_as(_VectorFile, document, str(path))
    header = file.header
    version = header.release or header.kafka_version
    return Vectors(header.algorithm, header.release or release_in(version), version, file.vectors)


def every_format() -> Mapping[str, Format[Any]]:
    """Every format by algorithm: those of kinds, and of the traces of the protocols."""
    import_modules("kassay.engines.vectors.protocol")
    return load_formats()


def check_file(
    path: Path, factory: Factory | None, *, exact: bool, target: Target | None = None
) -> FileResult:
    """Check every vector of the file; without a factory against its reference.

    Raises `InputError` if `target`, which the factory makes, does not accept the vectors' input.
    """
    file = read_vectors(path)
    name = path.name.removesuffix(".gz").removesuffix(".json")
    form = every_format().get(file.algorithm)
    if form is None:
        return FileResult(name, 0, (), f"no check for algorithm {file.algorithm!r} yet")
    if not file.vectors:
        return FileResult(name, 0, (), "no vectors in it")
    if target is not None:
        with at(str(path)):
            _require_accepts(form.spec(file.vectors[0]), target)
    passed, failures = 0, []
    for number, vector in enumerate(file.vectors):
        vector_id = str(vector.get("id", f"number {number}"))
        try:
            made_by = factory or _reference(form, vector, file.release)
            message = form.check(vector, made_by, exact=exact, version=file.version)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        if message is None:
            passed += 1
        else:
            failures.append((vector_id, message))
    return FileResult(name, passed, tuple(failures))


def _require_accepts(rule: str, target: Target) -> None:
    """Raise `InputError` for a target that does not accept the rule's input: one of another kind or level.

    Kinds with the same `question` accept the same input. Protocol vectors belong to no rule.
    """
    known = find(rule)
    if known is None:
        raise InputError(f"vectors of {rule} are for kassay's own model alone, expected no target")
    wanted, have = f"a target of kind {known.kind}", f"one of kind {target.kind}"
    if known.kind is target.kind and known.kind.levels and known.level != target.level:
        wanted, have = (
            f"a {known.kind.meta.replace('-', ' ')} of level {known.level}",
            f"one of level {target.level}",
        )
    elif known.kind is target.kind or (known.kind.question and known.kind.question == target.kind.question):
        return
    raise InputError(f"vectors of {known.rule}, expected {wanted}, got {have}")


def _reference(form: Format[Any], vector: Mapping[str, Any], release: str | None) -> Factory:
    """The factory of the vector's reference; raises `InputError` for a release without one."""
    rule = form.spec(vector)
    known = find(rule if release is None else f"{rule}@{release}")
    return (lambda: None) if known is None else known.factory


def check_files(
    paths: list[Path], factory: Factory | None, *, exact: bool, target: Target | None = None
) -> Iterator[FileResult]:
    """The results of the files, one by one; `target` is what the factory makes."""
    for path in vector_files(paths):
        yield check_file(path, factory, exact=exact, target=target)
