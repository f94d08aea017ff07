"""Tasks for members: what each shape leaves of who had what."""

import pytest

from kassay.solver.instances.families import solve_document
from kassay.solver.instances.members import MEMBER_SHAPES, member_tasks
from kassay.solver.streams.members.problem import MemberTaskProblem


@pytest.mark.parametrize("shape", MEMBER_SHAPES)
def test_a_shape_is_read_and_solved(shape: str) -> None:
    document = member_tasks(shape, 3, processes=4, members=3, tasks=12)
    problem = MemberTaskProblem.parse(document)
    assert (len(problem.processes), problem.tasks, problem.stateful) == (4, 12, 8)
    assert solve_document(document)["loads"][-1] - solve_document(document)["loads"][0] <= 1
    assert member_tasks(shape, 3, processes=4, members=3, tasks=12) == document


def test_who_has_what_is_as_the_shape_says() -> None:
    fresh, join, leave, restart, scattered = (
        MemberTaskProblem.parse(member_tasks(shape, 1, processes=4, tasks=24)) for shape in MEMBER_SHAPES
    )
    assert set(fresh.active) == {None}
    assert not any(fresh.standby)
    assert set(join.active) == set(range(len(join.member_ids))) - set(join.members_of[3])
    assert None in leave.active
    (again,) = {place for place, own in enumerate(restart.members_of) if not set(own) & set(restart.active)}
    assert any(again in row for row in restart.standby)
    assert None not in scattered.active
