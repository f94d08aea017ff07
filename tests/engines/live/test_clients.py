"""What `--clients` names, and how a program is started."""

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest

from kassay.engines.genuine.jars import STREAMS_JARS, broker_jars, jars_of
from kassay.engines.live.clients import CLASSES, LIBRARIES, ClientPrograms
from kassay.engines.live.script import LiveSeat
from kassay.model.errors import InputError

OWN = ClientPrograms({"mine": ("python", "my.py")})


def test_specs_become_members():
    seats = OWN.seats(
        [
            "java@4.2.1:range*2",
            "librdkafka:range+roundrobin",
            "java:consumer/uniform",
            "mine:any",
            "java:streams",
            "java:streams/classic",
            "java:share",
        ]
    )
    assert [(seat.name, seat.client, seat.strategies, seat.protocol) for seat in seats] == [
        ("m1", "java@4.2.1", ("range",), "classic"),
        ("m2", "java@4.2.1", ("range",), "classic"),
        ("m3", "librdkafka", ("range", "roundrobin"), "classic"),
        ("m4", "java", ("uniform",), "consumer"),
        ("m5", "mine", ("any",), "classic"),
        ("m6", "java", (), "streams"),
        ("m7", "java", ("streams",), "classic"),
        ("m8", "java", (), "share"),
    ]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("java", "expected LIBRARY:STRATEGY"),
        ("java:range*0", "expected LIBRARY:STRATEGY"),
        ("jva:range", "did you mean java?"),
        ("java:rnge", "java has range, roundrobin, sticky, cooperative-sticky, not rnge"),
        ("librdkafka:sticky", "not sticky"),
        ("kafka-python:consumer", "no consumer groups"),
        ("kafka-python:no.py", "no.py: no such file"),
        ("aiokafka:no.py", "not no.py"),
        ("librdkafka@1.0.0:range", "only java takes a release"),
        ("kafkajs:range", "kafkajs has roundrobin, not range"),
        ("platformatic:range", "platformatic has roundrobin, not range"),
        ("sarama:consumer", "no consumer groups"),
        ("segmentio:sticky", "segmentio has range, roundrobin, not sticky"),
        ("franz-go:consumer/simple", "franz-go has uniform, range, not simple"),
        ("librdkafka:streams", "kassay's program of librdkafka has no streams groups"),
        ("java:range*99", "99 members, expected at most 64"),
    ],
)
def test_a_wrong_spec_is_refused(spec, words):
    with pytest.raises(InputError) as caught:
        OWN.seats([spec])
    assert words in str(caught.value)


@pytest.mark.parametrize("name", [each.name for each in LIBRARIES.values() if each.module])
def test_what_is_not_installed_is_named_with_its_command(name, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda module: None)
    with pytest.raises(InputError, match=r"pip install '.+'`, or `pip install 'kassay\[clients\]'`"):
        OWN.command(LiveSeat("m1", name, ("range",)))


def test_a_strategy_can_be_a_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("")
    (seat,) = OWN.seats([f"kafka-python:{path}"])
    assert seat.strategies == (str(path),)


def test_an_own_program_is_started_as_it_is():
    assert OWN.command(LiveSeat("m1", "mine", ())) == ["python", "my.py"]


def test_a_program_of_kassay_is_a_module(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda module: module)
    command = OWN.command(LiveSeat("m1", "aiokafka", ("range",)))
    assert (command[0], command[-1]) == (sys.executable, "kassay.engines.live.programs.aio")


@pytest.mark.broker
def test_the_classes_are_those_of_the_source(tmp_path):
    javac = shutil.which("javac")
    version = javac and subprocess.run([javac, "-version"], capture_output=True, text=True, check=True).stdout
    if not version or not version.startswith("javac 17."):
        pytest.skip(f"needs javac 17, whose classes are committed; here is {version or 'none'!r}")
    folder = CLASSES / "kassay" / "live"
    jars = os.pathsep.join(map(str, (*broker_jars(fetch=True), *jars_of(STREAMS_JARS, fetch=True))))
    options = ["--release", "17", "-g:none", "-cp", jars, "-d", str(tmp_path)]
    subprocess.run([javac, *options, *map(str, sorted(folder.glob("*.java")))], check=True)
    built = {path.name: path.read_bytes() for path in tmp_path.rglob("*.class")}
    assert built == {path.name: path.read_bytes() for path in folder.glob("*.class")}
