"""The logs of the invented cluster are those that its script writes."""

import pytest

from tests.example_cluster import FOLDER, texts


@pytest.mark.parametrize("name", sorted(texts()))
def test_a_log_is_as_its_script_writes_it(name):
    assert (FOLDER / name).read_text() == texts()[name]
