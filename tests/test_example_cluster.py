"""The logs of the invented cluster equal the output of their script."""

import pytest

from tests.example_cluster import FOLDER, texts


@pytest.mark.parametrize("name", sorted(texts()))
def test_a_log_is_as_its_script_writes_it(name):
    assert (FOLDER / name).read_text() == texts()[name]
