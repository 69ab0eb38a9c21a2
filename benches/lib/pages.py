"""The results as Markdown: docs/OVERHEAD.md, and the short table of the README."""

from lib import checks
from lib.lab import HEAPTRACK, HEAPTRACK_RAW, NATIVE, RESIDUE
from lib.sections import COMMON_PATHS, NEW, loop_name

README_BEGIN, README_END = "<!-- overhead:begin -->", "<!-- overhead:end -->"
README_LOOPS = ((60, 25, 1), (60, 25, 2), (120, 25, 1), (60, 250, 1), (60, 25, 1, NEW))

HEAD = """\
# Overhead

Made by `make bench` (`benches/overhead.py`); not edited by hand.{quick}

## Machine

{machine}

## How it was measured

Contestants: the program alone (*native*), under `residue run -q`, under `heaptrack` as it comes, and under
`heaptrack --raw`, which leaves symbols and the list of blocks for later. They are interleaved: each repeat runs every
case once under every contestant, and who is first changes. All figures are medians; repeats: {repeats}. A run may
take {limit} s, and each of its processes {data_limit} GiB of private memory; DNF: did not finish. Profiles go to a file
system in memory. *Added* is the difference of two medians, to native.
"""

LOOP_TEXT = """\
`workloads/bench.c`: pairs of malloc and free at the end of call paths of the given depth; after so many allocations on
a path the stack goes back to a random level and takes another of 2048 paths. *Each new*: there are as many paths as are
walked, so that every stack is one that was not seen before. Nanoseconds a pair as the slowest thread sees them, over
{profiled_pairs:,} pairs in all (native: {native_pairs:,}, unless each path is new), what happens once at the start
included. heaptrack keeps at most 64 frames of a stack, residue all.
"""

LARGE_TEXT = """\
Nanoseconds a pair. `workloads/large_frames.c`: as above, with 25 allocations a path, 1 thread and frames larger than
16 KiB. `workloads/many_mappings.c`: of so many live mappings a random one is unmapped and made anew. heaptrack does not
record mappings; residue does.
"""

PROGRAMS_TEXT = """\
Wall-clock time of the whole command, until the finished profile is on the file system. `g++ -O2` is its `cc1plus` on a
preprocessed file, since heaptrack does not follow children.
"""

MEMORY_TEXT = """\
Bytes for each live block of 64 bytes, from five stacks (`workloads/live_blocks.c`), when all are made. *Own account*:
the recorder's shared and private memory as `residue report` states it. *Program*: VmRSS of the program, less that of
the native program; it holds residue's shared memory too. *All processes*: the proportional set sizes of all processes
of the run, less native; heaptrack keeps its list of blocks in the interpreter, a process of its own.
"""

MILLION_TEXT = """\
`workloads/million_stacks.c`: distinct stacks, one leak each. *After the end*: from the program's last line to the end
of the command, when the profile is finished. *Added for each stack*: what the run takes longer than the native one,
divided by the stacks that residue kept.
"""

STORM_TEXT = """\
`workloads/import_storm.py`: Python with `PYTHONMALLOC=malloc` imports much of its standard library, then parses and
compiles its sources, which calls the allocator from hundreds of thousands of stacks. Rows as above; Python takes itself
down after its last line, and allocations from stacks that are not new count in what is added for each stack, too.
"""


FAILURES_TEXT = """\
The interpreter of heaptrack 1.4 takes memory without bound when its set of sizes and stacks is filled in an unlucky
order (<https://bugs.kde.org/show_bug.cgi?id=477018>); the program then dies of its closed pipe. Checks fall back to
`heaptrack --raw` in such a case.
"""


def table(header, rows):
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (header, rule, *rows)) + "\n"


def number(value, form="{:,.0f}"):
    return "–" if value is None else form.format(value)


def profilers(results, section):
    """Those who took part."""
    entered = {who for case in results.samples[section].values() for who in case}
    return [who for who in (RESIDUE, HEAPTRACK, HEAPTRACK_RAW) if who in entered]


def cell(results, section, case, who, value, form):
    return "DNF" if results.dnf(section, case, who) else number(value, form)


def loop_table(results):
    against = profilers(results, "loop")
    header = ["depth", "allocations a path", "threads", "paths", "native", *(f"{who} adds" for who in against)]
    header += [f"residue : {who}" for who in against[1:]]
    return table(header, [loop_row(results, case, against) for case in results.cases("loop")])


def loop_row(results, case, against):
    added = {who: results.added("loop", case, who, "ns") for who in against}
    cells = [cell(results, "loop", case, who, added[who], "{:,.1f}") for who in against]
    ratios = [checks.divide(added[RESIDUE], added[who]) for who in against[1:]]
    native = number(results.median("loop", case, NATIVE, "ns"), "{:.1f}")
    ratios = ["–" if ratio is None else checks.one_in(ratio) for ratio in ratios]
    return [*loop_parameters(*case.split("/")), native, *cells, *ratios]


def loop_parameters(depth, allocs, threads, paths=COMMON_PATHS):
    return [depth, allocs, threads, "each new" if paths == NEW else f"{paths:,}"]


def large_table(results):
    against = profilers(results, "large")
    header = ["", NATIVE, *(f"{who} adds" for who in against)]
    return table(header, [large_row(results, case, against) for case in results.cases("large")])


def large_row(results, case, against):
    added = lambda who: results.added("large", case, who, "ns")
    cells = [cell(results, "large", case, who, added(who), "{:,.1f}") for who in against]
    return [case, number(results.median("large", case, NATIVE, "ns"), "{:,.1f}"), *cells]


def programs_table(results):
    against = profilers(results, "programs")
    rows = [program_row(results, case, against) for case in results.cases("programs")]
    return table(["program", NATIVE, *against], rows)


def program_row(results, case, against):
    native = number(results.median("programs", case, NATIVE, "wall_s"), "{:.2f} s")
    return [case, native, *program_cells(results, case, against)]


def program_cells(results, case, against):
    ratio = lambda who: results.ratio("programs", case, who, "wall_s")
    return [cell(results, "programs", case, who, ratio(who), "{:.2f} x") for who in against]


def memory_table(results):
    header = ["live blocks", "residue, own account", "residue, program", "heaptrack, program"]
    header += ["residue, all processes", "heaptrack, all processes"]
    return table(header, [memory_row(results, case) for case in results.cases("memory")])


def memory_row(results, case):
    own = checks.divide(checks.memory_used(results, "memory", case), int(case))
    cells = [f"{int(case):,}", cell(results, "memory", case, RESIDUE, own, "{:.1f} B")]
    return cells + memory_cells(results, case, "program_bytes") + memory_cells(results, case, "all_bytes")


def memory_cells(results, case, name):
    added = lambda who: checks.divide(results.added("memory", case, who, name), int(case))
    return [cell(results, "memory", case, who, added(who), "{:.1f} B") for who in (RESIDUE, HEAPTRACK)]


def million_table(results):
    return stacks_tables(results, "million")


def storm_table(results):
    return stacks_tables(results, "storm")


def stacks_tables(results, section):
    contestants = [NATIVE, *profilers(results, section)]
    tables = [
        table([checks.stacks_label(case), *contestants], stacks_rows(results, section, case, contestants))
        for case in results.cases(section)
    ]
    return "\n".join(tables)


def stacks_rows(results, section, case, contestants):
    def row(title, name, scale, form, shown=contestants):
        cells = stacks_cells(results, section, case, contestants, name, scale, form)
        return [title, *(text if who in shown else "" for who, text in zip(contestants, cells))]

    def own_row(title, value):
        return [title, *(number(value, "{:.1f} B") if who == RESIDUE else "" for who in contestants)]

    yield row("time in all", "wall_s", 1, "{:.2f} s")
    yield row("after the end", "finish_s", 1, "{:.2f} s", contestants[1:])
    added = lambda who: checks.stack_ns(results, section, case, who)
    costs = [cell(results, section, case, who, added(who), "{:,.0f} ns") for who in contestants[1:]]
    yield ["added for each stack", "", *costs]
    yield row("file", "file_bytes", 1e6, "{:.1f} MB", contestants[1:])
    yield row("stacks kept", "stacks", 1, "{:,.0f}", [RESIDUE])
    yield row("trie nodes", "trie_nodes", 1, "{:,.0f}", [RESIDUE])
    used, nodes = checks.memory_used(results, section, case), results.median(section, case, RESIDUE, "trie_nodes")
    yield own_row("recorder's memory for each stack", checks.stack_bytes(results, section, case))
    yield own_row("recorder's memory a node", checks.divide(used, nodes))


def stacks_cells(results, section, case, contestants, name, scale, form):
    value = lambda who: checks.divide(results.median(section, case, who, name), scale)
    return [cell(results, section, case, who, value(who), form) for who in contestants]


def checks_table(found):
    return table(["check", "bar", "found", ""], [[c.name, c.bar, c.found, c.verdict] for c in found])


def failures_list(results):
    return "".join(f"- {section}, {case}, {who}: {why}\n" for section, case, who, why in results.did_not_finish())


def page(results, settings, machine, found):
    quick = "\n\n**From `--quick`: these figures mean nothing.**" if settings["quick"] else ""
    machine_lines = "\n".join(f"- {name}: {value}" for name, value in machine.items())
    parts = [HEAD.format(**settings | {"quick": quick, "machine": machine_lines})]
    loop_text = LOOP_TEXT.format(**settings)
    for section, title, text, make in (
        ("loop", "Allocating in a loop", loop_text, loop_table),
        ("large", "Large frames, many mappings", LARGE_TEXT, large_table),
        ("programs", "Whole programs", PROGRAMS_TEXT, programs_table),
        ("memory", "Memory", MEMORY_TEXT, memory_table),
        ("million", "Many stacks", MILLION_TEXT, million_table),
        ("storm", "Many stacks of Python", STORM_TEXT, storm_table),
    ):
        if results.cases(section):
            parts.append(f"## {title}\n\n{text}\n{make(results)}")
    if failures := failures_list(results):
        parts.append(f"## Did not finish\n\n{FAILURES_TEXT}\n{failures}")
    parts.append(f"## Checks\n\n{checks_table(found)}")
    return "\n".join(parts)


def readme_table(results):
    """Against heaptrack as it comes, and without its interpreter where there are such figures."""
    columns = (RESIDUE, HEAPTRACK, HEAPTRACK_RAW)
    rows = [readme_loop(results, case, columns) for case in README_LOOPS if loop_name(*case) in results.cases("loop")]
    for case in results.cases("programs"):
        rows.append([f"{case}: time, of native", *program_cells(results, case, columns)])
    for case in results.cases("memory")[-1:]:
        rows.append([f"memory for each of {int(case):,} live blocks", *memory_cells(results, case, "all_bytes"), ""])
    for case in results.cases("million"):
        sizes = stacks_cells(results, "million", case, columns, "file_bytes", 1e6, "{:.1f} MB")
        rows.append([f"file with {int(case):,} stacks", *sizes])
    return table(["", *columns], rows)


def readme_loop(results, case, columns):
    added = lambda who: results.added("loop", loop_name(*case), who, "ns")
    cells = [cell(results, "loop", loop_name(*case), who, added(who), "{:,.0f} ns") for who in columns]
    return [f"added to a malloc and free, {checks.label(*case)}", *cells]


def with_table(readme, short):
    """The README with the text between the two markers replaced; None where they are missing."""
    before, begin, rest = readme.partition(README_BEGIN)
    _, end, after = rest.partition(README_END)
    return f"{before}{begin}\n{short}{end}{after}" if begin and end else None
