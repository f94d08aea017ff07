"""One function per target: a direct call that shows the fault, or for the correct ones a few hundred checked calls.

    python3.11 proof.py            # all of them, a few seconds
"""

import copy
import importlib.util
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
from collections import Counter

HERE = pathlib.Path(__file__).parent
METHODS = ("partition", "assign", "place", "plan")
sys.dont_write_bytecode = True


def module(number):
    (path,) = HERE.glob(f"b{number:02}_*.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def new(number):
    loaded = module(number)
    (cls,) = (c for c in vars(loaded).values()
              if isinstance(c, type) and c.__module__ == loaded.__name__ and any(hasattr(c, m) for m in METHODS))
    return cls()


def raises(error, call, *args):
    try:
        call(*args)
    except error:
        return True
    return False


def too_slow(call, *args, seconds=1):
    def stop(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        return raises(TimeoutError, call, *args)
    finally:
        signal.alarm(0)


def seeds(number, expression):
    """What the expression gives under six hash seeds; `t` is the target."""
    code = f"import sys; sys.path.insert(0, {str(HERE)!r}); from proof import *; t = new({number}); print({expression})"
    return {subprocess.run([sys.executable, "-B", "-c", code], env={**os.environ, "PYTHONHASHSEED": str(seed)},
                           capture_output=True, text=True, check=True).stdout for seed in range(1, 7)}


# ------------------------------------------------------------------ partitioners
def kafka(key, partitions):
    """Utils.murmur2 and toPositive, checked below against the vectors of Kafka's UtilsTest."""
    mask, m, n = 0xFFFFFFFF, 0x5BD1E995, len(key)
    h, i = 0x9747B28C ^ n, 0
    while n - i >= 4:
        k = int.from_bytes(key[i:i + 4], "little") * m & mask
        h = h * m & mask ^ ((k ^ k >> 24) * m & mask)
        i += 4
    if n - i >= 3:
        h ^= key[i + 2] << 16
    if n - i >= 2:
        h ^= key[i + 1] << 8
    if n - i >= 1:
        h = (h ^ key[i]) * m & mask
    h = (h ^ h >> 13) * m & mask
    h ^= h >> 15
    return (h if partitions is None else (h & 0x7FFFFFFF) % partitions)


VECTORS = {"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536,
           "a-little-bit-longer-string": -1486304829,
           "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971, "abc": 479470107}
for text, number in VECTORS.items():
    assert kafka(text.encode(), None) == number & 0xFFFFFFFF


def plain(number):
    """The partitioner is right for short ASCII keys while all partitions of one topic have a leader."""
    t = new(number)
    for k in range(50):
        assert t.partition("orders", b"user-%d" % k, b"v", 6, list(range(6))) == kafka(b"user-%d" % k, 6)
        assert t.partition("orders", None, b"v", 6, list(range(6))) in range(6)


def b01():
    plain(1)
    t = new(1)
    places = {t.partition("t", b"", b"v", 6, list(range(6))) for _ in range(6)}
    assert len(places) == 6


def b02():
    plain(2)
    key = "Renée".encode()  # six bytes, the fifth is 0xA9
    assert new(2).partition("t", key, b"", 97, [0]) != kafka(key, 97)


def b03():
    plain(3)
    t = new(3)
    keys = [b"k%d" % k for k in range(20)]
    [t.partition("t", k, b"", 6, [0]) for k in keys]
    assert any(t.partition("t", k, b"", 9, [0]) != kafka(k, 9) for k in keys)
    assert any(t.partition("t", k, b"", 2, [0]) >= 2 for k in keys)


def b04():
    plain(4)
    t = new(4)
    keys = [b"k%d" % k for k in range(20)]
    [t.partition("orders", k, b"", 12, [0]) for k in keys]
    assert any(t.partition("orders1", k, b"", 2, [0]) >= 2 for k in keys)


def b05():
    plain(5)
    t = new(5)
    first = t.partition("t", None, b"", 3, [0, 1, 2])
    left = [each for each in range(3) if each != first]
    assert t.partition("t", None, b"", 3, left) not in left


def b06():
    plain(6)
    t, available = new(6), [0, 1, 2]
    t.partition("t", None, b"", 3, available)
    t.partition("t", None, b"", 3, available)
    assert available != [0, 1, 2]


def b07():
    plain(7)
    t = new(7)
    places = [t.partition("t", None, b"", 3, [0, 1, 2]) for _ in range(32_770)]
    assert all(each in range(3) for each in places[:32_768]) and min(places) < 0


def b08():
    plain(8)
    key = (200).to_bytes(8, "big")
    assert new(8).partition("t", key, b"", 97, [0]) != kafka(key, 97)


def b09():
    plain(9)
    assert raises(RecursionError, new(9).partition, "t", b"x" * 5000, b"", 6, [0])


def b10():
    plain(10)
    assert len(seeds(10, "t.partition('orders', None, b'', 97, list(range(97)))")) > 1


def right_partitioner(number):
    rng = random.Random(number)
    t = new(number)
    if hasattr(t, "configure"):
        t.configure({})
    sizes, said = {"orders": 12, "orders1": 2, "a.b": 5}, []
    for _ in range(1500):
        topic = rng.choice(list(sizes))
        if rng.random() < 0.01:
            sizes[topic] = rng.choice([1, 2, 3, 7, 12, 97])
        n = sizes[topic]
        available = [each for each in range(n) if rng.random() < 0.7] if rng.random() < 0.5 else list(range(n))
        rng.shuffle(available)
        before = list(available)
        key = rng.choice([None, b"", rng.randbytes(rng.randrange(40)), b"\xff" * rng.randrange(9),
                          b"k" * rng.choice([1, 6000])])
        place = t.partition(topic, key, rng.choice([None, b"", b"v"]), n, available)
        assert available == before and type(place) is int and 0 <= place < n
        assert key is None or place == kafka(key, n)
        assert key is not None or not available or place in available
        said.append(place)
    return said


def b11():
    right_partitioner(11)


def b12():
    right_partitioner(12)


def b13():
    assert right_partitioner(13) == right_partitioner(13)
    assert len(seeds(13, "right_partitioner(13)")) == 1


def b41():
    plain(41)
    t = new(41)
    assert any(t.partition("t", b"k%d" % k, b"", 6, [0, 1, 2, 3, 4]) != kafka(b"k%d" % k, 6) for k in range(20))


def b42():
    plain(42)
    assert raises(ZeroDivisionError, new(42).partition, "t", None, b"", 3, [])


# ------------------------------------------------------------------ Connect
def connect(t, connectors, running, rounds=1):
    """What runs after so many rounds in which all workers obey."""
    running = copy.deepcopy(running)
    for _ in range(rounds):
        cluster = {"connectors": [{"name": name, "tasks": n} for name, n in connectors.items()],
                   "workers": [{"id": who, "running": copy.deepcopy(work)} for who, work in running.items()],
                   "memory": None}
        before = copy.deepcopy(cluster)
        answer = t.assign(cluster)
        assert cluster == before
        for who, change in answer["workers"].items():
            for kind in ("connectors", "tasks"):
                assert set(change["revoked"][kind]) <= set(running[who][kind])
                everywhere = {x for work in before["workers"] for x in work["running"][kind]}
                assert not everywhere & set(change["assigned"][kind])
                running[who][kind] = sorted(
                    set(running[who][kind]) - set(change["revoked"][kind]) | set(change["assigned"][kind]))
    return running


def idle(*workers):
    return {who: {"connectors": [], "tasks": []} for who in workers}


def good(connectors, running):
    wanted = {"connectors": set(connectors), "tasks": {f"{c}-{n}" for c, k in connectors.items() for n in range(k)}}
    for kind in wanted:
        runs = Counter(x for work in running.values() for x in work[kind])
        loads = [len(work[kind]) for work in running.values()]
        if set(runs) != wanted[kind] or any(k > 1 for k in runs.values()) or max(loads) - min(loads) > 1:
            return False
    return True


def plain_connect(number):
    t, connectors = new(number), {"sink": 3, "source": 2}
    running = connect(t, connectors, idle("w0", "w1"), 4)
    assert good(connectors, running) and connect(t, connectors, running) == running
    running = connect(t, connectors, {**running, **idle("w2")}, 4)
    assert good(connectors, running)
    del running["w0"]
    assert good(connectors, connect(t, connectors, running, 4))


def b14():
    plain_connect(14)
    running = {"w0": {"connectors": ["sink"], "tasks": ["sink-0"]}, "w1": {"connectors": ["sink-1"], "tasks": []}}
    after = connect(new(14), {"sink": 2, "sink-1": 1}, running, 6)
    assert connect(new(14), {"sink": 2, "sink-1": 1}, after) == after  # stable, and still incomplete
    assert not any("sink-1" in work["tasks"] for work in after.values())


def b15():
    plain_connect(15)
    t = new(15)
    running = connect(t, {"sink": 2, "sink-eu": 2}, idle("w0", "w1"), 4)
    after = connect(t, {"sink": 2}, running, 6)
    assert any("sink-eu-0" in work["tasks"] for work in after.values())


def b16():
    plain_connect(16)
    running = {"w0": {"connectors": ["s"], "tasks": ["s-0", "s-1"]}, "w1": {"connectors": [], "tasks": ["s-0"]}}
    after = connect(new(16), {"s": 2}, running, 6)
    assert all("s-0" in work["tasks"] for work in after.values())


def b17():
    plain_connect(17)
    assert too_slow(connect, new(17), {"s": 20}, idle(*(f"w{k}" for k in range(12))))


def b18():
    plain_connect(18)
    running = connect(new(18), {"s": 2}, idle("w0"), 3)
    assert connect(new(18), {}, running, 5)["w0"]["tasks"] == ["s-0", "s-1"]


def right_connect(number):
    plain_connect(number)
    rng, t = random.Random(number), new(number)
    for _ in range(300):
        names = rng.sample(["sink", "sink-1", "sink-eu", "Sink", "s.1", "sínk", "a--1"], rng.randrange(6))
        connectors = {name: rng.randrange(4) for name in names}
        pool = [*names, "gone"], [f"{name}-{n}" for name in [*names, "gone"] for n in range(4)]
        running = {f"w{k}": {"connectors": rng.sample(pool[0], rng.randrange(len(pool[0]))),
                             "tasks": rng.sample(pool[1], rng.randrange(4))} for k in range(rng.randrange(1, 14))}
        after = connect(t, connectors, running, 5)
        assert good(connectors, after), (connectors, running, after)
        assert connect(t, connectors, after) == after
    after = connect(t, {"big": 3000}, idle("w0", "w1", "w2"), 2)
    assert good({"big": 3000}, after)


def b19():
    right_connect(19)


def b20():
    right_connect(20)


# ------------------------------------------------------------------ Streams
def application(threads, tasks, standbys=0):
    """`threads` by process; `tasks` are ids, a stateless one ends with an exclamation mark."""
    return {"processes": [{"id": who, "threads": n} for who, n in threads.items()],
            "tasks": [{"id": each.rstrip("!"), "stateful": not each.endswith("!")} for each in tasks],
            "num_standby_replicas": standbys}


def tasks_of(*partitions):
    return [f"{sub}_{p}" for sub, n in enumerate(partitions) for p in range(n)]


def faults(app, given, standbys=True):
    """What the answer breaks of complete, standby-disjoint, standby-count and balanced-within-one."""
    found = set()
    threads = {process["id"]: process["threads"] for process in app["processes"]}
    active = Counter(x for roles in given.values() for x in roles["active"])
    if set(given) != set(threads) or active != Counter(task["id"] for task in app["tasks"]):
        found.add("complete")
    for roles in given.values():
        if set(roles["active"]) & set(roles["standby"]):
            found.add("standby-disjoint")
    copies = Counter(x for roles in given.values() for x in roles["standby"])
    wanted = min(app["num_standby_replicas"], len(threads) - 1)
    if copies != Counter({task["id"]: wanted for task in app["tasks"] if task["stateful"] and wanted}):
        found.add("standby-count")
    loads = [len(given[who]["active"]) / threads[who] for who in threads]
    if max(loads) - min(loads) > 1 + 1e-9:
        found.add("balanced-within-one")
    return found


def plain_streams(number):
    for threads in ({"a": 1, "b": 1}, {"a": 2, "b": 2, "c": 2}):
        for standbys in (0, 1):
            app = application(threads, tasks_of(4, 3), standbys)
            assert not faults(app, new(number).assign(copy.deepcopy(app))), (threads, standbys)


def b21():
    plain_streams(21)
    app = application({"a": 1, "b": 1}, tasks_of(12))
    assert "complete" in faults(app, new(21).assign(app))


def b22():
    plain_streams(22)
    app = application({"a": 4, "b": 16}, tasks_of(40))
    assert "balanced-within-one" in faults(app, new(22).assign(app))


def group(members, partitions, standbys):
    return {"members": [{"id": who, "process_id": process} for who, process in members.items()],
            "subtopologies": [{"id": "0", "partitions": partitions, "stateful": True}],
            "num_standby_replicas": standbys}


def on_own_process(number, members):
    given = new(number).assign(group(members, 4, 1))
    active = {task: members[who] for who in given for task in given[who]["active"]}
    assert len(active) == 4
    return any(members[who] == active[task] for who in given for task in given[who]["standby"])


def b23():
    assert not on_own_process(23, {f"app{a}-thread-{t}": f"app{a}" for a in (1, 2) for t in (1, 2)})
    assert on_own_process(23, {"6f1c-01": "p1", "77aa-02": "p1", "9b3e-03": "p2", "c001-04": "p2"})


def b24():
    plain_streams(24)
    app = application({"a": 1, "b": 1}, tasks_of(2), 2)
    assert "standby-disjoint" in faults(app, new(24).assign(app))


def b25():
    plain_streams(25)
    t = new(25)
    t.assign(application({"a": 1, "b": 3}, tasks_of(8)))
    app = application({"a": 3, "b": 1}, tasks_of(8))
    assert "balanced-within-one" in faults(app, t.assign(app))


def b26():
    plain_streams(26)
    call = "json.dumps(t.assign(application(dict(a=1, b=1, c=1, d=1), tasks_of(4), 1)))"
    assert len(seeds(26, call)) > 1


def b27():
    plain_streams(27)
    assert too_slow(new(27).assign, application({"a": 1, "b": 1}, tasks_of(15, 15)))


def right_streams(number):
    plain_streams(number)
    rng, t = random.Random(number), new(number)
    for _ in range(400):
        threads = {f"p{k}": rng.randrange(1, 9) for k in rng.sample(range(30), rng.randrange(1, 9))}
        tasks = [each + rng.choice(["", "!"]) for each in tasks_of(rng.randrange(14), rng.randrange(5))]
        app = application(threads, tasks, rng.randrange(5))
        before = copy.deepcopy(app)
        given = t.assign(app)
        assert app == before and not faults(app, given), (app, given)
        rng.shuffle(app["processes"])
        rng.shuffle(app["tasks"])
        again = t.assign(app)
        assert {w: {r: set(x) for r, x in v.items()} for w, v in again.items()} == {
            w: {r: set(x) for r, x in v.items()} for w, v in given.items()}
        given[next(iter(given))]["active"].append("9_9")
        assert t.assign(app) == again
    assert not faults(app := application({"a": 1, "b": 3}, tasks_of(1500), 3), t.assign(app))
    return "ok"


def b28():
    right_streams(28)


def b29():
    right_streams(29)


def b44():
    right_streams(44)
    assert len(seeds(44, "json.dumps(t.assign(application(dict(a=1, b=1, c=1, d=1), tasks_of(4), 1)))")) == 1


# ------------------------------------------------------------------ placers
def brokers(racks, ids=None, fenced=()):
    ids = ids or range(len(racks))
    return [{"id": i, "rack": rack, "fenced": i in fenced} for i, rack in zip(ids, racks)]


def bad(rows, hosts, partitions, factor):
    racks = {b["id"]: b["rack"] for b in hosts}
    fenced = {b["id"]: b["fenced"] for b in hosts}
    found = set()
    if len(rows) != partitions or any(len(row) != factor or not set(row) <= set(racks) for row in rows):
        found.add("well-formed")
    for row in rows:
        if len(set(row)) != len(row):
            found.add("replicas-distinct")
        if None not in racks.values() and len({racks[x] for x in row}) < min(factor, len(set(racks.values()))):
            found.add("rack-spread")
        if fenced[row[0]] and not all(fenced[x] for x in row):
            found.add("no-fenced-leader")
    return found


def plain_placer(number):
    for racks in ("xyz", "xxyyzz", [None] * 4):
        for factor in (1, 2, 3):
            hosts = brokers(racks)
            assert not bad(new(number).place(7, factor, copy.deepcopy(hosts)), hosts, 7, factor), (racks, factor)
    assert raises(ValueError, new(number).place, 1, 4, brokers("xyz"))


def b30():
    plain_placer(30)
    assert raises(IndexError, new(30).place, 6, 2, brokers("xyz", (0, 1, 3)))


def b31():
    plain_placer(31)
    assert raises(TypeError, new(31).place, 6, 2, brokers(["x", None, "y"]))


def b32():
    plain_placer(32)
    hosts = brokers("xxyyzz")
    assert "replicas-distinct" in bad(new(32).place(6, 4, hosts), hosts, 6, 4)


def b33():
    plain_placer(33)
    one = brokers("xxyyzz", fenced={2})
    assert not bad(new(33).place(9, 3, one), one, 9, 3)
    two = brokers("xxyyzz", fenced={0, 2})
    assert "no-fenced-leader" in bad(new(33).place(9, 3, two), two, 9, 3)


def b34():
    plain_placer(34)
    hosts = brokers(["us-east-1a", "us-east-1a", "us-east-1b", "us-east-1b", "us-east-1c", "us-east-1c"])
    assert "rack-spread" in bad(new(34).place(6, 3, hosts), hosts, 6, 3)


def right_placer(number):
    plain_placer(number)
    rng, t = random.Random(number), new(number)
    for _ in range(500):
        n = rng.randrange(1, 12)
        ids = rng.sample([*range(20), 127, 128, 1001, 32768, 2**31 - 1], n)
        names = rng.choice([["x", "X", "us-east-1a", "us-east-1b"], [None], [None, "x", "y"], ["a" * 300, "é", "é", ""]])
        hosts = brokers([rng.choice(names) for _ in ids], ids, set(rng.sample(ids, rng.randrange(n + 1))))
        factor, partitions = rng.randrange(1, 7), rng.randrange(1, 40)
        before = copy.deepcopy(hosts)
        if factor > n:
            assert raises(ValueError, t.place, partitions, factor, hosts)
            continue
        rows = t.place(partitions, factor, hosts)
        assert hosts == before and not bad(rows, hosts, partitions, factor), (hosts, rows)
        rng.shuffle(hosts)
        assert t.place(partitions, factor, hosts) == rows
    hosts = brokers("xyz" * 50)
    assert not bad(t.place(1, 150, hosts), hosts, 1, 150)


def b35():
    right_placer(35)


def b36():
    right_placer(36)


def b43():
    plain = brokers("xyz")
    t = new(43)
    assert not bad(t.place(6, 3, plain), plain, 6, 3)
    later = brokers("xyz", fenced={0})
    assert "no-fenced-leader" in bad(t.place(6, 3, later), later, 6, 3)


# ------------------------------------------------------------------ planners (assumed form)
def moved(t, rows, ids, leaving):
    current = {"t": copy.deepcopy(rows)}
    moves = t.plan(current, brokers("x" * len(ids), ids), leaving)
    return moves, current


if __name__ == "__main__":
    failed = 0
    for name in sorted(each for each in dict(globals()) if len(each) == 3 and each[0] == "b" and each[1:].isdigit()):
        try:
            globals()[name]()
            print(name, "ok")
        except Exception as error:
            failed += 1
            print(name, "FAILED", type(error).__name__, str(error)[:300], "line", error.__traceback__.tb_next and error.__traceback__.tb_next.tb_lineno)
    sys.exit(bool(failed))
