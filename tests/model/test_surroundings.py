from hypothesis import given
from hypothesis import strategies as st

from kassay.model.surroundings import CALLED, FIELDS, NEEDED, OURS, Surroundings
from kassay.model.trace import SURROUNDINGS

NAMES = st.text("ABCDEF_", min_size=1, max_size=4)
TEXTS = st.text(max_size=4)
MAYBE = st.none()
SOME = st.builds(
    Surroundings,
    clock=MAYBE | st.floats(0, 1e10),
    time_zone=MAYBE | TEXTS,
    locale=MAYBE | TEXTS,
    variables=MAYBE | st.dictionaries(NAMES, TEXTS).map(lambda d: tuple(d.items())),
    folder=MAYBE | TEXTS,
    host_name=MAYBE | TEXTS,
    processors=MAYBE | st.integers(1, 128),
    tick=MAYBE | st.floats(0, 1e6),
    pause=MAYBE | st.floats(0, 1e6),
    uptime=MAYBE | st.floats(0, 1e9),
    user=MAYBE | st.integers(0, 99),
    load=MAYBE | st.floats(0, 1e3),
    memory=MAYBE | st.integers(1, 2**30),
    address=MAYBE | st.integers(0, 2**48 - 1),
    process=MAYBE | st.integers(0, 11),
    hash_seed=MAYBE | st.integers(0, 2**32 - 1),
    modified=MAYBE | st.floats(0, 1e10),
)


@given(SOME)
def test_a_document_holds_what_differs_and_is_read_back(surroundings):
    document = SURROUNDINGS.write(surroundings)
    assert document == surroundings.to_json()
    assert set(document) == set(surroundings.changed)
    assert SURROUNDINGS.read(document, "here") == surroundings


@given(SOME, st.sets(st.sampled_from(FIELDS)))
def test_what_is_left_out_does_not_differ_and_the_rest_stays(surroundings, names):
    less = surroundings.without(*names)
    assert set(less.changed) == set(surroundings.changed) - set(names)
    assert all(getattr(less, name) == getattr(surroundings, name) for name in less.changed)


@given(SOME, st.dictionaries(NAMES | st.sampled_from(sorted(NEEDED)), TEXTS))
def test_needed_variables_stay_and_others_go_where_variables_are_given(surroundings, inherited):
    found = surroundings.environment(inherited)
    own = {"TZ", "LANG", "LC_ALL", "PWD"}
    if surroundings.variables is None:
        assert inherited.items() - found.items() <= {(name, inherited.get(name)) for name in own}
    else:
        assert found.keys() <= NEEDED | dict(surroundings.variables).keys() | own


def test_every_field_has_words():
    assert set(CALLED) == set(FIELDS)
    assert OURS.changed == ()
