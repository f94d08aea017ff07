"""From counts to verdicts."""

from kassay.certify.runs.verdicts import Candidate, ClaimCount, Tally, verdict_of
from kassay.model.kinds import Kind
from kassay.model.verdict import Verdict
from kassay.properties.registry import promise


def test_verdicts_need_enough_judgements_and_every_situation():
    found = promise("balanced-within-one", Kind.CLIENT)
    enough = found.claim.minimum
    tally = Tally(histories=9, counts={found.id: ClaimCount(checked=enough)})
    verdict, why = verdict_of(found, Kind.CLIENT, tally, frozenset())
    assert (verdict, "not reached" in why) == (Verdict.UNKNOWN, True)
    few = Tally(counts={found.id: ClaimCount(checked=enough - 1)})
    assert verdict_of(found, Kind.CLIENT, few, frozenset())[0] is Verdict.UNKNOWN
    assert verdict_of(found, Kind.CLIENT, Tally(), frozenset())[1] == "never judged"
    worst = Candidate(False, (0,), 3, {})
    bad = Tally(histories=9, counts={found.id: ClaimCount(checked=1, failed=1, worst=worst)})
    assert verdict_of(found, Kind.CLIENT, bad, frozenset())[0] is Verdict.VIOLATED
    assert verdict_of(found, Kind.CLIENT, few, frozenset(), exhaustive="2x2")[0] is Verdict.HOLDS
