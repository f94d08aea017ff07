from uuid import UUID

import pytest

from kassay.model.java import uuid_hash
from kassay.model.shape.legal import TOPIC_NAMES, UUIDS
from kassay.model.streams.tasks import process_key
from kassay.properties.sources import Seeded
from kassay.properties.wide.names import UUID_CLASSES, classes_for

every_class = pytest.mark.parametrize("known", UUID_CLASSES, ids=lambda known: known.id)


@every_class
def test_each_class_of_uuids_gives_different_uuids_that_show_it(known):
    for size in (known.least, 3, 5, 1025):
        for seed in range(5):
            names = known.make(size, Seeded(seed))
            assert len(set(names)) == size
            assert all(str(UUID(name)) == name and UUIDS.accepts(name) for name in names)
            assert size < 2 or known.seen(names)


@every_class
def test_plain_uuids_of_one_process_show_no_relation(known):
    assert known.least == 1 or not known.seen(["5aa66d2c-7ddf-443f-9aa6-6d2c7ddf743f"])


def test_uuids_have_classes_of_their_own_and_other_names_have_not():
    assert set(UUID_CLASSES) <= set(classes_for(UUIDS))
    assert not set(UUID_CLASSES) & set(classes_for(TOPIC_NAMES))


def test_the_classes_are_what_java_makes_of_them():
    made = {known.id: known.make(6, Seeded(1)) for known in UUID_CLASSES}
    assert len({uuid_hash(process_key(name)) for name in made["same-hash"]}) == 1
    for signs in ("signs", "lower-signs"):
        assert sorted(made[signs]) != sorted(made[signs], key=process_key)
    assert sorted(made["negative"]) == sorted(made["negative"], key=process_key)
    assert len({process_key(name)[0] for name in made["same-upper"]}) == 1
    assert len({process_key(name)[1] for name in made["same-lower"]}) == 1
