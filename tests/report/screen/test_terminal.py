"""A certificate on the terminal."""

from dataclasses import replace

from kassay.certify.runs.environments.coverage import EnvironmentCoverage
from kassay.report.screen.console import console
from kassay.report.screen.terminal import Detail, certificate_view


def test_the_terminal_shows_verdicts_and_the_smallest_case(certificates, capsys):
    screen = console()
    for certificate in certificates:
        screen.show(certificate_view(certificate))
    shown = capsys.readouterr().out
    assert "VIOLATED" in shown
    assert "3 members, 4 partitions" in shown
    assert "\x1b[" not in shown


def shown(capsys, certificate, detail):
    console().show(certificate_view(certificate, detail))
    return capsys.readouterr().out.splitlines()


def test_the_verdict_is_the_last_line_behind_the_warnings(every_mark, capsys):
    *before, last = shown(capsys, every_mark, Detail.USUAL)
    assert (
        last
        == f"NOT CERTIFIED  {every_mark.target}: 1 hold, 2 violated, 1 unknown, 1 known violation; 1 warning"
    )
    assert before[-2:] == ["warning: unknown: unknown; a larger --time or --histories may decide", ""]
    assert not [line for line in before if line.startswith("reached:")]


def test_quiet_is_the_verdict_alone(every_mark, capsys):
    (only,) = shown(capsys, every_mark, Detail.QUIET)
    assert only.startswith("NOT CERTIFIED")


def test_verbose_adds_what_was_reached_and_what_each_verdict_rests_on(every_mark, capsys):
    lines = shown(capsys, every_mark, Detail.VERBOSE)
    assert "reached: seen 3" in lines
    assert next(line for line in lines if line.startswith("  claim")).split() == [
        "claim",
        "verdict",
        "judged",
        "could",
        "fail",
        "elsewhere",
        "failed",
        "why",
    ]
    holds = next(result for result in every_mark.claims if result.id == "holds")
    row = next(line for line in lines if line.startswith("  holds "))
    assert row.split()[1:4] == ["holds", str(holds.judged), str(holds.checked)]


def test_what_the_machine_cannot_change_stands_in_the_verdict_and_the_rest_in_detail(every_mark, capsys):
    environment = EnvironmentCoverage(
        covered=("locale: 7 values",),
        gaps=("clock not changed (no library)",),
        lacking=("clock not shifted",),
    )
    certificate = replace(every_mark, environment=environment)
    assert shown(capsys, certificate, Detail.QUIET)[0].endswith("; clock not shifted")
    lines = shown(capsys, certificate, Detail.VERBOSE)
    assert "environment: locale: 7 values" in lines
    assert "environment: clock not changed (no library)" in lines
    short = replace(certificate, environment=EnvironmentCoverage(missed=("clock",)))
    (only,) = shown(capsys, short, Detail.QUIET)
    assert only.endswith(" warnings; environment not covered: clock")
