"""The page on `kassay place` shows what the command prints on the example's files."""

import re
import shutil

import pytest

from tests.cli.runner import here
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "place.md").read_text()
EXAMPLES = re.findall(r"```\n\$ kassay ([^\n]*)\n(.*?)\n```", PAGE, re.DOTALL)


def test_there_are_examples():
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize(("command", "expected"), EXAMPLES)
def test_the_output_on_the_page_is_the_commands(tmp_path, command, expected):
    shutil.copytree(ROOT / "examples" / "cluster", tmp_path / "cluster")
    done = here(*command.split(), cwd=tmp_path / "cluster")
    assert not done.stderr
    assert "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines()) == expected
