"""A custom Streams task assignor that assigns tasks to processes, by the interface of KIP-924.

    kassay certify examples/task_assignor.py

docs/exec-protocol.md describes its input and its answer; a program receives the same.
"""

META = {
    "kind": "task-assignor",
    "level": "process",
    "claims": ["standby-disjoint", "balanced-within-one", "stable", "deterministic", "order-independent"],
}


class EvenProcesses:
    """Assigns tasks to the process with the fewest per thread."""

    def assign(self, application):
        threads = {process["id"]: process["threads"] for process in application["processes"]}
        given = {process_id: {"active": [], "standby": []} for process_id in threads}

        def load(process_id, *roles):
            tasks = sum(len(given[process_id][role]) for role in roles)
            return tasks / threads[process_id], process_id

        tasks = sorted(application["tasks"], key=lambda task: task["id"])
        for task in tasks:
            process_id = min(threads, key=lambda each: load(each, "active"))
            given[process_id]["active"].append(task["id"])
        copies = min(application["num_standby_replicas"], len(threads) - 1)
        for task in (task for task in tasks if task["stateful"]):
            free = {each for each in threads if task["id"] not in given[each]["active"]}
            for _ in range(copies):
                process_id = min(free, key=lambda each: load(each, "active", "standby"))
                given[process_id]["standby"].append(task["id"])
                free.remove(process_id)
        return given
