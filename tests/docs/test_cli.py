"""The contract of the command line is its table; how many commands and options there are, and how they are helped."""

from __future__ import annotations

import json
from collections import defaultdict

import click
import pytest

from kassay.cli.main import run
from kassay.engines.protocols.settings import MODELS
from tests.paths import DOCS
from writers.cli import contract, leaves, name_of, options, words_of

FIRST_LEVEL, OPTIONS = 26, 184
"""The most commands on the first level, and options in all: an option counts once for each command that has it."""
WORDS, LINES, COLUMNS = 10, 40, 100
"""The most words of an option's help before its default, and lines of a help at so many columns."""
AGAIN = "regenerate it: python docs/writers/cli.py > docs/cli.json"


def test_the_table_is_what_the_commands_have() -> None:
    assert json.loads((DOCS / "cli.json").read_text(encoding="utf-8")) == json.loads(
        json.dumps(contract())
    ), AGAIN


def test_there_are_few_commands_and_options() -> None:
    found = contract()
    assert found["first_level"] <= FIRST_LEVEL
    assert found["options"] <= OPTIONS


def test_a_name_means_one_thing() -> None:
    helps = defaultdict(set)
    for _, command in leaves():
        for option in options(command):
            helps[name_of(option)].add(words_of(option))
    assert {name: words for name, words in helps.items() if len(words) > 1} == {}


def test_no_name_is_the_plural_or_the_beginning_of_another() -> None:
    names = {name_of(option).removeprefix("--") for _, command in leaves() for option in options(command)}
    assert [name for name in names if f"{name}s" in names] == []


@pytest.mark.parametrize("name", [name for name, _ in leaves()])
def test_the_help_of_an_option_has_few_words(name: str) -> None:
    command = dict(leaves())[name]
    long = {name_of(each): words_of(each) for each in options(command) if len(words_of(each).split()) > WORDS}
    assert long == {}
    assert all(words_of(option).endswith(".") for option in options(command))


@pytest.mark.parametrize(
    "words",
    [[], *([*name.split()] for name, _ in leaves()), ["campaign"], *(["explore", model] for model in MODELS)],
    ids=" ".join,
)
def test_a_help_fits_on_a_screen(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(click.formatting, "get_terminal_size", None, raising=False)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    assert run([*words, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= LINES
    assert all(len(line) <= COLUMNS for line in lines)
