"""What stands beside a wrong answer."""

from kassay.kinds.broken import could_be_of
from kassay.kinds.frames import alternative_of
from tests.kinds.test_broken import COULD_BE


def test_only_an_optimum_is_called_one():
    could_be = COULD_BE
    assert alternative_of(could_be_of(could_be))[:2] == ("A possible answer", "1 1 (as sticky ends)")
    measured = could_be | {
        "certified": True,
        "measures": {"a": [1, 1], "b": 0},
        "instead_of": {"a": [2, 0], "b": 0},
    }
    beside = alternative_of(could_be_of(measured))
    assert beside[:2] == ("Compared with the certified optimum", "1 1")
    assert beside.measures == (("a", "2 0", "1 1"),)
