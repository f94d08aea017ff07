"""Looks through all subsets of the tasks for the share of each process with the fewest subtopologies, so with 30 tasks on two processes (155 million subsets) it does not answer in time."""
# expect: VIOLATED terminates
from itertools import combinations

META = {"kind": "task-assignor", "level": "process",
        "claims": ["standby-disjoint", "balanced-within-one", "standby-count", "stable", "deterministic",
                   "order-independent", "task-errors"]}

class FewSubtopologies:
    def assign(self, application):
        threads = {process["id"]: process["threads"] for process in application["processes"]}
        given = {who: {"active": [], "standby": []} for who in sorted(threads)}
        tasks = sorted(application["tasks"], key=lambda task: task["id"])
        counts = dict.fromkeys(given, 0)
        for _ in tasks:
            who = min(counts, key=lambda who: ((counts[who] + 1) / threads[who], who))
            counts[who] += 1

        def spread(chosen):
            return len({task.split("_")[0] for task in chosen})

        left = [task["id"] for task in tasks]
        for who, count in counts.items():
            given[who]["active"] = list(min(combinations(left, count), key=spread))
            left = [task for task in left if task not in set(given[who]["active"])]
        copies = min(application["num_standby_replicas"], len(threads) - 1)
        for task in (task for task in tasks if task["stateful"]):
            free = [who for who in given if task["id"] not in given[who]["active"]]
            free.sort(key=lambda who: ((len(given[who]["active"]) + len(given[who]["standby"])) / threads[who], who))
            for who in free[:copies]:
                given[who]["standby"].append(task["id"])
        return given
