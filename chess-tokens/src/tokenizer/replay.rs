//! Moves in UCI's notation played on the family's own board.

use std::sync::LazyLock;

use chess_records::{Board, Color, PieceType, Position, UciMove, ViriMove, ViriMoveKind, Wing};

/// Where games begin.
pub(crate) fn start() -> Position {
    static START: LazyLock<Position> = LazyLock::new(|| {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        Position::from_fen(fen).expect("the start of chess is a position")
    });
    *START
}

/// The position after a move, if it is legal and written as UCI writes it: castling is the king's
/// move by two squares.
pub(crate) fn after(position: &Position, played: UciMove) -> Option<Position> {
    let played = viri_move(position, played)?;
    position.after_move(played).ok()
}

/// Whether the move takes a pawn of the side to move to the last rank.
pub(super) fn promotes(position: &Position, played: UciMove) -> bool {
    let color = position.side_to_move();
    let is_pawn = moved(position, played) == Some(PieceType::Pawn);
    is_pawn && played.to.rank() == last_rank(color)
}

const fn last_rank(color: Color) -> u8 {
    color.opponent().home_rank()
}

/// The type of the man of the side to move that stands where the move begins.
fn moved(position: &Position, played: UciMove) -> Option<PieceType> {
    let piece = position.placement().piece_at(played.from)?;
    (piece.color == position.side_to_move()).then_some(piece.piece_type)
}

/// The move as the board plays it.
fn viri_move(position: &Position, played: UciMove) -> Option<ViriMove> {
    let UciMove {
        from,
        to,
        promotion,
    } = played;
    let piece_type = moved(position, played)?;
    if let Some(made) = promotion {
        return ViriMove::new(from, to, ViriMoveKind::Promotion(made)).ok();
    }
    let files = from.file().abs_diff(to.file());
    let (to, kind) = match piece_type {
        PieceType::King if files > 1 => (castling_rook(position, played)?, ViriMoveKind::Castling),
        PieceType::Pawn if files == 1 && position.en_passant() == Some(to) => {
            (to, ViriMoveKind::EnPassant)
        }
        _ => (to, ViriMoveKind::Normal),
    };
    ViriMove::new(from, to, kind).ok()
}

/// The rook with which a king castles that goes two squares towards it.
fn castling_rook(position: &Position, played: UciMove) -> Option<chess_records::Square> {
    let UciMove { from, to, .. } = played;
    let wing = match (from.file(), to.file()) {
        (4, 6) => Wing::Kingside,
        (4, 2) => Wing::Queenside,
        _ => return None,
    };
    let on_its_rank = from.rank() == to.rank();
    let rook = position.castling().rook(position.side_to_move(), wing);
    rook.filter(|_| on_its_rank)
}
