"""The classes of a jar that can be put to the test: by what they implement, however far away."""

import pytest

from kassay.engines.jars.classes import candidates
from kassay.kinds.connect.java import CONNECT_INTERFACE as CONNECT
from kassay.kinds.groups.java import CLIENT_INTERFACE as CLIENT
from kassay.kinds.groups.java import CONSUMER_GROUPS_INTERFACE as CONSUMER_GROUPS
from kassay.kinds.groups.java import SERVER_INTERFACE as SERVER
from kassay.kinds.groups.java import SHARE_GROUPS_INTERFACE as SHARE_GROUPS
from kassay.kinds.java import interfaces
from kassay.kinds.partitioners.java import PARTITIONER_INTERFACE as PARTITIONER
from kassay.kinds.placement.java import PLACER_INTERFACE as PLACER
from kassay.model.errors import InputError
from tests.classfiles import ABSTRACT, INTERFACE, PUBLIC, class_file, jar


def kinds(*paths):
    return {one.name: one.interfaces for one in candidates(paths)}


@pytest.mark.parametrize("interface", interfaces())
def test_a_class_is_of_the_kind_of_its_interface(interface, tmp_path):
    direct = class_file("a.Direct", interfaces=["java.io.Closeable", interface.name])
    extending = [class_file(f"a.Of{n}", superclass=name) for n, name in enumerate(interface.known)]
    path = jar(tmp_path / "x.jar", direct, *extending, class_file("a.Nothing"))
    names = ["a.Direct", *(f"a.Of{n}" for n in range(len(interface.known)))]
    assert kinds(path) == dict.fromkeys(names, (interface,))


def test_a_class_is_followed_through_this_jar_and_the_others(tmp_path):
    base = class_file("lib.Base", interfaces=["lib.Rule"], access=PUBLIC | ABSTRACT)
    rule = class_file("lib.Rule", interfaces=[PLACER.name], access=PUBLIC | INTERFACE | ABSTRACT)
    library = jar(tmp_path / "lib.jar", base, rule)
    mine = jar(
        tmp_path / "mine.jar",
        class_file("a.Mid", superclass="lib.Base"),
        class_file("a.B", superclass="a.Mid"),
    )
    assert kinds(mine) == {}
    assert kinds(mine, library) == {"a.Mid": (PLACER,), "a.B": (PLACER,)}
    assert kinds(library) == {}


def test_the_more_particular_interface_counts_and_several_keep_their_order(tmp_path):
    both = class_file("a.Both", interfaces=[SHARE_GROUPS.name, CONSUMER_GROUPS.name, SERVER.name])
    mixed = class_file("a.Mixed", superclass=CLIENT.known[0], interfaces=[PARTITIONER.name])
    path = jar(tmp_path / "x.jar", both, mixed)
    assert kinds(path) == {"a.Both": (CONSUMER_GROUPS, SHARE_GROUPS), "a.Mixed": (CLIENT, PARTITIONER)}


def test_classes_that_extend_each_other_in_a_circle_end(tmp_path):
    path = jar(tmp_path / "x.jar", class_file("a.A", superclass="a.B"), class_file("a.B", superclass="a.A"))
    assert kinds(path) == {}


@pytest.mark.parametrize(
    ("interface", "constructors", "public"),
    [
        (CLIENT, {"()V": PUBLIC}, True),
        (CLIENT, {"()V": 0}, False),
        (CLIENT, {}, False),
        (CLIENT, {"(Ljava/util/Random;)V": PUBLIC}, False),
        (PLACER, {"(Ljava/util/Random;)V": PUBLIC}, True),
        (PLACER, {"(Ljava/util/Random;[I)V": PUBLIC}, False),
        (CONNECT, {"(La/LogContext;La/b/Time;I)V": PUBLIC}, True),
        (CONNECT, {"(La/LogContext;La/b/Time;J)V": PUBLIC}, False),
    ],
)
def test_what_can_be_constructed_is_known(interface, constructors, public, tmp_path):
    path = jar(tmp_path / "x.jar", class_file("a.A", interfaces=[interface.name], constructors=constructors))
    (one,) = candidates([path])
    assert one.public is public


def test_no_jar_at_all_is_said():
    with pytest.raises(InputError, match="no jar, expected jar:FILE"):
        candidates([])
