"""The tables in pyarrow and in DuckDB: sums of all counters, and that every id leads somewhere.

format: parquet
suffix: .tables
counters: many
pypi: pyarrow duckdb
"""

import json
import sys
from pathlib import Path

import duckdb
import pyarrow.compute as compute
import pyarrow.parquet as parquet

exported = Path(sys.argv[1])
told = json.load(open(sys.argv[2]))
COLUMNS = {"total", "live", "peak", "at-peak"}


def column(counter):
    return counter.replace("-", "_") + ("_bytes" if counter in COLUMNS else "")


def expect(what, found, truth):
    if found != truth:
        sys.exit(f"{what}: truth {truth}, read {found}")


stacks = parquet.read_table(exported / "stacks.parquet")
expect("stacks", stacks.num_rows, told["stacks"])
for counter, truth in told["counters"].items():
    expect(counter, compute.sum(stacks[column(counter)]).as_py() or 0, truth)

base = duckdb.connect()
for table in ["stacks", "frames", "nodes", "events", "deltas"]:
    file = exported / f"{table}.parquet"
    base.execute(f"create view {table} as select * from read_parquet('{file}')")


def number(query):
    return base.sql(query).fetchall()[0][0] or 0


for counter, truth in told["counters"].items():
    expect(counter, int(number(f"select sum({column(counter)}) from stacks")), truth)

# The path of a stack is the way from its node to the root.
way = """
    with recursive way(stack, node, frame, step) as (
        select stacks.stack, nodes.node, nodes.frame, 0 from stacks join nodes using (node)
        union all
        select stack, parents.node, parents.frame, step + 1
        from way join nodes on way.node = nodes.node
        join nodes as parents on nodes.parent = parents.node
    )
    select count(*) from stacks
    left join (select stack, list(frame order by step desc) as path from way group by stack)
        as walked using (stack)
    where stacks.path is distinct from coalesce(walked.path, [])
"""
expect("paths that differ from their nodes", number(way), 0)
expect(
    "frames that are nowhere",
    number("select count(*) from (select unnest(path) as frame from stacks) anti join frames using (frame)"),
    0,
)
expect("deltas of no stack", number("select count(*) from deltas anti join stacks using (stack)"), 0)
# All that a stack changed is what is live.
changed = """
    select count(*) from (select stack, sum(bytes) as bytes from deltas group by stack) as changed
    join stacks using (stack) where changed.bytes <> stacks.live_bytes
"""
expect("stacks whose deltas do not add up", number(changed), 0)
