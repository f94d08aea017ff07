"""Chooses the process of a copy from a set without a rule for ties, so the choice depends on the hash seed of the leader's process and standbys move when another one leads."""
# expect: VIOLATED deterministic

META = {"kind": "task-assignor", "level": "process",
        "claims": ["standby-disjoint", "balanced-within-one", "standby-count", "stable", "deterministic",
                   "order-independent", "task-errors"]}

class Ties:
    """Assigns tasks to the process with the fewest per thread."""

    def assign(self, application):
        threads = {process["id"]: process["threads"] for process in application["processes"]}
        given = {who: {"active": [], "standby": []} for who in sorted(threads)}
        def load(who, *roles):
            return sum(len(given[who][role]) for role in roles) / threads[who]

        tasks = sorted(application["tasks"], key=lambda task: task["id"])
        for task in tasks:
            who = min(given, key=lambda each: load(each, "active"))
            given[who]["active"].append(task["id"])
        copies = min(application["num_standby_replicas"], len(threads) - 1)
        for task in (task for task in tasks if task["stateful"]):
            free = {who for who in threads if task["id"] not in given[who]["active"]}
            for _ in range(copies):
                who = min(free, key=lambda each: load(each, "active", "standby"))
                given[who]["standby"].append(task["id"])
                free.remove(who)
        return given
