"""The public names for classes in the full form."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from kassay import full_form
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group, Member


def test_everything_behind_the_door_is_there() -> None:
    for name in full_form.__all__:
        assert getattr(full_form, name) is not None


@pytest.mark.parametrize("in_process", [False, True])
def test_the_example_is_a_target(tmp_path: Path, in_process: bool) -> None:
    (tmp_path / "mine.py").write_text(dedent((full_form.__doc__ or "").partition("\n")[2]))
    with resolve(str(tmp_path / "mine.py"), in_process=in_process).open() as host:
        assignor = host.new({})
        assert assignor.name == "mine"
        answer = assignor.assign(Cluster.of({"t": 1}), Group((Member("a", ("t",)),)))
    assert answer == full_form.Assignment({"a": ()})
