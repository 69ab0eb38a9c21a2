#!/usr/bin/env python3
"""Does Residue do on other systems what it does here? Releases of Debian and Ubuntu, as root.

    benches/platforms.py --residue build/portable/residue --packages build/packages --tests TEST-PROGRAM
        [--only xenial,trixie] [--json OUT.json] [--markdown docs/PLATFORMS.md]

Every release is installed below build/platforms. The workloads are built in the oldest and run in all: programs of users
are not rebuilt for each system either. TEST-PROGRAM is the end-to-end tests, built for glibc 2.17. The exit status is 1
when one cell of the table is not as it should be.
"""

import argparse
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the source tree

from lib import machine
from lib.chroots import SYSTEMS, Chroot
from lib.vms import Vm

SOURCES = Path(__file__).resolve().parent.parent
FOLDER = SOURCES / "build/platforms"
# Where the workloads are built: the oldest with a compiler of C++17.
BUILDER = "bionic"
COMPILERS = ["gcc", "g++", "make", "binutils", "libc6-dev"]
NEEDED = ["python3", "python3-venv", "libstdc++6", "procps", "strace", "util-linux"]
# Captures compared with libgcc's, of each of two programs.
CAPTURES = 1_000_000
# Tests that need compilers, debuggers, other languages, a schema validator, or documents of the source tree.
NOT_HERE = """documents:: installing:: hostile_profiles:: symbolizing:: tool_exports:: schemas:: dump_imports:: allocators::
    unrecordable_programs:: sparse_executables:: jit_names:: older_kernels:: plots:: exports:: two_releases_are_compared
    a_breakpoint_at_the_entry a_library_of_the_system_without stripped_files_show under_valgrind sources_elsewhere fortran
    without_dlsym the_same_program_without_recorder no_command_waits_at_pipes a_running_program_from_outside
    a_snapshot_belongs stacks_of_node musl:: samples_say_where_threads_spent pausing::a_running_program
    pausing::a_program_that_started valgrind_says_nothing a_picture_of_a_running_program_is_taken""".split()


def workloads_of(builder):
    """Builds the workloads in the oldest release."""
    workloads = FOLDER / "workloads"
    made = builder.run("make", "-C", SOURCES / "workloads", f"OUT={workloads}", binds=[SOURCES], limit_s=1200)
    if made.returncode:
        raise RuntimeError(made.stderr[-2000:])
    (workloads / ".built").touch()
    return workloads


class Platform:
    """A release, and what is tried in it: each attempt gives a word for the table, or raises."""

    def __init__(self, suite, args, workloads):
        self.chroot = Chroot(FOLDER, suite, NEEDED + MORE_NEEDED.get(suite, []))
        self.args = args
        self.workloads = workloads
        self.packages = Path(args.packages).absolute()
        self.residue = Path(args.residue).absolute()
        self.binds = [SOURCES]
        self.has_wheel = True

    def run(self, *command, expect=0, **options):
        result = self.chroot.run(*command, at="/tmp", binds=self.binds, **options)
        if expect is not None and result.returncode != expect:
            raise RuntimeError(f"status {result.returncode} of {command}: {result.stdout[-1500:]}{result.stderr[-1500:]}")
        return result.stdout + result.stderr

    def starts(self):
        return self.run(self.residue, "--version").split()[1]

    def selftest(self):
        text = self.run(self.residue, "selftest", "--json")
        document = json.loads(text[text.index("{"):])
        failed = [check for check in document["checks"] if not check["ok"] or "not checked" in check["text"]]
        if failed:
            raise RuntimeError(f"selftest: {failed}")
        return f"{len(document['checks'])} checks"

    def demo(self):
        """The README's program: exact to the byte, and the verdict."""
        text = self.run(self.residue, "run", "-o", "/tmp/demo.residue", "--", self.workloads / "leaky_events")
        truth = int(re.search(r"^truth leaked_bytes (\d+)$", text, re.M)[1])
        folded = self.run(self.residue, "export", "/tmp/demo.residue", "--format", "folded", "--counter", "live", "-o", "-")
        found = sum(int(line.split()[-1]) for line in folded.splitlines() if "SEvt::getPhotonFrame" in line)
        if found != truth or not re.search(r"^LEAK .*events 1\.\.200\)", text, re.M):
            raise RuntimeError(f"{found} B of {truth} B: {text}")
        return f"LEAK, {found:,} of {truth:,} B"

    def stacks(self):
        compared = differing = 0
        for program in (["bench", "60", "25", "1", str(CAPTURES * 6 // 5)], ["chaos", str(CAPTURES * 6 // 5)]):
            self.run(self.residue, "run", "--verify-stacks", "-q", "-o", "/tmp/v.residue", "--",
                     self.workloads / program[0], *program[1:])
            report = self.run(self.residue, "report", "--json", "--top", "0", "/tmp/v.residue")
            numbers = {key: int(value) for key, value in re.findall(r'"(verified_stacks|verify_differences)": *(\d+)', report)}
            if numbers["verified_stacks"] < CAPTURES:
                raise RuntimeError(f"{program[0]}: only {numbers}")
            compared += numbers["verified_stacks"]
            differing += numbers["verify_differences"]
        if differing:
            raise RuntimeError(f"{differing} of {compared} stacks differ")
        return f"{compared:,} compared, 0 differ"

    def tests(self):
        """The end-to-end tests that need nothing but the workloads, kills among them."""
        program = Path(self.args.tests).absolute()
        left_out = NOT_HERE + OTHERWISE_THERE.get(self.chroot.suite, [])
        skipped = [word for name in left_out for word in ("--skip", name)]
        text = self.run(program, "--test-threads=2", *skipped, expect=None, limit_s=1800,
                        environment={"RESIDUE_TEST_WORKLOADS": self.workloads})
        (FOLDER / f"tests-{self.chroot.suite}.log").write_text(text)
        result = re.search(r"test result: (\w+)\. (\d+) passed; (\d+) failed", text)
        if not result or result[1] != "ok":
            raise RuntimeError(" ".join(re.findall(r"^test (\S+) \.\.\. FAILED$", text, re.M)) or text[-2000:])
        return f"{result[2]} passed"

    def python(self):
        """A Python program with marks by the wheel, in an environment of its own."""
        version = self.run("python3", "-c", "import sys; print(*sys.version_info[:2])").split()
        if tuple(map(int, version)) < (3, 8):
            self.has_wheel = False
            return f"– (Python {'.'.join(version)})"
        wheel, = self.packages.glob("*.whl")
        self.run("sh", "-ec", f"rm -rf /tmp/venv && python3 -m venv /tmp/venv && /tmp/venv/bin/pip install -q --no-index {wheel}")
        program = "import residue\nkept = []\nfor i in residue.events(range(100)):\n    kept.append(bytes(1000 + i))\n"
        text = self.run("env", "PYTHONMALLOC=malloc", "/tmp/venv/bin/residue", "run", "-o", "/tmp/py.residue", "--",
                        "/tmp/venv/bin/python", "-c", program)
        growth = re.search(r"^(LEAK|FREED AT EXIT) ", text, re.M)
        if not re.search(r"^residue: 100 events", text, re.M) or not growth:
            raise RuntimeError(text)
        return f"100 events, {growth[1]}"

    def viewed(self, residue):
        """The page of a profile, asked by HTTP."""
        script = (
            f"{residue} view --no-browser /tmp/demo.residue > /tmp/view.out 2>&1 & view=$!; "
            "for i in $(seq 100); do address=$(grep -o 'http://[^ ]*' /tmp/view.out | head -n 1); "
            "test -n \"$address\" && break; sleep 0.1; done; "
            "python3 -c \"import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode()[:200])\" \"$address\"; "
            "kill $view"
        )
        text = self.run("sh", "-c", script)
        if "<!doctype html" not in text.lower():
            raise RuntimeError(f"no page: {text}")

    def container(self):
        """A root that cannot be written, 64 MB of shared memory, processes numbered from 1: what Docker gives."""
        text = self.run("sh", "-ec", f"cd /tmp && {self.residue} run -o job.residue -- {self.workloads}/leaky_events && "
                        f"{self.residue} leaks job.residue", as_container=True)
        if text.count("LEAK  18.8 KiB/event") != 2:
            raise RuntimeError(text)
        return "LEAK  18.8 KiB/event"

    def packaged(self, install, residue):
        """Installs a package, records with it, and asks for the page."""
        self.run("sh", "-ec", install)
        text = self.run(residue, "run", "-o", "/tmp/demo.residue", "--", self.workloads / "leaky_events")
        if "LEAK" not in text:
            raise RuntimeError(text)
        for workload in ("marks_c", "marks_cpp"):
            if "events" not in self.run(residue, "run", "-o", "/tmp/m.residue", "--", self.workloads / workload, expect=None):
                raise RuntimeError(f"{workload}: no events")
        self.viewed(residue)
        return "records, answers"

    def deb(self):
        package, = self.packages.glob("*.deb")
        return self.packaged(f"dpkg -i {package}", "/usr/bin/residue")

    def tar(self):
        package, = self.packages.glob("residue-*-x86_64-linux.tar.gz")
        where = "/tmp/" + package.name.removesuffix(".tar.gz")
        return self.packaged(f"rm -rf {where} && tar -xzf {package} -C /tmp", f"{where}/bin/residue")

    def wheel(self):
        if not self.has_wheel:
            return "–"
        return self.packaged("test -x /tmp/venv/bin/residue", "/tmp/venv/bin/residue")


# What a release has as a package of its own.
MORE_NEEDED = {"bionic": ["setpriv"]}
# Tests that count processes of a shell that hands over to its last command, or bytes of containers, which older ones do not;
# those that ask strace to let programs go, which came later; and one that may lock 8 MB, of which libraries of that time take more than half.
OTHERWISE_THERE = {"bionic": """a_tree_of_processes_is_recovered a_second_run_replaces without_events_the_largest_is_judged
    children_are_recorded_unless who_may_lock_little a_growing_hash_map_shows a_container_that_grew_is_advice
    blocks_that_could_be_reused_and_tables what_reserving_the_elements a_recording_that_cannot_be_read
    signals_are_passed_on_where_the_socket a_signal_takes_a_snapshot_of_every_process""".split()}
# Where the end-to-end tests are run, too, which takes some minutes each. The workloads need what is newer than xenial.
TESTED = ["bionic", "bullseye", "bookworm", "trixie"]
# Systems that are started with a kernel of their own.
KERNELS = {
    "xenial": "linux-image-4.4.0-[0-9]*-generic$",
    "bionic": "linux-image-4.15.0-[0-9]*-generic$",
    "bullseye": "linux-image-5.10.0-[0-9]*-amd64$",
}
# On a kernel before 4.14 children of a bare clone cannot be told from their parent.
KERNEL_TESTS = ["forks::", "kills::program_residue_or_both", "small_disks::a_full_disk", "small_disks::a_full_arena_directory_drops",
                "--skip", "bare_system_call", "--skip", "whole_family"]


def started(suite, args, workloads):
    """What a system says with its own kernel, emulated."""
    residue, tests = Path(args.residue).absolute(), Path(args.tests).absolute()
    # The tests run the executable that was built with them.
    built = SOURCES / "target/x86_64-unknown-linux-gnu/release/residue"
    script = (
        f"{residue} selftest --json > /tmp/selftest.json; echo selftest $?; "
        f"{residue} run -o /tmp/demo.residue -- {workloads}/leaky_events; "
        f"{tests} --color=never --test-threads=2 {' '.join(KERNEL_TESTS)}"
    )
    version, text, status = Vm(Chroot(FOLDER, suite, NEEDED), KERNELS[suite]).run(
        script, [residue, tests, built, workloads], {"RESIDUE_TEST_WORKLOADS": workloads}, limit_s=1800)
    passed = re.search(r"test result: ok\. (\d+) passed", text)
    demo = re.search(r"^LEAK  .*?/event", text, re.M)
    is_ok = status == 0 and bool(passed) and bool(demo) and "selftest 0" in text
    return {"suite": suite, "name": SYSTEMS[suite][0], "kernel": version, "ok": is_ok, "text": text,
            "cells": ["passed" if "selftest 0" in text else "**no**", demo[0] if demo else "**no**",
                      f"{passed[1]} passed" if passed else "**no**"]}


COLUMNS = ["starts", "selftest", "demo", "stacks", "container", "python", "deb", "tar", "wheel", "tests"]
HEADS = {
    "starts": "`residue --version`", "selftest": "`residue selftest`", "demo": "the README's program",
    "stacks": "stacks beside libgcc's", "container": "as in a container", "python": "Python with marks", "deb": ".deb", "tar": "tar.gz", "wheel": "wheel",
    "tests": "end-to-end tests",
}


def tried(platform, column):
    try:
        word = getattr(platform, column)()
        return {"word": word, "ok": True}
    except Exception as error:  # whatever it is, it is what the table has to say
        return {"word": "**no**", "ok": False, "why": str(error)}


def page(results, kernels, facts):
    lines = ["# Platforms", "",
             "What was tried on other systems, by `make platforms`: one executable, built for glibc 2.17, and the packages",
             f"made of it. The workloads were built on {SYSTEMS[BUILDER][0]} and run on all.", "",
             "| system | glibc | " + " | ".join(HEADS[column] for column in COLUMNS) + " |",
             "| --- | --- |" + " --- |" * len(COLUMNS)]
    for result in results:
        cells = [result["cells"].get(column, {"word": "not run"})["word"] for column in COLUMNS]
        lines.append(f"| {result['name']} | {result['glibc']} | " + " | ".join(cells) + " |")
    lines += ["", "With their own kernels, emulated by qemu:", "",
              "| system | kernel | `residue selftest` | the README's program | forks, kills, full disks |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| {kernel['name']} | {kernel['kernel']} | " + " | ".join(kernel["cells"]) + " |" for kernel in kernels]
    lines += ["", "| measured on | |", "| --- | --- |", *(f"| {key} | {facts[key]} |" for key in ("CPU", "kernel", "residue", "date")), ""]
    return "\n".join(lines)


def written(args, results, kernels):
    """After each system: the whole takes long."""
    if args.json:
        Path(args.json).write_text(json.dumps({"systems": results, "kernels": kernels}, indent=1))
    if args.markdown:
        Path(args.markdown).write_text(page(results, kernels, machine.notes(args.residue)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residue", required=True)
    parser.add_argument("--packages", required=True)
    parser.add_argument("--tests", required=True)
    parser.add_argument("--only", default=",".join(SYSTEMS), metavar="SUITE,...")
    parser.add_argument("--columns", default=",".join(COLUMNS), metavar="COLUMN,...")
    parser.add_argument("--tested", default=",".join(TESTED), metavar="SUITE,...", help="those to run the end-to-end tests on")
    parser.add_argument("--kernels", default=",".join(KERNELS), metavar="SUITE,...", help="those to start in qemu")
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    args = parser.parse_args()
    builder = Chroot(FOLDER / "build", BUILDER, COMPILERS)
    builder.make()
    workloads = workloads_of(builder)
    results = []
    for suite in args.only.split(",") if args.only else []:
        platform = Platform(suite, args, workloads)
        platform.chroot.make()
        result = {"suite": suite, "name": platform.chroot.name, "glibc": platform.chroot.glibc(), "cells": {}}
        for column in args.columns.split(","):
            if column == "tests" and suite not in args.tested.split(","):
                continue
            cell = result["cells"][column] = tried(platform, column)
            print(f"{platform.chroot.name:<12} glibc {result['glibc']}  {column:<9} {cell['word']}", flush=True)
            if not cell["ok"]:
                print(f"    {cell['why'][:3000]}", flush=True)
        results.append(result)
        written(args, results, [])
    kernels = []
    for suite in args.kernels.split(",") if args.kernels else []:
        kernel = started(suite, args, workloads)
        print(f"{kernel['name']:<12} kernel {kernel['kernel']}  {kernel['cells']}", flush=True)
        if not kernel["ok"]:
            print(f"    {kernel['text'][-3000:]}", flush=True)
        kernels.append(kernel)
        written(args, results, kernels)
    cells = [cell for result in results for cell in result["cells"].values()]
    return int(not all(found["ok"] for found in cells + kernels))


sys.exit(main())
