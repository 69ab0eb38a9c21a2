"""The gauntlet's results as lines of text and as a page."""

import re

HEAD = """# The gauntlet
    make gauntlet                                       # about 15 minutes; installs what is missing
    benches/gauntlet.py --list                          # the names of the programs
    benches/gauntlet.py --residue target/release/residue --only git,node
    make gauntlet-slice                                 # those that every machine has, in a minute, for CI

Real programs from Debian, each run from the same files unrecorded and recorded, twice each and in turns; once more with
stacks compared to libgcc's while strace tells which programs are executed; and once under heaptrack. The command exits with 1
if a recorded run had another exit status, stdout or stderr than the unrecorded one (but for what differs between any two
runs, such as times), left a process or a file in shared memory, had a stack that differs from libgcc's, or executed a program
that was neither recorded nor named.

| column | |
| --- | --- |
| processes | profiles: forked children and replaced programs have their own |
| calls, lost | allocations and mappings recorded, and those that could not be |
| whole | calls whose stack begins where the kernel or the C library starts a program or a thread |
| compared, differing | stacks compared with libgcc's, all or 400,000 evenly chosen, and those that it sees otherwise |
| seconds | of the faster unrecorded run |
| time | of the faster recorded run, until all profiles are written, as a multiple of that |
| memory | the most that all processes of the unrecorded run had to themselves at one moment |
| added | the most of a recorded run, with shared memory and what writes the profiles, less that |
| ht. | the same of heaptrack, which records one process: the program, or the one that a script is about. Empty where that left no recording, or less than a tenth of the calls |

"""

COLUMNS = (
    ("program", "---"), ("what it does", "---"), ("same", "---"), ("processes", "---:"), ("calls", "---:"), ("lost", "---:"),
    ("whole", "---:"), ("ht. whole", "---:"), ("compared", "---:"), ("differing", "---:"), ("seconds", "---:"), ("time", "---:"),
    ("ht. time", "---:"), ("memory", "---:"), ("added", "---:"), ("ht. added", "---:"),
)


def cells(result):
    def ratio(seconds):
        return "" if seconds is None or not result.native_s else f"{seconds / result.native_s:.2f} x"

    def share(part):
        return "" if part is None else f"{100 * part:.1f} %"

    def added(held):
        return "" if held is None else f"{(held - result.native_bytes) / 2**20:.0f} MiB"

    return [
        result.name, result.what, "no" if result.complaints else "yes", f"{result.processes:,}", f"{result.calls:,}",
        f"{result.dropped:,}", share(result.to_root), share(result.heaptrack_to_root), f"{result.verified:,}",
        f"{result.differences:,}", f"{result.native_s:.1f}", ratio(result.recorded_s), ratio(result.heaptrack_s),
        f"{result.native_bytes / 2**20:.0f} MiB", added(result.recorded_bytes), added(result.heaptrack_bytes),
    ]


def line(result):
    (name, _, same, processes, calls, lost, whole, ht_whole, compared, differing, seconds, time, ht_time, memory, more,
     ht_more) = cells(result)
    return (
        f"{name:<12} same: {same:<3} processes {processes:>5}  calls {calls:>12}  lost {lost}  whole {whole:>7} ({ht_whole or '-':>7})"
        f"  compared {compared:>12}  differing {differing}  {seconds:>5} s x {time.removesuffix(' x') or '-':>5}"
        f" ({ht_time.removesuffix(' x') or '-':>5})  {memory:>9} + {more or '-':>8} ({ht_more or '-':>8})"
    )


def page(results, facts):
    names = " | ".join(name for name, _ in COLUMNS)
    rules = " | ".join(rule for _, rule in COLUMNS)
    rows = "".join(f"| {' | '.join(cells(result))} |\n" for result in results)
    complaints = "".join(f"- {result.name}: {said}\n" for result in results for said in result.complaints)
    told = f"\n## What was not the same\n{complaints}" if complaints else ""
    machine = "".join(f"| {name} | {value} |\n" for name, value in facts.items())
    return (
        f"{HEAD}| {names} |\n| {rules} |\n{rows}{told}{notes(results)}{unrecorded(results)}"
        f"\n## Measured on\n| | |\n| --- | --- |\n{machine}"
    )


NOTES = """
## Notes
- Times are of runs in turns, on a machine that may do other work meanwhile: its load is below. A ratio below 1 is noise.
- Where hundreds of processes run for some milliseconds each, as in `checks`, `configure` and `git`, most of the time added is
  for writing their profiles.
"""


def notes(results):
    return NOTES + "".join(f"- {result.name}: {result.note}\n" for result in results if result.note)


def unrecorded(results):
    """What residue said of programs that it did not record, without the folders they lay in."""
    lines = "".join(
        f"- {result.name}: {said}\n" for result in results for said in dict.fromkeys(re.sub(r"\S*/", "", it) for it in result.unrecorded)
    )
    return f"\n## What was not recorded, and why\nPrograms, and what they executed, in the words of `residue run`.\n\n{lines}" if lines else ""
