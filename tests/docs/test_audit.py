"""The page on `kassay audit` shows what the command prints on the example's files."""

from tests.cli.runner import here
from tests.paths import ROOT

PAGE = ROOT / "docs" / "audit.md"


def test_the_output_on_the_page_is_the_commands():
    example = PAGE.read_text().partition("$ cd examples/cluster\n$ kassay ")[2].partition("\n```")[0]
    command, _, expected = example.partition("\n")
    done = here(*command.split(), cwd=ROOT / "examples" / "cluster")
    assert done.returncode == 1, done.stderr
    assert "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines()) == expected
