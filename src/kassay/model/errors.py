"""Exceptions: kassay's own, and Kafka's under Kafka's names."""

from __future__ import annotations

from typing import ClassVar


class KassayError(Exception):
    """The base class of everything that kassay raises on purpose."""


class InputError(KassayError, ValueError):
    """An input is unreadable or impossible.

    The message says what is wrong, where (file, line, field), and what is accepted.
    """


class TargetError(KassayError):
    """A target cannot be tested; exit code 4."""


class TargetNotFound(TargetError):
    """No target has that name."""


class TargetNotLoadable(TargetError):
    """The target exists but cannot be loaded or started; one line: what, where, what is accepted."""


class KafkaError(KassayError):
    """An error that Kafka itself raises in this situation; `java_class` is its class in Kafka."""

    java_class: ClassVar[str] = "org.apache.kafka.common.KafkaException"
