"""The line that says what a hunt came to, by which engine, and the document."""

import pytest

from kassay.engines.hunts.document import answer, document, scope_words
from kassay.engines.hunts.hunt import HuntOptions, ScopeResult, hunt_claim
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import resolve
from tests.cli.runner import valid


def hunted(text, scope, histories=0, spec="roundrobin"):
    return hunt_claim(resolve(spec), text, HuntOptions(None, histories, scope, proofs=False), RunOptions())


@pytest.mark.parametrize(
    ("hunt", "words"),
    [
        (
            ("all t: spread(t) <= 1 where equal_subscriptions", (2, 2)),
            "holds for all groups up to 2 x 2 without racks, ",
        ),
        (
            ("max(load) <= 1 or gap == 0", (2, 3)),
            "minimal counterexample: 2 members, 2 partitions (all smaller",
        ),
        (
            ("max(load) <= 99 where members == 39", (1, 1), 40),
            " histories played, and the conditions of the claim held in none",
        ),
        (
            ("members >= 1", (1, 1)),
            " histories played, and no answer to any could break the claim",
        ),
        (("max(load) <= 2", (2, 2), 60), "smallest counterexample found: "),
    ],
)
def test_the_answer_says_which_engine_knows(hunt, words):
    done = hunted(*hunt)
    assert words in answer(done)
    assert (done.vacuous is not None) == answer(done).startswith("unknown: vacuous: ")
    assert valid(document(done), "hunt-1")["answer"] == answer(done)


def test_a_scope_without_pasts_is_named_apart():
    done = hunted("all t: spread(t) <= 1 where equal_subscriptions", (1, 1))
    scope = ScopeResult((2, 3), (3, 4), 9, 9)
    object.__setattr__(done, "scope", scope)
    cut = (
        "without racks, weights, static members, unknown topics, repeated topics, later changes, "
        "conflicting input"
    )
    assert scope_words(done) == f"groups up to 2 x 3 and those without a past up to 3 x 4 {cut}"
    object.__setattr__(done, "scope", ScopeResult(None, (3, 4), 9, 9))
    assert scope_words(done) == f"groups without a past up to 3 x 4 {cut}"


def test_what_is_least_is_least_among_what_was_tried():
    done = hunted("max(load) <= 1 or gap == 0", (2, 3))
    assert "(all smaller cases up to 2 x 2 without racks, " in answer(done)
    assumed = hunt_claim(
        resolve("roundrobin"),
        "max(load) <= 1 or gap == 0",
        HuntOptions(None, 0, (2, 2), proofs=False),
        RunOptions(assume=frozenset({"no-racks"})),
    )
    assert "conflicting input assuming no-racks checked: " in answer(assumed)
    placed = hunted("gap == 0 where all_racks", (3, 2), spec="placement:rack-aware")
    assert "(all smaller cases up to 3 x " in answer(placed)
