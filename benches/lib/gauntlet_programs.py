"""The programs of the gauntlet: the files they work on, how they are run, what they need.

`make` and `run` are shell scripts in an empty folder of their own, with a copy of `files` from benches/gauntlet. Runs say
the same every time, but for what `same` replaces. Servers listen on a socket in their folder and are ended by their own
commands. Each takes a second or a few unrecorded.

heaptrack records one process: the program, or what a script starts with `$UNDER` in front.
"""

import shlex
from dataclasses import dataclass, field
from pathlib import Path

from lib.sections import python

FILES = Path(__file__).resolve().parent.parent / "gauntlet"


@dataclass
class Program:
    name: str
    what: str
    run: str
    files: tuple = ()
    make: str = ""
    needs: tuple = ()  # of the form that scripts/need takes
    needs_libraries: tuple = ()  # likewise, behind --library
    variables: dict = field(default_factory=dict)
    same: tuple = ()  # patterns and what takes their place
    is_script: bool = False  # `run` is for a shell, and not one command
    is_recorded: bool = True
    is_in_slice: bool = False  # fast, and on every machine that can run the tests
    can_be_traced: bool = True  # by strace, which tells what was started
    is_of_glibc: bool = True  # heaptrack waits in vain for others to begin
    user: str = ""
    note: str = ""  # what a reader of its row should know

    def command(self):
        return ["sh", "-c", self.run] if self.is_script else shlex.split(self.run)

    def runs_under_heaptrack(self):
        return self.is_recorded and self.is_of_glibc and (not self.is_script or "$UNDER " in self.scripts())

    def scripts(self):
        return self.run + "".join((FILES / name).read_text() for name in self.files if name.endswith(".sh"))


def script(name, what, file, **more):
    """A program that is a shell script of benches/gauntlet."""
    files = (file, *more.pop("files", ()))
    return Program(name, what, run=f". ./{file}", files=files, is_script=True, **more)


FIXED_DATES = {"GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"}

TABLE = "table.cpp"
SANITIZED = "g++ -O1 -g -std=c++17 -pthread -DENTRIES=300000 -fsanitize=%s -o job table.cpp\n"

# Where Debian 12 has it; elsewhere apt-get is asked each time.
CLANG_RUNTIME = "lib/clang/14.0.6/lib/linux/libclang_rt.asan-x86_64.a:libclang-rt-dev"

# A process, a thread, a day and a time begin each of its lines; how often it looks for a bus depends on time.
CHROMIUM_PREFIX = r"^\[\d+:\d+:\d+/\d+\.\d+:"

PROGRAMS = (
    Program("python", "JSON, a parser, threads", run=f"{python()} job.py", files=("job.py",), needs=("python3:python3",),
            variables={"PYTHONMALLOC": "malloc"}, is_in_slice=True,
            note="With PYTHONMALLOC=malloc, so that every object is a block of its own."),
    Program("perl", "hashes, sorting, regular expressions", run="perl job.pl", files=("job.pl",), needs=("perl:perl",), is_in_slice=True),
    Program("ruby", "hashes, strings, threads", run="ruby job.rb", files=("job.rb",), needs=("ruby:ruby",)),
    Program("node", "a JIT, JSON, compression, a worker", run="node job.js", files=("job.js",), needs=("node:nodejs",)),
    Program("java", "a JIT, a garbage collector, direct buffers", run="java -cp . Job", files=("Job.java",), make="javac Job.java",
            needs=("javac:default-jdk-headless",),
            note="Code that its second compiler makes uses the frame pointer for other things, so some stacks end there; how many "
                 "differs from run to run, for heaptrack too. With -XX:+PreserveFramePointer all are whole."),
    Program("go", "goroutines that call C", run="./job", files=("cgo.go",), needs=("go:golang-go", "gcc:gcc"),
            make="GOCACHE=$PWD/cache GO111MODULE=off go build -o job cgo.go && rm -rf cache"),
    Program("gcc", "compiles, links and runs C++", is_script=True, files=("templates.cpp",), needs=("g++:g++",), is_in_slice=True, run=(
        "g++ -std=c++17 -o job templates.cpp && ./job && objdump -d --no-show-raw-insn job | md5sum"
    )),
    Program("clang", "compiles C++", is_script=True, files=("templates.cpp",), needs=("clang:clang",), run=(
        "$UNDER clang++ -std=c++17 -O1 -S -o job.s templates.cpp && md5sum job.s"
    )),
    Program("rustc", "compiles Rust", is_script=True, files=("crate",), needs=("rustc:rustc",), run=(
        "rustc -O --edition 2021 --crate-type rlib --crate-name job -o libjob.rlib crate/src/lib.rs && "
        "rustc -O --edition 2021 --extern job=libjob.rlib -o job crate/src/main.rs && ./job | wc -l"
    )),
    Program("cargo", "builds and tests a crate", is_script=True, files=("crate",), needs=("cargo:cargo",), run=(
        "cd crate && cargo build --offline -q && ./target/debug/job | wc -l && cargo test --offline -q"
    ), same=((r"finished in \d+\.\d+s", "finished"),)),
    script("git", "commits, gc, fsck, blame, clone", "git.sh", needs=("git:git",), variables=FIXED_DATES, is_in_slice=True),
    Program("sqlite", "a table, an index, queries", is_script=True, files=("job.sql",), needs=("sqlite3:sqlite3",), is_in_slice=True,
            run="$UNDER sqlite3 job.db < job.sql"),
    Program("ffmpeg", "makes, scales and encodes a film", needs=("ffmpeg:ffmpeg",), run=(
        "ffmpeg -v error -f lavfi -i testsrc=duration=20:size=640x480 -vf scale=320:240 -c:v mpeg4 -threads 2 -f framemd5 -"
    )),
    Program("gimp", "draws, blurs and scales a picture", is_script=True, files=("gimp.scm",), needs=("gimp-console:gimp",), run=(
        "$UNDER gimp-console -n -i -d -f -b \"$(cat gimp.scm)\" >out 2>&1; echo $?; md5sum < picture.ppm; grep -c . out"
    )),
    Program("chromium", "a page with a script, without a window", is_script=True, files=("page.html",), needs=("chromium:chromium",), run=(
        "$UNDER /usr/lib/chromium/chromium --headless --no-sandbox --disable-gpu --disable-breakpad --user-data-dir=\"$PWD/profile\" "
        "--dump-dom \"file://$PWD/page.html\" | md5sum"
    ), same=((CHROMIUM_PREFIX, "["), (r"^\[ERROR:dbus/.*\n", ""))),
    Program("firefox", "a page with a script as a picture", is_script=True, files=("page.html",), needs=("firefox-esr:firefox-esr",), run=(
        "mkdir profile; $UNDER firefox-esr --headless --no-remote --profile \"$PWD/profile\" --screenshot \"$PWD/page.png\" "
        "\"file://$PWD/page.html\" >/dev/null 2>&1; echo $?; md5sum < page.png"
    ), note="Stacks that are not whole end in code that its engine generates, which has neither tables nor frame pointers."),
    script("postgresql", "a server of processes", "postgresql.sh", files=("postgresql.sql",), needs=("psql:postgresql", "setpriv:util-linux"),
           user="postgres"),
    script("mariadb", "a server of threads", "mariadb.sh", files=("mariadb.sql",), needs=("mariadbd:mariadb-server",)),
    script("redis", "a server with jemalloc, and Lua", "redis.sh", needs=("redis-server:redis-server",)),
    script("nginx", "a daemon with workers of another user", "nginx.sh", files=("nginx.conf",), needs=("nginx:nginx-light", "curl:curl")),
    Program("openmp", "a parallel loop", files=("threads.c",), needs=("gcc:gcc",), make="gcc -O2 -fopenmp -o job threads.c", run="./job"),
    Program("mpi", "four ranks", files=("mpi.c",), needs=("mpicc:libopenmpi-dev", "mpirun:openmpi-bin"), make="mpicc -O2 -o job mpi.c", run=(
        "mpirun --allow-run-as-root --oversubscribe --mca btl self,vader -np 4 ./job"
    )),
    Program("tbb", "parallel_for, scalable_malloc", files=("tbb.cpp",), needs=("g++:g++",),
            needs_libraries=("pkgconfig/tbb.pc:libtbb-dev",), make="g++ -O2 -o job tbb.cpp -ltbb -ltbbmalloc",
            run="./job"),
    Program("gdb", "a breakpoint and a backtrace", files=(TABLE,), needs=("gdb:gdb", "g++:g++"), can_be_traced=False,
            make="g++ -g -std=c++17 -pthread -DENTRIES=300000 -o job table.cpp", run=(
        "gdb -q -batch -iex 'set debuginfod enabled off' -ex 'break folded' -ex run -ex bt -ex 'info threads' -ex continue ./job"
    ), same=((r"0x[0-9a-f]+", "0x"), (r"^\[(New Thread|Thread) .*\n", ""), (r"LWP \d+", "LWP"), (r"process \d+", "process"), (r" +", " "))),
    Program("strace", "follows a shell and its children", is_script=True, needs=("strace:strace",), can_be_traced=False, run=(
        "strace -f -o trace.txt sh -c 'for i in $(seq 150); do ls / >/dev/null; done'; echo $?; grep -c 'exited with 0' trace.txt"
    )),
    Program("valgrind", "memcheck", files=(TABLE,), needs=("valgrind:valgrind", "g++:g++"),
            make="g++ -g -std=c++17 -pthread -DENTRIES=15000 -o job table.cpp", run="valgrind -q ./job",
            note="memcheck puts functions of its own in place of malloc, so the recorder sees next to nothing of the program."),
    Program("callgrind", "valgrind's other tools", files=(TABLE,), needs=("valgrind:valgrind", "g++:g++"),
            make="g++ -g -std=c++17 -pthread -DENTRIES=15000 -o job table.cpp", run="valgrind -q --tool=callgrind --callgrind-out-file=out ./job"),
    Program("asan", "AddressSanitizer", is_recorded=False, files=(TABLE,), needs=("g++:g++",), make=SANITIZED % "address", run="./job",
            can_be_traced=False),
    Program("tsan", "ThreadSanitizer", is_recorded=False, files=(TABLE,), needs=("g++:g++",), make=SANITIZED % "thread", run="./job"),
    Program("ubsan", "UndefinedBehaviorSanitizer", files=(TABLE,), needs=("g++:g++",), make=SANITIZED % "undefined", run="./job"),
    Program("clang-asan", "AddressSanitizer inside the program", files=(TABLE,), needs=("clang++:clang",),
            needs_libraries=(CLANG_RUNTIME,), run="./job", can_be_traced=False,
            make=(SANITIZED % "address").replace("g++", "clang++"),
            note="clang links the runtime into the program. A sanitizer judges and reports by who calls its malloc, so that is left "
                 "alone: its heap is not recorded, and the profile says so."),
    Program("musl", "another C library", is_of_glibc=False, files=("threads.c",), needs=("musl-gcc:musl-tools",),
            make="musl-gcc -O2 -Wno-unknown-pragmas -o job threads.c", run="./job"),
    Program("static", "no dynamic linker", is_recorded=False, files=("threads.c",), needs=("gcc:gcc",),
            make="gcc -O2 -static -o job threads.c", run="./job"),
    Program("configure", "a thousand short processes", is_script=True, files=("configure.ac",), needs=("autoconf:autoconf", "g++:g++"),
            make="echo '@SIZEOF_LONG@ @SIZEOF_VOID_P@ @CC@' > out.in && autoconf", run="./configure && cat out"),
    script("checks", "what a configure script does", "checks.sh", needs=("gcc:gcc",), is_in_slice=True),
)
