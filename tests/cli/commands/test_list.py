"""`kassay list`: everything there is has a line."""

import json

import pytest

from kassay.assignors import registry
from kassay.certify.targets.resolve import KINDS
from kassay.cli.commands.list import THINGS
from kassay.cli.main import run
from kassay.properties.registry import load_situations


def items(thing, capsys):
    assert run(["list", thing, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["thing"]) == ("kassay/list/2", thing)
    return document["items"]


@pytest.mark.parametrize("thing", THINGS)
def test_there_is_something_of_everything(thing, capsys):
    assert items(thing, capsys)
    assert run(["list", thing]) == 0
    assert capsys.readouterr().out.strip()


def test_every_reference_and_every_library_is_listed_once(capsys):
    things = ("assignors", "placers", "partitioners", "coordinators")
    listed = [item["target"] for thing in things for item in items(thing, capsys)]
    assert sorted(listed) == sorted([*registry.load_all(), *registry.load_foreign()])
    assert "kafka-python:sticky" in listed


def test_situations_of_every_kind_are_listed(capsys):
    listed = items("situations", capsys)
    assert len(listed) == len(set(load_situations().values()))
    assert {kind for item in listed for kind in item["kinds"].split()} == {
        "client",
        "server",
        "share",
        "streams",
        "connect",
        "placer",
        "planner",
    }


def test_every_kind_that_a_target_may_be_of_is_listed_with_its_method(capsys):
    listed = {item["kind"]: item for item in items("kinds", capsys)}
    assert listed.keys() == KINDS.keys()
    assert {name for name, item in listed.items() if item["as a program"] == "no"} == {"partitioner"}
    assert listed["task-assignor"]["judged as"] == "streams"
    assert all(
        item["a class has"].startswith(("assign(self, ", "place(self, ", "partition(self, "))
        for item in listed.values()
    )
