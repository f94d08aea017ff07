"""A counterexample as a Python test: the failing call, in the target's own form, and what must hold.

A Python class is called directly if a new object gives the wrong answer to one call, or two answers to the
same call. Anything else (a program, a jar, a wrong answer that depends on earlier calls) replays the whole
case through `kassay.testing`, with only the options that matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from pprint import pformat
from typing import Any, Final, NamedTuple

from kassay.assignors.plain_answers import FULL
from kassay.engines.findings import step_of
from kassay.engines.processes.load import TargetSource, load
from kassay.engines.runs.blocks import open_bench
from kassay.engines.runs.certificate import Certificate
from kassay.engines.runs.replay import Playback, job_of, load_trace, playback_of, subjects_of
from kassay.engines.runs.shrink import plays_for
from kassay.engines.targets.classes import UserClass
from kassay.engines.targets.local import OwnClass
from kassay.kinds.broken import BrokenStep, broken_steps
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import Driver
from kassay.kinds.registry import driver_for
from kassay.kinds.words import Asserts
from kassay.model.calls import Look
from kassay.model.errors import KassayError
from kassay.model.shape.codec import sparse
from kassay.model.trace import Trace
from kassay.properties.claims import parse_claim
from kassay.writing.text import visible

_WIDTH: Final = 100
_PLAYS_MAX: Final = 100
"""How often a test plays a case whose answers differ from play to play, at most."""
_HERE: Final = frozenset({Look.AGAIN, Look.OTHER})
_FULL_NAMES: Final = ("Broker", "Cluster", "Group", "Member", "Topic", "TopicPartition")


class _Called(NamedTuple):
    """How to call a class: imports, the class's name, the method, its arguments as Python."""

    imports: tuple[str, ...]
    name: str
    method: str
    arguments: tuple[str, ...]


class _Wrong(NamedTuple):
    """The wrong answer: its evidence and its step; `twice` if a second answer differs."""

    broken: BrokenStep
    step: Any
    twice: Look | None = None


def as_python(playback: Playback) -> str:
    """The test as complete Python code; it fails while the target violates the claim.

    Raises `InputError` for a case that its kind does not accept.
    """
    trace = playback.trace
    driver = driver_for(trace.kind)
    case = driver.form.read(trace.case, f"{playback.path}: case")
    wrong = None if trace.repeated else _wrong(playback, driver, case)
    lines = None if wrong is None else _one_call(playback, wrong)
    if lines is None:
        lines = _whole_case(playback, sparse(driver.form, driver.form.write(case)))
    return "\n".join(map(visible, lines)) + "\n"


def trace_as_python(path: Path) -> str:
    """The test for the trace in the file; raises `InputError` for an invalid trace, and a target error."""
    return as_python(load_trace(path))


def example_as_python(trace: Trace) -> str:
    """The test for a counterexample in memory; raises as `trace_as_python` does."""
    return as_python(playback_of(trace, Path("the counterexample")))


def with_code(certificate: Certificate, most: int) -> Certificate:
    """The certificate with tests for its first counterexamples, at most `most` of them."""
    left, results = most, []
    for result in certificate.claims:
        example, code = result.counterexample, ""
        if example is not None and left > 0:
            left -= 1
            with suppress(KassayError):
                code = example_as_python(example.trace)
        results.append(
            replace(result, counterexample=replace(example, code=code)) if example and code else result
        )
    return replace(certificate, claims=tuple(results))


def _wrong(playback: Playback, driver: Driver[Any], case: Any) -> _Wrong | None:
    """The first wrong answer, if a new object repeats it in that call alone, or differs in a second call."""
    claim = parse_claim(playback.trace.claim, playback.trace.kind)
    looks = claim.kind.looks
    if not _HERE.issuperset(looks) and claim.kind.id != "deterministic":
        return None
    with open_bench(job_of(playback)) as bench:
        for subject in subjects_of(bench, claim, playback.conditions):
            subject.renew()
            for broken in broken_steps(driver, driver.play(case, subject), subject, claim)[:1]:
                step = step_of(broken)
                if not looks:
                    return _Wrong(broken, step) if driver.repeats(step, subject.new) else None
                twice = _differs(driver, step, subject)
                return None if twice is None else _Wrong(broken, step, twice)
    return None


def _differs(driver: Driver[Any], step: Any, subject: Subject) -> Look | None:
    """Which second call gets another answer: one to the same object, or one to another; None if neither."""
    for look in (Look.AGAIN, Look.OTHER):
        differs = driver.second_answers(step, subject.new, look)
        if differs is None:
            return None
        if differs:
            return look
    return None


def _one_call(playback: Playback, wrong: _Wrong) -> list[str] | None:
    """The call of the class and the checks of its answer; None without a class or words for the checks."""
    driver = driver_for(playback.trace.kind)
    called = _called(playback, driver, wrong)
    config = {**playback.conditions.config, **driver.config_of(wrong.step)}
    if called is not None and wrong.twice is not None:
        return _called_twice(playback, called, config, wrong.twice, driver.answer_as_python)
    checks = None if called is None else _checks(driver, playback.trace.claim, wrong)
    if called is None or checks is None:
        return None
    call = [f"{checks.assigns}target.{called.method}(", *_inside(called.arguments), ")"]
    return [
        *checks.imports,
        *called.imports,
        "",
        "",
        f"def {_test_name(playback)}():",
        *(f"    # {violation}" for violation in playback.trace.violations[:1]),
        f"    target = {called.name}()",
        *([f"    target.configure({config!r})"] if config else []),
        *(f"    {line}" for line in (*checks.around(call), *checks.lines)),
    ]


def _called_twice(
    playback: Playback, called: _Called, config: Mapping[str, Any], look: Look, compared: str
) -> list[str]:
    """The same call to one object, or to two, and the check that the answers are equal."""
    asks = "asks(one) == asks(one)" if look is Look.AGAIN else "asks(new()) == asks(new())"
    return [
        *called.imports,
        "",
        "",
        f"def {_test_name(playback)}():",
        *(f"    # {violation}" for violation in playback.trace.violations[:1]),
        *_new(called.name, config),
        "    def asks(target):",
        f"        answer = target.{called.method}(",
        *(f"        {line}" for line in _inside(called.arguments)),
        "        )",
        f"        return {compared}",
        "",
        *(["    one = new()"] if look is Look.AGAIN else []),
        f"    assert {asks}",
    ]


def _new(name: str, config: Mapping[str, Any]) -> list[str]:
    """The line that makes an object named `new`."""
    if not config:
        return [f"    new = {name}", ""]
    lines = ("def new():", f"    target = {name}()", f"    target.configure({config!r})", "    return target")
    return [*(f"    {line}" for line in lines), ""]


def _checks(driver: Driver[Any], claim: str, wrong: _Wrong) -> Asserts | None:
    """The checks of the answer; none if the claim is only that the call must not fail."""
    name = claim.partition(":")[0]
    return Asserts() if name == "total" else driver.asserts(name, wrong.broken, wrong.step)


def _called(playback: Playback, driver: Driver[Any], wrong: _Wrong) -> _Called | None:
    """The call of the class under test with the step's input; None if the target is no class."""
    opener = playback.target.opener
    if isinstance(opener, OwnClass) and isinstance(opener.factory, type):
        module, name = opener.factory.__module__, opener.factory.__name__
        return _in_form(driver, FULL, (), (f"from {module} import {name}",), name, wrong)
    if not isinstance(opener, UserClass):
        return None
    with playback.target.open() as host:
        loaded = getattr(host, "loaded", None) or load(opener.source)[1]
    own, name = _imported(opener.source, loaded.class_name)
    return _in_form(driver, loaded.form, loaded.extras, own, name, wrong)


def _imported(source: TargetSource, name: str) -> tuple[tuple[str, ...], str]:
    """What makes the class available: an import, or code that loads a file the way kassay does."""
    if source.module is not None:
        return (f"from {source.module} import {name}",), name
    loads = f"load_class({f'{source.file}:{name}'!r})"
    return ("from kassay.testing import load_class",), loads


def _in_form(
    driver: Driver[Any],
    form: str,
    extras: tuple[str, ...],
    imports: tuple[str, ...],
    name: str,
    wrong: _Wrong,
) -> _Called | None:
    """The call in the form that the class has."""
    call = driver.plain_call(form, extras, wrong.broken, wrong.step)
    if call is None:
        return None
    if call.full:
        full = f"from kassay.full_form import {', '.join(_FULL_NAMES)}"
        return _Called((*imports, full), name, call.method, tuple(map(repr, call.arguments)))
    named = (f"{key}={_literal(value)}" for key, value in call.named)
    return _Called(imports, name, call.method, (*map(_literal, call.arguments), *named))


def _whole_case(playback: Playback, case: Mapping[str, Any]) -> list[str]:
    """The whole case, replayed under the trace's conditions, and the check that nothing is violated."""
    trace, conditions = playback.trace, playback.conditions
    named: dict[str, Any] = {
        "protocol": playback.target.protocol.value if trace.kind.chosen else None,
        "config": dict(conditions.config) or None,
        "assume": list(conditions.assume) or None,
        "beside": list(conditions.also_checked) or None,
    }
    usual = type(conditions)()
    if conditions.call_timeout_s != usual.call_timeout_s:
        named["call_timeout"] = conditions.call_timeout_s
    if conditions.memory_mib != usual.memory_mib:
        named["memory"] = conditions.memory_mib
    more = [f"{key}={value!r}" for key, value in named.items() if value is not None]
    depth = "    " if trace.repeated else ""
    arguments = (f"{playback.target.spec!r}", f"{trace.claim!r}", _literal(case), *more)
    return [
        "from kassay.testing import violations",
        "",
        "",
        f"def {_test_name(playback)}():",
        *_repeats(trace),
        *(f"{depth}    {line}" for line in _inside(arguments)),
        f"{depth}    )",
        "    assert broken == []",
    ]


def _repeats(trace: Trace) -> tuple[str, ...]:
    """The lines that open the call, in a loop where not every play violates the claim."""
    if trace.repeated is None:
        return ("    broken = violations(",)
    return (
        f"    # its answers differ from play to play: broken {trace.repeated}",
        "    broken = []",
        f"    for _ in range({min(_PLAYS_MAX, plays_for(trace.repeated))}):",
        "        broken += violations(",
    )


def _test_name(playback: Playback) -> str:
    return "test_" + re.sub(r"\W+", "_", playback.trace.claim, flags=re.ASCII).strip("_").lower()


def _literal(value: object) -> str:
    return pformat(value, width=_WIDTH, sort_dicts=False)


def _inside(arguments: tuple[str, ...]) -> Iterator[str]:
    """The arguments, each on its own line."""
    for argument in arguments:
        *lines, last = argument.split("\n")
        yield from (f"    {line}" for line in lines)
        yield f"    {last},"
