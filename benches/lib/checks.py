"""The bars residue has to meet, and whether it does."""

from dataclasses import dataclass

from lib.lab import HEAPTRACK, HEAPTRACK_RAW, RESIDUE
from lib.sections import ALLOCS_PER_PATH, COMMON_PATHS, GXX, NEW, PYTHON_MALLOC, loop_name

PASS, FAIL, SKIP = "PASS", "FAIL", "SKIP"

# A case of the loop: added cost against heaptrack's, one in ...
LOOP_AGAINST_HEAPTRACK = (
    ((60, 25, 1), 15),
    ((60, 25, 2), 20),
    ((120, 25, 1), 8),
    ((60, 25, 1, NEW), 14),
    ((60, 25, 2, NEW), 16),
)
LOOP_ADDED_NS = (((10, 25, 1), 35), ((60, 25, 1), 50), ((60, 250, 1), 38))
DEPTH_GROWTH = 2.0
THREAD_GROWTH = 1.3
SLOWDOWNS = ((GXX, 1.22), (PYTHON_MALLOC, 1.5))
BYTES_PER_BLOCK = 20
FIXED_BYTES = 3_000_000  # taken before the first block, and for tables that are not full yet
BYTES_PER_STACK = 180
NEW_STACK_NS = 500  # the end of the run, when the profile is finished, included
MILLION_FILE_BYTES = 60_000_000
STORM_STACKS = 100_000


@dataclass
class Check:
    name: str
    bar: str
    found: str
    verdict: str


def evaluate(results):
    return [*loop(results), *programs(results), *memory(results), *million(results), *storm(results)]


def compare(name, value, most, form, unit="", strictly=False):
    """A check that a value is not above the bar; without a value there is nothing to say."""
    bar = f"{'<' if strictly else '<='} {form(most)}{unit}"
    if value is None:
        return Check(name, bar, "no figure", SKIP)
    met = value < most if strictly else value <= most
    return Check(name, bar, f"{form(value)}{unit}", PASS if met else FAIL)


def residue_failed(results, section, case, name):
    """A case residue itself did not finish is a failure of every check on it."""
    reason = results.dnf(section, case, RESIDUE)
    return Check(name, "finishes", f"DNF: {reason}", FAIL) if reason else None


def rival(results, section, case, figure):
    """heaptrack as it comes, or without its interpreter where that died."""
    as_it_comes = results.median(section, case, HEAPTRACK, figure) is not None
    raw = results.median(section, case, HEAPTRACK_RAW, figure) is not None
    return HEAPTRACK_RAW if raw and not as_it_comes else HEAPTRACK


def times(value):
    return f"{value:.2f} x"


def tenths(value):
    return f"{value:.1f}"


def megabytes(value):
    return f"{value / 1e6:.1f}"


def one_in(value):
    return f"1/{1 / value:.1f}" if 0 < value < 1 else f"{value:.2f}"


def divide(a, b):
    return None if a is None or not b else a / b


def loop(results):
    added = lambda case, who=RESIDUE: results.added("loop", loop_name(*case), who, "ns")
    for case, one_of in LOOP_AGAINST_HEAPTRACK:
        who = rival(results, "loop", loop_name(*case), "ns")
        name = f"{label(*case)}: added, of what {who} adds"
        ratio = divide(added(case), added(case, who))
        yield loop_check(results, case, compare(name, ratio, 1 / one_of, one_in))
    for case, most in LOOP_ADDED_NS:
        yield loop_check(results, case, compare(f"{label(*case)}: added", added(case), most, tenths, " ns"))
    for allocs in ALLOCS_PER_PATH:
        shallow, deep, pair = (60, allocs, 1), (120, allocs, 1), (60, allocs, 2)
        ratio = divide(added(deep), added(shallow))
        name = f"{allocs} a path: added at depth 120, of depth 60"
        yield loop_check(results, deep, compare(name, ratio, DEPTH_GROWTH, times))
        ratio = divide(added(pair), added(shallow))
        name = f"depth 60, {allocs} a path: added per thread with 2 threads, of 1 thread"
        yield loop_check(results, pair, compare(name, ratio, THREAD_GROWTH, times))


def label(depth, allocs, threads, paths=COMMON_PATHS):
    new = ", each path new" if paths == NEW else ""
    return f"depth {depth}, {allocs} a path, {threads} thread{'s' * (threads > 1)}{new}"


def loop_check(results, case, check):
    return residue_failed(results, "loop", loop_name(*case), check.name) or check


def programs(results):
    for case, most in SLOWDOWNS:
        if case in results.cases("programs"):
            slowdown = results.ratio("programs", case, RESIDUE, "wall_s")
            name = f"{case}: time, of native"
            yield residue_failed(results, "programs", case, name) or compare(name, slowdown, most, times)
    for case in results.cases("programs"):
        who = rival(results, "programs", case, "wall_s")
        name = f"{case}: time, of native, below that of {who}"
        mine, theirs = (results.ratio("programs", case, each, "wall_s") for each in (RESIDUE, who))
        if theirs is None:
            check = Check(name, f"< {who}", "no figure", SKIP)
        else:
            check = compare(name, mine, theirs, times, strictly=True)
        yield residue_failed(results, "programs", case, name) or check


def memory(results):
    for case in results.cases("memory"):
        name = f"{int(case):,} live blocks: recorder's memory"
        most = FIXED_BYTES + BYTES_PER_BLOCK * int(case)
        check = compare(name, memory_used(results, "memory", case), most, megabytes, " MB")
        yield residue_failed(results, "memory", case, name) or check


def memory_used(results, section, case):
    parts = [results.median(section, case, RESIDUE, name) for name in ("arena_bytes", "private_bytes")]
    return None if None in parts else sum(parts)


def million(results):
    for case in results.cases("million"):
        yield from stacks(results, "million", case, int(case))
        name = f"{stacks_label(case)}: profile"
        size = results.median("million", case, RESIDUE, "file_bytes")
        yield compare(name, size, MILLION_FILE_BYTES, megabytes, " MB", strictly=True)


def storm(results):
    for case in results.cases("storm"):
        yield from stacks(results, "storm", case, STORM_STACKS)


def stacks(results, section, case, fewest):
    """What a stack costs that was never seen before, where most are of that kind."""
    label = stacks_label(case)
    if failure := residue_failed(results, section, case, label):
        yield failure
    cost = stack_ns(results, section, case, RESIDUE)
    yield compare(f"{label}: added for each stack", cost, NEW_STACK_NS, tenths, " ns")
    used = stack_bytes(results, section, case)
    yield compare(f"{label}: recorder's memory for each stack", used, BYTES_PER_STACK, tenths, " B")
    yield all_stacks_kept(label, fewest, stacks_kept(results, section, case))


def stacks_label(case):
    """Cases are named by their number of stacks, or by the program."""
    return f"{int(case):,} stacks" if case.isdigit() else case


def stacks_kept(results, section, case):
    return results.median(section, case, RESIDUE, "stacks")


def stack_ns(results, section, case, who):
    """Of whatever the run takes longer than the native one; only residue tells how many stacks there are."""
    seconds = divide(results.added(section, case, who, "wall_s"), stacks_kept(results, section, case))
    return None if seconds is None else 1e9 * seconds


def stack_bytes(results, section, case):
    return divide(memory_used(results, section, case), stacks_kept(results, section, case))


def all_stacks_kept(label, wanted, kept):
    """A small profile proves nothing if stacks were pooled for lack of room."""
    name, bar = f"{label}: kept apart", f">= {wanted:,}"
    if kept is None:
        return Check(name, bar, "no figure", SKIP)
    return Check(name, bar, f"{int(kept):,}", PASS if kept >= wanted else FAIL)
