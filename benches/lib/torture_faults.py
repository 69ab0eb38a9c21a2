"""Faults in `residue` itself: system calls of its own that fail, by strace. The program is let go before it runs."""

import errno
import shutil
import subprocess

# What `residue` calls while it records, finishes, recovers and reads, and what each may well answer.
IO = ("EIO", "ENOMEM", "EINTR")
OPENING = ("EMFILE", "ENFILE", "EACCES", "ENOENT", "ENOMEM", "EIO", "EINTR")
WRITING = ("ENOSPC", "EDQUOT", "EIO", "EFBIG", "EINTR")
NAMING = ("ENOSPC", "EROFS", "EACCES", "EIO")
CALLS = {
    "openat": OPENING, "read": IO, "pread64": IO, "getdents64": IO, "statx": OPENING, "newfstatat": OPENING, "readlink": OPENING,
    "write": WRITING, "pwrite64": WRITING, "writev": WRITING, "fsync": WRITING, "fallocate": WRITING, "ftruncate": WRITING,
    "rename": NAMING, "linkat": NAMING, "unlink": NAMING, "unlinkat": NAMING, "mkdir": NAMING, "rmdir": NAMING, "flock": ("EINTR", "ENOLCK"),
    "mmap": ("ENOMEM",), "madvise": ("ENOMEM", "EINVAL"), "mremap": ("ENOMEM",), "clone3": ("EAGAIN", "ENOMEM"),
    "socketpair": ("EMFILE", "ENOMEM"), "recvfrom": ("ECONNRESET", "EINTR"), "sendto": ("EPIPE", "EINTR"),
    "poll": ("EINTR", "ENOMEM"), "ppoll": ("EINTR", "ENOMEM"), "wait4": ("EINTR",), "statfs": ("EIO", "EACCES"),
    "getrandom": ("EINTR", "ENOSYS"), "fcntl": ("EINVAL", "EMFILE"), "memfd_create": ("EMFILE", "ENOSYS"), "inotify_init1": ("EMFILE",),
}
LOADERS = {"mmap": 30}
# Without these, a file that is to go stays; so does a folder that cannot be listed.
REMOVING = ("unlink", "unlinkat", "rmdir", "getdents64")
# These are tried again for ever, as they should be: they may not fail for ever.
PASSING = ("EINTR", "EAGAIN")


def usable():
    return shutil.which("strace") is not None


def choose(random):
    """The call, its error, and at which of its turns: once, or from then on."""
    call = random.choice(sorted(CALLS))
    error = random.choice(CALLS[call])
    # Most come a few times. The first are the loader's, which has no words for some.
    turn = 1 + int(random.expovariate(1 / 30)) + LOADERS.get(call, 0)
    goes_on = error not in PASSING and random.random() < 0.5
    return f"{call}:error={error}:when={turn}{'+' if goes_on else ''}"


def around(fault):
    """In front of `residue`: its threads and children are followed until they become another program."""
    return ["strace", "-f", "--detach-on=execve", "-o", "/dev/null", "-e", f"inject={fault}"]


def silences(fault):
    """Nothing can be said where nothing can be written any more."""
    return fault.startswith("write:") and fault.endswith("+")


def keeps_files(fault):
    return fault.split(":")[0] in REMOVING


def complaints_of(fault, status, told, stdout, wanted_status, wanted_stdout):
    """What is wrong with a run that had a fault: it may fail, if it says so, and must not do half of the work in silence."""
    found = []
    text = "\n".join(told)
    has_spoken = any(line.startswith(("residue: ", "error: ")) or "memory allocation" in line for line in told)
    is_loaders = "error while loading shared libraries" in text or "cannot allocate memory" in text.lower()
    if "panicked" in text:
        found.append(f"it panics: {text[-300:]}")
    if isinstance(status, int) and status < 0 and status != wanted_status and "memory allocation" not in text and not is_loaders:
        found.append(f"it ended by signal {-status}: {text[-300:]}")
    if status != wanted_status and not has_spoken and not is_loaders and not silences(fault):
        found.append(f"status {wanted_status} became {status}, without a word: {text[-300:]}")
    if stdout not in (wanted_stdout, []) and status == wanted_status:
        found.append("stdout differs")
    return found


READERS = (["report", "--json"], ["leaks", "--json"], ["export", "--format", "folded"], ["dump", "--json"], ["report"], ["list", "--events"])


def reading(random, residue, profile, limit_s):
    """Reads a profile with and without a fault: the same answer, or an error with a reason."""
    command = [residue, *random.choice(READERS), str(profile)]
    fault = choose(random)
    wanted = subprocess.run(command, capture_output=True, text=True, timeout=limit_s)
    got = subprocess.run([*around(fault), *command], capture_output=True, text=True, timeout=limit_s)
    lines = lambda text: text.splitlines()
    found = complaints_of(fault, got.returncode, lines(got.stderr), lines(got.stdout), wanted.returncode, lines(wanted.stdout))
    return [f"{' '.join(command[1:-1])} with {fault}: {complaint}" for complaint in found]


assert all(hasattr(errno, error) for errors in CALLS.values() for error in errors)
