"""The bars residue has to meet, and whether it does."""

from dataclasses import dataclass

from lib.lab import HEAPTRACK, HEAPTRACK_RAW, NATIVE, RESIDUE
from lib.sections import ALLOCS_PER_PATH, GXX, loop_name

PASS, FAIL, SKIP = "PASS", "FAIL", "SKIP"

# (depth, allocations a path, threads): added cost against heaptrack's, one in ...
LOOP_AGAINST_HEAPTRACK = (((60, 25, 1), 10), ((60, 25, 2), 20), ((120, 25, 1), 6))
LOOP_AGAINST_NATIVE = ((60, 250, 1), 2.5)
DEPTH_GROWTH = 2.0
THREAD_GROWTH = 1.3
GXX_SLOWDOWN = 1.5
BYTES_PER_BLOCK = 32
BYTES_PER_NODE = 128
MILLION_FILE_BYTES = 60_000_000
MILLION_FINISH_S = 10


@dataclass
class Check:
    name: str
    bar: str
    found: str
    verdict: str


def evaluate(results):
    return [*loop(results), *programs(results), *memory(results), *million(results)]


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
    case, factor = LOOP_AGAINST_NATIVE
    ratio = divide(added(case), results.median("loop", loop_name(*case), NATIVE, "ns"))
    yield loop_check(results, case, compare(f"{label(*case)}: added, of a native pair", ratio, factor, times))
    for allocs in ALLOCS_PER_PATH:
        shallow, deep, pair = (60, allocs, 1), (120, allocs, 1), (60, allocs, 2)
        ratio = divide(added(deep), added(shallow))
        name = f"{allocs} a path: added at depth 120, of depth 60"
        yield loop_check(results, deep, compare(name, ratio, DEPTH_GROWTH, times))
        ratio = divide(added(pair), added(shallow))
        name = f"depth 60, {allocs} a path: added per thread with 2 threads, of 1 thread"
        yield loop_check(results, pair, compare(name, ratio, THREAD_GROWTH, times))


def label(depth, allocs, threads):
    return f"depth {depth}, {allocs} a path, {threads} thread{'s' * (threads > 1)}"


def loop_check(results, case, check):
    return residue_failed(results, "loop", loop_name(*case), check.name) or check


def programs(results):
    if GXX in results.cases("programs"):
        slowdown = results.ratio("programs", GXX, RESIDUE, "wall_s")
        name = f"{GXX}: time, of native"
        yield residue_failed(results, "programs", GXX, name) or compare(name, slowdown, GXX_SLOWDOWN, times)
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
    for section, what in (("memory", "live blocks"), ("million", "stacks, a live block each")):
        for case in results.cases(section):
            name = f"{int(case):,} {what}: recorder's memory"
            most, used = memory_bar(results, section, case), memory_used(results, section, case)
            if most is None:
                check = Check(name, "", "no figure", SKIP)
            else:
                check = compare(name, used, most, megabytes, " MB")
            yield residue_failed(results, section, case, name) or check


def memory_bar(results, section, case):
    nodes = results.median(section, case, RESIDUE, "trie_nodes")
    return None if nodes is None else BYTES_PER_BLOCK * int(case) + BYTES_PER_NODE * nodes


def memory_used(results, section, case):
    parts = [results.median(section, case, RESIDUE, name) for name in ("arena_bytes", "private_bytes")]
    return None if None in parts else sum(parts)


def million(results):
    for case in results.cases("million"):
        count = f"{int(case):,} stacks"
        figure = lambda name: results.median("million", case, RESIDUE, name)
        if failure := residue_failed(results, "million", case, count):
            yield failure
        name = f"{count}: profile"
        yield compare(name, figure("file_bytes"), MILLION_FILE_BYTES, megabytes, " MB", strictly=True)
        name = f"{count}: finished after the program's end"
        yield compare(name, figure("finish_s"), MILLION_FINISH_S, "{:.1f}".format, " s")
        yield all_stacks_kept(count, int(case), figure("stacks"))


def all_stacks_kept(count, wanted, kept):
    """A small profile proves nothing if stacks were pooled for lack of room."""
    name, bar = f"{count}: kept apart", f">= {wanted:,}"
    if kept is None:
        return Check(name, bar, "no figure", SKIP)
    return Check(name, bar, f"{int(kept):,}", PASS if kept >= wanted else FAIL)
