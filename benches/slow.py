#!/usr/bin/env python3
"""How often `residue slow` is right, on recorded programs that know what they do.

    benches/slow.py --residue target/release/residue --workloads build/workloads [--parts steady,slow,slowing] [--scale 1]

Each part records `slow_events` many times, with other random times in every run:

- steady: 200 runs of 2000 events without a cause: nothing may slow down, no cause may be named in more than 1 of 100.
- slow: 100 runs in which every 20th event takes twice as long, in one function: named in 95 at least, and no other.
- slowing: runs of 2000 events of which one function makes the last 5 % slower than the first: found and named.

`--scale 0.1` makes a tenth of the runs. Exit status 1 where a bar is missed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from lib import machine  # noqa: E402

NOISE_PERCENT = 20


@dataclass
class Answer:
    """What one recording was said to be."""

    slows_down: bool
    growing: list
    functions: list
    other_causes: list

    def names(self):
        return self.growing + self.functions + self.other_causes


def path(row):
    return " > ".join(row["path"])


def answer(document):
    slow = document["slow"]
    return Answer(
        document["verdict"] == "slows-down",
        [path(row) for row in document["growing"]],
        [path(row) for it in slow for row in it["functions"]],
        # What waits is the machine's doing: other programs run here.
        [f"{it['measure']}: {cause}" for it in slow if it["measure"] == "cpu" for cause in ("stages", "allocations") if it[cause]],
    )


@dataclass
class Part:
    runs: int
    events: int
    event_us: int
    way: str
    options: tuple
    # Function that is to blame, where there is one.
    cause: str | None
    # Least share of runs that must be right.
    bar: float

    def is_right(self, said):
        match self.way:
            case "steady":
                return not said.slows_down and not said.names()
            case "slow":
                return bool(said.functions) and all(self.cause in it for it in said.functions) and not said.growing
            case "slowing":
                return said.slows_down and bool(said.growing) and all(self.cause in it for it in said.growing)


PARTS = {
    "steady": Part(200, 2000, 4000, "steady", ("--cpu",), None, 0.99),
    "slow": Part(100, 400, 10_000, "slow", ("--cpu",), "rehash", 0.95),
    "slowing": Part(20, 2000, 20_000, "slowing", ("--cpu=249",), "lookup", 0.95),
}


def recorded(residue, workloads, folder, part, seed):
    file = folder / "run.residue"
    file.unlink(missing_ok=True)
    program = [workloads / "slow_events", part.events, part.event_us, part.way, 5, NOISE_PERCENT, seed]
    subprocess.run([residue, "run", "-q", *part.options, "-o", file, "--", *map(str, program)],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    told = subprocess.run([residue, "slow", file, "--json"], check=True, capture_output=True)
    return answer(json.loads(told.stdout))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residue", required=True)
    parser.add_argument("--workloads", required=True)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    residue, workloads = Path(arguments.residue).absolute(), Path(arguments.workloads).absolute()
    for name, value in machine.notes(str(residue)).items():
        print(f"{name}: {value}")
    print("\n| program | runs | right | slows down | blamed function named | other names |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    failed = False
    with tempfile.TemporaryDirectory(prefix="residue-slow-") as folder:
        for name in arguments.parts.split(","):
            part = PARTS[name]
            runs = max(1, round(part.runs * arguments.scale))
            said = []
            for seed in range(arguments.seed, arguments.seed + runs):
                said.append(recorded(residue, workloads, Path(folder), part, seed))
                if not part.is_right(said[-1]):
                    print(f"{name}, seed {seed}: {said[-1]}", file=sys.stderr, flush=True)
            right = sum(part.is_right(it) for it in said)
            blamed = sum(any(part.cause in path for path in it.growing + it.functions) for it in said) if part.cause else 0
            other = sum(any(not part.cause or part.cause not in path for path in it.growing + it.functions) for it in said)
            slows = sum(it.slows_down for it in said)
            is_good = right >= part.bar * runs and (name != "steady" or slows == 0)
            failed |= not is_good
            print(f"| {name}, {part.events} events of {part.event_us / 1000:g} ms, {' '.join(part.options)} | {runs} | {right} | "
                  f"{slows} | {blamed} | {other} |" + ("" if is_good else " **missed** |"), flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
