"""The files of a cluster on the command line: by content, and which group is meant."""

import pytest

from tests.cli.runner import here, one_line
from tests.reading.kafka.outputs import FOLDER

SEVERAL = str(FOLDER / "groups-several-2.8.txt")
OFFSETS = str(FOLDER / "groups-offsets-3.9.txt")


def asked(*arguments, cwd):
    return here("what-if", *arguments, "--to", "range", cwd=cwd)


def test_files_are_known_by_their_content_in_any_order(tmp_path):
    members, state = (str(FOLDER / f"groups-{view}-3.9.txt") for view in ("members", "state"))
    done = asked(OFFSETS, members, state, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == asked(state, members, OFFSETS, cwd=tmp_path).stdout


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
        racks,
        str(consumers),
        topics,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "with the output of kafka-consumer-groups.sh"),
        ([SEVERAL, "--group", "nosuch"], "no group 'nosuch'"),
        (["nosuch.txt"], "nosuch.txt: no such file, expected outputs of Kafka's tools"),
    ],
)
def test_what_is_missing_is_told_in_a_line(tmp_path, arguments, complaint):
    assert complaint in one_line(asked(*arguments, cwd=tmp_path), 2)
