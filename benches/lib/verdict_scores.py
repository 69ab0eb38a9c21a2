"""Verdicts against the truth: what was predicted, whether it is right, and the bars to meet.

A run is a `Run`: the truth as `workloads/shapes` prints it, and the verdict as `residue leaks
--json` does. Nothing here starts a program or prints."""

from collections import Counter
from dataclasses import dataclass

from lib.checks import FAIL, PASS, SKIP, Check

LEAK, FREED_AT_EXIT, FRAGMENTATION = "leak", "freed-at-exit", "fragmentation"
NO_GROWTH, UNDETERMINED, FLAT = "no-growth", "undetermined", "flat"
FILLING, SLOWING = "filling", "slowing"

# Not classes, but columns of their own in the tables.
ELSEWHERE = "leak elsewhere"  # a leak, blamed on another stack than the one that leaks
UNSAID = "leak unsaid"  # no growth, says the verdict; a leak, says its stack
FAILED = "failed"  # no profile, no truth or no verdict

# Fewer events may leave the question open.
ENOUGH_EVENTS = 300

LEAST_RIGHT = 0.97
LEAST_COVERAGE, MOST_COVERAGE = 0.90, 0.99
MOST_FALSE_LEAKS = 0.01
# With fewer intervals, none of which misses, 95 % cannot be told from more than 99 %.
ENOUGH_INTERVALS = 100

# Rates are printed with six decimals.
RELATIVE_TOLERANCE = 1e-6


@dataclass
class Run:
    shape: str
    events: int
    seed: int
    truth: dict | None = None
    verdict: dict | None = None
    failure: str | None = None

    @property
    def truth_class(self):
        return self.truth["class"] if self.truth else None

    @property
    def site(self):
        return self.truth["site"]

    def stacks(self):
        return self.verdict["stacks"]

    def site_stack(self):
        return next((stack for stack in self.stacks() if self.site in stack["path"]), None)

    def blames_the_site(self):
        return bool(self.stacks()) and self.site in self.stacks()[0]["path"]


def predicted(run):
    if run.failure:
        return FAILED
    said = run.verdict["verdict"]
    if said == LEAK:
        return LEAK if run.truth_class != LEAK or run.blames_the_site() else ELSEWHERE
    if said != NO_GROWTH:
        return said
    stack = run.site_stack()
    shape = stack["shape"] if stack else FLAT
    return UNSAID if shape == LEAK else shape


def is_right(run):
    found = predicted(run)
    if found == UNDETERMINED:
        return run.events < ENOUGH_EVENTS or run.truth.get("open", False)
    # That growth slows is true of what fills up, and says less.
    return found == run.truth_class or (found, run.truth_class) == (SLOWING, FILLING)


def is_false_leak(run):
    return run.failure is None and run.truth_class != LEAK and run.verdict["verdict"] == LEAK


def confusion(runs):
    """(truth, predicted) -> number of runs."""
    return Counter((run.truth_class or FAILED, predicted(run)) for run in runs)


def share(part, whole):
    return part / whole if whole else None


def right_share(runs):
    return share(sum(map(is_right, runs)), len(runs))


@dataclass
class Interval:
    """What a verdict, or its stack of the site, says about the rate, beside the rate's truths."""

    low: float | None
    high: float | None
    expected: float
    realised: float

    def contains(self, rate):
        if self.low is None or self.high is None:
            return False
        slack = RELATIVE_TOLERANCE * max(1.0, abs(rate))
        return self.low - slack <= rate <= self.high + slack

    def is_exact(self):
        """No width: the rate is claimed to be known to the byte."""
        if self.low is None or self.high is None:
            return False
        return self.high - self.low <= RELATIVE_TOLERANCE * max(1.0, abs(self.high))


@dataclass
class Coverage:
    """How many intervals contain the rate. Those without width are counted apart."""

    wide: int
    wide_expected: int
    wide_realised: int
    exact: int
    exact_expected: int

    def of_wide(self):
        return share(self.wide_expected, self.wide)


def leaks_found(runs):
    """Runs that leak, are said to leak, and on the right stack."""
    return [run for run in runs if run.truth_class == LEAK and predicted(run) == LEAK]


def has_rate(run):
    """Whether there is one rate for the whole run, so that an interval can contain it."""
    return not run.truth.get("trend", False)


def interval_of(run, said):
    rates = run.truth["expected_rate_bytes_per_event"], run.truth["true_rate_bytes_per_event"]
    return Interval(said.get("low"), said.get("high"), *rates)


def verdict_intervals(runs):
    return [interval_of(run, run.verdict) for run in leaks_found(runs) if has_rate(run)]


def site_intervals(runs):
    return [interval_of(run, run.site_stack()) for run in leaks_found(runs) if has_rate(run)]


def coverage(intervals):
    wide = [interval for interval in intervals if not interval.is_exact()]
    exact = [interval for interval in intervals if interval.is_exact()]
    return Coverage(
        len(wide),
        sum(interval.contains(interval.expected) for interval in wide),
        sum(interval.contains(interval.realised) for interval in wide),
        len(exact),
        sum(interval.contains(interval.expected) for interval in exact),
    )


def ends(runs):
    """Whether the end that is said of each filling lies in its interval."""
    found = []
    for run in runs:
        stack = run.failure is None and run.truth.get("end_bytes") and run.site_stack()
        codes = stack.get("reason_codes", []) if stack else []
        for code in codes:
            if code["code"] == "fills":
                found.append(code["end_low"] <= run.truth["end_bytes"] <= code["end_high"])
    return found


def percent(value):
    return "no figure" if value is None else f"{100 * value:.1f} %"


def check(name, bar, value, met, detail):
    if value is None:
        return Check(name, bar, "no figure", SKIP)
    return Check(name, bar, f"{percent(value)} ({detail})", PASS if met else FAIL)


def evaluate(runs):
    """All bars. A bar without a single run to measure it is skipped, not met."""
    enough = [run for run in runs if run.events >= ENOUGH_EVENTS]
    failed = sum(run.failure is not None for run in runs)
    checks = [Check("runs that failed", "0", str(failed), FAIL if failed else PASS)]

    right, whole = sum(map(is_right, enough)), right_share(enough)
    name = f"right class at {ENOUGH_EVENTS} events and more"
    detail = f"{right} of {len(enough)}"
    checks.append(check(name, f">= {percent(LEAST_RIGHT)}", whole, whole and whole >= LEAST_RIGHT, detail))

    checks.extend(coverage_checks(coverage(verdict_intervals(enough))))
    checks.append(ends_check(ends(enough)))
    for events in sorted({run.events for run in runs}):
        checks.append(false_leak_check(events, [run for run in runs if run.events == events]))
    return checks


def coverage_checks(found):
    covered = found.of_wide()
    too_wide = covered is not None and covered > MOST_COVERAGE and found.wide >= ENOUGH_INTERVALS
    met = covered is not None and covered >= LEAST_COVERAGE and not too_wide
    bar = f"{percent(LEAST_COVERAGE)} .. {percent(MOST_COVERAGE)}"
    detail = f"{found.wide_expected} of {found.wide}"
    yield check("intervals that contain the expected rate", bar, covered, met, detail)

    exact = share(found.exact_expected, found.exact)
    detail = f"{found.exact_expected} of {found.exact}"
    yield check("intervals without width that contain it", percent(1), exact, exact == 1, detail)


def ends_check(found):
    covered = share(sum(found), len(found))
    too_wide = covered is not None and covered > MOST_COVERAGE and len(found) >= ENOUGH_INTERVALS
    met = covered is not None and covered >= LEAST_COVERAGE and not too_wide
    bar = f"{percent(LEAST_COVERAGE)} .. {percent(MOST_COVERAGE)}"
    return check("ends of fillings within their interval", bar, covered, met, f"{sum(found)} of {len(found)}")


def false_leak_check(events, runs):
    clean = [run for run in runs if run.failure is None and run.truth_class != LEAK]
    false = sum(map(is_false_leak, clean))
    found = share(false, len(clean))
    met = found is not None and found <= MOST_FALSE_LEAKS
    name = f"false leaks at {events} events"
    return check(name, f"<= {percent(MOST_FALSE_LEAKS)}", found, met, f"{false} of {len(clean)}")
