//! Ctrl-C.

use std::ops::ControlFlow;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Notes Ctrl-C (and a request to terminate) from now on, so that work can be stopped and cleaned
/// up. The second time ends the process at once.
pub(crate) fn listen() {
    let handler = || {
        if ASKED.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
    };
    // Without a handler Ctrl-C ends the process, which leaves outputs as they were too.
    let _ = ctrlc::set_handler(handler);
}

/// Whether Ctrl-C was pressed.
pub(crate) fn was_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Breaks after Ctrl-C.
pub(crate) fn flow() -> ControlFlow<()> {
    if was_asked() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Fails after Ctrl-C; `left` says what became of the work.
pub(crate) fn check(left: &'static str) -> Result<(), Failure> {
    if was_asked() {
        Err(Failure::Interrupted(left))
    } else {
        Ok(())
    }
}
