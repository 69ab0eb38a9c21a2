"""The processes of a run, whoever became their parent: what they hold, what they executed, and their end."""

import ctypes
import os
import re
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
SAMPLE_S = 0.2
BLOCK_BYTES = 512  # of st_blocks

# Servers that were told to end take a moment.
GRACE_S = 3.0

# Places in /proc/PID/stat, counted behind the name.
STATE, PARENT = 0, 1


def adopt_orphans():
    """From now on what a run leaves behind becomes a child of this process."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def running():
    """Number and name of all processes below this one that have not ended."""
    children, names = {}, {}
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            before, _, after = (directory / "stat").read_text(errors="replace").rpartition(")")
        except OSError:
            continue  # it ended just now
        words, pid = after.split(), int(directory.name)
        children.setdefault(int(words[PARENT]), []).append(pid)
        if words[STATE] not in "ZX":
            names[pid] = before.partition("(")[2]
    found, waiting = {}, [os.getpid()]
    while waiting:
        for child in children.get(waiting.pop(), []):
            waiting.append(child)
            if child in names:
                found[child] = names[child]
    return found


def left_running():
    """Names of processes that are still there when a run is over; they are ended."""
    until = time.monotonic() + GRACE_S
    while running() and time.monotonic() < until:
        reap()
        time.sleep(0.02)
    return end_all()


def end_all():
    """Ends what is there, each by its number, and says what it was."""
    ended = {}
    while found := running():
        ended |= found
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        reap()
        time.sleep(0.02)
    return sorted(ended.values())


def reap(besides=None):
    """Takes the status of adopted children that have ended, as scripts expect which wait until a process is gone."""
    look = os.WEXITED | os.WNOHANG | os.WNOWAIT
    try:
        while (ended := os.waitid(os.P_ALL, 0, look)) and ended.si_pid != besides:
            os.waitpid(ended.si_pid, 0)
    except ChildProcessError:
        pass


class Watch:
    """Looks at the processes of a run while it goes on: the most memory that all had to themselves at one moment, and the files
    in a folder with it."""

    def __init__(self, first_pid, folder):
        self.first_pid, self.folder, self.peak_bytes = first_pid, folder, 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def watch(self):
        while not self.over.wait(SAMPLE_S):
            reap(besides=self.first_pid)
            held = sum(own_bytes(pid) for pid in running())
            self.peak_bytes = max(self.peak_bytes, held + file_bytes(self.folder))


def own_bytes(pid):
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * PAGE_BYTES


def file_bytes(folder):
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_blocks * BLOCK_BYTES
        except OSError:
            pass  # deleted just now
    return total


@dataclass(frozen=True)
class Executed:
    """A program that a process became."""

    pid: int
    path: str

    def names(self, folder):
        """What it may be called: itself, what a link leads to, the interpreter of a script."""
        names, path = {Path(self.path).name}, folder / self.path
        for _ in range(4):
            path = path.resolve()
            names.add(path.name)
            try:
                with open(path, "rb") as file:
                    line = file.readline(256)
            except OSError:
                break
            if not line.startswith(b"#!"):
                break
            path = Path(line[2:].split()[0].decode(errors="replace"))
        return names


TRACE = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=execve,execveat", "-e", "signal=none", "-o"]
CALL = re.compile(r'^(\d+) +execve(?:at)?\((?:\w+, )?"((?:[^"\\]|\\.)*)"(.*)$')
RESUMED = re.compile(r"^(\d+) +<\.\.\. execve(?:at)? resumed>(.*)$")


def executed(log):
    """The programs of a log that strace wrote, without those that could not be started."""
    begun, done = {}, []
    for line in log.read_text(errors="replace").splitlines():
        if call := CALL.match(line):
            begun[call[1]] = call[2]
            pid, end = call[1], call[3]
        elif resumed := RESUMED.match(line):
            pid, end = resumed[1], resumed[2]
        else:
            continue
        if end.endswith("= 0") and pid in begun:
            done.append(Executed(int(pid), begun.pop(pid)))
    return done
