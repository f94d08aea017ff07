"""What adapters to Python clients share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kassay.assignors.foreign.python_clients import LeaderMetadata, imported
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group, Member


def test_a_leader_knows_the_topics_that_its_group_reads() -> None:
    group = Group((Member("a", ("u", "gone")), Member("b", ("t", "u"))))
    metadata = LeaderMetadata(Cluster.of({"v": 1, "u": 2, "t": 3}), group)
    assert metadata.topics() == ["t", "u"]
    assert metadata.partitions_for_topic("u") == {0, 1}
    assert metadata.partitions_for_topic("v") is metadata.partitions_for_topic("gone") is None


def test_a_library_that_warns_while_it_loads_is_imported_quietly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_loud_library.py").write_text("import warnings; warnings.warn('old'); answer = 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "a_loud_library", raising=False)
    assert imported("a_loud_library").answer == 42
    with pytest.raises(ImportError):
        imported("a_library_that_there_is_not")
