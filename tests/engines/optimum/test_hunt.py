"""The hunt keeps the first instance with a gap and the first with the worst, as looking at all of them shows."""

import pytest

from kassay.engines.optimum import gaps as hunting
from kassay.engines.optimum.gaps import HUNTED, hunt
from kassay.engines.targets.resolve import resolve
from kassay.kinds.groups.measures import measured_gap, play
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import as_group
from kassay.solver.instances.families import family_of
from kassay.solver.instances.suites import STAIRS, ladder

SOME = 60.0


def every_ninth(seed):
    """Some of each size on the ladder."""
    return (problem for number, problem in enumerate(ladder(seed)) if number % 9 == 0)


@pytest.fixture(autouse=True)
def _shorter(monkeypatch):
    monkeypatch.setattr(hunting, "ladder", every_ninth)


def test_the_first_and_the_worst_are_those_of_the_whole_ladder():
    target = resolve("roundrobin", in_process=True)
    numbers = []
    found = hunt(target, 3, SOME, numbers.append)
    problems = list(every_ninth(3))
    with target.open() as host:
        gaps = [
            measured_gap(problem, play(host.new, target.protocol, *as_group(problem))) for problem in problems
        ]
    for objective in HUNTED:
        values = [getattr(each, objective) or 0 for each in gaps]
        first = next(number for number, value in enumerate(values) if value)
        worst = values.index(max(values))
        assert found.smallest[objective].problem.name == problems[first].name
        assert found.worst[objective].problem.name == problems[worst].name
    assert (found.finished, found.failed, found.looked_at) == (True, [], len(STAIRS) + len(problems))
    assert numbers == list(range(len(STAIRS), len(STAIRS) + len(problems)))


def test_without_time_the_staircase_is_measured_all_the_same():
    found = hunt(resolve("range", in_process=True), 0, -1.0)
    assert (found.finished, found.looked_at, found.smallest) == (False, len(STAIRS), {})
    document = found.to_json()
    assert [each["steps"] for each in document["staircase"]] == list(STAIRS)
    assert (document["finished"], document["worst"]) == (False, {})


def test_an_instance_of_the_document_shows_the_gap_again():
    target = resolve("range", in_process=True)
    worst = hunt(target, 0, SOME).to_json()["smallest"]["balance"]
    problem = family_of(worst["instance"]).parse(worst["instance"])
    assert isinstance(problem, Problem)
    with target.open() as host:
        played = play(host.new, target.protocol, *as_group(problem))
    assert measured_gap(problem, played).balance == worst["balance"] > 0
    assert {m: sorted(map(list, tps)) for m, tps in played.answer.items()} == worst["answer"]


def test_a_target_that_fails_is_told_at_every_instance(tmp_path):
    (tmp_path / "raises.py").write_text(
        "class A:\n    def assign(self, topics, members):\n        raise ValueError('no')\n"
    )
    found = hunt(resolve(f"{tmp_path}/raises.py", in_process=True), 0, -1.0)
    assert [name for name, _ in found.failed] == [f"staircase-{steps}" for steps in STAIRS]
    assert found.stairs == []
