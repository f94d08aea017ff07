"""Assignors of one's own as strategies: what a program loads, and what is refused."""

import pytest

from kassay.engines.live.clients import ClientPrograms
from kassay.model.errors import InputError
from tests.classfiles import class_file, jar

INTERFACE = "org.apache.kafka.clients.consumer.ConsumerPartitionAssignor"
PROGRAMS = ClientPrograms({"mine": ("./mine",)})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KASSAY_NODE_MODULES", raising=False)
    return tmp_path


def loaded(spec):
    (seat,) = PROGRAMS.seats([spec])
    return PROGRAMS.loaded(seat)


def test_the_assignor_of_a_jar_is_its_class(folder, monkeypatch):
    monkeypatch.setattr(
        "kassay.engines.live.clients.find_java", lambda *_: type("Java", (), {"program": "java"})
    )
    jar(folder / "one.jar", class_file("a.Mine", interfaces=[INTERFACE]), class_file("a.Other"))
    assert loaded("java:one.jar") == ("a.Mine",)
    assert loaded("java:one.jar+range") == ("a.Mine", "range")
    command = PROGRAMS.command(*PROGRAMS.seats(["java:one.jar"]))
    assert command[command.index("-cp") + 1].endswith(":one.jar")


def test_of_several_classes_one_is_named(folder):
    jar(folder / "two.jar", *(class_file(name, interfaces=[INTERFACE]) for name in ("a.Mine", "b.Yours")))
    assert loaded("java:two.jar!b.Yours") == loaded("java:two.jar!Yours") == ("b.Yours",)
    with pytest.raises(InputError, match=r"expected two.jar!CLASS, one of a.Mine, b.Yours"):
        loaded("java:two.jar")
    jar(folder / "none.jar", class_file("a.Other"))
    with pytest.raises(InputError, match=r"no class of none.jar implements ConsumerPartitionAssignor"):
        loaded("java:none.jar")


def test_a_file_or_a_package_of_npm_is_its_path(folder):
    (folder / "my-assigner.js").write_text("")
    package = folder / "node_modules" / "@me" / "assigner"
    package.mkdir(parents=True)
    (package / "package.json").write_text("{}")
    assert loaded("kafkajs:./my-assigner.js") == (str(folder / "my-assigner.js"),)
    assert loaded("kafkajs:@me/assigner+roundrobin") == (str(package), "roundrobin")


@pytest.mark.parametrize("spec", ["java:no.jar", "kafkajs:no.js", "kafka-python:no.py"])
def test_a_file_that_is_not_there_is_named(folder, spec):
    with pytest.raises(InputError, match=r"no\.\w+: no such file"):
        loaded(spec)


def test_names_and_own_programs_are_left_as_they_are(folder):
    assert loaded("java:range+sticky") == ("range", "sticky")
    assert loaded("mine:any.thing") == ("any.thing",)
    assert loaded("franz-go:consumer/range") == ("range",)
