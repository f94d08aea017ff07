"""Files of settings: what Java's properties format allows, and what is no such file."""

import string

from hypothesis import given
from hypothesis import strategies as st

from kassay.reading.kafka.settings import is_settings, read_settings
from tests.paths import ROOT

KEYS = st.from_regex(r"[a-z]{1,8}(\.[a-z]{1,8}){1,3}", fullmatch=True)
VALUES = st.text(string.ascii_letters + string.digits + " =:#!\\\"'${},;/é", max_size=30).map(str.strip)


def written(value):
    return value.replace("\\", "\\\\")


@given(st.dictionaries(KEYS, VALUES, min_size=1), st.sampled_from(["=", " = ", ": "]), st.booleans())
def test_what_is_written_is_read(settings, between, crlf):
    end = "\r\n" if crlf else "\n"
    text = end.join(["# a comment", "", *(f"  {k}{between}{written(v)}" for k, v in settings.items())])
    read = read_settings(text, "f")
    assert {line.key: line.value for line in read.lines} == settings
    assert [line.place.line for line in read.lines] == list(range(3, 3 + len(settings)))
    assert is_settings(text)


def test_lines_go_on_after_a_backslash_and_escapes_are_read():
    text = "! no\na.b = one, \\\n   two\nc.d\\:e f\\u0041\n" + "g.h=\\\\\nlast.of=1"
    read = read_settings(text, "f")
    assert [(line.key, line.value, line.place.line) for line in read.lines] == [
        ("a.b", "one, two", 2),
        ("c.d:e", "fA", 4),
        ("g.h", "\\", 5),
        ("last.of", "1", 6),
    ]


def test_the_last_line_of_a_key_counts():
    read = read_settings("a.b=1\na.b=2\n", "f")
    assert read.get("a.b") == "2" and read.number("a.b") == 2 and read.number("x", 7) == 7


def test_a_lone_backslash_begins_a_line_that_goes_on():
    (line,) = read_settings("\\\n#a.b=1\n# c\n\\\n\n\\", "f").lines
    assert (line.key, line.value, line.place.line) == ("#a.b", "1", 1)


def test_outputs_of_tools_are_no_settings():
    for path in (ROOT / "examples" / "cluster").iterdir():
        assert not is_settings(path.read_text()), path.name
    assert not is_settings("") and not is_settings("# only a comment\n")
