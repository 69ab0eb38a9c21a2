//! Programs that this one starts. A program that would refuse to start with the recorder, or
//! that nobody asked to record, gets an environment without it.
//!
//! `execl` and its kin take their arguments one by one: five come in registers, the others on
//! the stack. As in libc they are put into a list, and go the way of the others.

use super::real;
use crate::modules;
use crate::program_file::{self, Obstacle, ProgramPath};
use crate::setup::Digits;
use crate::sys;
use crate::unrecorded;
use core::ffi::{CStr, c_char, c_int, c_void};

/// A list of strings that ends with a null pointer.
type Strings = *const *const c_char;

const NOT_THERE: c_int = 38;

unsafe extern "C" {
    static environ: Strings;
}

pub unsafe fn execve(path: *const c_char, arguments: Strings, environment: Strings) -> c_int {
    let Some(real) = real::execve() else {
        return -1;
    };
    // SAFETY: the program's own call, handed on.
    unsafe {
        with_environment(bytes(path), Start::Here, environment, |environment| {
            real(path, arguments, environment)
        })
    }
}

pub unsafe fn execv(path: *const c_char, arguments: Strings) -> c_int {
    // SAFETY: the same, by definition.
    unsafe { execve(path, arguments, environ) }
}

pub unsafe fn execvpe(file: *const c_char, arguments: Strings, environment: Strings) -> c_int {
    let Some(real) = real::execvpe() else {
        return -1;
    };
    // SAFETY: the program's own call, handed on.
    unsafe {
        let found = search(bytes(file));
        let path = found.as_ref().map_or(&[][..], ProgramPath::without_end);
        with_environment(path, Start::Here, environment, |environment| {
            real(file, arguments, environment)
        })
    }
}

pub unsafe fn execvp(file: *const c_char, arguments: Strings) -> c_int {
    // SAFETY: the same, by definition.
    unsafe { execvpe(file, arguments, environ) }
}

pub unsafe fn posix_spawn(
    pid: *mut c_int,
    path: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    arguments: Strings,
    environment: Strings,
) -> c_int {
    let Some(real) = real::posix_spawn() else {
        return NOT_THERE;
    };
    // SAFETY: the program's own call, handed on.
    unsafe {
        with_environment(bytes(path), Start::Child, environment, |environment| {
            real(pid, path, actions, attributes, arguments, environment)
        })
    }
}

pub unsafe fn posix_spawnp(
    pid: *mut c_int,
    file: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    arguments: Strings,
    environment: Strings,
) -> c_int {
    let Some(real) = real::posix_spawnp() else {
        return NOT_THERE;
    };
    // SAFETY: the program's own call, handed on.
    unsafe {
        let found = search(bytes(file));
        let path = found.as_ref().map_or(&[][..], ProgramPath::without_end);
        with_environment(path, Start::Child, environment, |environment| {
            real(pid, file, actions, attributes, arguments, environment)
        })
    }
}

pub unsafe fn fexecve(file: c_int, arguments: Strings, environment: Strings) -> c_int {
    let Some(real) = real::fexecve() else {
        return -1;
    };
    let mut digits = Digits::default();
    let link = ProgramPath::joined(&[b"/proc/self/fd/", digits.of(file as u64)]);
    let mut target = [0; 1024];
    let length = link.and_then(|link| sys::read_link(link.as_bytes(), &mut target).ok());
    let path = target.get(..length.unwrap_or(0)).unwrap_or(&[]);
    // SAFETY: the program's own call, handed on.
    unsafe {
        with_environment(path, Start::Here, environment, |environment| {
            real(file, arguments, environment)
        })
    }
}

/// The arguments of `execl`, as the stub found them.
const IN_REGISTERS: usize = 5;

pub unsafe extern "C" fn execl(path: *const c_char, first: Strings, rest: Strings) -> c_int {
    // SAFETY: the program's own call, handed on.
    unsafe { listed(first, rest, |arguments, _| execv(path, arguments)) }
}

pub unsafe extern "C" fn execlp(file: *const c_char, first: Strings, rest: Strings) -> c_int {
    // SAFETY: as above.
    unsafe { listed(first, rest, |arguments, _| execvp(file, arguments)) }
}

pub unsafe extern "C" fn execle(path: *const c_char, first: Strings, rest: Strings) -> c_int {
    // SAFETY: as above; after the end of the arguments comes the environment.
    unsafe {
        listed(first, rest, |arguments, next| {
            execve(path, arguments, next.cast())
        })
    }
}

/// Makes one list of arguments up to a null pointer, and hands over what comes after it.
///
/// # Safety
/// `first` and `rest` must be where the arguments in registers and on the stack lie.
unsafe fn listed(
    first: Strings,
    rest: Strings,
    run: impl FnOnce(Strings, *const c_char) -> c_int,
) -> c_int {
    const MOST_ON_STACK: usize = 256;
    let argument = |index: usize| {
        let on_stack = index.checked_sub(IN_REGISTERS);
        // SAFETY: the list is not passed beyond its end and what follows that.
        unsafe { on_stack.map_or_else(|| first.add(index).read(), |index| rest.add(index).read()) }
    };
    let count = (0..)
        .take_while(|&index| !argument(index).is_null())
        .count();
    let mut few = [core::ptr::null::<c_char>(); MOST_ON_STACK];
    let bytes = (count + 1) * size_of::<*const c_char>();
    let list = match count < MOST_ON_STACK {
        true => few.as_mut_ptr(),
        false => match sys::map_private(bytes) {
            Ok(memory) => memory.cast(),
            Err(_) => return -1,
        },
    };
    for index in 0..=count {
        // SAFETY: there is room for so many.
        unsafe { list.add(index).write(argument(index)) };
    }
    let result = run(list, argument(count + 1));
    if count >= MOST_ON_STACK {
        // SAFETY: mapped above; nobody uses it any more.
        unsafe { sys::unmap(list.cast(), bytes) };
    }
    result
}

/// Whether a program replaces this one or is started beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Here,
    Child,
}

/// # Safety
/// Null, or a string that ends in a zero byte and outlives the call.
unsafe fn bytes<'a>(text: *const c_char) -> &'a [u8] {
    match text.is_null() {
        true => &[],
        // SAFETY: the caller vouches for it.
        false => unsafe { CStr::from_ptr(text) }.to_bytes(),
    }
}

/// Finds a command in PATH, as libc will.
fn search(command: &[u8]) -> Option<ProgramPath> {
    if command.is_empty() || command.contains(&b'/') {
        return ProgramPath::joined(&[command]);
    }
    // SAFETY: libc's list of variables, which only the program changes.
    let path = unsafe { variable(environ, b"PATH=") }.unwrap_or(b"/bin:/usr/bin");
    path.split(|&byte| byte == b':').find_map(|directory| {
        let directory = if directory.is_empty() {
            &b"."[..]
        } else {
            directory
        };
        let found = ProgramPath::joined(&[directory, b"/", command])?;
        sys::is_executable(found.as_bytes()).then_some(found)
    })
}

/// The value of a variable, whose name is given with `=`.
///
/// # Safety
/// `environment` must be a list of variables.
unsafe fn variable<'a>(environment: Strings, name: &[u8]) -> Option<&'a [u8]> {
    // SAFETY: handed on to the caller.
    let mut variables = unsafe { each(environment) };
    variables.find_map(|(_, text)| text.strip_prefix(name))
}

/// # Safety
/// Null, or a list of strings that ends with a null pointer.
unsafe fn each<'a>(strings: Strings) -> impl Iterator<Item = (*const c_char, &'a [u8])> {
    let mut at = strings;
    core::iter::from_fn(move || {
        if at.is_null() {
            return None;
        }
        // SAFETY: the caller vouches for the list; its end is not passed.
        unsafe {
            let string = at.read();
            (!string.is_null()).then(|| {
                at = at.add(1);
                (string, bytes(string))
            })
        }
    })
}

/// Starts a program with the environment that it can have: as it is, or without the recorder.
///
/// # Safety
/// `environment` must be null or a list of variables.
unsafe fn with_environment(
    path: &[u8],
    start: Start,
    environment: Strings,
    run: impl FnOnce(Strings) -> c_int,
) -> c_int {
    // SAFETY: handed on to the caller.
    let carries = unsafe { variable(environment, b"LD_PRELOAD=") };
    let own = modules::path_of(execve as *const () as usize);
    let is_child = start == Start::Child || !unrecorded::is_first_process();
    if !carries.is_some_and(|value| entries(value).any(|entry| entry == own)) {
        if let Some(program) = ProgramPath::joined(&[path]) {
            unrecorded::note_unrecorded(Obstacle::ClearedEnvironment, &program, is_child);
        }
        return run(environment);
    }
    if let Some((obstacle, program)) = program_file::obstacle(path) {
        unrecorded::note_unrecorded(obstacle, &program, is_child);
        if !obstacle.forbids_preload() {
            return run(environment);
        }
    } else if unrecorded::records_children() || !is_child {
        unrecorded::note_unreachable();
        // In another root directory the dynamic linker would complain that it is not there.
        let library = ProgramPath::joined(&[own]);
        if library.is_some_and(|library| sys::status(library.as_bytes()).is_ok()) {
            return run(environment);
        }
    }
    // SAFETY: handed on to the caller.
    unsafe { without(environment, own, run) }
}

/// The libraries that LD_PRELOAD names.
fn entries(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value
        .split(|byte| b" :".contains(byte))
        .filter(|entry| !entry.is_empty())
}

/// Runs with the same variables, less the recorder's own. On the stack: a child of `vfork`
/// leaves to its parent whatever it allocates. Not a part of its caller, most of whose calls
/// need none of that room.
///
/// # Safety
/// As above.
#[cold]
#[inline(never)]
unsafe fn without(environment: Strings, own: &[u8], run: impl FnOnce(Strings) -> c_int) -> c_int {
    const MOST_VARIABLES: usize = 1024;
    const PRELOAD: &[u8] = b"LD_PRELOAD=";
    let mut kept = [core::ptr::null::<c_char>(); MOST_VARIABLES];
    let mut preload = [0_u8; 1024];
    let mut count = 0;
    // SAFETY: handed on to the caller.
    for (pointer, text) in unsafe { each(environment) } {
        let pointer = match text.strip_prefix(PRELOAD) {
            Some(value) => match others(value, own, &mut preload) {
                Some(true) => preload.as_ptr().cast(),
                Some(false) => continue,
                // There is no room: it stays as it is.
                None => pointer,
            },
            None if text.starts_with(unrecorded::CONFIG_PREFIX) => continue,
            None => pointer,
        };
        // One place is left for the end.
        if count + 1 >= MOST_VARIABLES {
            return run(environment);
        }
        if let Some(place) = kept.get_mut(count) {
            *place = pointer;
            count += 1;
        }
    }
    run(kept.as_ptr())
}

/// Writes LD_PRELOAD with the other libraries, and a zero byte; false where there is none.
fn others(value: &[u8], own: &[u8], into: &mut [u8; 1024]) -> Option<bool> {
    let mut length = 0;
    let mut push = |part: &[u8]| {
        let end = length + part.len();
        into.get_mut(length..end)?.copy_from_slice(part);
        length = end;
        Some(())
    };
    push(b"LD_PRELOAD=")?;
    let mut are_any = false;
    for entry in entries(value).filter(|&entry| entry != own) {
        if are_any {
            push(b":")?;
        }
        push(entry)?;
        are_any = true;
    }
    push(b"\0")?;
    Some(are_any)
}
