"""`kassay.fleet` is what the command shows."""

import json

import pytest

import kassay
from kassay.model.errors import InputError

OWNERS = ({"a": [0, 1, 2], "b": [3]}, {"a": [0, 1], "b": [2, 3]}, {"b": [0, 1, 2, 3]})


@pytest.fixture
def snapshots(tmp_path):
    """Three snapshots of a group that balances its loads, and loses a member."""
    rows = [
        {
            "at": 1_000 * at,
            "group": "g",
            "member": member,
            "topics": ["t"],
            "owned": [["t", number] for number in owned],
        }
        for at, members in enumerate(OWNERS, start=1)
        for member, owned in members.items()
    ]
    path = tmp_path / "g.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.spark
def test_the_function_returns_what_the_command_writes(command, snapshots, tmp_path):
    result = kassay.fleet(snapshots, to=["sticky"], out=tmp_path / "a", config={"spark.master": "local[1]"})
    document = command(
        *("fleet", str(snapshots), "--to", "sticky", "--out", str(tmp_path / "b")),
        *("--config", "spark.master=local[1]"),
    )
    assert result.to_json() == document
    assert [row["assignor"] for row in result.rows()] == ["actual", "sticky"]
    assert (tmp_path / "b" / "report.html").read_text() == result.page()
    assert (tmp_path / "b" / "report-moves.svg").read_text() == result.plots()["moves"].svg


def test_misuse_raises(snapshots, tmp_path):
    with pytest.raises(InputError, match="no such"):
        kassay.fleet(tmp_path / "nothing")
    with pytest.raises(InputError, match="expected an assignor of consumer groups"):
        kassay.fleet(snapshots, to=["placement:striped"])
    with pytest.raises(InputError, match="at least one"):
        kassay.fleet(snapshots, to=[])
