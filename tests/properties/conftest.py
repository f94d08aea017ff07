"""What the brute force over answers of every kind shares."""

import pytest

from tests.properties.confirming import Few


@pytest.fixture(params=["sample", pytest.param("all", marks=pytest.mark.deep)])
def few(request):
    return Few(request.param == "all")
