"""`kassay.play` is what the command shows."""

import pytest

import kassay
from kassay.model.errors import InputError
from tests.api.same import without_times
from tests.genuine import genuine_jars
from tests.paths import EXAMPLES

SCRIPT = str(EXAMPLES / "coordinator" / "c-join-timer.toml")


def test_the_function_returns_what_the_command_writes(command):
    result = kassay.play(SCRIPT)
    assert result.to_json() == command("play", "coordinator", SCRIPT)
    assert [row["event"] for row in result.rows()] == ["join", "join", "advance"]
    assert "IllegalStateException" in result.page()


@pytest.mark.java
def test_kafkas_classes_do_the_same(monkeypatch):
    monkeypatch.setenv("KASSAY_KAFKA_HOME", str(genuine_jars()[0].parent))
    own, genuine = kassay.play(SCRIPT), kassay.play(SCRIPT, genuine=True)
    assert genuine.described() == own.described()
    assert without_times(genuine.rows()) == without_times(own.rows())


def test_misuse_raises(tmp_path):
    with pytest.raises(InputError, match="expected without"):
        kassay.play(SCRIPT, genuine=True, bootstrap_server="a:1")
    with pytest.raises(InputError, match="nothing"):
        kassay.play(tmp_path / "nothing.toml")
