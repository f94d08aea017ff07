"""A certificate on the terminal."""

from kassay.report.screen.console import console
from kassay.report.screen.terminal import certificate_view


def test_the_terminal_shows_verdicts_and_the_smallest_case(certificates, capsys):
    screen = console()
    for certificate in certificates:
        screen.show(certificate_view(certificate))
    shown = capsys.readouterr().out
    assert "VIOLATED" in shown
    assert "3 members, 4 partitions" in shown
    assert "\x1b[" not in shown
