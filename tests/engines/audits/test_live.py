"""Which partition of `__consumer_offsets` has a group, and what an audit takes."""

import pytest

from kassay.engines.audits.live import partition_of
from tests.cli.runner import here, one_line


def test_the_partition_of_a_group_is_that_of_its_hash():
    """As `GroupCoordinatorService.partitionFor`: Java's hash of the name, its sign bit dropped."""
    assert [partition_of(name, 50) for name in ("a", "polygenelubricants")] == [97 % 50, 0]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "expected a FILE with the output of kafka-dump-log --offsets-decoder, or --bootstrap-server"),
        (["--bootstrap-server", "x:1", "f.txt"], "f.txt: no such file"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(tmp_path, arguments, complaint):
    assert complaint in one_line(here("audit", *arguments, cwd=tmp_path), 2)
