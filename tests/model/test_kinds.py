import pickle
import subprocess
import sys

import pytest

from kassay.model.errors import InputError
from kassay.model.groups.kinds import CONSUMER_GROUPS, GROUPS
from kassay.model.kinds import Kind, declare, every_kind, kind_called, kind_named, kind_of_form
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.protocols.kinds import COORDINATOR


def test_a_kind_is_read_by_its_word_and_is_one_object_in_every_process():
    for kind in (*every_kind(), COORDINATOR):
        assert kind_named(str(kind)) is kind
        assert pickle.loads(pickle.dumps(kind)) is kind


@pytest.mark.parametrize("text", ["", "CS", "c", "X", "C", "Client"])
def test_anything_else_is_no_kind(text):
    with pytest.raises(InputError, match=f"kind '{text}': expected one of client, .*, streams"):
        kind_named(text)


def test_the_order_of_kinds_hangs_on_no_import():
    assert [kind.place for kind in every_kind()] == sorted(kind.place for kind in every_kind())
    last = "from kassay.model.connect import kinds; from kassay.model.kinds import every_kind"
    code = f"import kassay.model.streams.kinds; {last}; print(*every_kind())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == list(map(str, every_kind()))


def test_no_two_kinds_have_one_name():
    with pytest.raises(ValueError, match="two kinds are called 'partitioner'"):
        declare(Kind("partitioner", "partitioners", PARTITIONER.nouns))
    assert declare(PARTITIONER) is PARTITIONER


def test_a_kind_is_known_by_what_a_target_calls_it_and_by_its_own_forms():
    for kind in every_kind():
        assert not kind.meta or kind_called(kind.meta) is kind
        assert all(kind_of_form(form) is kind for form in kind.forms)
    assert kind_called("no-such") is None
    assert kind_of_form("no-such") is None


def test_kinds_of_consumer_groups_are_kinds_of_groups():
    assert set(CONSUMER_GROUPS) < set(GROUPS)


def test_every_kind_that_can_be_certified_has_its_words():
    assert COORDINATOR not in every_kind()
    assert all(kind.nouns.case and kind.nouns.cases for kind in every_kind())
    assert not PARTITIONER.nouns.who
