"""The action: its steps run as a runner runs them, and what it leaves for people."""

import json
import re
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import jsonschema
import pytest

from kassay.cli.main import run
from kassay.properties.wide.ranges import WIDTHS
from tests.docs.markdown import fenced, section
from tests.paths import DATA, DOCS, ROOT
from tests.release.conftest import clean
from tests.release.github import STEPS, Comments, Workflow
from tests.release.test_wheel import FAULTY

pytestmark = pytest.mark.release

SHORT = {
    "targets": "mine.py\n",
    "arguments": f"--histories 150 --claims balanced-within-one --assume {','.join(WIDTHS)}",
}
SOUND = (ROOT / "src" / "kassay" / "cli" / "templates" / "my_assignor.py.txt").read_text()
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"
INSTALL = ("Install",)


def comment():
    loader = SourceFileLoader("comment", str(ROOT / "action" / "comment.py"))
    spec = spec_from_loader("comment", loader)
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def path(fresh):
    return f"{fresh}:/usr/local/bin:/usr/bin:/bin"


def test_the_action_installs_itself_certifies_and_comments_once(path, tmp_path):
    with Comments() as github:
        workflow = Workflow(tmp_path, github.url)
        mine = workflow.workspace / "mine.py"
        mine.write_text(FAULTY)
        done = workflow.run(SHORT, path)
        assert done.code == 1, done.log
        report = (workflow.workspace / ".kassay" / "report.md").read_text()
        assert done.summary == report
        assert "`balanced-within-one` | **violated**" in report
        assert [each["uses"].partition("@")[0] for each in done.used] == [
            "actions/setup-python",
            "github/codeql-action/upload-sarif",
        ]
        sarif = json.loads((workflow.workspace / done.used[1]["sarif_file"]).read_text())
        jsonschema.validate(sarif, json.loads((DATA / "schemas" / "sarif-2.1.0.json").read_text()))
        (place,) = sarif["runs"][0]["results"][0]["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"] == "mine.py"
        (written,) = github.comments
        assert report in written["body"]
        assert "Minimal counterexample: 2 members, 2 partitions" in written["body"]
        assert "https://github.test/acme/assignors/actions/runs/12" in written["body"]
        assert {token for _, _, token in github.calls} == {"Bearer secret"}
        assert "secret" not in done.log

        mine.write_text(SOUND)
        fixed = workflow.run(SHORT, path, INSTALL)
        assert fixed.code == 0, fixed.log
        assert len(github.comments) == 1, "replaced, not added"
        assert "## mine.py: certified" in github.comments[0]["body"]


@pytest.mark.parametrize("event", ["fork", "push", "off", "refused"])
def test_where_no_comment_can_be_or_is_wanted(path, tmp_path, event):
    with Comments(code=403 if event == "refused" else 200) as github:
        head = "someone/assignors" if event == "fork" else "acme/assignors"
        workflow = Workflow(tmp_path, github.url, "push" if event == "push" else "pull_request", head)
        (workflow.workspace / "mine.py").write_text(FAULTY)
        inputs = SHORT | {"comment": "false" if event == "off" else "true"}
        done = workflow.run(inputs, path, INSTALL)
        report = (workflow.workspace / ".kassay" / "report.md").read_text()
    assert done.code == 1, "the verdict stays what it is"
    assert github.comments == []
    assert done.summary.startswith(report)
    said = done.summary.removeprefix(report).strip()
    uploads = [each["uses"].split("/")[0] for each in done.used]
    if event == "fork":
        assert said == comment().FORK
        assert f"::notice::{said}" in done.log
        assert uploads == ["actions"], "nor may it write to code scanning"
        assert github.calls == []
    elif event == "refused":
        assert "(HTTP 403): expected `pull-requests: write`" in said
        assert f"::warning::{said}" in done.log
    else:
        assert (said, github.calls, uploads) == ("", [], ["actions", "github"])


def test_a_target_that_cannot_be_loaded_fails_with_a_word_in_the_summary(path, tmp_path):
    with Comments() as github:
        workflow = Workflow(tmp_path, github.url)
        done = workflow.run({"targets": "none.py", "arguments": "--no-such"}, path, INSTALL)
    assert done.code == 2
    assert done.summary.startswith("kassay wrote no report and ended with exit code 2")
    assert github.comments == []


def test_a_name_is_one_word_whatever_is_in_it(path, tmp_path):
    with Comments() as github:
        workflow = Workflow(tmp_path, github.url, "push")
        targets = 'my rule.py\n\n$(touch here); "\n'
        done = workflow.run({"targets": targets, "arguments": "--histories 1"}, path, INSTALL)
    assert not (workflow.workspace / "here").exists()
    assert "my rule.py: no such file" in done.log


def test_without_a_finding_there_is_no_comment(tmp_path, monkeypatch, capsys):
    (tmp_path / "report.md").write_text("## mine.py: certified\n")
    with Comments() as github:
        assert commented(tmp_path, monkeypatch, github, code="0") == 0
        assert github.comments == []
        assert commented(tmp_path, monkeypatch, github, code="1") == 0
        assert commented(tmp_path, monkeypatch, github, code="0") == 0
    assert len(github.comments) == 1
    assert [method for method, _, _ in github.calls] == ["GET", "GET", "POST", "GET", "PATCH"]
    assert capsys.readouterr().out == ""


def test_a_comment_of_another_is_never_replaced_and_long_threads_are_read(tmp_path, monkeypatch):
    (tmp_path / "report.md").write_text("new")
    with Comments() as github:
        commented(tmp_path, monkeypatch, github, code="1")
        ours = github.comments.pop() | {"id": 1000}
        forged = ours | {"id": 0, "user": {"type": "User"}, "body": ours["body"] + "forged"}
        others = [{"id": i, "user": {"type": "User"}, "body": None} for i in range(1, 150)]
        github.comments = [forged, *others, ours]
        (tmp_path / "report.md").write_text("newer")
        commented(tmp_path, monkeypatch, github, code="1")
    assert "newer" in github.comments[-1]["body"]
    assert "forged" in github.comments[0]["body"]
    assert len(github.comments) == 151


def commented(folder, monkeypatch, github, code):
    workflow = folder / "workflow"
    workflow.mkdir(exist_ok=True)
    shutil.rmtree(workflow / "workspace", ignore_errors=True)
    variables = Workflow(workflow, github.url).variables | {"CODE": code, "OUT": str(folder)}
    more = {"TOKEN": "secret", "TARGETS": "mine.py", "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    for name, value in (variables | more).items():
        monkeypatch.setenv(name, value)
    return comment().main()


def test_a_comment_fits_and_notifies_nobody():
    long = comment().text_of("line @someone\n" * 10_000, "<!-- kassay -->", "https://github.test/run")
    assert len(long) < 65_536
    assert "@someone" not in long
    assert "(cut here: the summary of the run has the rest)\n\nFrom [this run]" in long


def test_what_it_uses_is_pinned():
    uses = [step["uses"] for step in STEPS if "uses" in step]
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each) for each in uses)
    lines = [line for line in (ROOT / "action.yml").read_text().splitlines() if "uses: " in line]
    assert all(re.search(r" # v\d+\.\d+\.\d+$", line) for line in lines)


def test_shellcheck_has_nothing_to_say_of_the_steps(tmp_path):
    for step in STEPS:
        if "run" in step:
            script = tmp_path / "step.sh"
            script.write_text(step["run"])
            tool = shutil.which("shellcheck", path=f"{sys.exec_prefix}/bin")
            done = subprocess.run([tool, "-s", "bash", script], capture_output=True, text=True, check=False)
            assert done.stdout == "", step["name"]


def test_actionlint_has_nothing_to_say_of_the_workflows(tmp_path, monkeypatch):
    """That of `kassay init --github`, that of the page, and, as a control, one with an input that is not there."""
    if not shutil.which("go"):
        pytest.skip("actionlint needs Go, which is not on the PATH")
    monkeypatch.chdir(tmp_path)
    assert run(["init", "--github"]) == 0
    (page,) = [each for each in fenced(section((DOCS / "ci.md").read_text(), "The action")) if "uses" in each]
    workflows = tmp_path / ".github" / "workflows"
    (workflows / "page.yml").write_text(page.replace("OWNER/kassay@main", "./"))
    shutil.copy(ROOT / "action.yml", tmp_path)
    (tmp_path / ".git").mkdir()

    def complaints():
        env = clean(
            GOFLAGS="-mod=mod", PATH=f"{sys.exec_prefix}/bin:/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin"
        )
        lint = ["go", "run", ACTIONLINT, "-no-color"]
        return subprocess.run(lint, env=env, capture_output=True, text=True, check=False)

    sound = complaints()
    assert (sound.returncode, sound.stdout) == (0, ""), sound.stderr
    (workflows / "page.yml").write_text((workflows / "page.yml").read_text().replace("targets:", "target:"))
    assert 'input "target" is not defined in action "kassay"' in complaints().stdout
