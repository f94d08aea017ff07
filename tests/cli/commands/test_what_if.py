"""`kassay what-if`: the documented example, its document, a certificate that is accepted, exit codes."""

import json

import pytest

from tests.cli.runner import here, kassay, one_line, valid
from tests.paths import ROOT

CLUSTER = ROOT / "examples" / "cluster"
FILES = ["groups.txt", "topics.txt", "brokers.txt", "racks.csv"]


@pytest.mark.slow
def test_two_files_are_answered_in_a_document_and_on_screen(tmp_path):
    done = here("what-if", *FILES[:2], "--json", "-", cwd=CLUSTER)
    assert done.returncode == 0, done.stderr
    document = valid(json.loads(done.stdout), "what-if-1")
    assert (document["group"], document["strategy"], document["protocol"]) == ("billing", "range", "classic")
    assert document["today"]["loads"]["idle"] == ["app-6-d11f60a7-93c2-4b5e-a1d0-5c6b7a891006"]
    assert [use[:2] for use in document["today"]["unowned"]] == [["orders", 5], ["orders", 6]]
    screen = here("what-if", *FILES[:2], cwd=CLUSTER).stdout
    assert "2 partitions unowned now: the optimum assigns orders-5 to app-" in screen
    assert "1 member idle: app-6" in screen
    for spec in ("range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "server-range", "optimum"):
        assert f"\n{spec}" in screen


def test_events_are_shown_each_beside_the_optimum():
    done = here("what-if", *FILES, "--to", "sticky", "--events", "leave:2, join:3", cwd=CLUSTER)
    after = done.stdout.partition("\nthen ")[2]
    assert [line.split()[0] for line in after.splitlines()[1:7]] == [
        "leave:2",
        "sticky",
        "optimum",
        "join:3",
        "sticky",
        "optimum",
    ]


def test_the_certificate_that_is_saved_is_accepted(tmp_path):
    done = here("what-if", *FILES, "--out", str(tmp_path), "--to", "range", cwd=CLUSTER)
    assert f"kassay check {tmp_path / 'optimum.json'}" in done.stdout
    assert here("check", str(tmp_path / "optimum.json"), cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_a_candidate_that_gives_no_assignment_is_told_and_ends_with_1(tmp_path):
    (tmp_path / "bad.py").write_text(
        "class Bad:\n    def assign(self, partitions_per_topic, members):\n        raise KeyError('orders')\n"
    )
    done = kassay("what-if", *FILES, "--to", str(tmp_path / "bad.py"), "--to", "range", cwd=CLUSTER)
    assert done.returncode == 1
    assert "bad.py: switch: " in done.stdout and "KeyError" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--events", "leave:1,jion:3"], "--events: column 9: found 'jion:3'"),
        (["--to", "placement:striped"], "placement:striped: is of kind placer, expected an assignor"),
        (["--out", "/proc/nowhere/x"], "cannot be written"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_line(arguments, complaint):
    assert complaint in one_line(here("what-if", *FILES[:2], *arguments, cwd=CLUSTER), 2)


@pytest.mark.parametrize("command", ["what-if", "scale"])
def test_a_page_that_cannot_be_written_is_told_before_any_file_is_read(tmp_path, command):
    (tmp_path / "file").write_text("")
    arguments = [command, "no-such-file.txt", "--out", "file/x"]
    assert "--out file/x: cannot be written" in one_line(here(*arguments, cwd=tmp_path), 2)


def test_the_way_starts_at_what_the_state_says_or_at_from():
    told = here("what-if", *FILES[:2], "--to", "sticky", "--json", "-", cwd=CLUSTER)
    (path,) = valid(json.loads(told.stdout), "what-if-1")["paths"]
    assert path["from"] == "partition.assignment.strategy=range"
    assert [step["setting"] for step in path["steps"]] == [
        "partition.assignment.strategy=sticky,range",
        "partition.assignment.strategy=sticky",
    ]
    given = here("what-if", *FILES[:2], "--from", "uniform", "--to", "sticky", "--json", "-", cwd=CLUSTER)
    (path,) = json.loads(given.stdout)["paths"]
    assert path["policies"] == ["downgrade", "bidirectional"]


def test_a_path_for_a_client_library_has_no_step_that_stops_it():
    arguments = ["what-if", *FILES[:2], "--to", "cooperative-sticky", "--library", "librdkafka"]
    (path,) = valid(json.loads(here(*arguments, "--json", "-", cwd=CLUSTER).stdout), "what-if-1")["paths"]
    assert path["steps"] == [] and not path["safe"] and path["client"][0] == "librdkafka"
    assert len(path["unstartable"]) == 2
    screen = " ".join(here(*arguments, cwd=CLUSTER).stdout.split())
    assert "1. stop all members, and wait until the state of the group is Empty" in screen
    assert "stops every member: partition.assignment.strategy=cooperative-sticky,range: Failed to" in screen


def test_capacities_and_growth_are_in_the_document():
    arguments = ["--to", "range", "--capacity", "app-1=2", "--events", "add-partitions:orders:14"]
    document = json.loads(here("what-if", *FILES[:2], *arguments, "--json", "-", cwd=CLUSTER).stdout)
    valid(document, "what-if-1")
    assert document["capacity"]["optimum"]["load"] < document["capacity"]["today"]["load"]
    (growth,) = document["growths"]
    assert (growth["before"], growth["after"]) == (7, 14)
    assert growth["keys_moved_percent"] == pytest.approx(50, abs=1e-6)  # 2^31 hashes, no multiple of 14
    assert document["new_partitions"]["starts_at"] == "latest"


def test_two_libraries_are_compared_without_a_file_or_from_the_group_on(tmp_path):
    alone = here("what-if", "--library", "sarama,franz-go", "--json", "-", cwd=tmp_path)
    document = valid(json.loads(alone.stdout), "client-change-1")
    assert document["assignor"] is None and "range" in document["shared"]
    arguments = ["what-if", *FILES[:2], "--library", "kafka-python,java"]
    assert "this group has range: restart its members" in here(*arguments, cwd=CLUSTER).stdout
    told = one_line(here("what-if", "--library", "java,java,java", cwd=tmp_path), 2)
    assert "--library: found 3 libraries" in told


def test_a_page_is_written_where_that_is_asked(tmp_path):
    for command, name in (("what-if", "what-if.html"), ("scale", "scale.html")):
        done = here(command, *FILES[:2], "--out", str(tmp_path), cwd=CLUSTER)
        assert f"report: {tmp_path / name}" in done.stderr
        assert f"kassay {command} groups.txt topics.txt --out {tmp_path}" in (tmp_path / name).read_text()
