"""The registry: every claim says what it is, and is found wherever it stands.

What may stand behind a claim's colon.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import Kind, every_kind
from kassay.properties.claims import parse_claim
from kassay.properties.groups.scaling import Scale, parse_scale
from kassay.properties.registry import NumberRange, Situation, load_claims, number, one_of


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


PARAMETERS = {key: claim.parameter for key, claim in load_claims().items() if claim.parameter is not None}
ABSURD = (
    "",
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "1e400",
    "9" * 5000,
    "x",
    "1,",
    " 1",
    "1_0",
    "\N{FULLWIDTH DIGIT TWO}",
)


@pytest.mark.parametrize(("kind", "claim_id"), PARAMETERS)
@pytest.mark.parametrize("absurd", ABSURD)
def test_no_parameter_takes_what_is_absurd(kind: Kind, claim_id: str, absurd: str) -> None:
    with pytest.raises(InputError, match=f"{claim_id}:.*expected {claim_id}:VALUE with .*such as") as caught:
        parse_claim(f"{claim_id}:{absurd}", kind)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(("kind", "claim_id"), PARAMETERS)
def test_every_parameter_takes_its_example_and_its_default(kind: Kind, claim_id: str) -> None:
    parameter = PARAMETERS[kind, claim_id]
    assert parse_claim(f"{claim_id}:{parameter.example}", kind).value == parameter.example
    assert parse_claim(claim_id, kind).value == parameter.default
    assert parameter.default == "" or parameter.fits(parameter.default)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_a_range_holds_what_is_between_its_ends(least: int, most: int, value: int) -> None:
    inside = least <= value <= most
    assert (str(value) in NumberRange(least, most)) is inside
    assert (str(value) in NumberRange(least, most, whole=True)) is inside
    assert f"{value}.0" not in NumberRange(least, most, whole=True)


def test_what_is_expected_is_said_in_words() -> None:
    assert number(NumberRange(1, 1000), default="2").expected == "a number from 1 to 1000"
    assert number(NumberRange(1, 12, whole=True), example="2").expected == "a whole number from 1 to 12"
    assert one_of("a", "b").expected == "one of a | b"


def test_a_claim_without_a_parameter_takes_none() -> None:
    with pytest.raises(InputError, match="topic-even takes no argument"):
        parse_claim("topic-even:1", CLIENT)


def test_each_part_of_a_scale_has_its_range() -> None:
    assert parse_scale("1.5,60,32x64") == Scale(1.5, 60.0, 32, 64)
    for text in ("0,60,32x64", "1.5,0,32x64", "1.5,60,1x64", "1.5,60,32x0", "1.5,60,32x64,1", "1.5,60,32"):
        with pytest.raises(InputError, match="M a whole number from 2 to 100000"):
            parse_claim(f"scales:{text}", CLIENT)
        with pytest.raises(InputError):
            parse_scale(text)
