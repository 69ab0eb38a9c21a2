//! Every function of what gcc makes of one source in many ways, detoured at once.
//! The functions count their entries themselves, so the hook's counts have a truth.

use super::{Refusal, hook_for_tests, install};
use crate::sys;
use object::{Object, ObjectSymbol, SymbolKind};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each function begins with `ENTER(number)`; `run` is the only one that does not.
const SOURCE: &str = r#"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define N 16
uint64_t entered[N];
#define ENTER(n) (++*(volatile uint64_t *)&entered[n])
#define OUT __attribute__((noinline, noclone))
static uint64_t seed = 1;
static const char *const words[] = {"alpha", "beta", "gamma", "delta"};

OUT uint64_t f0_leaf(uint64_t x) { ENTER(0); return x * 3 + 1; }
OUT uint64_t f1_global(void) { ENTER(1); seed = seed * 6364136223846793005u + 1; return seed >> 33; }
OUT double f2_floats(double a, float b, double c, int n) {
    ENTER(2); double s = 0; for (int i = 0; i < n; i++) s += a * i + b / (c + i); return s;
}
OUT uint64_t f3_switch(int k, uint64_t x) {
    ENTER(3);
    switch (k & 7) {
    case 0: return x + 1; case 1: return x * 7; case 2: return x ^ 0x55; case 3: return x << 3;
    case 4: return f0_leaf(x); case 5: return x - 9; case 6: return ~x; default: return x / 3;
    }
}
OUT uint64_t f4_variadic(int count, ...) {
    ENTER(4); va_list list; va_start(list, count); double sum = 0;
    for (int i = 0; i < count; i++) sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
    va_end(list); return (uint64_t)sum;
}
/* Through a pointer, or the compiler makes a loop of it. */
uint64_t f5_recursive(unsigned n);
static uint64_t (*volatile again)(unsigned) = f5_recursive;
OUT uint64_t f5_recursive(unsigned n) { ENTER(5); return n < 2 ? n : again(n - 1) + again(n - 2); }
struct big { uint64_t v[6]; };
OUT struct big f6_struct(struct big b, int n) { ENTER(6); for (int i = 0; i < 6; i++) b.v[i] += n * i; return b; }
OUT uint64_t f7_tail(uint64_t x) { ENTER(7); return f0_leaf(x + 2); }
OUT uint64_t f8_early(const char *s) { if (!s) { ENTER(8); return 0; } ENTER(8); return strlen(s) + (uint64_t)s[0]; }
OUT uint64_t f9_many(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h) {
    ENTER(9); return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
static __attribute__((noinline)) uint64_t f10_static(uint64_t x, const uint64_t *p) { ENTER(10); return x + *p; }
OUT uint64_t f11_stack(int n) { ENTER(11); volatile char room[20000]; room[n] = (char)n; return (uint64_t)room[n]; }
OUT void f12_nothing(void) { ENTER(12); }
OUT uint64_t f13_alloca(int n) { ENTER(13); char *p = __builtin_alloca(n); memset(p, n, n); return (uint64_t)p[n / 2]; }
OUT uint64_t f14_pointer(uint64_t (*f)(uint64_t), uint64_t x) { ENTER(14); return f(x) ^ 1; }
OUT long double f15_x87(long double a, int n) { ENTER(15); while (n--) a = a * 1.5L - 0.25L; return a; }

uint64_t run(int rounds) {
    uint64_t sum = 0;
    seed = 1;
    for (int i = 0; i < rounds; i++) {
        uint64_t x = f1_global();
        struct big b = {{x, 1, 2, 3, 4, 5}};
        sum = sum * 31 + f0_leaf(x);
        sum = sum * 31 + (uint64_t)(1000 * f2_floats(1.5 + i, 2.5f, 3.5, i % 9));
        sum = sum * 31 + f3_switch((int)x, x);
        sum = sum * 31 + f4_variadic(9, 1, 2.5, 3, 4.5, 5, 6.5, i, 8.5, 9);
        sum = sum * 31 + f5_recursive(i % 8);
        b = f6_struct(b, i);
        sum = sum * 31 + b.v[5] + b.v[0];
        sum = sum * 31 + f7_tail(x);
        sum = sum * 31 + f8_early(i % 5 ? words[i % 4] : NULL);
        sum = sum * 31 + f9_many(x, 1, 2, 3, i, 5, 6, x >> 3);
        sum = sum * 31 + f10_static(x, &b.v[i % 6]);
        sum = sum * 31 + f11_stack(i % 100);
        f12_nothing();
        sum = sum * 31 + f13_alloca(16 + i % 64);
        sum = sum * 31 + f14_pointer(f7_tail, x);
        sum = sum * 31 + (uint64_t)f15_x87(i, i % 5);
    }
    return sum;
}
"#;

const FUNCTIONS: usize = 16;
const ROUNDS: i32 = 200;

struct Library {
    /// Symbols that are functions with a number, and what the source counts with.
    functions: Vec<(usize, usize, usize)>,
    entered: *const [u64; FUNCTIONS],
    run: extern "C" fn(i32) -> u64,
}

fn compile(directory: &Path, flags: &str) -> PathBuf {
    let source = directory.join("functions.c");
    std::fs::write(&source, SOURCE).unwrap();
    let file = directory.join(format!("lib{}.so", flags.replace([' ', '='], "_")));
    let status = Command::new("gcc")
        .args(["-shared", "-fPIC", "-w"])
        .args(flags.split_whitespace())
        .arg("-o")
        .args([&file, &source])
        .status()
        .expect("gcc is installed");
    assert!(status.success(), "gcc {flags}");
    file
}

fn load(file: &Path) -> Library {
    let name = CString::new(file.as_os_str().as_bytes()).unwrap();
    const RTLD_NOW: i32 = 2;
    // SAFETY: the names are terminated; the library stays loaded.
    let (entered, run) = unsafe {
        let handle = sys::dlopen().unwrap()(name.as_ptr(), RTLD_NOW);
        assert!(!handle.is_null());
        let entered = sys::dlsym(handle, c"entered".as_ptr());
        (entered, sys::dlsym(handle, c"run".as_ptr()) as usize)
    };
    let data = std::fs::read(file).unwrap();
    let elf = object::File::parse(&*data).unwrap();
    let symbols = || elf.symbols().filter(|s| s.kind() == SymbolKind::Text);
    let link_time_run = symbols().find(|s| s.name() == Ok("run")).unwrap().address();
    let bias = run - link_time_run as usize;
    let functions = symbols().filter_map(|symbol| {
        // Names with a dot are further names of the same.
        let name = symbol.name().ok().filter(|name| !name.contains('.'))?;
        let number = name.strip_prefix('f')?.split('_').next()?.parse().ok()?;
        let address = bias + symbol.address() as usize;
        Some((number, address, symbol.size() as usize))
    });
    Library {
        functions: functions.collect(),
        entered: entered as *const [u64; FUNCTIONS],
        // SAFETY: the type of `run` in the source.
        run: unsafe { core::mem::transmute::<usize, extern "C" fn(i32) -> u64>(run) },
    }
}

#[test]
fn every_function_of_a_library_counts_and_computes_the_same() {
    hook_for_tests::use_it();
    let directory = std::env::temp_dir().join(format!("residue-detour-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    for flags in [
        "-O0",
        "-O1",
        "-O2",
        "-O3 -march=x86-64-v2",
        "-Os",
        "-O2 -fcf-protection=full",
        "-O2 -fno-omit-frame-pointer -fstack-protector-all",
        "-O2 -mno-red-zone -fno-plt -fstack-clash-protection",
        "-O0 -mcmodel=large",
    ] {
        check(&directory, flags);
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

fn check(directory: &Path, flags: &str) {
    let library = load(&compile(directory, flags));
    assert_eq!(library.functions.len(), FUNCTIONS, "{flags}");
    // SAFETY: the counters of a library that stays loaded.
    let counters = || unsafe { library.entered.read_volatile() };
    let expected = (library.run)(ROUNDS);
    let before = counters();
    assert!(before.iter().all(|&count| count >= ROUNDS as u64));

    let mut tags = [None; FUNCTIONS];
    for &(number, address, size) in &library.functions {
        let tag = hook_for_tests::new_tag();
        let installed = install(address, Some(size), tag);
        assert_eq!(installed, Ok::<(), Refusal>(()), "{flags}: f{number}");
        tags[number] = Some(tag);
    }
    assert_eq!((library.run)(ROUNDS), expected, "{flags}");
    for (number, tag) in tags.into_iter().enumerate() {
        let truth = counters()[number] - before[number];
        let counted = hook_for_tests::entries(tag.unwrap()) as u64;
        assert_eq!(counted, truth, "{flags}: f{number}");
    }
}
