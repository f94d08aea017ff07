"""`kassay.campaign` is what the command shows."""

import json

import pytest

import kassay
from kassay.model.errors import InputError

SPEC = """
[campaign]
name = "few"
seed = 1
targets = ["sticky"]
[histories]
small = 50
"""
LOCAL = {"spark.master": "local[1]"}
MEASURED = ("totals", "studies")
"""What every run measures again: the cost, and tables of it."""


@pytest.mark.spark
def test_the_function_returns_what_the_command_writes(command, tmp_path):
    spec, out = tmp_path / "few.toml", tmp_path / "out"
    spec.write_text(SPEC)
    lines = []
    result = kassay.campaign(
        spec, out=out, config=LOCAL, progress=lambda done, words="": lines.append((done, words))
    )
    # The command goes on in the folder, where nothing is left to play.
    document = command("campaign", "run", str(out), "--config", "spark.master=local[1]")
    kept = [key for key in document if key not in MEASURED]
    assert [result.to_json()[key] for key in kept] == [document[key] for key in kept]
    assert lines[-1][0] == 50 and any("50 of 50 histories" in words for _, words in lines)
    assert len(result.findings) == len(document["findings"]) > 0
    assert json.loads(result.findings[0]["trace"])["target"] == "sticky"
    assert {each.name for each in out.glob("report*")} == {
        *("report.html", "report.csv"),
        *(f"report-{name}.svg" for name in result.plots()),
    }
    assert "few" in result.page()


def test_misuse_raises(tmp_path):
    with pytest.raises(InputError, match="no campaign"):
        kassay.campaign(tmp_path)
    with pytest.raises(InputError, match="missing"):
        kassay.campaign(tmp_path / "missing.toml")
    assert not [*tmp_path.iterdir()]
