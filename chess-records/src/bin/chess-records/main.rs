//! The command-line tool of chess-records.

fn main() {}
