"""Remembers for the life of the host how many tasks each process gets, by the numbers of tasks, processes and threads in total, so when threads go from 1+3 to 3+1, or for a second application, the shares are those of others."""
# expect: VIOLATED balanced-within-one

META = {"kind": "task-assignor", "level": "process",
        "claims": ["standby-disjoint", "balanced-within-one", "standby-count", "stable", "deterministic",
                   "order-independent", "task-errors"]}

SHARES = {}


def shares(tasks, threads):
    entry = (tasks, len(threads), sum(threads))
    if entry not in SHARES:
        counts = [0] * len(threads)
        for _ in range(tasks):
            least = min(range(len(threads)), key=lambda k: ((counts[k] + 1) / threads[k], k))
            counts[least] += 1
        SHARES[entry] = counts
    return SHARES[entry]


class Shares:
    def assign(self, application):
        threads = {process["id"]: process["threads"] for process in application["processes"]}
        given = {who: {"active": [], "standby": []} for who in sorted(threads)}
        tasks = sorted(application["tasks"], key=lambda task: task["id"])
        dealt = iter(tasks)
        for who, count in zip(given, shares(len(tasks), [threads[who] for who in given])):
            given[who]["active"] = [next(dealt)["id"] for _ in range(count)]
        copies = min(application["num_standby_replicas"], len(threads) - 1)
        for task in (task for task in tasks if task["stateful"]):
            free = [who for who in given if task["id"] not in given[who]["active"]]
            free.sort(key=lambda who: ((len(given[who]["active"]) + len(given[who]["standby"])) / threads[who], who))
            for who in free[:copies]:
                given[who]["standby"].append(task["id"])
        return given
