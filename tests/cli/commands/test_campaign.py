"""`kassay campaign`: bad input is one line, said before Spark starts."""

import shutil

import pytest

from kassay.cli.main import main, run
from tests.paths import EXAMPLES

SPARK = pytest.mark.spark


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "."), ".: no campaign.json, expected the folder of a campaign"),
        (("run", "missing.toml"), "missing.toml: no such file"),
        (("run", "c.toml", "--out", "full"), "full: not empty (mine.parquet)"),
        (("run", "c.toml", "--config", "x"), "--config 'x': expected key=value"),
        pytest.param(
            ("run", "c.toml", "--config", "spark.master=spark://127.0.0.1:1"), "no answer", marks=SPARK
        ),
        pytest.param(("run", "c.toml", "--config", "spark.master=mesos"), "expected local[N]", marks=SPARK),
    ],
)
def test_bad_input_is_one_line_and_exit_2(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLES / "campaign.toml", "c.toml")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.parquet").touch()
    with pytest.raises(SystemExit) as left:
        main(["campaign", *arguments])
    told = capsys.readouterr().err
    assert left.value.code == 2
    assert said in told
    assert len(told.strip().splitlines()) == 1


def test_a_campaign_that_is_not_there_leaves_no_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["campaign", "findings", "NOSUCH"]) == 2
    assert capsys.readouterr().err == "kassay: NOSUCH: no campaign.json, expected the folder of a campaign\n"
    assert not any(tmp_path.iterdir())
