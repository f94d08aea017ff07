"""Only the driver's code runs on Spark's workers, and only the driver's files of targets.

A worker has an installation of its own. What compares it with the driver's travels by value, so that an older
kassay, which has no such check, is found out as well; nothing of a task is unpickled before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, NamedTuple, TypeVar

from kassay.engines.runs.blocks import Job
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.errors import KassayError
from kassay.reading.documents import is_file
from kassay.reading.specs import place_and_class
from kassay.writing.files import write_bytes

Taken = TypeVar("Taken")
Given = TypeVar("Given")

SHIPPED_MAX: Final = 1 << 20
"""Files of targets up to this size travel with the job."""


class CodeIdentity(NamedTuple):
    """The version of an installed kassay, and a digest of all its files."""

    version: str
    digest: str

    def __str__(self) -> str:
        return f"kassay {self.version} ({self.digest[:12]})"


class WorkerRefused(KassayError):
    """A worker cannot play what the driver wants; `spark.translated_errors` finds the mark in its text."""


def _by_value() -> Callable[[], tuple[str, str]]:
    """A function that reads the installed kassay. It is local, which is why cloudpickle copies its code."""

    def installed() -> tuple[str, str]:
        import hashlib
        from importlib.resources import files

        import kassay

        known = getattr(kassay, "_code_identity", None)
        if known is None:
            digest, waiting = hashlib.blake2b(digest_size=16), [("", files("kassay"))]
            contents = []
            while waiting:
                name, place = waiting.pop()
                for each in place.iterdir():
                    path = f"{name}/{each.name}"
                    if each.is_dir():
                        waiting += [(path, each)] if each.name != "__pycache__" else []
                    elif not each.name.endswith(".pyc"):
                        contents.append(
                            (path, hashlib.blake2b(each.read_bytes(), digest_size=16).hexdigest())
                        )
            for path, content in sorted(contents):
                digest.update(f"{path} {content}\n".encode("utf-8", "surrogatepass"))
            known = (kassay.__version__, digest.hexdigest())
            kassay._code_identity = known  # type: ignore[attr-defined]
        return known

    return installed


@cache
def own_code() -> CodeIdentity:
    """The kassay of this process; reading all its files takes about 0.1 s."""
    return CodeIdentity(*_by_value()())


def on_workers(function: Callable[[Taken], Given]) -> Callable[[Taken], Given]:
    """The function for `mapInArrow` and `applyInArrow`, which runs only where kassay is the driver's.

    The task fails otherwise, with a line that `spark.translated_errors` shows.
    """
    from pyspark import cloudpickle

    payload, wanted, installed = cloudpickle.dumps(function), tuple(own_code()), _by_value()

    def checked(taken: Taken) -> Given:
        import pickle
        import platform
        import sys

        host = platform.node()
        try:
            theirs = installed()
        except ImportError:
            raise RuntimeError(
                f"[[kassay]] {host}: no kassay for {sys.executable}, expected {wanted[0]} on every worker"
            ) from None
        if theirs != wanted:
            raise RuntimeError(
                f"[[kassay]] {host}: kassay {theirs[0]} ({theirs[1][:12]}), but the driver has {wanted[0]} "
                f"({wanted[1][:12]}); install the driver's kassay on every worker"
            )
        given: Given = pickle.loads(payload)(taken)
        return given

    return checked


@dataclass(frozen=True)
class TargetFile:
    """A file of a target as the driver read it; `content` is None where it is too large to travel."""

    path: str
    digest: str
    content: bytes | None


def sources_of(targets: Iterable[Target]) -> Mapping[str, TargetFile]:
    """The files of the targets by path."""
    files = {}
    for path in {source for target in targets for source in target.sources}:
        content = Path(path).read_bytes()
        small = content if len(content) <= SHIPPED_MAX else None
        files[path] = TargetFile(path, sha256(content).hexdigest(), small)
    return files


def as_on_driver(job: Job, files: Mapping[str, TargetFile]) -> Job:
    """The job, whose target is loaded from the driver's file where this machine has none or another one.

    A Python file travels; raises `WorkerRefused` for any other that is missing or different here.
    """
    differing = [path for path in job.target.sources if not _is_same(files[path])]
    if not differing:
        return job
    place, name = place_and_class(job.target.spec)
    source = files[differing[0]]
    if source.content is None or not place.endswith(".py") or Path(place).name != Path(source.path).name:
        raise WorkerRefused(_refusal(differing[0]))
    copy = _copied(source)
    moved = resolve(
        f"{copy}:{name}" if name else str(copy),
        limits=job.target.start.limits,
        config=dict(job.target.start.config),
        protocol=job.target.protocol,
    )
    if moved.digest != job.target.digest:
        raise WorkerRefused(_refusal(source.path))
    return Job(replace(moved, spec=job.target.spec), job.options)


def _is_same(source: TargetFile) -> bool:
    return is_file(source.path) and sha256(Path(source.path).read_bytes()).hexdigest() == source.digest


@cache
def _copied(source: TargetFile) -> Path:
    """The driver's file in a folder of this process."""
    assert source.content is not None
    copy = Path(mkdtemp(prefix="kassay-target-")) / Path(source.path).name
    write_bytes([source.content], str(copy))
    return copy


def _refusal(path: str) -> str:
    import platform

    state = "another file than the driver's" if is_file(path) else "no such file"
    return f"[[kassay]] {platform.node()}: {path}: {state}, expected the driver's on every worker"
