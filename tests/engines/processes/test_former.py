"""Classes that import kassay's modules by the names that these once had."""

from __future__ import annotations

import importlib

import pytest

from kassay.engines.processes.load import MODULES, PACKAGES
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from tests.engines.processes.children import DATA

CLUSTER = Cluster.of({"t": 2})
GROUP = Group((Member("a", ("t",)), Member("b", ("t",))))


@pytest.mark.parametrize("in_process", [False, True])
def test_a_class_loads_with_the_imports_it_was_written_with(in_process: bool) -> None:
    target = resolve(f"{DATA}/former_names.py", in_process=in_process)
    assert (target.name, target.protocol) == ("by-hash", "eager")
    with target.open() as host:
        answer = host.new({}).assign(CLUSTER, GROUP)
    assert answer == Assignment({"a": [TopicPartition("t", 0), TopicPartition("t", 1)], "b": ()})


def test_a_former_name_is_the_present_module() -> None:
    resolve(f"{DATA}/former_names.py", in_process=True)
    for former, present in MODULES.items():
        module = importlib.import_module(present)
        assert importlib.import_module(former) is module
        assert module.__name__ == present
        assert module.__spec__ is not None
        assert module.__spec__.name == present
    for package, holder in PACKAGES.items():
        assert importlib.import_module(package) is not importlib.import_module(holder)


def test_what_never_was_is_not_found() -> None:
    resolve(f"{DATA}/former_names.py", in_process=True)
    for name in ("kassay.model.nothing", "kassay.model.java.nothing"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(name)
    with pytest.raises(ImportError, match="nothing"):
        exec("from kassay.model.placement import nothing")
