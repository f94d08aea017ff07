"""A custom assignor under test: run it with `pytest examples/test_lag_assignor.py`."""

from pathlib import Path

import pytest

from kassay.testing import NotCertifiedError, certify_assignor

ASSIGNOR = str(Path(__file__).with_name("lag_assignor.py"))


def test_it_is_a_valid_assignor():
    certificate = certify_assignor(ASSIGNOR, claims=["complete", "single-owner", "subscribed"], seed=7)
    assert certificate.verdict == "certified"


def test_it_does_not_claim_balance_by_count(tmp_path):
    with pytest.raises(NotCertifiedError, match="balanced-within-one"):
        certify_assignor(ASSIGNOR, claims=["balanced-within-one"], out=tmp_path)
