"""Options that several commands have."""

import pytest

from kassay.certify.genuine.jars import NEWEST_RELEASE
from kassay.cli.common import NEWEST, require_released
from kassay.model.errors import InputError
from kassay.model.protocols.values import releases


def test_the_newest_release_is_the_same_everywhere():
    assert NEWEST == NEWEST_RELEASE == releases.NEWEST


@pytest.mark.parametrize("release", ["4.4", "4.4.9", "3.9.2", "0.8"])
def test_a_release_up_to_the_newest_is_known(release):
    require_released(release, "--release")


@pytest.mark.parametrize("release", ["4.5", "4.10.0", "5.0.0"])
def test_a_later_release_is_refused(release):
    with pytest.raises(InputError, match=f"--release: unknown release '{release}'; expected one up to"):
        require_released(release, "--release")
