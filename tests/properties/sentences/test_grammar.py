"""The grammar: what is read, how it binds, and what is said of what cannot be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.properties.sentences.grammar import DEPTH_MAX, LENGTH_MAX, SentenceError, parse


def shape(text):
    def of(node):
        return str(node) if isinstance(node, str) else (node.data, *map(of, filter(None, node.children)))

    return of(parse(text).children[0])


def test_products_bind_before_sums_and_comparisons_before_and_before_or():
    assert shape("1 + 2 * 3 <= 7") == shape("(1 + (2 * 3)) <= 7")
    assert shape("1 - 2 - 3 == 0") == shape("(1 - 2) - 3 == 0")
    assert shape("1 < 2 or 1 < 3 and 2 < 3") == shape("1 < 2 or (1 < 3 and 2 < 3)")
    assert shape("not 1 < 2 and 2 < 3") == shape("(not 1 < 2) and 2 < 3")


def test_a_quantifier_reaches_as_far_as_it_can():
    assert shape("all t: spread(t) <= 1 and moved <= 2") == shape("all t: (spread(t) <= 1 and moved <= 2)")
    assert shape("moved <= 2 and some m: load(m) > 1 or x < 1") == shape(
        "moved <= 2 and (some m: (load(m) > 1 or x < 1))"
    )


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "found the end, expected a number, a name or `(`"),
        ("1 <=", 5, "found the end, expected a number, a name or `(`"),
        ("max(load <= 1", 14, "found the end, expected `,` or `)`"),
        ("load <= 1)", 10, "found ')', expected `where` or the end"),
        ("load = 1", 6, "found '=', expected == to compare"),
        ("load =< 1", 6, "found '=<', expected <= to compare"),
        ("load => 1", 6, "found '=>', expected >= to compare"),
        ("load \u2264 1", 6, "found '\u2264', expected <= to compare"),
        ("load \u2260 1", 6, "found '\u2260', expected != to compare"),
        ("load <= 1 $ 2", 11, "found '$', which has no meaning here"),
        ("all : 1 < 2", 5, "found ':', expected a name"),
        ("__import__('os')", 12, 'found "\'", which has no meaning here'),
    ],
)
def test_complaints_name_the_column(text, column, problem):
    with pytest.raises(SentenceError) as complaint:
        parse(text)
    assert complaint.value.column == column
    assert f"column {column}: " in str(complaint.value)
    assert problem in str(complaint.value)


def test_columns_are_those_of_the_whole_text():
    with pytest.raises(SentenceError, match="column 9: found the end"):
        parse("even = (", len("even = "))
    assert parse("even = 1 < 2", len("even = ")).children


def test_what_is_too_long_or_too_deep_is_refused():
    with pytest.raises(SentenceError, match=f"at most {LENGTH_MAX} characters"):
        parse("1 < 2 and " * LENGTH_MAX + "1 < 2")
    with pytest.raises(SentenceError, match=f"more than {DEPTH_MAX} deep"):
        parse("-" * (DEPTH_MAX + 5) + "1 < 2")


@given(st.text(st.sampled_from("mtr<=>!()+-*/: ,.19 alsomewhrnd\n\t'\"\\"), max_size=40))
def test_any_text_is_a_tree_or_one_complaint(text):
    try:
        parse(text)
    except InputError as complaint:
        assert "column " in str(complaint)
