from kassay.engines.runs.environments.coverage import GAPS_MAX, SeenEnvironments
from kassay.engines.runs.environments.values import environments, hours_of_week


def test_what_was_seen_is_told_by_class_and_what_was_not_with_its_reason():
    seen = SeenEnvironments()
    for each in environments(("/a", "/b", "/c", "/d")):
        seen.add(each, {"host_name": "no namespaces here"})
        seen.environments += 1
    coverage = seen.coverage(9)
    assert coverage.gaps == ("host name not changed (no namespaces here)",)
    assert coverage.to_json() == {
        "environments": 4,
        "calls": 9,
        "covered": list(coverage.covered),
        "gaps": list(coverage.gaps),
        "lacking": ["host name not changed"],
        "missed": [],
    }
    assert "hash seed: 4 values" in coverage.covered
    assert not any(each.startswith("host name") for each in coverage.covered)


def test_the_clock_counts_hours_and_week_days():
    seen = SeenEnvironments(values={"clock": set(hours_of_week())})
    (clock,) = seen.coverage(1).covered
    assert clock.startswith("clock: 24 hours, 7 week days, 31 days of the month, 12 months, 60 minutes")


def test_gaps_stand_once_and_are_few():
    seen = SeenEnvironments(stopped=True)
    for number in (0, 0, *range(20)):
        seen.add_gap(f"gap {number}")
    assert len(seen.coverage(0).gaps) == GAPS_MAX + 1
    assert seen.coverage(0).gaps[-1] == "not every value tried (no time left)"


def test_what_the_machine_has_no_means_for_is_named_and_what_a_target_has_none_for_is_not():
    seen = SeenEnvironments()
    for each in environments(("/a", "/b", "/c", "/d")):
        seen.add(each, {"clock": "time-machine is not installed", "modified": "a rule of kassay's own"})
    coverage = seen.coverage(4)
    assert (coverage.lacking, coverage.missed) == (("clock not shifted",), ())


def test_a_short_run_misses_what_it_did_not_change_and_the_clock_without_every_hour():
    assert SeenEnvironments(nothing=True).coverage(0).missed == ("environment",)
    short, first = SeenEnvironments(stopped=True), environments(("/a", "/b", "/c", "/d"))[0]
    short.add(first.without("locale"), {})
    assert short.coverage(1).missed == ("clock", "locale")
    hours = list(hours_of_week())
    for some in (hours[:24:2], hours[::24], hours[::7]):
        short.values["clock"] = set(some)
        assert short.coverage(1).missed == ("clock", "locale"), "either every hour or every week day"
    short.values["clock"] = set(hours[:24])
    assert short.coverage(1).missed == ("locale",)
