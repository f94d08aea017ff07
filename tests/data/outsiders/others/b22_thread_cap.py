"""Counts at most four threads of a process, so next to one of four a process of sixteen threads gets no more tasks, and its threads idle."""
# expect: VIOLATED balanced-within-one

META = {"kind": "task-assignor", "level": "process",
        "claims": ["standby-disjoint", "balanced-within-one", "standby-count", "stable", "deterministic",
                   "order-independent", "task-errors"]}

class Capped:
    """Deals the tasks to the process with the fewest per thread."""

    USEFUL_THREADS = 4

    def assign(self, application):
        threads = {process["id"]: process["threads"] for process in application["processes"]}
        given = {who: {"active": [], "standby": []} for who in sorted(threads)}
        threads = {who: min(count, self.USEFUL_THREADS) for who, count in threads.items()}
        tasks = sorted(application["tasks"], key=lambda task: task["id"])
        for task in tasks:
            who = min(given, key=lambda who: ((len(given[who]["active"]) + 1) / threads[who], who))
            given[who]["active"].append(task["id"])
        copies = min(application["num_standby_replicas"], len(threads) - 1)
        for task in (task for task in tasks if task["stateful"]):
            free = [who for who in given if task["id"] not in given[who]["active"]]
            free.sort(key=lambda who: ((len(given[who]["active"]) + len(given[who]["standby"])) / threads[who], who))
            for who in free[:copies]:
                given[who]["standby"].append(task["id"])
        return given
