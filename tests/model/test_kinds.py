import pytest

from kassay.model.groups.kinds import CONSUMER_GROUPS, GROUPS
from kassay.model.kinds import Kind
from kassay.model.partitioners.kinds import PARTITIONER


def test_a_kind_is_read_by_its_word_and_by_its_letter():
    assert [Kind(letter) for letter in "CSHTPLKG"] == list(Kind)[:8]
    assert list(Kind) == [Kind(str(kind)) for kind in every_kind()]


@pytest.mark.parametrize("text", ["", "CS", "c", "X", None, 3])
def test_anything_else_is_no_kind(text):
    with pytest.raises(ValueError, match="not a valid Kind"):
        Kind(text)


def test_kinds_of_consumer_groups_are_kinds_of_groups():
    assert set(CONSUMER_GROUPS) < set(GROUPS)


def test_every_kind_that_can_be_certified_has_its_words():
    assert set(NOUNS) == set(every_kind())
    assert not PARTITIONER.nouns.who
