"""From one client library to another: who can share a group, and what each sends without any setting."""

import itertools

import pytest

from kassay.engines.clusters.clients.change import CONSUMER, ClientChange, default_rows
from kassay.engines.clusters.clients.rules import client_named, client_names, measured_clients
from kassay.report.screen.client_change import together
from tests.cli.runner import valid

PAIRS = list(itertools.combinations(client_names(), 2))


def change(old, new, assignor=None):
    return ClientChange(client_named(old), client_named(new), assignor)


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_a_pair_is_the_same_from_both_sides(old, new):
    there, back = change(old, new), change(new, old)
    assert there.shared == back.shared and set(there.common) == set(back.common)
    assert [run.first for run in there.runs] == [run.first[::-1] for run in back.runs]
    assert [row[1:] for row in default_rows(there)] == [row[:0:-1] for row in default_rows(back)]
    valid(there.to_json(), "client-change-1")
    assert list(together(there))


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_only_assignors_with_which_both_join_were_measured(old, new):
    for run in change(old, new).runs:
        for each in (old, new):
            rules = client_named(each).rules
            assert rules.consumer.setting if run.assignor == CONSUMER else run.assignor in rules.joins


def test_every_pair_with_an_assignor_of_both_was_measured():
    for old, new in PAIRS:
        joins = [set(client_named(each).rules.joins) for each in (old, new)]
        measured = {run.assignor for run in change(old, new).runs} - {CONSUMER}
        assert measured == joins[0] & joins[1], (old, new)
    assert sum(len(rows) for rows in measured_clients().pairs.values()) > 70


def test_sarama_and_franz_go_share_range_but_not_without_a_setting():
    both = change("sarama", "franz-go")
    assert both.common == () and {"range", "roundrobin", "sticky"} == {*both.shared}
    assert both.setting_of("range") == "kgo.Balancers(kgo.RangeBalancer())"
    assert both.present == "range" and change("sarama", "franz-go", "sticky").present == "sticky"


@pytest.mark.parametrize("new", ["segmentio", "platformatic", "kafkajs"])
def test_the_same_name_does_not_mean_one_group(new):
    assert "roundrobin" not in change("java", new).shared
