"""What may stand in `[tool.kassay]`, and the one line that refuses the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from kassay.cli.main import cli, run
from kassay.cli.settings import defaults
from kassay.model.errors import InputError

PLACE = "pyproject.toml: tool.kassay"


def read(table: dict[str, Any]) -> dict[str, Any]:
    return defaults(table, PLACE, cli)


def test_an_option_stands_under_its_public_name_and_reaches_every_command_that_has_it() -> None:
    chosen = read({"seed": 9, "certify": {"time": "5s", "in-process": True, "config": ["a=1", "b=2"]}})
    assert chosen["certify"] == {"seed": "9", "seconds": "5s", "in_process": True, "configs": ["a=1", "b=2"]}
    assert chosen["hunt"]["seed"] == "9"
    assert chosen["campaign"]["run"] == {}


def test_a_table_of_its_own_goes_first_also_below_a_group() -> None:
    chosen = read({"json": "a", "campaign": {"config": ["k=v"], "run": {"json": "b"}}})
    assert chosen["campaign"]["run"] == {"json_path": "b", "configs": ["k=v"]}
    assert chosen["campaign"]["findings"] == {"json_path": "a"}
    assert chosen["fleet"] == {"json_path": "a"}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"certify": 3}, ".certify: expected a table with options of this command, got 3"),
        ({"certfy": {"seed": 1}}, ".certfy: expected a command, or an option of one by its name"),
        ({"certfy": {}}, "(did you mean certify?)"),
        ({"histores": 3}, ".histores: "),
        ({"certify": {"histores": 3}}, ".certify.histores: expected an option of this command by its name"),
        ({"certify": {"histores": 3}}, "(did you mean histories?)"),
        ({"certify": {"seconds": "5s"}}, ".certify.seconds: expected an option of this command"),
        ({"certify": {"targets": ["range"]}}, ".certify.targets: expected an option of this command"),
        ({"check": {"histories": 3}}, ".check.histories: expected an option of this command"),
        ({"certify": {"histories": "many"}}, ".certify.histories: 'many' is not a valid whole number"),
        ({"certify": {"histories": 2.5}}, ".certify.histories: '2.5' is not a valid whole number"),
        ({"certify": {"histories": True}}, ".certify.histories: expected a text or a number, got True"),
        ({"certify": {"histories": [3]}}, ".certify.histories: expected a text or a number, got [3]"),
        ({"certify": {"in-process": "yes"}}, ".certify.in-process: expected true or false, got 'yes'"),
        ({"certify": {"config": "a=1"}}, ".certify.config: expected a list of texts, got 'a=1'"),
        ({"certify": {"config": {"a": 1}}}, ".certify.config: expected a list of texts, got {'a': 1}"),
        ({"certify": {"config": [["a"]]}}, ".certify.config: expected a list of texts, got [['a']]"),
        ({"seed": {"x": 1}}, ".seed: expected a text or a number, got {'x': 1}"),
        ({"campaign": {"run": {"sed": 1}}}, ".campaign.run.sed: expected an option of this command"),
        ({"campaign": {"json": "a", "rnu": {}}}, ".campaign.rnu: expected a command"),
    ],
)
def test_what_is_no_setting_is_refused_where_it_stands(table: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        read(table)
    assert str(refusal.value).startswith(PLACE)
    assert message in str(refusal.value)


def test_every_option_of_every_command_may_stand_there() -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            continue
        for option in command.params:
            if isinstance(option, click.Option) and option.is_flag:
                key = next(name for name in option.opts if name.startswith("--")).removeprefix("--")
                assert read({name: {key: True}})[name] == {option.name: True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.kassay]\ncertify = 3\n", "tool.kassay.certify: expected a table"),
        ("[tool]\nkassay = 3\n", "tool.kassay: expected a table, got 3"),
        ("tool = 3\n", "not TOML with tables"),
        ("[tool.kassay\n", "not TOML"),
        ("x = " + "[" * 20_000, "not TOML"),
        ("x = " + "9" * 5_000, "not TOML"),
    ],
)
def test_a_file_that_sets_nothing_usable_ends_every_command_with_one_line(
    text: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert run(["list", "suites"]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("kassay: pyproject.toml: ")
    assert message in streams.err
    assert streams.err.count("\n") == 1
