"""Right although connectors and tasks share one table of owners: an entry is the pair of kind and name, so a task `sink-1` and a connector `sink-1` are two."""
# expect: CERTIFIED
from collections import Counter

META = {"kind": "connect-assignor",
        "claims": ["deleted-stops", "balanced-within-one", "revoke-before-assign", "stable", "deterministic"]}

def share(kind, work, running, runs):
    """What each worker starts and stops; what runs twice stops everywhere and returns in the next round."""
    least, more = divmod(len(work), len(running))
    kept = {who: [x for x in sorted(some) if x in work and runs[kind, x] == 1] for who, some in running.items()}
    rich = sorted(kept, key=lambda who: (-len(kept[who]), who))
    room = {who: least + (place < more) for place, who in enumerate(rich)}
    kept = {who: kept[who][:room[who]] for who in kept}
    new = {who: [] for who in kept}
    for x in sorted(work):
        if not runs[kind, x]:
            who = max(sorted(kept), key=lambda who: room[who] - len(kept[who]) - len(new[who]))
            new[who].append(x)
    return new, {who: [x for x in running[who] if x not in kept[who]] for who in kept}


class OneTable:
    def assign(self, cluster):
        configured = {"connectors": {c["name"] for c in cluster["connectors"]},
                      "tasks": {f"{c['name']}-{n}" for c in cluster["connectors"] for n in range(c["tasks"])}}
        workers = {worker["id"]: worker["running"] for worker in cluster["workers"]}
        answer = {who: {"assigned": {}, "revoked": {}} for who in workers}
        runs = Counter((kind, x) for some in workers.values() for kind in ("connectors", "tasks") for x in some[kind])
        for kind, work in configured.items():
            new, gone = share(kind, work, {who: workers[who][kind] for who in workers}, runs)
            for who in workers:
                answer[who]["assigned"][kind] = new[who]
                answer[who]["revoked"][kind] = gone[who]
        return {"workers": answer, "delay_ms": 0, "memory": None}
