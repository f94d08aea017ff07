"""Right although it sorts ids as text (`0_10` before `0_2`) and compares floats in a heap: the order of tasks is any fixed one, ties go by id, and each entry is replaced whenever its load changes."""
# expect: CERTIFIED
import heapq

META = {"kind": "task-assignor", "level": "process",
        "claims": ["standby-disjoint", "balanced-within-one", "standby-count", "stable", "deterministic",
                   "order-independent", "task-errors"]}

class Heap:
    def assign(self, application):
        threads = {process["id"]: process["threads"] for process in application["processes"]}
        given = {who: {"active": [], "standby": []} for who in sorted(threads)}
        tasks = sorted(application["tasks"], key=lambda task: task["id"])
        heap = [(1 / threads[who], who) for who in given]
        heapq.heapify(heap)
        for task in tasks:
            _, who = heap[0]
            given[who]["active"].append(task["id"])
            heapq.heapreplace(heap, ((len(given[who]["active"]) + 1) / threads[who], who))
        copies = min(application["num_standby_replicas"], len(threads) - 1)
        for task in (task for task in tasks if task["stateful"]):
            free = [who for who in given if task["id"] not in given[who]["active"]]
            free.sort(key=lambda who: ((len(given[who]["active"]) + len(given[who]["standby"])) / threads[who], who))
            for who in free[:copies]:
                given[who]["standby"].append(task["id"])
        return given
