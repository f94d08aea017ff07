"""How the command line finds its commands."""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
import zipfile
from pathlib import Path

import click
import pytest

import kassay
from kassay.cli import commands
from kassay.cli.main import _HEAD, cli, run, tell_of_ortools
from kassay.engines.protocols.switches import SWITCHES
from kassay.solver.algorithms import bulk_flow
from tests.cli.runner import ENVIRONMENT

PACKAGE = Path(kassay.__file__).parent


def test_every_file_of_the_folder_is_a_command_with_a_line_and_a_place_of_its_own() -> None:
    context = click.Context(cli)
    names = [module.name for module in pkgutil.iter_modules(commands.__path__)]
    heads = [_HEAD.match((PACKAGE / "cli" / "commands" / f"{name}.py").read_text()) for name in names]
    assert "certify" in names
    assert None not in heads
    assert len({head["place"] for head in heads if head}) == len(names)
    for name in (each.replace("_", "-") for each in names):
        command = cli.get_command(context, name)
        assert command is not None
        assert command.name == name


def test_a_file_more_is_a_command_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "say_hello.py").write_text(
        '"""Say hello."""\n\nimport click\n\nPLACE = 35\n\n\n'
        '@click.command("say-hello")\ndef command() -> int:\n    click.echo("hello")\n    return 0\n'
    )
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "kassay.cli.commands.say_hello", raising=False)
    assert run(["say-hello"]) == 0
    assert capsys.readouterr().out == "hello\n"


def test_the_help_imports_no_command_and_lists_the_first_first() -> None:
    code = (
        "import sys; from kassay.cli.main import run; run(['--help']); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    places = [done.stdout.index(f"\n  {name} ") for name in ("certify", "replay", "explain", "list", "prove")]
    assert places == sorted(places)
    assert not [name for name in done.stderr.split() if name.startswith("kassay.cli.commands.")]


def test_alone_it_shows_what_to_do_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    out, said = capsys.readouterr()
    assert out == ""
    assert "kassay certify my_assignor.py\n" in said
    assert said.splitlines()[-1] == "All commands: kassay --help"
    assert said.count("\n") < 25


def test_commands_are_found_in_an_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "kassay.zip", "w") as archive:
        for path in PACKAGE.rglob("*.py"):
            archive.write(path, path.relative_to(PACKAGE.parent))
    code = "import kassay; from kassay.cli.main import main; print(kassay.__file__); main()"
    for arguments, said in ((["--help"], "certify"), (["list", "suites"], "bench")):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env={**os.environ, "PYTHONPATH": str(tmp_path / "kassay.zip")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "kassay.zip" in done.stdout
        assert said in done.stdout


def test_what_is_no_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["certfy"]) == 2
    assert "certfy" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "list claims",
        "list claims --json -",
        "certify ceil-range range --histories 20 --progress -",
    ],
)
def test_whoever_reads_may_stop_at_any_time(command: str, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "kassay", *command.split()],
            cwd=tmp_path,
            env=ENVIRONMENT,
            stdout=gone,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("certfy my.py", "certify"),
        ("list switchs", "switches"),
        ("explain stiky", "sticky"),
        ("explain balanced-within-on", "balanced-within-one"),
        ("explore kip84", "kip848"),
        ("explore kip848 --faults crsh=1", "crash"),
        ("explore clasic --switch each", "classic"),
        ("gap range --suite bensh", "bench"),
        ("optimum smal", "small"),
        ("prove roundrobin-coun", "roundrobin-count"),
    ],
)
def test_a_misspelled_name_comes_with_a_similar_one(typed, meant, capsys):
    assert run(typed.split()) == 2
    out, said = capsys.readouterr()
    assert not out
    assert f"(did you mean {meant}?)" in said
    assert said.count("\n") == 1


def test_a_misspelled_switch_comes_with_a_similar_one(capsys):
    name = next(name for name, switch in SWITCHES.items() if switch.model == "kip848")
    assert run(["explore", "kip848", "--switch", name[:-1]]) == 2
    assert f"(did you mean {name}?)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["certify"], "Missing argument 'TARGET...'; see kassay certify --help"),
        (["list"], "Missing argument 'THING'. Expected jar:FILE or one of assignors, "),
        (["certify", "range", "--histories", "ten"], "'ten' is not a valid whole number; see "),
        (["play", "foo", "bar"], "Invalid value for 'coordinator': 'foo' is not 'coordinator'; see "),
        (["hunt", "--worst", "spread:4", "--on", "range"], "Invalid value for '--worst': '4' is not a scope"),
        (["explain", "sticky", "--against", "9.9"], "--against: unknown release '9.9'; expected one up to "),
        (["lint", "x", "--release", "9.9"], "--release: unknown release '9.9'; expected one up to "),
    ],
)
def test_an_error_of_usage_is_a_line_that_says_what_is_accepted_or_where_to_read_it(typed, said, capsys):
    assert run(typed) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_what_or_tools_would_gain_is_said_after_long_flows_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bulk_flow, "_spent", [1.0, 1.5])
    tell_of_ortools()
    assert capsys.readouterr().err == ""
    bulk_flow._spent.append(28.0)
    tell_of_ortools()
    assert "30 s of this were large flows" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("module", "typed", "code", "said"),
    [
        (
            "kassay.api.explore.explore",
            ("explore", "draft"),
            2,
            "--max-states: out of memory, expected fewer, ",
        ),
        (
            "kassay.api.prove.prove",
            ("prove", "range-even"),
            3,
            "out of memory, expected a smaller input or a ",
        ),
    ],
)
def test_too_little_memory_is_a_line_that_says_what_takes_less(
    module, typed, code, said, monkeypatch, capsys
):
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(module, full)
    assert run(list(typed)) == code
    assert capsys.readouterr().err.startswith(f"kassay: {said}")
