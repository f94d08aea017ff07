"""`kassay.vectors` is what the command shows."""

import pytest

import kassay
from kassay.model.errors import InputError, TargetNotFound
from tests.paths import VECTORS

FEW = str(VECTORS / "server-simple.json.gz")


def test_the_function_returns_what_the_command_writes(command):
    checked = kassay.vectors(FEW)
    assert checked.to_json() == command("vectors", FEW)
    assert (checked.failed, checked.unknown) == (0, ())


def test_another_target_gives_other_answers(command):
    checked = kassay.vectors(FEW, target="share-simple@4.2")
    assert checked.to_json() == command("vectors", FEW, "--target", "share-simple@4.2")
    assert checked.failed and f"and {checked.failed - 5} more" in checked.page()


def test_misuse_raises(tmp_path):
    with pytest.raises(InputError, match="no vector files"):
        kassay.vectors(tmp_path)
    with pytest.raises(TargetNotFound):
        kassay.vectors(FEW, target="no-such")
