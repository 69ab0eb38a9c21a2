//! The decoder against `objdump`, over whole libraries, and where it must refuse.

use super::decode::{Flow, Instruction, decode};
use residue_testkit::random::Random;
use std::path::Path;
use std::process::Command;

/// One line of a disassembly: where, how many bytes, and the text.
struct Line {
    address: u64,
    offset: usize,
    length: usize,
    text: String,
}

/// Contiguous code, as `objdump` sees it.
#[derive(Default)]
struct Listing {
    bytes: Vec<u8>,
    lines: Vec<Line>,
}

fn disassemble(file: &Path, range: Option<(u64, u64)>) -> Listing {
    let mut command = Command::new("objdump");
    command.args(["--disassemble", "--wide", "--section=.text"]);
    if let Some((start, end)) = range {
        command.arg(format!("--start-address={start}"));
        command.arg(format!("--stop-address={end}"));
    }
    let output = command.arg(file).output().expect("objdump is installed");
    assert!(output.status.success(), "objdump {}", file.display());
    let mut listing = Listing::default();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut columns = line.splitn(3, '\t');
        let address = columns.next().and_then(|at| at.trim().strip_suffix(':'));
        let (Some(address), Some(raw)) = (address, columns.next()) else {
            continue;
        };
        let offset = listing.bytes.len();
        let raw = raw.split_whitespace();
        listing
            .bytes
            .extend(raw.map(|byte| u8::from_str_radix(byte, 16).unwrap()));
        listing.lines.push(Line {
            address: u64::from_str_radix(address, 16).unwrap(),
            offset,
            length: listing.bytes.len() - offset,
            text: columns.next().unwrap_or_default().trim().to_owned(),
        });
    }
    listing
}

/// Where `objdump` prints something else than one instruction of the processor.
fn is_odd(line: &Line, bytes: &[u8]) -> bool {
    let is_data = line.text.contains("(bad)") || line.text.starts_with(".byte");
    // It joins `fwait` to the instruction that follows.
    let is_joined_wait = bytes[line.offset] == 0x9b && line.length > 1;
    is_data || is_joined_wait
}

/// What the text says about control flow and rip, held against the decoder's.
fn agrees(line: &Line, instruction: &Instruction) -> bool {
    let words = line.text.split_whitespace();
    let mut words = words.skip_while(|word| {
        matches!(
            *word,
            "bnd" | "notrack" | "repz" | "data16" | "addr32" | "cs" | "ds"
        ) || word.starts_with("rex")
    });
    let mnemonic = words.next().unwrap_or_default().split(',').next().unwrap();
    let operand = words.next().unwrap_or_default();
    let target = u64::from_str_radix(operand, 16).ok();
    let relative = |to: isize| target == Some(line.address.wrapping_add_signed(to as i64));
    let flow_agrees = match instruction.flow {
        Flow::Jump(to) => mnemonic == "jmp" && relative(to),
        Flow::Branch { to, .. } => mnemonic.starts_with('j') && relative(to),
        Flow::OddBranch(to) => {
            (mnemonic.starts_with("loop") || matches!(mnemonic, "jrcxz" | "jecxz" | "xbegin"))
                && relative(to)
        }
        Flow::Call(to) => mnemonic == "call" && relative(to),
        Flow::IndirectCall { .. } => mnemonic == "call" && target.is_none(),
        Flow::Stop => {
            let stops = ["ret", "jmp", "ljmp", "hlt", "ud2", "iret", "sysret"];
            stops.iter().any(|stop| mnemonic.starts_with(stop)) && target.is_none()
        }
        Flow::Next => !["j", "call", "ret", "loop", "xbegin", "hlt", "ud2"]
            .iter()
            .any(|flow| mnemonic.starts_with(flow)),
    };
    let uses_rip = line.text.contains("(%rip)");
    flow_agrees && uses_rip == instruction.rip_displacement.is_some()
}

/// Compares every line; returns how many were compared and how many were odd.
fn compare(file: &Path, range: Option<(u64, u64)>) -> (usize, usize) {
    let listing = disassemble(file, range);
    let (mut compared, mut odd) = (0, 0);
    for line in &listing.lines {
        if is_odd(line, &listing.bytes) {
            odd += 1;
            continue;
        }
        let code = &listing.bytes[line.offset..];
        // The last few lines may be cut by the end of the range.
        if code.len() < 16 {
            break;
        }
        let decoded = decode(code);
        let is_right = decoded.is_some_and(|i| i.length == line.length && agrees(line, &i));
        assert!(
            is_right,
            "{} {:x}: {} ({:02x?}) decoded as {decoded:?}",
            file.display(),
            line.address,
            line.text,
            &code[..line.length],
        );
        compared += 1;
    }
    (compared, odd)
}

#[test]
fn every_instruction_of_libc_has_the_length_that_objdump_gives_it() {
    let libc = crate::modules::path_for_test(libc_address());
    let (compared, odd) = compare(Path::new(&libc), None);
    assert!(compared > 200_000, "only {compared} compared");
    assert!(odd * 10_000 < compared, "{odd} odd lines of {compared}");
}

fn libc_address() -> usize {
    unsafe extern "C" {
        fn getenv(name: *const core::ffi::c_char) -> *mut core::ffi::c_char;
    }
    getenv as *const () as usize
}

/// Whatever of these is installed; the maths library has vectors of every width,
/// the compiler has the most code.
#[test]
fn samples_of_large_programs_agree_too() {
    let libraries = "/usr/lib/x86_64-linux-gnu";
    let mut files = vec![
        format!("{libraries}/libm.so.6"),
        format!("{libraries}/libstdc++.so.6"),
        format!("{libraries}/libsqlite3.so.0"),
        format!("{libraries}/libpython3.11.so.1.0"),
        "/usr/bin/python3".to_owned(),
    ];
    let compiler = Command::new("gcc").arg("-print-prog-name=cc1plus").output();
    if let Ok(output) = compiler {
        files.push(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let mut compared = 0;
    for file in files.iter().map(Path::new).filter(|file| file.exists()) {
        use object::{Object, ObjectSection};
        let data = std::fs::read(file).unwrap();
        let parsed = object::File::parse(&*data).unwrap();
        let text = parsed.section_by_name(".text").unwrap();
        // Eight pieces, each from a function's start where a symbol says so: a
        // listing that starts amid an instruction would be wrong at first.
        let starts: Vec<u64> = {
            use object::ObjectSymbol;
            let mut starts: Vec<u64> = parsed
                .symbols()
                .chain(parsed.dynamic_symbols())
                .filter(|symbol| symbol.kind() == object::SymbolKind::Text)
                .map(|symbol| symbol.address())
                .filter(|at| (text.address()..text.address() + text.size()).contains(at))
                .collect();
            starts.sort_unstable();
            starts.push(text.address());
            starts
        };
        for piece in 0..8 {
            let start = starts[piece * (starts.len() - 1) / 8];
            let end = (start + 0x8000).min(text.address() + text.size());
            compared += compare(file, Some((start, end))).0;
        }
    }
    assert!(compared > 10_000, "only {compared} compared");
}

#[test]
fn what_is_not_known_is_refused() {
    let refused: [&[u8]; 12] = [
        &[],
        &[0x0f],
        // Cut short: a displacement, an immediate, a SIB byte.
        &[0x48, 0x8b, 0x05, 0, 0, 0],
        &[0xb8, 1, 2, 3],
        &[0x8b, 0x04],
        // push es, and a far call, exist in 32 bits only.
        &[0x06, 0, 0, 0, 0, 0],
        &[0x9a, 0, 0, 0, 0, 0, 0],
        // A call with a 16-bit operand differs between processors.
        &[0x66, 0xe8, 0, 0, 0, 0],
        // XOP, and a REX prefix before another prefix.
        &[0x8f, 0xe8, 0x78, 0xc0, 0xc0, 0],
        &[0x48, 0x66, 0x90],
        // eip-relative, and a VEX prefix after 66.
        &[0x67, 0x8b, 0x05, 0, 0, 0, 0],
        &[0x66, 0xc5, 0xf8, 0x77],
    ];
    for code in refused {
        assert_eq!(decode(code), None, "{code:02x?}");
    }
    // Sixteen bytes with their prefixes.
    let mut long = [0x66_u8; 16];
    long[15] = 0x90;
    assert_eq!(decode(&long), None);
    assert_eq!(decode(&long[1..]).map(|i| i.length), Some(15));
}

#[test]
fn no_bytes_make_it_run_past_their_end() {
    let mut random = Random::new(1);
    for _ in 0..200_000 {
        let code: [u8; 16] = std::array::from_fn(|_| random.bits() as u8);
        for length in 0..=16 {
            if let Some(instruction) = decode(&code[..length]) {
                assert!((1..=length.min(15)).contains(&instruction.length));
                assert_eq!(decode(&code).map(|i| i.length), Some(instruction.length));
            }
        }
    }
}
