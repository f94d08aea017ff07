"""Class files: what was written is read, and what is none is refused in one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.reading.classfile import ClassFile, read_class
from tests.classfiles import ABSTRACT, INTERFACE, OTHER_CONSTANTS, PUBLIC, class_file

PARTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="./;[<>\0"), min_size=1, max_size=8
)
NAMES = st.lists(PARTS, min_size=1, max_size=3).map(".".join)
DESCRIPTORS = st.sampled_from(["()V", "(I)V", "(Ljava/util/Random;)V"])


@given(
    name=NAMES,
    superclass=st.none() | NAMES,
    interfaces=st.lists(NAMES, max_size=3),
    constructors=st.dictionaries(DESCRIPTORS, st.sampled_from([0, PUBLIC, 2])),
    fields=st.lists(st.just("f"), max_size=2),
    java=st.integers(5, 30),
    others=st.lists(st.sampled_from(OTHER_CONSTANTS), max_size=5),
)
def test_a_class_is_read_as_it_was_written(name, superclass, interfaces, constructors, fields, java, others):
    data = class_file(
        name,
        superclass=superclass,
        interfaces=interfaces,
        constructors=constructors,
        fields=fields,
        java=java,
        others=others,
    )
    public = tuple(text for text, flags in constructors.items() if flags & PUBLIC)
    assert read_class(data, "x") == ClassFile(name, superclass, tuple(interfaces), True, public, java)


def test_half_a_character_in_a_name_is_told_by_the_mark_for_one():
    assert read_class(class_file("a.\ud800b"), "x").name == "a.\ufffdb"


@pytest.mark.parametrize("flags", [INTERFACE | ABSTRACT, ABSTRACT])
def test_what_has_no_objects_is_not_concrete(flags):
    assert not read_class(class_file("a.B", access=PUBLIC | flags), "x").concrete


def test_every_cut_is_refused_in_one_line():
    data = class_file("a.B", interfaces=["c.D"], others=OTHER_CONSTANTS, fields=["f"])
    for nonsense in [data[:end] for end in range(len(data))] + [data + b"\x00"]:
        with pytest.raises(InputError, match=r"a\.jar: .* expected a class file of Java") as raised:
            read_class(nonsense, "a.jar")
        assert "\n" not in str(raised.value)


@given(st.binary(max_size=60))
def test_nonsense_behind_the_magic_number_is_refused(data):
    with pytest.raises(InputError):
        read_class(b"\xca\xfe\xba\xbe" + data, "a.jar")


def test_a_long_name_that_stands_everywhere_is_held_once():
    name = "a" * 0xFFFF
    read = read_class(class_file("B", interfaces=[name], repeated=0xFFFF), "x")
    assert len(read.interfaces) == 0xFFFF
    assert len(set(map(id, read.interfaces))) == 1
