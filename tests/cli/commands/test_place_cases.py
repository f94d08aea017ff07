"""`kassay place` on outputs of clusters in trouble: each answer as it is right (`tests/data/clusters`)."""

import json

import pytest

from tests.cli.runner import here, one_line
from tests.paths import DATA

CASES = DATA / "clusters"
GENUINE, REALITY = CASES / "genuine-place", CASES / "reality-place"


def place(cwd, *words, code, **options):
    """The document and the text of `kassay place`, which ends with `code`."""
    words = [str(word) for word in words]
    shown = here("place", *words, cwd=cwd)
    assert shown.returncode == code, shown.stdout + shown.stderr
    done = here("place", *words, "--json", "-", cwd=cwd)
    assert done.returncode == code
    return json.loads(done.stdout), " ".join(shown.stdout.split())


def lint(cwd, *words, code):
    """The document of `kassay lint`, which ends with `code`."""
    done = here("lint", *map(str, words), "--json", "-", cwd=cwd)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


def states(document):
    """The standing of each condition on the state, and of each claim about today."""
    return {each["claim"]: each["standing"] for each in (*document["today"], *document["state"])}


def rows_of(path):
    """The entries of a plan's file, by partition."""
    entries = json.loads(path.read_text())["partitions"]
    return {f"{each['topic']}-{each['partition']}": each for each in entries}


D2 = CASES / "D2-isr"


def test_a_partition_whose_last_replica_in_sync_is_dead_is_named_and_the_rest_is_planned(tmp_path):
    words = ("--remove-broker", 3, D2 / "dead.txt", D2 / "dead.csv")
    document, text = place(tmp_path, *words, code=1)
    (left,) = document["unfinished"]
    assert (left["partition"], left["accepted"]) == ("t-1", False)
    assert (
        "it has no leader, so nothing can be copied" in text
        and "last in-sync replica leaves: broker 3" in text
    )
    assert set(rows_of(tmp_path / ".kassay/place/plan.json")) == {"t-0"}
    assert "--execute --throttle" not in text and "No --throttle where broker 3" in text


def test_only_accepted_data_loss_plans_it_and_the_file_says_so(tmp_path):
    words = ("--remove-broker", 3, D2 / "dead.txt", D2 / "dead.csv", "--accept-data-loss", "t-1")
    document, text = place(tmp_path, *words, code=0)
    assert [step["for"] for step in document["steps"]] == ["drain", "data loss"]
    assert json.loads((tmp_path / ".kassay/place/step-2.json").read_text())["accepted_data_loss"] == ["t-1"]
    assert "accepted_data_loss" not in json.loads((tmp_path / ".kassay/place/step-1.json").read_text())
    assert "--election-type UNCLEAN --topic t --partition 1" in text
    assert "step-2.json --execute --additional" in text and "--election-type PREFERRED" not in text


def test_partitions_without_a_leader_are_judged_without_noise_of_the_missing_broker(tmp_path):
    words = (D2 / "topics-leaderless.txt", "--judge", D2 / "b.csv")
    document, _ = place(tmp_path, *words, code=1)
    found = states(document)
    assert found["has-leader"] == found["in-sync"] == "violated"
    assert found["rack-spread"] == found["replicas-distinct"] == "holds"
    dead, text = place(tmp_path, D2 / "dead.txt", "--judge", D2 / "dead.csv", code=1)
    assert states(dead)["replicas-distinct"] == "holds" and states(dead)["rack-spread"] == "not judged"
    assert "to plan without one that is gone: --remove-broker N" in text


def test_a_file_that_moves_a_partition_without_a_leader_is_linted(tmp_path):
    words = (D2 / "topics-leaderless.txt", D2 / "lint-isr.json")
    document = lint(tmp_path, *words, code=1)
    assert {each["rule"] for each in document["findings"]} == {"cannot-finish", "under-replicated"}


D6 = CASES / "D6-mixed-rf"


def test_replication_factors_that_differ_from_the_topic_s_line(tmp_path):
    document, text = place(tmp_path, "--judge", D6 / "rf-topics.txt", code=1)
    assert states(document)["replication-factor"] == "violated"
    assert (
        "3 of 6 partitions: testing 3; such as testing-3 has 4 replicas; the ReplicationFactor of its topic is 3."
        in text
    )


@pytest.mark.parametrize("factor", ["3", "testing=3"])
def test_a_replication_factor_is_cut_in_steps_with_rollbacks(tmp_path, factor):
    words = (D6 / "rf-topics.txt", D6 / "rf-brokers.csv", "--replication-factor", factor)
    document, _ = place(tmp_path, *words, code=0)
    assert [step["for"] for step in document["steps"]] == ["replication factor"]
    there, back = (
        rows_of(tmp_path / ".kassay/place" / name) for name in ("step-1.json", "step-1-rollback.json")
    )
    assert {len(each["replicas"]) for each in there.values()} == {3}
    assert {len(each["replicas"]) for each in back.values()} == {4}


def test_a_replication_factor_is_raised(tmp_path):
    document, _ = place(tmp_path, D6 / "rf2.txt", "--replication-factor", 3, code=0)
    assert document["proposal"]["copies"] == 2
    assert {
        tuple(sorted(each["replicas"])) for each in rows_of(tmp_path / ".kassay/place/plan.json").values()
    } == {(1, 2, 3)}


D10 = CASES / "D10-observers"


def test_observers_stay_observers(tmp_path):
    words = (D10 / "topics-confluent.txt", D10 / "cb.csv")
    document, text = place(tmp_path, *words, code=0)
    assert "Observers: topic pay (Confluent Server)" in text and not document["steps"]
    place(tmp_path, *words, "--remove-broker", 2, code=0)
    rows = rows_of(tmp_path / ".kassay/place/plan.json")
    assert {name: (each["replicas"], each["observers"]) for name, each in rows.items()} == {
        "pay-0": ([1, 5, 3, 4], [3, 4]),
        "pay-1": ([5, 1, 4, 3], [4, 3]),
    }
    clean = lint(tmp_path, ".kassay/place/plan.json", *words, code=0)
    assert not clean["findings"]
    forgotten = tmp_path / "forgotten.json"
    forgotten.write_text(
        json.dumps({"partitions": [{k: v for k, v in rows["pay-0"].items() if k != "observers"}]})
    )
    linted = lint(tmp_path, forgotten, *words, code=1)
    assert [each["rule"] for each in linted["findings"]] == ["observers"]


def test_a_genuine_cluster_with_a_dead_broker_is_judged(tmp_path):
    topics, brokers = GENUINE / "topics-broker3-dead.txt", GENUINE / "brokers-broker3-dead.txt"
    document, text = place(tmp_path, topics, brokers, "--judge", code=1)
    found = {each["claim"]: each["broken"] for each in (*document["today"], *document["state"])}
    assert (found["has-leader"], found["in-sync"], found["no-fenced-leader"]) == (5, 23, 7)
    assert "lonely 2" in text and document["silent"] == [3]
    listed, _ = place(tmp_path, topics, GENUINE / "brokers.txt", "--judge", code=1)
    assert listed["silent"] == [3] and states(listed)["no-fenced-leader"] == "violated"
    words = (topics, brokers, "--remove-broker", 3, "--replication-factor", 2)
    plan, _ = place(tmp_path, *words, code=1)
    assert [each["partition"] for each in plan["unfinished"]] == [
        "app-classic-counts-changelog-1",
        "app-classic-counts-changelog-3",
        "app-streams-counts-changelog-1",
        "lonely-0",
        "lonely-1",
    ]


@pytest.mark.parametrize(
    ("case", "options", "leaders"), [("2-drain4", ("--drain", 4), 9), ("4-dead2", ("--remove-broker", 2), 8)]
)
def test_leader_changes_are_those_that_happened(tmp_path, case, options, leaders):
    files = (REALITY / f"{case}-replicas.txt", REALITY / f"{case}-brokers.txt")
    document, text = place(tmp_path, *files, *options, code=0)
    assert document["proposal"]["leader_changes"] == leaders
    assert ("--throttle 50000000" in text) is (case != "4-dead2")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--accept-data-loss", "t-9"], "--accept-data-loss 't-9': no such partition"),
        (["--replication-factor", "x"], "is not a replication factor"),
        (["--replication-factor", "u=2"], "no topic 'u'"),
        (["--replication-factor", "9"], "RF 9 needs 9 brokers"),
        (["--replication-factor", "2", "--replication-factor", "3"], "one for all topics"),
        (["--judge", "--replication-factor", "2"], "--judge"),
    ],
)
def test_a_wrong_option_is_one_line(tmp_path, options, complaint):
    assert complaint in one_line(here("place", str(D6 / "rf2.txt"), *options, cwd=tmp_path), 2)


WRONG = {
    "empty.txt": b"",
    "binary.bin": b"\x7fELF\0\0\xff\xfe",
    "zeros.bin": b"a\0b\n",
    "proposals.json": b'{"version":1,"proposals":[{"topicPartition":{"topic":"t","partition":0}}]}',
    "cut.json": (D2 / "lint-isr.json").read_bytes()[:60],
    "cut-topics.txt": (GENUINE / "topics-broker3-dead.txt").read_bytes()[:900],
    "cut-brokers.txt": (GENUINE / "brokers.txt").read_bytes()[:150],
    "cut-generate.txt": (GENUINE / "reassign-generate.txt").read_bytes()[:300],
    "list.txt": (GENUINE / "reassign-list.txt").read_bytes(),
    "verify.txt": (GENUINE / "reassign-verify-running.txt").read_bytes(),
    "execute.txt": (GENUINE / "reassign-execute.txt").read_bytes(),
    "quorum.txt": (GENUINE / "quorum-status.txt").read_bytes(),
    "unavailable.txt": (GENUINE / "topics-unavailable.txt").read_bytes(),
}
NAMES = {
    "empty.txt": "an empty file",
    "binary.bin": "a binary file",
    "zeros.bin": "a binary file",
    "proposals.json": "Cruise Control's proposals",
    "cut.json": "cut off",
    "cut-topics.txt": "cut-topics.txt:9: Replicas: missing, expected a value; is the file cut off here?",
    "cut-generate.txt": "is the file cut off here?",
    "list.txt": "kafka-reassign-partitions.sh --list",
    "verify.txt": "kafka-reassign-partitions.sh --verify",
    "execute.txt": "the placement before it, not where replicas go now",
    "quorum.txt": "kafka-metadata-quorum.sh describe --status",
    "unavailable.txt": "without a filter such as --under-replicated-partitions",
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("option", [(), ("--judge",)])
def test_a_wrong_file_is_one_line_that_names_it(tmp_path, name, option):
    (tmp_path / name).write_bytes(WRONG[name])
    line = one_line(here("place", *option, name, cwd=tmp_path), 2)
    assert NAMES.get(name, name) in line


def test_a_folder_is_one_line(tmp_path):
    assert "is a folder" in one_line(here("place", str(tmp_path), cwd=tmp_path), 2)


def test_which_block_of_generate_is_taken_is_said(tmp_path):
    words = (GENUINE / "reassign-generate.txt", GENUINE / "brokers.txt", "--judge")
    _, text = place(tmp_path, *words, code=0)
    assert "of which the block 'Current partition replica assignment' is taken" in text
    assert "leaders and replicas in sync are not known" in text
