//! Ctrl-C.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a command that was interrupted: 128 and the number of SIGINT.
pub(crate) const EXIT_CODE: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C (or a request to terminate) is only noted. The second ends the
/// process at once: whatever is being written then is left as it was before.
pub(crate) fn listen() {
    let handler = || {
        if ASKED.swap(true, Ordering::Relaxed) {
            process::exit(EXIT_CODE.into());
        }
        let _ = writeln!(
            io::stderr(),
            "stopping after this step; again, and it ends at once"
        );
    };
    // Without a handler Ctrl-C ends the process, which leaves files whole too.
    let _ = ctrlc::set_handler(handler);
}

/// Whether Ctrl-C was pressed.
pub(crate) fn was_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// That a command was interrupted, and how to go on.
#[derive(Debug)]
pub(crate) struct Interrupted(pub(crate) String);

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Interrupted {}
