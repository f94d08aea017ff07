"""What an upgrade changes: the changes of the rule since, and the smallest example of them."""

from dataclasses import replace
from itertools import count, pairwise

import pytest

from kassay.assignors.registry import changes_since, load_all
from kassay.engines.diff.run import diff
from kassay.engines.diff.upgrade import upgrade
from kassay.engines.runs.blocks import Job
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.kinds.judging import Subject
from kassay.model.calls import Failure, attempt
from kassay.model.errors import InputError
from kassay.model.java import bucket_order, computed_order, string_hash


def test_the_changes_since_a_release_stand_with_an_example_each_way():
    document = upgrade("uniform", "4.0.0").to_json()
    assert document["before"]["spec"] == "uniform@4.0.0"
    assert [change["release"] for change in document["changes"]] == ["4.0.1"]
    assert "KAFKA-18688" in document["changes"][0]["header"]
    answer, quality = document["examples"]
    assert (answer["by"], quality["by"]) == ("answer", "quality")
    assert (answer["difference"]["members"], answer["difference"]["partitions"]) == (2, 1)
    assert quality["difference"]["lines"] == [
        "different: movement differs: uniform@4.0.0 gives 1, uniform@4.0.1 gives 0."
    ]


def test_nothing_is_played_where_nothing_changed():
    document = upgrade("uniform", "4.3").to_json()
    assert (document["changes"], document["examples"]) == ([], [])
    assert document["before"]["spec"] == "uniform@4.0.1"


@pytest.mark.parametrize(
    ("rule", "since", "words"),
    [
        ("uniform", "3.0", "known since 4.0.0 only"),
        ("uniform", "soon", "found 'soon', expected a release"),
        ("uniform@4.0.0", "4.0.0", "expected a rule of Kafka"),
        ("nope", "4.0", "expected a rule of Kafka"),
        ("optimal-sticky", "4.0", "no release is known"),
    ],
)
def test_what_is_no_rule_or_no_release_is_refused(rule, since, words):
    with pytest.raises(InputError, match=words):
        upgrade(rule, since)


def neighbours():
    """The references of each rule that has several, each with the next one."""
    for rule in {each.rule for each in load_all().values() if "@" in each.spec}:
        first = next(each for each in load_all().values() if each.rule == rule and each.releases)
        chain = [first, *(later for _, later in changes_since(rule, first.since[0])[1])]
        yield from ((one.spec, two.spec) for one, two in pairwise(chain))


@pytest.mark.parametrize(("one", "two"), sorted(neighbours()))
def test_neighbouring_releases_differ(one, two):
    report = diff(resolve(one), resolve(two), RunOptions(budget=Budget(histories=50)))
    assert report.verdict == "differ"
    assert not report.smallest.difference.contradictory


def has_one_order_of_processes(request):
    """Whether a hash map of the processes iterates alike, filled by `putIfAbsent` or by `computeIfAbsent`."""
    listed = [client.process_id for client in request.clients for _ in range(client.capacity)]
    orders = (order(listed, string_hash, len(listed)) for order in (bucket_order, computed_order))
    return next(orders) == next(orders)


UNCHANGED = {
    "uniform@4.0.0": ("uniform@4.0.1", lambda step: not step.group.homogeneous),
    "streams-group-sticky@4.2": (
        "streams-group-sticky@4.2.2",
        lambda step: not step.request.standby_replicas,
    ),
    "streams-group-sticky@4.2.2": (
        "streams-group-sticky@4.4",
        lambda step: not step.request.stateful and has_one_order_of_processes(step.request),
        lambda history: replace(history, stateful=0),
    ),
    "streams-public-sticky@3.8": (
        "streams-public-sticky@4.4",
        lambda step: len(step.request.tasks) % sum(client.capacity for client in step.request.clients) == 0,
    ),
}
"""Inputs on which a change of Kafka changes nothing: other subscriptions (KAFKA-18688), no copies (KAFKA-20899),
nothing on disk and no two processes in one bucket (KAFKA-20719), tasks that come out even (KAFKA-20198)."""


def asked_elsewhere(spec, unchanged, inputs_min, narrowed=lambda case: case):
    """The inputs that a rule comes to, as far as they are such, with its answers; at least so many.

    `narrowed` takes from a case what makes such inputs rare.
    """
    target, inputs = resolve(spec), 0
    job = Job(target, RunOptions())
    for index in count():
        for played in job.driver.play(
            narrowed(job.case(index)), Subject(target.open().new, target.protocol, ())
        ):
            for step in filter(unchanged, played.steps):
                inputs += 1
                yield step, job.driver
        if inputs >= inputs_min:
            return


@pytest.mark.slow_cases("streams-public-sticky@3.8-300")
@pytest.mark.parametrize("inputs", [300, pytest.param(20_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("spec", UNCHANGED)
def test_nothing_changes_elsewhere(spec, inputs):
    other, unchanged, *narrowed = UNCHANGED[spec]
    new = resolve(other).open().new
    for step, driver in asked_elsewhere(spec, unchanged, inputs, *narrowed):
        question = (step.cluster, step.group) if hasattr(step, "group") else (step.request,)
        answer = attempt(lambda question=question: new({}).assign(*question))
        if isinstance(answer, Failure):
            assert answer == step.answer
        else:
            assert driver.parts(answer) == driver.parts(step.given)
