//! What commands say, on standard output; notes go to standard error.

use std::io::{self, Write};

use chess_records::{Board, LeftOut, LeftOutGames, Position, Square};

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

/// Names and what there is to say of each.
pub(crate) fn facts(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|row| row.0.chars().count()).max();
    let width = width.unwrap_or(0);
    rows.iter()
        .map(|(name, value)| format!("{name:width$}  {value}\n"))
        .collect()
}

/// How many games were left out, by reason.
pub(crate) fn left_out(games: &LeftOutGames) -> Vec<(&'static str, String)> {
    let reasons = LeftOut::ALL.map(|reason| (name(reason), games.of(reason)));
    let reasons = reasons.into_iter().filter(|&(_, games)| games > 0);
    let mut rows = vec![("left out", games.total().to_string())];
    rows.extend(reasons.map(|(name, games)| (name, games.to_string())));
    rows
}

const fn name(reason: LeftOut) -> &'static str {
    match reason {
        LeftOut::Variant => "  a variant",
        LeftOut::Start => "  another start",
        LeftOut::Result => "  no result",
        LeftOut::MissingElo => "  no Elo",
        LeftOut::IllegalMove => "  an illegal move",
        LeftOut::AmbiguousMove => "  an ambiguous move",
        LeftOut::NoMove => "  no move",
        LeftOut::TooLong => "  too long",
        _ => "  other reasons",
    }
}

/// The board from White's side.
pub(crate) fn board(position: &Position) -> String {
    let placement = position.placement();
    let mut text = String::new();
    for rank in (0..8).rev() {
        text += &format!("  {}", rank + 1);
        for file in 0..8 {
            let piece = Square::at(file, rank).and_then(|square| placement.piece_at(square));
            text.push(' ');
            text.push(piece.map_or('.', |piece| piece.fen_letter()));
        }
        text.push('\n');
    }
    text + "    a b c d e f g h\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_below_each_other() {
        assert_eq!(
            facts(&[("a", "1".into()), ("bcd", "2".into())]),
            "a    1\nbcd  2\n"
        );
    }

    #[test]
    fn only_reasons_that_there_were_are_told() {
        let mut games = LeftOutGames::default();
        assert_eq!(facts(&left_out(&games)), "left out  0\n");
        games.add(LeftOut::Start);
        games.add(LeftOut::Start);
        assert_eq!(
            facts(&left_out(&games)),
            "left out         2\n  another start  2\n"
        );
    }
}
