"""Requests, replies and images: canonical forms, and for every request an answer of its own kind."""

from random import Random
from typing import get_args

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.requests import (
    ConsumerHeartbeat,
    JoinGroup,
    LeaveGroup,
    TopicImage,
    error_reply,
    image_of,
    partitions,
)


def test_partitions_are_sorted_without_repeats_whatever_they_come_as():
    for seed in range(60):
        rng = Random(seed)
        pairs = [(rng.choice("ab"), rng.randrange(4)) for _ in range(rng.randint(0, 6))]
        canonical = partitions(pairs)
        assert list(canonical) == sorted(set(pairs))
        assert all(type(tp) is TopicPartition for tp in canonical)
        assert partitions(canonical) == partitions(pairs[::-1]) == canonical


def test_an_image_lists_topics_by_name_under_ids_of_their_own():
    assert image_of([("b", 1), ("a", 2)]) == (TopicImage("a", "a", 2), TopicImage("b", "b", 1))


@pytest.mark.parametrize("kind", get_args(requests.Request), ids=lambda kind: kind.__name__)
def test_every_request_has_an_error_reply_of_its_kind(kind):
    args = {LeaveGroup: (0, ()), JoinGroup: (0, "m", ())}.get(kind, (0, "m", 1))
    reply = error_reply(kind(*args), errors.NOT_COORDINATOR)
    assert type(reply).__name__ == f"{kind.__name__}Reply"
    assert reply.error == errors.NOT_COORDINATOR
    assert type(reply) in get_args(requests.ReplyBody)


@pytest.mark.parametrize(
    ("epoch", "sent", "full"),
    [
        (0, {}, True),
        (3, {}, False),
        (3, {"rebalance_timeout": 9, "subscribed_topic_names": (), "topic_partitions": ()}, True),
        (3, {"rebalance_timeout": 9, "subscribed_topic_names": ()}, False),
        (3, {"rebalance_timeout": 9, "topic_partitions": ()}, False),
        (3, {"subscribed_topic_names": (), "topic_partitions": ()}, False),
    ],
)
def test_a_heartbeat_is_full_if_it_joins_or_says_everything(epoch, sent, full):
    assert ConsumerHeartbeat(0, "m", epoch, **sent).full is full
