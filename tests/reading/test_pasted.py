"""Outputs as people paste them are read as if they had not been pasted."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.reading.kafka.brokers import is_broker_versions, is_log_dirs, read_brokers, read_log_dirs
from kassay.reading.kafka.groups import is_groups, read_groups
from kassay.reading.kafka.reassignment import is_reassignment, read_reassignments
from kassay.reading.kafka.topics import is_topics, read_topics
from kassay.reading.pasted import decoded, pasted
from tests.paths import DATA
from tests.reading.pasting import ALL, OUTER

READERS = (
    (is_groups, read_groups),
    (is_topics, read_topics),
    (is_broker_versions, read_brokers),
    (is_log_dirs, read_log_dirs),
    (is_reassignment, read_reassignments),
)
_PLACE = re.compile(r"Place\(file='f', line=\d+\)")


def values(text: str) -> str | None:
    """What is read from the text, without the places; None for a text that is not recognised."""
    reader: Any = next((read for is_it, read in READERS if is_it(text)), None)
    return None if reader is None else _PLACE.sub("", repr(reader(text, "f")))


def _readable() -> dict[str, str]:
    texts = {}
    for path in sorted((*DATA.glob("kafka-tools/**/*.txt"), *DATA.glob("clusters/genuine/*.txt"))):
        text = path.read_text(encoding="utf-8")
        try:
            if len(text) < 20_000 and values(text) is not None:
                texts[str(path.relative_to(DATA))] = text
        except InputError:
            continue
    return texts


TEXTS = _readable()
SMALL = [name for name, text in TEXTS.items() if len(text) < 3_000]


def test_nothing_is_removed_from_an_output_itself() -> None:
    assert len(TEXTS) > 40
    plain = {name: text for name, text in TEXTS.items() if name != "kafka-tools/topics-pasted.txt"}
    for name, text in plain.items():
        assert pasted(text).removed == (), name
        assert pasted(text).text == text, name


# The blanks that end the titles fill a line of their own, which the quotation leaves empty.
@example("kafka-tools/genuine/4.0.2/groups-all-members-verbose.txt", "wrapped at 100", "quoted", "as it is")
# A fence hides the mark of a quotation, or another fence.
@example("kafka-tools/brokers-3.7.txt", "quoted", "fence in the line", "indented")
@example("kafka-tools/brokers-3.7.txt", "quoted", "fence in the line", "fence in the line")
@example("kafka-tools/brokers-3.7.txt", "quoted", "fence in the line", "quoted")
@example("kafka-tools/brokers-3.7.txt", "docker logs -t", "fence in the line", "quoted")
@given(st.sampled_from(SMALL), st.sampled_from([*ALL]), st.sampled_from(OUTER), st.sampled_from(OUTER))
def test_what_was_pasted_reads_as_the_output_itself(name: str, first: str, second: str, third: str) -> None:
    text = TEXTS[name]
    around = ALL[third](ALL[second](ALL[first](text)))
    assert values(pasted(around).text) == values(text)


@pytest.mark.slow
@pytest.mark.parametrize("way", ALL)
def test_every_output_in_every_way(way: str) -> None:
    for name, text in TEXTS.items():
        assert values(pasted(ALL[way](text)).text) == values(text), name
        assert values(pasted(ALL["quoted"](ALL[way](text))).text) == values(text), name


@given(st.sampled_from(SMALL), st.sampled_from(["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-8"]))
def test_encodings_of_powershell(name: str, encoding: str) -> None:
    text, said = decoded(TEXTS[name].replace("\n", "\r\n").encode(encoding))
    assert said == ("UTF-16" if "16" in encoding else "")
    assert values(pasted(text).text) == values(TEXTS[name])


def test_lines_keep_their_numbers() -> None:
    table = TEXTS["kafka-tools/groups-offsets-3.9.txt"]
    bad = ALL["prompt '$ '"](re.sub(r"(?m)^(billing +orders +)2 ", r"\1x ", table))
    line = 1 + next(at for at, each in enumerate(bad.split("\n")) if " x " in each)
    with pytest.raises(InputError, match=rf"^f:{line}: PARTITION: found 'x'"):
        read_groups(pasted(bad).text, "f")


def test_what_was_removed_is_said() -> None:
    table = TEXTS["kafka-tools/groups-offsets-3.9.txt"]
    around = ALL["CRLF"](ALL["sentences"](ALL["fence ```"](ALL["prompt '$ '"](ALL["kubectl exec"](table)))))
    assert pasted(around, "UTF-16").note("g.txt") == (
        "g.txt: read without 2 lines of other text, 2 lines of fences, 2 prompts and commands, "
        "1 line of kubectl, docker or ssh, UTF-16",
    )
    assert pasted(ALL["wrapped at 80"](table)).note("g")[0].startswith("g: read without the ends of ")
    assert pasted(table).note("g.txt") == ()


@given(st.sampled_from(["groups-offsets-3.9.txt", "groups-offsets-1.1.txt"]), st.integers(0, 2000))
def test_a_table_that_is_cut_loses_only_its_end(name: str, at: int) -> None:
    table = TEXTS[f"kafka-tools/{name}"]
    try:
        cut = read_groups(pasted(table[:at]).text, "f")
    except InputError:
        return
    whole = read_groups(table, "f").offsets
    last = len(cut.offsets) - 1
    for number, (row, before) in enumerate(zip(cut.offsets, whole, strict=False)):
        assert row == before or (number == last and row[:6] == before[:6])


def test_a_row_that_is_cut_is_not_taken_for_prose() -> None:
    table = TEXTS["kafka-tools/groups-offsets-3.9.txt"].rstrip("\n")
    cut = table[: table.rindex("\n") + 30]
    with pytest.raises(InputError, match="row: found"):
        read_groups(pasted(cut).text, "f")
