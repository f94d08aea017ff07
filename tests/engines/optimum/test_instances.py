"""Instances from documents, files and suites."""

import json

from kassay.engines.optimum.instances import instances_from, names_suite
from kassay.solver.instances.groups import consumer


def test_instances_come_from_a_file_a_suite_or_documents(tmp_path):
    document = consumer("join", 1, members=2, partitions=3)
    path = tmp_path / "one.json"
    path.write_text(json.dumps(document))
    instances, source = instances_from(path)
    assert ([each.document["name"] for each in instances], source) == (["A-join-2x3-s1"], str(path))
    assert instances_from("small").source == "suite small"
    assert len(list(instances_from("bench").located)) == 52
    assert [each.where for each in instances_from([document, document]).located] == [
        "instance 1",
        "instance 2",
    ]
    assert [each.document for each in instances_from(document).located] == [document]


def test_a_name_is_a_suite_unless_there_is_such_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert names_suite("small") and names_suite("smal")
    assert not names_suite("small.json") and not names_suite("-")
    (tmp_path / "mine").write_text("{}")
    assert not names_suite("mine")
