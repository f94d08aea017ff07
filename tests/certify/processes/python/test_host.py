"""A host of a Python class: its objects, and what is left of it."""

from __future__ import annotations

from kassay.certify.processes.host import Host
from kassay.certify.processes.python.host import PythonHost
from kassay.certify.targets.resolve import Target
from tests.certify.processes.children import children
from tests.certify.processes.hostile import CLUSTER, GROUP, ask


def test_forgotten_objects_are_dropped(host: Host) -> None:
    for _ in range(300):
        ask(host, "behave")
    assert isinstance(host, PythonHost)
    assert host.drops == [300]


def test_a_dropped_host_ends_its_process_though_it_had_a_door(target: Target) -> None:
    before = children()
    host = target.open()
    assert isinstance(host, PythonHost)
    door = host.rounds
    assert door is not None
    assert door.holds([host.new({})])
    host.new({}).assign(CLUSTER, GROUP)
    del door, host
    assert children() == before
