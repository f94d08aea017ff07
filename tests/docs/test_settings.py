"""Every option of every command is a key of `[tool.kassay]`, and the page's example and its errors are real."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import click

from kassay.cli.main import cli, run
from kassay.cli.settings import defaults
from tests.docs.markdown import fenced
from tests.paths import DOCS

PAGE = (DOCS / "settings.md").read_text(encoding="utf-8")


def leaves(
    group: click.Group = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that is not a group, with the names that lead to it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from leaves(command, (*path, name))
        elif command is not None:
            yield (*path, name), command


def keys(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    """The long names of a command's options, without dashes."""
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            yield next(name for name in option.opts if name.startswith("--")).removeprefix("--"), option


def test_every_flag_of_every_command_is_a_key() -> None:
    assert len([*leaves()]) > 20
    for path, command in leaves():
        for key, option in keys(command):
            if option.is_flag:
                table: dict[str, object] = {key: True}
                for name in reversed(path):
                    table = {name: table}
                assert defaults(table, "page", cli)


def test_every_key_is_explained_by_the_help() -> None:
    for path, command in leaves():
        for key, option in keys(command):
            record = option.get_help_record(click.Context(command))
            assert record is not None and f"--{key}" in record[0] and record[1], (path, key)


def test_the_example_is_taken_and_its_faults_are_reported_as_the_page_says(
    tmp_path, monkeypatch, capsys
) -> None:
    example, said = fenced(PAGE)
    table = tomllib.loads(example)["tool"]["kassay"]
    taken = defaults(table, "page", cli)
    assert taken["certify"]["histories"] == "2500"
    assert taken["campaign"]["run"]["configs"] == ["spark.master=local[2]"]
    monkeypatch.chdir(tmp_path)
    for line, fault in zip(said.splitlines(), ("histores = 3", 'histories = "many"'), strict=True):
        (tmp_path / "pyproject.toml").write_text(f"[tool.kassay.certify]\n{fault}\n")
        assert run(["list", "suites"]) == 2
        assert capsys.readouterr().err == line + "\n"
