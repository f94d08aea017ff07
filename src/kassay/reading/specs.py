"""The grammar of target specs: the text that a user writes for a target, parsed and printed.

mixed:SPEC,SPEC[,SPEC...]            one group of several implementations
jar:PATH[:PATH...][!CLASS]           what is inside archives, in the order of a class path
node:PACKAGE[!EXPORT]                what a package exports
[PREFIX:]NAME[@RELEASE or @JAR]      a rule, a client library's assignor
anything else                        a command, a file, a module, an entry point: as it stands

A literal separator is escaped by its bytes, as in a URL: `%2C` is a comma, `%25` the percent sign. No shell
and no document format changes a percent sign, quoted or not; a shell removes a backslash and a document
format doubles it. Each escape is decoded once, at any depth. A verbatim spec has no escapes, except in
`mixed:`, where it could not contain a comma otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_to_bytes

from kassay.model.errors import InputError


@dataclass(frozen=True)
class Verbatim:
    """A spec that its handler reads by itself: a command, a file, a module, an entry point."""

    text: str


@dataclass(frozen=True)
class RuleSpec:
    """A rule or a library's assignor, of the newest release, of that release, or out of that jar."""

    prefix: str
    name: str
    at: str | None = None

    @property
    def rule(self) -> str:
        """The rule as it is written without a release."""
        return f"{self.prefix}:{self.name}" if self.prefix else self.name


@dataclass(frozen=True)
class Inside:
    """The class or export `name` inside these places: jars, a package; None if not given."""

    scheme: str
    places: tuple[str, ...]
    name: str | None = None


@dataclass(frozen=True)
class Mixed:
    """Several implementations in one group, in the order in which members take them."""

    parts: tuple[Single, ...]


Single = Verbatim | RuleSpec | Inside
"""A spec of one implementation."""
Spec = Single | Mixed

MIXED: Final = "mixed"
EXEC: Final = "exec"
JAR: Final = "jar"
NODE: Final = "node"
_RESERVED: Final = {JAR: ":!", NODE: "!"}
"""The separators of each scheme: a colon between places where several are allowed."""
_EXPECTED: Final = {
    JAR: "jar:PATH[:PATH...][!CLASS], and %21 for a ! in a path, %3A for a colon",
    NODE: "node:PACKAGE[!EXPORT], and %21 for a ! in a path",
    MIXED: "mixed:SPEC,SPEC, and %2C for a comma in a spec",
}
_SCHEME: Final = re.compile(r"([a-z][a-z0-9-]*):")
_RULE: Final = re.compile(
    r"(?:(?P<prefix>[a-z][a-z0-9-]*):(?P<of>[^/@,%]*)|(?P<name>[a-z0-9][a-z0-9-]*))"
    r"(?:@(?P<at>(?(prefix).*|[^/:]*)))?"
)
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}")


def parse(text: str) -> Spec:
    """The spec of that text.

    Raises `InputError`, one line that says what was expected, for an invalid escape, a missing part, and one
    `mixed:` in another.
    """
    scheme = _scheme_of(text)
    if scheme != MIXED:
        return _single(text, text)
    parts = text.removeprefix(f"{MIXED}:").split(",")
    if len(parts) < 2 or not all(part.strip() for part in parts):
        raise InputError(f"target {text!r}: two specs or more are mixed, expected {_EXPECTED[MIXED]}")
    if any(_scheme_of(part) == MIXED for part in parts):
        raise InputError(f"target {text!r}: mixed: stands in mixed:, expected {_EXPECTED[MIXED]}")
    return Mixed(tuple(_single(part, text, nested=True) for part in parts))


def listed(text: str) -> tuple[str, ...]:
    """The specs in a comma-separated list, without blanks around them.

    Everything after a `mixed:` belongs to it: it must be the last in its list.
    """
    specs, rest = [], text
    while rest := rest.strip():
        if _scheme_of(rest) == MIXED:
            specs.append(rest)
            break
        spec, _, rest = rest.partition(",")
        specs.append(spec.strip())
    return tuple(filter(None, specs))


def printed(spec: Spec) -> str:
    """The text of the spec: `parse` returns the same spec for it."""
    if isinstance(spec, Mixed):
        return f"{MIXED}:{','.join(_printed(part, nested=True) for part in spec.parts)}"
    return _printed(spec)


def place_and_class(text: str) -> tuple[str, str]:
    """The file or module of `PLACE[:CLASS]`, and the class: empty if none is named.

    A colon in a path names no class. The returned class need not be an identifier.
    """
    place, colon, name = text.rpartition(":")
    return (text, "") if not colon or "/" in name or name.endswith(".py") else (place, name)


def command_of(text: str) -> str | None:
    """The command after `exec:`; None for another spec."""
    return text.removeprefix(f"{EXEC}:") if _scheme_of(text) == EXEC else None


def _scheme_of(text: str) -> str:
    match = _SCHEME.match(text)
    return match[1] if match else ""


def _single(text: str, whole: str, *, nested: bool = False) -> Single:
    """The spec of one implementation, which is part of the whole one."""
    scheme = _scheme_of(text)
    if scheme in _RESERVED:
        return _inside(scheme, text, whole)
    rule = None if scheme == EXEC or place_and_class(text)[0].endswith(".py") else _RULE.fullmatch(text)
    if rule is None:
        return Verbatim(_read(text, whole) if nested else text)
    at = None if rule["at"] is None else _read(rule["at"], whole)
    return RuleSpec(rule["prefix"] or "", rule["name"] or rule["of"], at)


def _inside(scheme: str, text: str, whole: str) -> Inside:
    """The spec of a class or export inside places."""
    several, (places, *names) = ":" in _RESERVED[scheme], text.removeprefix(f"{scheme}:").split("!")
    listed = places.split(":") if several else [places]
    if len(names) > 1 or not all([*listed, *names]):
        raise InputError(f"target {whole!r}: expected {_EXPECTED[scheme]}")
    name = _read(names[0], whole) if names else None
    return Inside(scheme, tuple(_read(place, whole) for place in listed), name)


def _read(text: str, whole: str) -> str:
    """The text with its escapes decoded."""
    if bad := _BAD_ESCAPE.search(text):
        raise InputError(f"target {whole!r}: {bad[0]!r} is no escape, expected %25 for a percent sign")
    if "%" not in text:
        return text
    try:
        read = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        read = "\0"
    if not read.isprintable():
        raise InputError(f"target {whole!r}: the escapes in {text!r} are no printable text in UTF-8")
    return read


def _printed(spec: Single, *, nested: bool = False) -> str:
    if isinstance(spec, Verbatim):
        return _escaped(spec.text, ",") if nested else spec.text
    if isinstance(spec, RuleSpec):
        return spec.rule if spec.at is None else f"{spec.rule}@{_escaped(spec.at, ',')}"
    reserved = f",{_RESERVED[spec.scheme]}"
    places = ":".join(_escaped(place, reserved) for place in spec.places)
    return f"{spec.scheme}:{places}" + ("" if spec.name is None else f"!{_escaped(spec.name, reserved)}")


def _escaped(text: str, reserved: str) -> str:
    """The text with every percent sign and reserved character as an escape."""
    return "".join(f"%{ord(each):02X}" if each in f"%{reserved}" else each for each in text)
