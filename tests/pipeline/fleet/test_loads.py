"""A fleet's folder: what was read, and what is refused."""

from pathlib import Path

import pytest

from kassay.model.errors import InputError
from kassay.pipeline.fleet.ledger import FleetLedger, InputFile, open_ledger
from kassay.pipeline.fleet.snapshots import must_be_apart
from kassay.pipeline.store import Local


def test_a_file_is_read_once_and_refused_when_it_has_changed(tmp_path: Path) -> None:
    a, b, c = (InputFile(name, 7) for name in "abc")
    ledger = FleetLedger(Local(tmp_path), {0: [a], 1: [b]}, {0: {}})
    assert ledger.unfinished == 1
    assert ledger.unread([c, a, b]) == [b, c]
    with pytest.raises(InputError, match="a: 8 bytes, and 7 when it was read; expected files that stay as"):
        ledger.unread([InputFile("a", 8)])


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "campaign").mkdir()
    (tmp_path / "campaign" / "campaign.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"not empty \(campaign.json\), expected an empty folder"):
        open_ledger(Local(tmp_path / "campaign"), {"range": None})
    open_ledger(Local(tmp_path / "fleet"), {"range": None})
    with pytest.raises(InputError, match="begun with range, not sticky; expected the same --to"):
        open_ledger(Local(tmp_path / "fleet"), {"sticky": None})
    header = tmp_path / "fleet" / "fleet.json"
    header.write_text(
        header.read_text(encoding="utf-8").replace('"code": ["', '"code": ["9'), encoding="utf-8"
    )
    with pytest.raises(InputError, match="with other code than this kassay"):
        open_ledger(Local(tmp_path / "fleet"), {"range": None})


@pytest.mark.parametrize(
    ("path", "out"),
    [("in", "in"), ("in", "in/out"), ("out/tables/snapshots", "out"), ("in/x.txt", "in/x.txt")],
)
def test_results_lie_apart_from_the_snapshots(tmp_path: Path, path: str, out: str) -> None:
    with pytest.raises(InputError, match="expected another folder"):
        must_be_apart([str(tmp_path / path)], str(tmp_path / out))
    must_be_apart([str(tmp_path)], str(tmp_path / ".kassay/fleet"))
    must_be_apart([str(tmp_path / "in")], str(tmp_path / "results"))
