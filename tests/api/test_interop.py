"""`kassay.interop` is what the command shows."""

import pytest

import kassay
from kassay.model.errors import InputError
from tests.cli.commands.test_interop import results  # noqa: F401 - a fixture


def test_the_function_returns_what_the_command_writes(command, results):  # noqa: F811 - as above
    out = results.parent
    together = kassay.interop("java", "segmentio", out=out)
    assert together.to_json() == command("interop", "java,segmentio", "--out", str(out))
    assert together.verdict == "differs" and repr(together).startswith("<LibrariesTogether: 1 of 2 pairs")
    assert [row["cell"] for row in together.rows()] == ["0/0", "agrees"]
    assert together.page() == (out / "interop.html").read_text()


def test_misuse_raises():
    with pytest.raises(InputError, match="expected at least two libraries"):
        kassay.interop("java")
