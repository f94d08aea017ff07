"""Hypothesis strategies shared by several test folders."""

from typing import Any

from hypothesis import strategies as st

from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.groups.histories.scenarios import history
from kassay.properties.sources import Drawn

SMALL = GroupProfile()


@st.composite
def histories(draw: Any, profile: GroupProfile = SMALL) -> Any:
    """Histories of the generator, with Hypothesis as the source of choices."""
    return history(Drawn(draw), profile)
