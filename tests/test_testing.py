"""kassay inside a user's tests: the function, and the examples."""

import pytest

from kassay.model.errors import InputError
from kassay.testing import NotCertifiedError, certify_assignor
from tests.paths import EXAMPLES
from tests.test_pytest_plugin import pytest_in


class EverythingToTheFirst:
    """A class of this very module, as users pass theirs."""

    def assign(self, partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        for topic, count in partitions_per_topic.items():
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            if readers:
                given[readers[0]] += [(topic, p) for p in range(count)]
        return given


def test_a_class_is_certified_or_fails_with_its_smallest_history():
    assert certify_assignor(EverythingToTheFirst, histories=100).histories == 100
    with pytest.raises(NotCertifiedError) as caught:
        certify_assignor(EverythingToTheFirst, claims=["balanced-within-one"], histories=100)
    text = str(caught.value)
    assert "2 members, 2 partitions" in text
    assert "is given" in text
    assert caught.value.certificate.verdict == "not-certified"


def test_unknown_may_be_refused():
    certify_assignor(EverythingToTheFirst, histories=2)
    with pytest.raises(NotCertifiedError, match="unknown"):
        certify_assignor(EverythingToTheFirst, histories=2, allow_unknown=False)


def test_what_cannot_be_tested_is_said():
    class Local:
        def assign(self, partitions_per_topic, members):
            return {}

    with pytest.raises(InputError, match="top level of a module"):
        certify_assignor(Local)
    with pytest.raises(InputError, match="unknown claim"):
        certify_assignor(EverythingToTheFirst, claims=["no-such"])


def test_the_examples_pass():
    done = pytest_in(EXAMPLES, "test_lag_assignor.py")
    assert done.returncode == 0, done.stdout
