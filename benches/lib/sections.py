"""What is measured: the cases of each section, and the figures read from each run."""

import itertools
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Callable

from lib.lab import CONTESTANTS, NATIVE, RESIDUE, WITH_RAW, find_key

DEPTHS = (10, 60, 120)
DEEPEST = 1000
ALLOCS_PER_PATH = (25, 250)
THREADS = (1, 2, 4)
COMMON_PATHS = 2048  # of bench, where it is not told how many
NEW = "new"  # stands for as many paths as are walked

# (depth, allocations a path, threads); and NEW where no path is walked twice.
LOOPS = (
    *itertools.product(DEPTHS, ALLOCS_PER_PATH, THREADS),
    *itertools.product((DEEPEST,), ALLOCS_PER_PATH, (1,)),
    (60, 25, 1, NEW),
    (60, 25, 2, NEW),
)

# Both profilers do the same work, so that what they do once, at the start, weighs the same in
# their cost of a pair: heaptrack's interpreter blocks the program for about 0.4 s then, which
# would be 0.8 us a pair in a run of 500 000. A native run needs more pairs to last long enough,
# but not where the number of pairs is the number of stacks.
NATIVE_PAIRS = 16_000_000
PROFILED_PAIRS = 4_000_000

LARGE_DEPTH, LARGE_ALLOCS_PER_PATH = 60, 25
LIVE_MAPPINGS = (5_000, 60_000)  # the kernel allows a process 65 530
MAPPING_PAIRS = 100_000

LIVE_BLOCKS = (1_000_000, 5_000_000, 10_000_000)
RESIDENT_LINE = "vmrss_kib"  # of live_blocks, when all blocks are made
DISTINCT_STACKS = 1_000_000
STORM = "python3, import storm"
COMPILED_SOURCES = 80

GXX, PYTHON, PYTHON_MALLOC, SQLITE = "g++ -O2", "python3", "python3, PYTHONMALLOC=malloc", "sqlite3"
COMPILED_UNITS = 8
JSON_ITERATIONS = 1000
SQL_ROWS = 200_000
CXX_STANDARD = "-std=c++17"

# The distribution's; `python3` itself may be a shell script of a version manager, and would
# then be what is recorded.
SYSTEM_PYTHON = "/usr/bin/python3"

# --quick only shows that everything works.
QUICK_DIVISOR = 100
QUICK_UNITS = 1

SECTIONS = ("loop", "large", "programs", "memory", "million", "storm", "checks")


@dataclass
class Case:
    section: str
    name: str
    argv: Callable  # of the contestant
    read: Callable  # of the lab, the contestant and the outcome: figures by name
    # heaptrack twice: as it comes, and without the interpreter that often does not survive.
    contestants: tuple = WITH_RAW
    variables: dict = field(default_factory=dict)
    pause_at: str | None = None  # the line at which the program waits to be looked at


@dataclass
class Scale:
    quick: bool

    def of(self, count):
        return max(1, count // QUICK_DIVISOR) if self.quick else count


def cases(lab, section, scale):
    makers = {"loop": loop, "large": large, "programs": programs, "memory": memory, "million": million, "storm": storm}
    return makers[section](lab, scale) if section in makers else []


def loop(lab, scale):
    return [Case("loop", loop_name(*case), pairs_of(lab, scale, *case), read_pair) for case in LOOPS]


def loop_name(*parameters):
    return "/".join(map(str, parameters))


def pairs_of(lab, scale, depth, allocs, threads, paths=COMMON_PATHS):
    command = [lab.workload("bench"), str(depth), str(allocs), str(threads)]
    if paths == NEW:
        pairs = scale.of(PROFILED_PAIRS)
        return always([*command, str(pairs), str(pairs // allocs)])
    return lambda contestant: [*command, str(pairs_for(contestant, scale)), str(paths)]


def pairs_for(contestant, scale):
    return scale.of(NATIVE_PAIRS if contestant == NATIVE else PROFILED_PAIRS)


def read_pair(lab, contestant, outcome):
    return {"ns": outcome.number("ns_per_pair")}


def large(lab, scale):
    return [large_frames(lab, scale), *(many_mappings(lab, scale, live) for live in LIVE_MAPPINGS)]


def large_frames(lab, scale):
    command = [lab.workload("large_frames"), str(LARGE_DEPTH), str(LARGE_ALLOCS_PER_PATH)]
    name = f"malloc and free below {LARGE_DEPTH} frames of 20 KiB"
    return Case("large", name, lambda contestant: [*command, str(pairs_for(contestant, scale))], read_pair)


def many_mappings(lab, scale, live):
    argv = always([lab.workload("many_mappings"), str(live), str(scale.of(MAPPING_PAIRS))])
    return Case("large", f"munmap and mmap among {live:,} mappings", argv, read_pair)


def programs(lab, scale):
    pyjson = [python(), lab.workload("pyjson.py"), str(scale.of(JSON_ITERATIONS))]
    script = write_sql(lab, scale.of(SQL_ROWS))
    return [
        Case("programs", GXX, always(compiler_command(lab, scale)), read_wall),
        Case("programs", PYTHON, always(pyjson), read_wall),
        # Python's own allocator leaves few calls to record; without it every object is one.
        Case("programs", PYTHON_MALLOC, always(pyjson), read_wall, variables={"PYTHONMALLOC": "malloc"}),
        Case("programs", SQLITE, always(["sqlite3", ":memory:", f".read {script}"]), read_wall),
    ]


def python():
    return SYSTEM_PYTHON if os.access(SYSTEM_PYTHON, os.X_OK) else os.path.realpath(sys.executable)


def always(argv):
    return lambda contestant: argv


def read_wall(lab, contestant, outcome):
    return {"wall_s": outcome.wall_s}


def compiler_command(lab, scale):
    """The compiler proper: g++ itself only starts it, and heaptrack does not follow children."""
    units = QUICK_UNITS if scale.quick else COMPILED_UNITS
    source, preprocessed = lab.directory / "big.cpp", lab.directory / "big.ii"
    with open(source, "w") as out:
        subprocess.run([sys.executable, lab.workload("biggen.py"), str(units)], stdout=out, check=True)
    subprocess.run(["g++", CXX_STANDARD, "-O2", "-E", str(source), "-o", str(preprocessed)], check=True)
    found = subprocess.run(["g++", "-print-prog-name=cc1plus"], capture_output=True, text=True, check=True)
    return [found.stdout.strip(), "-quiet", "-fpreprocessed", CXX_STANDARD, "-O2", str(preprocessed), "-o", "/dev/null"]


SQL_BEGIN = """\
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INTEGER, amount REAL, note TEXT);
BEGIN;
"""
SQL_INDEXES = """
COMMIT;
CREATE INDEX purchase_customer ON purchase(customer, amount);
CREATE INDEX customer_city ON customer(city, name);
"""
SQL_QUERIES = """
SELECT city, count(*), sum(amount) FROM customer JOIN purchase ON purchase.customer = customer.id
    GROUP BY city ORDER BY 3 DESC LIMIT 5;
SELECT json_extract(note, '$.kind'), count(*), avg(json_extract(note, '$.weight')) FROM purchase GROUP BY 1;
SELECT length(json_group_array(json_object('id', id, 'note', json(note)))) FROM purchase WHERE amount > 50;
SELECT count(*) FROM (SELECT name, max(amount) FROM customer JOIN purchase ON purchase.customer = customer.id
    GROUP BY name HAVING count(*) > 3 ORDER BY upper(name));
UPDATE purchase SET note = json_set(note, '$.weight', amount * 2) WHERE id % 3 = 0;
SELECT count(DISTINCT note), group_concat(DISTINCT substr(note, 1, 12)) FROM purchase;
DELETE FROM purchase WHERE customer IN (SELECT id FROM customer WHERE city = 'city 7');
SELECT count(*), total(amount) FROM purchase;
"""
QUERY_ROUNDS = 3
ROWS_PER_CUSTOMER = 10
CITIES = 50


def write_sql(lab, rows):
    """One insert a statement, as programs do it: parsing and planning allocate most."""
    path = lab.directory / "script.sql"
    path.write_text(SQL_BEGIN + "\n".join(sql_inserts(rows)) + SQL_INDEXES + SQL_QUERIES * QUERY_ROUNDS)
    return path


def sql_inserts(rows):
    customers = max(1, rows // ROWS_PER_CUSTOMER)
    for c in range(customers):
        yield f"INSERT INTO customer VALUES({c}, 'name {c * 7919 % 10007}', 'city {c % CITIES}');"
    for row in range(rows):
        customer, amount = row * 31 % customers, row * 7919 % 10007 / 100
        note = f'{{"kind": "k{row % 13}", "weight": {row % 97}, "tags": ["a{row % 5}", "b{row}"]}}'
        yield f"INSERT INTO purchase VALUES({row}, {customer}, {amount}, '{note}');"


def memory(lab, scale):
    def case(blocks):
        argv = always([lab.workload("live_blocks"), str(blocks), "wait"])
        return Case("memory", str(blocks), argv, read_memory, CONTESTANTS, pause_at=RESIDENT_LINE)

    return [case(blocks) for blocks in map(scale.of, LIVE_BLOCKS)]


def read_memory(lab, contestant, outcome):
    figures = {"program_bytes": 1024 * outcome.number(RESIDENT_LINE), "all_bytes": outcome.all_bytes}
    return figures | recorder_figures(lab, contestant, outcome)


def recorder_figures(lab, contestant, outcome):
    if contestant != RESIDUE:
        return {}
    document = lab.statistics(lab.profile(outcome))
    names = ("arena_bytes", "private_bytes", "trie_nodes", "stacks", "dropped")
    return {name: find_key(document, name) for name in names}


def million(lab, scale):
    stacks = scale.of(DISTINCT_STACKS)
    return [Case("million", str(stacks), always([lab.workload("million_stacks"), str(stacks)]), read_stacks)]


def storm(lab, scale):
    argv = [python(), lab.workload("import_storm.py"), str(scale.of(COMPILED_SOURCES))]
    return [Case("storm", STORM, always(argv), read_stacks, variables={"PYTHONMALLOC": "malloc"})]


def read_stacks(lab, contestant, outcome):
    figures = {
        "wall_s": outcome.wall_s,
        # The program's last line stands right before its end.
        "finish_s": outcome.wall_s - outcome.last_truth_s,
        "file_bytes": outcome.file_bytes(),
    }
    return figures | recorder_figures(lab, contestant, outcome)
