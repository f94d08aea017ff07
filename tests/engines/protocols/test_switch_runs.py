"""Scenario 66: every switch is found at its bound by what it is to be found by, and nothing with all off."""

import pytest

from kassay.engines.protocols.known import read_known, unknown
from kassay.engines.protocols.switch_runs import names_of, row
from kassay.engines.protocols.switches import SWITCHES
from kassay.model.kinds import Verdict
from kassay.model.protocols.values.releases import RELEASES
from tests.explored import BASELINE
from writers.switches import RUNS, document, lines

HEAVY = {"sticky_no_generation", "label_agen", "pend_reassign_loses_epoch", "pending_blocks_forever"}
SLOWER = {
    "static_downgrade_never_rebalances",
    "recompute_on_new_target",
    "no_abort_on_rejoin",
    "no_lost_on_reset",
    "dup_claim_unchecked",
    "naive_validation",
    "revocation_counts_up",
}

LINES = lines(RUNS.read_text(encoding="utf-8"))


def marked(names):
    found = []
    for name in names:
        marks = [pytest.mark.exhaustive] if name in HEAVY else [pytest.mark.slow] if name in SLOWER else []
        found.append(pytest.param(name, marks=marks))
    return found


@pytest.mark.slow_cases(
    "commits_out_of_group",
    "created_topics_unseen",
    "failed_expiry_dropped",
    "lost_resolutions_forgotten",
    "matched_topics_unwatched",
    "metadata_revert_no_rejoin",
    "no_generation_fence",
    "partition_epochs_expected",
    "reset_mid_on_retriable",
    "simple_group_kept",
    "streams_commits_out_of_group",
    "streams_no_abort",
    "streams_process_ignored",
    "streams_refined_not_relabelled",
    "streams_standbys_kept",
    "streams_topics_unwatched",
    "subscription_ignored",
    "tombstones_need_owners",
    "zero_bytes_refused",
)
@pytest.mark.parametrize("name", marked(SWITCHES))
def test_scenario_66_each_switch_is_found_and_nothing_without_it_as_its_line_says(name):
    """A switch is walked once, for all that is said of it: `docs/switches/runs.csv` has what was found."""
    walked = row(name)
    assert walked.on.caught, f"{name} showed {walked.on.sightings} in {walked.on.states} states"
    assert all(seen.length > 0 for seen in walked.on.shown)
    assert walked.off.result.exploration.limit is None
    assert {seen.kind for seen in walked.off.sightings} == {*walked.switch.known}
    assert walked.off.result.verdict is (Verdict.VIOLATED if walked.switch.known else Verdict.HOLDS)
    assert unknown(read_known(BASELINE), walked.switch.model, walked.switch.known) == []
    assert (walked.alone is not None) == bool(SWITCHES[name].along)
    if walked.alone is not None:
        assert walked.alone.result.exploration.limit is None
        assert not walked.alone.shown
    assert walked.holds
    (line,) = lines(document([walked])).values()
    assert line == LINES[name], "regenerate it: python docs/writers/switches.py > docs/switches/runs.csv"


def test_an_older_release_has_the_switches_whose_bounds_it_knows():
    older = set(names_of(None, "2024-10"))
    models = {SWITCHES[name].model for name in older}
    assert models == {"classic", "kip848"}
    assert not older & RELEASES["2024-10"]
    assert "subscriptions_pooled" in older
    assert "resolution_bumps_nothing" not in older, "no regular expressions there"
    assert set(names_of(None)) == set(SWITCHES)
