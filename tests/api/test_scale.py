"""`kassay.scale` is what the command shows."""

import pytest

import kassay
from kassay.model.errors import InputError
from tests.api.same import without_times
from tests.api.test_what_if import CLUSTER, GROUPS, TOPICS
from tests.cli.runner import here


def test_the_function_returns_what_the_command_writes(command):
    function = kassay.scale(GROUPS, TOPICS, max_members=4, lag=True, seconds=0.2)
    typed = command("scale", str(GROUPS), str(TOPICS), "--max-members", "4", "--lag", "--time", "0.2s")
    assert without_times(function.to_json()) == without_times(typed)


def test_a_row_is_a_number_of_members():
    scaling = kassay.scale(GROUPS, TOPICS, max_members=4)
    assert [row["members"] for row in scaling.rows()] == [1, 2, 3, 4]
    assert scaling.safe == tuple(row["members"] for row in scaling.rows() if row["safe"])
    assert scaling.useful == tuple(row["members"] for row in scaling.rows() if row["useful"])
    assert scaling.plot().title.startswith("Partitions of the busiest member") and "today" in scaling.page()


def test_share_groups_have_their_own_answer(command):
    path = CLUSTER / "share-groups.txt"
    function = kassay.scale(path)
    assert function.to_json() == command("scale", str(path))
    assert (function.safe, function.useful, function.plots()) == ((), (), {})
    assert "<html" in function.page() and function.summary()


def test_misuse_is_an_error():
    with pytest.raises(InputError, match="max_members: found 0"):
        kassay.scale(GROUPS, TOPICS, max_members=0)
    with pytest.raises(InputError, match="lag: says nothing of a share"):
        kassay.scale(CLUSTER / "share-groups.txt", lag=True)


def test_out_writes_the_table_and_the_plot(tmp_path):
    done = here("scale", str(GROUPS), str(TOPICS), "--max-members", "3", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0
    found = {path.name for path in (tmp_path / "out").iterdir()}
    assert found == {"scale.csv", "scale.html", "scale-busiest.svg"}
