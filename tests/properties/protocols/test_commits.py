"""What commits must not do, on censuses of a few lines and on what an accepted commit broke."""

from kassay.model.explore import Finding, Severity
from kassay.model.protocols.shared.census import Breach
from kassay.properties.protocols import commits
from tests.properties.protocols.test_ownership import census, client, said

TAKEN = census(client(1, 0, commits=True), client(2, 0, commits=True), adopted=((0, "c2"),))


def test_a_commit_is_fenced_once_another_has_adopted():
    assert said(commits.commits_fenced(TAKEN)) == [
        ("real", "a commit of c1 for 0 would count, though c2 has taken over")
    ]
    assert not said(commits.commits_fenced(TAKEN._replace(adopted=((0, "c1"),), beliefs=TAKEN.beliefs[:1])))


def test_offsets_never_go_back():
    assert said(commits.offsets_never_go_back(TAKEN)) == [
        ("real", "c1 can set 0 back behind what c2, its owner, commits")
    ]
    ahead = census(client(1, ahead=True))
    assert said(commits.offsets_never_go_back(ahead)) == [
        ("real", "c1 gave partitions up after processing more than it had committed")
    ]


def test_what_an_accepted_commit_broke_is_told_of_the_promise_that_it_broke():
    breach = Breach(commits.FENCED, "too late")
    assert list(commits.accepted_commits_fenced(breach)) == [Finding(Severity.REAL, "too late")]
    assert not list(commits.accepted_offsets_never_go_back(breach))
    back = Breach(commits.NEVER_BACK, "back", Severity.BY_DESIGN)
    assert list(commits.accepted_offsets_never_go_back(back)) == [Finding(Severity.BY_DESIGN, "back")]
    assert not list(commits.accepted_commits_fenced(None))


def test_no_commit_counts_while_an_assignment_is_awaited():
    assert said(commits.no_commit_while_assigning(TAKEN._replace(awaiting=True))) == [
        ("real", "a commit was accepted while the group awaited its assignment")
    ]
    assert not said(commits.no_commit_while_assigning(TAKEN))
