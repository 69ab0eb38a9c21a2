"""What the figures were measured on."""

import datetime
import os
import platform
import subprocess
from pathlib import Path

from lib.sections import python

GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def notes(residue):
    return {
        "CPU": cpu(),
        "memory": memory(),
        "kernel": platform.release(),
        "governor": GOVERNOR.read_text().strip() if GOVERNOR.exists() else "not known",
        "C library": os.confstr("CS_GNU_LIBC_VERSION"),
        "gcc": first_line("g++", "--version"),
        "residue": first_line(residue, "--version"),
        "heaptrack": first_line("heaptrack", "--version"),
        "sqlite3": " ".join(first_line("sqlite3", "--version").split()[:2]),
        "Python": first_line(python(), "--version"),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "load average at start": " ".join(f"{load:.2f}" for load in os.getloadavg()),
    }


def load_at_end():
    return {"load average at end": " ".join(f"{load:.2f}" for load in os.getloadavg())}


def cpu():
    text = Path("/proc/cpuinfo").read_text()
    pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line)
    fields = {name.strip(): value.strip() for name, value in pairs}
    virtual = ", virtual" if "hypervisor" in fields.get("flags", "") else ""
    return f"{fields.get('model name', platform.machine())}, {os.cpu_count()} cores{virtual}"


def memory():
    total = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemTotal"))
    return f"{int(total.split()[1]) / 2**20:.0f} GiB"


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "none"
    return (done.stdout.splitlines() or ["none"])[0]
