//! What commands say, on standard output; notes go to standard error.

use std::io::{self, Write};

use crate::failure::Failure;

/// Prints to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Prints a line to standard error.
pub(crate) fn note(line: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stderr(), "{line}")?)
}
