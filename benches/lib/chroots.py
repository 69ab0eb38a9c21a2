"""Systems of Debian and Ubuntu below a folder, in which commands are run as root."""

import shlex
import subprocess
from pathlib import Path

# Components, and the script of debootstrap, which may not know a release that is newer than itself. Its mirrors are its own.
DEBIAN = ("main", "sid")
UBUNTU = ("main,universe", "gutsy")
OWN_MIRROR = ""
SYSTEMS = {
    "xenial": ("Ubuntu 16.04", UBUNTU), "bionic": ("Ubuntu 18.04", UBUNTU), "focal": ("Ubuntu 20.04", UBUNTU),
    "bullseye": ("Debian 11", DEBIAN), "jammy": ("Ubuntu 22.04", UBUNTU), "bookworm": ("Debian 12", DEBIAN),
    "noble": ("Ubuntu 24.04", UBUNTU), "trixie": ("Debian 13", DEBIAN), "sid": ("Debian sid", DEBIAN),
}


class Chroot:
    """One release. Mounts are made for each command and are gone with it."""

    def __init__(self, folder, suite, packages=()):
        self.root = Path(folder) / suite
        self.suite = suite
        self.name, (self.components, self.script) = SYSTEMS[suite]
        self.packages = list(packages)

    def make(self):
        """Installs the release, or what is missing of its packages."""
        done = self.root / ".made"
        if done.exists() and done.read_text().split() == self.packages:
            return
        self.root.mkdir(parents=True, exist_ok=True)
        if not (self.root / "usr/bin/dpkg").exists():
            # Ubuntu's keys are not on every Debian machine; nothing of this leaves the folder.
            told("debootstrap", "--no-check-gpg", "--variant=minbase", f"--components={self.components}",
                 self.suite, self.root, OWN_MIRROR, self.script)
        if self.packages:
            # A mirror may lag behind: what it has is what is tried.
            install = ("apt-get -o Acquire::Check-Valid-Until=false update -qq && "
                       "apt-get install -y -qq --no-install-recommends " + " ".join(self.packages))
            result = self.run("sh", "-c", install)
            if result.returncode:
                raise RuntimeError(f"{self.suite}: {result.stdout[-500:]}{result.stderr[-500:]}")
        done.write_text(" ".join(self.packages))

    def run(self, *command, at="/", binds=(), environment=None, limit_s=600, as_container=False):
        """Runs a command in it. A bind is a folder that is seen at the same path inside. As in a container: nothing can be
        written but /tmp and 64 MB of /dev/shm."""
        root = shlex.quote(str(self.root))
        size = "-o size=64m" if as_container else ""
        # What is made of it has its own mount as the root, as namespaces inside want it.
        steps = ["mount --make-rprivate /", f"mount --bind {root} {root}"]
        if as_container:
            steps += [f"mount -o remount,ro,bind {root}", f"mount -t tmpfs tmp {root}/tmp"]
        steps += [
            f"mount -t proc proc {root}/proc",
            f"mount --rbind /dev {root}/dev",
            f"mount -t tmpfs {size} shm {root}/dev/shm",
            f"cp /etc/resolv.conf {root}/etc/resolv.conf 2>/dev/null || true",
        ]
        for bind in map(str, binds):
            inside = shlex.quote(f"{self.root}{bind}")
            steps += [f"mkdir -p {inside}", f"mount --rbind {shlex.quote(bind)} {inside}"]
        variables = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                     "DEBIAN_FRONTEND": "noninteractive", "TMPDIR": "/tmp", **(environment or {})}
        given = " ".join(f"{name}={shlex.quote(str(value))}" for name, value in variables.items())
        inner = f"cd {shlex.quote(str(at))} && exec {shlex.join(map(str, command))}"
        # As containers do; after a mere chroot the kernel would name files of other namespaces by the outer root.
        steps += [f"cd {root}", "pivot_root . .", "umount -l ."]
        steps.append(f"exec chroot . /usr/bin/env -i {given} /bin/sh -c {shlex.quote(inner)}")
        return subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", "\n".join(steps)],
            capture_output=True, text=True, errors="replace", timeout=limit_s, stdin=subprocess.DEVNULL,
        )

    def glibc(self):
        return self.run("ldd", "--version").stdout.split("\n")[0].split()[-1]


def told(*command):
    """Runs a command of this machine; what it said is in the error where it failed."""
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(f"{shlex.join(map(str, command))}: {result.stdout[-500:]}{result.stderr[-500:]}")
    return result.stdout
