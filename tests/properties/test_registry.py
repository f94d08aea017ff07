"""The registry: every claim says what it is, and is found wherever it stands."""

from dataclasses import replace

from kassay.model.kinds import every_kind
from kassay.properties.registry import Situation, load_claims


def test_every_claim_says_what_it_is():
    for (_, claim_id), claim in load_claims().items():
        assert claim.sentence.endswith("."), claim_id
        assert claim.source, claim_id
        assert claim.minimum > 0, claim_id


def test_what_is_held_against_every_answer_is_held_against_every_kind():
    claims = load_claims()
    for claim_id in ("total", "terminates", "pure"):
        assert {kind for kind, name in claims if name == claim_id} == set(every_kind())
        assert all(claims[kind, claim_id].validity for kind in every_kind())


def test_a_situation_is_looked_for_only_within_its_condition():
    called = []

    def seen(scene):
        called.append(scene)
        return "part"

    plain = Situation("s", (), "", seen, ())
    assert plain.reached(1) == "part"
    inside = replace(plain, within=lambda scene: scene > 1)
    assert (inside.reached(1), inside.reached(2)) == (None, "part")
    assert called == [1, 2]
