"""The codec of a model's states, whatever model it is."""

from __future__ import annotations

from typing import Any

from kassay.model.explore.stable import StateCodec
from kassay.model.explore.values import Model


def codec_of(model: Model[Any]) -> StateCodec:
    """What turns the model's states into bytes and back, out of the cells that the model itself makes."""
    context = getattr(model, "context", None)
    return StateCodec(None if context is None else context.interner.cell)
