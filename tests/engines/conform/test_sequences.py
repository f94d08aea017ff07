"""Sequences in which the model once differed: it does what Kafka did, and Kafka still does that."""

import json

import pytest

from kassay.engines.conform.play import Followed
from kassay.engines.genuine.coordinator import GenuineProcess, GenuineStep
from tests.engines.conform.sequences import FOLDER, SEQUENCES, of_release, record
from tests.genuine import genuine_jars


def recorded(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def test_there_is_one_file_a_sequence():
    assert {path.stem for path in FOLDER.glob("*.json")} == SEQUENCES.keys()


@pytest.mark.parametrize("name", SEQUENCES)
def test_the_model_does_what_kafka_did(name):
    trace = recorded(name)
    model = Followed(trace["config"], trace["topics"], SEQUENCES[name].release)
    assert [model.difference(GenuineStep(step)) for step in trace["steps"]] == [None] * len(trace["steps"])


@pytest.mark.java
@pytest.mark.parametrize("release", dict.fromkeys(each.release for each in SEQUENCES.values()))
def test_kafka_does_what_is_recorded(release):
    with GenuineProcess(genuine_jars(release)) as process:
        for name, sequence in of_release(release).items():
            assert json.loads(json.dumps(record(process, sequence))) == recorded(name), name
