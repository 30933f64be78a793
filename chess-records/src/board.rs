//! What evaluators and trainers ask of a position.

use crate::{Color, Label, Placement};

/// A position that can be evaluated.
///
/// An engine implements this for its own board from its own bitboards:
///
/// ```
/// use chess_records::{Board, Color, Placement};
///
/// struct EngineBoard { colors: [u64; 2], pieces: [u64; 6], black_to_move: bool }
///
/// impl Board for EngineBoard {
///     fn side_to_move(&self) -> Color {
///         if self.black_to_move { Color::Black } else { Color::White }
///     }
///     fn placement(&self) -> Placement {
///         Placement::new(self.colors, self.pieces).expect("the engine keeps its boards legal")
///     }
/// }
/// ```
///
/// The trait is object-safe: `&dyn Board` is a board.
pub trait Board {
    /// Whose move it is.
    fn side_to_move(&self) -> Color;

    /// Where the men stand.
    fn placement(&self) -> Placement;
}

/// A position that a trainer can learn from.
pub trait Labelled: Board {
    /// The score and the result, both from White's side.
    fn label(&self) -> Label;
}

impl<B: Board + ?Sized> Board for &B {
    fn side_to_move(&self) -> Color {
        (**self).side_to_move()
    }

    fn placement(&self) -> Placement {
        (**self).placement()
    }
}

impl<B: Labelled + ?Sized> Labelled for &B {
    fn label(&self) -> Label {
        (**self).label()
    }
}
