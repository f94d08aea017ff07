"""Vector files: which are read, what becomes of each, and what is no vector file."""

import gzip
import json

import pytest

from kassay.engines.vectors.check import check_file, check_files, read_vectors, vector_files
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment
from tests.paths import VECTORS


def test_a_folder_is_opened_in_order_and_a_file_taken_as_it_is(tmp_path):
    for name in ("b.json", "a.json.gz", "c.txt"):
        (tmp_path / name).touch()
    found = vector_files([tmp_path / "c.txt", tmp_path])
    assert [path.name for path in found] == ["c.txt", "a.json.gz", "b.json"]


@pytest.mark.parametrize(
    ("name", "message"), [("none", "no such file or folder"), ("empty", "no vector files")]
)
def test_places_without_vectors_are_named(tmp_path, name, message):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as refused:
        vector_files([tmp_path / name])
    assert str(refused.value).startswith(f"{tmp_path / name}: {message}")


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        (
            {"vectors": []},
            "JSON with the fields vectors, expected a vector file, JSON with the fields header and vectors",
        ),
        (
            {"header": {"algorithm": "x", "format_version": 2}, "vectors": []},
            "header.format_version: found 2",
        ),
        ({"header": {"algorithm": "x"}, "vectors": [3]}, "vectors[0]: found 3"),
    ],
)
def test_what_is_no_vector_file_is_named_with_its_field(tmp_path, document, complaint):
    path = tmp_path / "v.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as refused:
        read_vectors(path)
    assert str(refused.value).startswith(f"{path}: {complaint}")


def test_an_algorithm_without_a_check_is_unknown_and_never_passed(tmp_path):
    path = tmp_path / "v.json"
    path.write_text(json.dumps({"header": {"algorithm": "tarot"}, "vectors": [{"id": "a"}]}))
    (found,) = check_files([path], None, exact=True)
    assert (found.name, found.passed, found.failures) == ("v", 0, ())
    assert found.to_json()["unknown"] == "no check for algorithm 'tarot' yet"


def test_a_file_is_held_against_the_rule_of_its_release(tmp_path):
    document = json.loads(gzip.decompress((VECTORS / "server-uniform.json.gz").read_bytes()))
    path = tmp_path / "uniform.json"

    def failures(**header):
        told = {"algorithm": "server-uniform", **header}
        path.write_text(json.dumps({"header": told, "vectors": document["vectors"][:60]}))
        return len(check_file(path, None, exact=True).failures)

    old, since = document["header"]["kafka_version"], {"kafka_version": "4.0.0"}
    assert failures(kafka_version=old) == failures(**since) == failures(release="4.0.0") == 0
    for newer in ({"kafka_version": "4.4"}, {"release": "4.0.1"}, {**since, "release": "4.1"}, {}):
        assert failures(**newer) > 10
    with pytest.raises(InputError, match=r"uniform.json: uniform@3.9: known since 4.0.0 only"):
        failures(release="3.9")


def test_a_file_without_a_vector_is_unknown_and_never_passed(tmp_path):
    path = tmp_path / "v.json"
    path.write_text(json.dumps({"header": {"algorithm": "client-range"}, "vectors": []}))
    (found,) = check_files([path], None, exact=True)
    assert (found.passed, found.unknown) == (0, "no vectors in it")


def test_every_vector_passes_or_fails_and_a_spoilt_one_names_the_file(tmp_path):
    document = json.loads(gzip.decompress((VECTORS / "client-range.json.gz").read_bytes()))
    vectors = document["vectors"][:12]
    path = tmp_path / "range.json"
    path.write_text(json.dumps({**document, "vectors": vectors}))
    assert check_file(path, None, exact=True).passed == len(vectors)
    silent = check_file(path, Silent, exact=False)
    assert silent.passed + len(silent.failures) == len(vectors)
    assert {name for name, _ in silent.failures} <= {vector["id"] for vector in vectors}
    assert len(silent.failures) > len(vectors) / 2
    assert [each["id"] for each in silent.to_json()["failures"]] == [name for name, _ in silent.failures]
    (first, *_) = vectors
    path.write_text(json.dumps({**document, "vectors": [{"id": first["id"]}]}))
    with pytest.raises(InputError) as refused:
        check_file(path, None, exact=True)
    assert str(refused.value).startswith(f"{path}: vector {first['id']}: ")


class Silent:
    """Gives nobody anything."""

    def assign(self, cluster, group):

        return Assignment({member.member_id: () for member in group.members})
