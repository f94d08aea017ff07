"""`kassay.place` is what the command shows."""

import json

import pytest

import kassay
from kassay.model.errors import InputError
from tests.api.test_what_if import CLUSTER

REPLICAS, BROKERS, DIRS = (CLUSTER / name for name in ("replicas.txt", "brokers.txt", "log-dirs.txt"))


def without_files(document):
    """The document without the paths of files, which the function does not write."""
    for step in document["steps"]:
        step["file"] = step["rollback"] = None
    document["proposal"]["certificate"] = None
    return document | {"files": {}}


def test_the_function_returns_what_the_command_writes(command, tmp_path):
    function = kassay.place(
        REPLICAS, BROKERS, DIRS, remove=[3], add={7: "az-c"}, per_step=12, budget="900GiB"
    )
    typed = command(
        *("place", str(REPLICAS), str(BROKERS), str(DIRS), "--remove-broker", "3", "--add-broker", "7:az-c"),
        *("--per-step", "12", "--budget", "900GiB", "--out", str(tmp_path / "plan")),
    )
    assert without_files(function.to_json()) == without_files(typed)
    for name, document in function.documents().values():
        assert json.loads((tmp_path / "plan" / name).read_text()) == document
    rows = (tmp_path / "plan/place.csv").read_text().splitlines()
    assert len(rows) == 1 + len(function.rows())
    plots = function.plots()
    assert list(plots) == ["replicas-a-broker", "preferred-leaders-a-broker", "bytes-a-broker"]
    assert (tmp_path / "plan/place-bytes-a-broker.svg").read_text() == plots["bytes-a-broker"].svg


def test_a_plan_has_its_steps_and_a_certificate():
    plan = kassay.place(REPLICAS, BROKERS, replication_factor={"mails": 3})
    assert kassay.check(plan.certificate).accepted
    assert {"certificate", "plan", "rollback", "step 1", "rollback 1"} <= plan.documents().keys()
    assert "optimal" in repr(plan) and {row["broker"] for row in plan.rows()} >= {1, 2}
    assert "<html" in plan.page()


def test_today_is_judged(command):
    judged = kassay.place(REPLICAS.read_text(), BROKERS.read_text(), judge=True)
    typed = command("place", str(REPLICAS), str(BROKERS), "--judge")
    assert judged.to_json() == typed
    assert repr(judged) == f"<Placement: {len(judged.broken)} claims broken today>"


def test_misuse_is_an_error():
    with pytest.raises(InputError, match="'5 apples' is not a size"):
        kassay.place(REPLICAS, BROKERS, budget="5 apples")
    with pytest.raises(InputError, match="judge: checks today's placement"):
        kassay.place(REPLICAS, BROKERS, remove=[1], judge=True)
    with pytest.raises(InputError, match="per_step: no sizes"):
        kassay.place(REPLICAS, BROKERS, per_step="5GiB")
