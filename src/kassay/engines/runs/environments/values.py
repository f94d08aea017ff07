"""The environments that a run tries: several that differ in everything at once, and values of each part."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from kassay.model.surroundings import NEEDED, Surroundings

_ZONES: Final = {
    "UTC": "UTC0",
    "Asia/Kolkata": "IST-5:30",
    "America/St_Johns": "NST3:30NDT,M3.2.0,M11.1.0",
    "Pacific/Auckland": "NZST-12NZDT,M9.5.0,M4.1.0/3",
    "Europe/Berlin": "CET-1CEST,M3.5.0,M10.5.0/3",
    "America/New_York": "EST5EDT,M3.2.0,M11.1.0",
    "Asia/Tokyo": "JST-9",
    "Pacific/Kiritimati": "<+14>-14",
}
"""Time zones by name; the rule in the form of POSIX stands in where the machine does not know the name."""
LOCALES: Final = ("C", "C.UTF-8", "en_US.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "ja_JP.UTF-8", "POSIX")
PROCESSORS: Final = (1, 2, 3, 4, 6, 8, 16, 64, 128)
HOST_NAMES: Final = (
    *("kafka-0", "kafka-1", "ip-10-0-3-2", "broker3", "web-6f7d8b9c4-x2v4d", "node-5.rack-b.example", "h6"),
    *("consumer-7", "DC1-KAFKA-08", "host-9", "a", "b", "alpha", "localhost", "orders-group-e", "app-prod-i"),
    *("x" * 63, "node-z", "pod-m", "svc-t", "rack-4", "zone-5"),
)
"""Host names: every last digit, letters, with a domain, short, as long as Linux allows."""
COMMON: Final = (
    *("HOSTNAME", "HOST", "POD_NAME", "POD_IP", "POD_UID", "POD_NAMESPACE", "NAMESPACE", "NODE_NAME"),
    *("MY_POD_NAME", "CONTAINER_ID", "CONTAINER_NAME", "INSTANCE_ID", "INSTANCE", "TASK_ID", "DYNO"),
    *("USER", "USERNAME", "LOGNAME", "HOME", "SHELL", "PWD", "OLDPWD", "TERM", "EDITOR", "COLUMNS", "LINES"),
    *("LC_COLLATE", "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LANGUAGE"),
    *("KAFKA_HOME", "KAFKA_OPTS", "KAFKA_HEAP_OPTS", "KAFKA_BROKER_ID", "KAFKA_NODE_ID", "KAFKA_RACK"),
    *("KAFKA_BOOTSTRAP_SERVERS", "KAFKA_CLIENT_ID", "KAFKA_GROUP_ID", "KAFKA_GROUP_INSTANCE_ID"),
    *("BROKER_ID", "CLIENT_ID", "GROUP_ID", "MEMBER_ID", "CONSUMER_ID", "WORKER_ID", "BOOTSTRAP_SERVERS"),
    *("RACK", "RACK_ID", "ZONE", "AZ", "AVAILABILITY_ZONE", "REGION", "AWS_REGION", "CLUSTER", "DC", "SITE"),
    *("ENV", "ENVIRONMENT", "APP_ENV", "STAGE", "PROFILE", "VERSION", "APP_NAME", "SERVICE_NAME", "PORT"),
    *("DEBUG", "VERBOSE", "LOG_LEVEL", "CI", "TEST", "SEED", "RANDOM_SEED", "SHARD", "SHARD_ID", "INDEX"),
    *("REPLICA", "REPLICAS", "ORDINAL", "KUBERNETES_SERVICE_HOST", "KUBERNETES_PORT", "SSH_CONNECTION"),
)
"""Names of variables that programs in clusters often read."""
VALUES: Final = ("", "0", "1", "2", "7", "a", "b", "true", "false", "web-0", "web-13", "x" * 40)
"""Values of a variable that a target reads; unset is tried as well."""
FIRST_DAY: Final = datetime(2025, 1, 6, tzinfo=UTC)
"""A Monday."""
HOURS_OF_WEEK: Final = 168


def zone(name: str) -> str:
    """The value of TZ for the zone on this machine."""
    return name if Path("/usr/share/zoneinfo", name).exists() else _ZONES[name]


def zones() -> Iterator[str]:
    """The values of TZ."""
    return map(zone, _ZONES)


def hours_of_week() -> Iterator[float]:
    """Instants that meet every hour on every week day, in UTC; the first 24 every hour and every week day.

    They meet every minute, second, month and day of the month as well.
    """
    for number in range(HOURS_OF_WEEK):
        day = FIRST_DAY + timedelta(days=8 * number)
        yield day.replace(
            hour=number % 24, minute=number * 7 % 60, second=number * 11 % 60, microsecond=number * 5_821
        ).timestamp()


def rare_instants() -> Iterator[float]:
    """Instants at which calendars and clocks break: ends of months, 29 February, DST, 2038 and beyond."""
    for text in (
        *("2028-02-29T03:00:00", "2024-02-29T23:59:59", "2027-02-28T12:00:00", "2026-12-31T23:59:59"),
        *("2027-01-01T00:00:00", "2026-01-31T15:00:00", "2026-03-31T09:30:00", "2026-04-30T17:00:00"),
        *("2026-03-29T01:30:00", "2026-10-25T01:30:00", "2026-03-08T07:30:00", "2026-11-01T06:30:00"),
        *("2038-01-19T03:14:08", "2040-07-01T12:00:00", "2106-02-07T06:28:16", "2000-01-01T00:00:00"),
        *("2001-09-09T01:46:40", "2026-06-30T23:59:58", "1999-12-31T23:59:59", "1971-06-01T05:00:00"),
    ):
        yield datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def environments(folders: tuple[str, ...]) -> tuple[Surroundings, ...]:
    """Four environments that differ from each other and from kassay's own process in everything.

    The inherited variables are removed from all of them; the names in `COMMON` have values, are empty, have
    others, or are unset. Each folder in `folders` exists.
    """
    morning, years_end, leap_day, later = (
        datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
        for text in (
            "2025-06-02T02:17:05",
            "2027-12-31T20:44:38",
            "2028-02-29T01:31:52",
            "2041-07-06T12:03:21",
        )
    )

    def values(form: str) -> tuple[tuple[str, str], ...]:
        return tuple((name, form.format(name.lower())) for name in COMMON)

    return (
        Surroundings(
            clock=morning,
            tick=1.0,
            pause=0.25,
            uptime=42.0,
            time_zone=zone("Asia/Kolkata"),
            locale="C",
            variables=values("{}-0"),
            folder=folders[0],
            host_name=HOST_NAMES[0],
            processors=1,
            user=1,
            load=0.0,
            memory=256,
            address=0x02_00_00_00_00_07,
            process=0,
            hash_seed=1,
            modified=1_000_000_000.0,
        ),
        Surroundings(
            clock=years_end,
            tick=0.02,
            pause=61.0,
            uptime=90_000.0,
            time_zone=zone("America/St_Johns"),
            locale="C.UTF-8",
            variables=values(""),
            folder=folders[1],
            host_name=HOST_NAMES[3],
            processors=3,
            user=2,
            load=1.5,
            memory=2_048,
            address=0x0A_5B_11_C0_FF_EE,
            process=5,
            hash_seed=2,
            modified=1_222_333_445.5,
        ),
        Surroundings(
            clock=leap_day,
            tick=90_061.0,
            pause=3_700.0,
            uptime=700.0,
            time_zone=zone("Pacific/Auckland"),
            locale="tr_TR.UTF-8",
            variables=values("13"),
            folder=folders[2],
            host_name=HOST_NAMES[8],
            processors=64,
            user=3,
            load=14.25,
            memory=16_384,
            address=0x06_F0_12_34_56_78,
            process=10,
            hash_seed=4_000_000_007,
            modified=1_700_000_002.25,
        ),
        Surroundings(
            clock=later,
            tick=0.3,
            pause=700_001.0,
            uptime=100_000_000.0,
            time_zone=zone("UTC"),
            locale="ja_JP.UTF-8",
            variables=(),
            folder=folders[-1],
            host_name=HOST_NAMES[10],
            processors=2,
            user=4,
            load=150.0,
            memory=1_048_576,
            address=0xFE_DC_BA_98_76_54,
            process=3,
            hash_seed=77,
            modified=4_102_444_801.0,
        ),
    )


def with_variable(
    base: Surroundings, name: str, inherited: Mapping[str, str] | None = None
) -> Iterator[Surroundings]:
    """The surroundings with each of `VALUES` for the variable, and with the variable unset."""
    values = (
        dict(os.environ if inherited is None else inherited)
        if base.variables is None
        else dict(base.variables)
    )
    values.pop(name, None)
    others = tuple(values.items())
    yield replace(base, variables=others)
    for value in VALUES:
        yield replace(base, variables=((name, value), *others))


def variable_names(read: Iterable[str]) -> tuple[str, ...]:
    """The variables to vary one by one, of those that a target read."""
    fixed = NEEDED | {"TZ", "LANG", "LC_ALL"}
    return tuple(name for name in read if name not in fixed and not name.startswith(("PYTHON", "LD_")))
