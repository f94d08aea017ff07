"""Evidence as a sentence: the facts of every kind of evidence in English, and any other as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.certify.runs.replay import read_trace
from kassay.report.sentences import names, sentence, sentence_of
from tests.paths import DOCS


@pytest.mark.parametrize(
    ("subject", "facts", "words"),
    [
        ("m0", {"has": 2, "while": "m1", "with": 0}, "m0 has 2 partitions, m1 has none."),
        ("gone-1", {"given to": "m0", "partitions of the topic": "unknown topic"},
         "m0 was assigned gone-1, but topic gone does not exist."),
        ("t0-0", {"given to": "m0", "which reads": []}, "m0 was assigned t0-0 but subscribes to nothing."),
        ("t0-0", {"given to": "m1", "still owned by": ["m0"], "generation": 0},
         "t0-0 was assigned to m1 while m0 still owns it."),
        ("t0-0", {"owners": ["m0", "m1"]}, "t0-0 was assigned to m0 and m1."),
        ("t0-0", {"owners": ["m1", "m1"]}, "t0-0 was assigned to m1 twice."),
        ("m0", {"second call": "permuted", "first": ["t0-0"], "then": []},
         "m0 gets t0-0, but nothing when the same input is listed in another order."),
        ("t0-0", {"owner": "none", "subscribers": ["m0"]}, "t0-0 has no owner, though m0 subscribed to it."),
        ("t0-0", {"owner": "none at the fixpoint"}, "t0-0 has no owner once the group is stable."),
        ("1 partitions", {"moved": ["t0-0"], "needed to move": 0}, "1 partition moved where none had to: t0-0."),
        ("the group", {"not at rest after rounds": 12}, "The group is not stable after 12 rounds."),
        ("m0", {"entry": "missing"}, "m0 has no entry in the answer."),
        ("call", {"no answer": "raised KeyError: 'm0'"}, "The call raised KeyError: 'm0'."),
        ("replicas", {"are": [1, 3], "could be": [2, 2]}, "Replicas are 1 3, could be 2 2."),
        ("the delay", {"ms": 5, "maximum": 3}, "the delay: ms 5, maximum 3."),
    ],
)  # fmt: skip
def test_facts_are_a_sentence(subject: str, facts: dict[str, object], words: str) -> None:
    assert sentence(subject, facts, "partition") == words


@pytest.mark.parametrize("path", sorted((DOCS / "traces").glob("*.json")), ids=lambda path: path.stem)
def test_every_trace_on_record_has_a_sentence(path) -> None:
    said = sentence_of(read_trace(path))
    assert said
    assert "  " not in said


@given(st.lists(st.text(min_size=1), max_size=9))
def test_a_list_says_how_many_are_left_out(values: list[str]) -> None:
    said = names(values)
    assert said
    assert len(values) <= 6 or said.endswith(f"and {len(values) - 6} more")
