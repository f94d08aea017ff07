"""`kassay list`: everything there is has a line."""

import json

import pytest

from kassay.assignors import registry
from kassay.cli.commands.list import BRIEF, THINGS
from kassay.cli.main import run
from kassay.engines.targets.resolve import ways
from kassay.model.kinds import every_kind
from kassay.properties.registry import load_situations
from tests.classfiles import class_file, jar
from tests.cli.runner import valid


def items(thing, capsys):
    assert run(["list", thing, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["thing"]) == ("kassay/list/3", thing)
    return document["items"]


@pytest.mark.parametrize("thing", THINGS)
def test_there_is_something_of_everything(thing, capsys):
    assert items(thing, capsys)
    assert run(["list", thing]) == 0
    assert capsys.readouterr().out.strip()


def test_every_reference_and_every_library_is_listed_once(capsys):
    things = ("assignors", "placers", "partitioners", "coordinators")
    listed = [item["target"] for thing in things for item in items(thing, capsys)]
    offered = [offer.spec for way in ways() for offer in way.offers()]
    assert sorted(listed) == sorted([*registry.load_all(), *offered])
    assert set(offered) > set(registry.load_foreign())


def test_what_a_library_lacks_is_listed_with_it(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("KASSAY_KAFKA_CLIENTS", raising=False)
    missing = {item["target"]: item["missing"] for item in items("assignors", capsys)}
    assert missing["range"] == ""
    assert missing["kafkajs:roundrobin"] == "there is no node on the PATH, expected Node 18 or later"
    assert "./dev jars" in missing["kafka-clients:sticky"]


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
    assert listed.keys() == {kind.meta for kind in every_kind() if kind.meta}
    assert {name for name, item in listed.items() if item["as a program"] != "yes"} == {"partitioner"}
    assert listed["task-assignor"]["judged as"] == "streams"
    assert all(
        item["a class has"].startswith(("assign(self, ", "place(self, ", "partition(self, "))
        for item in listed.values()
    )


def test_the_classes_of_a_jar_are_listed_by_kind(tmp_path, capsys):
    placer = "org.apache.kafka.metadata.placement.ReplicaPlacer"
    tasks = "org.apache.kafka.streams.processor.assignment.TaskAssignor"
    hidden = class_file("a.Hidden", interfaces=[tasks], constructors={})
    path = jar(tmp_path / "rules.jar", class_file("a.Spread", interfaces=[placer]), hidden)
    assert run(["list", f"jar:{path}", "--json", "-"]) == 0
    document = valid(json.loads(capsys.readouterr().out), "list-3")
    assert document["thing"] == f"jar:{path}"
    assert document["items"] == [
        {
            "class": "a.Hidden",
            "kind": "task-assignor",
            "level": "process",
            "implements": tasks,
            "note": "no public constructor that Kafka calls",
        },
        {"class": "a.Spread", "kind": "placer", "level": "", "implements": placer, "note": ""},
    ]
    assert run(["list", f"jar:{path}"]) == 0
    assert "a.Spread" in capsys.readouterr().out


def test_what_a_class_of_two_kinds_is_put_to_the_test_as_is_said(tmp_path, capsys):
    names = [
        "org.apache.kafka.metadata.placement.ReplicaPlacer",
        "org.apache.kafka.clients.producer.Partitioner",
    ]
    path = jar(tmp_path / "a:b.jar", class_file("a.Both", interfaces=names[::-1]))
    assert run(["list", f"jar:{str(path).replace(':', '%3A')}", "--json", "-"]) == 0
    (item,) = json.loads(capsys.readouterr().out)["items"]
    assert (item["kind"], item["implements"]) == ("placer", " ".join(names))
    assert item["note"] == "tested as a placer"


@pytest.mark.parametrize("spec", ["jar:", "jar:x.jar!a.Both"])
def test_a_whole_jar_is_listed_and_no_class_of_it(spec, capsys):
    assert run(["list", spec]) == 2
    assert "expected jar:" in capsys.readouterr().err


def test_a_jar_of_nothing_is_no_fault(tmp_path, capsys):
    assert run(["list", f"jar:{jar(tmp_path / 'x.jar', class_file('a.A'))}"]) == 0
    assert "nothing" in capsys.readouterr().out


@pytest.mark.parametrize("text", [b"", b"PK\x03\x04", b"nonsense"])
def test_what_is_no_jar_is_one_line(text, tmp_path, capsys):
    (tmp_path / "x.jar").write_bytes(text)
    assert run(["list", f"jar:{tmp_path}/x.jar"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_in_a_pipe_each_item_is_a_line_of_cells_between_tabs(capsys):
    assert run(["list", "claims"]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = items("claims", capsys)
    assert lines[0].split("\t") == list(listed[0])
    assert [line.split("\t")[0] for line in lines[1:]] == [item["claim"] for item in listed]
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("thing", THINGS)
def test_on_a_terminal_no_id_is_folded(thing, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    assert run(["list", thing]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = items(thing, capsys)
    ids = [[item[name] for name in BRIEF[thing][: max(1, len(BRIEF[thing]) - 1)]] for item in listed]
    assert [line.split()[:1] for line in lines[1:]] == [row[0].split()[:1] for row in ids]
    assert all(cell in line for row, line in zip(ids, lines[1:], strict=True) for cell in row)
    assert all(len(line) <= 60 or len(line) <= len("  ".join(row)) + 40 for row, line in zip(ids, lines[1:]))


def test_an_unknown_thing_is_one_line_with_a_similar_one(capsys):
    assert run(["list", "claim"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        "kassay: unknown list 'claim' (did you mean claims?); expected jar:FILE or one of assignors, "
    )
    assert said.count("\n") == 1
