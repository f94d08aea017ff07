"""Which timers are armed: the small value that a driver keeps beside a coordinator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from kassay.model.protocols.values.requests import CancelTimer, SetTimer

Armed: TypeAlias = tuple[SetTimer, ...]
"""The armed timers by due time; of those due at one instant, in the order in which they were armed."""


def after(armed: Armed, outputs: Iterable[object]) -> Armed:
    """The armed timers once the `SetTimer` and `CancelTimer` among the outputs are carried out."""
    found = {order.timer: order for order in armed}
    changed = False
    for output in outputs:
        if isinstance(output, SetTimer):
            if output.if_absent and output.timer in found:
                continue
            found.pop(output.timer, None)
            found[output.timer] = output._replace(if_absent=False) if output.if_absent else output
            changed = True
        elif isinstance(output, CancelTimer):
            changed = found.pop(output.timer, None) is not None or changed
    return tuple(sorted(found.values(), key=_due)) if changed else armed


def without(armed: Armed, fired: SetTimer) -> Armed:
    """The armed timers but for the one that fires."""
    return tuple(order for order in armed if order.timer != fired.timer)


def _due(order: SetTimer) -> int:
    return order.due
