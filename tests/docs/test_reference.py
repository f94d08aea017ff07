"""The reference pages of the site: nothing of the registries is left out, and every table is one."""

import re
from importlib.resources import files

import pytest

import kassay
from kassay.cli.commands.list import THINGS
from kassay.cli.main import cli
from writers.reference import INTRODUCTIONS, pages

PAGES = pages()


def test_every_thing_that_is_listed_has_a_page_and_an_introduction():
    assert {f"reference/{thing}.md" for thing in THINGS} < PAGES.keys()
    assert THINGS.keys() == INTRODUCTIONS.keys()


@pytest.mark.parametrize("thing", THINGS)
def test_every_row_stands_on_its_page(thing):
    page = PAGES[f"reference/{thing}.md"]
    rows = [line for line in page.splitlines() if line.startswith("| <code>")]
    assert len(rows) == len(THINGS[thing]())


@pytest.mark.parametrize("name", cli.list_commands(None))
def test_every_command_has_its_section(name):
    assert f"## kassay {name}" in PAGES["reference/commands.md"]


def test_every_function_has_its_section_with_an_example():
    sections = PAGES["reference/functions.md"].split("\n## kassay.")[1:]
    assert [each.partition("\n")[0] for each in sections] == [each for each in dir(kassay) if each[0] != "_"]
    for section in sections:
        assert "```pycon\n>>> import kassay" in section and ") -> " in section and "\n### " in section


@pytest.mark.parametrize("path", PAGES)
def test_every_table_has_as_many_cells_in_each_row(path):
    for block in re.findall(r"(?:^\|.*\n?)+", PAGES[path], re.M):
        assert len({line.count("|") for line in block.splitlines()}) == 1, block


@pytest.mark.parametrize(
    "schema", sorted(files("kassay.report.schemas").iterdir(), key=str), ids=lambda s: s.name
)
def test_every_schema_has_its_section_under_the_name_of_its_file(schema):
    name, _, version = schema.name.removesuffix(".json").rpartition("-")
    assert f"## kassay/{name}/{version}\n" in PAGES["reference/schemas.md"]
