"""What a program may say of itself."""

from __future__ import annotations

import pickle
import re

import pytest

from kassay.certify.processes.programs.program import Hello, Program, read_hello
from kassay.model.errors import TargetNotLoadable

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
