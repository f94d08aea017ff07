"""Storage of a campaign: a folder on this machine, or any location that Spark writes to.

Small documents (the header, and a plan and a receipt per batch) are written atomically; a lock admits one
driver at a time. Spark writes the tables itself: a store only provides their addresses.
"""

from __future__ import annotations

import errno
import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, Final, Protocol

from kassay.model.errors import InputError
from kassay.pipeline.spark import first_line
from kassay.reading.documents import is_folder
from kassay.writing.files import json_text, write_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCK = "lock"
MANIFEST: Final = "manifest.json"


class Store(Protocol):
    """A location with documents and tables."""

    place: str

    def read(self, name: str) -> dict[str, Any] | None:
        """The document of this name; None if there is none."""

    def write(self, name: str, document: dict[str, Any]) -> None:
        """Write the document atomically."""

    def names(self, folder: str) -> list[str]:
        """The names in the folder, in order; empty if the folder does not exist."""

    def remove(self, name: str) -> None:
        """Delete a document, if it exists."""

    def discard(self, folder: str) -> None:
        """Delete a folder with all that is in it, if it exists."""

    def address(self, name: str) -> str:
        """The address for Spark."""

    def locked(self) -> Any:
        """A context with an exclusive lock; raises `InputError` if another process holds it."""


def open_store(place: str, spark: SparkSession) -> Store:
    """The store at a path, or at an address such as `hdfs://...` or `s3a://...`, using the session."""
    scheme, colon, rest = place.partition("://")
    if not colon:
        return Local(Path(place))
    if scheme == "file":
        return Local(Path("/" + rest.lstrip("/")))
    return Remote(place, spark)


class Local:
    """A folder on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = str(folder)

    def read(self, name: str) -> dict[str, Any] | None:
        """The document of this name; None if there is none."""
        path = self.folder / name
        try:
            return _document(path.read_bytes(), str(path))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from None

    def write(self, name: str, document: dict[str, Any]) -> None:
        """Write the document atomically."""
        write_text(_text(document), str(self.folder / name), durable=True)

    def names(self, folder: str) -> list[str]:
        """The names in the folder, in order."""
        path = self.folder / folder
        return sorted(p.name for p in path.iterdir() if not p.name.startswith(".")) if is_folder(path) else []

    def remove(self, name: str) -> None:
        """Delete a document."""
        (self.folder / name).unlink(missing_ok=True)

    def discard(self, folder: str) -> None:
        """Delete a folder with all that is in it."""
        rmtree(self.folder / folder, ignore_errors=True)

    def address(self, name: str) -> str:
        """A `file:` address, so that the session's default file system does not apply.

        Hadoop takes the path literally; escapes of a URI would become part of the name.
        """
        return f"file://{(self.folder / name).resolve()}"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """The operating system's lock: it ends with the process, in any case."""
        import fcntl

        path = self.folder / LOCK
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = path.open("a+")
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from None
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                    raise
                file.seek(0)
                raise InputError(
                    f"{self.folder}: in use by {file.read().strip() or 'another process'}"
                ) from None
            file.truncate(0)
            file.write(_who())
            file.flush()
            yield


class Remote:
    """A location that only Hadoop's file systems reach."""

    def __init__(self, place: str, spark: SparkSession) -> None:
        self.place = place.rstrip("/")
        self._jvm: Any = spark._jvm
        configuration = spark.sparkContext._jsc.hadoopConfiguration()
        try:
            self._files = self._path("").getFileSystem(configuration)
        except Exception as error:  # py4j's errors have no common class
            raise InputError(f"{place}: there is no file system for it ({first_line(error)})") from None

    def _path(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(f"{self.place}/{name}".rstrip("/"))

    def read(self, name: str) -> dict[str, Any] | None:
        """The document of this name; None if there is none."""
        path = self._path(name)
        if not self._files.exists(path):
            return None
        stream = self._files.open(path)
        try:
            return _document(bytes(stream.readAllBytes()), f"{self.place}/{name}")
        finally:
            stream.close()

    def write(self, name: str, document: dict[str, Any]) -> None:
        """Write a temporary file, then rename: atomic if renaming is; a truncated document is not read."""
        path, temporary = self._path(name), self._path(f"{name}.new")
        try:
            stream = self._files.create(temporary, True)
            stream.write(bytearray(_text(document).encode()))
            stream.close()
            self._files.delete(path, False)
            self._files.rename(temporary, path)
        except Exception as error:  # as above
            raise InputError(f"{self.place}/{name}: cannot be written ({first_line(error)})") from None

    def names(self, folder: str) -> list[str]:
        """The names in the folder, in order."""
        path = self._path(folder)
        if not self._files.exists(path):
            return []
        return sorted(
            name
            for status in self._files.listStatus(path)
            if not (name := status.getPath().getName()).endswith(".new")
        )

    def remove(self, name: str) -> None:
        """Delete a document."""
        self._files.delete(self._path(name), False)

    def discard(self, folder: str) -> None:
        """Delete a folder with all that is in it."""
        self._files.delete(self._path(folder), True)

    def address(self, name: str) -> str:
        """The address itself."""
        return f"{self.place}/{name}"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """A lock file; a killed driver leaves it behind, and its text names the owner."""
        path = self._path(LOCK)
        try:
            stream = self._files.create(path, False)
        except Exception:  # as above: the file exists, or nothing can be created here
            holder = self.read(LOCK) if self._files.exists(path) else None
            if holder is None:
                raise InputError(f"{self.place}: cannot be written") from None
            raise InputError(
                f"{self.place}: in use by {holder.get('by')}; if that is gone, remove {self.place}/{LOCK}"
            ) from None
        stream.write(bytearray(_text({"by": _who()}).encode()))
        stream.close()
        try:
            yield
        finally:
            with suppress(Exception):  # the location may be gone
                self._files.delete(path, False)


def write_receipt(store: Store, name: str, receipt: Mapping[str, Any]) -> None:
    """Write the document with a digest of itself."""
    store.write(name, {**receipt, "digest": _digest(receipt)})


def read_receipt(store: Store, name: str) -> dict[str, Any] | None:
    """The document that `write_receipt` wrote; None if there is none, or if it is damaged."""
    try:
        receipt = store.read(name) or {}
    except InputError:
        return None
    digest = receipt.pop("digest", None)
    return receipt if digest == _digest(receipt) else None


def _digest(receipt: Mapping[str, Any]) -> str:
    return blake2b(json_text(receipt, sort_keys=True).encode(), digest_size=16).hexdigest()


def files_in(store: Store, folder: str) -> list[str]:
    """The files of Parquet in a folder that Spark wrote, as names in the store."""
    return [f"{folder}/{name}" for name in store.names(folder) if name.endswith(".parquet")]


def write_manifest(store: Store, tables: Mapping[str, Sequence[str]]) -> None:
    """Write the manifest: the files of each table that readers may rely on; whatever else is there may go."""
    store.write(MANIFEST, {"schema": "kassay/manifest/1", "tables": tables})


def _who() -> str:
    return f"process {os.getpid()} on {platform.node()}"


def _text(document: dict[str, Any]) -> str:
    return json_text(document, sort_keys=True) + "\n"


def _document(data: bytes, path: str) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except ValueError:
        raise InputError(f"{path}: not JSON, expected a document of a campaign") from None
    if not isinstance(document, dict):
        raise InputError(f"{path}: expected an object")
    return document
