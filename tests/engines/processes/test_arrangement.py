"""What a process observes, given to the child of a target that reports it as the owner of a partition."""

import os
import pwd
import socket
import subprocess
import sys
import time
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kassay.engines.processes import arrangement
from kassay.engines.processes.arrangement import LIBRARY, ProgramClock, clock_library
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Cluster
from kassay.model.errors import TargetFailure, TargetNotLoadable
from kassay.model.groups.group import Group, Member
from kassay.model.surroundings import OURS, Surroundings

REPORTS = """
import os, platform, pwd, socket, time, datetime, uuid
AT_IMPORT = {read}

class Mine:
    def __init__(self):
        self.at_start = {read}

    def assign(self, partitions_per_topic, members):
        raise ValueError(repr((AT_IMPORT, self.at_start, {read})))
"""


@pytest.fixture
def seen(tmp_path):
    """What a target reads on import, when it is made, and when it is called, in given surroundings."""
    hosts = []

    def look(read, *surroundings):
        file = tmp_path / f"m{len(hosts)}.py"
        file.write_text(REPORTS.format(read=read))
        host = resolve(str(file)).open(surroundings=surroundings[0])
        hosts.append(host)
        found = []
        for each in surroundings:
            host.arrange(each)
            with pytest.raises(Exception, match="ValueError") as raised:
                host.new({}).assign(Cluster({}), Group(()))
            found.append(eval(str(raised.value).partition("ValueError: ")[2].rpartition(" (")[0]))
        return found

    yield look
    for host in hosts:
        host.close()


def test_the_clock_is_shifted_on_import_at_the_start_and_in_a_call(seen):
    clocks = [
        datetime(2028, 2, 29, 3, tzinfo=UTC).timestamp(),
        datetime(2041, 7, 6, 17, tzinfo=UTC).timestamp(),
    ]
    found = seen("time.gmtime()[:4]", *(Surroundings(clock=clock, time_zone="UTC") for clock in clocks), OURS)
    assert found[:2] == [((2028, 2, 29, 3),) * 3, ((2041, 7, 6, 17),) * 3]
    assert all(at[0] == time.gmtime()[0] for at in found[2])
    local = seen(
        "datetime.datetime.now().hour",
        Surroundings(clock=clocks[0], time_zone="UTC0"),
        Surroundings(clock=clocks[0], time_zone="JST-9"),
    )
    assert local == [(3, 3, 3), (12, 12, 12)]


def test_variables_are_set_empty_and_unset(seen, monkeypatch):
    monkeypatch.setenv("INHERITED", "x")
    read = "[os.environ.get(name) for name in ('POD', 'INHERITED')]"
    found = seen(
        read,
        Surroundings(variables=(("POD", "web-1"),)),
        Surroundings(variables=(("POD", ""),)),
        Surroundings(variables=()),
        OURS,
    )
    assert [each[2] for each in found] == [["web-1", None], ["", None], [None, None], [None, "x"]]
    assert all(one == two == three for one, two, three in found)


def test_the_host_name_is_only_the_targets(seen):
    ours = socket.gethostname()
    read = "(socket.gethostname(), os.uname().nodename, platform.node())"
    found = seen(read, Surroundings(host_name="kafka-7"), Surroundings(host_name="b.example"))
    assert [each[2] for each in found] == [("kafka-7",) * 3, ("b.example",) * 3]
    assert socket.gethostname() == ours


def test_folder_processors_and_the_remainder_of_the_process_id(seen, tmp_path):
    read = "(os.getcwd(), os.cpu_count(), os.getpid() % 12)"
    wanted = [
        Surroundings(folder=str(tmp_path), processors=64, process=5),
        Surroundings(folder="/", processors=1, process=5),
        Surroundings(process=10),
    ]
    assert [each[2] for each in seen(read, *wanted)] == [
        (str(tmp_path), 64, 5),
        ("/", 1, 5),
        (str(Path.cwd()), os.cpu_count(), 10),
    ]


def test_the_user_the_load_the_memory_and_the_address_are_only_the_targets(seen):
    accounts = [(each.pw_uid, each.pw_name) for each in pwd.getpwall()[:2]]
    read = (
        "(os.getuid(), pwd.getpwuid(os.geteuid()).pw_name, os.getloadavg()[0],"
        " os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') >> 20, uuid.getnode())"
    )
    wanted = [
        Surroundings(user=number, load=0.5 + number, memory=256 << number, address=7 + number)
        for number in range(2)
    ]
    found = [each[2] for each in seen(read, *wanted, OURS)]
    assert found[:2] == [(*accounts[0], 0.5, 256, 7), (*accounts[1], 1.5, 512, 8)]
    assert found[2][0] == os.getuid()
    assert found[2][3:] == (
        os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
        uuid.getnode(),
    )


def test_the_address_stays_when_the_clock_is_shifted(seen):
    shifted = Surroundings(clock=datetime(2028, 2, 29, 3, tzinfo=UTC).timestamp())
    found = seen("uuid.getnode()", OURS, shifted, Surroundings(address=7), shifted)
    assert [each[2] for each in found] == [found[0][2], found[0][2], 7, found[0][2]]


def test_the_file_is_a_copy_with_its_own_time(seen):
    read = "int(os.path.getmtime(__file__))"
    found = seen(read, Surroundings(modified=1_000_000_000.0), Surroundings(modified=1_222_333_445.5))
    assert [each[2] for each in found] == [1_000_000_000, 1_222_333_445]


def test_the_variables_that_a_target_reads_are_known(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(REPORTS.format(read="(os.environ.get('ONE'), 'TWO' in os.environ, os.getenv('THREE'))"))
    with resolve(str(file)).open(surroundings=OURS) as host:
        host.arrange(Surroundings(time_zone="UTC"))
        assert host.reads == ("ONE", "TWO", "THREE")


def test_a_target_that_needs_a_variable_does_not_load_without_it(tmp_path, monkeypatch):
    monkeypatch.setenv("NEEDED_HERE", "x")
    file = tmp_path / "mine.py"
    file.write_text(REPORTS.format(read="os.environ['NEEDED_HERE']"))
    target = resolve(str(file))
    with pytest.raises(TargetNotLoadable, match="NEEDED_HERE"):
        target.open(surroundings=Surroundings(variables=()))
    with (
        target.open(surroundings=OURS) as host,
        pytest.raises(TargetNotLoadable, match="NEEDED_HERE"),
    ):
        host.arrange(Surroundings(variables=()))


PROGRAM = """
import json, os, socket, sys
seen = [socket.gethostname(), os.environ.get("POD"), os.getcwd(), os.getpid() % 12]
for line in sys.stdin:
    asked = json.loads(line)
    if asked["call"] == "hello":
        print(json.dumps({"id": asked["id"], "answer": {}}), flush=True)
    else:
        print(json.dumps({"id": asked["id"], "error": json.dumps(seen)}), flush=True)
"""


def test_a_program_is_started_in_the_surroundings_and_found_from_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(PROGRAM)
    (tmp_path / "work").mkdir()
    wanted = Surroundings(
        host_name="kafka-7", variables=(("POD", "web-1"),), folder=str(tmp_path / "work"), process=5
    )
    with resolve("exec:python3 mine.py").open(surroundings=OURS) as host:
        assert "host_name" not in host.unchanged
        host.arrange(wanted)
        with pytest.raises(Exception, match="web-1") as raised:
            host.new({}).assign(Cluster({}), Group(()))
        name = socket.gethostname() if "host_name" in host.unchanged else "kafka-7"
        assert f'["{name}", "web-1", "{tmp_path / "work"}", 5]' in str(raised.value)
        assert host.unchanged["clock"]


@pytest.mark.parametrize("watch", ["monotonic", "perf_counter", "process_time"])
def test_time_passes_on_a_stopwatch_whenever_it_is_read(seen, watch):
    """A busy machine: between two readings lie seconds, in seconds and in nanoseconds."""
    read = f"[b - a for a, b in ((time.{watch}(), time.{watch}()), (time.{watch}_ns(), time.{watch}_ns()))]"
    slow, ours = seen(read, Surroundings(tick=45.0), OURS)
    assert all(45 <= seconds < 50 and 45e9 <= nanoseconds < 50e9 for seconds, nanoseconds in slow)
    assert all(seconds < 5 and nanoseconds < 5e9 for seconds, nanoseconds in ours)


def test_a_machine_is_up_for_seconds_or_for_years(seen):
    read = "(time.monotonic(), time.monotonic_ns() / 1e9)"
    found = [each[0] for each in seen(read, *(Surroundings(uptime=up) for up in (42.0, 1e8, 0.0)), OURS)]
    for times, up in zip(found, (42.0, 1e8, 0.0)):
        assert all(up <= at < up + 60 for at in times)
    assert abs(found[3][0] - time.monotonic()) < 60


def test_time_passes_between_two_calls_on_the_clock_and_on_a_stopwatch(tmp_path):
    """A quiet group calls its object again after hours; each surroundings start with a clock of their own."""
    file = tmp_path / "mine.py"
    file.write_text(REPORTS.format(read="(time.time(), time.monotonic())"))
    clock = datetime(2028, 2, 29, 3, tzinfo=UTC).timestamp()
    with resolve(str(file)).open(surroundings=OURS) as host:
        for surroundings, start in (
            (Surroundings(clock=clock, pause=7_200.0), clock),
            (Surroundings(pause=7_200.0), time.time()),
            (Surroundings(clock=clock, pause=3_600.0), clock),
        ):
            host.arrange(surroundings)
            mine, times = host.new({}), []
            for _ in range(3):
                with pytest.raises(Exception, match="ValueError") as raised:
                    mine.assign(Cluster({}), Group(()))
                times.append(eval(str(raised.value).partition("ValueError: ")[2].rpartition(" (")[0])[2])
            (first, *later), watches = zip(*times)
            assert 0 <= first - start <= surroundings.pause + 60
            for passed in (later[0] - first, later[1] - later[0], watches[1] - watches[0]):
                assert surroundings.pause - 1 < passed < surroundings.pause + 60


def test_the_library_for_other_programs_is_the_named_one_or_that_of_the_system(tmp_path, monkeypatch):
    file = tmp_path / "libfaketimeMT.so.1"
    for named, found in ((str(file), None), ("", None)):
        monkeypatch.setenv(LIBRARY, named)
        assert clock_library() == found
    file.write_bytes(b"")
    monkeypatch.setenv(LIBRARY, str(file))
    assert clock_library() == str(file)
    monkeypatch.delenv(LIBRARY)
    monkeypatch.setattr(arrangement, "_PLACES", (str(tmp_path).lstrip("/"),))
    assert clock_library() == str(file)


def test_a_program_reads_how_far_its_clock_is_shifted():
    clock = ProgramClock("/lib/none.so")
    offset = Path(clock.environment["FAKETIME_TIMESTAMP_FILE"])
    for ahead in (3_600, -86_400.5):
        clock.move_to(time.time() + ahead)
        assert float(offset.read_text()) == pytest.approx(ahead, abs=5)
        assert offset.read_text()[0] in "+-"
    assert clock.environment["LD_PRELOAD"] == "/lib/none.so"
    assert clock.lacks(os.getpid()) == "the program is linked statically", "it was not loaded there"
    assert clock.lacks(2**22 + 1) == "the program is gone"
    clock.close()
    assert not offset.parent.exists()


def test_a_program_of_go_is_not_said_to_follow(tmp_path, monkeypatch):
    monkeypatch.setattr(arrangement, "_FILE", "python.so")
    clock = ProgramClock("/lib/none.so")
    assert clock.lacks(os.getpid()) == ""
    monkeypatch.setattr(arrangement, "_OF_GO", b"\x7fELF")
    assert clock.lacks(os.getpid()) == "a program of Go reads the system's clock itself"
    clock.close()


CLOCK = """
import json, sys, time
for line in sys.stdin:
    request = json.loads(line)
    reply = {"answer": {}} if request["call"] == "hello" else {"error": time.strftime("%Y %H", time.gmtime())}
    print(json.dumps({"id": request["id"], **reply}), flush=True)
"""


@pytest.mark.skipif(clock_library() is None, reason="this machine has no libfaketime")
def test_the_clock_of_another_program_is_shifted_and_moved(tmp_path):
    file = tmp_path / "clock.py"
    file.write_text(CLOCK)
    at = datetime(2041, 2, 3, 4, 5, tzinfo=UTC).timestamp()
    with resolve(f"exec:python3 {file}").open(surroundings=replace(OURS, clock=at)) as host:
        assert "clock" not in host.unchanged
        assert host.moves_clock
        pid = host._guarded.pid
        for moved, text in ((0, "2041 04"), (7_200, "2041 06")):
            host.arrange(replace(OURS, clock=at + moved))
            with pytest.raises(TargetFailure, match=text):
                host.new({}).assign(Cluster.of({"t": 1}), Group((Member("a", ("t",)),)))
            assert host._guarded.pid == pid
        host.arrange(replace(OURS, clock=at, time_zone="UTC"))
        assert host._guarded.pid != pid


def test_without_the_library_the_clock_of_a_program_is_not_shifted(tmp_path, monkeypatch):
    monkeypatch.setenv(LIBRARY, "")
    file = tmp_path / "clock.py"
    file.write_text(CLOCK)
    with resolve(f"exec:python3 {file}").open(surroundings=replace(OURS, clock=0.0)) as host:
        assert host.unchanged["clock"] == "this machine has no libfaketime"
        assert not host.moves_clock


def test_the_clock_comes_without_what_its_library_would_import_for_tests():
    code = (
        "import sys; from kassay.engines.processes.arrangement import _time_machine; _time_machine();"
        "print('_pytest' in sys.modules, 'dateutil' in sys.modules, 'pytest' in sys.modules);"
        "import pytest; print(pytest.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["False", "False", "False", "pytest"], done.stderr
