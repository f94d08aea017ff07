"""Assignors of Streams tasks with one fault each, by the claim that must catch it."""

from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskId, TaskRequest


class _Wrong:
    """High availability, and then something done to the answer."""

    name = "wrong"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        good = StreamsHighAvailability().assign(request)
        return TaskAssignment(self.spoil(request, dict(good.processes)), good.probing_rebalance)

    def spoil(self, request, given):
        raise NotImplementedError


class InventsTask(_Wrong):
    def spoil(self, request, given):
        first = min(given)
        return given | {first: ClientTasks((*given[first].active, TaskId(99, 0)), given[first].standby)}


class RunsEverywhere(_Wrong):
    def spoil(self, request, given):
        task = max(request.tasks)
        return {p: ClientTasks((*{*tasks.active, task},), tasks.standby) for p, tasks in given.items()}


class ForgetsLast(_Wrong):
    def spoil(self, request, given):
        last = max(request.tasks)
        return {
            p: ClientTasks(tuple(t for t in tasks.active if t != last), tasks.standby)
            for p, tasks in given.items()
        }


class CopiesWhereItRuns(_Wrong):
    def spoil(self, request, given):
        stateful = set(request.stateful)
        return {
            p: ClientTasks(tasks.active, tuple(t for t in tasks.active if t in stateful))
            for p, tasks in given.items()
        }


class GivesAllToFirst(_Wrong):
    def spoil(self, request, given):
        first = min(given)
        everything = tuple(sorted(request.tasks))
        return {p: ClientTasks(everything if p == first else ()) for p in given}


class FollowsListing(_Wrong):
    def spoil(self, request, given):
        return dict(zip(request.by_id, (given[p] for p in sorted(given))))


class TurnsWithCalls(_Wrong):
    def __init__(self):
        self.calls = 0

    def spoil(self, request, given):
        self.calls += 1
        shares = list(given.values())
        turn = self.calls % len(shares)
        return dict(zip(given, shares[turn:] + shares[:turn]))


class ChokesOnLeavers(_Wrong):
    def spoil(self, request, given):
        if len(given) == 1:
            raise ValueError("no other member to share with")
        return given


class PassesTasksOn:
    """Each task goes to the next process every time."""

    name = "hands-round"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        ids = sorted(request.by_id)
        given = {p: [] for p in ids}
        for number, task in enumerate(sorted(request.tasks)):
            before = request.previous_owners.get(task)
            given[ids[(ids.index(before) + 1 if before in ids else number) % len(ids)]].append(task)
        return TaskAssignment({p: ClientTasks(tuple(tasks)) for p, tasks in given.items()})


class CountsNoThreads:
    """Tasks go round by process, however many threads it has."""

    name = "ignores-threads"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        ids, tasks = sorted(request.by_id), sorted(request.tasks)
        shares = {p: ClientTasks(tuple(tasks[number :: len(ids)])) for number, p in enumerate(ids)}
        return TaskAssignment(shares)


class ForgetsOwners:
    """Each task goes where it weighs least, whoever ran it before."""

    name = "deals-afresh"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        given = {p: [] for p in sorted(request.by_id)}
        for task in sorted(request.tasks):
            lightest = min(given, key=lambda p: ((len(given[p]) + 1) / request.by_id[p].capacity, p))
            given[lightest].append(task)
        return TaskAssignment({p: ClientTasks(tuple(tasks)) for p, tasks in given.items()})


FAULTY = {
    "exists": InventsTask,
    "single-owner": RunsEverywhere,
    "complete": ForgetsLast,
    "standby-disjoint": CopiesWhereItRuns,
    "balanced-within-one": GivesAllToFirst,
    "balanced-optimal": CountsNoThreads,
    "sticky-minimal": ForgetsOwners,
    "order-independent": FollowsListing,
    "pure": TurnsWithCalls,
    "total": ChokesOnLeavers,
    "converges": PassesTasksOn,
}
