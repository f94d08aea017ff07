"""What goes wrong: our own errors, and Kafka's under Kafka's names."""

from __future__ import annotations

from typing import ClassVar


class KassayError(Exception):
    """The root of everything kassay raises on purpose."""


class InputError(KassayError, ValueError):
    """Somebody gave us something unreadable or impossible.

    The message says what, where (file, line, field) and what was expected.
    """


class TargetError(KassayError):
    """A target cannot be put to the test; exit code 4."""


class TargetNotFound(TargetError):
    """There is no target of that name."""


class TargetNotLoadable(TargetError):
    """The target is there and cannot be loaded or started; one line: what, where, what was expected."""


class KafkaError(KassayError):
    """An error that Kafka itself would raise here; `java_class` is the class it would have."""

    java_class: ClassVar[str] = "org.apache.kafka.common.KafkaException"
