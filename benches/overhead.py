#!/usr/bin/env python3
"""What does recording cost? residue against heaptrack and against nothing.

    benches/overhead.py --residue target/release/residue --workloads build/workloads
        [--repeats 5] [--quick] [--only SECTION,...] [--no-raw] [--limit SECONDS]
        [--from OLD.json] [--json OUT.json] [--markdown docs/OVERHEAD.md] [--update-readme README.md]

Sections: loop, large, programs, memory, million, storm, checks. Without --markdown the page goes to stdout.
`--from` takes the sections that are not measured from an earlier --json; thus
`--only checks --from OLD.json` only writes the page anew. The exit status is 1 when a check fails.
"""

import argparse
import json
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the source tree

from lib import checks, machine, pages, sections
from lib.lab import DATA_LIMIT_BYTES, DEFAULT_LIMIT_S, HEAPTRACK, Lab
from lib.results import Results, take

FEWEST_REPEATS = 5


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residue", required=True, help="the residue binary")
    parser.add_argument("--workloads", required=True, help="directory of the built workloads")
    parser.add_argument("--repeats", type=int, default=FEWEST_REPEATS)
    parser.add_argument("--quick", action="store_true", help="tiny counts, one repeat: shows only that it works")
    parser.add_argument("--only", default=",".join(sections.SECTIONS), metavar="SECTION,...")
    parser.add_argument("--no-raw", action="store_true", help="leave `heaptrack --raw` out")
    parser.add_argument("--limit", type=float, default=DEFAULT_LIMIT_S, help="time limit of each run in seconds")
    parser.add_argument("--from", dest="old", metavar="OLD.json", help="take the other sections from there")
    parser.add_argument("--json", metavar="OUT.json", help="write all samples")
    parser.add_argument("--markdown", metavar="FILE", help="write the page, usually docs/OVERHEAD.md")
    parser.add_argument("--update-readme", metavar="FILE", help="replace the table between the overhead markers")
    args = parser.parse_args()
    args.only = args.only.split(",")
    if unknown := set(args.only) - set(sections.SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    if args.quick:
        args.repeats = 1
    elif args.repeats < FEWEST_REPEATS:
        parser.error(f"a median needs at least {FEWEST_REPEATS} repeats")
    return args


def settings_of(args):
    return {
        "repeats": args.repeats,
        "quick": args.quick,
        "limit": f"{args.limit:g}",
        "data_limit": DATA_LIMIT_BYTES >> 30,
        "native_pairs": sections.Scale(args.quick).of(sections.NATIVE_PAIRS),
        "profiled_pairs": sections.Scale(args.quick).of(sections.PROFILED_PAIRS),
    }


def measure(args, results):
    """Takes all samples; what the sections had before is forgotten."""
    lab = Lab(args.residue, args.workloads, args.limit, not args.no_raw)
    try:
        if not lab.has(HEAPTRACK):
            print("heaptrack is not installed: there is nothing to compare with", file=sys.stderr)
        scale = sections.Scale(args.quick)
        cases = [case for section in args.only for case in sections.cases(lab, section, scale)]
        for case in cases:
            results.samples.pop(case.section, None)
        take(lab, cases, args.repeats, results)
        return bool(cases)
    finally:
        lab.close()


def write_page(args, text):
    if args.markdown:
        Path(args.markdown).write_text(text)
    else:
        print(text)


def update_readme(path, results):
    text = pages.with_table(Path(path).read_text(), pages.readme_table(results))
    if text is None:
        sys.exit(f"{path} has no markers {pages.README_BEGIN} and {pages.README_END}")
    Path(path).write_text(text)


def report(found):
    for check in found:
        print(f"{check.verdict}  {check.name}: {check.found} (bar {check.bar})")
    failed = sum(check.verdict == checks.FAIL for check in found)
    skipped = sum(check.verdict == checks.SKIP for check in found)
    print(f"{len(found) - failed - skipped} passed, {failed} failed, {skipped} without a figure")
    return 1 if failed else 0


def main():
    args = arguments()
    old = json.loads(Path(args.old).read_text()) if args.old else {}
    results = Results(old.get("samples", {}))
    notes = machine.notes(args.residue if os.sep in args.residue else f"./{args.residue}")
    settings = settings_of(args)
    if measure(args, results):
        notes |= machine.load_at_end()
    elif old:
        notes, settings = old["machine"], old["settings"]
    found = checks.evaluate(results) if "checks" in args.only else []
    if args.json:
        document = {"machine": notes, "settings": settings, "samples": results.samples}
        document["checks"] = [vars(check) for check in found]
        Path(args.json).write_text(json.dumps(document, indent=1) + "\n")
    write_page(args, pages.page(results, settings, notes, found))
    if args.update_readme:
        update_readme(args.update_readme, results)
    return report(found)


if __name__ == "__main__":
    sys.exit(main())
