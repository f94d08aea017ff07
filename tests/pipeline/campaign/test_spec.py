"""What a spec may say, and the one line that each mistake gets."""

from pathlib import Path

import pytest

from kassay.model.errors import InputError
from kassay.pipeline.campaign.spec import Spec, read_spec, spec_of
from kassay.properties.groups.histories.generator import SHAPES
from tests.paths import EXAMPLES

GOOD = """
[campaign]
name = "n"
targets = ["range"]
[[target]]
spec = "sticky"
config = { a = "b" }
[histories]
small = 10
"shape:*" = 2
"shape:wide-topic" = 1
"""


def test_the_example_is_read() -> None:
    found = read_spec(EXAMPLES / "campaign.toml")
    assert [target.spec for target in found.targets][:2] == ["range", "roundrobin"]
    assert found.gap


def test_the_sentences_of_a_file_stand_beside_the_claims(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(GOOD.replace("[[target]]", 'claims = ["complete"]\nclaims_file = "s.toml"\n[[target]]'))
    with pytest.raises(InputError, match=r"s\.toml: no such file"):
        read_spec(path)
    (tmp_path / "s.toml").write_text('few = "moved <= 2"\n')
    assert read_spec(path).claims == ("complete", "few = moved <= 2")


def test_targets_and_profiles_are_taken_together(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(GOOD, encoding="utf-8")
    found = read_spec(path)
    assert [(t.spec, t.config) for t in found.targets] == [("range", {}), ("sticky", {"a": "b"})]
    counts = dict(found.histories)
    assert counts["small"] == 10
    assert counts["shape:wide-topic"] == 1
    assert all(counts[f"shape:{shape.id}"] == 2 for shape in SHAPES if shape.id != "wide-topic")


def test_the_pace_is_no_part_of_a_campaigns_identity() -> None:
    base = {"campaign": {"name": "n", "targets": ["range"]}, "histories": {"small": 1}}
    paced = {**base, "pace": {"batch_seconds": 3}}
    other = {**base, "campaign": {"name": "n", "targets": ["range"], "seed": 1}}
    assert spec_of(base, "x").identity == spec_of(paced, "x").identity
    assert spec_of(base, "x").identity != spec_of(other, "x").identity


def test_a_target_is_kept_with_the_release_that_is_meant() -> None:
    def read(*targets: str) -> Spec:
        document = {"campaign": {"name": "n", "targets": list(targets)}, "histories": {"small": 1}}
        return spec_of(document, "x")

    specs = read("uniform", "uniform@4.0", "range@4.1", "my.py:Rule").targets
    assert [target.spec for target in specs] == ["uniform@4.0.1", "uniform@4.0.0", "range", "my.py:Rule"]
    assert read("uniform").identity == read("uniform@4.2").identity != read("uniform@4.0").identity
    with pytest.raises(InputError, match=r"x: campaign.targets\[1\]: uniform@3.9: known since 4.0.0 only"):
        read("range", "uniform@3.9")
    with pytest.raises(InputError, match=r"x: campaign.targets\[1\]: the target"):
        read("uniform", "uniform@4.1")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"campaign": {"targets": ["range"]}}, "x: campaign.name: missing"),
        ({"campaign": {"name": "n"}}, "campaign.targets: expected at least one target"),
        (
            {"campaign": {"name": "n", "targets": "range"}},
            "x: campaign.targets: found 'range', expected a list",
        ),
        (
            {"campaign": {"name": "n", "targets": ["a", "a"]}},
            "x: campaign.targets[1]: the target 'a' is already at campaign.targets[0]",
        ),
        (
            {"campaign": {"name": "n", "targets": ["a"], "seeed": 1}},
            "x: campaign.seeed: unknown field, expected one of assume, claims",
        ),
        (
            {"campaign": {"name": "n", "targets": ["a"], "gap": 1}},
            "campaign.gap: found 1, expected true or false",
        ),
        ({"campaign": {"name": "n", "targets": ["a"], "assume": ["b"]}}, "campaign.assume: unknown"),
        (
            {"campaign": {"name": "n", "targets": ["a"], "claims": []}},
            "x: campaign.claims: expected at least",
        ),
        ({"histories": {"smal": 1}}, "histories: no profile 'smal'"),
        (
            {"histories": {"small": -1}},
            "histories.small: found -1, expected a whole number from 0 to 1,000,000,000,000",
        ),
        ({"histories": {"small": 10**18}}, "histories.small: found 1000000000000000000, expected a whole"),
        ({"histories": {"small": 0}}, "nothing to do"),
        ({"histories": None}, "x: histories: found None, expected an object"),
        ({"campaign": {"name": " ", "targets": ["a"]}}, "campaign.name: found ' ', expected a text"),
        (
            {"campaign": {"name": "n", "targets": ["a"], "seed": True}},
            "campaign.seed: found True, expected a",
        ),
        ({"target": [{"spec": "b", "config": {"a": 1}}]}, "target[0].config.a: found 1, expected a text"),
        (
            {"pace": {"batch_seconds": 0}},
            "pace.batch_seconds: found 0, expected seconds, more than 0 and at most a year",
        ),
        ({"limits": {"memory": 1}}, "limits.memory: found 1, expected a whole number from 32 on"),
        (
            {"target": [{"spec": "b", "protocol": "lazy"}]},
            "target[0].protocol: found 'lazy', expected 'eager' or 'cooperative'",
        ),
        ({"extra": {}}, "extra: unknown field"),
    ],
)
def test_a_mistake_is_named_with_its_field(change: dict[str, object], says: str) -> None:
    document = {"campaign": {"name": "n", "targets": ["range"]}, "histories": {"small": 1}, **change}
    with pytest.raises(InputError) as caught:
        spec_of(document, "x")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_toml_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[campaign", encoding="utf-8")
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe")
    for path in (tmp_path / "bad.toml", tmp_path / "latin.toml", tmp_path / "none.toml", tmp_path):
        with pytest.raises(InputError, match=str(path)):
            read_spec(path)
