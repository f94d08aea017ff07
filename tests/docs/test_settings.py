"""The page of settings has every key of every command, and its example is one that is taken."""

from __future__ import annotations

import tomllib

from kassay.cli.main import cli, run
from kassay.cli.settings import defaults
from tests.docs.markdown import fenced
from tests.paths import DOCS
from writers.settings import keys, leaves, page

PAGE = (DOCS / "settings.md").read_text(encoding="utf-8")
AGAIN = "regenerate it: python docs/writers/settings.py > docs/settings.md"


def test_every_key_of_every_command_has_its_line() -> None:
    assert page() == PAGE, AGAIN


def test_every_key_on_the_page_is_one_that_the_command_takes() -> None:
    for path, command in leaves():
        for key, option in keys(command):
            if option.is_flag:
                table: dict[str, object] = {key: True}
                for name in reversed(path):
                    table = {name: table}
                assert defaults(table, "page", cli)


def test_the_example_is_taken_and_its_faults_are_told_as_they_stand_there(
    tmp_path, monkeypatch, capsys
) -> None:
    example, said = fenced(PAGE)
    table = tomllib.loads(example)["tool"]["kassay"]
    taken = defaults(table, "page", cli)
    assert taken["certify"]["histories"] == "2500"
    assert taken["campaign"]["run"]["master"] == "local[2]"
    monkeypatch.chdir(tmp_path)
    for line, fault in zip(said.splitlines(), ("histores = 3", 'histories = "many"'), strict=True):
        (tmp_path / "pyproject.toml").write_text(f"[tool.kassay.certify]\n{fault}\n")
        assert run(["list", "suites"]) == 2
        assert capsys.readouterr().err == line + "\n"
