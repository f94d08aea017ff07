"""The registry of checks for vector files; a decorator in each format's file adds its check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, Protocol, TypeVar

from kassay.model.errors import InputError, KafkaError
from kassay.model.modules import import_modules
from kassay.reading.values import read_as

V = TypeVar("V")
V_contra = TypeVar("V_contra", contravariant=True)
A = TypeVar("A")
Runs = tuple[tuple[str, tuple[int, ...]], ...]
"""Partitions as `[[topic, [p, ...]], ...]`."""
Factory = Callable[[], Any]


class Check(Protocol[V_contra]):
    """Checks one vector: None when the target answers as Kafka did, else one line with the difference.

    `factory` makes a new object of the target; `exact` also compares the order inside lists. Raises
    `InputError` for a vector that contradicts itself.
    """

    def __call__(self, vector: V_contra, factory: Callable[..., Any], *, exact: bool) -> str | None:
        """Check one vector."""


@dataclass(frozen=True)
class Format(Generic[V]):
    """How the vectors of one `algorithm` are read and compared.

    `reference` is the target spec of the reference that they belong to, or a function from the vector to it
    where a file serves several. Without a `shape` the check receives the document unread. With `versioned`
    the check receives the Kafka release of the file's header as `version`.
    """

    algorithm: str
    reference: str | Callable[[Mapping[str, Any]], str]
    shape: type[V] | None
    compare: Check[V]
    versioned: bool = False

    def spec(self, vector: Mapping[str, Any]) -> str:
        """The spec of the reference that the vector belongs to; raises `InputError`."""
        with self._naming(vector):
            return self.reference if isinstance(self.reference, str) else self.reference(vector)

    def check(
        self, vector: Mapping[str, Any], factory: Callable[..., Any], *, exact: bool, version: str = ""
    ) -> str | None:
        """None when the target answers as Kafka did, else the difference; raises `InputError`."""
        with self._naming(vector):
            read: Any = vector if self.shape is None else read_as(self.shape, vector)
            compare: Callable[..., str | None] = self.compare
            if self.versioned:
                compare = partial(compare, version=version)
            return compare(read, factory, exact=exact)

    @contextmanager
    def _naming(self, vector: Mapping[str, Any]) -> Iterator[None]:
        """A context that adds the vector's name to errors."""
        try:
            yield
        except InputError as error:
            raise InputError(f"vector {vector.get('id', '?')}: {error}") from None
        except (KeyError, ValueError) as error:
            text = f"not of the format of {self.algorithm} ({type(error).__name__}: {error})"
            raise InputError(f"vector {vector.get('id', '?')}: {text}") from None


FORMATS: Final[dict[str, Format[Any]]] = {}


def vector_format(
    algorithm: str,
    shape: type[V] | None,
    *,
    reference: str | Callable[[Mapping[str, Any]], str],
    versioned: bool = False,
) -> Callable[[Check[V]], Check[V]]:
    """Register the check for the vector files whose header names `algorithm`."""

    def register(check: Check[V]) -> Check[V]:
        if algorithm in FORMATS:
            raise ValueError(f"two checks for vectors of {algorithm!r}")
        FORMATS[algorithm] = Format(algorithm, reference, shape, check, versioned)
        return check

    return register


def compared(
    ask: Callable[[], A], error: str | None, differs: Callable[[A], str | None], *, exact: bool
) -> str | None:
    """The difference between the target's answer and Kafka's, where Kafka answered or raised `error`.

    The class of an error counts only in an `exact` check.
    """
    wanted = "an answer" if error is None else error
    try:
        answer = ask()
    except KafkaError as raised:
        if raised.java_class == error or (error is not None and not exact):
            return None
        return f"raised {raised.java_class} ({raised}) where Kafka gives {wanted}"
    except Exception as raised:  # whatever a target raises is its answer
        return f"raised {type(raised).__name__} ({raised}) where Kafka gives {wanted}"
    return differs(answer) if error is None else f"answered where Kafka raises {error}"


def load_formats() -> dict[str, Format[Any]]:
    """Every format by algorithm; imports all format files."""
    import_modules("kassay.kinds")
    return FORMATS
