"""The programs of the gauntlet: how their files are made, how they are run, what they need.

`make` and `run` are shell scripts in an empty folder of their own. Runs say the same every time, but for what `same`
replaces. Servers listen on a socket in their folder and are ended by their own commands.
"""

import shlex
from dataclasses import dataclass, field


@dataclass
class Program:
    name: str
    what: str
    run: str
    make: str = ""
    needs: tuple = ()  # of the form that scripts/need takes
    variables: dict = field(default_factory=dict)
    same: tuple = ()  # patterns and what takes their place
    is_script: bool = False  # `run` is for a shell, and not one command
    is_recorded: bool = True

    def command(self):
        return ["sh", "-c", self.run] if self.is_script else shlex.split(self.run)


C_THREADS = r"""
cat > job.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 200000; i++) {
        char *volatile block = malloc(16 + i % 500);
        memset(block, i, 16);
        sum += block[3];
        free(block);
    }
    printf("%ld\n", sum);
    return 0;
}
EOF
"""

CPP_JOB = r"""
cat > job.cpp <<'EOF'
#include <cstdio>
#include <map>
#include <string>
#include <vector>
int main() {
    std::map<std::string, std::vector<int>> table;
    for (int i = 0; i < 30000; i++) table[std::to_string(i * 7919 % 5000)].push_back(i);
    size_t sum = 0;
    for (auto &[name, values] : table) sum = sum * 31 + name.size() * values.size();
    std::printf("%zu\n", sum);
}
EOF
"""

RUST_JOB = r"""
mkdir -p job/src
printf '[package]\nname = "job"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n' > job/Cargo.toml
cat > job/src/main.rs <<'EOF'
use std::collections::BTreeMap;
fn main() {
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0..20000_usize {
        *words.entry(format!("{}", number * 7919 % 3001)).or_default() += number;
    }
    println!("{}", words.values().fold(0_usize, |sum, it| sum.wrapping_mul(31).wrapping_add(*it)));
}
EOF
"""

JAVA_JOB = r"""
cat > Job.java <<'EOF'
import java.util.*;
public class Job {
    public static void main(String[] arguments) {
        Map<String, List<Integer>> table = new TreeMap<>();
        for (int i = 0; i < 300000; i++)
            table.computeIfAbsent("k" + (i * 7919 % 5000), key -> new ArrayList<>()).add(i);
        long sum = 0;
        for (List<Integer> values : table.values()) sum = sum * 31 + values.size();
        System.out.println(sum);
    }
}
EOF
javac Job.java
"""

GO_JOB = r"""
mkdir -p job
cat > job/go.mod <<'EOF'
module job
go 1.18
EOF
cat > job/main.go <<'EOF'
package main

// #include <stdlib.h>
// #include <string.h>
// static int use(int n) { char *p = malloc(n); memset(p, 1, n); int r = p[n - 1] + n; free(p); return r; }
import "C"
import ("fmt"; "sync")

func main() {
	var wait sync.WaitGroup
	sums := make([]int, 8)
	for worker := range sums {
		wait.Add(1)
		go func(worker int) {
			defer wait.Done()
			for i := 1; i < 20000; i++ { sums[worker] += int(C.use(C.int(i%300 + 1))) }
		}(worker)
	}
	wait.Wait()
	fmt.Println(sums)
}
EOF
cd job && GOCACHE=$PWD/cache GOFLAGS=-mod=mod go build -o ../job.bin . && rm -rf cache
"""

TBB_JOB = r"""
cat > job.cpp <<'EOF'
#include <tbb/parallel_for.h>
#include <tbb/scalable_allocator.h>
#include <atomic>
#include <cstdio>
#include <vector>
int main() {
    std::atomic<long> sum{0};
    tbb::parallel_for(0, 20000, [&](int i) {
        std::vector<int, tbb::scalable_allocator<int>> mine(i % 100 + 1, i);
        std::vector<int> heap(i % 50 + 1, 1);
        sum += mine.back() + static_cast<long>(heap.size());
    });
    std::printf("%ld\n", sum.load());
}
EOF
g++ -O2 -o job job.cpp -ltbb -ltbbmalloc
"""

MPI_JOB = r"""
cat > job.c <<'EOF'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank;
    long mine = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10000; i++) {
        long *block = malloc(64);
        block[0] = i + rank;
        mine += block[0];
        free(block);
    }
    MPI_Reduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%ld\n", sum);
    MPI_Finalize();
    return 0;
}
EOF
mpicc -O2 -o job job.c
"""

# As another user, as PostgreSQL insists on.
POSTGRES = r"""
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
as() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
mkdir data sockets && chown postgres data sockets
as "$bin/initdb" -D data -A trust >/dev/null 2>&1 || exit 1
as "$bin/pg_ctl" -D data -w -l data/log -o "-c listen_addresses= -k $PWD/sockets -c fsync=off" start >/dev/null || exit 1
as psql -q -h "$PWD/sockets" -d postgres -f job.sql
as psql -Atq -h "$PWD/sockets" -d postgres -c 'select count(*), sum(n), max(length(t)) from numbers' \
    -c 'select n % 7, count(*) from numbers group by 1 order by 1'
as "$bin/pg_ctl" -D data -w -m fast stop >/dev/null
"""

POSTGRES_SQL = r"""
cat > job.sql <<'EOF'
create table numbers (n bigint, t text);
insert into numbers select i, repeat('x', (i % 100)::int) from generate_series(1, 50000) i;
create index on numbers (t);
analyze numbers;
EOF
"""

MARIADB = r"""
mkdir data
mariadb-install-db --no-defaults --user=root --datadir="$PWD/data" --auth-root-authentication-method=normal >/dev/null 2>&1 || exit 1
mariadbd --no-defaults --user=root --datadir="$PWD/data" --socket="$PWD/s" --pid-file="$PWD/pid" --skip-networking >log 2>&1 &
server=$!
for i in $(seq 600); do mariadb-admin --no-defaults -uroot -S "$PWD/s" ping >/dev/null 2>&1 && break; sleep 0.1; done
mariadb --no-defaults -uroot -S "$PWD/s" < job.sql
mariadb-admin --no-defaults -uroot -S "$PWD/s" shutdown
wait $server
echo "server: $?"
"""

MARIADB_SQL = r"""
cat > job.sql <<'EOF'
create database job; use job;
create table numbers (n int primary key, t varchar(100)) engine=innodb;
insert into numbers select seq, repeat('x', seq % 100) from seq_1_to_20000;
select count(*), sum(n), max(length(t)) from numbers;
select n % 7, count(*) from numbers group by 1 order by 1;
EOF
"""

REDIS = r"""
redis-server --port 0 --unixsocket "$PWD/s" --save '' --appendonly no --daemonize no --logfile log &
server=$!
for i in $(seq 300); do redis-cli -s "$PWD/s" ping 2>/dev/null | grep -q PONG && break; sleep 0.1; done
redis-benchmark -s "$PWD/s" -n 20000 -q -t lpush,hset,zadd >/dev/null
redis-cli -s "$PWD/s" dbsize
redis-cli -s "$PWD/s" llen mylist
redis-cli -s "$PWD/s" shutdown nosave
wait $server
echo "server: $?"
"""

NGINX = r"""
mkdir -p logs tmp
nginx -p "$PWD" -c "$PWD/job.conf" -e "$PWD/logs/error" || exit 1
for i in $(seq 300); do [ -S s ] && break; sleep 0.1; done
for i in $(seq 200); do curl -s --unix-socket "$PWD/s" http://x/file.txt; done | md5sum
pid=$(cat logs/pid)
nginx -p "$PWD" -c "$PWD/job.conf" -e "$PWD/logs/error" -s quit
while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
"""

NGINX_FILES = r"""
cat > job.conf <<'EOF'
pid logs/pid;
worker_processes 2;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path tmp;
    proxy_temp_path tmp;
    fastcgi_temp_path tmp;
    uwsgi_temp_path tmp;
    scgi_temp_path tmp;
    gzip on;
    server { listen unix:s; root .; }
}
EOF
seq 20000 > file.txt
"""

GIT = r"""
git init -q -b main repository && cd repository || exit 1
git config user.name job && git config user.email job@localhost && git config gc.autoDetach false
for i in $(seq 12); do seq "$i" $((i * 500)) > "file$i"; git add . && git commit -qm "step $i"; done
git gc -q --aggressive && git fsck --no-dangling && git log --stat --format=%H | md5sum && git blame file3 | md5sum
"""

CONFIGURE = r"""
cat > configure.ac <<'EOF'
AC_INIT([job], [1])
AC_PROG_CC
AC_CHECK_HEADERS([stdio.h stdlib.h sys/mman.h no/such.h])
AC_CHECK_FUNCS([malloc mremap nosuchfunction])
AC_CHECK_SIZEOF([long])
AC_CONFIG_FILES([out])
AC_OUTPUT
EOF
echo '@SIZEOF_LONG@ @CC@' > out.in
autoconf
"""

FIXED_DATES = {"GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"}

PAGE = "for i in $(seq 500); do echo \"<p>line $i</p>\"; done > page.html"

PROGRAMS = (
    Program("python", "json, sets, a compiled module", run=(
        "python3 -c 'import json, ast; x = {str(i): [i, str(i)] for i in range(60000)}; "
        "print(len(json.dumps(json.loads(json.dumps(x))))); print(len(ast.dump(ast.parse(\"a = b + c\\n\" * 5000))))'"
    ), variables={"PYTHONMALLOC": "malloc"}),
    Program("perl", "hashes and sorting", needs=("perl:perl",), run=(
        "perl -e 'my %h; $h{$_ * 7919 % 30011} .= \"x$_\" for 1 .. 200000; print scalar(keys %h), \"\\n\"; "
        "print join(\",\", (sort { $a <=> $b } keys %h)[0 .. 5]), \"\\n\"'"
    )),
    Program("ruby", "hashes and strings", needs=("ruby:ruby",), run=(
        "ruby -e 'h = Hash.new(0); 200000.times { |i| h[(i * 7919 % 30011).to_s] += i }; "
        "puts h.size, h.values.sum, h.keys.sort.first(5).join(\",\")'"
    )),
    Program("node", "maps, JSON, a JIT", needs=("node:nodejs",), run=(
        "node -e 'const m = new Map(); for (let i = 0; i < 300000; i++) { const k = `k${i * 7919 % 30011}`; "
        "m.set(k, (m.get(k) ?? 0) + i); } console.log(m.size, JSON.stringify([...m]).length)'"
    )),
    Program("java", "a JIT, a garbage collector", needs=("javac:default-jdk-headless",), make=JAVA_JOB, run="java -cp . Job"),
    Program("go", "goroutines that call C", needs=("go:golang-go",), make=GO_JOB, run="./job.bin"),
    Program("g++", "compiles and links C++", is_script=True, needs=("g++:g++",), make=CPP_JOB, run=(
        "g++ -O2 -o job job.cpp && ./job && objdump -d --no-show-raw-insn job | md5sum"
    )),
    Program("clang", "compiles C++", is_script=True, needs=("clang:clang",), make=CPP_JOB, run="clang++ -O2 -S -o - job.cpp | md5sum"),
    Program("rustc", "an allocator of its own", is_script=True, needs=("rustc:rustc",), make=RUST_JOB, run=(
        "rustc -O -o job.bin job/src/main.rs && ./job.bin && rustc --version"
    )),
    Program("cargo", "builds a crate", is_script=True, needs=("cargo:cargo",), make=RUST_JOB, run=(
        "cd job && cargo build --offline -q && ./target/debug/job && cargo metadata --offline --format-version 1 -q | wc -l"
    )),
    Program("git", "commits, gc, fsck, blame", is_script=True, needs=("git:git",), run=GIT, variables=FIXED_DATES),
    Program("sqlite", "a table, an index, a query", needs=("sqlite3:sqlite3",), run=(
        "sqlite3 job.db \"create table t(n, s); with recursive c(i) as (select 1 union all select i + 1 from c where i < 100000) "
        "insert into t select i, 'x' || (i * 7919 % 3001) from c; create index i on t(s); "
        "select count(*), count(distinct s), sum(n) from t;\""
    )),
    Program("ffmpeg", "decodes, scales, encodes", needs=("ffmpeg:ffmpeg",), run=(
        "ffmpeg -v error -f lavfi -i testsrc=duration=2:size=320x240 -vf scale=160:120 -c:v mpeg4 -threads 2 -f framemd5 -"
    )),
    Program("gimp", "starts and ends", is_script=True, needs=("gimp-console:gimp",), run=(
        "gimp-console -n -i -d -f -b '(gimp-quit 0)' >/dev/null 2>&1; echo $?"
    )),
    Program("chromium", "a page, without a window", is_script=True, needs=("chromium:chromium",), make=PAGE, run=(
        "chromium --headless --no-sandbox --disable-gpu --disable-breakpad --dump-dom \"file://$PWD/page.html\" | md5sum"
    ), same=((r"^(?![0-9a-f]{32}).*\n?", ""),)),
    Program("firefox", "a page as a picture", is_script=True, needs=("firefox-esr:firefox-esr",), make=PAGE, run=(
        "firefox-esr --headless --no-remote --profile \"$(mkdir -p profile && echo $PWD/profile)\" "
        "--screenshot \"$PWD/page.png\" \"file://$PWD/page.html\" >/dev/null 2>&1; echo $?; md5sum < page.png"
    )),
    Program("postgresql", "a server of processes, as another user", is_script=True, needs=("psql:postgresql",), make=POSTGRES_SQL, run=POSTGRES),
    Program("mariadb", "a server of threads", is_script=True, needs=("mariadbd:mariadb-server",), make=MARIADB_SQL, run=MARIADB),
    Program("redis", "a server with jemalloc", is_script=True, needs=("redis-server:redis-server",), run=REDIS),
    Program("nginx", "a server with workers", is_script=True, needs=("nginx:nginx-light", "curl:curl"), make=NGINX_FILES, run=NGINX),
    Program("openmp", "a parallel loop", needs=("gcc:gcc",), make=C_THREADS + "gcc -O2 -fopenmp -o job job.c\n", run="./job"),
    Program("mpi", "four ranks", needs=("mpicc:libopenmpi-dev", "mpirun:openmpi-bin"), make=MPI_JOB, run=(
        "mpirun --allow-run-as-root --oversubscribe -np 4 ./job"
    )),
    Program("tbb", "scalable_malloc", needs=("g++:g++",), make=TBB_JOB, run="./job"),
    Program("gdb", "a breakpoint and a backtrace", needs=("gdb:gdb", "g++:g++"), make=CPP_JOB + "g++ -g -o job job.cpp\n", run=(
        "gdb -q -batch -ex 'break exit' -ex run -ex bt ./job"
    ), same=((r"0x[0-9a-f]+", "0x"), (r"^\[.*\n", ""), (r"process \d+", "process"))),
    Program("strace", "follows a program", is_script=True, needs=("strace:strace",), run="strace -f -o trace.txt ls / >/dev/null; echo $?"),
    Program("valgrind", "runs a program of its own kind", needs=("valgrind:valgrind", "g++:g++"), make=CPP_JOB + "g++ -o job job.cpp\n", run=(
        "valgrind -q ./job"
    )),
    Program("asan", "AddressSanitizer", is_recorded=False, needs=("g++:g++",), make=CPP_JOB + "g++ -fsanitize=address -o job job.cpp\n", run="./job"),
    Program("musl", "another C library", is_recorded=False, needs=("musl-gcc:musl-tools",), make=C_THREADS + "musl-gcc -O2 -Wno-unknown-pragmas -o job job.c\n", run="./job"),
    Program("static", "no loader", is_recorded=False, needs=("gcc:gcc",), make=C_THREADS + "gcc -O2 -static -o job job.c\n", run="./job"),
    Program("configure", "hundreds of processes", is_script=True, needs=("autoconf:autoconf", "gcc:gcc"), make=CONFIGURE, run="./configure && cat out"),
)
