#!/usr/bin/env python3
"""Real programs, recorded and not: do they end the same way, with the same output?

    benches/gauntlet.py --residue target/release/residue [--only git,node] [--list]
        [--no-heaptrack] [--limit SECONDS] [--json OUT.json] [--markdown docs/GAUNTLET.md]

Every program is run from the same files: twice unrecorded, once recorded, once with its stacks
compared to libgcc's, and once under heaptrack. Needs Debian's packages of them (`--install`).
The exit status is 1 when one ended or spoke otherwise than unrecorded, or a stack differed.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the source tree

from lib import gauntlet_pages, machine
from lib.gauntlet_programs import PROGRAMS
from lib.gauntlet_runs import Arena

DEFAULT_LIMIT_S = 300


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residue", required=True, help="the residue binary")
    parser.add_argument("--only", metavar="NAME,...", help="all unless told")
    parser.add_argument("--list", action="store_true", help="print the names of the programs")
    parser.add_argument("--install", action="store_true", help="install the packages that are missing")
    parser.add_argument("--no-heaptrack", action="store_true", help="leave out the runs under heaptrack")
    parser.add_argument("--limit", type=float, default=DEFAULT_LIMIT_S, help="time limit of each run in seconds")
    parser.add_argument("--json", metavar="OUT.json", help="write all that was measured")
    parser.add_argument("--markdown", metavar="FILE", help="write the page, usually docs/GAUNTLET.md")
    args = parser.parse_args()
    known = {program.name: program for program in PROGRAMS}
    names = args.only.split(",") if args.only else list(known)
    if unknown := set(names) - set(known):
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    args.programs = [known[name] for name in names]
    return args


def main():
    args = arguments()
    if args.list:
        print("\n".join(program.name for program in args.programs))
        return 0
    if args.install:
        wanted = sorted({pair for program in args.programs for pair in program.needs})
        subprocess.run([Path(__file__).parent.parent / "scripts/need", *wanted], check=True)
    facts = machine.notes(args.residue)
    results = []
    for program in args.programs:
        with Arena(args.residue, program, args.limit) as arena:
            result = arena.run(with_heaptrack=not args.no_heaptrack)
        print(gauntlet_pages.line(result), flush=True)
        for complaint in result.complaints:
            print(f"    {complaint}", flush=True)
        results.append(result)
    if args.markdown:
        Path(args.markdown).write_text(gauntlet_pages.page(results, facts))
    if args.json:
        Path(args.json).write_text(json.dumps([vars(result) for result in results], indent=1) + "\n")
    failed = sum(bool(result.complaints) for result in results)
    print(f"{len(results) - failed} of {len(results)} programs as unrecorded")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
