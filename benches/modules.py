#!/usr/bin/env python3
"""What the recorder's own list of modules costs beside glibc's `_dl_find_object`, which glibc has from 2.35 on.

    benches/modules.py --residue target/release/residue --workloads build/workloads [--libraries 600] [--rounds 150]

The same program is recorded in turns with either; the same with hundreds of libraries, and with plugins that come and go.
Where memory comes to lie, and who else uses the machine, shifts a run by more than the list could cost: so the runs are
many, of each the fastest round counts, and the median of the differences has an interval. The exit status is 1 where that reaches below no 2 ns a pair, where it is wider than
that, or where a stack differs from libgcc's.
"""

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PAIRS = 1_000_000
VERIFIED_PAIRS = 400_000
PLUGIN_ROUNDS = 5000
MOST_NS = 2.0
WAYS = {"unrecorded": None, "_dl_find_object": {}, "list": {"RESIDUE_MODULES": "list"}}


def with_libraries(folder, sources, number):
    """The benchmark, linked with so many libraries that it never calls."""
    for index in range(number):
        (folder / f"lib{index}.c").write_text(f"int function_{index}(int x) {{ return x + {index}; }}\n")
    build = "for i in $(seq 0 $((%d - 1))); do gcc -O2 -shared -fPIC -o liblibrary$i.so lib$i.c; done" % number
    subprocess.run(["sh", "-ec", build], cwd=folder, check=True)
    names = [f"-llibrary{index}" for index in range(number)]
    program = folder / f"bench_{number}"
    subprocess.run(
        ["gcc", "-O2", "-g", "-pthread", "-std=gnu11", "-D_GNU_SOURCE", f"-I{sources}/../include", "-o", program,
         sources / "bench.c", f"-L{folder}", f"-Wl,-rpath,{folder}", "-Wl,--no-as-needed", *names, "-ldl"],
        check=True,
    )
    return program


def median_with_interval(values):
    """The median, and what it is between with a certainty of 95 %: order statistics, whatever the distribution."""
    ordered = sorted(values)
    reach = math.ceil(0.98 * math.sqrt(len(ordered)))
    middle = len(ordered) // 2
    return statistics.median(ordered), ordered[max(middle - reach, 0)], ordered[min(middle + reach, len(ordered) - 1)]


class Bench:
    def __init__(self, residue, folder):
        self.residue = Path(residue).absolute()
        self.folder = folder

    def output(self, way, command, options=()):
        if WAYS[way] is None:
            recorded = command
        else:
            recorded = [self.residue, "run", "-q", *options, "-o", "job.residue", "--", *command]
        environment = {**os.environ, **(WAYS[way] or {})}
        done = subprocess.run(recorded, cwd=self.folder, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    def ns_per_pair(self, way, command):
        return float(re.search(r"^least_ns_per_pair (\S+)", self.output(way, command), re.M)[1])

    def compared(self, way, command):
        """Stacks compared with libgcc's, and those that differ."""
        self.output(way, command, ["--verify-stacks"])
        report = subprocess.run([self.residue, "report", "--json", "--top", "0", "job.residue"], cwd=self.folder,
                                capture_output=True, text=True, check=True).stdout
        numbers = dict(re.findall(r'"(verified_stacks|verify_differences)": *(\d+)', report))
        return int(numbers["verified_stacks"]), int(numbers["verify_differences"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residue", required=True)
    parser.add_argument("--workloads", required=True)
    parser.add_argument("--libraries", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=150)
    args = parser.parse_args()
    workloads = Path(args.workloads).absolute()
    sources = Path(__file__).resolve().parent.parent / "workloads"
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        bench = Bench(args.residue, folder)
        programs = {"few libraries": workloads / "bench", f"{args.libraries} libraries": with_libraries(folder, sources, args.libraries)}
        print(f"{'':24} " + " ".join(f"{way:>16}" for way in WAYS) + f" {'list, more':>12}")
        for name, program in programs.items():
            command = [program, "60", "25", "1", str(PAIRS)]
            times = {way: [] for way in WAYS}
            for turn in range(args.rounds):
                # Neither is always the first.
                for way in list(WAYS)[:: 1 if turn % 2 else -1]:
                    times[way].append(bench.ns_per_pair(way, command))
            medians = {way: statistics.median(found) for way, found in times.items()}
            more, least, most = median_with_interval(a - b for a, b in zip(times["list"], times["_dl_find_object"]))
            failed |= least > MOST_NS or most - least > 2 * MOST_NS
            print(f"{name:24} " + " ".join(f"{medians[way]:>13.1f} ns" for way in WAYS)
                  + f" {more:>+9.1f} ns (95 %: {least:+.1f} .. {most:+.1f})", flush=True)
        cases = {
            **{name: [program, "60", "25", "1", str(VERIFIED_PAIRS)] for name, program in programs.items()},
            f"plugins, {PLUGIN_ROUNDS} times": [workloads / "plugin_host", str(PLUGIN_ROUNDS)],
            "plugins that move": [workloads / "plugin_host", str(PLUGIN_ROUNDS), "moving"],
        }
        for name, command in cases.items():
            compared, differing = bench.compared("list", command)
            failed |= differing > 0 or compared == 0
            print(f"{name:24} {compared:,} stacks compared with libgcc's, {differing} differ", flush=True)
    return int(failed)


sys.exit(main())
