"""What matters where two targets differ: as a paragraph, and as a Python test."""

from __future__ import annotations

import re
from pathlib import Path
from pprint import pformat
from typing import Any, Final

from kassay.certify.causes.cause import TRIES_MAX, Cause, what_matters
from kassay.certify.causes.paragraph import matters
from kassay.certify.diff.compare import By, Lead
from kassay.certify.diff.document import TargetDifference
from kassay.certify.diff.replay import opened, read_difference
from kassay.kinds.registry import driver_for
from kassay.model.shape.codec import sparse
from kassay.model.trace import Conditions
from kassay.writing.text import visible

_AGREE: Final = "they agree"
_SHOWN: Final = 3
_WIDTH: Final = 100


def cause_of_difference(difference: TargetDifference, path: Path) -> Cause:
    """What the difference needs with today's targets.

    Raises `InputError` for an invalid case, `TargetNotFound` and `TargetNotLoadable`.
    """
    with opened(difference, path) as (comparison, case, _):
        if not comparison.compare(case).lines:
            return Cause(breaks=False)
        driver = comparison.driver
        return what_matters(driver, case, lambda less: bool(comparison.compare(less).lines), TRIES_MAX)


def paragraph_of_difference(difference: TargetDifference, cause: Cause | None, why_not: str = "") -> str:
    """The sentences of the paragraph; `why_not` says why the case could not be replayed."""
    left, right = difference.left.target, difference.right.target
    shown = [line.removeprefix("different: ") for line in difference.lines[:_SHOWN]]
    more = f" and {len(difference.lines) - _SHOWN} more" if len(difference.lines) > _SHOWN else ""
    by = " in quality" if difference.by is By.QUALITY else ""
    sentences = [f"{left} and {right} differ{by}: {'; '.join(shown)}{more}."]
    return " ".join(
        [*sentences, *matters(cause, why_not, kept=_AGREE, broken="they agreed", still="they differ")]
    )


def difference_as_python(path: Path) -> str:
    """A complete Python test that fails while the two differ; raises `InputError` for an invalid file."""
    difference = read_difference(path)
    form = driver_for(difference.kind).form
    case = sparse(form, form.write(form.read(difference.case, f"{path}: case")))
    left, right = difference.left, difference.right
    named = _named(difference)
    literal = pformat(case, width=_WIDTH, sort_dicts=False).split("\n")
    lines = [
        "from kassay.testing import differences",
        "",
        "",
        f"def test_{_word(left.target)}_and_{_word(right.target)}_agree():",
        *(f"    # {line.removeprefix('different: ')}" for line in difference.lines[:_SHOWN]),
        "    different = differences(",
        f"        {left.target!r},",
        f"        {right.target!r},",
        *(f"        {line}" for line in literal[:-1]),
        f"        {literal[-1]},",
        *(f"        {name}={value!r}," for name, value in named.items()),
        "    )",
        "    assert different == []",
    ]
    return "\n".join(map(visible, lines)) + "\n"


def _named(difference: TargetDifference) -> dict[str, Any]:
    """The non-default conditions."""
    conditions, usual = difference.conditions, Conditions()
    named: dict[str, Any] = {}
    if difference.by is not By.ANSWER:
        named["by"] = difference.by.value
    if difference.lead is not Lead.LEFT:
        named["lead"] = difference.lead.value
    if difference.kind.chosen:
        named["protocols"] = (difference.left.protocol.value, difference.right.protocol.value)
    if conditions.config:
        named["config"] = dict(conditions.config)
    if conditions.assume:
        named["assume"] = list(conditions.assume)
    if conditions.call_timeout_s != usual.call_timeout_s:
        named["call_timeout"] = conditions.call_timeout_s
    if conditions.memory_mib != usual.memory_mib:
        named["memory"] = conditions.memory_mib
    return named


def _word(target: str) -> str:
    return re.sub(r"\W+", "_", target, flags=re.ASCII).strip("_").lower() or "target"
