"""Groups that are not stable: who holds what, who waits; what the tool said where there is nothing to read."""

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from tests.cli.runner import here, one_line, valid
from tests.engines.clusters.cluster import observed, offsets
from tests.paths import ROOT

CLUSTERS = ROOT / "tests" / "data" / "clusters"
GENUINE = ["cg-all.txt", "cg-all-members-verbose.txt", "cg-all-state.txt"]
STATE = "GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE #MEMBERS\ng b:1 (1) range {} 2\n"


def run(folder, *arguments):
    return here(*arguments, cwd=CLUSTERS / folder)


@pytest.mark.parametrize("command", ["what-if", "scale"])
@pytest.mark.parametrize(
    ("folder", "files", "lines"),
    [
        (
            "D5-stuck",
            ["stuck.txt"],
            ["'pay' is rebalancing", "2 partitions: t-0 and t-1", "c-1 - none a partition"],
        ),
        (
            "D5-stuck",
            ["err3.txt"],
            [
                "group pay: members not given, 0 partitions owned",
                "'pay' is rebalancing",
                "Print its outputs again",
            ],
        ),
        (
            "W-kip848-stuck",
            ["consumer4.txt"],
            ["state is Reconciling", "c1 at epoch 7 of 9 holds t-1 and t-2, for which c2 and c3 wait"],
        ),
        ("genuine", [*GENUINE, "--group", "g-rebal"], ["PreparingRebalance", "rb-2 - none a partition"]),
        (
            "genuine",
            [*GENUINE, "--group", "g-rec848"],
            ["rc-1 at epoch 2 of 3 holds orders-3, orders-4 and orders-5, for which rc-2 waits"],
        ),
        ("genuine", [GENUINE[1], "--group", "g-rec848"], ["rc-1 at epoch 2 of 3 holds"]),
        ("genuine", ["c-vote-members.txt", "c-vote-state-1.txt"], ["its state is Assigning"]),
    ],
)
def test_a_group_that_is_not_stable_has_owners_and_no_optimum(command, folder, files, lines):
    done = run(folder, command, *files)
    assert done.returncode == 3, done.stderr
    text = " ".join(done.stdout.split())
    for line in lines:
        assert line in text
    assert "optimum" not in text and "Nothing is computed and nothing certified" in text
    document = valid(json.loads(run(folder, command, *files, "--json", "-").stdout), "unstable-group-1")
    assert document["reasons"]


@pytest.mark.parametrize("command", ["what-if", "scale"])
@pytest.mark.parametrize(
    ("folder", "files", "words"),
    [
        ("D5-stuck", ["err1.txt"], "GroupAuthorizationException: Not authorized to access group: pay"),
        ("D5-stuck", ["err2.txt"], "Error: Consumer group 'pay' does not exist."),
        ("genuine", [*GENUINE, "--group", "g-empty"], "its state is Empty"),
        ("genuine", [*GENUINE, "--group", "g-empty848"], "its state is Empty"),
        ("genuine", [GENUINE[0], "--group", "g-empty"], "print it again with --state"),
        ("genuine", [*GENUINE, "--group", "app-classic"], "a group of Kafka Streams (strategy 'stream')"),
        ("genuine", [*GENUINE, "--group", "nosuch"], "there is no group 'nosuch'"),
    ],
)
def test_what_has_no_active_members_ends_with_one_line(command, folder, files, words):
    assert words in one_line(run(folder, command, *files), 2)


def test_rows_alone_get_the_full_answer_under_its_assumption():
    done = run("genuine", "what-if", GENUINE[0], "--group", "g-range", "--to", "range")
    assert done.returncode == 0
    assert "state not given: assumes the group is stable; add the output of" in done.stdout
    assert "optimum (certified)" in done.stdout
    with_state = run("genuine", "what-if", GENUINE[0], GENUINE[2], "--group", "g-range", "--to", "range")
    assert "state not given" not in with_state.stdout


def test_a_rollout_that_never_settles_is_named_and_ends_with_1():
    done = run("genuine", "what-if", *GENUINE, "--group", "c-range", "--to", "uniform")
    assert done.returncode == 1
    text = " ".join(done.stdout.split())
    assert "a tie of assignors: this group never settles while one half has range and one uniform" in text
    assert "optimum (certified)" in text and "rebalances without end" in text
    document = run(
        "genuine", "what-if", *GENUINE, "--group", "c-range", "--to", "uniform", "--json", "-"
    ).stdout
    (path,) = valid(json.loads(document), "what-if-1")["paths"]
    assert [(step["rebalances"], step["never_settles_after"]) for step in path["steps"]] == [(None, 1)]


OTHER_STATES = ("PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling", "Empty", "Dead")


@given(st.sampled_from(OTHER_STATES), st.sampled_from(["t-1", "u-0"]), st.booleans())
def test_the_state_decides_whether_rows_are_taken_for_stable(state, free, idle):
    """The same rows: stable by the state, not stable by any other, and by the rows if the state is not given."""
    rows = offsets({"a": ["t-0"], "b": [] if idle else ["t-2"]}, [free])
    assert observed(rows, STATE.format("Stable")).stability.is_stable
    assert not observed(rows, STATE.format(state)).stability.is_stable
    alone = observed(rows).stability
    assert alone.is_stable is not (idle and free == "t-1")
    assert alone.is_assumed is alone.is_stable
    for reason in alone.reasons:
        assert reason == "1 partition has no owner (t-1) while c-b waits"


VERBOSE = (
    "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS CURRENT-EPOCH CURRENT-ASSIGNMENT TARGET-EPOCH TARGET-ASSIGNMENT\n"
    "g a /h c-a 2 {} t:0,1 9 {}\ng b /h c-b 0 9 - 9 {}\n"
)


@pytest.mark.parametrize(
    ("rows", "reasons"),
    [
        (VERBOSE.format(9, "t:0,1", "-"), ()),
        (VERBOSE.format(7, "t:0", "t:1"), ("c-a at epoch 7 of 9 holds t-1, for which c-b waits",)),
        (VERBOSE.format(9, "t:0", "t:1"), ("c-a holds t-1, for which c-b waits",)),
        (VERBOSE.format(7, "t:0,1", "-"), ("c-a is at epoch 7 of 9",)),
        (VERBOSE.format(9, "t:0,1", "t:2"), ("c-b waits for t-2, which no member owns",)),
    ],
)
def test_epochs_and_targets_say_who_holds_what_others_wait_for(rows, reasons):
    assert observed(rows).stability.reasons == reasons
    with_state = observed(rows, STATE.format("Stable"))
    assert with_state.stability.is_stable
    assert len([each for each in with_state.warnings if "different times" in each]) == len(reasons)


@pytest.mark.parametrize("command", ["what-if", "scale"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe\x80" * 9, b'{"a": 1}', b"\n\n"])
def test_bad_input_is_one_line_soon(tmp_path, command, content):
    (tmp_path / "f.txt").write_bytes(content)
    began = time.process_time()
    assert "f.txt: " in one_line(here(command, "f.txt", cwd=tmp_path), 2)
    assert "is a folder" in one_line(here(command, ".", cwd=tmp_path), 2)
    assert time.process_time() - began < 3


MEMBERS = "GROUP CONSUMER-ID GROUP-INSTANCE-ID HOST CLIENT-ID #PARTITIONS CURRENT-EPOCH CURRENT-ASSIGNMENT TARGET-EPOCH TARGET-ASSIGNMENT\n"
ROWS = MEMBERS + "g a {} /h c-a 2 9 t:0,1 9 {}\ng {} {} /h c-b {} 9 {} 9 {}\n"


@pytest.mark.parametrize(
    ("row", "reasons"),
    [
        (("-", "t:0,1", "b", "-", 1, "t:2", "t:2"), ()),
        (("-", "t:0", "b", "-", 1, "t:2", "t:2"), ("c-a holds t-1, which its target lacks",)),
        (("-", "t:0,1", "b", "-", 2, "t:1,2", "t:1,2"), ("1 partition has several owners (t-1)",)),
    ],
)
def test_partitions_held_beyond_a_target_or_by_two_members_are_not_stable(row, reasons):
    assert observed(ROWS.format(*row)).stability.reasons == reasons
    with_state = observed(ROWS.format(*row), STATE.format("Stable"))
    assert with_state.stability.is_stable
    assert len([each for each in with_state.warnings if "different times" in each]) == len(reasons)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("-", "t:0,1", "a", "-", 1, "t:2", "t:2"), "CONSUMER-ID: found 'a' with another #PARTITIONS"),
        (("-", "t:0,1", "a", "-", 2, "t:2,3", "t:2,3"), "CONSUMER-ID: found 'a' with another assignment"),
        (("s", "t:0,1", "b", "s", 1, "t:2", "t:2"), "GROUP-INSTANCE-ID: found 's', which 'a' has at"),
    ],
)
def test_a_member_and_an_instance_id_have_one_row(row, words):
    with pytest.raises(InputError, match=re.escape(words)):
        observed(ROWS.format(*row))


def test_the_views_with_and_without_verbose_agree_in_either_order():
    verbose = ROWS.format("-", "t:0,1", "b", "-", 1, "t:2", "t:2")
    plain = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS\ng a /h c-a 2\ng b /h c-b 1\n"
    for texts in ((verbose, plain), (plain, verbose), (verbose, verbose)):
        assert len(observed(*texts).group.members[0].owned) == 2
