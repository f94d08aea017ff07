"""What sentences say: against Python's own arithmetic, and types that are checked before anything is judged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.properties.registry import Scope
from kassay.properties.sentences.grammar import SentenceError
from kassay.properties.sentences.meaning import NOTHING, sentence
from kassay.properties.sentences.vocabulary import Things, Type, Undefined, Vocabulary, flag, number
from kassay.properties.sentences.words import VOCABULARIES

WORDS = Vocabulary(
    kinds=(),
    things=(
        Things("members", "m", lambda scene: range(len(scene)), "member"),
        Things("places", "p", lambda scene: (), "place"),
    ),
    measures=(
        number("load", "members", lambda scene, m: scene[m], ""),
        number("pair", "members members", lambda scene, a, b: scene[a] * 10 + scene[b], ""),
        number("far", "places", lambda scene, p: 1, ""),
        number("rounds", "", lambda scene: 2, "", Scope.REBALANCE),
        number("gap", "", lambda scene: 0, "", Scope.OPTIMUM),
        flag("odd", lambda scene: bool(sum(scene) % 2), ""),
    ),
    scope=Scope.OUTCOME,
    scene=lambda scope, things: things[0],
    others=lambda scene: (),
    everything="all",
)


def says(text, *loads):
    return sentence(text, WORDS).says(loads, NOTHING)


@pytest.mark.parametrize(
    ("text", "loads", "true"),
    [
        ("max(load) - min(load) <= 1", (1, 2), True),
        ("max(load) - min(load) <= 1", (1, 3), False),
        ("all m: load(m) <= 2", (2, 3), False),
        ("all m in members: some x in members: load(x) > load(m) or load(x) == 3", (3, 1), True),
        ("count(m: load(m) == 0) == 2", (0, 1, 0), True),
        ("sum(m: load(m) * load(m)) == 14", (1, 2, 3), True),
        ("all m: all x in members: pair(m, x) != pair(x, m) or load(m) == load(x)", (1, 2), True),
        ("avg(load) == 1.5", (1, 2), True),
        ("ceil(sum(load) / 2) == 2", (1, 2), True),
        ("1 <= max(load) < 2 <= 2", (1, 1), True),
        ("max(1, load(m)) == 1", (1, 1), None),
        ("max(3, sum(load), 2) == 3", (1, 1), True),
        ("-sum(load) < 0 and not odd", (1, 1), True),
        ("all p: far(p) > 1", (), True),
    ],
)
def test_what_a_sentence_says(text, loads, true):
    if true is None:
        with pytest.raises(SentenceError, match="column 13"):
            says(text, *loads)
    else:
        assert says(text, *loads) is true


def test_of_nothing_a_sentence_says_nothing():
    with pytest.raises(Undefined):
        says("max(far) <= 1")
    with pytest.raises(Undefined):
        says("1 / sum(load) <= 1", 0)


numbers_ = st.integers(0, 9).map(str)
terms = st.recursive(
    numbers_,
    lambda inner: st.builds(lambda a, o, b: f"({a} {o} {b})", inner, st.sampled_from("+-*"), inner),
    max_leaves=6,
)


@given(terms, st.sampled_from(["<=", "<", "==", "!=", ">=", ">"]), terms)
def test_arithmetic_is_python_s(left, compare, right):
    text = f"{left} {compare} {right}"
    assert says(text) is eval(text)


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("laod(m) <= 1", 1, "no measure 'laod' (did you mean load?)"),
        ("load <= 1", 1, "found several numbers, expected a number, such as max(...)"),
        ("all m: load(m)", 8, "found a number, expected something that is true or false"),
        ("1 + odd < 2", 5, "found something that is true or false, expected a number"),
        ("sum(load)", 1, "expected something that is true or false"),
        ("all m: all m: load(m) < 1", 12, "m stands for something already"),
        ("all q: load(q) < 1", 5, "expected m in members, p in places"),
        ("all q in loads: load(q) < 1", 10, "no things 'loads'"),
        ("all odd: 1 < 2", 5, "odd is a measure"),
        ("all p: load(p) < 1", 8, "load is of other things, expected load(m)"),
        ("rounds <= gap", 11, "gap cannot be combined"),
        ("ceil(1, 2) < 3", 9, "expected ceil(one)"),
        ("ceil(m: load(m)) < 3", 1, "ceil takes no things, expected one of max"),
        ("max(m: odd) < 3", 8, "expected a number"),
        ("max(1) < 3", 5, "found a number, expected several"),
        ("load(1) < 3", 6, "found a number, expected one of the variables m, p"),
        ("1 < 2 where 3", 13, "found a number, expected something that is true or false"),
        ("all m: 1 < 2 where load(m) < 1", 25, "no measure 'm'"),
    ],
)
def test_types_are_checked_and_complaints_name_the_column(text, column, problem):
    with pytest.raises(SentenceError) as complaint:
        sentence(text, WORDS)
    assert problem in str(complaint.value)
    assert complaint.value.column == column


def test_what_a_sentence_is_about_follows_from_its_words():
    assert sentence("sum(load) < 1", WORDS).scope is Scope.OUTCOME
    assert sentence("rounds < sum(load)", WORDS).scope is Scope.REBALANCE
    assert sentence("gap < 1 where odd", WORDS).scope is Scope.OPTIMUM


def test_conditions_stand_apart():
    read = sentence("sum(load) < 1 where odd", WORDS)
    assert read.where((1,), NOTHING) and not read.where((2,), NOTHING)
    assert sentence("sum(load) < 1", WORDS).where is None


@pytest.mark.parametrize("kind", VOCABULARIES)
def test_every_word_of_every_kind_can_stand_in_a_sentence(kind):
    words = VOCABULARIES[kind]
    for measure in words.measures:
        letters = [words.things_by_name[of].letter for of in measure.of]
        used = f"{measure.name}({', '.join(letters)})" if letters else measure.name
        body = used if measure.type is Type.TRUTH else f"{used} >= 0"
        assert sentence("".join(f"all {letter}: " for letter in letters) + body, words).scope


SIGNS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
NUMBERS = st.lists(st.integers(0, 3), min_size=1, max_size=5)


@given(st.integers(0, 3), st.lists(st.tuples(SIGNS, st.integers(0, 3)), min_size=1, max_size=4))
def test_every_comparison_of_a_chain_counts(first, rest):
    chain = " ".join([str(first), *(f"{sign} {number}" for sign, number in rest)])
    assert says(chain) is eval(chain)  # Python chains comparisons in the same way


@given(NUMBERS)
def test_equal_values_of_several_things_count_once_each(loads):
    assert says(f"sum(m: load(m)) == {sum(loads)}", *loads)
    assert says(f"avg(m: load(m)) * {len(loads)} == {sum(loads)}", *loads)
    assert says(f"count(m: load(m) == {loads[0]}) == {loads.count(loads[0])}", *loads)
    assert says(f"sum(load) == {sum(loads)} and max(load) == max(m: load(m))", *loads)
