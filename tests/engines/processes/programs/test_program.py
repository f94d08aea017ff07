"""What a program may say of itself.

One line out, one line in.
"""

from __future__ import annotations

import pickle
import re
import sys

import pytest

from kassay.engines.processes.process import Guarded
from kassay.engines.processes.programs.program import Hello, Lines, Program, answered, read_hello
from kassay.model.errors import FailureKind, TargetFailure, TargetNotLoadable

PROGRAM = Program(("x",), "exec:x", "x")


def test_version_1_has_no_parts_of_version_2() -> None:
    for version in ({}, {"kassay": 1}, {"kassay": True}, {"kassay": "2"}):
        said = {**version, "supports": 3, "protocols": "eager", "versions": [], "claims": ["pure"]}
        assert read_hello(PROGRAM, said) == Hello("x", claims=("pure",))


def test_version_2() -> None:
    said = {"kassay": 2, "supports": ["new", "later"], "protocols": ["eager"], "versions": {"java": "17"}}
    hello = read_hello(PROGRAM, said)
    assert (hello.kassay, hello.supports, hello.protocols) == (2, ("new", "later"), ("eager",))
    assert dict(hello.versions) == {"java": "17"}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"kassay": 3}, "exec:x: hello: kassay: found 3, expected 1 or 2"),
        ({"kassay": 2, "supports": "new"}, "exec:x: hello: supports: found 'new', expected a list"),
        ({"kassay": 2, "supports": [1]}, "exec:x: hello: supports[0]: found 1, expected a text"),
        ({"kassay": 2, "versions": {"java": 17}}, "exec:x: hello: versions.java: found 17, expected a text"),
        ({"kassay": 2, "protocols": [None]}, "exec:x: hello: protocols[0]: found None, expected a text"),
        ([], "exec:x: hello: found [], expected an object"),
    ],
)
def test_what_is_no_answer_to_hello(said: object, message: str) -> None:
    with pytest.raises(TargetNotLoadable, match=re.escape(message)):
        read_hello(PROGRAM, said)


def test_a_class_needs_new() -> None:
    program = Program(("x",), "jar:x!A", "A", class_name="A", expected="a Java")
    with pytest.raises(TargetNotLoadable, match=r"^jar:x!A: hello: supports has no 'new', expected a Java$"):
        read_hello(program, {"kassay": 2})
    assert pickle.loads(pickle.dumps(program)) == program


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
