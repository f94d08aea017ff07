"""The shim: its classes are those of its source, and one build serves every release of Kafka."""

import json
import shutil
import subprocess

import pytest

from kassay.certify.jars.jvm import SHIM, command

pytestmark = pytest.mark.java

SOURCES = sorted((SHIM / "kassay").glob("*.java"))


def javac_version() -> str:
    javac = shutil.which("javac")
    if javac is None:
        return ""
    return subprocess.run([javac, "-version"], capture_output=True, text=True, check=True).stdout


def test_the_classes_are_those_of_the_source(tmp_path):
    if not javac_version().startswith("javac 17."):
        pytest.skip(f"needs javac 17, whose classes are committed; here is {javac_version() or 'none'!r}")
    subprocess.run(
        ["javac", "--release", "11", "-Xlint:all", "-Werror", "-d", tmp_path, *SOURCES], check=True
    )
    compiled = {path.name: path.read_bytes() for path in (tmp_path / "kassay").iterdir()}
    assert compiled == {path.name: path.read_bytes() for path in (SHIM / "kassay").glob("*.class")}


def test_kafka_is_on_no_compile_path_and_java_11_will_do():
    classes = list((SHIM / "kassay").glob("*.class"))
    assert classes
    for path in classes:
        magic, minor, major = path.read_bytes()[:4], path.read_bytes()[4:6], path.read_bytes()[6:8]
        assert (magic, minor, major) == (b"\xca\xfe\xba\xbe", b"\x00\x00", b"\x00\x37")
        assert b"Lorg/apache/kafka" not in path.read_bytes(), "a reference to a class, not its name in a text"


def test_a_class_that_there_is_not_is_the_answer_to_hello():
    if shutil.which("java") is None:
        pytest.skip("needs a java")
    done = subprocess.run(
        command("java", [], "no.such.Assignor"),
        input=b'{"id":1,"call":"hello","kassay":2}\n',
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == {"id": 1, "error": "java.lang.ClassNotFoundException: no.such.Assignor"}
