"""What matters in a counterexample, and what a fix must do.

What a fix must do: derived from the evidence of a trace where that shows it, else for the common cause.

What matters in a counterexample, or where two targets differ.

One part at a time is left out and the rest is replayed. A cause in one paragraph: where the claim
breaks, what matters, which clause, and what a fix must do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from pprint import pformat
from typing import Any, Final, NamedTuple

from kassay.engines.diff.compare import By, Lead
from kassay.engines.diff.document import TargetDifference
from kassay.engines.diff.replay import opened, read_difference
from kassay.engines.findings import broken_and_could_be
from kassay.engines.runs.blocks import open_bench
from kassay.engines.runs.replay import Playback, job_of, subjects_of
from kassay.engines.runs.shrink import (
    REPEATS_MAX,
    REPEATS_S,
    BrokenPlay,
    broken,
    broken_play,
    frequency,
    repeated,
)
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import Driver
from kassay.kinds.registry import driver_for
from kassay.model.calls import Look
from kassay.model.errors import InputError
from kassay.model.shape.codec import sparse
from kassay.model.shape.removal import Removal
from kassay.model.trace import Conditions, Repeated, Trace
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Claim, ClaimKind, as_text
from kassay.writing.text import counted, series, visible

_LOOKS: Final = {
    Look.AGAIN.value: "return the same answer when the same object is called again with the same input",
    Look.OTHER.value: "return the same answer from another object with the same configuration",
    Look.PERMUTED.value: "return the same answer when its input comes in another order",
    Look.PROCESS.value: "return the same answer in another process",
}
_UNEVEN: Final = {"has", "while", "with"}
"""The facts of a member that has more than another; why it has is not among them."""


class Remedy(NamedTuple):
    """What a fix must do, after "a fix must"; `is_derived` says whether the trace shows it.

    `common` is what a fix of the common cause must do next to that, where the trace does not exclude it.
    """

    text: str
    is_derived: bool
    common: str | None = None

    @property
    def sentence(self) -> str:
        """The sentence, without a full stop."""
        return f"A fix must {self.text}" if self.is_derived else f"The usual fix is to {self.text}"


def remedy(claim: ClaimKind, broken: Mapping[str, Any] | None) -> Remedy:
    """The remedy for the first piece of evidence; without one, or where it shows no cause, the claim's own.

    A claim's own remedy is a fixed sentence about the common cause of its violations: another one may have
    broken it here.
    """
    if broken is None or (derived := _derived(str(broken["subject"]), broken["facts"])) is None:
        return Remedy(claim.fix, False)
    return Remedy(derived, True, None if broken["facts"].keys() >= _UNEVEN else claim.fix)


def _derived(subject: str, facts: Mapping[str, Any]) -> str | None:
    if "no answer" in facts:
        return "return an answer for this input"
    if "refused" in facts:
        return "accept this input"
    if (look := facts.get("second call")) in _LOOKS:
        return _LOOKS[look]
    if facts.keys() >= _UNEVEN:
        return f"assign more to {as_text(facts['while'])} and less to {subject}"
    return None


TRIES_MAX: Final = 80
"""The maximum number of cases replayed to find what matters."""
TRIES_MAX_SLOW: Final = 8
"""The same if each replay may take as long as a call."""


@dataclass(frozen=True)
class Cause:
    """Why a trace violates its claim, from replaying it.

    `breaks` says whether it does so now. `events` and `conditions` are those that the violation needs:
    without any one of them the claim is kept, or never checked. `extents` counts what it needs. `needless`
    can be left out. `broken` and `could_be` are those of this replay. `repeated` counts plays of the case if
    the target kept the claim in some; then what the violation needs is not known, and `broken` and `could_be`
    are the recorded ones.
    """

    breaks: bool
    events: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    extents: tuple[str, ...] = ()
    needless: tuple[str, ...] = ()
    broken: tuple[Mapping[str, Any], ...] = ()
    could_be: Mapping[str, Any] | None = None
    repeated: Repeated | None = None

    def to_json(self) -> dict[str, Any]:
        """The cause as an explanation has it."""
        lists = ("events", "conditions", "extents", "needless", "broken")
        return {
            "breaks": self.breaks,
            **{name: list(getattr(self, name)) for name in lists},
            "could_be": self.could_be,
            "repeated": None if self.repeated is None else self.repeated._asdict(),
        }


def cause_of(playback: Playback) -> Cause:
    """What matters in the trace with today's target. Raises `InputError` for an invalid case."""
    trace = playback.trace
    driver = driver_for(trace.kind)
    case = driver.form.read(trace.case, f"{playback.path}: case")
    claim = parse_claim(trace.claim, trace.kind)
    with open_bench(job_of(playback)) as bench:
        for subject in subjects_of(bench, claim, playback.conditions):
            play = broken_play(driver, case, subject, claim)
            if play is None:
                continue
            count = frequency(driver, case, subject, claim, play.seconds)
            if count.always and trace.repeated is None:
                return _of(driver, case, play, subject, claim)
            return Cause(True, broken=trace.broken, could_be=trace.could_be, repeated=count)
        if trace.repeated is None:
            return Cause(breaks=False)
        (subject, *_) = subjects_of(bench, claim, playback.conditions)
        count = repeated(driver, case, subject, claim, REPEATS_MAX, REPEATS_S)
    return Cause(count.broken > 0, broken=trace.broken, could_be=trace.could_be, repeated=count)


def _of(driver: Driver[Any], case: Any, play: BrokenPlay, subject: Subject, claim: Claim) -> Cause:
    places, possible = broken_and_could_be(driver, case, play.plays, subject, claim)
    tries = TRIES_MAX_SLOW if claim.kind.id == "terminates" else TRIES_MAX
    cause = what_matters(driver, case, lambda less: bool(broken(driver, less, subject, claim)), tries)
    return replace(cause, broken=places, could_be=possible)


def what_matters(driver: Driver[Any], case: Any, still: Callable[[Any], bool], tries: int) -> Cause:
    """The parts without which the case is not `still` so; replays at most `tries` cases."""
    needed: list[Removal] = []
    needless: list[Removal] = []
    for number, less in enumerate(_readable(driver, driver.form.write(case))):
        if number == tries:
            break
        (needless if still(less[1]) else needed).append(less[0])
    return Cause(
        breaks=True,
        events=tuple(each.words for each in needed if each.event),
        conditions=tuple(each.words for each in needed if not each.event and not each.extent),
        extents=_counted(each.extent for each in needed if each.extent),
        needless=tuple(each.words for each in needless),
    )


def _counted(extents: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """How many of each the violation needs: `2 members`."""
    counts = Counter[str]()
    for number, noun in extents:
        counts[noun] += number
    return tuple(counted(number, noun) for noun, number in counts.items())


def _readable(driver: Driver[Any], document: Mapping[str, Any]) -> Iterator[tuple[Removal, Any]]:
    """The parts that can be left out, each with the remaining case; invalid cases are skipped."""
    for less in driver.removals(document):
        try:
            yield less, driver.form.read(less.case, "case")
        except InputError:
            continue


def paragraph(trace: Trace, claim: ClaimKind | None, cause: Cause | None, why_not: str = "") -> str:
    """The sentences of the paragraph; `why_not` says why the trace could not be replayed."""
    broken = (cause.broken if cause and cause.broken else trace.broken)[:1]
    sentences = [f"{trace.target} violates {trace.claim}{_where(trace, broken)}."]
    if broken or trace.violations:
        sentences.append(broken[0]["words"] if broken else trace.violations[0].partition(": ")[2])
    sentences += matters(cause, why_not)
    if claim is not None:
        sentences.append(f'The claim: "{claim.sentence.rstrip(".")}" ({claim.source}).')
        fix = remedy(claim, broken[0] if broken else None)
        sentences.append(f"{fix.sentence}.")
        if fix.common is not None:
            sentences.append(f"{Remedy(fix.common, is_derived=False).sentence}.")
    possible = cause.could_be if cause and cause.could_be else trace.could_be
    if possible is not None:
        by = "The optimum here" if possible["certified"] else f"A possible answer here ({possible['by']})"
        sentences.append(f"{by}: {possible['words']}.")
    return " ".join(sentences)


def _where(trace: Trace, broken: Sequence[Mapping[str, Any]]) -> str:
    """At which step, in the words of the kind."""
    if not broken or not trace.narration:
        return ""
    return driver_for(trace.kind).place_words(trace.narration, broken[0]["step"], broken[0]["round"])


def matters(
    cause: Cause | None,
    why_not: str,
    *,
    kept: str = "the claim holds",
    broken: str = "it did not violate the claim",
    still: str = "it is violated",
) -> list[str]:
    """What the violation needs, found by leaving out each part and replaying the rest.

    `kept` says what holds without the part, `broken` is the outcome for a case that is no longer valid for
    the kind, and `still` describes a case that is valid.
    """
    if cause is None:
        return [f"The cause cannot be determined: {why_not}."]
    if cause.repeated is not None:
        return [
            f"The target's answers vary between plays: replayed, it violated the claim {cause.repeated}, "
            "so the cause was not determined."
        ]
    if not cause.breaks:
        return [f"Replayed, {broken}, so the cause cannot be determined."]
    sentences = []
    named = [*cause.events, *cause.conditions]
    if named:
        sentences.append(f"The violation needs {series(named)}; without {_any(named)}, {kept}.")
    if cause.extents:
        begin = "" if named else "No single event, owned partition or setting is needed. "
        sentences.append(f"{begin}It takes {series(cause.extents)}: with one fewer, {kept}.")
    if not named and not cause.extents:
        sentences.append(f"No single part is needed: without any one of them {still} all the same.")
    if needless := [words for words in cause.needless if words not in named]:
        sentences.append(f"Not needed: {series(needless)}.")
    return sentences


def _any(named: Sequence[str]) -> str:
    return "it" if len(named) == 1 else "any of these"


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
    by = " in quality" if difference.by is By.QUALITY else ""
    sentences = [f"{left} and {right} differ{by}.", *shown]
    if (more := len(difference.lines) - _SHOWN) > 0:
        sentences.append(f"{counted(more, 'more difference')}.")
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
