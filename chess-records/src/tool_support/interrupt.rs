//! Ctrl-C.

use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, Ordering};
use std::process;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Notes Ctrl-C (and a request to terminate) from now on, so that work can be stopped and cleaned
/// up. The second time ends the process at once.
pub fn listen() {
    let handler = || {
        if ASKED.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
    };
    // Without a handler Ctrl-C ends the process, which leaves outputs as they were too.
    let _ = ctrlc::set_handler(handler);
}

/// Whether Ctrl-C was pressed.
#[must_use]
pub fn was_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Breaks after Ctrl-C.
pub fn flow() -> ControlFlow<()> {
    if was_asked() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
