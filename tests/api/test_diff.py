"""`kassay.diff` is what the command shows."""

import pytest

import kassay
from kassay.model.errors import InputError, TargetNotFound
from tests.api.same import without_times


def test_the_function_returns_what_the_command_writes(command, tmp_path):
    compared = kassay.diff("range", "roundrobin", by="quality", histories=30, seed=2, out=tmp_path)
    options = ("--by", "quality", "--histories", "30", "--seed", "2", "--out", str(tmp_path))
    document = command("diff", "range", "roundrobin", *options)
    assert without_times(compared.to_json()) == without_times(document)
    assert compared.verdict == "differ" and compared.path == document["difference"]["trace"]
    assert len(compared.rows()) == len(compared.difference.lines)
    assert "roundrobin" in compared.page()


def test_what_agrees_has_no_difference():
    compared = kassay.diff("range", "range", histories=5)
    assert (compared.verdict, compared.difference, compared.path, compared.rows()) == (
        "alike",
        None,
        None,
        [],
    )


def test_misuse_raises():
    with pytest.raises(TargetNotFound):
        kassay.diff("range", "no-such")
    with pytest.raises(InputError, match="by: found 'taste', expected answer or quality"):
        kassay.diff("range", "range", by="taste")
