"""A direct call for each target: a faulty one is right on a small plain input and wrong in its situation; a correct one keeps
its claims on 400 random inputs and on awkward ones.  python3.11 proof.py"""
import contextlib, copy, glob, importlib.util, itertools, multiprocessing, os, random, subprocess, sys, time, uuid, base64

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True


def load(number):
    (path,) = glob.glob(f"{HERE}/a{number:02d}_*.py")
    spec = importlib.util.spec_from_file_location(f"t{number}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def target(number):
    module = load(number)
    names = [v for v in vars(module).values() if isinstance(v, type) and v.__module__ == module.__name__ and hasattr(v, "assign")]
    assert len(names) == 1, (number, names)
    return names[0]()


def M(i, topics, owned=(), generation=-1, rack=None, instance=None):
    return {"id": i, "topics": list(topics), "owned": list(owned), "generation": generation, "rack": rack, "instance_id": instance}


def same(n, topics, **more):
    return [M(f"m{i}", topics, **more) for i in range(n)]


def loads(answer):
    return {i: len(tps) for i, tps in answer.items()}


def spread(answer):
    return max(map(len, answer.values())) - min(map(len, answer.values()))


def sets(answer):
    return {i: frozenset(map(tuple, tps)) for i, tps in answer.items()}


def raises(error, call):
    try:
        call()
    except error:
        return True
    return False


def valid(counts, members, answer, share=False, allowed=None):
    """Exists, subscribed, complete, single-owner (share: assignable)."""
    topics = {m["id"]: set(m["topics"]) for m in members}
    assert set(answer) == set(topics)
    given = [(i, tuple(tp)) for i, tps in answer.items() for tp in tps]
    assert len(given) == len(set(given))
    for i, (t, p) in given:
        assert t in topics[i] and 0 <= p < counts[t]
        assert allowed is None or (t, p) in allowed
    want = {(t, p) for t, n in counts.items() for p in range(n) if any(t in s for s in topics.values())}
    if allowed is not None:
        want &= allowed
    assert {tp for _, tp in given} == want
    assert share or len(given) == len(want)


def plain(number, limit=1):
    """Small, plain clusters: right."""
    counts = {"t0": 3, "t1": 2}
    for n in (1, 2, 3):
        members = same(n, ["t0", "t1"])
        before = copy.deepcopy(members)
        answer = target(number).assign(dict(counts), members)
        assert members == before
        valid(counts, members, answer)
        assert spread(answer) <= limit
        assert sets(target(number).assign(dict(counts), members[::-1])) == sets(answer)


def p01():
    plain(1)
    answer = target(1).assign({"orders": 1, "orders-dlq": 3}, [M("a", ["orders"]), M("b", ["orders-dlq"])])
    assert any(topic == "orders-dlq" for topic, _ in answer["a"])


def p02():
    plain(2)
    ms = [M("billing-1", ["t"]), M("payments-1", ["t"])]
    assert sets(target(2).assign({"t": 1}, ms)) != sets(target(2).assign({"t": 1}, ms[::-1]))


def p03():
    plain(3)
    ids = [f"consumer-payments-production-{n}-{uuid.UUID(int=n)}" for n in range(3)]
    assert sorted(loads(target(3).assign({"t": 6}, [M(i, ["t"]) for i in ids])).values()) == [0, 0, 6]


def p04():
    plain(4)
    answer = target(4).assign({"eu": 1, "orders_paid": 1, "eu_orders": 1, "paid": 1}, [M("a", ["eu", "orders_paid"]), M("b", ["eu_orders", "paid"])])
    assert any(t not in ("eu_orders", "paid") for t, _ in answer["b"])


def p05():
    plain(5)
    def ask(generation):
        return target(5).assign({"t": 2}, [M("a", ["t"], [("t", 0)], generation - 1), M("b", ["t"], [("t", 0)], generation)])
    assert ("t", 0) in ask(9)["b"] and ("t", 0) in ask(65535)["b"]
    assert ("t", 0) in ask(65536)["a"]  # moved from b, its owner of the newest generation; no balance asks for it


def p06():
    plain(6)
    w = {("t", p): 1_000_000_000 for p in range(25)}
    answer = target(6).assign({"t": 25}, same(10, ["t"]), partition_weights=w)
    carried = {i: sum(w[tp] for tp in tps) for i, tps in answer.items()}
    assert max(carried.values()) > 2 * max(sum(w.values()) / 10, max(w.values())), carried
    assert spread(target(6).assign({"t": 9}, same(3, ["t"]), partition_weights={("t", p): 1000 for p in range(9)})) == 0


def p07():
    plain(7)
    a, ms = target(7), same(2, ["t"])
    valid({"t": 2}, ms, a.assign({"t": 2}, ms))
    assert sum(loads(a.assign({"t": 4}, ms)).values()) == 2


def p08():
    plain(8)
    a, x, y = target(8), M("x-1", ["t"], instance="x"), M("y-1", ["t"], instance="y")
    assert spread(a.assign({"t": 4}, [x, y])) == 0
    a.assign({"t": 4}, [x])
    assert sorted(loads(a.assign({"t": 4}, [x, M("y-2", ["t"], instance="y")])).values()) == [0, 4]


def p09():
    plain(9)
    valid({"t": 500}, same(2, ["t"]), target(9).assign({"t": 500}, same(2, ["t"])))
    assert raises(RecursionError, lambda: target(9).assign({"t": 1000}, same(2, ["t"])))


def run(number, counts, members):
    target(number).assign(counts, members)


def stuck(number, counts, members, seconds=4):
    process = multiprocessing.get_context("fork").Process(target=run, args=(number, counts, members))
    process.start()
    process.join(seconds)
    alive = process.is_alive()
    process.kill()
    process.join()
    return alive


def p10():
    plain(10)
    assert not stuck(10, {"t": 12}, same(6, ["t"])) and stuck(10, {"t": 12}, same(11, ["t"]))


def p11():
    plain(11)
    for n in (4, 5, 6, 8, 9):
        assert spread(target(11).assign({"t": 40}, same(n, ["t"]))) <= 1
    assert sorted(loads(target(11).assign({"t": 14}, same(7, ["t"]))).values()) == [0] * 6 + [14]


def answer_in_process(number, counts, members, salt):
    code = f"import sys; sys.path.insert(0, {HERE!r}); import proof; print(sorted((i, sorted(s)) for i, s in proof.sets(proof.target({number}).assign({counts!r}, {members!r})).items()))"
    return subprocess.run([sys.executable, "-B", "-c", code], env={**os.environ, "PYTHONHASHSEED": salt}, capture_output=True, text=True, check=True).stdout


def p12():
    plain(12)
    for n, differ in ((16, False), (17, True)):
        ms = same(n, ["t"])
        assert (answer_in_process(12, {"t": n + 1}, ms, "1") != answer_in_process(12, {"t": n + 1}, ms, "2")) == differ


def p13():
    plain(13)
    ms = [M("a", ["t1", "t0"])]
    target(13).assign({"t0": 1, "t1": 1}, ms)
    assert ms[0]["topics"] == ["t0", "t1"]


def p14():
    plain(14)
    a, ms = target(14), same(2, ["t0", "t1"])
    valid({"t0": 2}, ms, copy.deepcopy(a.assign({"t0": 2}, ms)))
    valid({"t0": 2, "t1": 2}, ms, copy.deepcopy(a.assign({"t0": 2, "t1": 2}, ms)))
    assert ("t1", 0) in a.assign({"t0": 2}, ms)["m0"]


def p15():
    plain(15)
    ms = [M("a", ["t"], rack="r1"), M("b", ["t"], rack="r2")]
    assert target(15).assign({"t": 2}, ms, {("t", 0): ["r2"], ("t", 1): ["r1"]})["b"] == [("t", 0)]
    assert raises(KeyError, lambda: target(15).assign({"t": 2}, ms, {("t", 0): ["r2"]}))
    assert raises(TypeError, lambda: target(15).assign({"t": 2}, ms, {("t", 0): ["r2"], ("t", 1): None}))


def p16():
    plain(16)
    def ask(first, other):
        ms = [M(first, ["t"], instance="x"), M("k", ["t"], instance="y"), M("m", ["t"], instance=other)]
        return frozenset(target(16).assign({"t": 3}, ms)[first])
    assert ask("a", "z") == ask("zz", "z")
    assert ask("a", None) != ask("zz", None)


def p17():
    plain(17)
    ms = [M("a", ["u"], [("t", 0)], 1), M("b", ["t", "u"], [], 1)]
    assert ("t", 0) in target(17).assign({"t": 1, "u": 1}, ms)["b"]
    ms = [M("b0", ["t"], [], 1), M("b1", ["t"], [("t", 0)], 1)]
    assert target(17).assign({"t": 1}, ms) == {"b0": [], "b1": []}


def rounds(a, counts, members):
    """The rounds until no member revokes or gains; after each, members have what they kept and were given."""
    for n in itertools.count(1):
        answer = sets(a.assign(counts, copy.deepcopy(members)))
        owned = {m["id"]: {tuple(tp) for tp in m["owned"]} for m in members}
        for i, tps in answer.items():  # nobody receives what another still has
            for j, have in owned.items():
                assert i == j or not (tps - owned[i]) & have
        if answer == {i: frozenset(s) for i, s in owned.items()}:
            return n, answer
        for m in members:
            m["owned"], m["generation"] = sorted(answer[m["id"]]), m["generation"] + 1
        assert n < 50


def p18():
    plain(18)
    for count, few in ((8, True), (60, False)):
        ms = [M("a", ["t"], [("t", p) for p in range(count)], 1), M("b", ["t"])]
        n, answer = rounds(target(18), {"t": count}, ms)
        assert (n <= 12) == few and spread(answer) == 0, n


AWKWARD = ["App-1", "app-1", "stra\u00dfe", "STRASSE", "\u00e9", "e\u0301", "", "a" * 300, "\u65e5\u672c", "m10", "m9", "_x", "a_b", "%s", "\x00"]


def inputs(equal, seed, histories=400):
    rng = random.Random(seed)
    for n in range(histories):
        topics = rng.sample(["t0", "t1", "t10", "orders", "Orders", "a_b", "a-b", "a.b", "x" * 249], rng.randint(1, 5))
        counts = {t: rng.choice([1, 2, 3, 7, 13, 0]) for t in topics}
        ids = rng.sample(AWKWARD, rng.randint(1, 8)) if n % 2 else [f"m{i}" for i in range(rng.choice([1, 2, 3, 7, 17, 40]))]
        members = []
        for i in ids:
            subscribed = list(topics) if equal or n % 3 == 0 else rng.sample([*topics, "unknown"], rng.randint(0, len(topics)))
            members.append(M(i, subscribed, [(rng.choice(topics), rng.randint(0, 9)) for _ in range(rng.randint(0, 5))], rng.choice([-1, 0, 5, 6, 2**31 - 1]),
                             rng.choice([None, "r1", ""]), rng.choice([None, None, i + "-s"])))
        if equal:
            for m in members:
                m["owned"] = sorted(set(m["owned"]))
        yield counts, members


def previous(members):
    """By the definition, apart from the target's own code: the only one at the highest generation that any member reports."""
    owner = {}
    for tp in {tp for m in members for tp in m["owned"]}:
        top = max(m["generation"] for m in members if tp in m["owned"])
        at_top = [m["id"] for m in members if tp in m["owned"] and m["generation"] == top]
        if len(at_top) == 1:
            owner[tp] = at_top[0]
    return owner


def judge(number, equal=False, cooperative=False, moves=False):
    kept = target(number)  # one object for all groups, as well as a new one for each
    for counts, ms in inputs(equal, number):
        before = copy.deepcopy((counts, ms))
        answer = sets(target(number).assign(counts, ms))
        assert sets(kept.assign(counts, ms)) == answer and (counts, ms) == before
        shuffled = dict(reversed(counts.items())), [{**m, "topics": m["topics"][::-1]} for m in ms[::-1]]
        assert sets(kept.assign(*shuffled)) == answer
        if cooperative:
            n, answer = rounds(kept, counts, copy.deepcopy(ms))
            assert n <= 4
        valid(counts, ms, answer)
        if len({frozenset(m["topics"]) for m in ms}) == 1:
            assert spread(answer) <= 1
        assert sets(kept.assign(counts, [{**m, "owned": sorted(answer[m["id"]]), "generation": 9} for m in ms])) == answer
        if moves:
            owner = previous(ms)
            total = sum(counts.values())
            least, extra = divmod(total, len(ms))
            have = sorted((sum(tp[0] in counts and tp[1] < counts[tp[0]] and o == m["id"] for tp, o in owner.items()) for m in ms), reverse=True)
            best = sum(min(h, least + (n < extra)) for n, h in enumerate(have))
            assert sum(owner.get(tp) == i for i, tps in answer.items() for tp in tps) == best


def hashes_alike(number):
    counts, ms = {"t": 11, "u": 5}, [M(i, ["t", "u"]) for i in AWKWARD[:-1]]
    assert answer_in_process(number, counts, ms, "1") == answer_in_process(number, counts, ms, "7")
    big = same(30, ["t"])
    valid({"t": 3000}, big, target(number).assign({"t": 3000}, big))


def p19():
    judge(19), hashes_alike(19)
    a, ms = target(19), same(2, ["t"])
    a.assign({"t": 2}, ms)["m0"].append("rubbish")
    valid({"t": 2}, ms, a.assign({"t": 2}, ms))


def p20(): judge(20), hashes_alike(20)
def p21(): judge(21), hashes_alike(21)
def p22(): judge(22), hashes_alike(22)
def p23(): judge(23, cooperative=True), hashes_alike(23)
def p24(): judge(24, equal=True, moves=True), hashes_alike(24)


def p25():
    plain(25)
    ids = ["_2xqW9bJQzC0m1sT7uVh0A", "8FJ0mXk2Q3uC0m1sT7uVhQ"]
    assert all(len(base64.urlsafe_b64decode(i + "==")) == 16 for i in ids)
    assert loads(target(25).assign({"t": 4}, [M(i, ["t"]) for i in ids])) == {ids[0]: 0, ids[1]: 4}
    assert target(25).assign({"t": 4}, [M(ids[0], ["t"])]) == {ids[0]: []}


def p26():
    plain(26)
    assert not stuck(26, {"t": 1024}, same(3, ["t"])) and stuck(26, {"t": 1025}, same(3, ["t"]))


def p27():
    plain(27)
    for n, answers in ((11, 1), (12, 2)):
        seen = {answer_in_process(27, {"t": 3}, same(n, ["t"]), "1") for _ in range(4)}
        assert len(seen) >= 2 if answers == 2 else len(seen) == 1


def p28():
    plain(28)
    a, one, two = target(28), same(2, ["t"]), [M("x", ["u"])]
    first = sets(a.assign({"t": 1}, one))
    assert sets(a.assign({"t": 1}, one)) == first
    a.assign({"u": 1}, two)
    assert sets(a.assign({"t": 1}, one)) != first


def p29():
    plain(29)
    assert spread(target(29).assign({"t": 4}, [M("a", ["t"], rack="r1"), M("b", ["t"], rack="r2")])) == 0
    assert raises(TypeError, lambda: target(29).assign({"t": 4}, [M("a", ["t"], rack="r1"), M("b", ["t"])]))


def p30():
    plain(30)
    ms = [M("a", ["large"]), *same(11, ["small"])]
    counts = {"large": 100, "small": 11}
    assert loads(target(30).assign(counts, ms))["a"] == 80  # 8 * ceil(111 / 12)


def p31():
    plain(31)
    name = "company.region-eu-west-1.production.payments.settlement.completed."
    assert len(name) > 64
    assert sum(loads(target(31).assign({name + "v1": 3, name + "v2": 3}, same(2, [name + "v1", name + "v2"]))).values()) == 3


def p32():
    plain(32)
    ms = same(1000, ["t"])
    answer = target(32).assign({"t": 10000}, ms)
    assert spread(answer) > 1000


def p33(): judge(33), hashes_alike(33)
def p34(): judge(34), hashes_alike(34)
def p35(): judge(35), hashes_alike(35)


def share_plain(number):
    for n in (1, 2, 3):
        counts, ms = {"t0": 3, "t1": 2}, same(n, ["t0", "t1"])
        valid(counts, ms, target(number).assign(counts, ms), share=True)
        allowed = {("t0", 0), ("t0", 1), ("t0", 2), ("t1", 0), ("t1", 1)}
        valid(counts, ms, target(number).assign(counts, ms, assignable=sorted(allowed)), True, allowed)


def p36():
    share_plain(36)
    assert sum(loads(target(36).assign({"t": 2}, same(2, ["t"]), assignable=[])).values()) > 0


def sharers(answer, counts):
    return {(t, p): sum((t, p) in tps for tps in answer.values()) for t, n in counts.items() for p in range(n)}


def p37():
    share_plain(37)
    held = sharers(target(37).assign({"t": 8}, same(32, ["t"])), {"t": 8})
    assert set(held.values()) == {4}
    held = sharers(target(37).assign({"t": 8}, [M(f"consumer-{n}-{uuid.UUID(int=n * 7919)}", ["t"]) for n in range(33)]), {"t": 8})
    assert max(held.values()) - min(held.values()) > 1
    assert 0 in sharers(target(37).assign({"t": 40}, same(33, ["t"])), {"t": 40}).values()


def p38():
    share_plain(38)
    answer = target(38).assign({"t": 3}, same(1, ["t"]), assignable=[("t", 0), ("t", 1)])
    assert ("t", 2) in answer["m0"]


def p39():
    share_plain(39)
    a, ms = target(39), same(1, ["t", "u"])
    a.assign({"t": 2, "u": 1}, ms, assignable=[("t", 0), ("t", 1), ("u", 0)])
    a.assign({"u": 1}, ms, assignable=[("u", 0)])
    assert ("t", 0) in a.assign({"t": 2, "u": 1}, ms, assignable=[("u", 0)])["m0"]


def p40():
    share_plain(40)
    assert ("t", 3) in target(40).assign({"t": 2}, [M("a", ["t"], [("t", 0), ("t", 3)])])["a"]


def p41():
    share_plain(41)
    counts = {"logs": 11, "logs1": 1}
    answer = target(41).assign(counts, same(1, counts), assignable=[("logs", p) for p in range(11)])
    assert ("logs1", 0) in answer["m0"]


def judge_share(number):
    kept = target(number)
    for n, (counts, ms) in enumerate(inputs(False, number)):
        rng = random.Random(n)
        every = [(t, p) for t, c in counts.items() for p in range(c)]
        allowed = None if n % 4 == 0 else set(rng.sample(every, rng.randint(0, len(every))))
        before = copy.deepcopy((counts, ms))
        answer = sets(target(number).assign(counts, ms, assignable=None if allowed is None else sorted(allowed)))
        assert (counts, ms) == before
        assert sets(kept.assign(dict(reversed(counts.items())), ms[::-1], assignable=None if allowed is None else sorted(allowed)[::-1])) == answer
        valid(counts, ms, answer, True, allowed)
        assert sets(kept.assign(counts, [{**m, "owned": sorted(answer[m["id"]])} for m in ms], assignable=None if allowed is None else sorted(allowed))) == answer
        usable = {t: [p for p in range(c) if allowed is None or (t, p) in allowed] for t, c in counts.items()}
        subscriptions = {frozenset(m["topics"]) for m in ms}
        groups = [[(t, p) for t in usable for p in usable[t]]] if len(subscriptions) == 1 else [[(t, p) for p in usable[t]] for t in usable]
        for tps in groups:
            readers = [m["id"] for m in ms if any(t in m["topics"] for t, _ in tps)]
            tps = [tp for tp in tps if any(tp[0] in m["topics"] for m in ms)]
            if readers and tps:
                held = [sum(tp in answer[i] for i in readers) for tp in tps]
                load_of = [sum(tp in answer[i] for tp in tps) for i in readers]
                assert max(held) - min(held) <= 1 and max(load_of) - min(load_of) <= 1


def p42(): judge_share(42), hashes_alike_share(42)
def p43(): judge_share(43), hashes_alike_share(43)


def hashes_alike_share(number):
    counts, ms = {"t": 11, "u": 5}, [M(i, ["t", "u"]) for i in AWKWARD[:-1]]
    assert answer_in_process(number, counts, ms, "1") == answer_in_process(number, counts, ms, "7")


def small_and_plain(number):
    """Up to four members m0.. and three topics t0.., any subscriptions, a new object, nothing owned: even a faulty target is right."""
    share = number in range(36, 44)
    for n in range(300):
        rng = random.Random(n)
        counts = {f"t{k}": rng.randint(1, 4) for k in range(rng.randint(1, 3))}
        ms = [M(f"m{k}", sorted(counts) if n % 2 else sorted(rng.sample(sorted(counts), rng.randint(1, len(counts))))) for k in range(rng.randint(1, 4))]
        if number in (5, 24) and len({tuple(m["topics"]) for m in ms}) > 1:
            continue
        before = copy.deepcopy((counts, ms))
        answer = sets(target(number).assign(counts, ms))
        assert (counts, ms) == before
        valid(counts, ms, answer, share)
        assert sets(target(number).assign(dict(reversed(counts.items())), ms[::-1])) == answer
        if not share and len({tuple(m["topics"]) for m in ms}) == 1:
            assert spread(answer) <= 1


if __name__ == "__main__":
    bad = 0
    for number in range(1, 44):
        started = time.time()
        try:
            small_and_plain(number)
            globals()[f"p{number:02d}"]()
        except Exception as error:  # a proof that fails is reported with the others
            import traceback
            bad += 1
            print(f"a{number:02d} FAILED", "".join(traceback.format_exception(error)[-2:]))
        else:
            print(f"a{number:02d} ok {time.time() - started:.1f} s")
    sys.exit(bool(bad))
