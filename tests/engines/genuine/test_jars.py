"""Where Kafka's jars come from: a distribution, the cache, Maven; without them one line says what is needed."""

import os

import pytest

from kassay.engines.genuine.jars import BROKER, broker_jars, class_path, coordinator_jars
from kassay.model.errors import InputError

MAVEN = """#!/bin/sh
for argument; do case "$argument" in -DoutputDirectory=*) folder="${argument#*=}";; esac; done
mkdir "$folder" && touch "$folder/kafka-group-coordinator-4.4.0.jar" "$folder/re2j-1.8.jar"
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KASSAY_CACHE", str(tmp_path / "cache"))


def maven(tmp_path, monkeypatch, text):
    program = tmp_path / "bin" / "mvn"
    program.parent.mkdir()
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def distribution(folder, release="4.4.0"):
    (folder / "libs").mkdir(parents=True)
    for name in (f"kafka-group-coordinator-{release}.jar", "kafka-group-coordinator-api-4.4.0.jar", "a.txt"):
        (folder / "libs" / name).touch()
    return folder


def names(paths):
    return [path.name for path in paths]


def test_a_distribution_gives_its_jars(tmp_path):
    home = distribution(tmp_path / "kafka")
    expected = ["kafka-group-coordinator-4.4.0.jar", "kafka-group-coordinator-api-4.4.0.jar"]
    assert names(coordinator_jars(home=home)) == expected
    assert names(coordinator_jars(home=home / "libs")) == expected


def test_a_distribution_of_another_release_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"Kafka 4\.1\.2, expected 4\.4\.0, or --release 4\.1\.2"):
        coordinator_jars(home=distribution(tmp_path / "kafka", "4.1.2"))


def test_a_folder_without_jars_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no libs/kafka-group-coordinator-4\.4\.0\.jar"):
        coordinator_jars(home=tmp_path / "nothing")


def test_without_jars_one_line_says_what_is_needed():
    with pytest.raises(
        InputError, match=r"needs Kafka 4\.4\.0's jars: expected KASSAY_KAFKA_HOME=DIR.*--fetch"
    ) as info:
        coordinator_jars()
    assert "\n" not in str(info.value)


@pytest.mark.parametrize("release", ["4.4", "", "4.4.0-rc1", "../4.4.0"])
def test_a_release_has_three_numbers(release):
    with pytest.raises(InputError, match="expected a release of Kafka such as"):
        coordinator_jars(release)


def test_maven_is_called_once(tmp_path, monkeypatch):
    maven(tmp_path, monkeypatch, MAVEN)
    fetched = coordinator_jars(fetch=True)
    assert names(fetched) == ["kafka-group-coordinator-4.4.0.jar", "re2j-1.8.jar"]
    (tmp_path / "bin" / "mvn").write_text("#!/bin/sh\nexit 1\n")
    assert coordinator_jars(fetch=True) == coordinator_jars() == fetched


def test_what_maven_complains_about_is_reported(tmp_path, monkeypatch):
    maven(tmp_path, monkeypatch, "#!/bin/sh\necho '[ERROR] no such artifact'\nexit 1\n")
    with pytest.raises(InputError, match=r"Maven could not get Kafka 4\.4\.0: \[ERROR\] no such artifact"):
        coordinator_jars(fetch=True)


def test_fetching_needs_maven(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="no mvn on the PATH"):
        coordinator_jars(fetch=True)


def test_a_class_path_has_folders_before_jars(tmp_path):
    assert class_path([tmp_path / "a.jar"], tmp_path) == f"{tmp_path}{os.pathsep}{tmp_path / 'a.jar'}"


def test_a_broker_has_jars_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("KASSAY_CACHE", str(tmp_path))
    with pytest.raises(InputError, match=r"needs the jars of a Kafka 4\.4\.0 broker: .*kafka-brokers"):
        broker_jars()
    with pytest.raises(InputError, match="expected a release of Kafka such as"):
        broker_jars("../4.4.0")
    (tmp_path / "kafka-brokers" / "4.4.0").mkdir(parents=True)
    (tmp_path / "kafka-brokers" / "4.4.0" / "kafka_2.13-4.4.0.jar").touch()
    assert names(broker_jars()) == ["kafka_2.13-4.4.0.jar"]


@pytest.mark.parametrize(("release", "has_binding"), [("4.4.0", True), ("3.9.2", False)])
def test_a_broker_of_4_needs_a_binding_for_its_log(release, has_binding):
    pom = BROKER.pom(release)
    assert pom.count(f"<version>{release}</version>") == 2
    assert ("slf4j-simple" in pom) is has_binding
