"""Puts the copies of a task on the next processes of a ring without asking how many there are, so when a crash leaves two processes and two standbys are configured the ring comes back to the active task's own process."""
# expect: VIOLATED standby-disjoint task-errors

META = {"kind": "task-assignor", "level": "process",
        "claims": ["standby-disjoint", "standby-count", "stable", "deterministic",
                   "order-independent", "task-errors"]}

class Ring:
    """Active tasks to the process with the fewest per thread, copies on the processes that follow it."""

    def assign(self, application):
        processes = sorted(application["processes"], key=lambda process: process["id"])
        ring = [process["id"] for process in processes]
        threads = {process["id"]: process["threads"] for process in processes}
        given = {who: {"active": [], "standby": []} for who in ring}
        for task in sorted(application["tasks"], key=lambda task: task["id"]):
            place = min(range(len(ring)), key=lambda k: (len(given[ring[k]]["active"]) / threads[ring[k]], k))
            given[ring[place]]["active"].append(task["id"])
            if not task["stateful"] or len(ring) == 1:
                continue
            for step in range(1, application["num_standby_replicas"] + 1):
                copy = ring[(place + step) % len(ring)]
                if task["id"] not in given[copy]["standby"]:
                    given[copy]["standby"].append(task["id"])
        return given
