"""Reads the number of a task's partition from the last character of its id, so in topics with more than ten partitions `0_11` replaces `0_1` and is the only one of them that runs."""
# expect: VIOLATED complete

META = {"kind": "task-assignor", "level": "process",
        "claims": ["standby-disjoint", "balanced-within-one", "standby-count", "stable", "deterministic",
                   "order-independent", "task-errors"]}

class ByNumber:
    """Deals the tasks in the order of their numbers to the process with the fewest per thread."""

    def assign(self, application):
        threads = {process["id"]: process["threads"] for process in application["processes"]}
        given = {who: {"active": [], "standby": []} for who in sorted(threads)}
        numbered = {}
        for task in sorted(application["tasks"], key=lambda task: task["id"]):
            subtopology = int(task["id"].split("_")[0])
            partition = int(task["id"][-1])
            numbered[subtopology, partition] = task
        tasks = [numbered[number] for number in sorted(numbered)]
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
