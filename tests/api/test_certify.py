"""`kassay.certify` is what the command shows."""

import pytest

import kassay
from kassay.api.certify import run_options
from kassay.model.errors import InputError, TargetNotFound
from tests.api.same import without_times
from tests.test_testing import EverythingToTheFirst

FEW = ("--claims", "topic-even,complete", "--histories", "20", "--assume", "no-racks", "--seed", "3")


def few(target, **more):
    return kassay.certify(
        target, claims=["topic-even", "complete"], histories=20, assume=["no-racks"], seed=3, **more
    )


def test_the_function_returns_what_the_command_writes(command, tmp_path):
    function = few("ceil-range", out=tmp_path)
    document = command("certify", "ceil-range", *FEW, "--out", str(tmp_path))
    assert without_times(function.to_json()) == without_times(document)
    assert function.verdict == "not-certified" and function.violated == ("topic-even",)
    assert "topic-even" in function.page() and function._repr_html_().startswith("<iframe")


def test_a_claim_has_its_counterexample_and_a_row():
    result = few("ceil-range", controls=False)
    example = result["topic-even"].counterexample
    assert example.trace.claim == "topic-even" and example.path is None
    assert [(row["claim"], row["verdict"]) for row in result.rows()] == [
        ("topic-even", "violated"),
        ("complete", "holds"),
    ]
    with pytest.raises(KeyError, match="the claims are topic-even, complete"):
        result["balanced"]


def test_progress_is_a_share_in_words():
    shares = []
    few("range", controls=False, progress=lambda share, words: shares.append((share, words)))
    assert [share for share, _ in shares] == sorted(share for share, _ in shares)
    assert "20 histories, 0 findings" in shares[-1][1]


def test_a_class_is_a_target():
    result = kassay.certify(EverythingToTheFirst, claims="balanced-within-one", histories=30, controls=False)
    assert repr(result).startswith("<Certification: test_testing.py:EverythingToTheFirst breaks balanced-")


def test_claims_may_be_sentences_of_a_file(tmp_path):
    (tmp_path / "mine.toml").write_text('few = "moved <= 1"\n')
    result = kassay.certify("range", claims=[str(tmp_path / "mine.toml")], histories=20, controls=False)
    assert [each.id for each in result.claims] == ["few = moved <= 1"]
    assert result["few = moved <= 1"].verdict == result.rows()[0]["verdict"]


def test_a_property_with_several_values_configures_members_in_rotation():
    options = run_options(claims=None, assume=(), config={"priority": ["1", "2"], "other": "3"})
    assert options.member_config == (("priority", ("1", "2")),)
    assert options.config == {"other": "3"}


def test_misuse_raises():
    with pytest.raises(TargetNotFound):
        kassay.certify("no-such")
    with pytest.raises(InputError, match="expected one of the two"):
        kassay.certify("range", histories=1, seconds=1.0)
    with pytest.raises(InputError, match="protocol: found 'egar', expected eager or cooperative"):
        kassay.certify("range", protocol="egar")
    with pytest.raises(InputError, match="at the top level"):
        kassay.certify(type("Local", (), {"__qualname__": "x.Local"}))
