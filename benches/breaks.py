#!/usr/bin/env python3
"""Breaks the recorder on purpose, one way after another, and looks whether torture finds each.

    benches/breaks.py --workloads build/workloads [--only NAME,...] [--runs 300] [--seed 1]

Each break changes one place of a copy of the sources (build/breaks), which is then built and tortured until a run fails.
Before them, the same must pass without a break. The exit status is 1 if it does not, if a break stays unfound, or if the text
that one changes is no longer there.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the source tree

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build/breaks"


@dataclass
class Break:
    name: str
    what: str
    file: str
    before: str
    after: str


RECORDER = "crates/recorder/src"
BREAKS = [
    Break(
        "lost-count", "one allocation in a thousand is entered, but not counted", f"{RECORDER}/recorder.rs",
        "    ledger::made(arena, thread, record, stack, bytes);\n    thread.last_block",
        "    if address & 0x3ff0 != 0x12a0 {\n        ledger::made(arena, thread, record, stack, bytes);\n    }\n    thread.last_block",
    ),
    Break(
        "stale-rule", "rules of code that went away are kept", f"{RECORDER}/unwind/rules.rs",
        "            entry.rule.store(0, Ordering::Release);\n",
        "            let _ = entry;\n",
    ),
    Break(
        "unproven-segment", "a stack that was unwound lately is believed without looking", f"{RECORDER}/unwind/segments.rs",
        "unproven(&frames, last) == 1", "frames.address(1) != 0",
    ),
    Break(
        "leaked-lock", "some threads never give a lock back", f"{RECORDER}/spin.rs",
        "        if self.lock.0.swap(0, Ordering::Release) & HAS_WAITERS != 0 {",
        "        if own_number() & 0x1c0 == 0x40 {\n            // It stays held.\n        } else if self.lock.0.swap(0, Ordering::Release) & HAS_WAITERS != 0 {",
    ),
    Break(
        "missed-free", "one block in a thousand is not found when it is freed", f"{RECORDER}/recorder.rs",
        "    let found = live::take(arena, thread, block as usize);\n    let is_known",
        "    let found = match block as usize & 0x3ff0 {\n        0x12a0 => None,\n        _ => live::take(arena, thread, block as usize),\n    };\n    let is_known",
    ),
    Break(
        "fork-state", "a forked child goes on with its parent's state", f"{RECORDER}/hot.rs",
        "sys::advise(page_start(), 4096, sys::MADV_WIPEONFORK)", "sys::advise(page_start(), 4096, 0)",
    ),
    Break(
        "lost-change", "what one interval in 64 left is taken for logged", f"{RECORDER}/changes.rs",
        "let is_known = bytes == 0 && blocks == 0;", "let is_known = bytes == 0 && blocks == 0 || last % 64 == 63;",
    ),
]


def copied(broken=None):
    """The sources, with one break or none; files that are as before keep their time, so that little is built anew."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    for name in (name.decode() for name in files if name):
        if not (ROOT / name).is_file():
            continue
        content = (ROOT / name).read_bytes()
        if broken and name == broken.file:
            text = content.decode()
            if text.count(broken.before) != 1:
                sys.exit(f"breaks: {broken.name}: the text to change is {text.count(broken.before)} times in {broken.file}")
            content = text.replace(broken.before, broken.after).encode()
        place = COPY / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or place.read_bytes() != content:
            place.write_bytes(content)
    page = ROOT / "viewer/dist"
    if page.exists():
        subprocess.run(["cp", "-r", str(page), str(COPY / "viewer")], check=True)


def built(target):
    subprocess.run(["cargo", "build", "--quiet", "--locked", "--target-dir", str(target)], cwd=COPY, check=True)
    return target / "debug/residue"


def tortured(residue, args, runs):
    """What the first failing run says; None if none fails."""
    torture = [sys.executable, ROOT / "benches/torture.py", "--residue", residue, "--workloads", args.workloads]
    options = ["--runs", str(runs), "--seed", str(args.seed), "--until-failure", "--limit", str(args.limit)]
    output = subprocess.run([*torture, *options], capture_output=True, text=True).stdout
    found = re.search(r"^FAILED.*\n.*", output, re.MULTILINE)
    return found and " ".join(found.group().split())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workloads", required=True)
    parser.add_argument("--only", metavar="NAME,...", help="all unless told")
    parser.add_argument("--runs", type=int, default=300, help="a break that so many runs do not find is not found")
    parser.add_argument("--control-runs", type=int, default=30, help="so many must pass without a break")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=120, help="a run that takes so many seconds hangs")
    parser.add_argument("--target-dir", type=Path, default=COPY / "target")
    args = parser.parse_args()
    names = args.only.split(",") if args.only else [one.name for one in BREAKS]
    copied()
    if found := tortured(built(args.target_dir), args, args.control_runs):
        sys.exit(f"breaks: the recorder as it is fails: {found}")
    print(f"{'unbroken':<12} {args.control_runs} runs pass", flush=True)
    unfound = 0
    for broken in (one for one in BREAKS if one.name in names):
        copied(broken)
        found = tortured(built(args.target_dir), args, args.runs)
        print(f"{broken.name:<12} {broken.what}: {'found: ' + found if found else 'NOT FOUND'}", flush=True)
        unfound += found is None
    return 1 if unfound else 0


if __name__ == "__main__":
    sys.exit(main())
