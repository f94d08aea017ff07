"""The pages on `kassay what-if` and `kassay scale` show what the commands print on the example's files."""

import re

import pytest

from tests.cli.runner import here
from tests.paths import ROOT

DOCS = ROOT / "docs"


@pytest.mark.parametrize("page", ["what-if.md", "scale.md"])
def test_the_outputs_on_the_page_are_the_commands(page):
    examples = re.findall(r"\$ kassay ([^\n]*)\n(.*?)\n```", (DOCS / page).read_text(), re.DOTALL)
    assert examples
    for command, expected in examples:
        done = here(*command.split(), cwd=ROOT / "examples" / "cluster")
        assert done.returncode == 0, done.stderr
        assert "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines()) == expected
