#!/usr/bin/env python3
"""An event loop recorded for as long as asked: does the recorder stay as it is?

    benches/soak.py --residue target/release/residue --workloads build/workloads --minutes 60
        [--threads 4] [--events-per-sleep 50] [--json OUT.json]

workloads/soak.c has a live heap that stays the same, so the recorder's memory must: what it takes in the last half may be
little more than in the quarter before. At the end every count must be the program's own, nothing lost, and the profile small.
The exit status is 1 if something is not so.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the source tree

from lib import profile_counts

FUNCTIONS = {"soak_alloc": "heap", "leak_here": "heap", "plugin_a_alloc": "heap", "soak_map": "mapping"}
LOSSES = ("dropped", "dropped_frees", "missed_frees", "unknown_frees", "cut_stacks", "early_stacks")
# Above what it was in the second quarter, the memory of the second half may be so much more.
MOST_GROWTH = 0.02
MOST_FILE_BYTES = 64 << 20
SAMPLES = 120


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residue", required=True, help="the residue binary")
    parser.add_argument("--workloads", required=True, help="where soak and its plugins are")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--events-per-sleep", type=int, default=50, help="0: no thread ever sleeps")
    parser.add_argument("--short", action="store_true", help="do not compare memory: a short run has not seen all of its stacks")
    parser.add_argument("--json", metavar="OUT.json", help="write all that was measured")
    return parser.parse_args()


def resident_bytes(pid):
    """Of a process; zero when it has gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def has_child(pid):
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().strip() != ""
    except OSError:
        return False


def arena_bytes(folder):
    """What the arenas take of their file system."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*.arena"))


def watched(process, folder, interval_s):
    """Looks at the recorder until the program ends, and says what it sees now and then."""
    samples, started, told_s = [], time.monotonic(), 0
    while process.poll() is None:
        time.sleep(interval_s)
        sample = {
            "seconds": round(time.monotonic() - started, 1),
            "arena_bytes": arena_bytes(folder),
            "residue_bytes": resident_bytes(process.pid),
        }
        # Before it has begun, and while `residue` makes the profile, there is nothing to compare.
        if sample["arena_bytes"] == 0 or not has_child(process.pid):
            continue
        samples.append(sample)
        if sample["seconds"] - told_s >= 60:
            told_s = sample["seconds"]
            print(f"{told_s / 60:5.0f} min  arena {sample['arena_bytes'] >> 10} KiB, residue {sample['residue_bytes'] >> 10} KiB", flush=True)
    return samples


def growth(samples, key):
    """Of the second half above the second quarter, by the largest of each."""
    end = samples[-1]["seconds"]
    most = lambda low, high: max(sample[key] for sample in samples if low * end <= sample["seconds"] <= high * end)
    return most(0.5, 1) / most(0.25, 0.5) - 1


def main():
    args = arguments()
    seconds = int(60 * args.minutes)
    complaints = []
    with tempfile.TemporaryDirectory(prefix="residue-soak-", dir="/dev/shm") as arenas, tempfile.TemporaryDirectory(prefix="residue-soak-") as folder:
        profile = Path(folder) / "soak.residue"
        program = [str(Path(args.workloads) / "soak"), str(seconds), str(args.threads), str(args.events_per_sleep)]
        command = [args.residue, "run", "-q", "--arena-dir", arenas, "-o", str(profile), "--", *program]
        with open(Path(folder) / "out", "w+") as output:
            process = subprocess.Popen(command, stdout=output)
            samples = watched(process, Path(arenas), max(seconds / SAMPLES, 0.2))
            output.seek(0)
            truth = profile_counts.truths(output.read())
        if process.returncode != 0:
            complaints.append(f"status {process.returncode}")
        dump = profile_counts.dumped(args.residue, profile)
        complaints += profile_counts.differences(dump, FUNCTIONS, truth)
        complaints += [f"{dump['recorder'][name]} {name}" for name in LOSSES if dump["recorder"][name]]
        events = dump["timeline"]["about"]["events"]
        if events != truth["events"]:
            complaints.append(f"{events} events, the program counted {truth['events']}")
        file_bytes = profile.stat().st_size
        if file_bytes > MOST_FILE_BYTES:
            complaints.append(f"the profile has {file_bytes} bytes")
        leaks = json.loads(subprocess.run([args.residue, "leaks", "--json", profile], capture_output=True, text=True).stdout)
    grown = {key: growth(samples, key) for key in ("arena_bytes", "residue_bytes")}
    if not args.short:
        complaints += [f"{key} grew by {100 * share:.1f} %" for key, share in grown.items() if share > MOST_GROWTH]
    print(
        f"{truth['events']} events, {truth['soak_alloc.calls']} allocations, {truth['plugins']} plugins, {truth['short_threads']} short threads\n"
        f"arena {samples[-1]['arena_bytes'] >> 10} KiB ({100 * grown['arena_bytes']:+.1f} % in the second half), "
        f"residue {samples[-1]['residue_bytes'] >> 10} KiB ({100 * grown['residue_bytes']:+.1f} %), profile {file_bytes >> 10} KiB\n"
        f"verdict: {leaks['verdict']}; {len(complaints)} complaints"
    )
    for complaint in complaints:
        print(f"    {complaint}")
    if args.json:
        figures = {"truth": truth, "samples": samples, "growth": grown, "file_bytes": file_bytes, "complaints": complaints}
        Path(args.json).write_text(json.dumps(figures, indent=1) + "\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
