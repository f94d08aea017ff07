"""Kinds of violations: by words, not by names or numbers."""

from dataclasses import replace

import pytest

from kassay.engines.runs.blocks import open_bench
from kassay.pipeline.campaign.kinds import Names, bucket_of, kind_of
from kassay.pipeline.campaign.lanes import lanes_of
from kassay.pipeline.campaign.spec import TargetSpec
from kassay.properties.registry import Evidence, Violation
from tests.pipeline.campaign.campaigns import SPEC

NONE = Names(frozenset())


def kind(names: Names, subject: str, **facts: object) -> str:
    return kind_of(Violation("terminates", Evidence(subject, facts, "")), names)


def test_kinds_differ_by_words_and_not_by_numbers() -> None:
    assert kind(NONE, "t0-1", owners=("m1",)) == kind(NONE, "t2-0", owners=("m1", "m2"))
    one, two = ("raised KeyError: t0-1", "raised KeyError: t3-4")
    assert kind(NONE, "assign", answer=one) == kind(NONE, "assign", answer=two)
    assert kind(NONE, "assign", answer=one) != kind(NONE, "assign", answer="raised IndexError: t0-1")
    assert kind(NONE, "m1", entry="missing") != kind(NONE, "m1", entry="of no member")


@pytest.mark.parametrize(
    "name", ["payments", "é", "🚀orders", ".payments", "payments.", ".", "__audit", "eu/audit/c", "q" * 249]
)
def test_a_name_without_a_number_makes_no_kind_of_its_own(name: str) -> None:
    names = Names(frozenset({name}))
    assert kind(names, name, assigned=name) == kind(NONE, "m1", assigned="m1")
    assert kind(names, f"{name}-0") == kind(NONE, "t0-0")
    if name != ".":  # at the end of a word it ends a sentence
        answer = f"KeyError: '{name}', while {name},{name} are there"
        assert (
            kind(names, "assign", answer=answer)
            == "terminates: assign (answer KeyError: # while # are there)"
        )


@pytest.mark.parametrize(
    "target", ["cooperative-sticky", "optimal-streams", "connect-incremental", "share-simple"]
)
def test_the_violations_of_any_history_are_of_a_few_kinds(target: str) -> None:
    """Whatever names the generator gives: at most one kind for each form of words of a claim."""
    lane = lanes_of(replace(SPEC, targets=(TargetSpec(target),), claims=None, gap=False))[0]
    kinds = set()
    with open_bench(lane.job) as bench:
        for index in range(150):
            case, seen = bench.look(index)
            names = Names.of(bench.driver, case)
            kinds |= {(each.claim, bucket_of(each, names)) for each in seen.violations}
            for each in seen.violations:
                assert not names.known & {*kind_of(each, names).replace(",", " ").split()} - {"the", "group"}
    assert len(kinds) <= 12
