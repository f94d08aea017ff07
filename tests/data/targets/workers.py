# ruff: noqa
"""Assignors of Kafka Connect: a sound one that waits for workers who left, and faulty ones by what they break."""

KINDS = ("connectors", "tasks")
META = {"kind": "connect-assignor", "claims": ["deleted-stops", "balanced-within-one", "lost-returns"]}


class Waits:
    """Remembers when work was missed first, and gives it to others once the delay is over."""

    def configure(self, config):
        self.fault = config.get("fault")

    def assign(self, cluster):
        now, memory = cluster["now_ms"], cluster["memory"] or {"ran": [], "until": {}}
        running = {w["id"]: w["running"] for w in cluster["workers"]}
        somewhere = {each for work in running.values() for kind in KINDS for each in work[kind]}
        until = {
            each: memory["until"].get(each, now + cluster["max_delay_ms"])
            for each in memory["ran"]
            if each not in somewhere
        }
        waiting = {each for each, end in until.items() if end > now}
        names = [c["name"] for c in cluster["connectors"]]
        tasks = [f"{c['name']}-{n}" for c in cluster["connectors"] for n in range(c["tasks"])]
        waiting &= {*names, *tasks}
        changes = {w: {"assigned": {}, "revoked": {}} for w in running}
        kept = set()
        for kind, configured in zip(KINDS, (names, tasks)):
            work = {w: sorted(set(running[w][kind])) for w in running}
            everywhere = [each for own in work.values() for each in own]
            wanted = set(configured) - (waiting - set(everywhere))
            keep = {
                w: [e for e in own if e in wanted and everywhere.count(e) == 1] for w, own in work.items()
            }
            least, larger = divmod(len(wanted), len(work))
            order = sorted(work, key=lambda w: (-len(keep[w]), w))
            share = {w: least + (place < larger) for place, w in enumerate(order)}
            keep = {w: own[: share[w]] for w, own in keep.items()}
            start = {w: [] for w in work}
            for each in sorted(wanted - set(everywhere)):
                start[max(order, key=lambda w: share[w] - len(keep[w]) - len(start[w]))].append(each)
            for w in work:
                changes[w]["assigned"][kind] = start[w]
                changes[w]["revoked"][kind] = [e for e in work[w] if e not in keep[w]]
                kept |= {*start[w], *keep[w]}
        delay = min((until[each] - now for each in waiting), default=0)
        memory = {"ran": sorted(kept | waiting), "until": {each: until[each] for each in sorted(waiting)}}
        first = min(changes)
        if self.fault == "starts everything twice":
            for change in changes.values():
                change["assigned"] = {"connectors": names, "tasks": tasks}
        elif self.fault == "leaves work lying":
            changes[first]["assigned"] = {}
        elif self.fault == "leaves what is deleted running":
            for change in changes.values():
                change["revoked"] = {}
        elif self.fault == "waits anew":
            memory["until"] = {}
        elif self.fault == "invents a worker":
            changes["nobody"] = {}
        elif self.fault == "remembers a set":
            memory = {"ran": kept}
        elif self.fault == "waits by text":
            delay = "soon"
        elif self.fault == "changes its input":
            cluster["workers"][0]["running"]["tasks"].append("x-0")
        return {"workers": changes, "delay_ms": delay, "memory": memory}
