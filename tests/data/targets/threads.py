# ruff: noqa
"""Task assignors that deal evenly by thread: a sound one of each level, and faulty ones by their fault."""


class ByProcess:
    META = {
        "level": "process",
        "claims": [
            *("standby-disjoint", "standby-count", "warm-ups", "task-errors", "balanced-within-one"),
            *("balanced-optimal", "stateful-balanced", "fixed-point", "stable", "converges:2"),
            *("deterministic", "order-independent"),
        ],
    }

    def configure(self, config):
        self.fault = config.get("fault")

    def assign(self, application):
        fault, processes = self.fault, application["processes"]
        ids = sorted(p["id"] for p in processes)
        if fault == "goes by the list":
            ids = [p["id"] for p in processes]
        threads = {p["id"]: 1 if fault == "counts no threads" else p["threads"] for p in processes}
        given = {p: {"active": [], "standby": []} for p in ids}
        copies = application["num_standby_replicas"]

        def weight(p, *roles):
            return (1 + sum(len(given[p][role]) for role in roles)) / threads[p]

        tasks = sorted(application["tasks"], key=lambda task: (not task["stateful"], task["id"]))
        before = {t: p["id"] for p in processes for t in p["active"]}
        if fault == "deals what is new from the other end" and len(before) < len(tasks):
            tasks = [*reversed([t for t in tasks if t["stateful"]]), *(t for t in tasks if not t["stateful"])]
        for task in tasks:
            taker = min(ids, key=lambda p: weight(p, "active"))
            if fault == "gives all state to one" and task["stateful"]:
                taker = ids[0]
            if fault == "gives all to one":
                taker = ids[-1]
            if fault == "hands each task on" and before.get(task["id"]) in ids:
                taker = ids[(ids.index(before[task["id"]]) + 1) % len(ids)]
            given[taker]["active"].append(task["id"])
        for task in tasks:
            free = [p for p in ids if task["id"] not in given[p]["active"]]
            if fault != "keeps copies by name":
                free.sort(key=lambda p: weight(p, "active", "standby"))
            wanted = copies if task["stateful"] else 0
            if fault == "keeps a copy too few":
                wanted -= 1
            if fault == "keeps copies everywhere" and task["stateful"]:
                wanted = len(ids)
            if fault == "copies what has no state" and not task["stateful"]:
                wanted = 1
            for p in free[: max(wanted, 0)]:
                given[p]["standby"].append(task["id"])
        if fault == "warms everything up at first" and not any(p["active"] for p in processes):
            for p in ids:
                lacks = {task["id"] for task in tasks if task["stateful"]} - {*given[p]["active"]}
                given[p] = {"active": given[p]["active"], "standby": sorted(lacks), "followup_ms": 0}
        if fault == "leaves out who has nothing":
            return {p: tasks for p, tasks in given.items() if tasks["active"] or tasks["standby"]}
        return given


class ByMember:
    META = {
        "level": "member",
        "claims": [
            *("standby-disjoint", "standby-count", "task-errors", "stateful-balanced"),
            *("fixed-point", "stable", "converges:2", "deterministic", "order-independent"),
        ],
    }

    def assign(self, group):
        process = {m["id"]: m["process_id"] for m in group["members"]}
        given = {m: {"active": [], "standby": []} for m in sorted(process)}
        inside = {p: set() for p in process.values()}

        def load(m):
            return len(given[m]["active"]) + len(given[m]["standby"])

        subtopologies = sorted(group["subtopologies"], key=lambda s: (not s["stateful"], s["id"]))
        tasks = [(f"{s['id']}_{p}", s["stateful"]) for s in subtopologies for p in range(s["partitions"])]
        for task, _ in tasks:
            m = min(given, key=load)
            given[m]["active"].append(task)
            inside[process[m]].add(task)
        for task in (task for task, stateful in tasks if stateful):
            for _ in range(group["num_standby_replicas"]):
                free = [m for m in given if task not in inside[process[m]]]
                if free:
                    m = min(free, key=load)
                    given[m]["standby"].append(task)
                    inside[process[m]].add(task)
        return given
