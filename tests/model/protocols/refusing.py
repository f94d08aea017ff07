"""What must raise, because the tables call it impossible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kassay.model.protocols.table import IllegalTransition


def refused(state: object, event: object, step: Callable[..., Any], *args: Any) -> None:
    """The step raises, naming the state and the event."""
    with pytest.raises(IllegalTransition) as raised:
        step(*args)
    assert raised.value.state == state
    assert raised.value.event == event
    assert str(state) in str(raised.value)
    assert str(event) in str(raised.value)
