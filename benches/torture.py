#!/usr/bin/env python3
"""Random programs in random circumstances, recorded and not: do they end the same, and are all counts right?

    benches/torture.py --residue target/release/residue --workloads build/workloads
        [--runs 2000] [--minutes 15] [--seed N] [--only SEED] [--keep]

Each run takes one seed: it chooses what workloads/torture.c does and where (limits, small or missing folders, other users,
namespaces, other allocators, kills). The program runs unrecorded and recorded; status, stdout and stderr must be the same,
what every process counted itself must be what was recorded of it, or be counted as lost, and nothing may stay behind.
A failure prints the seed that repeats it: --only SEED. The exit status is 1 if there was one.
"""

import argparse
import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the source tree

from lib import torture_counts, torture_places

LIMIT_S = 120
SHARED_MEMORY = Path("/dev/shm")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residue", required=True, help="the residue binary")
    parser.add_argument("--workloads", required=True, help="where torture and plugin_a.so are")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so long, however many runs that were")
    parser.add_argument("--seed", type=int, default=None, help="of the first run; drawn and printed unless told")
    parser.add_argument("--only", type=int, help="one run, by its seed")
    parser.add_argument("--keep", action="store_true", help="leave the files of a failure")
    return parser.parse_args()


class Run:
    """One seed, in a folder of its own."""

    def __init__(self, args, seed):
        self.seed, self.args = seed, args
        self.folder = Path(tempfile.mkdtemp(prefix="residue-torture-"))
        self.folder.chmod(0o777)
        self.place = torture_places.choose(random.Random(seed))
        self.complaints = []
        program = Path(args.workloads).resolve() / "torture"
        self.program = [*self.place.around_program, str(program), str(seed)]

    def folder_for(self, name):
        path = self.folder / name
        path.mkdir()
        path.chmod(0o777)
        return path

    def environment(self, truths):
        return {**os.environ, **self.place.environment, "TORTURE_TRUTHS": str(truths)}

    def native(self):
        truths = self.folder_for("native")
        # What surrounds `residue` surrounds the unrecorded program too.
        return self.ended([*self.place.around_residue, *self.program], self.environment(truths), truths)

    def ended(self, command, environment, folder, kill=None):
        """Runs it to its end: status, sorted lines of stdout and stderr."""
        out, err = (folder.parent / f"{folder.name}.{stream}" for stream in ("out", "err"))
        with open(out, "wb") as stdout, open(err, "wb") as stderr:
            process = subprocess.Popen(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
            )
            try:
                if kill:
                    kill(process)
                status = process.wait(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                status = "hangs"
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        lines = lambda path: sorted(path.read_text(errors="replace").splitlines())
        return status, lines(out), lines(err)

    def killing(self, process):
        time.sleep(self.place.kill_after_ms / 1000)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        program = children.read_text().split() if children.exists() else []
        victims = {"program": program, "residue": [process.pid], "both": [process.pid, *program]}[self.place.kills]
        for victim in victims:
            try:
                os.kill(int(victim), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def record(self):
        truths, profiles = self.folder_for("truths"), self.folder_for("recorded")
        arenas = self.folder_for("arenas")
        place = self.place
        is_mounted = place.arena_bytes is not None
        if is_mounted:
            torture_places.mounted(arenas, place.arena_bytes)
        options = [] if "--arena-dir" in place.options else ["--arena-dir", str(arenas)]
        profile = profiles / "torture.residue"
        command = [*place.around_residue, self.args.residue, "run", "-q", *options, *place.options, "-o", str(profile), "--"]
        try:
            ran = self.ended([*command, *self.program], self.environment(truths), profiles, self.killing if place.kills else None)
            if place.kills:
                self.wait_for_orphans(truths)
                self.recover(arenas, profiles)
            left = [path.name for path in arenas.iterdir()]
        finally:
            if is_mounted:
                torture_places.unmount(arenas)
        if left:
            self.complaints.append(f"left behind: {', '.join(left[:5])}")
        return ran, truths, profiles

    def wait_for_orphans(self, truths):
        """A program whose `residue` was killed runs on."""
        mark = f"TORTURE_TRUTHS={truths}".encode()
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            if not any(mark in environment for environment in all_environments()):
                return
            time.sleep(0.02)
        self.complaints.append("a program whose residue was killed hangs")

    def recover(self, arenas, profiles):
        for left in list(arenas.iterdir()):
            done = subprocess.run(
                [self.args.residue, "recover", "-o", str(profiles), str(left)], capture_output=True, text=True, timeout=LIMIT_S
            )
            # One that was killed before its first allocation left nothing to read.
            if done.returncode != 0 and "nothing" not in done.stderr and "no recording" not in done.stderr:
                self.complaints.append(f"recover: {done.stderr.strip()[-300:]}")

    def read(self, profiles):
        for path in sorted(profiles.rglob("*.residue")):
            try:
                yield torture_counts.Recorded(self.args.residue, path)
            except ValueError as error:
                self.complaints.append(str(error))

    def compare_counts(self, truths, profiles, told):
        counted = torture_counts.truths(truths)
        recorded = {profile.key(): profile for profile in self.read(profiles)}
        for key, truth in sorted(counted.items()):
            has_work = any(truth[f"{name}.calls"] for name in torture_counts.FUNCTIONS)
            if key in recorded:
                for difference in recorded[key].differences(truth):
                    self.complaints.append(f"process {key[0]}, program {key[1]}: {difference}")
            elif has_work and self.place.with_children and self.place.is_recorded and not is_told_missing(told, recorded.values()):
                self.complaints.append(f"process {key[0]}, program {key[1]}: no profile, and no word")

    def go(self):
        native = self.native()
        recorded, truths, profiles = self.record()
        place = self.place
        for name, result in (("unrecorded", native), ("recorded", recorded)):
            if result[0] == "hangs":
                self.complaints.append(f"{name}: it hangs")
        told = [line for line in recorded[2] if line.startswith("residue: ")]
        if not place.kills:
            if native[0] != recorded[0]:
                self.complaints.append(f"status {native[0]} became {recorded[0]}")
            own = [line for line in recorded[2] if not line.startswith("residue: ")]
            for name, before, after in (("stdout", native[1], recorded[1]), ("stderr", native[2], own)):
                if before != after:
                    changed = collections.Counter(before)
                    changed.subtract(after)
                    changed = [f"{count:+d} {line[:120]!r}" for line, count in changed.items() if count]
                    self.complaints.append(f"{name} differs: {'; '.join(changed[:3])}")
        is_apart = "-p" in place.around_residue
        if not is_apart:
            self.compare_counts(truths, profiles, told)
        return not self.complaints

    def clean(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def is_told_missing(told, profiles):
    """Whether `residue` says, or a profile notes, that processes are missing."""
    notes = [note for profile in profiles for note in profile.meta["notes"]]
    return any("not recorded" in line or "unrecorded" in line for line in [*told, *notes])


def all_environments():
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                yield (process / "environ").read_bytes()
            except OSError:
                pass


def main():
    args = arguments()
    args.residue = str(Path(args.residue).resolve())
    if not torture_places.usable():
        sys.exit("torture: prlimit, setpriv and unshare of util-linux are needed")
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 30)
    seeds = [args.only] if args.only is not None else range(seed, seed + args.runs)
    print(f"seeds from {seeds[0]}", flush=True)
    end = time.monotonic() + 60 * args.minutes
    failed, places = [], collections.Counter()
    for done, one in enumerate(seeds):
        if time.monotonic() > end:
            break
        run = Run(args, one)
        is_good = run.go()
        places[run.place.name.split("=")[0].split(" on ")[0]] += 1
        if not is_good:
            failed.append(one)
            print(f"FAILED --only {one}  ({run.place.name})")
            for complaint in run.complaints[:8]:
                print(f"    {complaint}")
            if args.keep:
                print(f"    files: {run.folder}")
            sys.stdout.flush()
        if is_good or not args.keep:
            run.clean()
        if (done + 1) % 100 == 0:
            print(f"{done + 1} runs, {len(failed)} failed", flush=True)
    runs = sum(places.values())
    print(f"{runs} random programs, {len(failed)} failed; " + ", ".join(f"{count} {name}" for name, count in places.most_common()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
