# ruff: noqa
"""A task assignor that spreads copies over client tags by what they share, and faulty ones by their fault."""


class BySharing:
    META = {
        "level": "process",
        "claims": ["standby-tags", "standby-disjoint", "standby-count", "task-errors", "deterministic"],
    }

    def configure(self, config):
        self.fault = config.get("fault")

    def assign(self, application):
        processes = {p["id"]: p for p in application["processes"]}
        ids, keys = sorted(processes), application.get("rack_aware_assignment_tags", [])
        if self.fault == "knows one tag":
            keys = keys[:1]
        if self.fault == "knows no tags":
            keys = []
        tags = {p: processes[p]["client_tags"] for p in ids}
        values = {key: {own[key] for own in tags.values() if key in own} for key in keys}
        given = {p: {"active": [], "standby": []} for p in ids}
        copies = min(application["num_standby_replicas"], len(ids) - 1)
        for number, task in enumerate(sorted(application["tasks"], key=lambda task: task["id"])):
            taken = [ids[number % len(ids)]]
            given[taken[0]]["active"].append(task["id"])
            for _ in range(copies if task["stateful"] else 0):
                beside = taken[:1] if self.fault == "forgets the other copies" else taken

                def shares(p):
                    count = len(taken)
                    if self.fault == "never gives a tag up":
                        return any(tags[p].get(k) == tags[q].get(k) for k in keys for q in taken)
                    left = [key for key in keys if len(values[key]) > count]
                    return sum(any(tags[p].get(k) == tags[q].get(k) for q in beside) for k in left)

                free = [p for p in ids if p not in taken]
                best = min(free, key=lambda p: (shares(p), len(given[p]["standby"]), p))
                given[best]["standby"].append(task["id"])
                taken.append(best)
        return given
