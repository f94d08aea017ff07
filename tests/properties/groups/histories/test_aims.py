"""Aimed histories reach what they aim at, each time, whatever else is drawn."""

import pytest

from kassay.engines.targets.resolve import resolve
from kassay.kinds.judging import Subject
from kassay.kinds.registry import driver_for
from kassay.model.groups.kinds import CLIENT, SERVER, SHARE
from kassay.properties.claims import parse_claim
from kassay.properties.groups.histories.aims import AIMS, aimed_history
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.registry import situations_of
from kassay.properties.sources import Seeded

SEEDS = 12
OF_SHARE_GROUPS = {name for each in situations_of(SHARE) if CLIENT not in each.kinds for name in each.names}
OF_SERVERS = {name for situation in situations_of(SERVER) for name in situation.names} & AIMS.keys()


def reached(aim, seed, target, **profile):
    driver = driver_for(target.kind)
    subject = Subject(target.open().new, target.protocol, (parse_claim("complete", target.kind),))
    case = aimed_history(Seeded(seed), GroupProfile(kind=target.kind, **profile), aim)
    return driver.examine(case, subject).reached.keys()


@pytest.mark.parametrize("name", sorted(AIMS))
def test_every_history_of_a_recipe_is_in_its_situation(name):
    special = {"failed-sync": "optimal-cooperative", **dict.fromkeys(OF_SHARE_GROUPS, "optimal-share")}
    target = resolve(special.get(name, "optimal-sticky"))
    assert all(name in reached(AIMS[name], seed, target) for seed in range(SEEDS))


@pytest.mark.parametrize("name", sorted(OF_SERVERS))
def test_on_the_coordinator_too(name):
    target = resolve("uniform")
    assert all(name in reached(AIMS[name], seed, target) for seed in range(SEEDS // 3))


def test_a_quiet_end_is_drawn_by_its_chance():
    target = resolve("optimal-cooperative")
    assert "no-change" not in reached("disjoint", 1, target)
    assert "no-change" in reached("disjoint", 1, target, quiet=1.0)


def test_a_recipe_leaves_the_rest_open():
    for aim in set(AIMS.values()):
        drawn = {str(aimed_history(Seeded(seed), GroupProfile(), aim)) for seed in range(SEEDS)}
        assert len(drawn) > SEEDS // 2, aim


def test_only_clients_have_static_members():
    for seed in range(SEEDS):
        joins = [
            change[0]
            for change in aimed_history(Seeded(seed), GroupProfile(kind=SERVER), "static-mix:SSD").changes
        ]
        assert all(join.member.instance_id is None for join in joins)


def test_an_unknown_recipe_is_an_error():
    with pytest.raises(KeyError):
        aimed_history(Seeded(0), GroupProfile(), "no-such-thing")
