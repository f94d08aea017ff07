"""Right although it shuffles the processes: the generator is a new one at each call, its seed a constant, and what it shuffles is sorted first."""
# expect: CERTIFIED
import random

META = {"kind": "task-assignor", "level": "process",
        "claims": ["standby-disjoint", "balanced-within-one", "standby-count", "stable", "deterministic",
                   "order-independent", "task-errors"]}

class Shuffled:
    def assign(self, application):
        threads = {process["id"]: process["threads"] for process in application["processes"]}
        given = {who: {"active": [], "standby": []} for who in sorted(threads)}
        order = sorted(threads)
        random.Random(42).shuffle(order)
        rank = {who: place for place, who in enumerate(order)}
        tasks = sorted(application["tasks"], key=lambda task: task["id"])
        for task in tasks:
            who = min(given, key=lambda who: ((len(given[who]["active"]) + 1) / threads[who], rank[who]))
            given[who]["active"].append(task["id"])
        copies = min(application["num_standby_replicas"], len(threads) - 1)
        for task in (task for task in tasks if task["stateful"]):
            free = [who for who in given if task["id"] not in given[who]["active"]]
            free.sort(key=lambda who: ((len(given[who]["active"]) + len(given[who]["standby"])) / threads[who], who))
            for who in free[:copies]:
                given[who]["standby"].append(task["id"])
        return given
