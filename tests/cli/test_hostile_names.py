"""Names of others from end to end: what a command ends with, what it prints and leaves, and what replays."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from kassay.cli.main import run
from kassay.writing.text import visible
from tests.hostile import ALL

ORDINARY = "nobody"
SOURCE = """
NAME = {name!r}


class Strange:
    def assign(self, partitions_per_topic, members):
        return {{NAME: [(NAME, 0)]}}


class Raising:
    def assign(self, partitions_per_topic, members):
        raise ValueError(NAME)
"""
REPORTS = ("report.html", "junit.xml", "report.sarif", "report.md")
PLACES = ("[red] a;b|`$(id)'\"]]>.py", "x" * 240 + ".py")


def streams(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed on both; every character of it shows."""
    out, err = capsys.readouterr()
    assert all(c.isprintable() or c == "\n" for c in out + err)
    return out + err


def certified(place: str, name: str, rule: str) -> tuple[int, Path]:
    """The exit code for a target of that file with that name in it, and where its files are."""
    Path(place).write_text(SOURCE.format(name=name), encoding="utf-8")
    out = Path("out" if name == ORDINARY else "out-hostile")
    arguments = ["--histories", "4", "--in-process", "--out", str(out), "--json", str(out / "c.json")]
    return run(["certify", f"{place}:{rule}", *arguments, "--report", "html,junit,sarif,markdown"]), out


def claims(out: Path) -> dict[str, str]:
    """The verdicts of a certificate."""
    return {each["id"]: each["verdict"] for each in json.loads((out / "c.json").read_bytes())["claims"]}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("rule", ["Strange", "Raising"])
def test_a_name_changes_no_verdict_and_its_trace_replays(
    rule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, plain = certified("evil.py", ORDINARY, rule)
    streams(capsys)
    hostile, out = certified("evil.py", ALL, rule)
    printed = streams(capsys)
    assert code == hostile == 1
    assert claims(out) == claims(plain)
    assert all((out / file).stat().st_size > 1000 for file in REPORTS)
    ET.parse(out / "junit.xml")
    assert json.loads((out / "report.sarif").read_bytes())["runs"][0]["results"]
    commands = re.findall(r"^  replay: (.*)$", printed, re.MULTILINE)
    assert len(commands) == list(claims(out).values()).count("violated") > 0
    for command in commands:
        _, replay, trace = command.split()
        again = ["--json", "r.json"]
        assert run([replay, trace, *again]) == run([replay, trace.replace(str(out), str(plain)), *again]) == 1
        assert run(["explain", trace]) == 0
        assert run(["explain", trace, "--json", "e.json"]) == 0
        replayed, recorded = (json.loads(Path(file).read_bytes()) for file in ("r.json", trace))
        assert replayed["violations"] == recorded["violations"]
    assert visible(ALL)[:20] in streams(capsys)


@pytest.mark.parametrize("place", PLACES)
def test_a_file_of_any_name_is_certified_and_the_printed_command_is_copied_as_it_is(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = certified(place, ORDINARY, "Strange")
    printed = streams(capsys)
    assert code == 1, printed
    command = re.findall(r"^  replay: kassay (.*)$", printed, re.MULTILINE)[0]
    words = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {command}"],
        capture_output=True,
        check=True,
        env={"LC_ALL": "C.UTF-8", **os.environ},
    )
    assert run([*map(os.fsdecode, words.stdout.split(b"\0")[:-1])]) == 1
    assert visible(place) in "".join(streams(capsys).split("\n"))
    assert len(list((out / "traces").iterdir())) == list(claims(out).values()).count("violated")


@pytest.mark.parametrize("place", ["a\x1b[31m.py", "a\n.py", "\udcff.py", "\u202e.py"])
def test_a_file_whose_name_cannot_be_seen_is_no_target(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert certified(place, ORDINARY, "Strange")[0] == 2
    assert streams(capsys).startswith(f"kassay: target {f'{place}:Strange'!r}: expected a reference")
    assert not Path("out").exists()


@pytest.mark.parametrize("command", ["certify", "explain", "replay", "vectors", "optimum", "check"])
@pytest.mark.parametrize("word", ["x" * 300, "x/" * 3000, ALL.replace("\x00", ""), "a\0b", "\udcff.json"])
def test_a_word_that_names_nothing_is_refused_in_a_line(
    command: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, word]) in (2, 4)
    assert streams(capsys).count("\n") == 1


def test_an_instance_keeps_its_names(capsys: pytest.CaptureFixture[str]) -> None:
    member, topic = f"m{ALL}", f"t{ALL}"
    # Two halves that stand together are one character for a reader of JSON.
    instance = json.loads(
        json.dumps(
            {
                "family": "A",
                "name": ALL,
                "members": [{"id": member, "topics": [topic]}, {"id": "other", "topics": [topic]}],
                "topics": [{"name": topic, "partitions": 3}],
            }
        )
    )
    Path("i.json").write_text(json.dumps(instance))
    assert run(["optimum", "i.json", "--json", "o.json"]) == 0, streams(capsys)
    result = json.loads(Path("o.json").read_bytes())
    assert result["name"] == instance["name"]
    assert set(result["assignment"]) == {each["id"] for each in instance["members"]}
    assert run(["check", "o.json", "i.json"]) == 0
    assert run(["gap", "range", "--suite", "i.json"]) == 0
    shown = "".join(streams(capsys).split())
    assert "".join(visible(instance["name"]).split()) in shown
