"""A system of `chroots` started with a kernel of its own, in qemu: everything lies in the initial RAM disk, so that no driver
is needed, and the answer comes by the serial line. Emulated: that works everywhere, and takes a minute to start."""

import re
import shlex
import subprocess
from pathlib import Path

MEMORY = "4G"
# What no program of ours reads.
LEFT_OUT = ["./usr/share/doc", "./usr/share/man", "./usr/share/locale", "./var/cache/apt", "./var/lib/apt", "./tmp", "./work"]
BEGIN, END = "=== begin ===", "=== end, status "

INIT = """#!/bin/sh
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 TMPDIR=/tmp {variables}
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts /tmp && mount -t tmpfs shm /dev/shm && mount -t tmpfs tmp /tmp && mount -t devpts pts /dev/pts
ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null
exec < /dev/null > /dev/ttyS0 2>&1
echo "{begin}"; uname -r
cd /tmp; ( {script} ); echo "{end}$?"
sync; echo o > /proc/sysrq-trigger; sleep 60
"""


class Vm:
    def __init__(self, chroot, kernel_pattern):
        self.chroot = chroot
        self.kernel_pattern = kernel_pattern
        self.folder = chroot.root.parent / "vms" / chroot.suite
        self.folder.mkdir(parents=True, exist_ok=True)

    def kernel(self):
        """The file of the kernel, from the newest package of that name."""
        found = sorted(self.folder.glob("boot/vmlinuz-*"))
        if not found:
            fetch = (
                "rm -f /tmp/*.deb; cd /tmp; apt-get update -qq; "
                f"apt-get download -qq $(apt-cache search --names-only '{self.kernel_pattern}' | grep -v unsigned"
                " | sort -V | tail -n 1 | cut -d' ' -f1)"
            )
            done = self.chroot.run("sh", "-c", fetch)
            package = next((self.chroot.root / "tmp").glob("linux-image-*.deb"), None)
            if not package:
                raise RuntimeError(f"{self.chroot.name}: no kernel {self.kernel_pattern}: {done.stderr}")
            subprocess.run(["dpkg-deb", "-x", package, self.folder], check=True)
            found = sorted(self.folder.glob("boot/vmlinuz-*"))
        return found[-1]

    def disk(self, script, files, variables):
        """The RAM disk: the system, files at their own paths, and what to do with them."""
        system = self.folder / "system.cpio"
        if not system.exists():
            unwanted = " ".join(f"-path {path} -prune -o" for path in LEFT_OUT)
            packed(self.chroot.root, f"find . -xdev {unwanted} -print0", system)
        listed = "".join(f"{path}\0" for path in with_parents(files))
        more = self.folder / "more.cpio"
        packed(Path("/"), "cat", more, listed)
        own = self.folder / "own"
        own.mkdir(exist_ok=True)
        given = " ".join(f"{name}={shlex.quote(str(value))}" for name, value in variables.items())
        (own / "init").write_text(INIT.format(script=script, begin=BEGIN, end=END, variables=given))
        (own / "init").chmod(0o755)
        init = self.folder / "init.cpio"
        packed(own, "find . -print0", init)
        disk = self.folder / "disk.cpio"
        with disk.open("wb") as joined:
            for part in (system, more, init):
                joined.write(part.read_bytes())
        return disk

    def run(self, script, files, variables=None, limit_s=1200):
        """The kernel's version, what the script printed, and its status."""
        done = subprocess.run(
            ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", MEMORY, "-nographic", "-no-reboot", "-net", "none",
             "-kernel", self.kernel(), "-initrd", self.disk(script, files, variables or {}),
             "-append", "console=ttyS0 quiet panic=-1 rdinit=/init"],
            capture_output=True, text=True, errors="replace", timeout=limit_s, stdin=subprocess.DEVNULL,
        )
        text = done.stdout.replace("\r", "")
        told = re.search(f"{re.escape(BEGIN)}\n(\\S+)\n(.*){re.escape(END)}(\\d+)", text, re.S)
        if not told:
            raise RuntimeError(f"{self.chroot.name} did not come up: {text[-2000:]}{done.stderr[-500:]}")
        return told[1], told[2], int(told[3])


def packed(folder, lister, target, given=None):
    command = f"{lister} | cpio --null --create --format=newc --quiet > {shlex.quote(str(target))}"
    subprocess.run(["sh", "-ec", command], cwd=folder, check=True, input=given, text=True)


def with_parents(files):
    """Relative to the root, each after the folders that lead to it."""
    listed = {}
    for file in files:
        file = Path(file).absolute()
        inside = sorted(file.rglob("*")) if file.is_dir() else []
        for path in [*reversed(file.parents), file, *inside]:
            if str(path) != "/":
                listed[str(path).lstrip("/")] = None
    return list(listed)
