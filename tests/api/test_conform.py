"""`kassay.conform` is what the command shows."""

import pytest

import kassay
from kassay.model.errors import InputError
from tests.genuine import genuine_jars


@pytest.mark.java
def test_the_function_returns_what_the_command_writes(command, monkeypatch):
    monkeypatch.setenv("KASSAY_KAFKA_HOME", str(genuine_jars()[0].parent))
    result = kassay.conform("classic", steps=60, seed=3)
    document = command("conform", "classic", "--steps", "60", "--seed", "3")
    assert result.to_json() | {"seconds": 0} == document | {"seconds": 0}
    assert result.holds and "Not driven" in result.page()
    assert result.rows() == [row for row in result.rows() if row["of"] == "kafka" and row["known"]]


@pytest.mark.parametrize("options", [{"release": "3.9.0"}, {"runtime": "other"}], ids=str)
def test_misuse_raises(options):
    with pytest.raises(InputError, match="expected one of"):
        kassay.conform(steps=1, **options)
    with pytest.raises(InputError, match="unknown kind"):
        kassay.conform("share", steps=1)
