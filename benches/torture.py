#!/usr/bin/env python3
"""Random programs in random circumstances, recorded and not: do they end the same, and are all counts right?

    benches/torture.py --residue target/release/residue --workloads build/workloads
        [--runs 2000] [--minutes 15] [--seed N] [--only SEED] [--jobs N] [--keep]

Each run takes one seed: it chooses what workloads/torture.c does and where (limits, small or missing folders, other users,
namespaces, other allocators, kills). The program runs unrecorded and recorded; status, stdout and stderr must be the same,
what every process counted itself must be what was recorded of it, or be counted as lost, and nothing may stay behind.
One run in ten is workloads/torture_events.c with up to ten million events: what is kept of them must be the truth.
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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the source tree

from lib import torture_counts, torture_events, torture_faults, torture_places

# One seed in so many is of a program with a great many events.
MANY_EVENTS_IN = 10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residue", required=True, help="the residue binary")
    parser.add_argument("--workloads", required=True, help="where torture and plugin_a.so are")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so long, however many runs that were")
    parser.add_argument("--seed", type=int, default=None, help="of the first run; drawn and printed unless told")
    parser.add_argument("--only", type=int, help="one run, by its seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at a time; as many as there are processors unless told")
    parser.add_argument("--limit", type=float, default=120, help="a program that takes so many seconds hangs")
    parser.add_argument("--until-failure", action="store_true", help="the first failure ends it")
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
        self.temporary = self.folder_for("temporary")
        program = Path(args.workloads).resolve() / "torture"
        self.program = [*self.place.around_program, str(program), str(seed)]

    def folder_for(self, name):
        path = self.folder / name
        path.mkdir()
        path.chmod(0o777)
        return path

    def environment(self, truths):
        return {**os.environ, **self.place.environment, "TORTURE_TRUTHS": str(truths), "TMPDIR": str(self.temporary)}

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
                status = process.wait(timeout=self.args.limit)
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
        arenas = self.temporary if self.place.uses_default_folder else self.folder_for("arenas")
        place, program, group = self.place, self.program, None
        if place.is_read_only:
            profiles.chmod(0o555)
        is_mounted = place.arena_bytes is not None
        if is_mounted:
            torture_places.mounted(arenas, place.arena_bytes)
        if place.group_bytes is not None:
            group = torture_places.MemoryGroup(self.folder.name, place.group_bytes)
            program = [*group.around(), *program]
        has_folder = place.uses_default_folder or "--arena-dir" in place.options
        options = [] if has_folder else ["--arena-dir", str(arenas)]
        profile = profiles / "torture.residue"
        tracer = torture_faults.around(place.fault) if place.fault else []
        residue = [*place.around_residue, *tracer, self.args.residue, "run", "-q", *options, *place.options, "-o", str(profile), "--"]
        try:
            ran = self.ended([*residue, *program], self.environment(truths), profiles, self.killing if place.kills else None)
            if place.may_end_early() or place.fault:
                self.wait_for_orphans(truths)
                self.recover(arenas, profiles)
        finally:
            left = files_below(arenas, self.temporary)
            if is_mounted:
                torture_places.unmount(arenas)
            if group:
                group.remove()
        left += files_below(profiles)
        # A `residue` that was killed while it made its folder leaves that for a while: it may just be being made.
        if place.kills in ("residue", "both"):
            left = [name for name in left if name != "owner.new"]
        if left and not (place.fault and torture_faults.keeps_files(place.fault)):
            self.complaints.append(f"left behind: {', '.join(left[:5])}")
        return ran, truths, profiles

    def wait_for_orphans(self, truths):
        """A program whose `residue` was killed runs on."""
        mark = f"TORTURE_TRUTHS={truths}".encode()
        end = time.monotonic() + self.args.limit
        while time.monotonic() < end:
            if not any(mark in environment for environment in all_environments()):
                return
            time.sleep(0.02)
        self.complaints.append("a program whose residue was killed hangs")

    def recover(self, arenas, profiles):
        for left in list(arenas.iterdir()):
            done = subprocess.run(
                [self.args.residue, "recover", "-o", str(profiles), str(left)], capture_output=True, text=True, timeout=self.args.limit
            )
            # One that was killed before its first allocation left nothing to read; a folder that could not be removed, without
            # its owner, may be one that is just being made.
            fault = self.place.fault
            may_be_mere_folder = (fault and torture_faults.keeps_files(fault)) or self.place.kills in ("residue", "both")
            is_mere_folder = may_be_mere_folder and not (left / "owner").exists() and "still being recorded" in done.stderr
            if done.returncode != 0 and "nothing" not in done.stderr and "no recording" not in done.stderr and not is_mere_folder:
                self.complaints.append(f"recover: {done.stderr.strip()[-300:]}")

    def read(self, profiles):
        for path in sorted([*profiles.rglob("*.residue"), *self.temporary.rglob("*.residue")]):
            try:
                yield torture_counts.Recorded(self.args.residue, path)
            except ValueError as error:
                self.complaints.append(str(error))

    def compare_counts(self, truths, profiles, told):
        counted = torture_counts.truths(truths)
        profiles = list(self.read(profiles))
        recorded = {profile.key(): profile for profile in profiles}
        nameless = {profile.meta["pid"] for profile in profiles if profile.is_nameless()}
        for key, truth in sorted(counted.items()):
            has_work = any(truth[f"{name}.calls"] for name in torture_counts.FUNCTIONS)
            if key in recorded:
                for difference in recorded[key].differences(truth):
                    self.complaints.append(f"process {key[0]}, program {key[1]}: {difference}")
            elif not has_work or key[0] in nameless or not self.place.with_children or not self.place.is_recorded:
                continue
            elif not self.is_told_missing(told, profiles):
                self.complaints.append(f"process {key[0]}, program {key[1]}: no profile, and no word")

    def is_told_missing(self, told, profiles):
        """Whether `residue` says, or a profile notes, that processes are missing. After a fault any word will do."""
        notes = [note for profile in profiles for note in profile.meta["notes"]]
        return any("not recorded" in line or "unrecorded" in line for line in [*told, *notes]) or (self.place.fault and told)

    def compare_ends(self, native, recorded):
        """Status and output of a program that ended as it would."""
        if native[0] != recorded[0]:
            self.complaints.append(f"status {native[0]} became {recorded[0]}")
        own = [line for line in recorded[2] if not line.startswith("residue: ")]
        for name, before, after in (("stdout", native[1], recorded[1]), ("stderr", native[2], own)):
            if before != after:
                changed = collections.Counter(before)
                changed.subtract(after)
                changed = [f"{count:+d} {line[:120]!r}" for line, count in changed.items() if count]
                self.complaints.append(f"{name} differs: {'; '.join(changed[:3])}")

    def read_with_faults(self, profiles):
        choices = random.Random(self.seed)
        for path in sorted(profiles.rglob("*.residue"))[:2]:
            self.complaints += torture_faults.reading(choices, self.args.residue, path, self.args.limit)

    def go(self):
        native = self.native()
        recorded, truths, profiles = self.record()
        place = self.place
        for name, result in (("unrecorded", native), ("recorded", recorded)):
            if result[0] == "hangs":
                self.complaints.append(f"{name}: it hangs")
        told = [line for line in recorded[2] if line.startswith("residue: ")]
        if place.fault:
            self.complaints += torture_faults.complaints_of(place.fault, recorded[0], recorded[2], recorded[1], native[0], native[1])
            self.read_with_faults(profiles)
        elif not place.may_end_early():
            self.compare_ends(native, recorded)
        is_apart = "-p" in place.around_residue
        if not is_apart:
            self.compare_counts(truths, profiles, told)

    def clean(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class ManyEvents:
    """A seed whose program has so many events that most are dropped."""

    def __init__(self, args, seed):
        self.args, self.seed, self.complaints = args, seed, []
        self.folder = Path(tempfile.mkdtemp(prefix="residue-torture-"))
        self.events = torture_events.choose_events(random.Random(seed))
        self.place = torture_places.Place(f"many events, {self.events}")

    def go(self):
        program = Path(self.args.workloads).resolve() / "torture_events"
        try:
            thinned = torture_events.Thinned(self.args.residue, program, self.events, self.seed, self.folder, self.args.limit)
            self.complaints = thinned.complaints()
        except subprocess.SubprocessError as error:
            self.complaints = [str(error)]

    def clean(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def files_below(*folders):
    """All but profiles."""
    return [path.name for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".residue"]


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
    print(f"torture: seeds from {seeds[0]}", flush=True)
    end = time.monotonic() + 60 * args.minutes
    failed, places = [], collections.Counter()
    with ThreadPoolExecutor(args.jobs) as pool:
        is_over = lambda: time.monotonic() > end or (failed and args.until_failure)
        for run in pool.map(lambda one: None if is_over() else tried(args, one), seeds):
            if run is None:
                continue
            places[run.place.kind()] += 1
            if run.complaints:
                failed.append(run.seed)
                print(f"FAILED --only {run.seed}  ({run.place.name})", *run.complaints[:8], sep="\n    ", flush=True)
                if args.keep:
                    print(f"    files: {run.folder}", flush=True)
            if (runs := places.total()) % 100 == 0:
                print(f"{runs} runs, {len(failed)} failed", flush=True)
    told = ", ".join(f"{count} {name}" for name, count in places.most_common())
    print(f"{places.total()} random programs, {len(failed)} failed; {told}")
    return 1 if failed else 0


def tried(args, seed):
    """The run of a seed, at its end."""
    run = ManyEvents(args, seed) if seed % MANY_EVENTS_IN == 0 else Run(args, seed)
    run.go()
    if not run.complaints or not args.keep:
        run.clean()
    return run


if __name__ == "__main__":
    sys.exit(main())
