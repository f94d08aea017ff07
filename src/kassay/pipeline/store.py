"""Storage of a campaign: a folder on this machine, or any location that Spark writes to.

Small documents (the header, and a plan and a receipt per batch) are written atomically; a lock admits one
driver at a time. Spark writes the tables itself: a store only provides their addresses.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urlsplit

from kassay.model.errors import InputError, KassayError
from kassay.pipeline.connect import REMOTE, is_connect
from kassay.pipeline.spark import first_line
from kassay.reading.documents import is_folder
from kassay.writing.files import json_text, write_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCK = "lock"
MANIFEST: Final = "manifest.json"


class DamagedDocument(InputError):
    """A document that can be read and is none: what it is about is done again."""


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


class LocalTrial(Local):
    """A folder on this machine that is opened on trial, before Spark starts: nothing in it changes."""

    def write(self, name: str, document: dict[str, Any]) -> None:
        """No effect: a command that fails later must not have claimed the folder."""

    def remove(self, name: str) -> None:
        """No effect."""

    def discard(self, folder: str) -> None:
        """No effect."""


class Remote:
    """A location that only Hadoop's file systems reach."""

    def __init__(self, place: str, spark: SparkSession) -> None:
        self.place = place.rstrip("/")
        if is_connect(spark):
            raise InputError(
                f"{place}: through {REMOTE} expected a folder that this machine shares with the server"
            )
        self._gateway: Any = spark.sparkContext._gateway
        self._hadoop = self._gateway.jvm.org.apache.hadoop.fs
        self._configuration = spark.sparkContext._jsc.hadoopConfiguration()
        with self._reported("", "there is no file system for it"):
            self._must_answer()
            self._files = self._path("").getFileSystem(self._configuration)

    def _must_answer(self) -> None:
        """Raise `InputError` if a named S3 server does not answer; Hadoop would take minutes to report it."""
        named = urlsplit(self._configuration.get("fs.s3a.endpoint") or "")
        if not self.place.startswith("s3a://") or not named.hostname or self._configuration.get(_PROXY):
            return
        try:
            address = named.hostname, named.port or (80 if named.scheme == "http" else 443)
            socket.create_connection(address, timeout=5).close()
        except (OSError, ValueError):
            raise InputError(
                f"{self.place}: no answer from {named.geturl()}, expected a running S3 server"
            ) from None

    def _path(self, name: str) -> Any:
        return self._hadoop.Path(f"{self.place}/{name}".rstrip("/"))

    @contextmanager
    def _reported(self, name: str, problem: str) -> Iterator[None]:
        """Turn Java's errors inside the block into one line."""
        try:
            yield
        except KassayError:
            raise
        except Exception as error:  # py4j's errors have no common class
            place = f"{self.place}/{name}".rstrip("/")
            raise InputError(f"{place}: {problem} ({first_line(error)})") from None

    def read(self, name: str) -> dict[str, Any] | None:
        """The document of this name; None if there is none."""
        path = self._path(name)
        with self._reported(name, "cannot be read"):
            if not self._files.exists(path):
                return None
            stream = self._files.open(path)
            try:
                return _document(bytes(stream.readAllBytes()), f"{self.place}/{name}")
            finally:
                stream.close()

    def write(self, name: str, document: dict[str, Any]) -> None:
        """Write the document atomically: an object appears whole, a file is renamed over the old one."""
        path = self._path(name)
        with self._reported(name, "cannot be written"):
            if self.place.startswith(_OBJECTS):
                _put(self._files.create(path, True), document)
                return
            temporary = self._path(f"{name}.new")
            _put(self._files.create(temporary, True), document)
            rename = getattr(self._hadoop, "Options$Rename")
            options = self._gateway.new_array(rename, 1)
            options[0] = rename.OVERWRITE
            context = self._hadoop.FileContext.getFileContext(path.toUri(), self._configuration)
            context.rename(temporary, path, options)

    def names(self, folder: str) -> list[str]:
        """The names in the folder, in order."""
        path = self._path(folder)
        with self._reported(folder, "cannot be read"):
            statuses = self._files.listStatus(path) if self._files.exists(path) else ()
            names = [status.getPath().getName() for status in statuses]
        return sorted(name for name in names if not name.endswith(".new"))

    def remove(self, name: str) -> None:
        """Delete a document."""
        with self._reported(name, "cannot be deleted"):
            self._files.delete(self._path(name), False)

    def discard(self, folder: str) -> None:
        """Delete a folder with all that is in it."""
        with self._reported(folder, "cannot be deleted"):
            self._files.delete(self._path(folder), True)

    def address(self, name: str) -> str:
        """The address itself."""
        return f"{self.place}/{name}"

    def lock_stream(self) -> Any:
        """A stream to a new lock. An object is put on the condition that there is none, when it is closed."""
        builder = self._files.createFile(self._path(LOCK)).recursive().overwrite(False)
        return builder.opt(_IF_NONE, "true").build()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """A lock file; a killed driver leaves it behind, and its text names the owner."""
        path = self._path(LOCK)
        with self._reported("", "cannot be written"):
            try:
                _put(self.lock_stream(), {"by": _who()})
            except Exception:  # as above: the file exists, or nothing can be created here
                if (holder := self.read(LOCK)) is None:
                    raise
                raise InputError(
                    f"{self.place}: in use by {holder.get('by')}; if that is gone, remove {self.place}/{LOCK}"
                ) from None
        try:
            yield
        finally:
            with suppress(Exception):  # the location may be gone
                self._files.delete(path, False)


_OBJECTS: Final = ("s3a://", "gs://")
"""Where an object appears whole, when it is closed, and where a rename is a copy."""
_PROXY: Final = "fs.s3a.proxy.host"
_IF_NONE: Final = "fs.option.create.conditional.overwrite"
"""Hadoop's name of S3's condition; other file systems, which create exclusively anyway, pass over it."""


def _put(stream: Any, document: dict[str, Any]) -> None:
    stream.write(bytearray(_text(document).encode()))
    stream.close()


def write_receipt(store: Store, name: str, receipt: Mapping[str, Any]) -> None:
    """Write the document with a digest of itself."""
    store.write(name, {**receipt, "digest": _digest(receipt)})


def read_receipt(store: Store, name: str) -> dict[str, Any] | None:
    """The document that `write_receipt` wrote; None if there is none, or if it is damaged."""
    try:
        receipt = store.read(name) or {}
    except DamagedDocument:
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
        raise DamagedDocument(f"{path}: not JSON, expected a document of a campaign") from None
    if not isinstance(document, dict):
        raise DamagedDocument(f"{path}: expected an object")
    return document
