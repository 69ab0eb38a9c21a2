"""Runs one command under one contestant, with a time limit, and says what came of it."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

NATIVE = "native"
RESIDUE = "residue"
HEAPTRACK = "heaptrack"
HEAPTRACK_RAW = "heaptrack --raw"
CONTESTANTS = (NATIVE, RESIDUE, HEAPTRACK)
WITH_RAW = CONTESTANTS + (HEAPTRACK_RAW,)

DEFAULT_LIMIT_S = 120

# heaptrack_interpret 1.4 grows without bound on some recordings; it must not take the machine
# with it. RLIMIT_DATA does not count shared memory, so it is no burden on residue's arena.
DATA_LIMIT_BYTES = 6 << 30

# heaptrack's interpreter prints this when it has read everything; heaptrack's own exit status
# is the program's and does not tell whether the interpreter died.
HEAPTRACK_DONE = "heaptrack stats:"

# A display would make heaptrack open its viewer, debuginfod would make it wait for a network.
UNWANTED_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "DEBUGINFOD_URLS", "LD_PRELOAD")

# heaptrack's interpreter needs a moment to read what the paused program has written.
SETTLING_S = 0.3

# Place of the session's number in /proc/PID/stat, counted behind the name.
SESSION_AFTER_NAME = 3

SHARED_MEMORY = Path("/dev/shm")
LONGEST_REASON = 100


@dataclass
class Outcome:
    wall_s: float
    lines: list  # of stdout
    last_truth_s: float | None  # when the last truth line came, after the start
    all_bytes: int | None  # of all processes of the run, where it was paused
    files: list = field(default_factory=list)  # what the contestant wrote
    failure: str | None = None

    def number(self, name):
        """The value of the stdout line `NAME VALUE`."""
        for line in reversed(self.lines):
            words = line.split()
            if len(words) == 2 and words[0] == name:
                return float(words[1])
        return None

    def file_bytes(self):
        return sum(path.stat().st_size for path in self.files)


class Lab:
    """A temporary directory and the contestants' command lines."""

    def __init__(self, residue, workloads, limit_s=DEFAULT_LIMIT_S, with_raw=True):
        self.residue = str(Path(residue).resolve())
        self.workloads = Path(workloads).resolve()
        self.limit_s = limit_s
        in_memory = SHARED_MEMORY.is_dir() and os.access(SHARED_MEMORY, os.W_OK)
        self.directory = Path(tempfile.mkdtemp(prefix="residue-bench-", dir=SHARED_MEMORY if in_memory else None))
        # In the usual place, but in a directory that goes away even if a run is killed.
        self.arena_options = ["--arena-dir", str(self.directory)] if in_memory else []
        self.absent = set() if shutil.which("heaptrack") else {HEAPTRACK, HEAPTRACK_RAW}
        if not with_raw:
            self.absent.add(HEAPTRACK_RAW)

    def close(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def workload(self, name):
        return str(self.workloads / name)

    def has(self, contestant):
        return contestant not in self.absent

    def command(self, contestant, argv, output):
        return {
            NATIVE: [],
            RESIDUE: [self.residue, "run", "-q", "-o", f"{output}.residue", *self.arena_options, "--"],
            HEAPTRACK: ["heaptrack", "-o", str(output)],
            HEAPTRACK_RAW: ["heaptrack", "--raw", "-o", str(output)],
        }[contestant] + argv

    def profile(self, outcome):
        """The profile of the program itself; those of its children have longer names."""
        return min(outcome.files, key=lambda path: len(path.name), default=None)

    def measure(self, contestant, argv, read, variables, pause_at):
        """Runs, lets `read` take its figures from the outcome, deletes what was written."""
        directory = self.directory / "run"
        directory.mkdir()
        try:
            outcome = self.run(self.command(contestant, argv, directory / "out"), variables, pause_at)
            outcome.files = [path for path in sorted(directory.iterdir()) if path.is_file()]
            if contestant == HEAPTRACK and not outcome.failure and not self.interpreter_finished():
                outcome.failure = "its interpreter died"
            return outcome, {} if outcome.failure else read(self, contestant, outcome)
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    def interpreter_finished(self):
        return HEAPTRACK_DONE in self.stderr_path().read_text(errors="replace")

    def stderr_path(self):
        return self.directory / "stderr"

    def run(self, command, variables, pause_at):
        environment = {k: v for k, v in os.environ.items() if k not in UNWANTED_VARIABLES}
        environment.update(LC_ALL="C", **variables)
        with open(self.stderr_path(), "w") as stderr:
            start = time.monotonic()
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE if pause_at else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=environment,
                cwd=self.directory,
                text=True,
                errors="replace",
                start_new_session=True,
                preexec_fn=limit_memory,
            )
            outcome, status = follow(process, start, self.limit_s, pause_at)
        # heaptrack makes it there, and leaves it when killed.
        Path(f"/tmp/heaptrack_fifo{process.pid}").unlink(missing_ok=True)
        if outcome.failure is None and status != 0:
            outcome.failure = self.describe_death(status)
        return outcome

    def describe_death(self, status):
        how = f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        text = self.stderr_path().read_text(errors="replace")
        said = [line.strip() for line in text.splitlines() if re.search("error|bad_alloc|cannot|fatal|residue:", line)]
        return f"{how}: {said[-1][:LONGEST_REASON]}" if said else how

    def statistics(self, profile):
        """What the recorder says about itself; `report` is tried first since `dump` names every stack."""
        for options in (["report", "--json", "--top", "0"], ["dump", "--json"]):
            done = subprocess.run([self.residue, *options, str(profile)], capture_output=True, text=True)
            document = parse_json(done.stdout)
            if document is not None:
                return document
        print(f"no JSON from {self.residue} report or dump: {done.stderr.strip()}", file=sys.stderr)
        return None


def limit_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_LIMIT_BYTES, DATA_LIMIT_BYTES))


def follow(process, start, limit_s, pause_at):
    """Reads the process's output to its end and waits for it, no longer than the limit.

    At a line that begins with `pause_at` the program waits for an answer, and the memory of
    all processes is taken."""
    late = threading.Event()

    def stop():
        late.set()
        kill_session(process.pid)

    timer = threading.Timer(limit_s, stop)
    timer.start()
    lines, last_truth, all_bytes = [], None, None
    for line in process.stdout:
        if line.startswith("truth"):
            last_truth = time.monotonic() - start
        lines.append(line)
        if pause_at and line.startswith(pause_at):
            time.sleep(SETTLING_S)
            all_bytes = session_bytes(process.pid)
            answer(process)
    status = process.wait()
    wall = time.monotonic() - start
    timer.cancel()
    process.stdout.close()
    failure = f"more than {limit_s:g} s" if late.is_set() else None
    if status != 0:
        kill_session(process.pid)
    return Outcome(wall, lines, last_truth, all_bytes, failure=failure), status


def answer(process):
    try:
        process.stdin.write("\n")
        process.stdin.flush()
    except BrokenPipeError:
        pass  # it died meanwhile; its status will tell


def session_bytes(leader):
    """Memory of all processes of the session, with what they share counted once."""
    total = 0
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            after_name = (directory / "stat").read_text(errors="replace").rpartition(")")[2].split()
            if int(after_name[SESSION_AFTER_NAME]) == leader:
                total += int(re.search(r"^Pss:\s+(\d+)", (directory / "smaps_rollup").read_text(), re.M)[1]) * 1024
        except (OSError, TypeError):
            pass  # it ended just now, or has no memory any more
    return total


def kill_session(leader):
    """Ends what a killed wrapper leaves behind; it was made the leader of its own group."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def parse_json(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def find_key(document, key):
    """The first number under this key, at any depth."""
    if isinstance(document, dict):
        if isinstance(document.get(key), (int, float)):
            return document[key]
        document = list(document.values())
    if isinstance(document, list):
        for value in document:
            found = find_key(value, key)
            if found is not None:
                return found
    return None
