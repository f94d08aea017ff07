"""The page on `kassay what-if` shows what the command prints on the example's files."""

import re

from tests.cli.runner import here
from tests.paths import ROOT

PAGE = ROOT / "docs" / "what-if.md"


def test_the_outputs_on_the_page_are_the_commands():
    examples = re.findall(r"\$ kassay ([^\n]*)\n(.*?)\n```", PAGE.read_text(), re.DOTALL)
    assert len(examples) >= 2
    for command, expected in examples:
        done = here(*command.split(), cwd=ROOT / "examples" / "cluster")
        assert done.returncode == 0, done.stderr
        assert "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines()) == expected
