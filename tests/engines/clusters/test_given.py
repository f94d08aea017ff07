"""A group as users give it: files, texts, and its assignor."""

import pytest

from kassay.engines.clusters.given import GivenCluster, assignors, present_assignor, texts_or_paths
from kassay.engines.clusters.overview import GroupsOverview
from kassay.model.errors import InputError, TargetError
from tests.paths import ROOT
from tests.reading.kafka.outputs import FOLDER

CLUSTER = ROOT / "examples/cluster"
FILES = tuple(str(CLUSTER / name) for name in ("groups.txt", "topics.txt"))
SEVERAL = str(FOLDER / "groups-several-2.8.txt")


def observed(*inputs, group=None):
    given = GivenCluster(texts_or_paths(inputs), group=group)
    return given.observed(given.inputs())


def test_a_text_of_several_lines_is_read_as_it_is_and_any_other_is_a_path():
    texts = [(CLUSTER / name).read_text() for name in ("groups.txt", "topics.txt")]
    assert texts_or_paths([*texts, "a.txt"]) == ("input 1", "input 2", "a.txt")
    assert observed(*texts).assignment == observed(*FILES).assignment


def test_several_groups_are_an_overview_unless_one_is_named():
    given = GivenCluster((SEVERAL,))
    assert isinstance(given.observed_or_all(lambda *_: None), GroupsOverview)
    assert observed(SEVERAL, group="mailer").name == "mailer"
    with pytest.raises(InputError, match="expected --group with one of them"):
        observed(SEVERAL)


def test_client_properties_are_no_output(tmp_path):
    path = tmp_path / "client.properties"
    path.write_text("security.protocol=SSL\n")
    given = GivenCluster((str(path), FILES[0]), "127.0.0.1:1", "billing")
    assert given.outputs == [FILES[0]]
    with pytest.raises(InputError, match="provides groups itself, expected no file but properties"):
        given.require_no_outputs("groups")
    with pytest.raises(InputError, match="provides groups and topics itself"):
        given.inputs()
    with pytest.raises(InputError, match="expected --group with the name of one group"):
        GivenCluster((), "127.0.0.1:1").inputs()


def test_two_files_of_properties_are_an_error(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text("security.protocol=SSL\n")
    given = GivenCluster((str(tmp_path / "a"), str(tmp_path / "b")), "127.0.0.1:1")
    with pytest.raises(InputError, match="a second file of client properties"):
        given.connector()


def test_the_assignor_is_the_given_one_or_that_of_the_coordinator():
    group = observed(*FILES)
    assert present_assignor(group, None).spec == "range"
    assert present_assignor(group, "sticky").spec == "sticky"
    assert [target.spec for target in assignors(("sticky", "range", "sticky"))] == ["sticky", "range"]
    with pytest.raises(TargetError):
        present_assignor(group, "no-such")
