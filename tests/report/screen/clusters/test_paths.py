"""Rolling restarts on screen: settings to copy, what is in force, the way back."""

import io

from kassay.certify.clusters.rolling_group import ClientSetting
from kassay.certify.clusters.rollout import Members, Rollout, rollout
from kassay.certify.targets.resolve import resolve
from kassay.report.screen.clusters.paths import paths_in_short, paths_view
from kassay.report.screen.console import console, stack


def shown(view):
    file = io.StringIO()
    console(file=file).show(stack(*view))
    return file.getvalue()


def test_each_step_says_what_to_set_what_is_in_force_and_the_way_back():
    text = shown(paths_view([rollout(resolve("range"), resolve("cooperative-sticky"), Members(6, 0))]))
    assert "       partition.assignment.strategy=cooperative-sticky,range\n" in text
    assert "range in force for 5 restarts, cooperative-sticky once the last is back; 12 rebalances" in text
    assert "after 1 restart at most, then a member is refused" in text
    assert "not safe: partition.assignment.strategy=cooperative-sticky: a member is refused with" in text


def test_the_brokers_policy_comes_first():
    text = shown(paths_view([rollout(resolve("range"), resolve("uniform"), Members(6, 0))]))
    assert text.index("group.consumer.migration.policy=bidirectional\n") < text.index(
        "  1. restart 6 members"
    )


def test_without_a_safe_way_that_is_said_and_without_a_change_too():
    lost = Rollout(ClientSetting(("a",)), ClientSetting(("b",)), (), False, 3, (), (("x", "SOME_ERROR"),))
    assert "no safe rolling restart" in shown(paths_view([lost]))
    assert "no safe rolling restart" in shown(paths_in_short([lost]))
    same = rollout(resolve("range"), resolve("range"), Members(3, 0))
    assert "that is how the members are configured now" in shown(paths_view([same]))
    assert "range" not in shown(paths_in_short([same]))
