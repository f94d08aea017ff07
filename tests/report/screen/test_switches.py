"""The table of switches for a terminal."""

from rich.console import Console

from kassay.certify.protocols.switch_runs import SwitchRow, hunt, row
from kassay.certify.protocols.switches import SWITCHES
from kassay.report.screen.switches import switches_view


def shown(*walked: SwitchRow) -> str:
    screen = Console(width=200)
    with screen.capture() as out:
        screen.print(switches_view(walked))
    return out.get()


def test_a_switch_that_is_found_is_told_with_its_steps() -> None:
    text = shown(row("zk_no_owner_guard"))
    assert "in 6 steps" in text
    assert "1 of 1 switches are found" in text


def test_a_switch_that_is_not_found_is_told() -> None:
    lost = hunt("zk_no_owner_guard", on=False)
    missed = SwitchRow(SWITCHES["zk_no_owner_guard"], lost, lost, None)
    assert not missed.holds
    text = shown(missed)
    assert "not found" in text
    assert "WRONG" in text
    assert "0 of 1 switches" in text
