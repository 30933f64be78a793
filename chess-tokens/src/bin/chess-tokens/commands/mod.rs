//! The commands.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod inspect;
pub(crate) mod pack;
pub(crate) mod stats;
pub(crate) mod train_bpe;
pub(crate) mod verify;
pub(crate) mod vocab;

use std::io::{BufRead, Read};

use crate::failure::Failure;

/// The longest line that is read: a game of 65,536 plies as JSON is far shorter.
const MAX_LINE_BYTES: u64 = 1 << 24;

/// Gives each line of standard input to `take`, with its number, from 1.
fn for_each_line(mut take: impl FnMut(u64, &str) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut stdin = std::io::stdin().lock();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        stdin
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)?;
        if line.is_empty() {
            break;
        }
        if line.len() as u64 == MAX_LINE_BYTES {
            return Err(at_line(number, "longer than 16 MiB"));
        }
        let text = std::str::from_utf8(&line).map_err(|error| at_line(number, error))?;
        take(number, text)?;
    }
    Ok(())
}

/// What is wrong with a line.
fn at_line(number: u64, error: impl ToString) -> Failure {
    Failure::data(format!("line {number}: {}", error.to_string()))
}
