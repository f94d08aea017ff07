"""The findings about Kafka's rules and client libraries': each trace in `docs/traces` replays and is listed in the docs."""

import re

import pytest

from kassay.engines.runs.replay import load_trace, read_trace, replay
from kassay.engines.targets.node import LIBRARIES
from tests import npm
from tests.docs.markdown import rows
from tests.paths import BASELINE, DOCS

PAGE = (DOCS / "findings.md").read_text(encoding="utf-8")
TRACES = sorted((DOCS / "traces").glob("*.json"))


NOT_DECLARED = {
    ("streams-group-sticky@4.4", "sticky-by-member"),
    ("streams-group-sticky@4.4", "sticky-standbys"),
}
"""What the table of broken claims does not list."""


def about(target, title):
    """Whether the section with this title is about the target; about the last one of a mixed group."""
    library, _, rule = target.rpartition(",")[2].rpartition(":")
    names = ("aiokafka", "kafka-python", "kafkajs", "platformatic", "partitioner")
    assert library in ("", *names)
    if library in ("", "partitioner"):
        full = f"{library}:{rule}" if library else rule
        return title.startswith((f"{full}: ", f"{full.partition('@')[0]}: ")) or title == full
    return library in title.partition(": ")[0] and f"`{rule}`" in title


def broken():
    """The claims that the page's table lists, by target."""
    claims = {}
    for row in rows(PAGE):
        base, *releases = row["target"].split(", ") if "@" in row["target"] else [row["target"]]
        rule = base.partition("@")[0]
        for target in (base, *(f"{rule}{release}" for release in releases)):
            claims[target] = {*f"{row['ordinary input']}, {row['conflicting input']}".split(", ")}
    return claims


def replayable(path):
    """The trace, with the mark of what it takes to play it."""
    marks = {
        "aiokafka": pytest.mark.aiokafka,
        "kafkajs": pytest.mark.node,
        "platformatic": pytest.mark.node,
    }
    return pytest.param(
        path, marks=[marks[part] for part in path.stem.split("_") if part in marks], id=path.stem
    )


@pytest.mark.parametrize("path", [replayable(path) for path in TRACES])
def test_a_trace_still_shows_its_finding(path):
    if "kafka-python" in path.stem:
        pytest.importorskip("kafka")
    if (target := read_trace(path).target) in LIBRARIES:
        npm.installed(LIBRARIES[target].package)
    playback = load_trace(path)
    replayed = replay(playback)
    assert replayed.violations == playback.trace.violations
    assert list(replayed.narration) == list(playback.trace.narration)


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_the_page_links_a_trace_once_behind_its_claim_in_the_section_of_its_target(path):
    trace = read_trace(path)
    assert PAGE.count(f"(traces/{path.name})") == 1
    before = PAGE.partition(f"(traces/{path.name})")[0]
    title = re.findall(r"^## (.*)$", before, re.M)[-1]
    assert about(trace.target, title), title
    named = re.findall(r"\*\*([^*]+)\*\*", before)[-1]
    assert named == trace.claim or (named, trace.narration[-1]["connector_spread"]) == (
        "Spread of one connector",
        4,
    )


def test_the_page_links_no_trace_that_is_missing():
    assert sorted(re.findall(r"\(traces/([^)]+)\)", PAGE)) == sorted(path.name for path in TRACES)


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_the_table_lists_the_broken_claim_of_each_trace(path):
    trace = read_trace(path)
    spread = path.stem == "connect-incremental-connector-spread"
    assert bool(trace.violations) is not spread
    assert trace.claim in broken()[trace.target] or (trace.target, trace.claim) in NOT_DECLARED


def test_every_finding_of_the_baseline_has_a_trace():
    from kassay.engines.runs.baseline import read_baseline

    known = {(e.target, e.claim) for e in read_baseline(BASELINE)}
    assert known <= {(trace.target, trace.claim) for trace in map(read_trace, TRACES)}
