"""Finds the connector of a running task by a prefix of its name, so after the connector `sink-eu` is deleted its tasks belong to the remaining `sink` and run for ever."""
# expect: VIOLATED deleted-stops
from collections import Counter

META = {"kind": "connect-assignor",
        "claims": ["deleted-stops", "balanced-within-one", "revoke-before-assign", "stable", "deterministic"]}

def share(work, running, runs):
    """What each worker starts and stops; what runs twice stops everywhere and returns in the next round."""
    least, more = divmod(len(work), len(running))
    kept = {who: [x for x in sorted(some) if x in work and runs[x] == 1] for who, some in running.items()}
    rich = sorted(kept, key=lambda who: (-len(kept[who]), who))
    room = {who: least + (place < more) for place, who in enumerate(rich)}
    kept = {who: kept[who][:room[who]] for who in kept}
    new = {who: [] for who in kept}
    for x in sorted(work):
        if not runs[x]:
            who = max(sorted(kept), key=lambda who: room[who] - len(kept[who]) - len(new[who]))
            new[who].append(x)
    return new, {who: [x for x in running[who] if x not in kept[who]] for who in kept}


class Prefix:
    def assign(self, cluster):
        configured = {"connectors": {c["name"] for c in cluster["connectors"]},
                      "tasks": {f"{c['name']}-{n}" for c in cluster["connectors"] for n in range(c["tasks"])}}
        workers = {worker["id"]: worker["running"] for worker in cluster["workers"]}
        answer = {who: {"assigned": {}, "revoked": {}} for who in workers}
        limits = {c["name"]: c["tasks"] for c in cluster["connectors"]}

        def alive(task):
            number = int(task.rsplit("-", 1)[1])
            return any(task.startswith(name + "-") and number < limit for name, limit in limits.items())

        configured["tasks"] |= {x for some in workers.values() for x in some["tasks"] if alive(x)}
        for kind, work in configured.items():
            running = {who: workers[who][kind] for who in workers}
            new, gone = share(work, running, Counter(x for some in running.values() for x in some))
            for who in workers:
                answer[who]["assigned"][kind] = new[who]
                answer[who]["revoked"][kind] = gone[who]
        return {"workers": answer, "delay_ms": 0, "memory": None}
