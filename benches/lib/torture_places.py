"""Circumstances for a random program: limits, folders, users, namespaces, other libraries, kills."""

import glob
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from lib import torture_faults

ALLOCATORS = ("libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0")
SOMEBODY = "12345"


@dataclass
class Place:
    name: str
    # In front of the program, recorded or not; and in front of `residue`.
    around_program: list = field(default_factory=list)
    around_residue: list = field(default_factory=list)
    options: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)
    # Bytes of a file system of its own for the arenas; None for the usual place.
    arena_bytes: int | None = None
    # A control group of its own for the program, with so much memory.
    group_bytes: int | None = None
    # A call of `residue` that fails, for strace.
    fault: str | None = None
    # The profile's folder cannot be written to.
    is_read_only: bool = False
    # Arenas lie where `residue` finds room by itself.
    uses_default_folder: bool = False
    # Who is killed after so many milliseconds: program, residue, both.
    kills: str | None = None
    kill_after_ms: int = 0
    # Whether anything is recorded at all, and whether every process is.
    is_recorded: bool = True
    needs_root: bool = False
    with_children: bool = True

    def kind(self):
        """The name without its numbers."""
        return "fault" if self.fault else re.split(r"=|,| o[nf] ", self.name)[0]

    def may_end_early(self):
        """It need not end as the unrecorded one does: it takes more memory, or is killed."""
        return self.kills is not None or self.group_bytes is not None


def library(name):
    found = glob.glob(f"/usr/lib/*/{name}")
    return found[0] if found else None


def can_namespace(*options):
    return subprocess.run(["unshare", *options, "true"], capture_output=True).returncode == 0


def choose(random):
    """A place, by its odds. Those that this machine cannot offer are replaced by the plain one."""
    is_root = os.geteuid() == 0
    ways = [way for weight, way in WAYS for _ in range(weight)]
    place = ways[random.randrange(len(ways))](random)
    if place is None or (place.needs_root and not is_root):
        return Place("plain")
    return place


def plain(_random):
    return Place("plain")


def verified(_random):
    return Place("verified", options=["--verify-stacks=20"])


def switched(random):
    options = [["--tick", "1ms"], ["--event-function", "step"], ["--max-depth", "4000"], ["--tick", "0"], ["--one-file"]]
    chosen = options[random.randrange(len(options))]
    return Place(" ".join(chosen), options=chosen, with_children="--one-file" not in chosen)


def alone(_random):
    return Place("--no-children", options=["--no-children"], with_children=False)


def other_allocator(random):
    path = library(ALLOCATORS[random.randrange(len(ALLOCATORS))])
    return path and Place(f"preload {os.path.basename(path)}", environment={"LD_PRELOAD": path})


def address_space(random):
    megabytes = 2000 + random.randrange(2000)
    return Place(f"--as={megabytes} MB", around_program=["prlimit", f"--as={megabytes << 20}"])


def file_size(random):
    kilobytes = 64 << random.randrange(8)
    return Place(f"--fsize={kilobytes} KB", around_program=["prlimit", f"--fsize={kilobytes << 10}"])


def descriptors(random):
    most = 8 + random.randrange(20)
    return Place(f"--nofile={most}", around_program=["prlimit", f"--nofile={most}"])


def small_disk(random):
    size = 40 << 10 << random.randrange(9)
    return Place(f"arenas on {size >> 10} KB", arena_bytes=size, needs_root=True)


def no_disk(_random):
    return Place("no folder for arenas", options=["--arena-dir", "/nowhere/at/all"], is_recorded=False)


def no_room_in_memory(random):
    """What containers offer at /dev/shm: nothing, or 64 MB at most. `residue` must find another place."""
    size = random.choice(["0", "64k", "4m"])
    options = "ro" if size == "0" else f"size={size}"
    mount = f'mount -t tmpfs -o {options} none /dev/shm && exec "$@"'
    return can_namespace("-m") and Place(
        f"/dev/shm of {size}", around_residue=["unshare", "-m", "sh", "-c", mount, "sh"], options=[], uses_default_folder=True, needs_root=True
    )


def read_only_folder(_random):
    switch = ["setpriv", "--reuid", SOMEBODY, "--regid", SOMEBODY, "--clear-groups"]
    return Place("a folder that cannot be written to", around_residue=switch, is_read_only=True, needs_root=True)


def little_memory(random):
    """Whoever needs more is killed. Arenas lie in memory, as they usually do: pages of files on a disk would be read
    again and again instead."""
    megabytes = 4 + random.randrange(30)
    return memory_groups() and Place(f"a group of {megabytes} MB", group_bytes=megabytes << 20, arena_bytes=1 << 30, needs_root=True)


def faulty(random):
    if not torture_faults.usable():
        return None
    fault = torture_faults.choose(random)
    return Place(f"fault {fault}", fault=fault)


def other_user(_random):
    switch = ["setpriv", "--reuid", SOMEBODY, "--regid", SOMEBODY, "--clear-groups"]
    return Place("another user", around_residue=switch, needs_root=True)


def changes_user(_random):
    switch = ["setpriv", "--reuid", SOMEBODY, "--regid", SOMEBODY, "--clear-groups"]
    return Place("changes its user", around_program=switch, needs_root=True)


def processes_apart(_random):
    # Behind a shell: the first process of a namespace cannot kill itself.
    inside = ["unshare", "-p", "-f", "--mount-proc", "sh", "-c", '"$@"; exit $?', "sh"]
    return can_namespace("-p", "-f") and Place("namespace of processes", around_residue=inside, needs_root=True)


def users_apart(_random):
    return can_namespace("-U", "-r") and Place("namespace of users", around_program=["unshare", "-U", "-r"])


def killed(random):
    who = ("program", "residue", "both")[random.randrange(3)]
    return Place(f"{who} killed", kills=who, kill_after_ms=random.randrange(1, 400))


WAYS = [
    (6, plain), (4, verified), (3, switched), (1, alone), (3, other_allocator), (2, address_space), (3, file_size),
    (2, descriptors), (4, small_disk), (1, no_disk), (2, other_user), (2, changes_user), (2, processes_apart),
    (1, users_apart), (6, killed), (2, no_room_in_memory), (1, read_only_folder), (2, little_memory), (14, faulty),
]


def mounted(folder, size_bytes):
    """A file system in memory of its own; to be unmounted by `unmount`."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_bytes},mode=1777", "torture", folder], check=True)


def unmount(folder):
    subprocess.run(["umount", "-l", folder], check=False)


def memory_groups():
    """Where control groups for memory can be made, if anywhere."""
    for base, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        if os.access(f"{base}/cgroup.procs", os.W_OK) and glob.glob(f"{base}/*/{limit}"):
            return Path(base), limit
    return None


class MemoryGroup:
    """A control group; a program joins it by `around`."""

    def __init__(self, name, limit_bytes):
        base, limit = memory_groups()
        self.path = base / name
        self.path.mkdir()
        (self.path / limit).write_text(str(limit_bytes))

    def around(self):
        return ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh"]

    def remove(self):
        self.path.rmdir()


def usable():
    return shutil.which("prlimit") and shutil.which("setpriv") and shutil.which("unshare")
