"""A program under test: its channel, and its description of itself.

The channel to a program: requests and replies, one JSON object per line.

A program under test, and its description of itself (`docs/exec-protocol.md`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal

from kassay.assignors.plain_answers import Malformed, document_form, shown
from kassay.engines.processes.process import Guarded
from kassay.engines.processes.wire import to_json
from kassay.model.errors import FailureKind, InputError, TargetFailure, TargetNotLoadable, one_line
from kassay.reading.values import read_as

Reply = dict[str, Any]
"""A line of a program: an object with the id of the request that it answers."""


class Lines:
    """Numbered requests to the program under a guard, across restarts of its process.

    A line that does not answer the last request ends the program (MALFORMED), as does silence (TIMEOUT).
    """

    def __init__(self) -> None:
        self._last = 0

    def ask(self, guarded: Guarded, call: str, fields: Mapping[str, Any], timeout_s: float) -> Reply:
        """The reply to one request; raises `TargetFailure` if there is none, or if it reports an error."""
        return answered(self.reply(guarded, self.request(call, fields), call, timeout_s), call)

    def request(self, call: str, fields: Mapping[str, Any]) -> bytes:
        """The line of the next request."""
        self._last += 1
        return to_json({"id": self._last, "call": call, **fields}).encode() + b"\n"

    def reply(self, guarded: Guarded, request: bytes, call: str, timeout_s: float) -> Reply:
        """The next line that answers the last request; sends `request` first unless it is empty.

        Raises `TargetFailure`; `call` names the program's current work.
        """
        line = guarded.exchange(request, call, timeout_s, _line_size)
        try:
            # decoded as `json.loads` decodes bytes, with a reused decoder
            reply = _decode(line.decode(json.detect_encoding(line), "surrogatepass"))
        except (ValueError, RecursionError) as error:
            text = repr(line[:-1][:80].decode("utf-8", "replace"))
            why = f": {error}" if isinstance(error, Malformed) else ""
            message = f"{call} was answered by {text}{why}, expected one line of JSON on standard output"
            raise guarded.fail_malformed(message, call) from None
        if not isinstance(reply, dict) or type(reply.get("id")) is not int or reply["id"] != self._last:
            raise guarded.fail_malformed(
                f"{call} was answered by {shown(reply)}, expected an object with the id {self._last}", call
            )
        return reply


def answered(reply: Reply, call: str) -> Reply:
    """The reply if it has an `answer`; raises `TargetFailure` if it has `error` or neither."""
    if "error" in reply:
        raised = ("ValueError",) if reply.get("refused") is True else ()
        message = f"{call} answered with the error: {one_line(str(reply['error']))}"
        raise TargetFailure(FailureKind.RAISED, message, call, raised)
    if "answer" not in reply:
        message = f"{call} was answered without 'answer' or 'error'"
        raise TargetFailure(FailureKind.MALFORMED, message, call)
    return reply


def _line_size(received: bytearray, seen: int) -> int:
    """The length of the first line; -1 while its end has not arrived."""
    return received.find(b"\n", seen) + 1 or -1


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Malformed("a key stands twice in one object")
    return fields


_decode: Final = json.JSONDecoder(object_pairs_hook=_once).decode


PROTOCOL_VERSION: Final = 2
"""The version of the exec protocol used for the first greeting."""


@dataclass(frozen=True)
class Program:
    """A command with its arguments and context; it can be pickled.

    Messages begin with `label`. `name` is used if the program reports none. `environment` is added to its
    own. `class_name` is the class of each object; `config` holds defaults below the user's configuration.
    `expected` describes a valid program, for the error about an invalid one.
    """

    argv: tuple[str, ...]
    label: str
    name: str
    environment: tuple[tuple[str, str], ...] = ()
    class_name: str | None = None
    config: tuple[tuple[str, str], ...] = ()
    expected: str = "an answer to hello (docs/exec-protocol.md)"


@dataclass(frozen=True)
class Hello:
    """A program's description of itself; every part is optional.

    `supports`: the calls of version 2 that it has; a program of version 1 has none. `protocols`: its
    rebalance protocols, the preferred one first.
    """

    name: str = ""
    kind: str | None = None
    level: str | None = None
    protocol: str | None = None
    claims: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    kassay: Literal[1, 2] = 1
    supports: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def form(self) -> str | None:
        """The form of the document that the program expects, for kinds that use documents."""
        return document_form({"kind": self.kind, "level": self.level})


@dataclass(frozen=True)
class Introduction:
    """The program's answer to `new` for the given class; every part is optional."""

    name: str = ""
    version: str = ""
    protocols: tuple[str, ...] = ()


_LATER: Final = ("kassay", "supports", "protocols", "versions")
"""Parts of a hello answer that version 1 lacks, where they have no meaning."""


def read_hello(program: Program, said: object) -> Hello:
    """The program's description of itself; raises `TargetNotLoadable` if it is invalid."""
    if isinstance(said, dict) and (type(said.get("kassay")) is not int or said["kassay"] < PROTOCOL_VERSION):
        said = {part: value for part, value in said.items() if part not in _LATER}
    try:
        hello = read_as(Hello, said, f"{program.label}: hello")
    except InputError as error:
        raise TargetNotLoadable(str(error)) from None
    if program.class_name is not None and "new" not in hello.supports:
        raise TargetNotLoadable(f"{program.label}: hello: supports has no 'new', expected {program.expected}")
    return replace(hello, name=one_line(hello.name) or program.name)
