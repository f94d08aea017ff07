"""What stands beside a wrong answer."""

from kassay.kinds.broken import could_be_of
from kassay.kinds.frames import beside_words
from tests.kinds.test_broken import COULD_BE


def test_only_an_optimum_is_called_one():
    could_be = COULD_BE
    assert beside_words(could_be_of(could_be))[:2] == ("What could be instead", "1 1 (as sticky ends)")
    measured = could_be | {
        "certified": True,
        "measures": {"a": [1, 1], "b": 0},
        "instead_of": {"a": [2, 0], "b": 0},
    }
    beside = beside_words(could_be_of(measured))
    assert beside[:2] == ("Beside the certified optimum", "1 1")
    assert beside.measures == (("a", "2 0", "1 1"),)
