"""The exceptions that the Java virtual machine throws where Kafka's assignors meet an unexpected case."""

from __future__ import annotations

from kassay.model.errors import KafkaError


class IllegalArgumentError(KafkaError):
    """An argument that Java code refuses."""

    java_class = "java.lang.IllegalArgumentException"


class IllegalStateError(KafkaError):
    """A check inside Kafka's own code failed: the algorithm is in an impossible state."""

    java_class = "java.lang.IllegalStateException"


class NullPointerError(KafkaError):
    """Kafka looked up a missing entry and used the result."""

    java_class = "java.lang.NullPointerException"


class IndexOutOfBoundsError(KafkaError):
    """An index outside a Java list."""

    java_class = "java.lang.IndexOutOfBoundsException"


class ArrayIndexOutOfBoundsError(KafkaError):
    """An index outside a Java array."""

    java_class = "java.lang.ArrayIndexOutOfBoundsException"


class NoSuchElementError(KafkaError):
    """Kafka took the first element of an empty collection."""

    java_class = "java.util.NoSuchElementException"


class DivisionByZeroError(KafkaError):
    """Kafka divided by zero."""

    java_class = "java.lang.ArithmeticException"


class TaskAssignorError(KafkaError):
    """The broker's assignor of Streams tasks could not assign a task."""

    java_class = "org.apache.kafka.coordinator.group.api.streams.assignor.TaskAssignorException"


class InternalTaskAssignorError(KafkaError):
    """The same before 4.4, where the assignors of Streams tasks had no public interface."""

    java_class = "org.apache.kafka.coordinator.group.streams.assignor.TaskAssignorException"
