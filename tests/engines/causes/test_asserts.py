"""What must hold of an answer, as lines of Python: true of a right answer, and false of the wrong one."""

import pytest

from kassay.engines.findings import could_be, step_of
from kassay.kinds.broken import broken_steps
from kassay.model.groups.kinds import CLIENT
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER
from tests.engines.cases import smallest

OF_GROUPS = [
    "gives-twice", "loses-last", "deals-to-all", "counts-to-the-end", "omits-idle", "restarts-per-topic",
    "deals-afresh", "forgets-racks", "rounds-up", "hands-over-at-once",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("moves-one-at-a-time", "counts-partitions")),
]  # fmt: skip


def holds(lines, answer):
    try:
        exec("\n".join(lines), {"answer": answer})
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("name", OF_GROUPS)
def test_the_lines_tell_the_wrong_answer_from_the_right_one(name):
    driver, case, subject, claim = smallest(CLIENT, name)
    broken = broken_steps(driver, driver.play(case, subject), subject, claim)[0]
    step = step_of(broken)
    checks = driver.asserts(claim.id, broken, step)
    assert checks.assigns == "answer = "
    assert not holds(checks.lines, {m: list(tps) for m, tps in step.answer.items()})
    assert holds(checks.lines, could_be(driver, claim, broken).answer)


@pytest.mark.parametrize("name", ["repeats-broker", "starts-at-the-first"])
def test_placers_are_told_by_their_rows(name):
    driver, case, subject, claim = smallest(PLACER, name)
    broken = broken_steps(driver, driver.play(case, subject), subject, claim)[0]
    checks = driver.asserts(claim.id, broken, broken.thing)
    assert not holds(checks.lines, [list(row) for row in broken.thing.answer])
    assert holds(checks.lines, [row for _, row in could_be(driver, claim, broken).answer])


def test_a_refusal_is_an_error_that_must_come():
    driver, case, subject, claim = smallest(PLACER, "settles-for-less")
    broken = broken_steps(driver, driver.play(case, subject), subject, claim)[0]
    checks = driver.asserts(claim.id, broken, broken.thing)
    assert checks.around(["target.place()"]) == ["with pytest.raises(ValueError):", "    target.place()"]
    assert checks.imports == ("import pytest", "")


@pytest.mark.parametrize("name", ["keeps-the-sign", "adds-bytes", "ignores-leaders"])
def test_partitioners_are_told_by_their_partition(name):
    driver, case, subject, claim = smallest(PARTITIONER, name)
    broken = broken_steps(driver, driver.play(case, subject), subject, claim)[0]
    checks = driver.asserts(claim.id, broken, broken.thing)
    assert not holds(checks.lines, broken.thing.answer[broken.place[0]].answer)


def test_of_what_was_at_rest_the_answer_before_is_told():
    driver, case, subject, claim = smallest(CLIENT, "never-rests")
    broken = broken_steps(driver, driver.play(case, subject), subject, claim)[0]
    step, number = step_of(broken), broken.place[-1]
    checks = driver.asserts(claim.id, broken, step)
    assert not holds(checks.lines, step.answer)
    assert holds(checks.lines, broken.thing.steps[number - 1].answer)


def test_what_takes_several_answers_has_no_such_lines():
    driver, case, subject, claim = smallest(CLIENT, "never-rests")
    broken = broken_steps(driver, driver.play(case, subject), subject, claim)[0]
    assert driver.asserts("converges", broken, step_of(broken)) is None
