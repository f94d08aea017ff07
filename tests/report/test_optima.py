"""Optima and checked certificates as pages."""

import kassay
from kassay.report.checks import checks_described
from kassay.report.optima import optima_described
from kassay.solver.check.check import check_certificate
from kassay.solver.instances.groups import consumer

WEIGHTED = consumer("weighted", 1, members=20, partitions=100)


def words(described):
    return "\n".join(str(block) for section in described.sections for block in section)


def test_one_optimum_has_its_goals_and_its_members():
    result = kassay.optimum(consumer("join", 1, members=3, partitions=4)).to_json()
    said = words(optima_described([result]))
    assert "'Optimal'" in said and "('movement', " in said and "('member', 'load', 'is given')" in said


def test_an_open_goal_is_marked_and_long_loads_are_shortened():
    result = kassay.optimum(WEIGHTED, seconds=0.5).to_json()
    said = words(optima_described([result]))
    assert "'Interval'" in said and "'no')" in said and " ...'" in said


def test_a_check_names_its_question():
    certificate = kassay.optimum(consumer("join", 1, members=3, partitions=4)).certificate
    said = words(checks_described([check_certificate(certificate)]))
    assert "'Accepted'" in said and "minimised: balance" in said and "4 partitions" in said
