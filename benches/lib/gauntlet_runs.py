"""One program of the gauntlet: its runs, side by side, and what there is to complain of."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from lib import gauntlet_processes
from lib.gauntlet_processes import TRACE, Watch, executed
from lib.gauntlet_programs import FILES
from lib.lab import HEAPTRACK_DONE, SHARED_MEMORY, UNWANTED_VARIABLES, parse_json

# Outermost functions of a stack that is whole: where the kernel or the C library starts a
# program, a thread, a constructor of a library, or the loader itself.
ROOTS = re.compile(
    r"^(_start|__libc_start_\w+|main|(__)?clone3?|start_thread|_dl_start_user|_dl_init|call_init|runtime\.\w+)(?!\w)"
)
# A function of a stripped program, such as its `_start`, has no name.
ROOT_FRAMES = 3
LONGEST_DIFFERENCE = 160
# Of more calls than this, one in so many has its stack compared: libgcc's unwinder takes its time.
MOST_COMPARED = 400_000
MOST_COMPARED_QUICKLY = 100_000
LEAST_SHARE_OF_HEAPTRACK = 0.1

# What the recorder counts of programs that it could not reach, in the notes of a profile.
COUNTED = re.compile(r"^([\d ]+) (?:forked child|executed program)")


@dataclass
class Ran:
    status: int
    wall_s: float
    streams: dict
    said: list  # by residue
    peak_bytes: int
    left: list  # processes that it did not end
    is_late: bool = False


@dataclass
class Result:
    name: str
    what: str
    note: str = ""
    complaints: list = field(default_factory=list)
    unrecorded: list = field(default_factory=list)  # what residue says of programs that it did not record
    native_s: float = 0.0
    recorded_s: float | None = None
    heaptrack_s: float | None = None
    native_bytes: int = 0
    recorded_bytes: int | None = None
    heaptrack_bytes: int | None = None
    processes: int = 0
    calls: int = 0
    dropped: int = 0
    to_root: float | None = None
    heaptrack_to_root: float | None = None
    verified: int = 0
    differences: int = 0


class Trial:
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
        self.give_to_user(self.shared)
        self.cache = self.cache_of_user()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        gauntlet_processes.end_all()
        for directory in (self.directory, self.shared):
            shutil.rmtree(directory, ignore_errors=True)

    def run(self, with_heaptrack, is_quick):
        """Of a quick one the times are of one run each."""
        program = self.program
        result = Result(program.name, program.what, program.note)
        missing = [pair for pair in program.needs if not shutil.which(pair.partition(":")[0])]
        if missing:
            result.complaints.append(f"not installed: {', '.join(missing)}")
            return result
        self.made.mkdir()
        for name in program.files:
            copy = shutil.copytree if (FILES / name).is_dir() else shutil.copy
            copy(FILES / name, self.made / name)
        made = self.start(["sh", "-e", "-c", program.make], self.made)
        if made.status != 0:
            result.complaints.append(f"cannot be made: {made.streams['stderr'].strip()[-LONGEST_DIFFERENCE:]}")
            return result
        # In turns, so that what else the machine does slows both.
        native = self.fresh()
        if native.status != 0 or native.is_late:
            result.complaints.append(f"fails unrecorded: {self.last_words(native)}")
            return result
        recorded = self.fresh(self.recording())
        self.judge("recorded", native, recorded, result)
        natives, recordings = [native], [recorded]
        if not is_quick:
            again = self.fresh()
            if difference := self.difference(native, again):
                result.complaints.append(f"speaks otherwise each time: {difference}")
                return result
            recorded_again = self.fresh(self.recording())
            self.judge("recorded again", native, recorded_again, result)
            natives.append(again)
            recordings.append(recorded_again)
        result.native_s = min(ran.wall_s for ran in natives)
        result.recorded_s = min(ran.wall_s for ran in recordings)
        result.native_bytes = max(ran.peak_bytes for ran in natives)
        result.recorded_bytes = max(ran.peak_bytes for ran in recordings)
        self.take_figures(recordings[-1], result)
        self.compare_stacks(native, result, MOST_COMPARED_QUICKLY if is_quick else MOST_COMPARED)
        if with_heaptrack and shutil.which("heaptrack") and program.runs_under_heaptrack():
            self.under_heaptrack(result)
        return result

    def judge(self, how, native, ran, result):
        """Whether a recorded run was as the unrecorded one, and left nothing behind."""
        if difference := self.difference(native, ran):
            result.complaints.append(f"{how}: {difference}")
        if left := sorted(set(ran.left) - set(native.left)):
            result.complaints.append(f"{how}: left running: {', '.join(left)}")
        if files := [path.name for path in self.shared.iterdir()]:
            result.complaints.append(f"{how}: left in shared memory: {', '.join(files)}")

    def take_figures(self, ran, result):
        """What the recorded run, whose profiles are there, has recorded."""
        reports = self.reports()
        result.processes = len(reports)
        result.unrecorded = ran.said
        if not reports and self.program.is_recorded:
            result.complaints.append("recorded: no profile")
        if reports and not self.program.is_recorded:
            result.complaints.append("recorded, although it cannot be")
        if not self.program.is_recorded and not ran.said:
            result.complaints.append("not recorded, and nothing says so")
        for report in reports:
            recorder = report.get("recorder", {})
            result.calls += report.get("heap", {}).get("calls", 0) + report.get("mappings", {}).get("calls", 0)
            result.dropped += recorder.get("dropped", 0)
        whole, rooted = (sum(counts) for counts in zip(*self.of_profiles(self.roots), (0, 0)))
        result.to_root = rooted / whole if whole else None

    def compare_stacks(self, native, result, most):
        """A run in which stacks are compared with libgcc's, and strace tells what was executed."""
        log = self.out / "executed"
        one_in = -(-result.calls // most) or 1
        is_traced = self.program.can_be_traced and shutil.which("strace")
        ran = self.fresh((TRACE + [str(log)] if is_traced else []) + self.recording(f"--verify-stacks={one_in}"))
        self.judge("with stacks compared", native, ran, result)
        reports = self.reports()
        for report in reports:
            recorder = report.get("recorder", {})
            result.verified += recorder.get("verified_stacks", 0)
            result.differences += recorder.get("verify_differences", 0)
        if result.differences:
            result.complaints.append(f"{result.differences} of {result.verified} stacks differ from libgcc's")
        if is_traced and log.exists() and (silent := self.unheard_of(executed(log), reports, ran.said)):
            result.complaints.append(f"neither recorded nor named: {', '.join(silent)}")

    def unheard_of(self, all_executed, reports, said):
        """Programs that were executed, and of which residue has neither a profile nor a word."""
        recorded, recorded_to_end, counted = set(), set(), 0
        for report in reports:
            meta = report.get("meta", {})
            executable = Path(meta.get("executable", "").removesuffix(" (deleted)"))
            recorded.add((meta.get("pid"), executable.name))
            if meta.get("end", {}).get("kind") != "exec":
                recorded_to_end.add(meta.get("pid"))
            for note in meta.get("notes", []):
                if number := COUNTED.match(note):
                    counted += int(number[1].replace(" ", ""))
        named = {Path(word).name for line in said for word in re.split(r"[ ,]+", line) if "/" in word}
        missing = []
        # The first of all is residue itself.
        for program in all_executed[1:]:
            names = program.names(self.work)
            is_itself = program.path == "/proc/self/exe" and program.pid in recorded_to_end
            if not is_itself and not names & named and not any((program.pid, name) in recorded for name in names):
                missing.append(program.path)
        return sorted(set(missing)) if len(missing) > counted else []

    def under_heaptrack(self, result):
        output = str(self.out / "heaptrack")
        heaptrack = ["heaptrack", "-o", output]
        if self.program.is_script:
            ran = self.fresh(variables={"UNDER": " ".join(heaptrack)})
        else:
            ran = self.fresh(heaptrack)
        files = list(self.out.glob("heaptrack*"))
        # Scripts keep what it says to themselves; its interpreter ends with a whole file.
        is_done = HEAPTRACK_DONE in ran.streams["stderr"] + ran.streams["stdout"] or self.program.is_script
        if not files or not is_done or ran.is_late:
            return
        folded = self.out / "folded"
        try:
            subprocess.run(
                ["heaptrack_print", "-f", str(files[0]), "-F", str(folded), "--flamegraph-cost-type", "allocations"],
                capture_output=True, timeout=self.limit_s,
            )
        except subprocess.TimeoutExpired:
            return
        whole, rooted = roots(folded.read_text(errors="replace")) if folded.exists() else (0, 0)
        # Where the allocations are elsewhere, in children or in an allocator of the program's own, there is nothing to compare.
        if whole > result.calls * LEAST_SHARE_OF_HEAPTRACK:
            result.heaptrack_to_root = rooted / whole
            result.heaptrack_s, result.heaptrack_bytes = ran.wall_s, ran.peak_bytes

    def recording(self, *options):
        output = str(self.out / "out.residue")
        return [self.residue, "run", "-q", *options, "-o", output, "--arena-dir", str(self.shared), "--"]

    def of_profiles(self, ask):
        """What is answered for each profile; there may be a thousand."""
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return list(threads.map(ask, sorted(self.out.rglob("*.residue"))))

    def reports(self):
        return self.of_profiles(self.report)

    def roots(self, profile):
        folded = [self.residue, "export", "--format", "folded", "--counter", "calls", "--kind", "all", str(profile)]
        return roots(subprocess.run(folded, capture_output=True, text=True, errors="replace").stdout)

    def report(self, profile):
        done = subprocess.run([self.residue, "report", "--json", "--top", "0", str(profile)], capture_output=True, text=True)
        return parse_json(done.stdout) or {}

    def fresh(self, before=(), variables=None):
        """A run from the files as they were made."""
        for directory in (self.work, self.out):
            shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(self.made, self.work, symlinks=True)
        self.out.mkdir()
        for directory in (self.work, self.out):
            self.give_to_user(directory)
        return self.start([*before, *self.program.command()], self.work, variables or {})

    def cache_of_user(self):
        """Where residue would remember names if this program had the home of whoever runs it."""
        if not self.is_of_other_user():
            caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
            return Path(os.environ.get("RESIDUE_CACHE_DIR") or Path(caches) / "residue")
        cache = self.directory / "cache"
        cache.mkdir()
        self.give_to_user(cache)
        return cache

    def give_to_user(self, directory):
        """The program may be another user's, and nobody else's files are used by residue."""
        if self.is_of_other_user():
            shutil.chown(directory, self.program.user)

    def is_of_other_user(self):
        return self.program.user and os.geteuid() == 0

    def environment(self, variables):
        environment = {k: v for k, v in os.environ.items() if k not in UNWANTED_VARIABLES}
        home = self.directory / "home"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        self.give_to_user(home)
        # rustup keeps its compilers there.
        for name, folder in (("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")):
            environment.setdefault(name, str(Path.home() / folder))
        # Its home is new each time, but what residue knows of the libraries stays, as it does for everybody.
        environment["RESIDUE_CACHE_DIR"] = str(self.cache)
        environment.update(LC_ALL="C.UTF-8", HOME=str(home), TZ="UTC", **self.program.variables, **variables)
        return environment

    def start(self, command, directory, variables=()):
        if self.is_of_other_user():
            command = ["setpriv", "--reuid", self.program.user, "--regid", self.program.user, "--clear-groups", *command]
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            start = time.monotonic()
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=self.environment(dict(variables)),
                cwd=directory, start_new_session=True,
            )
            is_late = False
            with Watch(process.pid, self.shared) as watch:
                try:
                    status = process.wait(self.limit_s)
                except subprocess.TimeoutExpired:
                    process.kill()
                    status, is_late = process.wait(), True
            wall_s = time.monotonic() - start
            left = gauntlet_processes.end_all() if is_late else gauntlet_processes.left_running()
            streams, said = {}, []
            for name, stream in (("stdout", stdout), ("stderr", stderr)):
                stream.seek(0)
                text = stream.read().decode(errors="replace")
                said += re.findall(r"^residue: (.*)$", text, flags=re.M)
                streams[name] = self.comparable(text)
        return Ran(status, wall_s, streams, said, watch.peak_bytes, left, is_late)

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
