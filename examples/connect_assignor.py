"""A custom assignor for Kafka Connect: as even as possible at once, with as few stopped tasks as possible.

    kassay certify examples/connect_assignor.py

docs/exec-protocol.md describes its input and its answer; a program receives the same.
"""

META = {
    "kind": "connect-assignor",
    "claims": ["deleted-stops", "balanced-within-one", "revoke-before-assign", "stable", "deterministic"],
}


class EvenWorkers:
    """Takes work from workers that run too much, and assigns idle work to those that run the least."""

    def assign(self, cluster):
        names = [connector["name"] for connector in cluster["connectors"]]
        tasks = [f"{c['name']}-{number}" for c in cluster["connectors"] for number in range(c["tasks"])]
        workers = {worker["id"]: worker["running"] for worker in cluster["workers"]}
        changes = {worker_id: {"assigned": {}, "revoked": {}} for worker_id in workers}
        for kind, configured in (("connectors", names), ("tasks", tasks)):
            running = {worker_id: sorted(work[kind]) for worker_id, work in workers.items()}
            assigned, revoked = balanced(set(configured), running)
            for worker_id, change in changes.items():
                change["assigned"][kind] = assigned[worker_id]
                change["revoked"][kind] = revoked[worker_id]
        return {"workers": changes, "delay_ms": 0, "memory": None}


def balanced(configured, running):
    """What each worker must start and stop."""
    everywhere = [each for work in running.values() for each in work]
    kept = {
        worker_id: [each for each in work if each in configured and everywhere.count(each) == 1]
        for worker_id, work in running.items()
    }
    least, larger = divmod(len(configured), len(running))
    in_order = sorted(running, key=lambda worker_id: (-len(kept[worker_id]), worker_id))
    share = {worker_id: least + (place < larger) for place, worker_id in enumerate(in_order)}
    kept = {worker_id: work[: share[worker_id]] for worker_id, work in kept.items()}
    assigned = {worker_id: [] for worker_id in running}
    for each in sorted(configured - set(everywhere)):
        room = {who: share[who] - len(kept[who]) - len(assigned[who]) for who in running}
        assigned[max(room, key=lambda who: (room[who], who))].append(each)
    revoked = {
        worker_id: [each for each in work if each not in kept[worker_id]]
        for worker_id, work in running.items()
    }
    return assigned, revoked
