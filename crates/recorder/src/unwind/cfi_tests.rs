//! The rules compiled here against gimli, row by row, over whole libraries.

use super::cfi;
use super::compile;
use super::rule::{Rule, RuleKind};
use crate::modules;
use gimli::{
    BaseAddresses, CfaRule, EhFrame, NativeEndian, Operation, Register, RegisterRule,
    UnwindContext, UnwindSection,
};
use object::{Object, ObjectSection};

const BX: Register = Register(3);
const BP: Register = Register(6);
const SP: Register = Register(7);
const IP: Register = Register(16);

type Slice<'a> = gimli::EndianSlice<'a, NativeEndian>;

/// The rule that gimli's row amounts to, `None` where no rule can express it.
fn expected(
    section: &EhFrame<Slice<'_>>,
    encoding: gimli::Encoding,
    row: &gimli::UnwindTableRow<usize>,
) -> Option<Rule> {
    if matches!(row.register(IP), RegisterRule::Undefined) && row_names(row, IP) {
        return Some(Rule::END);
    }
    if row.register(IP) != RegisterRule::Offset(-8) {
        return None;
    }
    let breg = |expression: &gimli::UnwindExpression<usize>| {
        let mut operations = expression.get(section).ok()?.operations(encoding);
        let first = operations.next().ok()??;
        let second = operations.next().ok()?;
        let Operation::RegisterOffset {
            register, offset, ..
        } = first
        else {
            return None;
        };
        let rest_is_empty = operations.next().ok()?.is_none();
        (register == BP && rest_is_empty).then_some((offset, second))
    };
    match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => {
            let kind = match *register {
                SP => RuleKind::Sp,
                BP => RuleKind::Bp,
                BX => RuleKind::LazyBinding,
                _ => return None,
            };
            let bp_offset = match row.register(BP) {
                RegisterRule::Undefined if !row_names(row, BP) => None,
                RegisterRule::SameValue => None,
                RegisterRule::Offset(place) if kind != RuleKind::LazyBinding => Some(place),
                RegisterRule::Expression(expression) if kind == RuleKind::Bp => {
                    let (place, None) = breg(&expression)? else {
                        return None;
                    };
                    Some(place - offset)
                }
                _ => return None,
            };
            Rule::new(kind, *offset, bp_offset)
        }
        CfaRule::Expression(expression) => {
            let (offset, Some(Operation::Deref { .. })) = breg(expression)? else {
                return None;
            };
            let RegisterRule::Expression(saved) = row.register(BP) else {
                return None;
            };
            let (place, None) = breg(&saved)? else {
                return None;
            };
            Rule::new(RuleKind::BpDeref, offset, Some(place))
        }
    }
}

/// Whether the row says anything about a register; gimli answers "undefined" for
/// registers it does not mention as well.
fn row_names(row: &gimli::UnwindTableRow<usize>, register: Register) -> bool {
    row.registers().any(|(named, _)| *named == register)
}

/// Compares every row of a loaded library and returns how many there were, and
/// how many could be expressed.
fn compare(path: &str, loaded_address: usize) -> (usize, usize) {
    let data = std::fs::read(path).unwrap();
    let file = object::File::parse(&*data).unwrap();
    let section = file.section_by_name(".eh_frame").unwrap();
    let text = file.section_by_name(".text").unwrap();
    let bytes = section.data().unwrap();
    let eh_frame = EhFrame::new(bytes, NativeEndian);
    let bases = BaseAddresses::default()
        .set_eh_frame(section.address())
        .set_text(text.address());
    let module = modules::locate_for_test(loaded_address).unwrap();
    let mut context = UnwindContext::new();
    let (mut rows, mut expressed) = (0, 0);
    let mut entries = eh_frame.entries(&bases);
    while let Some(entry) = entries.next().unwrap() {
        let gimli::CieOrFde::Fde(partial) = entry else {
            continue;
        };
        let fde = partial.parse(EhFrame::cie_from_offset).unwrap();
        if fde.cie().is_signal_trampoline() {
            continue;
        }
        let mut table = fde.rows(&eh_frame, &bases, &mut context).unwrap();
        while let Some(row) = table.next_row().unwrap() {
            if row.start_address() >= row.end_address() {
                continue;
            }
            let wanted = expected(&eh_frame, fde.cie().encoding(), row);
            for link_address in [row.start_address(), row.end_address() - 1] {
                let address = module.bias + link_address as usize;
                // SAFETY: the library is loaded and stays so.
                let found = unsafe { cfi::find(module.header, module.start, module.end, address) }
                    .and_then(|entry| compile::rule_for(&entry, address, address));
                let is_plt = wanted.is_none() && found.is_some();
                if !is_plt {
                    assert_eq!(found, wanted, "{path} at {link_address:#x}");
                }
                rows += 1;
                expressed += usize::from(found.is_some());
            }
        }
    }
    (rows, expressed)
}

#[test]
fn every_row_of_libc_is_compiled_as_gimli_reads_it() {
    let address = crate::sys::dlsym as *const () as usize;
    let path = modules::path_for_test(address);
    let (rows, expressed) = compare(&path, address);
    assert!(rows > 20_000, "{rows} rows");
    assert!(expressed * 100 > rows * 99, "{expressed} of {rows} rows");
}

#[test]
fn every_row_of_libstdcxx_is_compiled_as_gimli_reads_it() {
    // SAFETY: loading a library and asking for a function in it.
    let address = unsafe {
        let handle =
            crate::sys::dlopen().unwrap()(c"libstdc++.so.6".as_ptr(), crate::sys::RTLD_LAZY);
        assert!(!handle.is_null(), "libstdc++.so.6 is needed");
        crate::sys::dlsym(handle, c"_Znwm".as_ptr()) as usize
    };
    let path = modules::path_for_test(address);
    let (rows, expressed) = compare(&path, address);
    assert!(rows > 20_000, "{rows} rows");
    assert!(expressed * 100 > rows * 99, "{expressed} of {rows} rows");
}
