"""The legal names of Kafka's things: which texts a cluster accepts, and the class of Kafka that checks it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from unicodedata import category


@dataclass(frozen=True)
class NameRange:
    """The texts that are legal names.

    `words` say which, `longest` is the largest number of characters, `source` names Kafka's class and method.
    """

    words: str
    longest: int
    source: str
    accepts: Callable[[str], bool]


_TOPIC: Final = re.compile(r"[a-zA-Z0-9._-]{1,249}\Z")
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
TEXT_LONGEST: Final = 32_767
"""The largest number of bytes of a string in Kafka's protocol before compact strings."""


def _is_topic(name: str) -> bool:
    return bool(_TOPIC.match(name)) and name not in (".", "..")


def _is_text(name: str) -> bool:
    return 0 < len(name.encode("utf-8", "surrogatepass")) <= TEXT_LONGEST


def _is_connector(name: str) -> bool:
    return bool(name.strip()) and name == name.strip() and not any(category(c) == "Cc" for c in name)


def _of_units(longest: int, but: str = "") -> Callable[[str], bool]:
    """Whether a text has at most so many UTF-16 units, none of `but`, and no blanks around it."""

    def accepts(name: str) -> bool:
        units = len(name.encode("utf-16-le", "surrogatepass")) // 2
        return 0 < units <= longest and name == name.strip() and not set(but) & set(name)

    return accepts


TOPIC_NAMES: Final = NameRange("[a-zA-Z0-9._-], not . or ..", 249, "Topic.validate", _is_topic)
INSTANCE_IDS: Final = NameRange(
    "[a-zA-Z0-9._-], not . or ..", 249, "JoinGroupRequest.validateGroupInstanceId", _is_topic
)
CONNECTOR_NAMES: Final = NameRange(
    "any text without control characters and without blanks around it",
    TEXT_LONGEST,
    "ConfigDef.NonEmptyStringWithoutControlChars",
    _is_connector,
)
ANY_TEXT: Final = NameRange(
    "any text that is not empty", TEXT_LONGEST, "the string type of the protocol", _is_text
)
TAG_KEYS: Final = NameRange(
    "any text of at most 20 characters without commas",
    20,
    "StreamsConfig.MAX_RACK_AWARE_ASSIGNMENT_TAG_KEY_LENGTH",
    _of_units(20, ","),
)
TAG_VALUES: Final = NameRange(
    "any text of at most 30 characters",
    30,
    "StreamsConfig.MAX_RACK_AWARE_ASSIGNMENT_TAG_VALUE_LENGTH",
    _of_units(30),
)
UUIDS: Final = NameRange("a UUID", 36, "java.util.UUID", lambda name: bool(_UUID.match(name)))
