"""What would become of a group, on screen: labels, warnings, hostile names."""

import io

from kassay.certify.clusters.whatif import what_if
from kassay.certify.targets.resolve import resolve
from kassay.report.screen.clusters.what_if import what_if_view
from kassay.report.screen.console import console
from tests.certify.clusters.cluster import observed, offsets, topics


def shown(*texts, specs=("range",)):
    file = io.StringIO()
    console(file=file).show(what_if_view(what_if(observed(*texts), [resolve(spec) for spec in specs]), None))
    return file.getvalue()


def test_today_comes_first_then_each_candidate_then_the_optimum():
    text = shown(offsets({"a": ["t-0", "t-1"], "b": []}), topics({"t": 3}))
    lines = [line.split()[0] for line in text.splitlines() if line.strip()]
    assert lines[0] == "group"
    assert [word for word in lines if word in ("today", "range", "optimum")] == ["today", "range", "optimum"]
    assert "0 to 2 partitions a member, spread 2; the busiest is c-a with 2; 1 member idle: c-b" in text
    assert "1 partition unowned now: the optimum gives t-2 to c-b" in text


def test_names_that_a_terminal_would_obey_are_shown():
    text = shown(offsets({"\x1b[31ma": ["t-0"], "b": ["t-1"]}))
    assert "\x1b" not in text
