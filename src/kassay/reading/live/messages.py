"""The messages of Kafka's protocol that live reading sends: kafka-python's, and three that it lacks.

Importing them makes kafka-python read its schemas by a function that Python calls deprecated, hence the
silence. What it lacks is in `schemas/`. Source: Kafka's message schemas
(`clients/src/main/resources/common/message`).
"""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from kassay.model.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCHEMAS: Final = "kassay.reading.live.schemas"
_LACKING: Final = ("Consumer", "Share", "Streams")
NEEDS: Final = "--bootstrap-server: needs kafka-python 3, which is not installed: pip install 'kassay[live]'"


def messages() -> Any:
    """The classes of requests by name; raises `InputError` without kafka-python 3."""
    global _known  # read once a process: it takes some tenths of a second
    if _known is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            _known = _imported()
    return _known


_known: Any = None


def _imported() -> SimpleNamespace:
    try:
        from kafka.protocol import admin, consumer, metadata, sasl
        from kafka.protocol.api_message import ApiMessage
        from kafka.protocol.parser import KafkaProtocol
    except ImportError:
        raise InputError(NEEDS) from None
    classes: Mapping[str, Any] = {
        name: getattr(module, name)
        for module in (admin, consumer, metadata, sasl)
        for name in dir(module)
        if name.endswith("Request")
    }
    meta = type(ApiMessage)
    own = {
        name: meta(name, (ApiMessage,), {"__module__": __name__}, load_json=_SCHEMAS)
        for name in (f"{kind}GroupDescribe{way}" for kind in _LACKING for way in ("Request", "Response"))
    }
    return SimpleNamespace(**classes, **own, KafkaProtocol=KafkaProtocol)
