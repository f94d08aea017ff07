"""Class files: what was written is read, and what is none is refused in one line.

Jars: the classes that a class loader finds in them; bombs, cut and damaged ones in one line.
"""

import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.reading import jars
from kassay.reading.jars import ClassFile, ClassPath, Jar, read_class
from tests.classfiles import ABSTRACT, INTERFACE, OTHER_CONSTANTS, PUBLIC, class_file, jar

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


ONE, OTHER = class_file("a.One"), class_file("a.b.Other$Inner", superclass="a.One")


def test_the_classes_of_a_jar_are_those_that_lie_where_their_names_say(tmp_path):
    others = {
        "META-INF/versions/17/a/One.class": b"for a newer Java, whatever it is",
        "BOOT-INF/classes/a/One.class": ONE,
        "a/readme.txt": b"no class",
    }
    read = Jar(jar(tmp_path / "x.jar", ONE, OTHER, others=others)).classes()
    assert [one.name for one in read] == ["a.One", "a.b.Other$Inner"]


def test_the_first_jar_that_has_a_class_counts(tmp_path):
    first = jar(tmp_path / "1.jar", ONE)
    second = jar(tmp_path / "2.jar", class_file("a.One", superclass="b.C"), OTHER)
    path = ClassPath([first, second])
    assert path.find("a.One").superclass == "java.lang.Object"
    assert path.find("a.b.Other$Inner").superclass == "a.One"
    assert path.find("java.lang.Object") is None


def refused(path, expected):
    with pytest.raises(InputError, match=expected) as raised:
        Jar(path).classes()
    assert "\n" not in str(raised.value)


def test_what_is_no_jar_is_said_in_one_line(tmp_path):
    whole = jar(tmp_path / "x.jar", ONE, OTHER).read_bytes()
    for end in range(0, len(whole), 7):
        (tmp_path / "cut.jar").write_bytes(whole[:end])
        refused(tmp_path / "cut.jar", "cut.jar: cannot be read as a jar .no zip archive")
    refused(tmp_path, "is a folder, expected a jar")
    refused(tmp_path / "nobody.jar", "no such file, expected a jar")
    refused("x" * 5000, "no such file, expected a jar")
    refused(
        jar(tmp_path / "y.jar", others={"a/B.class": b"Manifest"}), r"'a/B.class': is cut off or no class"
    )


def test_damaged_entries_are_said_in_one_line(tmp_path):
    path = jar(tmp_path / "x.jar", ONE)
    whole = path.read_bytes()
    at = struct.calcsize("<4s5H3I2H") + len("a/One.class")
    for damage in (b"\x00" * 8, b"\xff" * 8):
        path.write_bytes(whole[:at] + damage + whole[at + 8 :])
        refused(path, "'a/One.class': cannot be unpacked")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/One.class", ONE)
    whole = bytearray(path.read_bytes())
    central = whole.index(b"PK\x01\x02")
    whole[central + 8] |= 1  # said to be encrypted
    path.write_bytes(whole)
    refused(path, "'a/One.class': cannot be unpacked")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_java_cannot_unpack_is_refused(method, tmp_path):
    with zipfile.ZipFile(tmp_path / "x.jar", "w", method) as archive:
        archive.writestr("a/One.class", ONE)
    refused(tmp_path / "x.jar", "'a/One.class': packed in a way that Java does not read")


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("unpacked"))
    bomb = jar(tmp_path / "x.jar", others={f"a/{n}.class": bytes(jars.SMALL // 4) for n in range(5)})
    refused(bomb, "bytes unpack to 10485760, expected at most 20 times as many")
