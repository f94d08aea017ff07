"""Every command block of the pages is run, and its output is what the page says."""

import re

import pytest

from tests.docs.commands import CLIENTS, blocks, commands, matches, needs, play
from tests.paths import DOCS, ROOT

PAGES = sorted([ROOT / "README.md", *DOCS.rglob("*.md")])
QUICK = ("README.md", "docs/audit.md", "docs/ci.md", "docs/scale.md", "docs/tutorials/java.md")
"""The pages whose blocks without a need are run by default; those of the others are slow."""


def _runs():
    """The pages with what their blocks need; a run of slow blocks runs the others first, so that is enough."""
    for page in PAGES:
        name = str(page.relative_to(ROOT))
        for need in sorted(needs(page)):
            if need or name in QUICK or "slow" not in needs(page):
                marks = [] if not need and name in QUICK else [getattr(pytest.mark, need or "slow")]
                yield pytest.param(page, need, marks=marks, id=" ".join([name, *need.split()]))


COMMAND = re.compile(r"(\$ |kassay |pytest |pip |\./dev |python |export )")


@pytest.mark.parametrize(("page", "need"), [*_runs()])
def test_the_commands_of_a_page_print_what_it_says(page, need, tmp_path):
    if need == "java" and not CLIENTS.exists():
        pytest.skip("no .jars, which `./dev jars` fetches")
    assert play(page, tmp_path, need) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_of_commands_is_run_or_says_why_not(page):
    lost = []
    for block in blocks(page):
        if block.title is None and any(COMMAND.match(line) for line in block.text.splitlines()):
            reason = block.remark("by hand")
            if reason == "" or (reason is None and block.language != "console"):
                lost.append(f"line {block.line}: neither run (```console, `$ command`) nor `by hand: why`")
            elif reason is None:
                commands(block)
    assert lost == []


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\n", False),
        ("a\n", "a\nb\n", False),
        ("a\nb\nc\n", "a\n...\nc\n", True),
        ("a\nc\n", "a\n...\nc\n", True),
        ("a\nb\n", "a\n...\nc\n", False),
        ("a\nb\n", "...\n", True),
        ("ran 12.5 s", "ran 3 s", True),
        ("ran 12.5 m", "ran 3.5 m", False),
        ("took  0.012  9", "took  0.002  9", True),
        ("took  0.012  9", "took  0.002  8", False),
        ("a.c", "abc", False),
        ("abc", "a.c", False),
        ("version 1.2.3 of x", "version ... of x", True),
        ("version 1.2.3 of y", "version ... of x", False),
        ("version of x", "version ... of x", True),
        ("versions of x", "version ... of x", False),
        ("a b", "a\nb", True),
        ("ab", "a\nb", False),
        ("...", "...", True),
        ("", "", True),
        ("a", "", False),
    ],
)
def test_what_is_the_same(printed, expected, same):
    assert matches(printed, expected) is same


PAGE = r"""Text.

```text title="in/a.txt"
one
```

<!-- exit 3 -->
```console
$ cat in/a.txt; echo two
one
two
$ sh -c 'echo long && \
> exit 3'
```
"""


def test_what_a_page_shows_is_read_as_it_stands(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    listed = list(blocks(page))
    assert [(b.language, b.title, b.remarks, b.line) for b in listed] == [
        ("text", "in/a.txt", (), 3),
        ("console", None, ("exit 3",), 8),
    ]
    assert [c.line for c in commands(listed[1])] == ["cat in/a.txt; echo two", "sh -c 'echo long && exit 3'"]
    sandbox = tmp_path / "sandbox"
    sandbox.mkdir()
    (complaint,) = play(page, sandbox)
    assert "page.md:8: $ sh -c" in complaint
    assert "printed\nlong\n" in complaint
