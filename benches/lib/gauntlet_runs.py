"""One program of the gauntlet: its runs, side by side, and what there is to complain of."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from lib.lab import HEAPTRACK_DONE, SHARED_MEMORY, UNWANTED_VARIABLES, kill_session, parse_json

# Outermost functions of a stack that is whole: where the kernel or the C library starts a
# program, a thread, a constructor of a library, or the loader itself.
ROOTS = re.compile(
    r"^(_start|__libc_start_\w+|main|(__)?clone3?|start_thread|_dl_start_user|_dl_init|call_init|runtime\.\w+)(?!\w)"
)
# A function of a stripped program, such as its `_start`, has no name.
ROOT_FRAMES = 3
LONGEST_DIFFERENCE = 160


@dataclass
class Ran:
    status: int
    wall_s: float
    streams: dict
    is_late: bool = False


@dataclass
class Result:
    name: str
    what: str
    complaints: list = field(default_factory=list)
    native_s: float = 0.0
    recorded_s: float | None = None
    heaptrack_s: float | None = None
    processes: int = 0
    calls: int = 0
    dropped: int = 0
    unknown_frees: int = 0
    to_root: float | None = None
    heaptrack_to_root: float | None = None
    verified: int = 0
    differences: int = 0
    recorder_bytes: int = 0


class Arena:
    """A folder with the program's files, made anew for every run."""

    def __init__(self, residue, program, limit_s):
        self.residue = str(Path(residue).resolve())
        self.program = program
        self.limit_s = limit_s
        self.directory = Path(tempfile.mkdtemp(prefix="residue-gauntlet-"))
        # Programs that change their user must be able to work in it.
        self.directory.chmod(0o755)
        self.made = self.directory / "made"
        self.work = self.directory / "work"
        self.out = self.directory / "out"
        self.shared = Path(tempfile.mkdtemp(prefix="residue-gauntlet-", dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for directory in (self.directory, self.shared):
            shutil.rmtree(directory, ignore_errors=True)

    def run(self, with_heaptrack):
        result = Result(self.program.name, self.program.what)
        missing = [pair for pair in self.program.needs if not shutil.which(pair.partition(":")[0])]
        if missing:
            result.complaints.append(f"not installed: {', '.join(missing)}")
            return result
        self.made.mkdir()
        made = self.start(["sh", "-e", "-c", self.program.make], self.made)
        if made.status != 0:
            result.complaints.append(f"cannot be made: {made.streams['stderr'].strip()[-LONGEST_DIFFERENCE:]}")
            return result
        native, again = self.fresh([]), self.fresh([])
        result.native_s = min(native.wall_s, again.wall_s)
        if native.status != 0:
            result.complaints.append(f"fails unrecorded: {self.last_words(native)}")
            return result
        if difference := self.difference(native, again):
            result.complaints.append(f"speaks otherwise each time: {difference}")
            return result
        self.recorded(native, result)
        self.verified(native, result)
        if with_heaptrack and shutil.which("heaptrack"):
            self.under_heaptrack(result)
        return result

    def recorded(self, native, result):
        ran = self.fresh(self.recording())
        result.recorded_s = ran.wall_s
        if difference := self.difference(native, ran):
            result.complaints.append(f"recorded: {difference}")
        profiles = self.profiles()
        result.processes = len(profiles)
        if not profiles and self.program.is_recorded:
            result.complaints.append("recorded: no profile")
        whole = rooted = 0
        for profile in profiles:
            report = self.report(profile)
            recorder = report.get("recorder", {})
            result.calls += report.get("heap", {}).get("calls", 0) + report.get("mappings", {}).get("calls", 0)
            result.dropped += recorder.get("dropped", 0)
            result.unknown_frees += recorder.get("unknown_frees", 0)
            result.recorder_bytes += recorder.get("arena_bytes", 0) + recorder.get("private_bytes", 0)
            folded = subprocess.run(
                [self.residue, "export", "--format", "folded", "--counter", "calls", "--kind", "all", str(profile)],
                capture_output=True, text=True, errors="replace",
            )
            these = roots(folded.stdout)
            whole, rooted = whole + these[0], rooted + these[1]
        result.to_root = rooted / whole if whole else None
        if left := [path.name for path in self.shared.iterdir()]:
            result.complaints.append(f"recorded: left in shared memory: {', '.join(left)}")

    def verified(self, native, result):
        ran = self.fresh(self.recording("--verify-stacks"))
        if difference := self.difference(native, ran):
            result.complaints.append(f"with stacks compared: {difference}")
        for profile in self.profiles():
            recorder = self.report(profile).get("recorder", {})
            result.verified += recorder.get("verified_stacks", 0)
            result.differences += recorder.get("verify_differences", 0)
        if result.differences:
            result.complaints.append(f"{result.differences} of {result.verified} stacks differ from libgcc's")

    def under_heaptrack(self, result):
        ran = self.fresh(["heaptrack", "-o", str(self.out / "heaptrack")])
        if HEAPTRACK_DONE not in ran.streams["stderr"] + ran.streams["stdout"] or ran.is_late:
            return
        result.heaptrack_s = ran.wall_s
        for file in self.out.glob("heaptrack*"):
            folded = self.out / "folded"
            subprocess.run(
                ["heaptrack_print", "-f", str(file), "-F", str(folded), "--flamegraph-cost-type", "allocations"],
                capture_output=True, timeout=self.limit_s,
            )
            whole, rooted = roots(folded.read_text(errors="replace")) if folded.exists() else (0, 0)
            result.heaptrack_to_root = rooted / whole if whole else None

    def recording(self, *options):
        output = str(self.out / "out.residue")
        return [self.residue, "run", "-q", *options, "-o", output, "--arena-dir", str(self.shared), "--"]

    def profiles(self):
        return sorted(self.out.rglob("*.residue"))

    def report(self, profile):
        done = subprocess.run([self.residue, "report", "--json", "--top", "0", str(profile)], capture_output=True, text=True)
        return parse_json(done.stdout) or {}

    def fresh(self, before):
        """A run from the files as they were made."""
        for directory in (self.work, self.out):
            shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(self.made, self.work, symlinks=True)
        self.out.mkdir()
        for directory in (self.work, self.out):
            directory.chmod(0o777)
        return self.start(before + self.program.command(), self.work)

    def start(self, command, directory):
        environment = {k: v for k, v in os.environ.items() if k not in UNWANTED_VARIABLES}
        home = self.directory / "home"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        # rustup keeps its compilers there.
        for name, folder in (("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")):
            environment.setdefault(name, str(Path.home() / folder))
        environment.update(LC_ALL="C.UTF-8", HOME=str(home), TZ="UTC", **self.program.variables)
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            start = time.monotonic()
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=environment, cwd=directory,
                start_new_session=True,
            )
            is_late = False
            try:
                status = process.wait(self.limit_s)
            except subprocess.TimeoutExpired:
                kill_session(process.pid)
                status, is_late = process.wait(), True
            wall_s = time.monotonic() - start
            streams = {}
            for name, stream in (("stdout", stdout), ("stderr", stderr)):
                stream.seek(0)
                streams[name] = self.comparable(stream.read().decode(errors="replace"))
        return Ran(status, wall_s, streams, is_late)

    def comparable(self, text):
        """Without what residue itself says, and what differs between any two runs."""
        text = re.sub(r"^residue: .*\n", "", text, flags=re.M)
        for pattern, replacement in self.program.same:
            text = re.sub(pattern, replacement, text, flags=re.M)
        return text

    def difference(self, one, other):
        if other.is_late:
            return f"did not end within {self.limit_s:g} s"
        if one.status != other.status:
            return f"{self.last_words(other)}, not {status_text(one.status)}"
        for name in ("stdout", "stderr"):
            mine, theirs = one.streams[name].splitlines(), other.streams[name].splitlines()
            if mine != theirs:
                pairs = zip(mine + [""] * len(theirs), theirs + [""] * len(mine))
                was, now = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
                return f"{name}: {now[:LONGEST_DIFFERENCE]!r}, not {was[:LONGEST_DIFFERENCE]!r}"
        return None

    def last_words(self, ran):
        said = ran.streams["stderr"].strip().splitlines()
        return f"status {status_text(ran.status)}, {(said or ['no word'])[-1][:LONGEST_DIFFERENCE]!r}"


def status_text(status):
    return signal.Signals(-status).name if status < 0 else str(status)


def roots(folded):
    """Calls in all, and those whose stack begins where a program or a thread does."""
    whole = rooted = 0
    for line in folded.splitlines():
        path, _, value = line.rpartition(" ")
        if not value.isdigit():
            continue
        whole += int(value)
        if any(ROOTS.match(frame) for frame in path.split(";")[:ROOT_FRAMES]):
            rooted += int(value)
    return whole, rooted
