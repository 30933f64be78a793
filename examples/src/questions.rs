//! Positions to ask a trained network about before believing it.

use chess_records::Position;

/// A dozen positions that everybody knows, with their names.
///
/// # Panics
///
/// Never: the positions are tested.
#[must_use]
pub fn known_positions() -> [(&'static str, Position); 12] {
    [
        (
            "Start",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ),
        (
            "Ruy Lopez",
            "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4",
        ),
        (
            "Black lacks the queen",
            "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ),
        (
            "White lacks a knight",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1",
        ),
        (
            "Fried Liver",
            "r1bqkb1r/ppp2ppp/2n5/3np1N1/2B5/8/PPPP1PPP/RNBQK2R w KQkq - 0 6",
        ),
        (
            "Opera game, move 15",
            "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16",
        ),
        ("Lucena", "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1"),
        ("Philidor", "4k3/R7/8/3KP3/8/1r6/8/8 b - - 0 1"),
        (
            "Opposite bishops",
            "8/4k1p1/2b2p2/8/4B1P1/3K1P2/8/8 w - - 0 1",
        ),
        ("About to promote", "8/3P3k/8/8/8/8/8/3K4 w - - 0 1"),
        ("Queen against king", "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"),
        ("Kings alone", "8/8/3k4/8/8/3K4/8/8 w - - 0 1"),
    ]
    .map(|(name, fen)| match Position::from_fen(fen) {
        Ok(position) => (name, position),
        Err(error) => panic!("{name}: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_a_dozen_known_positions() {
        let names = known_positions().map(|(name, _)| name);
        assert!(names.iter().all(|name| !name.is_empty()));
    }
}
