//! The tool `chess-tokens`.

fn main() {}
