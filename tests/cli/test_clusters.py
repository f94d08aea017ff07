"""The files of a cluster on the command line: by content or by option, and which group is meant."""

import pytest

from tests.cli.runner import here, one_line
from tests.reading.kafka.outputs import FOLDER

SEVERAL = str(FOLDER / "groups-several-2.8.txt")
OFFSETS = str(FOLDER / "groups-offsets-3.9.txt")


def asked(*arguments, cwd):
    return here("what-if", *arguments, "--to", "range", cwd=cwd)


def test_files_by_content_and_by_option_are_the_same(tmp_path):
    members, state = (str(FOLDER / f"groups-{view}-3.9.txt") for view in ("members", "state"))
    bare = asked(OFFSETS, members, state, cwd=tmp_path)
    named = asked("--group", OFFSETS, "--members", members, "--state", state, cwd=tmp_path)
    assert bare.returncode == 0 and bare.stdout == named.stdout


def test_a_group_is_named_where_a_file_has_several(tmp_path):
    assert "expected --group with one of them" in one_line(asked(SEVERAL, cwd=tmp_path), 2)
    assert "group mailer: 1 member" in asked(SEVERAL, "--group", "mailer", cwd=tmp_path).stdout


def test_racks_of_brokers_from_lines_of_ones_own(tmp_path):
    topics, racks = str(FOLDER / "topics-4.4.txt"), str(FOLDER / "racks.csv")
    consumers = tmp_path / "consumers.csv"
    consumers.write_text("consumer,rack\nm,r1\n")
    done = asked(
        SEVERAL,
        "--group",
        "mailer",
        "--racks",
        racks,
        "--racks",
        str(consumers),
        "--topics",
        topics,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "expected the output of kafka-consumer-groups.sh"),
        (["--group", "nosuch.txt"], "nosuch.txt: no such file"),
        ([SEVERAL, "--group", "mailer", "--group", "billing"], "--group: found 2 names, expected one group"),
        (["nosuch.txt"], "nosuch.txt: no such file, expected outputs of Kafka's tools"),
    ],
)
def test_what_is_missing_is_told_in_a_line(tmp_path, arguments, complaint):
    assert complaint in one_line(asked(*arguments, cwd=tmp_path), 2)
