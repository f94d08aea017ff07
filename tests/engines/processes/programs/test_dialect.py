"""What a program is asked, by what it supports."""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.engines.processes.programs.host import ProgramHost
from kassay.engines.processes.programs.program import Introduction
from kassay.model.errors import FailureKind, TargetFailure, TargetNotLoadable
from tests.engines.processes.hostile import CLUSTER, GROUP
from tests.engines.processes.programs.version2 import START, opened, program, requests

STRICT_ABOUT_ITS_VERSION = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["call"] == "hello" and request["kassay"] != 1:
        {refuse}
    print(json.dumps({{"id": request["id"], "answer": {{"name": "first"}}}}), flush=True)
"""


@pytest.mark.parametrize(
    ("refuse", "starts"),
    [
        ("sys.exit('version?')", 2),
        ("print(json.dumps({'id': request['id'], 'error': 'version?'}), flush=True); continue", 1),
        ("print(json.dumps({'id': request['id'], 'answer': None}), flush=True); continue", 1),
    ],
)
def test_a_program_that_knows_version_1_alone_is_greeted_so(refuse: str, starts: int) -> None:
    argv = (program().argv[0], "-c", STRICT_ABOUT_ITS_VERSION.format(refuse=refuse))
    with ProgramHost(replace(program(), argv=argv), START) as host:
        assert (host.name, host.hello.kassay, host.life) == ("first", 1, starts)
        host.restart()
        assert (host.name, host.hello.kassay) == ("first", 1)


@pytest.mark.slow
def test_objects_are_told_before_the_next_call_and_dropped_before_the_next_are_told(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with opened("new,drop", log=log) as host:
        first, second = host.new({}), host.new({"k": "v"})
        second.assign(CLUSTER, GROUP)
        first.assign(CLUSTER, GROUP)
        del second
        host.new({})  # gone before anything was asked of it: the program never hears of it
        gc.collect()
        third = host.new({})
        third.assign(CLUSTER, GROUP)
    asked = [(request["call"], request.get("object", request.get("objects"))) for request in requests(log)]
    assert asked == [
        *(("new", 1), ("new", 2), ("assign", 2), ("assign", 1)),
        *(("drop", [2]), ("new", 4), ("assign", 4)),
    ]
    assert [request["config"] for request in requests(log) if request["call"] == "new"] == [
        {},
        {"k": "v"},
        {},
    ]


def test_the_class_and_the_configuration_are_those_of_the_program_beneath_the_users(tmp_path: Path) -> None:
    log = tmp_path / "log"
    described = replace(program("new", log=log), class_name="a.B", config=(("a", "1"), ("b", "1")))
    with ProgramHost(described, replace(START, config=(("b", "2"),))) as host:
        assert host.introduced() == Introduction("Sticky", "1.0", ("eager",))
        host.new({"c": "3"}).assign(CLUSTER, GROUP)
    news = [request for request in requests(log) if request["call"] == "new"]
    assert [(new["class"], new["config"]) for new in news] == [
        ("a.B", {"a": "1", "b": "2"}),
        ("a.B", {"a": "1", "b": "2", "c": "3"}),
    ]


def test_an_object_that_does_not_come_to_be_is_told_at_its_call() -> None:
    with opened("new") as host:
        bad, good = host.new({"fault": "new=raises"}), host.new({})
        assert set(good.assign(CLUSTER, GROUP)) == {"a", "b"}
        for _ in range(2):
            with pytest.raises(TargetFailure) as caught:
                bad.assign(CLUSTER, GROUP)
            assert caught.value.kind is FailureKind.RAISED
            assert caught.value.message == (
                "new answered with the error: java.lang.IllegalStateException: no way (Foo.java:12)"
            )


def test_a_class_of_which_nothing_comes_to_be_is_not_loaded() -> None:
    with opened("new", "new=raises") as host, pytest.raises(TargetNotLoadable) as caught:
        host.introduced()
    assert str(caught.value) == (
        "exec:program2: new answered with the error: java.lang.IllegalStateException: no way (Foo.java:12), "
        "expected an answer to hello (docs/exec-protocol.md)"
    )
    with opened("new", "new=answer:3") as host, pytest.raises(TargetNotLoadable) as caught:
        host.introduced()
    assert str(caught.value) == "exec:program2: new: found 3, expected an object"


def test_a_program_without_new_introduces_nothing() -> None:
    with opened("") as host:
        assert host.introduced() == Introduction()


def test_what_ended_a_call_is_told_with_the_last_words() -> None:
    with opened("", "assign=nonsense") as host, pytest.raises(TargetFailure) as caught:
        host.new({}).assign(CLUSTER, GROUP)
    assert (
        caught.value.message
        == "assign was answered by 'assign', expected one line of JSON on standard output"
    )
