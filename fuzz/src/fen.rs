//! A FEN that was accepted is written as one that gives the same position.

use chess_records::Position;

/// Takes the bytes for a FEN. What is accepted must survive being written and read again.
pub fn fen(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(position) = text.parse::<Position>() {
        let written = position.fen().to_string();
        let again: Position = written.parse().expect("what is written is read");
        assert_eq!(again.fen().to_string(), written);
        let known = position.halfmove_clock().is_some() && position.fullmove_number().is_some();
        assert!(again == position || !known, "{text}: {written}");
    }
}
