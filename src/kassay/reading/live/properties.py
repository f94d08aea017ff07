"""A file of Java properties, such as `client.properties`, as Kafka's tools load it.

The text is Latin-1, with `\\uXXXX` for other characters; keys and values are parted by `=`, `:` or a blank, a
`\\` at its end continues a line, and a later line of the same key wins. Kafka takes blanks off the ends of a
value, and replaces `${provider:path:key}` where `config.providers` names a provider. Source: Kafka
`Utils.loadProps`, `ConfigDef.parseType` and `ConfigTransformer`, 3.9 to 4.4; `java.util.Properties.load`.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from kassay.model.errors import InputError
from kassay.reading.documents import is_file
from kassay.reading.others import what_is

_VARIABLE: Final = re.compile(r"\$\{([^}]*?):(([^}]*?):)?([^}]*?)\}")
_PROVIDERS: Final = "config.providers"
_BLANKS: Final = "".join(map(chr, range(33)))
"""What Java's `String.trim` takes away."""
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_MAY_BE_PROPERTIES: Final = (
    "a properties file",
    "an empty file",
    "a list of names",
    "the output of kafka-get",
)
"""What a file of properties may look like: keys alone, with or without colons."""
_KAFKAS: Final = "org.apache.kafka.common.config.provider."


@dataclass(frozen=True)
class Properties:
    """The values by key, never shown; `places` are file and line of each."""

    file: str
    values: Mapping[str, str]
    places: Mapping[str, str]

    def __repr__(self) -> str:
        return f"Properties({self.file!r}, {sorted(self.values)})"

    def where(self, key: str) -> str:
        """The place of a property for an error: file, line and key."""
        return f"{self.places.get(key, self.file)}: {key}"


def read_properties(path: str) -> Properties:
    """The properties of a file; raises `InputError`, in which no value is quoted."""
    if not is_file(path):
        raise InputError(f"{path}: no such file, expected client.properties as Kafka's tools take it")
    values: dict[str, str] = {}
    places: dict[str, str] = {}
    raw = _bytes(path)
    what = "" if raw.startswith(_UTF_16) else what_is(raw.decode("latin-1"))
    if what and not what.startswith(_MAY_BE_PROPERTIES):
        raise InputError(f"{path}: is {what}, expected client.properties as Kafka's tools take it")
    for line, key, value in _pairs(raw, path):
        values[key], places[key] = value.strip(_BLANKS), f"{path}:{line}"
    read = Properties(path, values, places)
    return _replaced(read) if _PROVIDERS in values else read


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def _pairs(raw: bytes, path: str) -> Iterator[tuple[int, str, str]]:
    """Line, key and value of each property; raises `InputError` for a bad escape."""
    try:
        import javaproperties
    except ImportError:
        raise InputError(
            "client.properties: needs javaproperties, which is not installed: pip install 'kassay[live]'"
        ) from None
    line = 1
    if raw.startswith(_UTF_16):
        raise InputError(f"{path}: is UTF-16, expected Latin-1 as Java reads it: save it as Latin-1")
    try:
        for each in javaproperties.parse(io.BytesIO(raw)):
            if isinstance(each, javaproperties.KeyValue):
                yield line, each.key, each.value
            line += len(re.findall(r"\r\n|\r|\n", each.source))
    except javaproperties.InvalidUEscapeError as error:
        raise InputError(
            f"{path}:{line}: found {error.escape!r}, expected \\u and four hexadecimal digits"
        ) from None


def _replaced(read: Properties) -> Properties:
    """The properties with the values of their providers; raises `InputError` for another provider."""
    classes = {
        name.strip(): read.values.get(f"{_PROVIDERS}.{name.strip()}.class", "")
        for name in read.values[_PROVIDERS].split(",")
    }
    values = {
        key: _VARIABLE.sub(partial(_provided, read, key, classes), value)
        for key, value in read.values.items()
    }
    kept = {key: value for key, value in values.items() if not key.startswith(_PROVIDERS)}
    return Properties(read.file, kept, read.places)


def _provided(read: Properties, key: str, classes: Mapping[str, str], match: re.Match[str]) -> str:
    """The value of one variable; a provider that is not named leaves its text as it is, as in Kafka."""
    name, path, wanted = match[1], match[3] or "", match[4]
    if name not in classes:
        return match[0]
    short = classes[name].removeprefix(_KAFKAS)
    if short == "EnvVarConfigProvider":
        provided = os.environ.get(wanted)
    elif short == "FileConfigProvider":
        provided = read_properties(path).values.get(wanted)
    elif short == "DirectoryConfigProvider":
        file = Path(path) / wanted
        provided = _bytes(str(file)).decode("utf-8", "replace") if is_file(file) else None
    else:
        raise InputError(
            f"{read.where(f'{_PROVIDERS}.{name}.class')}: no provider that kassay has, expected "
            f"EnvVar, File or DirectoryConfigProvider; write the value of {key} itself"
        )
    if provided is None:
        raise InputError(f"{read.where(key)}: provider {name!r} has no {wanted!r}")
    return provided
