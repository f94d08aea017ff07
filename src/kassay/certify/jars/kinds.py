"""The kind of a class on a class path, its required jars, and whether it is configurable."""

from __future__ import annotations

from typing import Final

from kassay.certify.jars.candidates import ancestors, interfaces_of
from kassay.model.errors import TargetNotFound
from kassay.reading.jar import ClassPath

_CLIENTS: Final = ("org.apache.kafka.common.TopicPartition", "kafka-clients")
"""The class that requests of every kind need, and the jar that contains it."""
_CONFIGURABLE: Final = "org.apache.kafka.common.Configurable"


def require_kafka(label: str, class_path: ClassPath, class_name: str, variable: str) -> None:
    """Raise `TargetNotFound`, naming the jar to add, if the class path lacks what the class's kind needs.

    The environment variable `variable` may name the client's jar. A class of no kind passes; Java refuses it.
    """
    one = class_path.find(class_name)
    kinds = interfaces_of(one, class_path) if one is not None else ()
    if not kinds:
        return
    for name, jar in ((kinds[0].name, kinds[0].jar), _CLIENTS):
        if class_path.find(name) is None:
            raise TargetNotFound(
                f"{label}: kind {kinds[0].kind} needs {name}, which is in none of these jars, "
                f"expected {jar}-VERSION.jar behind a colon"
                + (f" or in {variable}" if jar == _CLIENTS[1] else "")
            )


def is_configurable(class_name: str, class_path: ClassPath) -> bool:
    """Whether the class is configurable: it implements Kafka's `Configurable`."""
    one = class_path.find(class_name)
    return one is not None and _CONFIGURABLE in ancestors(one, class_path)
