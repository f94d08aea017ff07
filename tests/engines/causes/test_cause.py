"""What matters in a counterexample: what was left out and played again says so."""

import json

import pytest

from kassay.engines.causes.cause import cause_of, paragraph
from kassay.engines.explain import explain
from kassay.engines.runs.replay import load_trace
from kassay.properties.registry import load_claims
from tests.paths import DOCS, ROOT
from writers.causes import EXPLANATIONS, page

KEYS = {
    "double_owner": [
        "generation 3 as the newest",
        "t0-0 was assigned to m0 and m1.",
        "The optimum here: ",
    ],
    "hands_over_at_once": ["m1 owning t0-0", "m1 still owns it", "withhold a partition"],
    "keeps_count": ["from another object", "and keep nothing between calls"],
    "leftover": ["was assigned to no member", "until no partition", "It takes 2 members"],
    "negative_hash": ["sent to partition -2", "the bytes of the key of record 1", "0x7fffffff"],
    "not_subscribed": [
        "m1 was assigned t0-1 but subscribes to nothing",
        "whose own subscription names its topic",
    ],
    "rack_blind": ["have no replica in their owner's rack", "the rack of m1", "2 partitions in another rack"],
    "set_order": ["in another process", "depend on no set order, hash"],
    "skewed_leaders": [
        "most: broker 0; least: broker 1",
        "2 new partitions and 2 brokers",
        "partition 0 on broker 0; partition 1 on broker 1",
    ],
    "static_ignored": ["the static member m0 returning as m2", "group.instance.id", "no move"],
    "sticky_lost": ["generation 3 as the newest", "m1 owning t0-0", "previous owners"],
    "uneven_three": ["It takes 3 members and 3 partitions of t0", "loads 1, 1 and 1"],
    "unknown_topic": ["KeyError: 'ghost'", "missing topics"],
    "weights_ignored": ["the weights of t0", "carries a weight of 102", "by their weight"],
}
AT_ONCE = ("double_owner", "negative_hash", "rack_blind", "skewed_leaders", "static_ignored")
"""What the default tests ask; the others take a process each, and are asked among the slow ones."""
NAMED = [name if name in AT_ONCE else pytest.param(name, marks=pytest.mark.slow) for name in KEYS]
EXPLAINED = json.loads(EXPLANATIONS.read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """The traces name their targets from the top of the repository."""
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("name", NAMED)
def test_the_sentence_names_the_cause_and_is_on_record(name):
    document = explain(f"tests/data/faulty/{name}.json").to_json()
    text = document["paragraph"]
    assert [key for key in KEYS[name] if key not in text] == []
    assert document["fix"] in text
    assert EXPLAINED[f"{name}.py"] == text, "python docs/writers/causes.py"


def test_the_page_is_what_its_writer_writes():
    assert page(EXPLAINED) == (DOCS / "causes.md").read_text(encoding="utf-8"), (
        "python docs/writers/causes.py"
    )
    assert EXPLAINED.keys() == {f"{name}.py" for name in KEYS}


def test_every_fault_has_its_key_words():
    assert {path.stem for path in (ROOT / "tests/data/faulty").glob("*.py")} == set(KEYS)


def test_without_what_matters_the_claim_is_kept_and_with_it_broken():
    cause = cause_of(load_trace(ROOT / "tests/data/faulty/sticky_lost.json"))
    assert cause.breaks
    assert cause.conditions == ("generation 3 as the newest", "m1 owning t0-0")
    assert cause.extents == ("2 members",)
    assert (cause.events, cause.needless) == ((), ())
    assert cause.could_be["certified"]
    events = cause_of(load_trace(ROOT / "tests/data/faulty/static_ignored.json")).events
    assert events == ("the static member m0 returning as m2",)


def test_what_cannot_be_asked_is_told_from_the_trace_and_said(tmp_path):
    text = (ROOT / "tests/data/faulty/double_owner.json").read_text()
    (tmp_path / "t.json").write_text(text.replace("tests/data/faulty/double_owner.py", "gone.py"))
    document = explain(str(tmp_path / "t.json")).to_json()
    assert document["cause"] is None
    assert "The cause cannot be determined: gone.py: no such file" in document["paragraph"]
    assert (
        "gone.py violates single-owner in round 1 (generation 4). t0-0 was assigned to m0 and m1."
        in document["paragraph"]
    )
    assert "The usual fix is to assign each partition to one member alone" in document["paragraph"]


def test_what_breaks_no_more_is_said(tmp_path):
    text = (ROOT / "tests/data/faulty/double_owner.json").read_text()
    (tmp_path / "t.json").write_text(text.replace("tests/data/faulty/double_owner.py", "range"))
    playback = load_trace(tmp_path / "t.json")
    cause = cause_of(playback)
    assert not cause.breaks
    claim = load_claims()[playback.trace.kind, "single-owner"]
    assert "Replayed, it did not violate the claim" in paragraph(playback.trace, claim, cause)
