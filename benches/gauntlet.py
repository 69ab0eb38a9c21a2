#!/usr/bin/env python3
"""Real programs, recorded and not: do they end the same way, with the same output?

    benches/gauntlet.py --residue target/release/residue [--only git,node | --slice] [--list]
        [--no-heaptrack] [--limit SECONDS] [--json OUT.json] [--markdown docs/GAUNTLET.md]

Every program is run from the same files: twice unrecorded and twice recorded, in turns; once with its stacks compared to
libgcc's and strace telling what it executes; and once under heaptrack. Needs Debian's packages of them (`--install`).
The exit status is 1 when one ended or spoke otherwise than unrecorded, left something behind, had a stack that differs, or
executed what was neither recorded nor named.
"""

import argparse
import json
import signal
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the source tree

from lib import gauntlet_pages, gauntlet_processes, machine
from lib.gauntlet_programs import PROGRAMS
from lib.gauntlet_runs import Trial

DEFAULT_LIMIT_S = 180


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residue", help="the residue binary")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--only", metavar="NAME,...", help="all unless told")
    which.add_argument("--slice", action="store_true", help="the fast ones that every machine has, fewer runs of each, no heaptrack")
    parser.add_argument("--list", action="store_true", help="print the names of the programs")
    parser.add_argument("--install", action="store_true", help="install the packages that are missing")
    parser.add_argument("--no-heaptrack", action="store_true", help="leave out the runs under heaptrack")
    parser.add_argument("--limit", type=float, default=DEFAULT_LIMIT_S, help="time limit of each run in seconds")
    parser.add_argument("--json", metavar="OUT.json", help="write all that was measured, after each program")
    parser.add_argument("--markdown", metavar="FILE", help="write the page, usually docs/GAUNTLET.md")
    args = parser.parse_args()
    known = {program.name: program for program in PROGRAMS}
    names = args.only.split(",") if args.only else list(known)
    if unknown := set(names) - set(known):
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    args.programs = [known[name] for name in names if known[name].is_in_slice or not args.slice]
    if not args.list and not args.residue:
        parser.error("--residue is needed: the binary to record with")
    return args


def main():
    args = arguments()
    if args.list:
        for program in args.programs:
            print(f"{program.name:<12} {program.what}")
        return 0
    if args.install:
        wanted = sorted({pair for program in args.programs for pair in program.needs} | {"strace:strace"})
        libraries = sorted({pair for program in args.programs for pair in program.needs_libraries})
        subprocess.run([Path(__file__).parent.parent / "scripts/need", *wanted, "--library", *libraries], check=True)
    facts = machine.notes(args.residue)
    gauntlet_processes.adopt_orphans()
    # So that the processes of a run end with this one.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    results = []
    for program in args.programs:
        with Trial(args.residue, program, args.limit) as trial:
            result = trial.run(with_heaptrack=not (args.no_heaptrack or args.slice), is_quick=args.slice)
        print(gauntlet_pages.line(result), flush=True)
        for complaint in result.complaints:
            print(f"    {complaint}", flush=True)
        results.append(result)
        if args.json:
            Path(args.json).write_text(json.dumps([vars(result) for result in results], indent=1) + "\n")
    facts |= machine.load_at_end()
    if args.markdown:
        Path(args.markdown).write_text(gauntlet_pages.page(results, facts))
    failed = sum(bool(result.complaints) for result in results)
    print(f"{len(results) - failed} of {len(results)} programs as unrecorded")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
