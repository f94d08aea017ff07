"""`kassay.explain` is what the command shows."""

import pickle

import pytest

import kassay
from kassay.model.errors import InputError
from tests.paths import ROOT

TRACE = ROOT / "tests/data/faulty/double_owner.json"


@pytest.mark.parametrize(
    ("what", "shown"),
    [
        ("balanced-within-one", "once reached"),
        ("sticky", "how far apart the members are"),
        ("kip848", "ConsumerGroupHeartbeat"),
        (str(TRACE), "single-owner"),
        ("max(load) <= 1", "declared by no reference"),
    ],
)
def test_the_function_returns_what_the_command_writes(command, monkeypatch, what, shown):
    monkeypatch.chdir(ROOT)
    explained = kassay.explain(what)
    assert explained.to_json() == command("explain", what)
    assert shown in explained.page() and explained.rows() and len(repr(explained)) < 200


def test_an_upgrade_is_explained_by_example(command):
    explained = kassay.explain("uniform", against="4.0.0")
    assert explained.to_json() == command("explain", "uniform", "--against", "4.0.0")
    assert repr(explained) == "<Explained: upgrade uniform>" and "Since" in explained.page()


def test_a_difference_is_explained(command, tmp_path):
    path = kassay.diff("range", "roundrobin", histories=10, out=tmp_path).path
    explained = kassay.explain(path)
    assert explained.to_json() == command("explain", path)
    assert pickle.loads(pickle.dumps(explained)).page() == explained.page()


def test_an_unknown_name_is_misuse():
    with pytest.raises(InputError, match="found 'no-such', expected a claim"):
        kassay.explain("no-such")
    with pytest.raises(InputError, match=r"^what: found '', expected an id, a sentence, a path"):
        kassay.explain("")
