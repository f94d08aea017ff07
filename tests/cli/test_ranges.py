"""Every option of every command has a range: what is outside is one line and exit code 2."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kassay.cli.main import cli, run
from kassay.cli.options import Duration, ScopeType, Seed, Whole

NUMBERS = ["", "nan", "inf", "1e3", "x", "1.5"]
ABSURD: dict[type, list[str]] = {
    Duration: ["", "0", "0s", "-1", "nan", "inf", "1e3", "9000h", "9" * 400, "1,"],
    ScopeType: ["", "0x0", "0x3", "3x0", "-1x2", "3", "3x4x5", "9" * 5000 + "x1"],
    Seed: ["", "nan", "1.5", "9" * 5000],
    Whole: [*NUMBERS, "below"],
    click.types.IntParamType: NUMBERS,
    click.Choice: ["", "nonsense", ","],
}
"""For each type of an option what no option of that type takes."""


def leaves(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, with its words."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for below in command.list_commands(context):
        inner = command.get_command(context, below)
        assert inner is not None
        yield from leaves(inner, f"{name} {below}".strip())


CASES = [
    pytest.param(option, absurd, id=f"{name} {option.opts[0]} {absurd[:12]}")
    for name, command in leaves(cli)
    for option in command.params
    if isinstance(option, click.Option)
    for absurd in ABSURD.get(type(option.type), ())
]


@pytest.mark.parametrize(("option", "absurd"), CASES)
def test_an_option_refuses_what_is_out_of_its_range(option: click.Option, absurd: str) -> None:
    if absurd == "below":
        assert isinstance(option.type, click.IntRange)
        assert option.type.min is not None
        absurd = str(int(option.type.min) - 1)
    with pytest.raises(click.BadParameter):
        option.type_cast_value(click.Context(click.Command(None)), [absurd] if option.multiple else absurd)


def test_types_of_options_are_those_whose_ranges_are_asked_for() -> None:
    numbers = {
        (name, option.opts[0])
        for name, command in leaves(cli)
        for option in command.params
        if isinstance(option, click.Option)
        and isinstance(option.type, click.types.IntParamType | click.types.FloatParamType)
        and type(option.type) not in ABSURD
    }
    assert not numbers
    plain = {
        name
        for name, command in leaves(cli)
        for option in command.params
        if type(option.type) is click.types.IntParamType
    }
    assert plain == {"explore"}  # its settings have ranges of their own, asked for below


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("certify range --claims ,", "--claims ',': expected at least one"),
        ("certify range --claims ''", "--claims '': expected at least one"),
        ("certify range --claims weighted-spread:nan", "expected weighted-spread:VALUE with a number from 1"),
        ("certify range --claims weighted-spread:0", "with a number from 1 to 1000"),
        ("certify range --claims converges:-1", "with a whole number from 1 to 12"),
        ("certify range --claims topic-evne", "(did you mean topic-even?)"),
        ("certify range --assume ,", "--assume ',': expected at least one"),
        ("certify range --assume no-rack", "(did you mean no-racks?)"),
        ("certify range --report ,", "--report ',': expected at least one"),
        ("certify range --jobs 100000", "jobs"),
        ("certify range --exhaustive 1x2000", "exhaustive: found '1x2000'"),
        ("certify range --exhaustive 2x2 --histories 3", "expected one of the two"),
        ("certify placement:striped --exhaustive 2x2", "has no scopes"),
        ("diff range sticky --config a=1 --config a=2", "a is given twice"),
        ("certify range --json ''", "expected a file, or `-`"),
        ("gap range --suite x", "suite: found 'x'"),
        ("explore classic --faults ,", "--faults ',': expected at least one"),
        ("explore classic --members 0", "--members: 0 is out of range"),
        ("explore classic --partitions -1", "--partitions: -1 is out of range"),
        ("explore classic --topics 0", "--topics: 0 is out of range"),
        ("explore classic --config group.instance.id=9", "group.instance.id: 9 is out of range"),
        ("explore classic --records -1", "--records: -1 is out of range"),
        (
            "explore classic --clock ticks --config session.timeout.ms=0",
            "session.timeout.ms: 0 is out of range",
        ),
        ("fleet README.md --to ,", "--to ',': expected at least one"),
    ],
)
def test_what_is_out_of_range_is_one_line(
    arguments: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("README.md").write_text("words\n")
    assert run(shlex.split(arguments)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("kassay: ")
    assert said in line
    assert not Path(".kassay").exists()
