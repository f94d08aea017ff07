"""Specs of targets taken apart and put together again: what is printed reads as the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.reading.specs import (
    Inside,
    Mixed,
    RuleSpec,
    Verbatim,
    command_of,
    listed,
    parse,
    place_and_class,
    printed,
)

ODD = "/opt/my jars/a,b!c@d:e%f%41é.jar"
"""A path with everything in it that means something somewhere."""

letters = st.sampled_from("abyz09-")
names = st.text(letters, max_size=5).map(lambda rest: f"n{rest}")
paths = st.text(
    st.one_of(st.sampled_from("/,!@:% ab.%4"), st.characters(exclude_categories=["C", "Z"])), min_size=1
).filter(str.isprintable)
releases = st.one_of(st.none(), st.sampled_from(["4.0.1", "4.4"]))
rules = st.one_of(
    st.builds(RuleSpec, st.just(""), names, releases),
    st.builds(RuleSpec, st.sampled_from(["kafka-clients", "placement"]), names, st.one_of(releases, paths)),
).filter(lambda rule: not (rule.at or "").endswith(".py") and ".py:" not in (rule.at or ""))
insides = st.one_of(
    st.builds(Inside, st.just("jar"), st.lists(paths, min_size=1, max_size=3).map(tuple), st.none() | paths),
    st.builds(Inside, st.just("node"), st.tuples(paths), st.none() | paths),
)
verbatim = st.one_of(
    paths.map(lambda text: Verbatim(f"exec:{text}")),
    paths.map(lambda text: Verbatim(f"/{text}.py")),
    st.builds(lambda text, name: Verbatim(f"./{text}.py:{name}"), paths, names),
    names.map(lambda name: Verbatim(f"acme.{name}:Rule")),
)
singles = st.one_of(rules, insides, verbatim)
specs = st.one_of(singles, st.lists(singles, min_size=2, max_size=4).map(lambda parts: Mixed(tuple(parts))))


@given(specs)
def test_what_is_printed_reads_as_the_same(spec):
    assert parse(printed(spec)) == spec


@given(paths)
def test_any_text_is_read_or_refused_by_one_line(text):
    for written in (text, f"jar:{text}", f"node:{text}", f"mixed:{text}", f"a:b@{text}"):
        try:
            assert parse(printed(parse(written))) == parse(written)
        except InputError as error:
            assert str(error).startswith(f"target {written!r}")
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("range", RuleSpec("", "range")),
        ("uniform@4.0.1", RuleSpec("", "uniform", "4.0.1")),
        ("placement:striped", RuleSpec("placement", "striped")),
        ("kafka-clients:sticky@.jars/a,b%21@x.jar", RuleSpec("kafka-clients", "sticky", ".jars/a,b!@x.jar")),
        ("jar:a.jar:b.jar!org.acme.Rule", Inside("jar", ("a.jar", "b.jar"), "org.acme.Rule")),
        ("jar:my, jars/a%3Ab%21.jar", Inside("jar", ("my, jars/a:b!.jar",))),
        ("node:@platformatic/kafka!roundRobin", Inside("node", ("@platformatic/kafka",), "roundRobin")),
        ("exec:date +%Y, and more: all of it!", Verbatim("exec:date +%Y, and more: all of it!")),
        ("dir@x/a,b!c%.py:Name", Verbatim("dir@x/a,b!c%.py:Name")),
        ("acme.rules:Mine", Verbatim("acme.rules:Mine")),
        ("mixed:range,kafka-python:range", Mixed((RuleSpec("", "range"), RuleSpec("kafka-python", "range")))),
        (
            "mixed:exec:date +%25Y%2C%25m,jar:a%2Cb%21.jar!C",
            Mixed((Verbatim("exec:date +%Y,%m"), Inside("jar", ("a,b!.jar",), "C"))),
        ),
    ],
)
def test_examples(text, spec):
    assert parse(text) == spec
    assert parse(printed(spec)) == spec


def test_a_path_with_everything_in_it_works_in_every_scheme():
    for spec in (
        Inside("jar", (ODD, ODD), "C"),
        Inside("node", (ODD,), "f"),
        RuleSpec("kafka-clients", "a", ODD),
    ):
        assert parse(printed(spec)) == spec
        assert parse(printed(Mixed((spec, Verbatim(f"exec:{ODD}"))))) == Mixed(
            (spec, Verbatim(f"exec:{ODD}"))
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mixed:", "two specs or more are mixed, expected mixed:SPEC,SPEC, and %2C for a comma in a spec"),
        ("mixed:range", "two specs or more are mixed"),
        ("mixed:range,", "two specs or more are mixed"),
        ("mixed:range, ,range", "two specs or more are mixed"),
        ("mixed:range,mixed:range,sticky", "mixed: stands in mixed:"),
        ("jar:", "expected jar:PATH"),
        ("jar:a.jar::b.jar", "expected jar:PATH"),
        ("jar:a.jar!", "expected jar:PATH"),
        ("jar:a.jar!A!B", "expected jar:PATH"),
        ("node:!f", "expected node:PACKAGE"),
        ("jar:100%.jar!A", "'%.j' is no escape, expected %25 for a percent sign"),
        ("jar:a%", "'%' is no escape"),
        ("kafka-clients:a@%0A", "the escapes in '%0A' are no printable text in UTF-8"),
        ("mixed:exec:a%FF,range", "the escapes in 'exec:a%FF' are no printable text in UTF-8"),
    ],
)
def test_what_is_no_spec_is_refused(text, message):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert str(caught.value).startswith(f"target {text!r}: {message}")


@pytest.mark.parametrize(
    ("text", "place", "name"),
    [
        ("a/b.py", "a/b.py", ""),
        ("a/b.py:Rule", "a/b.py", "Rule"),
        ("a:b/c.py", "a:b/c.py", ""),
        ("a:b.py", "a:b.py", ""),
        ("pkg.mod:Rule", "pkg.mod", "Rule"),
        ("a.py:", "a.py", ""),
        ("a.py:1", "a.py", "1"),
    ],
)
def test_a_class_stands_behind_the_last_colon(text, place, name):
    assert place_and_class(text) == (place, name)


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("range, sticky,,", ("range", "sticky")),
        ("mixed:a,b", ("mixed:a,b",)),
        ("range, mixed:a,b, c", ("range", "mixed:a,b, c")),
        (" , ", ()),
    ],
)
def test_a_list_ends_with_what_is_mixed(text, specs):
    assert listed(text) == specs


def test_a_command_is_all_that_stands_behind_exec():
    assert command_of("exec:a:b, c!") == "a:b, c!"
    assert command_of("range") is command_of("execute:a") is None
