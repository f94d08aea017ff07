"""Tasks by role, and the epochs of active ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.protocols.values.streams.tasks import HeldTasks
from kassay.model.streams.group import GroupTask

TASKS = st.lists(st.builds(GroupTask, st.sampled_from("01"), st.integers(0, 3)), unique=True).map(sorted)


@given(TASKS, TASKS, st.data())
def test_every_active_task_has_its_epoch(active, standby, data):
    epochs = tuple(data.draw(st.integers(0, 9)) for _ in active)
    held = HeldTasks(tuple(active), tuple(standby), (), epochs)
    assert [held.epoch_of(task) for task in active] == list(epochs)
    assert all(held.epoch_of(task) is None for task in standby if task not in active)
    assert held.roles == (tuple(active), tuple(standby), ())
