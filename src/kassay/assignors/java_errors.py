"""What the Java virtual machine throws where Kafka's assignors run into a case they did not expect."""

from __future__ import annotations

from kassay.model.errors import KafkaError


class IllegalArgumentError(KafkaError):
    """An argument that Java code refuses."""

    java_class = "java.lang.IllegalArgumentException"


class IllegalStateError(KafkaError):
    """A check inside Kafka's own code failed: the algorithm got lost."""

    java_class = "java.lang.IllegalStateException"


class NullPointerError(KafkaError):
    """Kafka looked something up that was not there and used it all the same."""

    java_class = "java.lang.NullPointerException"


class IndexOutOfBoundsError(KafkaError):
    """An index into a Java list that is outside it."""

    java_class = "java.lang.IndexOutOfBoundsException"


class ArrayIndexOutOfBoundsError(KafkaError):
    """An index into a Java array that is outside it."""

    java_class = "java.lang.ArrayIndexOutOfBoundsException"


class NoSuchElementError(KafkaError):
    """Kafka asked for the first element of an empty collection."""

    java_class = "java.util.NoSuchElementException"


class DivisionByZeroError(KafkaError):
    """Kafka divided by zero."""

    java_class = "java.lang.ArithmeticException"


class TaskAssignorError(KafkaError):
    """The broker's assignor of Streams tasks could not give out a task."""

    java_class = "org.apache.kafka.coordinator.group.api.streams.assignor.TaskAssignorException"


class InternalTaskAssignorError(KafkaError):
    """The same before 4.4, where the assignors of Streams tasks were no public interface."""

    java_class = "org.apache.kafka.coordinator.group.streams.assignor.TaskAssignorException"
