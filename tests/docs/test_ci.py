"""The page for the owner of a CI says what the commands print, and names every report and exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kassay.cli.main import EXIT_CODES, run
from kassay.report.files.formats import FILES
from tests.docs.markdown import fenced, rows, section
from tests.paths import DOCS

PAGE = (DOCS / "ci.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_events_that_stand_there_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    command, *printed = fenced(section(PAGE, "Reports"))[0].splitlines()
    run(command.removeprefix("$ kassay ").partition(" | ")[0].split())
    shown, told = (
        [json.loads(line) for line in each] for each in (printed, capsys.readouterr().out.splitlines())
    )
    for event in (*shown, *told):
        del event["elapsed_s"]
        event.pop("kassay", None)  # the version
    assert shown == told[: len(shown)]


def test_every_report_and_exit_code_has_its_line() -> None:
    reports = {row["name"].strip("`"): row["file"].strip("`") for row in rows(section(PAGE, "Reports"))}
    assert reports == {name: file for name, (_, file) in FILES.items()}
    assert [row["code"] for row in rows(section(PAGE, "What fails a job"))] == [
        code for code, _ in EXIT_CODES
    ]
