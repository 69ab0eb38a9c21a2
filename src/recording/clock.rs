//! The clock of the births: tells every recorded process, once a second, which
//! second of its life this is. The recorder itself never asks for the time.

use super::arenas::ArenaDirectory;
use residue_arena::header;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const PERIOD: Duration = Duration::from_millis(250);

pub struct Clock {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Clock {
    pub fn start(directory: PathBuf) -> Clock {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let directory = ArenaDirectory { path: directory };
            while !seen.load(Ordering::Acquire) {
                for path in directory.files() {
                    tell_second(&path);
                }
                std::thread::park_timeout(PERIOD);
            }
        });
        Clock {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// Writes the second of the process's life into its arena's header.
fn tell_second(path: &PathBuf) -> Option<()> {
    let file = File::options().read(true).write(true).open(path).ok()?;
    let mut word = [0; 8];
    file.read_exact_at(&mut word, header::STATE as u64 * 8)
        .ok()?;
    if u64::from_le_bytes(word) != header::READY {
        return None;
    }
    file.read_exact_at(&mut word, header::STARTED_UNIX_NS as u64 * 8)
        .ok()?;
    let started = Duration::from_nanos(u64::from_le_bytes(word));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let second = now.checked_sub(started)?.as_secs();
    file.write_all_at(&second.to_le_bytes(), header::BIRTH as u64 * 8)
        .ok()
}
