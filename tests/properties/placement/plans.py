"""Valid plans out of a source of choices."""

from kassay.model.cluster import TopicPartition
from kassay.model.placement.plan import Move, Plan
from kassay.properties.placement.replicas import rack_rule
from kassay.properties.placement.scenarios import SMALL, brokers, replicas
from kassay.properties.sources import many


def plan(source, profile=SMALL):
    """A valid plan: each move is from a host to another broker, and keeps the rack rule if it held."""
    hosts = brokers(source, profile)
    factor = min(len(hosts), source.integer(1, 3))
    rows = many(source, 1, 4, lambda _: replicas(source, hosts, factor), 0.6)
    now = {TopicPartition("t", number): row for number, row in enumerate(rows)}
    before = tuple(now.items())
    moves = []
    for _ in many(source, 0, 6, lambda i: i, 0.7):
        partition = source.choice(list(now))
        able = _valid_moves(partition, now[partition], hosts)
        if able:
            move = source.choice(able)
            moves.append(move)
            now[partition] = move.exchanged(now[partition])
    return Plan(hosts, before, tuple(moves), factor)


def _valid_moves(partition, row, hosts):
    """The moves of one replica after which the partition keeps the rack rule."""
    moves = [Move(partition, old, new.broker_id) for old in row for new in hosts if new.broker_id not in row]
    if any(broker.rack is None for broker in hosts):
        return moves
    racks = {broker.broker_id: broker.rack for broker in hosts}
    rule = rack_rule(hosts, len(row))
    return [move for move in moves if not rule.broken_by(move.exchanged(row), racks)]
