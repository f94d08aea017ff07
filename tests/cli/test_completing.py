"""Completion in real shells: what stands on the line after a tab."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time

import click
import pytest

from kassay.cli import completing
from kassay.cli.main import cli, run
from tests.cli.runner import ENVIRONMENT

BEGIN, END = "<<<", ">>>"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with files, and a `kassay` on the PATH that is this one."""
    program = tmp_path / "bin" / "kassay"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kassay "$@"\n')
    program.chmod(0o755)
    (tmp_path / "my_rule.py").write_text("")
    (tmp_path / "traces").mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bash(home, typed):
    """The line in an interactive bash after a tab, as readline leaves it."""
    (home / "rc").write_text('PS1=""\nbind "set bell-style none"\neval "$(kassay --completion bash)"\n')
    argv = ["bash", "--noprofile", "--rcfile", str(home / "rc"), "-i"]
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(home)
        os.execvpe("bash", argv, {**ENVIRONMENT, "PATH": os.environ["PATH"], "TERM": "dumb"})
    try:
        # What is echoed begins and ends with words that no candidate has.
        os.write(terminal, b"echo ready\n")
        until(terminal, b"ready\r\nready")
        os.write(terminal, f"{typed}\t\x01echo '{BEGIN}\x05{END}'\n".encode())
        said = until(terminal, f"\n{BEGIN}".encode(), END.encode()).decode()
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
    return said.rpartition(f"\n{BEGIN}")[2].partition(END)[0]


def until(terminal, *marks):
    """What is read until each mark came up behind the one before."""
    said, deadline = b"", time.monotonic() + 120
    while True:
        rest, there = said, True
        for mark in marks:
            _, cut, rest = rest.partition(mark)
            there = there and bool(cut)
        if there:
            return said
        assert time.monotonic() < deadline, said
        if select.select([terminal], [], [], 5)[0]:
            said += os.read(terminal, 65536)


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("kassay certi", "kassay certify "),
        ("kassay certify cooperative-sti", "kassay certify cooperative-sticky "),
        ("kassay certify placement:rack-una", "kassay certify placement:rack-unaware "),
        ("kassay certify range my_r", "kassay certify range my_rule.py "),
        (
            "kassay certify range --claims complete,topic-e",
            "kassay certify range --claims complete,topic-even ",
        ),
        ("kassay certify range --claims=topic-e", "kassay certify range --claims=topic-even "),
        ("kassay certify range --baseline-u", "kassay certify range --baseline-update "),
        ("kassay explore zook", "kassay explore zookeeper "),
        ("kassay replay tra", "kassay replay traces/"),
    ],
)
def test_a_tab_in_bash_completes(home, typed, completed):
    assert bash(home, typed) == completed


def answers(home, shell, typed):
    """What the program answers a shell whose script is click's own."""
    words = typed.split(" ")
    where = words[-1] if shell == "fish" else str(len(words) - 1)
    done = subprocess.run(
        ["kassay"],
        env={**os.environ, "_KASSAY_COMPLETE": f"{shell}_complete", "COMP_WORDS": typed, "COMP_CWORD": where},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_answered_with_what_each_name_means(home, shell):
    said = answers(home, shell, "kassay certify rang")
    assert "range" in said
    assert "Each topic" in said or "topic" in said


def test_fish_completes(home):
    if shutil.which("fish") is None:
        pytest.skip("there is no fish on the PATH")
    script = home / "kassay.fish"
    script.write_text(
        subprocess.run(["kassay", "--completion", "fish"], capture_output=True, text=True, check=True).stdout
    )
    ask = f"source {script}; complete -C 'kassay certify cooperative-stic'; complete -C 'kassay certify placement:str'"
    done = subprocess.run(["fish", "--no-config", "-c", ask], capture_output=True, text=True, check=True)
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == [
        "cooperative-sticky",
        "placement:striped",
    ]


def values(complete, typed):
    context, parameter = click.Context(cli), click.Argument(["x"])
    return [item.value for item in complete(context, parameter, typed) if item.type == "plain"]


@pytest.mark.parametrize(
    ("complete", "typed", "expected"),
    [
        (completing.claims, "complete,complet", []),
        (completing.claims, "topic-even,complet", ["topic-even,complete"]),
        (completing.claim, "converges", ["converges:"]),
        (completing.situations, "owned-t", ["owned-twice"]),
        (completing.assumptions, "equal-", ["equal-subscriptions"]),
        (completing.model, "kip", ["kip848"]),
        (completing.instances, "benc", ["bench"]),
        (completing.formats, "html,mark", ["html,markdown"]),
        (completing.goals, "rack,bal", ["rack,balance"]),
        (completing.targets, "range,sticky", ["range,sticky"]),
        (completing.explained, "topic-ev", ["topic-even"]),
    ],
)
def test_names_complete(complete, typed, expected):
    assert values(complete, typed) == expected


def test_each_switch_and_proof_completes_to_itself():
    assert all(name in values(completing.switch, name) for name in values(completing.switch, ""))
    assert len(values(completing.proof, "")) > 3


NAMING = ("target", "targets", "left", "right", "claims", "suite_name", "model", "json_path")
"""Arguments and options by which a command takes a name or a file."""


def test_every_argument_and_option_that_names_something_completes():
    context, without = click.Context(cli), []
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        for each in [*command.commands.values()] if isinstance(command, click.Group) else [command]:
            for parameter in each.params:
                if parameter.name in NAMING:
                    given = parameter.shell_complete(click.Context(each), "")
                    without += [(name, parameter.opts[-1])] * (not given)
    assert without == []


def test_what_completes_solves_and_draws_nothing(home):
    code = (
        "import sys; from kassay.cli import completing as c; import click\n"
        "for each in (c.target, c.claims, c.situations, c.assumptions, c.model, c.instances, c.formats):\n"
        "    assert each(None, None, '')\n"
        "print(*(name for name in ('z3', 'hypothesis', 'networkx', 'rich', 'pyspark') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_script_is_printed(capsys):
    assert run(["--completion", "bash"]) == 0
    assert capsys.readouterr().out == completing.source("bash", cli)
