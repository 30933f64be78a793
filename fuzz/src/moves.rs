//! Playing moves keeps a position what it is.

use chess_records::{
    Board, GameResult, Label, LabelledPosition, MarlinRecord, Placement, Position, Score, ViriMove,
};

/// Takes the bytes for a marlinformat record and moves of 16 bits to be played from its position
/// on; those that cannot be played are passed over. After each move the position must be one that
/// could be set up, written and read.
pub fn moves(data: &[u8]) {
    let Some((record, rest)) = data.split_first_chunk() else {
        return;
    };
    let Ok(decoded) = MarlinRecord::from_bytes(record).decode() else {
        return;
    };
    let mut position = decoded.position;
    let (moves, _) = rest.as_chunks::<2>();
    for bytes in moves {
        if let Some(next) = ViriMove::from_bits(u16::from_le_bytes(*bytes))
            .ok()
            .and_then(|played| after(&position, played))
        {
            position = next;
        }
    }
}

fn after(position: &Position, played: ViriMove) -> Option<Position> {
    let next = position.after_move(played).ok()?;
    assert_eq!(next.side_to_move(), position.side_to_move().opponent());
    let gone = position.placement().men() - next.placement().men();
    assert!(gone <= 1);
    assert!(gone == 0 || position.is_tactical(played));
    let mover = Position::new(next.placement(), position.side_to_move());
    assert!(!mover.in_check(), "{position:?}: {played}");
    is_consistent(&next);
    Some(next)
}

fn is_consistent(position: &Position) {
    let placement = position.placement();
    assert_eq!(Placement::from_pieces(placement.pieces()), Ok(placement));
    let set_up = Position::new(placement, position.side_to_move())
        .with_castling(position.castling())
        .and_then(|set_up| set_up.with_en_passant(position.en_passant()))
        .expect("rights and en passant square fit")
        .with_halfmove_clock(position.halfmove_clock())
        .with_fullmove_number(position.fullmove_number());
    assert_eq!(set_up, *position);
    is_written_and_read(position);
}

fn is_written_and_read(position: &Position) {
    let written = position.fen().to_string();
    let again: Position = written.parse().expect("what is written is read");
    assert_eq!(again.fen().to_string(), written);
    let label = Label::new(Some(Score::Centipawns(-1)), Some(GameResult::Draw));
    let labelled = LabelledPosition {
        position: *position,
        label,
    };
    let record = MarlinRecord::encode(&labelled, 0).expect("every position fits");
    let decoded = record.decode().expect("it was encoded");
    // An unknown clock is written as 0.
    let clock = position.halfmove_clock().or(Some(0));
    assert_eq!(decoded.position, position.with_halfmove_clock(clock));
}
