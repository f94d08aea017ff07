"""One line out, one line in."""

from __future__ import annotations

import sys

import pytest

from kassay.certify.processes.process import Guarded
from kassay.certify.processes.programs.lines import Lines, answered
from kassay.model.errors import FailureKind, TargetFailure

TWO_LINES = """
import json, sys
for line in sys.stdin:
    number = json.loads(line)["id"]
    print("".join(json.dumps({"id": number, "answer": each}) + "\\n" for each in (1, 2)), end="", flush=True)
"""


def test_lines_that_come_together_are_replies_one_by_one() -> None:
    guarded, lines = Guarded(), Lines()
    guarded.start(
        {"kind": "exec", "argv": [sys.executable, "-c", TWO_LINES], "environment": {}, "memory_mib": 512}, 60
    )
    try:
        for number in (1, 2):
            first = lines.reply(guarded, lines.request("call", {}), "call", 60)
            assert first == {"id": number, "answer": 1}
            assert lines.reply(guarded, b"", "call", 60) == {"id": number, "answer": 2}
        lines.reply(guarded, lines.request("call", {}), "call", 60)
        with pytest.raises(
            TargetFailure, match=r"other was answered by \{.*2\} \(dict\), expected an object with the id 4"
        ):
            lines.reply(guarded, lines.request("other", {}), "other", 60)
        assert not guarded.alive
    finally:
        guarded.close()


@pytest.mark.parametrize(
    ("reply", "kind", "message", "raised"),
    [
        ({"id": 1, "error": "a\nb"}, FailureKind.RAISED, "f answered with the error: a b", ()),
        ({"error": 3, "refused": True}, FailureKind.RAISED, "f answered with the error: 3", ("ValueError",)),
        ({"id": 1}, FailureKind.MALFORMED, "f was answered without 'answer' or 'error'", ()),
    ],
)
def test_a_reply_without_an_answer(
    reply: dict[str, object], kind: FailureKind, message: str, raised: tuple[str, ...]
) -> None:
    with pytest.raises(TargetFailure) as caught:
        answered(reply, "f")
    assert (caught.value.kind, caught.value.message, caught.value.raised) == (kind, message, raised)
