"""The channel to a program: requests and replies, one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from kassay.assignors.plain_answers import Malformed, shown
from kassay.certify.processes.process import Guarded
from kassay.certify.processes.wire import to_json
from kassay.model.errors import FailureKind, TargetFailure, one_line

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
