"""Files of named claims."""

import pytest

from kassay.model.errors import InputError
from kassay.reading.sentences import read_sentences


def test_the_sentences_of_a_file_in_its_order(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text('few-moves = "moved <= 2"\neven = "max(load) - min(load) <= 1 where no_racks"\n')
    assert read_sentences(path) == (
        "few-moves = moved <= 2",
        "even = max(load) - min(load) <= 1 where no_racks",
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty, expected a file of named claims"),
        ("even = 3", "even: found 3, expected a sentence in quotes"),
        ("Even = 'moved <= 1'", "found 'Even', expected a name of small letters"),
        ("even = ", "not TOML"),
    ],
)
def test_what_is_no_such_file_is_refused(tmp_path, text, complaint):
    path = tmp_path / "claims.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=complaint) as error:
        read_sentences(path)
    assert str(path) in str(error.value)
