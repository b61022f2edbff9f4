//! A line on the terminal for runs that take a while.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Shows that something is being done, from half a second on, until it is dropped. Nothing where standard error is no
/// terminal.
pub struct Progress {
    done: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

const PATIENCE: u32 = 5;
const STEP: Duration = Duration::from_millis(100);

impl Progress {
    /// Begins to wait.
    pub fn start(what: String) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&done);
        let thread = io::stderr()
            .is_terminal()
            .then(|| thread::spawn(move || show(&what, &seen)));
        Self { done, thread }
    }
}

fn show(what: &str, done: &AtomicBool) {
    let mut shown = false;
    for step in 0_u32.. {
        if done.load(Ordering::Acquire) {
            break;
        }
        if step >= PATIENCE {
            shown = true;
            let _ = write!(io::stderr(), "\r{what} {} s", step / 10);
        }
        thread::park_timeout(STEP);
    }
    if shown {
        let _ = write!(io::stderr(), "\r\x1b[2K");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
