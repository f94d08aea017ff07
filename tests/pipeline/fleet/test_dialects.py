"""Every dialect says the same of the same group, and a line that says nothing is rejected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.pipeline.fleet.dialects import LOST, Rejected, Seen, parse, time_of
from kassay.pipeline.fleet.generate import EPOCH_S, FleetSpec, moments, snapshot_text, stamp
from kassay.pipeline.fleet.snapshots import rows_of

AT = "# at=2026-11-21T05:00:00Z\n"
OFFSETS = (
    AT
    + """
GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST        CLIENT-ID
billing         orders          0          1042            1100            58   app-1-3f0c   /10.0.0.11  app-1
billing         orders          1          998             998             0    -            -           -
billing         -               -          -               -               -    app-3-77aa   /10.0.0.13  app-3
"""
)


def seen(text: str) -> list[Seen]:
    found = list(parse(text, "x.txt"))
    assert not [r for r in found if isinstance(r, Rejected)]
    return [r for r in found if isinstance(r, Seen)]


def test_the_offsets_view_tells_owners_idle_members_and_unowned_partitions() -> None:
    rows = seen(OFFSETS)
    assert [(r.member, r.owned) for r in rows] == [
        ("app-1-3f0c", (("orders", 0),)),
        (None, (("orders", 1),)),
        ("app-3-77aa", ()),
    ]
    assert {r.at for r in rows} == {time_of("2026-11-21T05:00:00Z")}
    assert rows[0].client_id == "app-1"


@pytest.mark.parametrize(
    ("header", "cell", "owned"),
    [
        (
            "#PARTITIONS ASSIGNMENT",
            "2 orders(0), refunds(1,3)",
            (("orders", 0), ("refunds", 1), ("refunds", 3)),
        ),
        ("#PARTITIONS ASSIGNMENT", "0 -", ()),
        (
            "#PARTITIONS CURRENT-EPOCH CURRENT-ASSIGNMENT TARGET-EPOCH TARGET-ASSIGNMENT",
            "2 7 orders:0,2;a:b:1 8 orders:0",
            (("orders", 0), ("orders", 2), ("a:b", 1)),
        ),
    ],
)
def test_members_views(header: str, cell: str, owned: tuple[tuple[str, int], ...]) -> None:
    text = f"{AT}GROUP CONSUMER-ID HOST CLIENT-ID {header}\nbilling m /h c {cell}\n"
    assert [r.owned for r in seen(text)] == [owned]


def test_the_view_without_topics_is_told_apart() -> None:
    text = f"{AT}GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\nbilling m /h c 2 (0,1,10), (1)\n"
    assert [(r.view, r.owned) for r in seen(text)] == [(LOST, ())]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("billing orders 0\n", "a row before any header"),
        (OFFSETS.removeprefix(AT), "no time"),
        (f"{AT}GROUP TOPIC PARTITION CONSUMER-ID HOST\ng t\n", "expected 5 columns, got 2"),
        (
            f"{AT}GROUP TOPIC PARTITION CONSUMER-ID HOST\ng t x m /h\n",
            "PARTITION: found 'x', expected a number",
        ),
        (f"{AT}TOPIC PARTITION CONSUMER-ID HOST\nt 0 m /h\n", "no GROUP"),
        (
            f"{AT}GROUP CONSUMER-ID HOST ASSIGNMENT\ng m /h orders[0]\n",
            "ASSIGNMENT: found 'orders[0]', expected topic(0)",
        ),
        (f"{AT}Warning: Consumer group 'billing' is rebalancing.\n", "a message of the tool"),
        (AT + '{"group": 1}\n', "group: found 1, expected a text"),
        (
            AT + '{"group": "g", "member": "m", "owned": [["t", -1]]}\n',
            "owned[0][1]: found -1, expected a number up to",
        ),
        (AT + "{nonsense\n", "not a member of a group in JSON"),
        ("# at=yesterday\n", "at: expected a time"),
        (AT + '{"group": "g", "at": -5}\n', "at: expected a time"),
        (AT + '{"group": "g", "at": true}\n', "at: expected a time"),
        (AT + '{"group": "\\ud800", "member": "m"}\n', "half a surrogate pair"),
        (AT + '{"group": ' + "[" * 99_999 + "\n", "not a member of a group in JSON"),
        (AT + '{"group": "g", "owned": null}\n', "owned: found None, expected a list"),
        (AT + '{"group": "g", "owned": [["t", true]]}\n', "owned[0][1]: found True, expected a number up to"),
        (f"{AT}GROUP TOPIC PARTITION CONSUMER-ID HOST\ng t 99999999999 m /h\n", "expected a number up to"),
        (f"{AT}GROUP TOPIC PARTITION CONSUMER-ID HOST\ng t \u00b2 m /h\n", "expected a number up to"),
        (f"{AT}GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS\ng m /h c 1\n", "no ASSIGNMENT"),
        (f"{AT}GROUP CONSUMER-ID HOST CURRENT-ASSIGNMENT\ng m /h t:0,x\n", "expected a number up to"),
        (
            f"{AT}GROUP CONSUMER-ID HOST CURRENT-ASSIGNMENT\ng m /h t\n",
            "CURRENT-ASSIGNMENT: found 't', expected topic",
        ),
        (f"{AT}GROUP COORDINATOR (ID) STATE #MEMBERS\ng b:1 (1) Stable 1\n", "the view --state has no"),
    ],
)
def test_what_cannot_be_used_is_rejected_with_its_line(text: str, reason: str) -> None:
    found = [r for r in parse(text, "f.txt") if isinstance(r, Rejected)]
    assert found
    assert reason in found[0].reason
    assert found[0].file == "f.txt"
    assert text.splitlines()[found[0].line - 1].startswith(found[0].text[:10])


@given(
    st.text(alphabet=st.characters(), max_size=200)
    | st.text(alphabet='{}[]":,0 gGROUP\n#at=-(t)', max_size=60)
)
def test_no_text_is_too_strange(text: str) -> None:
    header = "GROUP TOPIC PARTITION CONSUMER-ID HOST\n"
    for found in parse(AT + header + text, "f.txt"):
        assert isinstance(found, Seen | Rejected)
        assert 1 <= found.line <= (AT + header + text).count("\n") + len(text.splitlines()) + 1


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-21T05:00:00Z", "2026-11-21T07:00:00+02:00", "2026-11-21T07:00:00+0200", "20261121T050000",
        "2026-11-21 05:00", "2026-11-20T23:30:00-05:30", "2026-11-21T05-00-00Z/part-0001-20261399999999.txt",
        "2026-11-21T05:00:00-0001.txt",
    ],
)  # fmt: skip
def test_times_may_have_an_offset(text: str) -> None:
    assert time_of(text) == 1_795_237_200_000


def test_times_may_be_numbers_or_have_milliseconds() -> None:
    assert time_of("2026-11-21T05:00:00.250123Z") == 1_795_237_200_250
    assert [row.at for row in seen('{"group": "g", "at": 1795101112000}')] == [1_795_101_112_000]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("mn-"), st.integers(0, 3)), max_size=12))
def test_a_member_gets_one_row_with_all_that_was_said(rows: list[tuple[str, str, int]]) -> None:
    text = AT + "GROUP TOPIC PARTITION CONSUMER-ID HOST\n"
    text += "".join(f"{group} t {partition} {member} /h\n" for group, member, partition in rows)
    merged = [row for row in rows_of(parse(text, "f.txt")) if isinstance(row, Seen)]
    owned = {(row.group, row.member or "-"): [p for _, p in row.owned] for row in merged}
    assert len(owned) == len(merged)
    assert owned == {key: [p for g, m, p in rows if (g, m) == key] for key in {(g, m) for g, m, _ in rows}}


def test_json_lines_carry_time_and_subscription() -> None:
    line = '{"at": "2026-11-21T05:00:00Z", "group": "g", "member": "m", "topics": ["t"], "owned": [["t", 0]]}'
    (row,) = seen(line)
    assert (row.topics, row.owned, row.at) == (("t",), (("t", 0),), time_of("20261121T050000Z"))


@given(st.integers(0, 5000), st.sampled_from(["offsets", "members", "members-epochs", "json"]))
def test_every_dialect_gives_back_what_was_told(number: int, dialect: str) -> None:
    group, found = moments(FleetSpec(1, 2, number), number)
    for moment in found:
        if sum(map(len, moment.given.values())) > 300:
            continue
        owned: dict[str, set[tuple[str, int]]] = {m: set() for m in moment.given}
        for row in parse(snapshot_text(group, moment, dialect), f"at={stamp(moment.at)}/x"):
            assert isinstance(row, Seen)
            assert row.group == group
            assert row.at == moment.at * 1000
            if row.member is not None:
                owned[row.member].update(row.owned)
        assert owned == {m: {tuple(tp) for tp in tps} for m, tps in moment.given.items()}


@given(st.integers(EPOCH_S, EPOCH_S + 10**7))
def test_times_in_paths_are_read_back(seconds: int) -> None:
    assert time_of(f"/some/2020/place/at={stamp(seconds)}/part-0.txt") == seconds * 1000
