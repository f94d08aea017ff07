"""Files: which tool printed them, their order, compressed ones, and complaints before anything long begins."""

import gzip
import io

import pytest

from kassay.model.errors import InputError
from kassay.reading.kafka.offsets import sources
from kassay.reading.kafka.offsets.dump import LogRow
from tests.offsets_log import Log, console, dump, numbered


def records():
    log = Log()
    for epoch in range(1, 7):
        log.epoch("g", epoch)
        log.next()
    return numbered(log.records)


def epochs(files):
    return [
        item.record.value.epoch
        for file in files
        for item in sources.read_log(file)
        if isinstance(item, LogRow)
    ]


def test_the_segments_of_a_partition_are_put_in_order(tmp_path):
    late, early = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    late.write_text(dump(records()[3:], start=3))
    early.write_bytes(gzip.compress(dump(records()[:3]).encode()))
    files = sources.in_order([str(late), str(early)])
    assert [file.start for file in files] == [0, 3]
    assert epochs(files) == [1, 2, 3, 4, 5, 6]


def test_the_console_consumers_output_is_known_by_its_first_object(tmp_path):
    path = tmp_path / "groups.txt"
    log = Log()
    log.add(2, {"group": "g"}, None)
    path.write_text("WARN something\n" + console(log.records))
    (file,) = sources.in_order([str(path)])
    assert file.of_console
    assert sum(isinstance(item, LogRow) for item in sources.read_log(file)) == 1


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", ":1: nothing of a log, expected the output of kafka-dump-log"),
        (b"hello\n", ":1: nothing of a log"),
        (b"\0\0\0\0\0\0\0\0", "not text, .* a segment itself is read with kafka-dump-log"),
        (b"\x1f\x8bno gzip", "cannot be read"),
    ],
)
def test_what_is_no_log_is_refused_at_once(tmp_path, content, complaint):
    path = tmp_path / "what.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=complaint):
        sources.in_order([str(path)])


def test_what_is_not_there_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError, match=r"expected the output of"):
            sources.in_order([str(path)])


def test_standard_input(monkeypatch):
    raw = io.BufferedReader(io.BytesIO(dump(records()).encode()))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(raw))
    assert epochs(sources.in_order(["-"])) == [1, 2, 3, 4, 5, 6]


def test_a_line_without_an_end_is_not_read_into_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LINE_BYTES", 1000)
    path = tmp_path / "dump.txt"
    path.write_text(dump(records()) + "x" * 5000)
    with pytest.raises(InputError, match="a line of more than"):
        epochs(sources.in_order([str(path)]))
