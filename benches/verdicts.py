#!/usr/bin/env python3
"""Are the verdicts right? Event loops whose behaviour is known, recorded and judged.

    benches/verdicts.py --residue target/release/residue --workloads build/workloads
        [--events 30,300,1000,3000] [--seeds 5] [--shapes leak,cache-saturates] [--jobs 1] [--limit SECONDS]
        [--json OUT.json] [--markdown docs/VERDICTS.md]

The exit status is 1 when a bar is missed. Seeds count from 1; the same arguments make the same
runs in the same order.
"""

import argparse
import itertools
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the source tree

from lib import verdict_pages, verdict_scores
from lib.checks import FAIL, SKIP
from lib.verdict_runs import Failure, Recorder

DEFAULT_LIMIT_S = 120


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residue", required=True, help="the residue binary")
    parser.add_argument("--workloads", required=True, help="directory of the built workloads")
    parser.add_argument("--events", default="30,300,1000,3000", metavar="N,...")
    parser.add_argument("--seeds", type=int, default=5, help="how many")
    parser.add_argument("--shapes", metavar="SHAPE,...", help="all unless told")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument("--limit", type=float, default=DEFAULT_LIMIT_S, help="time limit of each command in seconds")
    parser.add_argument("--json", metavar="OUT.json", help="write all truths and verdicts")
    parser.add_argument("--markdown", metavar="FILE", help="write the page, usually docs/VERDICTS.md")
    args = parser.parse_args()
    try:
        args.events = [int(count) for count in args.events.split(",")]
    except ValueError:
        parser.error("--events takes numbers with commas between them")
    if args.seeds < 1 or args.jobs < 1:
        parser.error("--seeds and --jobs are at least 1")
    args.recorder = Recorder(args.residue, args.workloads, args.limit)
    try:
        known = args.recorder.shapes()
    except Failure as failure:
        parser.error(str(failure))
    args.shapes = args.shapes.split(",") if args.shapes else known
    if unknown := set(args.shapes) - set(known):
        parser.error(f"no such shape: {', '.join(sorted(unknown))}")
    return args


def take(args):
    """All runs, in the order of events, shapes and seeds, however many at a time."""
    cases = list(itertools.product(args.events, args.shapes, range(1, args.seeds + 1)))
    runs = []
    with ThreadPoolExecutor(args.jobs) as pool:
        for run in pool.map(lambda case: args.recorder.run(case[1], case[0], case[2]), cases):
            runs.append(run)
            progress(run, len(runs), len(cases))
    return runs


def progress(run, done, whole):
    said = f"[{done}/{whole}] {run.shape} {run.events} seed {run.seed}: {verdict_scores.predicted(run)}"
    if sys.stderr.isatty():
        print(f"\r\033[K{said}", end="" if done < whole else "\n", file=sys.stderr, flush=True)
    elif not verdict_scores.is_right(run):
        print(f"{said}, in truth {run.truth_class}", file=sys.stderr)


def document(runs, checks, settings):
    return {
        "settings": settings,
        "checks": [vars(check) for check in checks],
        "runs": [
            vars(run) | {"predicted": verdict_scores.predicted(run), "right": verdict_scores.is_right(run)}
            for run in runs
        ],
    }


def main():
    args = arguments()
    start = time.monotonic()
    runs = take(args)
    checks = verdict_scores.evaluate(runs)
    settings = {
        "shapes": len(args.shapes),
        "seeds": args.seeds,
        "events": ", ".join(map(str, args.events)),
        "runtime_s": time.monotonic() - start,
    }
    page = verdict_pages.page(runs, checks, settings)
    print(page)
    if args.markdown:
        Path(args.markdown).write_text(page)
    if args.json:
        Path(args.json).write_text(json.dumps(document(runs, checks, settings), indent=1) + "\n")
    failed = sum(check.verdict == FAIL for check in checks)
    skipped = sum(check.verdict == SKIP for check in checks)
    print(f"{len(checks) - failed - skipped} bars met, {failed} missed, {skipped} without a figure")
    print(f"{len(runs)} runs in {settings['runtime_s']:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
